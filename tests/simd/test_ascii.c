/* SPDX-License-Identifier: Apache-2.0
 *
 * test_ascii.c -- short texts that are ASCII or not, at every place in front of an unmapped page.
 */
#include "suites.h"

#include "simd/ascii.h"
#include "support/guard_page.h"

#include <string.h>

enum { WINDOW_MAX = 64, SIZE = 3 * WINDOW_MAX };

/* Looks at a text of each length that starts at `at`, everything around it not ASCII; then with each byte of it not ASCII. */
static void check_place(uint8_t *bytes, size_t at, size_t window)
{
    const uint8_t *limit = bytes + SIZE;
    for (size_t len = 0; len < window && at + len <= SIZE; len++) {
        memset(bytes, 0x80, SIZE);
        if (len > 0) memset(bytes + at, 0x7F, len);
        ck_assert_msg(bsni_ascii_short(bytes + at, len, window, limit), "%zu bytes at %zu", len,
                      at);
        for (size_t i = 0; i < len; i++) {
            bytes[at + i] = i % 2 == 0 ? 0x80 : 0xFF;
            ck_assert_msg(!bsni_ascii_short(bytes + at, len, window, limit),
                          "byte %zu of %zu bytes at %zu", i, len, at);
            bytes[at + i] = 0x00;
        }
    }
}

START_TEST(only_bytes_of_the_text_count_wherever_it_stands)
{
    static const size_t windows[] = {16, 32, WINDOW_MAX};
    guard_area area;
    guard_open(&area, SIZE);
    uint8_t *bytes = guard_at_end(&area, NULL, SIZE);
    for (size_t at = 0; at < SIZE; at += at < SIZE - windows[_i] - 4 ? 31 : 1)
        check_place(bytes, at, windows[_i]);
    guard_close(&area);
}
END_TEST

START_TEST(no_byte_is_read_in_front_of_a_document_of_one_window)
{
    guard_area area;
    guard_open(&area, WINDOW_MAX);
    uint8_t text[WINDOW_MAX];
    memset(text, 'a', sizeof text);
    const uint8_t *start = guard_at_start(&area, text, sizeof text);
    for (size_t at = 0; at < sizeof text; at++) {
        ck_assert(bsni_ascii_short(start + at, sizeof text - at - (at == 0), WINDOW_MAX,
                                   start + sizeof text));
    }
    guard_close(&area);
}
END_TEST

Suite *ascii_suite(void)
{
    Suite *suite = suite_create("ascii");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, only_bytes_of_the_text_count_wherever_it_stands, 0, 3);
    tcase_add_test(tcase, no_byte_is_read_in_front_of_a_document_of_one_window);
    suite_add_tcase(suite, tcase);
    return suite;
}
