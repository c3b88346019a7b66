/* SPDX-License-Identifier: Apache-2.0
 *
 * test_buf.c -- the growing buffer: how it grows, what it refuses, and that a refusal changes nothing.
 */
#include "suites.h"
#include "support/failing_alloc.h"
#include "support/random.h"

#include <string.h>

static bsn_bytes span(const void *ptr, size_t len)
{
    const bsn_bytes bytes = {ptr, len};
    return bytes;
}

START_TEST(a_buffer_of_all_zeros_works)
{
    bsn_buf buf = {0};
    ck_assert_int_eq(bsn_buf_append(&buf, span("abc", 3)), BSN_OK);
    ck_assert_int_eq(bsn_buf_append(&buf, span(NULL, 0)), BSN_OK);
    ck_assert_uint_eq(bsn_buf_view(&buf).len, 3);
    ck_assert_mem_eq(bsn_buf_view(&buf).ptr, "abc", 3);
    bsn_buf_free(&buf);
    ck_assert_ptr_null(buf.ptr);
    ck_assert_uint_eq(buf.len, 0);
    ck_assert_uint_eq(buf.cap, 0);
}
END_TEST

START_TEST(init_and_small_requests_of_nothing_allocate_nothing)
{
    counting_alloc counter;
    bsn_buf buf;
    counting_alloc_init(&counter);
    bsn_buf_init(&buf, &counter.alloc);
    ck_assert_int_eq(bsn_buf_reserve(&buf, 0), BSN_OK);
    ck_assert_int_eq(bsn_buf_append(&buf, span(NULL, 0)), BSN_OK);
    bsn_buf_free(&buf);
    ck_assert_uint_eq(counting_alloc_requests(&counter), 0);
}
END_TEST

/* An allocator that refuses everything and remembers how much was asked for: sizes that no test may really take. */
typedef struct refusal {
    bsn_alloc alloc;
    size_t asked;
    size_t calls;
} refusal;

static void *refuse(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    refusal *refused = ctx;
    (void)ptr;
    (void)old_len;
    refused->asked = new_len;
    refused->calls++;
    return NULL;
}

typedef struct growth_row {
    const char *name;
    size_t len, cap, extra;
    bsn_status status;
    size_t asked; /* 0: the allocator is not called */
} growth_row;

#define GIB ((size_t)1 << 30)

static const growth_row growth_rows[] = {
    {"the first block", 0, 0, 1, BSN_E_NOMEM, 64},
    {"the first block, larger", 0, 0, 65, BSN_E_NOMEM, 65},
    {"there is room", 10, 64, 54, BSN_OK, 0},
    {"one more than there is", 10, 64, 55, BSN_E_NOMEM, 96},
    {"grows by half", 100, 100, 1, BSN_E_NOMEM, 150},
    {"to exactly what is needed when that is more", 100, 100, 51, BSN_E_NOMEM, 151},
    {"1.2 GiB at once", 0, 0, GIB + GIB / 5, BSN_E_NOMEM, GIB + GIB / 5},
    {"half more would overflow", (size_t)PTRDIFF_MAX - 10, (size_t)PTRDIFF_MAX - 10, 1, BSN_E_NOMEM,
     (size_t)PTRDIFF_MAX},
    {"the largest there can be", 1, 1, (size_t)PTRDIFF_MAX - 1, BSN_E_NOMEM, (size_t)PTRDIFF_MAX},
    {"one more than that", 1, 1, (size_t)PTRDIFF_MAX, BSN_E_SIZE, 0},
    {"the sum wraps", 16, 16, SIZE_MAX, BSN_E_SIZE, 0},
    {"the sum wraps to just nothing", 16, 16, SIZE_MAX - 15, BSN_E_SIZE, 0},
};

START_TEST(growth_asks_for_neither_too_little_nor_too_much)
{
    static uint8_t block[1]; /* nothing touches it: every request is refused */
    const growth_row *row = &growth_rows[_i];
    refusal refused = {{NULL, refuse}, 0, 0};
    refused.alloc.ctx = &refused;
    bsn_buf buf = {row->cap == 0 ? NULL : block, row->len, row->cap, &refused.alloc};
    ck_assert_msg(bsn_buf_reserve(&buf, row->extra) == row->status, "%s", row->name);
    ck_assert_msg(refused.asked == row->asked, "%s: asked for %zu", row->name, refused.asked);
    ck_assert_uint_eq(refused.calls, row->asked == 0 ? 0 : 1);
    ck_assert_uint_eq(buf.len, row->len);
    ck_assert_uint_eq(buf.cap, row->cap);
    ck_assert_ptr_eq(buf.ptr, row->cap == 0 ? NULL : block);
}
END_TEST

START_TEST(appends_keep_every_byte_and_cost_few_allocations)
{
    enum { BYTES = 100000 };
    counting_alloc counter;
    bsn_buf buf;
    test_random random = {1};
    counting_alloc_init(&counter);
    bsn_buf_init(&buf, &counter.alloc);
    while (buf.len < BYTES) {
        uint8_t piece[300];
        const size_t len = random_size_below(&random, sizeof piece);
        for (size_t i = 0; i < len; i++) piece[i] = (uint8_t)((buf.len + i) % 251);
        ck_assert_int_eq(bsn_buf_append(&buf, span(piece, len)), BSN_OK);
    }
    size_t wrong = 0;
    for (size_t i = 0; i < buf.len; i++) wrong += buf.ptr[i] != i % 251;
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_lt(counting_alloc_requests(&counter), 25); /* 64 * 1.5^19 > 100000 */
    bsn_buf_free(&buf);
    counting_alloc_finish(&counter);
}
END_TEST

static bsn_status append_thrice(const bsn_alloc *alloc)
{
    uint8_t bytes[100];
    bsn_buf buf;
    bsn_status status = BSN_OK;
    memset(bytes, 'x', sizeof bytes);
    bsn_buf_init(&buf, alloc);
    for (int i = 0; i < 3 && status == BSN_OK; i++) {
        const size_t len = buf.len;
        status = bsn_buf_append(&buf, span(bytes, sizeof bytes));
        ck_assert_uint_eq(buf.len, status == BSN_OK ? len + sizeof bytes : len);
        for (size_t j = 0; j < buf.len; j++) ck_assert_uint_eq(buf.ptr[j], 'x');
    }
    bsn_buf_free(&buf);
    return status;
}

START_TEST(a_refused_request_leaves_the_buffer_as_it_was)
{
    failing_alloc failing;
    failing_alloc_init(&failing);
    do {
        const bsn_status status = append_thrice(&failing.alloc);
        ck_assert_int_eq(status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
    } while (failing_alloc_again(&failing));
}
END_TEST

Suite *buf_suite(void)
{
    Suite *suite = suite_create("buf");
    TCase *tests = tcase_create("buf");
    tcase_add_test(tests, a_buffer_of_all_zeros_works);
    tcase_add_test(tests, init_and_small_requests_of_nothing_allocate_nothing);
    tcase_add_loop_test(tests, growth_asks_for_neither_too_little_nor_too_much, 0,
                        sizeof growth_rows / sizeof growth_rows[0]);
    tcase_add_test(tests, appends_keep_every_byte_and_cost_few_allocations);
    tcase_add_test(tests, a_refused_request_leaves_the_buffer_as_it_was);
    suite_add_tcase(suite, tests);
    return suite;
}
