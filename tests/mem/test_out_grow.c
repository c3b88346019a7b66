/* SPDX-License-Identifier: Apache-2.0
 *
 * test_out_grow.c -- pieces that must lie together and do not know their length: what was filled stays, wherever the room moves.
 */
#include "mem/out.h"
#include "suites.h"
#include "support/collect.h"
#include "support/failing_alloc.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)1 << 20)

/* What the output should hold. */
static uint8_t *expected;
static size_t expected_len;

static void open_expected(void)
{
    expected = malloc(TEXT_MAX);
    ck_assert_ptr_nonnull(expected);
    expected_len = 0;
}

static void close_expected(void)
{
    free(expected);
}

static uint8_t next_byte(void)
{
    return (uint8_t)(expected_len * 7 + (expected_len >> 8));
}

/* Puts a piece of `len` bytes in steps: each fills what it has asked for. False when the output did not grow. */
static bool put_piece(bsn_out *out, test_random *random, size_t len)
{
    const size_t before = expected_len;
    size_t used = 0;
    (void)bsn_out_reserve(out, 1);
    while (used < len) {
        size_t room = bsn_out_room(out) - used;
        if (room == 0) {
            const size_t asked = 1 + random_size_below(random, 300);
            if (!bsni_out_grow(out, used, asked)) {
                expected_len = before;
                return false;
            }
            room = bsn_out_room(out) - used;
            ck_assert_uint_ge(room, asked);
        }
        for (; room > 0 && used < len; room--) {
            out->cur[used++] = next_byte();
            expected[expected_len] = next_byte();
            expected_len++;
        }
    }
    bsn_out_advance(out, used);
    return true;
}

static void check_output(bsn_out *out)
{
    uint8_t *bytes = malloc(TEXT_MAX);
    ck_assert_ptr_nonnull(bytes);
    const bsn_bytes got = collect(out, bytes, TEXT_MAX);
    ck_assert_uint_eq(got.len, expected_len);
    ck_assert_mem_eq(bytes, expected, expected_len);
    free(bytes);
}

/* Pieces of all sizes among appended bytes, references, rollbacks and what is sent. */
static void run(bsn_out *out, test_random *random)
{
    static const uint8_t large[4096];
    for (size_t i = 0; i < 60; i++) {
        const bsn_out_mark mark = bsn_out_get_mark(out);
        const size_t len = expected_len;
        switch (random_below(random, 6)) {
        case 0:
            expected[expected_len] = next_byte();
            bsn_out_append(out, &expected[expected_len++], 1);
            break;
        case 1:
            bsn_out_append_ref(out, (bsn_bytes){large, sizeof large});
            memset(expected + expected_len, 0, sizeof large);
            expected_len += sizeof large;
            break;
        case 2:
            ck_assert(put_piece(out, random, random_size_below(random, 5000)));
            bsn_out_rollback(out, mark);
            expected_len = len;
            break;
        default: ck_assert(put_piece(out, random, random_size_below(random, 8000)));
        }
        ck_assert_uint_eq(bsn_out_len(out), expected_len);
    }
    check_output(out);
}

START_TEST(pieces_keep_their_bytes_wherever_they_move)
{
    test_random random = {7};
    for (size_t round = 0; round < RANDOM_ROUNDS(200); round++) {
        counting_alloc counter;
        bsn_pool pool;
        bsn_buf buf;
        bsn_out out;
        counting_alloc_init(&counter);
        bsn_pool_init(&pool, &counter.alloc, SIZE_MAX);
        bsn_buf_init(&buf, &counter.alloc);
        if (round % 2 == 0) bsn_out_init_pool(&out, &pool, 1024);
        if (round % 2 == 1) bsn_out_init_buf(&out, &buf);
        expected_len = 0;
        run(&out, &random);
        bsn_out_free(&out);
        bsn_buf_free(&buf);
        bsn_pool_free(&pool);
        counting_alloc_finish(&counter);
    }
}
END_TEST

/* A piece that has been in a large block once finds it again. */
START_TEST(a_stream_of_large_pieces_soon_allocates_nothing)
{
    test_random random = {8};
    counting_alloc counter;
    bsn_pool pool;
    bsn_out out;
    counting_alloc_init(&counter);
    bsn_pool_init(&pool, &counter.alloc, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    size_t requests = 0;
    for (size_t i = 0; i < 10; i++) {
        expected_len = 0;
        ck_assert(put_piece(&out, &random, 100000));
        check_output(&out);
        bsn_out_sent(&out, bsn_out_unsent(&out));
        if (i == 0) requests = counting_alloc_requests(&counter);
    }
    ck_assert_uint_eq(counting_alloc_requests(&counter), requests);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(what_cannot_grow_says_so_and_is_what_it_was)
{
    uint8_t storage[8];
    bsn_pool pool;
    bsn_out out;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    ck_assert(!bsni_out_grow(&out, 0, 100));
    bsn_out_append(&out, "abc", 3);
    ck_assert_uint_eq(bsn_out_len(&out), 3);
    bsn_out_free(&out);
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    bsn_out_append(&out, "abc", 3);
    ck_assert(!bsni_out_grow(&out, 0, BSN_POOL_SIZE_MAX + 1));
    ck_assert(!bsni_out_grow(&out, 1, SIZE_MAX));
    ck_assert_int_eq(bsn_out_status(&out), BSN_OK);
    bsn_out_append(&out, "def", 3);
    memcpy(expected, "abcdef", 6);
    expected_len = 6;
    check_output(&out);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}
END_TEST

START_TEST(refused_memory_leaves_what_there_was)
{
    failing_alloc failing;
    failing_alloc_init(&failing);
    do {
        test_random random = {9};
        bsn_pool pool;
        bsn_out out;
        bool grown = true;
        bsn_pool_init(&pool, &failing.alloc, SIZE_MAX);
        bsn_out_init_pool(&out, &pool, 1024);
        expected_len = 0;
        for (size_t i = 0; i < 20 && grown; i++) {
            grown = put_piece(&out, &random, i * 500);
            if (bsn_out_status(&out) != BSN_OK) break;
        }
        ck_assert(grown || failing_alloc_refused(&failing));
        if (bsn_out_status(&out) == BSN_OK) check_output(&out);
        bsn_out_free(&out);
        bsn_pool_free(&pool);
    } while (failing_alloc_again(&failing));
}
END_TEST

Suite *out_grow_suite(void)
{
    Suite *suite = suite_create("out_grow");
    TCase *tests = tcase_create("out_grow");
    tcase_add_checked_fixture(tests, open_expected, close_expected);
    tcase_add_test(tests, pieces_keep_their_bytes_wherever_they_move);
    tcase_add_test(tests, a_stream_of_large_pieces_soon_allocates_nothing);
    tcase_add_test(tests, what_cannot_grow_says_so_and_is_what_it_was);
    tcase_add_test(tests, refused_memory_leaves_what_there_was);
    suite_add_tcase(suite, tests);
    return suite;
}
