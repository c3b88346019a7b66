/* SPDX-License-Identifier: Apache-2.0
 *
 * test_wide.c -- 128-bit products and outermost bits, in the form the compiler has and in plain C.
 */
#include "suites.h"

#include "base/wide.h"
#include "support/expect.h"
#include "support/random.h"

#include <inttypes.h>

/* a * b bit by bit. */
static bsni_u128 product_by_bits(uint64_t a, uint64_t b)
{
    bsni_u128 sum = {0, 0};
    for (int bit = 63; bit >= 0; bit--) {
        sum.high = sum.high << 1 | sum.low >> 63;
        sum.low <<= 1;
        if ((b >> bit & 1) == 0) continue;
        sum.low += a;
        sum.high += sum.low < a;
    }
    return sum;
}

static void check_product(uint64_t a, uint64_t b)
{
    const bsni_u128 expected = product_by_bits(a, b);
    const bsni_u128 plain = bsni_mul_plain(a, b);
    const bsni_u128 product = bsni_mul(a, b);
    EXPECT(plain.high == expected.high && plain.low == expected.low, "%" PRIx64 " * %" PRIx64, a,
           b);
    EXPECT(product.high == expected.high && product.low == expected.low, "%" PRIx64 " * %" PRIx64,
           a, b);
}

START_TEST(products_have_all_their_bits)
{
    static const uint64_t edges[] = {
        0, 1, 2, 0xFFFFFFFFu, 0x100000000u, 0x100000001u, (uint64_t)1 << 63, UINT64_MAX};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        for (size_t j = 0; j < sizeof edges / sizeof edges[0]; j++)
            check_product(edges[i], edges[j]);
    }
    test_random random = {10};
    for (int i = 0; i < RANDOM_ROUNDS(1000000); i++) {
        const uint64_t a = random_of_any_size(&random);
        check_product(a, random_of_any_size(&random));
    }
}
END_TEST

START_TEST(outermost_bits_are_found_whatever_lies_inside)
{
    test_random random = {11};
    for (unsigned low = 0; low < 64; low++) {
        for (unsigned high = low; high < 64; high++) {
            const uint64_t inside =
                random_u64(&random) & (((uint64_t)1 << high) - 1) & ~(((uint64_t)1 << low) - 1);
            const uint64_t x = (uint64_t)1 << high | (uint64_t)1 << low | inside;
            EXPECT(bsni_leading_zeros(x) == 63 - high, "%" PRIx64, x);
            EXPECT(bsni_leading_zeros_plain(x) == 63 - high, "%" PRIx64, x);
            EXPECT(bsni_trailing_zeros(x) == low, "%" PRIx64, x);
        }
    }
}
END_TEST

/* *x / divisor bit by bit. */
static uint32_t divide_by_bits(bsni_u128 *x, uint32_t divisor)
{
    uint64_t rest = 0;
    for (int bit = 127; bit >= 0; bit--) {
        uint64_t *word = bit >= 64 ? &x->high : &x->low;
        const uint64_t place = (uint64_t)1 << (bit & 63);
        rest = rest << 1 | (*word & place) >> (bit & 63);
        *word = rest >= divisor ? *word | place : *word & ~place;
        if (rest >= divisor) rest -= divisor;
    }
    return (uint32_t)rest;
}

START_TEST(quotients_and_rests_are_those_of_division_by_bits)
{
    static const uint32_t divisors[] = {1, 2, 5, 10, 1000000000, 0x80000000u, UINT32_MAX};
    static const uint64_t words[] = {0, 1, 9, UINT32_MAX, (uint64_t)1 << 32, UINT64_MAX};
    test_random random = {12};
    for (size_t i = 0; i < RANDOM_ROUNDS(200000); i++) {
        const bsni_u128 x = {i < 36 ? words[i / 6] : random_of_any_size(&random),
                             i < 36 ? words[i % 6] : random_of_any_size(&random)};
        for (size_t k = 0; k < sizeof divisors / sizeof divisors[0]; k++) {
            bsni_u128 quotient = x, expected = x;
            const uint32_t rest = bsni_divide(&quotient, divisors[k]);
            EXPECT(rest == divide_by_bits(&expected, divisors[k]) &&
                       quotient.high == expected.high && quotient.low == expected.low,
                   "%" PRIx64 " %" PRIx64 " / %" PRIu32, x.high, x.low, divisors[k]);
        }
    }
}
END_TEST

Suite *wide_suite(void)
{
    Suite *suite = suite_create("wide");
    TCase *tests = tcase_create("wide");
    tcase_add_test(tests, products_have_all_their_bits);
    tcase_add_test(tests, quotients_and_rests_are_those_of_division_by_bits);
    tcase_add_test(tests, outermost_bits_are_found_whatever_lies_inside);
    suite_add_tcase(suite, tests);
    return suite;
}
