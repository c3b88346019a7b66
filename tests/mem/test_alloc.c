/* SPDX-License-Identifier: Apache-2.0
 *
 * test_alloc.c -- the one way to memory: libc's, or the caller's with its context.
 */
#include "suites.h"
#include "support/counting_alloc.h"

#include <stdalign.h>
#include <string.h>

START_TEST(libc_serves_where_there_is_no_allocator)
{
    uint8_t *block = bsn_alloc_resize(NULL, NULL, 0, 10);
    ck_assert_ptr_nonnull(block);
    ck_assert_uint_eq((uintptr_t)block % alignof(max_align_t), 0);
    memcpy(block, "0123456789", 10);
    block = bsn_alloc_resize(NULL, block, 10, 100000);
    ck_assert_ptr_nonnull(block);
    ck_assert_mem_eq(block, "0123456789", 10);
    block = bsn_alloc_resize(NULL, block, 100000, 4);
    ck_assert_mem_eq(block, "0123", 4);
    ck_assert_ptr_null(bsn_alloc_resize(NULL, block, 4, 0));
}
END_TEST

START_TEST(freeing_nothing_gives_nothing)
{
    ck_assert_ptr_null(bsn_alloc_resize(NULL, NULL, 0, 0));
}
END_TEST

START_TEST(a_request_that_no_machine_can_serve_is_refused_and_keeps_the_block)
{
    uint8_t *block = bsn_alloc_resize(NULL, NULL, 0, 3);
    ck_assert_ptr_nonnull(block);
    memcpy(block, "abc", 3);
    const volatile size_t too_much = (size_t)PTRDIFF_MAX + 1; /* no libc has objects of that size */
    ck_assert_ptr_null(bsn_alloc_resize(NULL, block, 3, too_much));
    ck_assert_mem_eq(block, "abc", 3);
    bsn_alloc_resize(NULL, block, 3, 0);
}
END_TEST

typedef struct recorded_call {
    void *ptr;
    size_t old_len;
    size_t new_len;
} recorded_call;

static uint8_t recorded_result[1];

static void *record(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    recorded_call *call = ctx;
    call->ptr = ptr;
    call->old_len = old_len;
    call->new_len = new_len;
    return recorded_result;
}

START_TEST(the_callers_allocator_is_told_everything)
{
    recorded_call call;
    uint8_t block[8];
    const bsn_alloc alloc = {&call, record};
    ck_assert_ptr_eq(bsn_alloc_resize(&alloc, block, 8, 77), recorded_result);
    ck_assert_ptr_eq(call.ptr, block);
    ck_assert_uint_eq(call.old_len, 8);
    ck_assert_uint_eq(call.new_len, 77);
}
END_TEST

START_TEST(each_call_reaches_the_callers_allocator_once)
{
    counting_alloc counter;
    counting_alloc_init(&counter);
    void *block = bsn_alloc_resize(&counter.alloc, NULL, 0, 10);
    block = bsn_alloc_resize(&counter.alloc, block, 10, 20);
    bsn_alloc_resize(&counter.alloc, block, 20, 0);
    ck_assert_uint_eq(counter.allocations, 1);
    ck_assert_uint_eq(counter.resizes, 1);
    ck_assert_uint_eq(counter.frees, 1);
    counting_alloc_finish(&counter);
}
END_TEST

Suite *alloc_suite(void)
{
    Suite *suite = suite_create("alloc");
    TCase *tests = tcase_create("alloc");
    tcase_add_test(tests, libc_serves_where_there_is_no_allocator);
    tcase_add_test(tests, freeing_nothing_gives_nothing);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
    /* The sanitizer stops the program at such a size. */
    tcase_add_test(tests, a_request_that_no_machine_can_serve_is_refused_and_keeps_the_block);
#else
    (void)a_request_that_no_machine_can_serve_is_refused_and_keeps_the_block;
#endif
    tcase_add_test(tests, the_callers_allocator_is_told_everything);
    tcase_add_test(tests, each_call_reaches_the_callers_allocator_once);
    suite_add_tcase(suite, tests);
    return suite;
}
