/* SPDX-License-Identifier: Apache-2.0
 *
 * test_support.c -- what the other tests stand on: guard pages that guard, allocators that count and refuse, hex.
 */
#include "suites.h"
#include "support/failing_alloc.h"
#include "support/guard_page.h"
#include "support/hex.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct hex_row {
    const char *text;
    const char *bytes;
    size_t len;
    const char *printed;
} hex_row;

static const hex_row hex_rows[] = {
    {"", "", 0, ""},
    {"00", "\0", 1, "00"},
    {"0aF9", "\x0A\xF9", 2, "0A F9"},
    {" 05 00\n00 00 00 ", "\x05\0\0\0\0", 5, "05 00 00 00 00"},
    {"01 02 03 04 05 06 07", "\1\2\3\4\5\6\7", 7, "01 02 03 04..."},
};

START_TEST(hex_reads_and_prints)
{
    const hex_row *row = &hex_rows[_i];
    hex_bytes bytes = hex_read(row->text);
    ck_assert_uint_eq(bytes.len, row->len);
    if (row->len != 0) ck_assert_mem_eq(bytes.ptr, row->bytes, row->len);
    char printed[16];
    ck_assert_str_eq(hex_print(hex_span(&bytes), printed, sizeof printed), row->printed);
    hex_free(&bytes);
}
END_TEST

/* Runs one read in a child process, which must not come back from it: a sanitizer's report or a signal ends it. */
static bool read_stops_the_process(const uint8_t *at)
{
    fflush(NULL);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        close(STDERR_FILENO);
        const volatile uint8_t *watched = at;
        const uint8_t byte = *watched;
        (void)byte;
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

START_TEST(bytes_at_the_end_stand_before_a_page_that_stops_reads)
{
    guard_area area;
    guard_open(&area, 100);
    const uint8_t *at = guard_at_end(&area, "abc", 3);
    ck_assert_mem_eq(at, "abc", 3);
    ck_assert_uint_eq(at[-1], 0xA5);
    ck_assert(!read_stops_the_process(at + 2));
    ck_assert(read_stops_the_process(at + 3));
    guard_close(&area);
}
END_TEST

START_TEST(bytes_at_the_start_stand_behind_a_page_that_stops_reads)
{
    guard_area area;
    guard_open(&area, 5000);
    const uint8_t *at = guard_at_start(&area, "abc", 3);
    ck_assert_mem_eq(at, "abc", 3);
    ck_assert_uint_eq(at[3], 0xA5);
    ck_assert(!read_stops_the_process(at));
    ck_assert(read_stops_the_process(at - 1));
    guard_close(&area);
}
END_TEST

START_TEST(counting_allocator_counts_and_keeps_contents)
{
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_alloc *alloc = &counter.alloc;
    uint8_t *block = alloc->resize(alloc->ctx, NULL, 0, 10);
    ck_assert_ptr_nonnull(block);
    ck_assert_uint_eq((uintptr_t)block % _Alignof(max_align_t), 0);
    memcpy(block, "0123456789", 10);
    block = alloc->resize(alloc->ctx, block, 10, 20);
    ck_assert_mem_eq(block, "0123456789", 10);
    block = alloc->resize(alloc->ctx, block, 20, 5);
    ck_assert_mem_eq(block, "01234", 5);
    ck_assert_uint_eq(counter.blocks_out, 1);
    ck_assert_uint_eq(counter.bytes_out, 5);
    ck_assert_uint_ge(counter.bytes_out_max, 20);
    ck_assert_ptr_null(alloc->resize(alloc->ctx, block, 5, 0));
    ck_assert_ptr_null(alloc->resize(alloc->ctx, NULL, 0, 0));
    ck_assert_uint_eq(counter.allocations, 1);
    ck_assert_uint_eq(counting_alloc_requests(&counter), 3);
    ck_assert_uint_eq(counter.frees, 1);
    counting_alloc_finish(&counter);
}
END_TEST

/* Takes two blocks; gives back the first when the second is refused. */
static bsn_status take_two(const bsn_alloc *alloc)
{
    void *first = alloc->resize(alloc->ctx, NULL, 0, 8);
    if (first == NULL) return BSN_E_NOMEM;
    void *second = alloc->resize(alloc->ctx, NULL, 0, 8);
    if (second != NULL) alloc->resize(alloc->ctx, second, 8, 0);
    alloc->resize(alloc->ctx, first, 8, 0);
    return second == NULL ? BSN_E_NOMEM : BSN_OK;
}

START_TEST(failing_allocator_refuses_each_request_once)
{
    failing_alloc failing;
    failing_alloc_init(&failing);
    size_t rounds = 0;
    do {
        const bsn_status status = take_two(&failing.alloc);
        ck_assert_int_eq(status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
        rounds++;
    } while (failing_alloc_again(&failing));
    ck_assert_uint_eq(rounds, 3);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("support");
    TCase *tests = tcase_create("support");
    tcase_add_loop_test(tests, hex_reads_and_prints, 0, sizeof hex_rows / sizeof hex_rows[0]);
    tcase_add_test(tests, bytes_at_the_end_stand_before_a_page_that_stops_reads);
    tcase_add_test(tests, bytes_at_the_start_stand_behind_a_page_that_stops_reads);
    tcase_add_test(tests, counting_allocator_counts_and_keeps_contents);
    tcase_add_test(tests, failing_allocator_refuses_each_request_once);
    suite_add_tcase(suite, tests);
    return suite;
}
