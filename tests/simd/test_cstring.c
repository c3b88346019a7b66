/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cstring.c -- every tier's cstring against the reference, beside unmapped pages.
 */
#define VEC_BYTES 0
#include "suites.h"

#include "simd/k_cstring.h"
#include "simd/simd.h"
#include "simd/tiers.h"
#include "support/guard_page.h"
#include "support/random.h"

#include <string.h>

enum { LEN_MAX = 200, ABOVE_MAX = 64, LEN_SHORT = 80 };

/* 0x80 and 0x01 are what a word's borrow or sign makes of a zero byte's neighbours. */
static const uint8_t fills[] = {0x80, 0x01, 0xFF, 0x7F};

static void check_one(const bsn_kernels *kernels, const uint8_t *p, size_t n, size_t expected)
{
    const size_t found = kernels->cstring(p, n);
    if (found != expected)
        ck_abort_msg("%s: %zu of %zu bytes: found %zu", kernels->tier, expected, n, found);
}

/* A zero at every position, and none. */
static void check_positions(const bsn_kernels *kernels, uint8_t *p, size_t n, uint8_t fill)
{
    memset(p, fill, n);
    check_one(kernels, p, n, n);
    for (size_t i = 0; i < n; i++) {
        p[i] = 0;
        check_one(kernels, p, n, i);
        p[i] = fill;
    }
}

START_TEST(reference_finds_the_first_zero)
{
    ck_assert_uint_eq(cstring_ref(NULL, 0), 0);
    ck_assert_uint_eq(cstring_ref((const uint8_t *)"abc", 3), 3);
    ck_assert_uint_eq(cstring_ref((const uint8_t *)"abc", 4), 3);
    ck_assert_uint_eq(cstring_ref((const uint8_t *)"\0b", 3), 0);
}
END_TEST

START_TEST(zero_is_found_where_the_bytes_end_at_an_unmapped_page)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    guard_area area;
    guard_open(&area, LEN_MAX);
    for (size_t fill = 0; fill < sizeof fills; fill++) {
        for (size_t n = 0; n <= LEN_MAX; n++) {
            check_positions(kernels, guard_at_end(&area, NULL, n), n, fills[fill]);
        }
    }
    guard_close(&area);
}
END_TEST

START_TEST(zero_is_found_where_the_bytes_start_behind_an_unmapped_page)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    guard_area area;
    guard_open(&area, LEN_MAX + ABOVE_MAX);
    for (size_t above = 0; above < ABOVE_MAX; above++) {
        for (size_t n = 0; n <= LEN_SHORT; n++) {
            check_positions(kernels, guard_at_start(&area, NULL, LEN_MAX + ABOVE_MAX) + above, n,
                            0x80);
        }
    }
    guard_close(&area);
}
END_TEST

START_TEST(what_lies_behind_the_bytes_does_not_matter)
{
    static const uint8_t slacks[] = {0, 0xFF, 0x80};
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    uint8_t bytes[LEN_MAX + 64];
    for (size_t slack = 0; slack < sizeof slacks; slack++) {
        for (size_t n = 0; n <= LEN_MAX; n++) {
            memset(bytes, slacks[slack], sizeof bytes);
            check_positions(kernels, bytes, n, 0x61);
        }
    }
}
END_TEST

START_TEST(random_bytes_give_what_the_reference_gives)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    static const uint8_t edges[] = {0x00, 0x01, 0x80, 0x81, 0x7F, 0xFF};
    test_random random = {1};
    uint8_t bytes[LEN_MAX];
    for (size_t round = 0; round < 20000; round++) {
        const size_t n = random_below(&random, LEN_MAX);
        for (size_t i = 0; i < n; i++) {
            const bool plain = random_below(&random, 16) != 0;
            bytes[i] = plain ? 0x61 : edges[random_below(&random, sizeof edges)];
        }
        check_one(kernels, bytes, n, cstring_ref(bytes, n));
    }
}
END_TEST

START_TEST(nothing_has_no_zero)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels != NULL) ck_assert_uint_eq(kernels->cstring(NULL, 0), 0);
}
END_TEST

START_TEST(the_chosen_tier_is_the_best_that_runs)
{
    const char *before = bsni_kernels()->tier;
    size_t best = 0;
    while (!bsni_tiers[best].runs()) best++;
    ck_assert_ptr_eq(bsni_kernels_choose(), bsni_tiers[best].kernels);
    ck_assert_ptr_eq(bsni_kernels(), bsni_tiers[best].kernels);
    ck_assert(bsni_tier_force(before));
    ck_assert(bsni_tiers[bsni_tier_count - 1].runs());
    ck_assert_uint_eq(bsni_cstring((const uint8_t *)"ab\0c", 5), 2);
}
END_TEST

START_TEST(every_tier_that_runs_can_be_forced_and_no_other)
{
    const char *before = bsni_kernels()->tier;
    for (size_t i = 0; i < bsni_tier_count; i++) {
        const bsn_kernels *kernels = bsni_tiers[i].kernels;
        ck_assert(bsni_tier_force(kernels->tier) == bsni_tiers[i].runs());
        if (!bsni_tiers[i].runs()) continue;
        ck_assert_ptr_eq(bsni_kernels(), kernels);
        ck_assert_str_eq(bsn_tier(), kernels->tier);
    }
    ck_assert(!bsni_tier_force("v1"));
    ck_assert(bsni_tier_force(before));
}
END_TEST

Suite *cstring_suite(void)
{
    Suite *suite = suite_create("cstring");
    TCase *tests = tcase_create("cstring");
    tcase_add_test(tests, reference_finds_the_first_zero);
    ADD_TIER_TEST(tests, zero_is_found_where_the_bytes_end_at_an_unmapped_page);
    ADD_TIER_TEST(tests, zero_is_found_where_the_bytes_start_behind_an_unmapped_page);
    ADD_TIER_TEST(tests, what_lies_behind_the_bytes_does_not_matter);
    ADD_TIER_TEST(tests, random_bytes_give_what_the_reference_gives);
    ADD_TIER_TEST(tests, nothing_has_no_zero);
    tcase_add_test(tests, the_chosen_tier_is_the_best_that_runs);
    tcase_add_test(tests, every_tier_that_runs_can_be_forced_and_no_other);
    tcase_set_timeout(tests, 120);
    suite_add_tcase(suite, tests);
    return suite;
}
