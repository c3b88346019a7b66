/* SPDX-License-Identifier: Apache-2.0
 *
 * test_hex.c -- the kernels hex_encode and hex_decode: every tier gives what the reference gives, at every length, and touches
 * nothing but its input and output.
 */
#define VEC_BYTES 0
#include "suites.h"

#include "simd/k_hex.h"
#include "simd/tiers.h"
#include "support/guard_page.h"
#include "support/random.h"

#include <string.h>

enum { LEN_MAX = 70 };

static guard_area bytes_area, text_area;

static void open_areas(void)
{
    guard_open(&bytes_area, LEN_MAX);
    guard_open(&text_area, 2 * LEN_MAX);
}

static void close_areas(void)
{
    guard_close(&bytes_area);
    guard_close(&text_area);
}

/* Where a span of the area may lie: against the page before it, or the page behind it. */
static uint8_t *place(guard_area *area, const void *bytes, size_t len, bool at_end)
{
    return at_end ? guard_at_end(area, bytes, len) : guard_at_start(area, bytes, len);
}

START_TEST(reference_writes_and_reads_digits)
{
    uint8_t text[8], bytes[4];
    hex_encode_ref((const uint8_t *)"\x00\x9A\xBC\xFF", 4, text);
    ck_assert_mem_eq(text, "009abcff", 8);
    ck_assert(hex_decode_ref((const uint8_t *)"009aBcFf", 4, bytes));
    ck_assert_mem_eq(bytes, "\x00\x9A\xBC\xFF", 4);
    ck_assert(!hex_decode_ref((const uint8_t *)"0g", 1, bytes));
}
END_TEST

START_TEST(every_length_is_written_as_the_reference_writes_it)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    test_random random = {11};
    for (size_t n = 0; n <= LEN_MAX; n++) {
        uint8_t bytes[LEN_MAX], expected[2 * LEN_MAX];
        for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)random_below(&random, 256);
        hex_encode_ref(bytes, n, expected);
        for (int at_end = 0; at_end < 2; at_end++) {
            uint8_t *out = place(&text_area, NULL, 2 * n, at_end);
            kernels->hex_encode(place(&bytes_area, bytes, n, at_end), n, out);
            ck_assert_mem_eq(out, expected, 2 * n);
        }
    }
}
END_TEST

START_TEST(every_length_is_read_back_in_either_case)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    test_random random = {12};
    for (size_t n = 0; n <= LEN_MAX; n++) {
        uint8_t bytes[LEN_MAX], text[2 * LEN_MAX];
        for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)random_below(&random, 256);
        hex_encode_ref(bytes, n, text);
        for (size_t i = 0; i < 2 * n; i++) {
            if (text[i] >= 'a' && random_below(&random, 2) == 0)
                text[i] = (uint8_t)(text[i] - 'a' + 'A');
        }
        for (int at_end = 0; at_end < 2; at_end++) {
            uint8_t *out = place(&bytes_area, NULL, n, at_end);
            ck_assert(kernels->hex_decode(place(&text_area, text, 2 * n, at_end), n, out));
            ck_assert_mem_eq(out, bytes, n);
        }
    }
}
END_TEST

START_TEST(every_byte_at_every_place_is_a_digit_or_refused)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    uint8_t text[48], out[24];
    memset(text, '7', sizeof text);
    for (size_t n = 1; n <= sizeof out; n++) {
        for (size_t at = 0; at < 2 * n; at++) {
            for (unsigned byte = 0; byte < 256; byte++) {
                text[at] = (uint8_t)byte;
                if (kernels->hex_decode(text, n, out) != hex_decode_ref(text, n, out)) {
                    ck_abort_msg("%s: %02X at %zu of %zu", kernels->tier, byte, at, 2 * n);
                }
            }
            text[at] = '7';
        }
    }
}
END_TEST

Suite *hex_suite(void)
{
    Suite *suite = suite_create("hex");
    TCase *tests = tcase_create("hex");
    tcase_add_checked_fixture(tests, open_areas, close_areas);
    tcase_add_test(tests, reference_writes_and_reads_digits);
    ADD_TIER_TEST(tests, every_length_is_written_as_the_reference_writes_it);
    ADD_TIER_TEST(tests, every_length_is_read_back_in_either_case);
    ADD_TIER_TEST(tests, every_byte_at_every_place_is_a_digit_or_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
