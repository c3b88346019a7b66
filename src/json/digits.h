/* SPDX-License-Identifier: Apache-2.0
 *
 * digits.h -- eight decimal digits at a time, in one word, both ways; and small decimals read with them.
 */
#ifndef BSNI_DIGITS_H
#define BSNI_DIGITS_H

#include <bsonic/base.h>
#include <bsonic/detail/le.h>
#include <bsonic/detail/word.h>

#include <float.h>
#include <stdbool.h>
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

/* ---- reading ---- */

static const uint64_t bsni_powers_of_ten_to_8[] = {1,      10,      100,      1000,     10000,
                                                   100000, 1000000, 10000000, 100000000};

/* 0x80 in the bytes that are no digits, of eight bytes of text ^ BSNI_ZEROS_TEXT, the first lowest. A carry out of such a byte
 * falsifies only bytes behind it. */
static inline uint64_t bsni_no_digits(uint64_t values)
{
    return (values | (values + 0x7676767676767676u)) & 0x8080808080808080u;
}

/* The number of digits at their front. */
static inline unsigned bsni_digits_in_front(uint64_t values)
{
    const uint64_t over = bsni_no_digits(values);
    return over == 0 ? 8 : bsn_word_first(over);
}

/* Eight digit values as a number, the first lowest: pairs, then fours and the whole in one go, the upper halves of two
 * products of 32-bit lanes. */
static inline uint64_t bsni_value_of_eight(uint64_t values)
{
    const uint64_t pairs = values * 10 + (values >> 8); /* in bytes 0, 2, 4, 6 */
    const uint64_t odd = (pairs & 0x000000FF000000FFu) * (100 + ((uint64_t)1000000 << 32));
    const uint64_t even = (pairs >> 16 & 0x000000FF000000FFu) * (1 + ((uint64_t)10000 << 32));
    return (odd + even) >> 32;
}

/* Reads the integer at p, -? and 1 to 18 digits, no 0 in front of others. Returns its length; 0 for all others, sound or not. Reads 25
 * bytes. */
static inline size_t bsni_read_integer(const uint8_t *p, int64_t *value)
{
    const uint8_t *first = p;
    const bool negative = *p == '-';
    p += negative;
    const uint8_t *digits = p;
    uint64_t magnitude = 0;
    for (;;) {
        const uint64_t values = bsn_load_u64(p) ^ BSNI_ZEROS_TEXT;
        const unsigned count = bsni_digits_in_front(values);
        if (BSN_LIKELY(count != 8)) {
            magnitude = magnitude * bsni_powers_of_ten_to_8[count] +
                        bsni_value_of_eight(values << 8 << (56 - 8 * count));
            p += count;
            break;
        }
        magnitude = magnitude * 100000000 + bsni_value_of_eight(values);
        p += 8;
        if (p - digits > 16) return 0;
    }
    if (p == digits || p - digits > 18 || (*digits == '0' && p - digits != 1)) return 0;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return (size_t)(p - first);
}

/* True if the machine rounds one operation on doubles to the nearest double: arithmetic is not done in a wider type, and the
 * program has not asked for another direction, in which one of the two sides would not be 1. BSNI_NUMBER_PLAIN lets tests run
 * the other ways to read on every number. */
static inline bool bsni_rounds_to_nearest(void)
{
#if (FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1) && !defined(BSNI_NUMBER_PLAIN)
    static const volatile double tiny = DBL_MIN;
    const double loaded = tiny;
    return 1.0 + loaded == 1.0 - loaded;
#else
    return false;
#endif
}

/* A number of few digits. */
typedef struct bsni_small_number {
    unsigned len;
    bool is_real;
    int32_t integer;
    double real;
} bsni_small_number;

/* True where a number cannot go on, as far as JSON's punctuation tells. */
static inline bool bsni_ends_number(uint8_t byte)
{
    return byte == ',' || byte == '}' || byte == ']' || byte <= ' ';
}

/* Reads a JSON number of 1 to 7 digits, with up to 7 more behind a point, which ends where JSON goes on. Both runs are integers
 * below 10^7, so their sum and the power of ten are doubles themselves, and one division rounds correctly: when the machine
 * rounds to nearest, which the caller has asked. False for all others, sound or not. Reads 17 bytes. */
static inline bool bsni_read_small(const uint8_t *p, bsni_small_number *number)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
    const uint8_t *first = p;
    const bool negative = *p == '-';
    p += negative;
    const uint64_t values = bsn_load_u64(p) ^ BSNI_ZEROS_TEXT, over = bsni_no_digits(values);
    if (over == 0 || (over & 0x80) != 0) return false;
    const unsigned count = bsn_word_first(over);
    if ((values & 0xFF) == 0 && count != 1) return false;
    const uint32_t whole = (uint32_t)bsni_value_of_eight(values << (64 - 8 * count));
    p += count;
    number->is_real = *p == '.';
    if (!number->is_real) {
        number->integer = negative ? -(int32_t)whole : (int32_t)whole;
        number->len = (unsigned)(p - first);
        return bsni_ends_number(*p);
    }
    p++;
    const uint64_t part = bsn_load_u64(p) ^ BSNI_ZEROS_TEXT, part_over = bsni_no_digits(part);
    if (part_over == 0 || (part_over & 0x80) != 0) return false;
    const unsigned part_count = bsn_word_first(part_over);
    const uint64_t behind = bsni_value_of_eight(part << (64 - 8 * part_count));
    const uint64_t digits = whole * bsni_powers_of_ten_to_8[part_count] + behind;
    const double magnitude = (double)(int64_t)digits / powers[part_count];
    p += part_count;
    number->real = negative ? -magnitude : magnitude;
    number->len = (unsigned)(p - first);
    return bsni_ends_number(*p);
}

#endif
