/* SPDX-License-Identifier: Apache-2.0
 *
 * digits.h -- eight decimal digits at a time, in one word.
 */
#ifndef BSNI_DIGITS_H
#define BSNI_DIGITS_H

#include <bsonic/detail/le.h>

#include <stdint.h>

/* "00000000" */
#define BSNI_ZEROS_TEXT 0x3030303030303030u

/* Stores a word of text, the first character lowest. */
static inline void bsni_store_text(char *text, uint64_t word)
{
    bsn_store_u64((uint8_t *)text, word);
}

/* The eight decimal digits of x < 10^8 as the values of eight bytes, the first digit highest: x is split into groups of four,
 * two and one digits, all groups of a word at a time. Quotients are products: y / 10^4 = y * 109951163 >> 40 for y < 10^8,
 * y / 100 = y * 10486 >> 20 for y < 10^4, y / 10 = y * 103 >> 10 for y < 100. Where q is the quotient by d, adding
 * q * (2^n - d) leaves the remainder and puts q at bit n. */
static inline uint64_t bsni_eight_digits(uint64_t x)
{
    const uint64_t four = x * 109951163 >> 40;
    const uint64_t fours = x + four * (((uint64_t)1 << 32) - 10000);
    const uint64_t two = (fours * 10486 >> 20) & 0x0000007F0000007Fu;
    const uint64_t twos = fours + two * ((1 << 16) - 100);
    const uint64_t one = (twos * 103 >> 10) & 0x000F000F000F000Fu;
    return twos + one * ((1 << 8) - 10);
}

/* The same as a word of text. */
static inline uint64_t bsni_digits_text(uint64_t digits)
{
    return bsn_swap64(digits) | BSNI_ZEROS_TEXT;
}

#endif
