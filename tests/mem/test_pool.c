/* SPDX-License-Identifier: Apache-2.0
 *
 * test_pool.c -- blocks in classes: taken, given back, kept within bounds, counted.
 */
#include "mem/poison.h"
#include "suites.h"
#include "support/failing_alloc.h"
#include "support/random.h"

#include <stdalign.h>
#include <string.h>

typedef struct class_row {
    size_t asked;
    bsn_status status;
    size_t size;
} class_row;

static const class_row class_rows[] = {
    {0, BSN_OK, 1024},
    {1, BSN_OK, 1024},
    {1024, BSN_OK, 1024},
    {1025, BSN_OK, 2048},
    {2048, BSN_OK, 2048},
    {65535, BSN_OK, 65536},
    {65536, BSN_OK, 65536},
    {65537, BSN_OK, 131072},
    {BSN_POOL_SIZE_MAX / 2 + 1, BSN_OK, BSN_POOL_SIZE_MAX},
    {BSN_POOL_SIZE_MAX, BSN_OK, BSN_POOL_SIZE_MAX},
    {BSN_POOL_SIZE_MAX + 1, BSN_E_SIZE, 0},
    {SIZE_MAX, BSN_E_SIZE, 0},
};

START_TEST(a_block_has_the_next_power_of_two)
{
    const class_row *row = &class_rows[_i];
    bsn_pool pool;
    bsn_block block = {NULL, 0};
    bsn_pool_init(&pool, NULL, 0);
    ck_assert_int_eq(bsn_pool_take(&pool, row->asked, &block), row->status);
    ck_assert_uint_eq(block.size, row->size);
    if (row->status == BSN_OK) {
        ck_assert_uint_eq((uintptr_t)block.ptr % alignof(max_align_t), 0);
        block.ptr[0] = 1;
        block.ptr[block.size - 1] = 1;
    }
    bsn_pool_give(&pool, &block);
    ck_assert_ptr_null(block.ptr);
    ck_assert_uint_eq(block.size, 0);
    bsn_pool_free(&pool);
}
END_TEST

START_TEST(the_block_given_back_last_is_taken_first)
{
    counting_alloc counter;
    bsn_pool pool;
    bsn_block a, b, c;
    counting_alloc_init(&counter);
    bsn_pool_init(&pool, &counter.alloc, SIZE_MAX);
    ck_assert_int_eq(bsn_pool_take(&pool, 5000, &a), BSN_OK);
    ck_assert_int_eq(bsn_pool_take(&pool, 5000, &b), BSN_OK);
    const uint8_t *const a_ptr = a.ptr;
    const uint8_t *const b_ptr = b.ptr;
    bsn_pool_give(&pool, &a);
    bsn_pool_give(&pool, &b);
    ck_assert_int_eq(bsn_pool_take(&pool, 8192, &c), BSN_OK);
    ck_assert_ptr_eq(c.ptr, b_ptr);
    ck_assert_int_eq(bsn_pool_take(&pool, 4097, &b), BSN_OK);
    ck_assert_ptr_eq(b.ptr, a_ptr);
    ck_assert_uint_eq(counting_alloc_requests(&counter), 2);
    bsn_pool_give(&pool, &b);
    bsn_pool_give(&pool, &c);
    bsn_pool_free(&pool);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(a_cleared_block_may_be_given_back_again)
{
    bsn_pool pool;
    bsn_block block = {NULL, 0};
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_pool_give(&pool, &block);
    ck_assert_int_eq(bsn_pool_take(&pool, 1, &block), BSN_OK);
    bsn_pool_give(&pool, &block);
    bsn_pool_give(&pool, &block);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_kept, 1024);
    bsn_pool_free(&pool);
}
END_TEST

START_TEST(no_more_than_the_cap_is_kept)
{
    counting_alloc counter;
    bsn_pool pool;
    bsn_block blocks[4];
    counting_alloc_init(&counter);
    bsn_pool_init(&pool, &counter.alloc, 3 * 1024);
    for (size_t i = 0; i < 4; i++) ck_assert_int_eq(bsn_pool_take(&pool, 1024, &blocks[i]), BSN_OK);
    for (size_t i = 0; i < 4; i++) bsn_pool_give(&pool, &blocks[i]);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_kept, 3 * 1024);
    ck_assert_uint_eq(counter.blocks_out, 3);
    ck_assert_int_eq(bsn_pool_take(&pool, 4096, &blocks[0]), BSN_OK);
    bsn_pool_give(&pool, &blocks[0]); /* over the cap by itself */
    ck_assert_uint_eq(counter.blocks_out, 3);
    bsn_pool_free(&pool);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(statistics_tell_what_happened)
{
    bsn_pool pool;
    bsn_block a, b;
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    ck_assert_int_eq(bsn_pool_take(&pool, 1024, &a), BSN_OK);
    ck_assert_int_eq(bsn_pool_take(&pool, 4096, &b), BSN_OK);
    bsn_pool_give(&pool, &b);
    ck_assert_int_eq(bsn_pool_take(&pool, 4000, &b), BSN_OK);
    bsn_pool_give(&pool, &b);
    const bsn_pool_stats stats = bsn_pool_get_stats(&pool);
    ck_assert_uint_eq(stats.takes, 3);
    ck_assert_uint_eq(stats.allocations, 2);
    ck_assert_uint_eq(stats.bytes_taken, 1024);
    ck_assert_uint_eq(stats.bytes_kept, 4096);
    ck_assert_uint_eq(stats.bytes_taken_max, 5120);
    bsn_pool_give(&pool, &a);
    bsn_pool_free(&pool);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_kept, 0);
}
END_TEST

START_TEST(trimming_frees_the_largest_first)
{
    bsn_pool pool;
    bsn_pool_init(&pool, NULL, 0);
    ck_assert_int_eq(bsn_pool_prealloc(&pool, 1024, 3), BSN_OK);
    ck_assert_int_eq(bsn_pool_prealloc(&pool, 8192, 2), BSN_OK);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_kept, 3 * 1024 + 2 * 8192);
    bsn_pool_trim(&pool, 3 * 1024 + 8192);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_kept, 3 * 1024 + 8192);
    bsn_pool_trim(&pool, 3 * 1024 + 8191);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_kept, 3 * 1024);
    bsn_pool_trim(&pool, SIZE_MAX);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_kept, 3 * 1024);
    bsn_pool_trim(&pool, 1);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_kept, 0);
    bsn_pool_free(&pool);
}
END_TEST

START_TEST(preallocated_blocks_are_taken_without_the_allocator)
{
    counting_alloc counter;
    bsn_pool pool;
    bsn_block blocks[5];
    counting_alloc_init(&counter);
    bsn_pool_init(&pool, &counter.alloc, 0); /* the cap is raised */
    ck_assert_int_eq(bsn_pool_prealloc(&pool, 4096, 2), BSN_OK);
    ck_assert_int_eq(bsn_pool_prealloc(&pool, 4096, 3), BSN_OK);
    ck_assert_int_eq(bsn_pool_prealloc(&pool, BSN_POOL_SIZE_MAX + 1, 1), BSN_E_SIZE);
    ck_assert_uint_eq(counting_alloc_requests(&counter), 5);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 5; i++)
            ck_assert_int_eq(bsn_pool_take(&pool, 4096, &blocks[i]), BSN_OK);
        for (size_t i = 0; i < 5; i++) bsn_pool_give(&pool, &blocks[i]);
    }
    ck_assert_uint_eq(counting_alloc_requests(&counter), 5);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).allocations, 0);
    bsn_pool_free(&pool);
    counting_alloc_finish(&counter);
}
END_TEST

#ifdef BSONIC_ASSERT
START_TEST(a_block_that_was_given_back_is_poisoned)
{
    bsn_pool pool;
    bsn_block block;
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    ck_assert_int_eq(bsn_pool_take(&pool, 1024, &block), BSN_OK);
    uint8_t *const view = block.ptr;
    memset(view, 1, 1024);
    bsn_pool_give(&pool, &block);
#ifdef BSNI_POISON_ADDRESSES
    ck_assert(__asan_address_is_poisoned(view + sizeof(void *)));
    ck_assert(__asan_address_is_poisoned(view + 1023));
#else
    for (size_t i = sizeof(void *); i < 1024; i++) ck_assert_uint_eq(view[i], BSNI_POISON_BYTE);
#endif
    ck_assert_int_eq(bsn_pool_take(&pool, 1024, &block), BSN_OK);
    memset(block.ptr, 2, 1024); /* addressable again, all of it */
    bsn_pool_give(&pool, &block);
    bsn_pool_free(&pool);
}
END_TEST
#endif

/* Takes, gives and trims at random; every block keeps what was written to it. */
START_TEST(blocks_that_are_out_never_overlap)
{
    enum { SLOTS = 24 };
    bsn_block blocks[SLOTS] = {{NULL, 0}};
    counting_alloc counter;
    bsn_pool pool;
    test_random random = {11};
    counting_alloc_init(&counter);
    bsn_pool_init(&pool, &counter.alloc, 20000);
    for (int step = 0; step < 3000; step++) {
        const size_t i = random_size_below(&random, SLOTS);
        if (blocks[i].ptr == NULL) {
            ck_assert_int_eq(bsn_pool_take(&pool, random_size_below(&random, 9000), &blocks[i]),
                             BSN_OK);
            memset(blocks[i].ptr, (int)i, blocks[i].size);
        } else {
            const size_t at = random_size_below(&random, blocks[i].size);
            ck_assert_uint_eq(blocks[i].ptr[0], i);
            ck_assert_uint_eq(blocks[i].ptr[at], i);
            ck_assert_uint_eq(blocks[i].ptr[blocks[i].size - 1], i);
            bsn_pool_give(&pool, &blocks[i]);
        }
        if (random_one_in(&random, 100)) bsn_pool_trim(&pool, random_size_below(&random, 20000));
        const bsn_pool_stats stats = bsn_pool_get_stats(&pool);
        ck_assert_uint_eq(stats.bytes_taken + stats.bytes_kept, counter.bytes_out);
        ck_assert_uint_le(stats.bytes_kept, 20000);
    }
    for (size_t i = 0; i < SLOTS; i++) bsn_pool_give(&pool, &blocks[i]);
    bsn_pool_free(&pool);
    counting_alloc_finish(&counter);
}
END_TEST

static bsn_status work(const bsn_alloc *alloc)
{
    bsn_pool pool;
    bsn_block a = {NULL, 0}, b = {NULL, 0};
    bsn_pool_init(&pool, alloc, SIZE_MAX);
    bsn_status status = bsn_pool_prealloc(&pool, 2048, 2);
    if (status == BSN_OK) status = bsn_pool_take(&pool, 2048, &a);
    if (status == BSN_OK) status = bsn_pool_take(&pool, 4096, &b);
    bsn_pool_give(&pool, &a);
    bsn_pool_give(&pool, &b);
    bsn_pool_free(&pool);
    return status;
}

START_TEST(a_refused_request_leaks_nothing)
{
    failing_alloc failing;
    size_t rounds = 0;
    failing_alloc_init(&failing);
    do {
        const bsn_status status = work(&failing.alloc);
        ck_assert_int_eq(status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
        rounds++;
    } while (failing_alloc_again(&failing));
    ck_assert_uint_eq(rounds, 4);
}
END_TEST

Suite *pool_suite(void)
{
    Suite *suite = suite_create("pool");
    TCase *tests = tcase_create("pool");
    tcase_add_loop_test(tests, a_block_has_the_next_power_of_two, 0,
                        sizeof class_rows / sizeof class_rows[0]);
    tcase_add_test(tests, the_block_given_back_last_is_taken_first);
    tcase_add_test(tests, a_cleared_block_may_be_given_back_again);
    tcase_add_test(tests, no_more_than_the_cap_is_kept);
    tcase_add_test(tests, statistics_tell_what_happened);
    tcase_add_test(tests, trimming_frees_the_largest_first);
    tcase_add_test(tests, preallocated_blocks_are_taken_without_the_allocator);
#ifdef BSONIC_ASSERT
    tcase_add_test(tests, a_block_that_was_given_back_is_poisoned);
#endif
    tcase_add_test(tests, blocks_that_are_out_never_overlap);
    tcase_add_test(tests, a_refused_request_leaks_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
