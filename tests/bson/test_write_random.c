/* SPDX-License-Identifier: Apache-2.0
 *
 * test_write_random.c -- random documents of all types: every kind of output and every rewrite gives the same bytes, the size pass
 * their number; refused allocations; the steady state of a stream.
 */
#include "suites.h"
#include "support/collect.h"
#include "support/failing_alloc.h"
#include "support/full_walk.h"
#include "support/random.h"
#include "support/rewrite.h"

#include <string.h>

static const bsn_doc empty = {(const uint8_t *)"\5\0\0\0\0", 5};

static bsn_str random_text(test_random *random, uint32_t len_max)
{
    static char text[6000];
    bsn_str str = {text, random_below(random, len_max)};
    for (size_t i = 0; i < str.len; i++) text[i] = (char)(1 + random_below(random, 255));
    return str;
}

static void write_scalar(bsn_writer *w, test_random *random, bsn_str key)
{
    const bsn_oid oid = {{7}};
    const bsn_timestamp timestamp = {random_below(random, 1000), random_below(random, 1000)};
    const bsn_decimal128 decimal = {random_u64(random), random_u64(random)};
    const bsn_str text = random_text(random, random_below(random, 30) == 0 ? 6000 : 50);
    const bsn_bytes bytes = {(const uint8_t *)text.ptr, text.len};
    switch (random_below(random, 18)) {
    case 0: bsn_writer_double(w, key, (double)random_below(random, 1000) / 7); return;
    case 1: bsn_writer_string(w, key, text); return;
    case 2: bsn_writer_binary(w, key, (uint8_t)random_below(random, 4), bytes); return;
    case 3: bsn_writer_undefined(w, key); return;
    case 4: bsn_writer_oid(w, key, &oid); return;
    case 5: bsn_writer_boolean(w, key, random_below(random, 2) == 1); return;
    case 6: bsn_writer_date(w, key, (int64_t)random_u64(random)); return;
    case 7: bsn_writer_null(w, key); return;
    case 8: bsn_writer_regex(w, key, text, BSN_STR("xi")); return;
    case 9: bsn_writer_dbpointer(w, key, text, &oid); return;
    case 10: bsn_writer_code(w, key, text); return;
    case 11: bsn_writer_symbol(w, key, text); return;
    case 12: bsn_writer_code_scope(w, key, text, empty); return;
    case 13: bsn_writer_timestamp(w, key, timestamp); return;
    case 14: bsn_writer_int64(w, key, (int64_t)random_u64(random)); return;
    case 15: bsn_writer_decimal128(w, key, decimal); return;
    case 16: bsn_writer_document(w, key, empty); return;
    default:
        if (random_below(random, 2) == 0)
            bsn_writer_minkey(w, key);
        else
            bsn_writer_int32(w, key, (int32_t)random_below(random, 100000));
        return;
    }
}

/* The same document for the same seed, whatever it is written to. */
static void write_random(bsn_writer *w, uint64_t seed)
{
    test_random random = {seed};
    char key_text[600];
    const uint32_t steps = 1 + random_below(&random, 120);
    bsn_writer_begin(w);
    for (uint32_t i = 0; i < steps; i++) {
        const uint32_t key_len =
            random_below(&random, 40) == 0 ? random_below(&random, 600) : random_below(&random, 25);
        memset(key_text, 'a' + (int)random_below(&random, 26), key_len);
        const bsn_str key = {key_text, key_len};
        switch (random_below(&random, 12)) {
        case 0: bsn_writer_begin_document(w, key); break;
        case 1: bsn_writer_begin_array(w, key); break;
        case 2: bsn_writer_begin_code_scope(w, key, key); break;
        case 3:
        case 4:
            if (w->depth > 1) bsn_writer_end(w);
            break;
        default: write_scalar(w, &random, key); break;
        }
    }
    while (w->depth > 0) bsn_writer_end(w);
}

START_TEST(every_kind_of_output_and_a_rewrite_give_the_same_bytes)
{
    static uint8_t storage[200000], gathered[200000];
    bsn_buf buf = {0};
    bsn_pool pool;
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        bsn_out out, other;
        bsn_writer w;
        bsn_doc doc;
        bsn_out_init_buf(&out, &buf);
        bsn_writer_init(&w, &out);
        write_random(&w, seed);
        ck_assert_int_eq(bsn_writer_doc(&w, &doc), BSN_OK);
        ck_assert_int_eq(full_walk(doc, FULL_WALK_INLINE, BSN_DEPTH_DEFAULT, NULL, NULL), BSN_OK);
        const bsn_bytes expected = bsn_doc_bytes(doc);

        bsn_out_init_fixed(&other, NULL, 0); /* the size pass */
        bsn_writer_init(&w, &other);
        write_random(&w, seed);
        ck_assert_int_eq(bsn_writer_status(&w), BSN_E_SPACE);
        ck_assert_uint_eq(bsn_out_len(&other), expected.len);

        bsn_out_init_fixed(&other, storage, expected.len); /* what it says is enough */
        bsn_writer_init(&w, &other);
        write_random(&w, seed);
        ck_assert_int_eq(bsn_writer_doc(&w, &doc), BSN_OK);
        ck_assert(bsn_bytes_equal(bsn_doc_bytes(doc), expected));

        bsn_out_init_pool(&other, &pool, 1024);
        bsn_writer_init(&w, &other);
        write_random(&w, seed);
        ck_assert_int_eq(bsn_writer_status(&w), BSN_OK);
        ck_assert(bsn_bytes_equal(collect(&other, gathered, sizeof gathered), expected));
        for (int way = 0; way < REWRITE_WAYS; way++) {
            bsn_out_clear(&other);
            bsn_writer_init(&w, &other);
            doc.ptr = expected.ptr;
            ck_assert_int_eq(rewrite_document(&w, doc, (rewrite_way)way), BSN_OK);
            ck_assert(bsn_bytes_equal(collect(&other, gathered, sizeof gathered), expected));
        }
        bsn_out_free(&other);
        bsn_out_clear(&out);
        bsn_out_free(&out);
    }
    bsn_buf_free(&buf);
    bsn_pool_free(&pool);
}
END_TEST

/* A document that stands in the output before another one fails. */
static void write_first(bsn_writer *w)
{
    bsn_writer_begin(w);
    bsn_writer_binary(w, BSN_STR("first"), 0, (bsn_bytes){(const uint8_t *)"0123456789", 10});
    bsn_writer_end(w);
}

static void check_first(bsn_out *out)
{
    static uint8_t bytes[200000];
    const bsn_bytes all = collect(out, bytes, sizeof bytes);
    ck_assert_uint_ge(all.len, 27);
    ck_assert_mem_eq(all.ptr,
                     "\x1B\0\0\0\5"
                     "first\0\xA\0\0\0\0"
                     "0123456789",
                     27);
}

/* Writes two documents; the second is refused its nth request for memory, if it has so many. Returns whether it was. */
static bool run_refused(int kind, uint64_t seed, size_t nth)
{
    failing_alloc failing;
    bsn_buf buf;
    bsn_pool pool;
    bsn_out out;
    bsn_writer w;
    bsn_doc doc;
    failing_alloc_init(&failing);
    failing.fail_at = SIZE_MAX;
    bsn_buf_init(&buf, &failing.alloc);
    bsn_pool_init(&pool, &failing.alloc, SIZE_MAX);
    if (kind == 0) bsn_out_init_buf(&out, &buf);
    if (kind == 1) bsn_out_init_pool(&out, &pool, 1024);
    bsn_writer_init(&w, &out);
    write_first(&w);
    const bsn_writer_mark mark = bsn_writer_get_mark(&w);
    failing.fail_at = failing.requests + nth;
    write_random(&w, seed);
    const bool refused = failing_alloc_refused(&failing);
    ck_assert_int_eq(bsn_writer_status(&w), refused ? BSN_E_NOMEM : BSN_OK);
    check_first(&out);
    failing.fail_at = SIZE_MAX;
    if (refused) {
        ck_assert_int_eq(bsn_writer_doc(&w, &doc), BSN_E_NOMEM);
        bsn_writer_rollback(&w, mark);
        ck_assert_int_eq(bsn_writer_status(&w), BSN_E_NOMEM);
        ck_assert_uint_eq(bsn_out_unsent(&out), 27);
        check_first(&out);
        bsn_out_clear(&out); /* usable again, now that there is memory */
        write_first(&w);
        write_random(&w, seed);
        ck_assert_int_eq(bsn_writer_status(&w), BSN_OK);
        check_first(&out);
    }
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    bsn_pool_free(&pool);
    counting_alloc_finish(&failing.counter);
    return refused;
}

START_TEST(a_refused_allocation_is_reported_and_leaks_nothing)
{
    for (int kind = 0; kind < 2; kind++) {
        for (uint64_t seed = 1; seed <= 60; seed++) {
            size_t nth = 1;
            while (run_refused(kind, seed, nth)) nth++;
        }
    }
}
END_TEST

START_TEST(a_stream_of_documents_allocates_nothing_once_it_runs)
{
    counting_alloc counter;
    bsn_pool pool;
    bsn_out out;
    bsn_writer w;
    size_t requests = 0;
    counting_alloc_init(&counter);
    bsn_pool_init(&pool, &counter.alloc, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 4096);
    bsn_writer_init(&w, &out);
    for (int round = 0; round < 30; round++) {
        for (uint64_t seed = 1; seed <= 20; seed++) write_random(&w, seed);
        ck_assert_int_eq(bsn_writer_status(&w), BSN_OK);
        bsn_out_sent(&out, bsn_out_unsent(&out));
        if (round == 0) requests = counting_alloc_requests(&counter);
    }
    ck_assert_uint_eq(counting_alloc_requests(&counter), requests);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    counting_alloc_finish(&counter);
}
END_TEST

Suite *write_random_suite(void)
{
    Suite *suite = suite_create("write_random");
    TCase *tests = tcase_create("write_random");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, every_kind_of_output_and_a_rewrite_give_the_same_bytes);
    tcase_add_test(tests, a_refused_allocation_is_reported_and_leaks_nothing);
    tcase_add_test(tests, a_stream_of_documents_allocates_nothing_once_it_runs);
    suite_add_tcase(suite, tests);
    return suite;
}
