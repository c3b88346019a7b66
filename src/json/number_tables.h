/* SPDX-License-Identifier: Apache-2.0
 *
 * number_tables.h -- the powers of ten to 128 bits, and the two logarithms that go with them.
 *
 * scripts/make-power-tables writes number_tables.c and proves (--prove) the two formulas for all arguments that occur.
 */
#ifndef BSNI_NUMBER_TABLES_H
#define BSNI_NUMBER_TABLES_H

#include <stdint.h>

#define BSNI_POWER_LEAST (-342)
#define BSNI_POWER_GREATEST 324
#define BSNI_POWER_EXACT_GREATEST 55 /* 5^55 < 2^128 < 5^56 */

/* g with g <= 10^n / 2^(e - 127) < g + 1, e = floor(log2(10^n)): the leading 128 bits of 10^n. */
typedef struct bsni_power {
    uint64_t high;
    uint64_t low;
} bsni_power;

extern const bsni_power bsni_powers_of_ten[BSNI_POWER_GREATEST - BSNI_POWER_LEAST + 1];

/* What follows needs >> to round down on negative numbers, which C leaves to the compiler; all that we know do. */
_Static_assert((-3 >> 1) == -2, "shifts of negative numbers round down");

/* floor(log2(10^n)), n = BSNI_POWER_LEAST .. BSNI_POWER_GREATEST: log2(10) = 217705.9 / 2^16. */
static inline int32_t bsni_log2_of_power_of_10(int32_t n)
{
    return (n * 217706) >> 16;
}

/* floor(log10(2^q)), q = -1074 .. 971: log10(2) = 1262611.3 / 2^22. */
static inline int32_t bsni_log10_of_power_of_2(int32_t q)
{
    return (q * 1262611) >> 22;
}

/* floor(log10(3/4 * 2^q)), q = -1074 .. 971: log10(3/4) = -524031.0 / 2^22. */
static inline int32_t bsni_log10_of_three_quarters(int32_t q)
{
    return (q * 1262611 - 524031) >> 22;
}

#endif
