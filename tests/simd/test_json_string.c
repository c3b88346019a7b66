/* SPDX-License-Identifier: Apache-2.0
 *
 * test_json_string.c -- the kernel json_string: every tier gives what the reference gives, at every length, with what stops it at
 * every place, and touches nothing but its input and the room it was promised.
 */
#define VEC_BYTES 0
#include "suites.h"

#include "simd/k_json_string.h"
#include "simd/tiers.h"
#include "support/expect.h"
#include "support/guard_page.h"
#include "support/random.h"

#define LEN_MAX 1600
#define SHORT_MAX 200
#define ROOM(len) ((len) + 32)

static guard_area input, output;

static void open_areas(void)
{
    guard_open(&input, LEN_MAX);
    guard_open(&output, ROOM(LEN_MAX));
}

static void close_areas(void)
{
    guard_close(&input);
    guard_close(&output);
}

static void check_once(const bsn_kernels *kernels, const uint8_t *p, size_t len, uint8_t *out)
{
    uint8_t expected[ROOM(LEN_MAX)];
    bool expected_ascii = true, ascii = true, stays_false = false;
    const size_t expected_len = json_string_ref(p, len, expected, &expected_ascii);
    EXPECT(kernels->json_string(p, len, out, &ascii) == expected_len, "%s, %zu bytes",
           kernels->tier, len);
    EXPECT(ascii == expected_ascii, "%s, %zu bytes", kernels->tier, len);
    EXPECT(memcmp(out, expected, expected_len) == 0, "%s, %zu bytes", kernels->tier, len);
    EXPECT(kernels->json_string(p, len, out, &stays_false) == expected_len && !stays_false,
           "%s, %zu bytes", kernels->tier, len);
}

/* Once with both ends flush with a guard page, once with both starts. */
static void check_both_ends(const bsn_kernels *kernels, const uint8_t *text, size_t len)
{
    check_once(kernels, guard_at_end(&input, text, len), len,
               guard_at_end(&output, NULL, ROOM(len)));
    check_once(kernels, guard_at_start(&input, text, len), len,
               guard_at_start(&output, NULL, ROOM(len)));
}

START_TEST(every_length_and_every_place)
{
    static const uint8_t sought[] = {0x00, 0x1F, '"', '\\', '\n'};
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    uint8_t text[LEN_MAX];
    memset(text, 'a', sizeof text);
    for (size_t len = 0; len <= SHORT_MAX; len += len < 80 ? 1 : 13) {
        check_both_ends(kernels, text, len);
        for (size_t at = 0; at < len; at++) {
            text[at] = sought[(at + len) % sizeof sought];
            check_both_ends(kernels, text, len);
            text[at] = 'a';
        }
    }
}
END_TEST

START_TEST(every_byte)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    for (size_t at = 0; at < 70; at += 3) {
        for (unsigned byte = 0; byte <= 0xFF; byte++) {
            uint8_t text[70];
            memset(text, ' ', sizeof text);
            text[at] = (uint8_t)byte;
            check_both_ends(kernels, text, sizeof text);
        }
    }
}
END_TEST

/* The edges on both sides of what stops it, thrown together; bytes that are not ASCII in front of the end and behind it. */
START_TEST(mixtures)
{
    static const uint8_t edges[] = {0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D,
                                    0x7F, 0x80, 0xFF, 'a',  'a',  'a',  'a',  'a',  'a'};
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    test_random random = {1};
    for (size_t round = 0; round < 8000; round++) {
        uint8_t text[SHORT_MAX];
        const size_t len = round % (SHORT_MAX + 1);
        const uint32_t first = round % 2 == 0 ? 9 : 0; /* plain bytes alone */
        for (size_t i = 0; i < len; i++) {
            text[i] = edges[first + random_below(&random, (uint32_t)sizeof edges - first)];
        }
        if (len != 0 && round % 4 == 0) text[random_size_below(&random, len)] = '"';
        check_both_ends(kernels, text, len);
    }
}
END_TEST

/* Where the output begins and where the text ends, every distance from a whole vector; stopped and not, ASCII and not. */
START_TEST(long_text)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    test_random random = {2};
    uint8_t text[LEN_MAX];
    for (size_t round = 0; round < 2000; round++) {
        const size_t len = 1000 + round % (LEN_MAX - 1000 + 1);
        memset(text, 'a', sizeof text);
        if (round % 3 != 0) text[random_size_below(&random, len)] = '"';
        if (round % 5 != 0) text[random_size_below(&random, len)] = 0x80;
        check_both_ends(kernels, text, len);
    }
}
END_TEST

Suite *json_string_suite(void)
{
    Suite *suite = suite_create("json_string");
    TCase *tests = tcase_create("json_string");
    tcase_add_checked_fixture(tests, open_areas, close_areas);
    ADD_TIER_TEST(tests, every_length_and_every_place);
    ADD_TIER_TEST(tests, every_byte);
    ADD_TIER_TEST(tests, mixtures);
    ADD_TIER_TEST(tests, long_text);
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    return suite;
}
