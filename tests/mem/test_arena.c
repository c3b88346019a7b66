/* SPDX-License-Identifier: Apache-2.0
 *
 * test_arena.c -- bump allocation: pieces that do not touch, marks that nest, rounds that stop allocating.
 */
#include "mem/poison.h"
#include "suites.h"
#include "support/failing_alloc.h"
#include "support/random.h"

#include <stdalign.h>
#include <string.h>

START_TEST(init_allocates_nothing_and_free_of_nothing_works)
{
    counting_alloc counter;
    bsn_arena arena;
    counting_alloc_init(&counter);
    bsn_arena_init(&arena, &counter.alloc, 0);
    bsn_arena_reset(&arena, bsn_arena_get_mark(&arena));
    bsn_arena_free(&arena);
    ck_assert_uint_eq(counting_alloc_requests(&counter), 0);
}
END_TEST

START_TEST(pieces_are_aligned_and_do_not_overlap)
{
    enum { PIECES = 400 };
    uint8_t *pieces[PIECES];
    size_t lens[PIECES];
    counting_alloc counter;
    bsn_arena arena;
    test_random random = {7};
    counting_alloc_init(&counter);
    bsn_arena_init(&arena, &counter.alloc, 512);
    for (size_t i = 0; i < PIECES; i++) {
        lens[i] = random_one_in(&random, 20) ? random_size_below(&random, 3000)
                                             : random_size_below(&random, 40);
        pieces[i] = bsn_arena_take(&arena, lens[i]);
        ck_assert_ptr_nonnull(pieces[i]);
        ck_assert_uint_eq((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        memset(pieces[i], (int)(i % 251), lens[i]);
    }
    for (size_t i = 0; i < PIECES; i++) {
        for (size_t j = 0; j < lens[i]; j++) ck_assert_uint_eq(pieces[i][j], i % 251);
    }
    bsn_arena_free(&arena);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(a_copy_holds_the_same_bytes_elsewhere)
{
    static const uint8_t text[] = "some\0text";
    const bsn_bytes source = {text, sizeof text};
    const bsn_bytes nothing = {NULL, 0};
    bsn_arena arena;
    bsn_arena_init(&arena, NULL, 0);
    const bsn_bytes copy = bsn_arena_copy(&arena, source);
    ck_assert_ptr_ne(copy.ptr, source.ptr);
    ck_assert(bsn_bytes_equal(copy, source));
    const bsn_bytes empty = bsn_arena_copy(&arena, nothing);
    ck_assert_ptr_nonnull(empty.ptr);
    ck_assert_uint_eq(empty.len, 0);
    bsn_arena_free(&arena);
}
END_TEST

START_TEST(a_piece_larger_than_a_block_gets_one_of_its_own)
{
    counting_alloc counter;
    bsn_arena arena;
    counting_alloc_init(&counter);
    bsn_arena_init(&arena, &counter.alloc, 64);
    uint8_t *small = bsn_arena_take(&arena, 8);
    uint8_t *large = bsn_arena_take(&arena, 100000);
    ck_assert_ptr_nonnull(small);
    ck_assert_ptr_nonnull(large);
    memset(large, 1, 100000);
    ck_assert_uint_eq(counter.blocks_out, 2);
    ck_assert_uint_lt(counter.bytes_out, 101000);
    bsn_arena_free(&arena);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(a_length_that_overflows_is_refused)
{
    static const size_t lens[] = {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX - 16, SIZE_MAX - 40};
    counting_alloc counter;
    bsn_arena arena;
    counting_alloc_init(&counter);
    bsn_arena_init(&arena, &counter.alloc, 0);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        ck_assert_ptr_null(bsn_arena_take(&arena, lens[i]));
    }
    ck_assert_ptr_nonnull(bsn_arena_take(&arena, 1));
    bsn_arena_free(&arena);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(marks_nest)
{
    counting_alloc counter;
    bsn_arena arena;
    counting_alloc_init(&counter);
    bsn_arena_init(&arena, &counter.alloc, 256);
    const bsn_arena_mark start = bsn_arena_get_mark(&arena);
    uint8_t *kept = bsn_arena_take(&arena, 10);
    memset(kept, 'k', 10);
    const bsn_arena_mark outer = bsn_arena_get_mark(&arena);
    uint8_t *first = bsn_arena_take(&arena, 10);
    memset(first, 'f', 10);
    const bsn_arena_mark inner = bsn_arena_get_mark(&arena);
    for (int i = 0; i < 50; i++) ck_assert_ptr_nonnull(bsn_arena_take(&arena, 100));
    bsn_arena_reset(&arena, inner);
    for (size_t i = 0; i < 10; i++) ck_assert_uint_eq(first[i], 'f');
    bsn_arena_reset(&arena, outer);
    for (size_t i = 0; i < 10; i++) ck_assert_uint_eq(kept[i], 'k');
    ck_assert_ptr_eq(bsn_arena_take(&arena, 10), first); /* the place is free again */
    bsn_arena_reset(&arena, start);
    ck_assert_uint_le(counter.blocks_out, 1); /* the spare */
    bsn_arena_free(&arena);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(equal_rounds_soon_allocate_nothing)
{
    counting_alloc counter;
    bsn_arena arena;
    counting_alloc_init(&counter);
    bsn_arena_init(&arena, &counter.alloc, 128);
    size_t requests = 0;
    for (int round = 0; round < 40; round++) {
        const bsn_arena_mark mark = bsn_arena_get_mark(&arena);
        for (size_t i = 0; i < 100; i++) ck_assert_ptr_nonnull(bsn_arena_take(&arena, 3 * i));
        bsn_arena_reset(&arena, mark);
        if (round == 20) requests = counting_alloc_requests(&counter);
    }
    ck_assert_uint_eq(counting_alloc_requests(&counter), requests);
    ck_assert_uint_lt(counter.bytes_out_max, 4 * 16000); /* a round takes about 15,600 bytes */
    bsn_arena_free(&arena);
    counting_alloc_finish(&counter);
}
END_TEST

#ifdef BSONIC_ASSERT
START_TEST(what_a_reset_frees_is_poisoned)
{
    bsn_arena arena;
    bsn_arena_init(&arena, NULL, 0);
    const bsn_arena_mark mark = bsn_arena_get_mark(&arena);
    ck_assert_ptr_nonnull(bsn_arena_take(&arena, 1));
    const bsn_arena_mark second = bsn_arena_get_mark(&arena);
    uint8_t *piece = bsn_arena_take(&arena, 40);
    memset(piece, 1, 40);
    bsn_arena_reset(&arena, second);
#ifdef BSNI_POISON_ADDRESSES
    ck_assert(__asan_address_is_poisoned(piece));
    ck_assert(__asan_address_is_poisoned(piece + 39));
#else
    for (size_t i = 0; i < 40; i++) ck_assert_uint_eq(piece[i], BSNI_POISON_BYTE);
#endif
    bsn_arena_reset(&arena, mark);
    bsn_arena_free(&arena);
}
END_TEST
#endif

static bsn_status work(const bsn_alloc *alloc)
{
    bsn_arena arena;
    bsn_status status = BSN_OK;
    bsn_arena_init(&arena, alloc, 64);
    for (int i = 0; i < 6 && status == BSN_OK; i++) {
        const bsn_arena_mark mark = bsn_arena_get_mark(&arena);
        uint8_t *piece = bsn_arena_take(&arena, 50);
        if (piece != NULL) memset(piece, 1, 50);
        if (piece == NULL || bsn_arena_take(&arena, 500) == NULL) status = BSN_E_NOMEM;
        if (i % 2 == 1) bsn_arena_reset(&arena, mark);
    }
    bsn_arena_free(&arena);
    return status;
}

START_TEST(a_refused_request_leaks_nothing)
{
    failing_alloc failing;
    failing_alloc_init(&failing);
    do {
        const bsn_status status = work(&failing.alloc);
        ck_assert_int_eq(status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
    } while (failing_alloc_again(&failing));
}
END_TEST

START_TEST(an_arena_works_on_after_a_refused_request)
{
    failing_alloc failing;
    bsn_arena arena;
    failing_alloc_init(&failing);
    bsn_arena_init(&arena, &failing.alloc, 64);
    const bsn_bytes bytes = {(const uint8_t *)"abc", 3};
    ck_assert_ptr_null(bsn_arena_copy(&arena, bytes).ptr);
    failing.fail_at = SIZE_MAX;
    ck_assert(bsn_bytes_equal(bsn_arena_copy(&arena, bytes), bytes));
    bsn_arena_free(&arena);
    counting_alloc_finish(&failing.counter);
}
END_TEST

Suite *arena_suite(void)
{
    Suite *suite = suite_create("arena");
    TCase *tests = tcase_create("arena");
    tcase_add_test(tests, init_allocates_nothing_and_free_of_nothing_works);
    tcase_add_test(tests, pieces_are_aligned_and_do_not_overlap);
    tcase_add_test(tests, a_copy_holds_the_same_bytes_elsewhere);
    tcase_add_test(tests, a_piece_larger_than_a_block_gets_one_of_its_own);
    tcase_add_test(tests, a_length_that_overflows_is_refused);
    tcase_add_test(tests, marks_nest);
    tcase_add_test(tests, equal_rounds_soon_allocate_nothing);
#ifdef BSONIC_ASSERT
    tcase_add_test(tests, what_a_reset_frees_is_poisoned);
#endif
    tcase_add_test(tests, a_refused_request_leaks_nothing);
    tcase_add_test(tests, an_arena_works_on_after_a_refused_request);
    suite_add_tcase(suite, tests);
    return suite;
}
