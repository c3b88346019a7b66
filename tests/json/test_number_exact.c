/* SPDX-License-Identifier: Apache-2.0
 *
 * test_number_exact.c -- numbers at, just above and just below the middle between two doubles, made here by plain decimal
 * arithmetic; and numbers of very many digits.
 */
#include "suites.h"

#include "support/number_check.h"
#include "support/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A whole number in decimal, nine digits a limb, lowest first. */
typedef struct long_decimal {
    uint32_t limbs[140];
    size_t count;
} long_decimal;

static void multiply(long_decimal *x, uint32_t factor)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < x->count; i++) {
        carry += (uint64_t)x->limbs[i] * factor;
        x->limbs[i] = (uint32_t)(carry % 1000000000);
        carry /= 1000000000;
    }
    if (carry != 0) x->limbs[x->count++] = (uint32_t)carry;
}

#define MIDDLE_TEXT_MAX 1300

/* Writes the number (m + 1/2) * 2^q, exactly: its digits in full, and an exponent left open. Returns the exponent. */
static int middle_digits(uint64_t m, int q, char *text)
{
    long_decimal x = {{0}, 0};
    for (uint64_t rest = 2 * m + 1; rest != 0; rest /= 1000000000)
        x.limbs[x.count++] = (uint32_t)(rest % 1000000000);
    for (int i = 0; i < q - 1; i++) multiply(&x, 2);
    for (int i = 0; i > q - 1; i--) multiply(&x, 5);
    int len = snprintf(text, MIDDLE_TEXT_MAX, "%" PRIu32, x.limbs[x.count - 1]);
    for (size_t i = x.count - 1; i > 0; i--) {
        len += snprintf(text + len, (size_t)(MIDDLE_TEXT_MAX - len), "%09" PRIu32, x.limbs[i - 1]);
    }
    return q < 1 ? q - 1 : 0;
}

/* The middle between m * 2^q and (m + 1) * 2^q, m < 2^53, rounds to the even one; a digit 1 far behind makes it the upper, one
 * less in its last digit the lower. */
static void check_middle(uint64_t m, int q)
{
    static const char zeros[] = "00000000000000000000000000000000000000000000000000";
    char digits[MIDDLE_TEXT_MAX];
    char text[2 * MIDDLE_TEXT_MAX];
    const int exponent = middle_digits(m, q, digits);
    const double below = ldexp((double)m, q);
    const double above = ldexp((double)(m + 1), q);

    size_t len = (size_t)snprintf(text, sizeof text, "%se%d", digits, exponent);
    check_reads((bsn_str){text, len}, m % 2 == 0 ? below : above);
    len = (size_t)snprintf(text, sizeof text, "%s.%s1e%d", digits, zeros, exponent);
    check_reads((bsn_str){text, len}, above);
    len = (size_t)snprintf(text, sizeof text, "%c.%s%s%s%s1e%d", digits[0], digits + 1, zeros,
                           zeros, zeros, exponent + (int)strlen(digits) - 1);
    check_reads((bsn_str){text, len}, above);
    size_t last = strlen(digits) - 1;
    for (; digits[last] == '0'; last--) digits[last] = '9';
    digits[last]--;
    len = (size_t)snprintf(text, sizeof text, "%s.9999999999999999999999e%d", digits, exponent);
    check_reads((bsn_str){text, len}, below);
}

START_TEST(middles_between_doubles_of_every_exponent_go_to_the_even_one)
{
    test_random random = {6};
    for (int q = -1074; q <= 971; q += RANDOM_ROUNDS(50) == 50 ? 1 : 7) {
        const uint64_t least = (uint64_t)1 << 52;
        check_middle(least, q);
        check_middle(2 * least - 2, q);
        if (q < 971) check_middle(2 * least - 1, q);
        for (int i = 0; i < 4; i++) check_middle(least | (random_u64(&random) >> 12), q);
    }
}
END_TEST

START_TEST(middles_between_subnormal_doubles_go_to_the_even_one)
{
    test_random random = {7};
    for (uint64_t m = 0; m < 10; m++) check_middle(m, -1074);
    for (unsigned bit = 0; bit < 53; bit++) {
        check_middle(((uint64_t)1 << bit) - 1, -1074);
        check_middle((uint64_t)1 << bit, -1074);
        check_middle(random_u64(&random) >> (63 - bit), -1074);
    }
}
END_TEST

/* Digits by the million, which must cost one pass: a quadratic method would take minutes. */
START_TEST(a_million_digits_take_one_pass)
{
    enum { MILLION = 1000000 };
    char *text = malloc(MILLION + 64);
    ck_assert_ptr_nonnull(text);
    memset(text, '0', MILLION + 64);

    text[1] = '.'; /* 0.000..01e999999 */
    text[MILLION] = '1';
    size_t len = MILLION + 1 + (size_t)snprintf(text + MILLION + 1, 32, "e%d", MILLION - 1);
    check_reads((bsn_str){text, len}, 1.0);

    memset(text, '0', MILLION + 64);
    text[0] = '1'; /* 1000..0e-999999 */
    len = MILLION + (size_t)snprintf(text + MILLION, 32, "e-%d", MILLION - 1);
    check_reads((bsn_str){text, len}, 1.0);

    memset(text, '9', MILLION);
    len = MILLION + (size_t)snprintf(text + MILLION, 32, "e-%d", MILLION);
    check_reads((bsn_str){text, len}, 1.0);

    memset(text, '0', MILLION); /* 9007199254740993000..01, just above a middle */
    memcpy(text, "9007199254740993.", 17);
    text[MILLION - 1] = '1';
    check_reads((bsn_str){text, MILLION}, 9007199254740994.0);
    text[MILLION - 1] = '0';
    check_reads((bsn_str){text, MILLION}, 9007199254740992.0);
    free(text);
}
END_TEST

Suite *number_exact_suite(void)
{
    Suite *suite = suite_create("number_exact");
    TCase *tests = tcase_create("number_exact");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, middles_between_doubles_of_every_exponent_go_to_the_even_one);
    tcase_add_test(tests, middles_between_subnormal_doubles_go_to_the_even_one);
    tcase_add_test(tests, a_million_digits_take_one_pass);
    suite_add_tcase(suite, tests);
    return suite;
}
