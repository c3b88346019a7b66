/* SPDX-License-Identifier: Apache-2.0
 *
 * number_exact.h -- on which side of the middle between two doubles a decimal number of any length lies.
 */
#ifndef BSNI_NUMBER_EXACT_H
#define BSNI_NUMBER_EXACT_H

#include <bsonic/base.h>

/* The digits of a decimal number, a point between them left out of account: two runs, the first digit not zero, and the
 * exponent of the last one. */
typedef struct bsni_digits {
    bsn_str before;
    bsn_str after;
    int64_t exponent; /* the value is before ++ after, as one integer, times 10^exponent */
} bsni_digits;

/* Compares `digits` with (m + 1/2) * 2^q, where m < 2^53 and m * 2^q <= digits < (m + 1) * 2^q: -1 below, 0 equal, 1 above.
 *
 * Cost     one pass over the digits, and a few microseconds for the first 800: more cannot tell what a trailing "and more"
 *          does not. Nothing is allocated.
 */
int bsni_digits_compare_middle(const bsni_digits *digits, uint64_t m, int32_t q);

#endif
