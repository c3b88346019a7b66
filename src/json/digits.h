/* SPDX-License-Identifier: Apache-2.0
 *
 * digits.h -- eight decimal digits at a time, in one word, both ways; and small decimals read with them.
 */
#ifndef BSNI_DIGITS_H
#define BSNI_DIGITS_H

#include "base/wide.h"
#include "simd/wide_digits.h"
#include "json/number.h"

#include <bsonic/base.h>
#include <bsonic/detail/le.h>
#include <bsonic/detail/word.h>

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

/* ---- writing ---- */

/* Writes x < 10^8 without leading zeros, "0" for zero. Stores 8 bytes. */
static inline size_t bsni_put_first_digits(uint64_t x, char *text)
{
    const uint64_t digits = bsni_eight_digits(x);
    const unsigned zeros = bsni_leading_zeros(digits | 1) / 8;
    bsni_store_text(text, bsni_digits_text(digits << 8 * zeros));
    return 8 - zeros;
}

/* bsni_int64_to_text, inline as far as it is short. */
static inline size_t bsni_int64_to_text_short(int64_t value, char *text)
{
    const size_t sign = value < 0;
    const uint64_t magnitude = sign ? 0 - (uint64_t)value : (uint64_t)value;
    if (BSN_UNLIKELY(magnitude >= 100000000)) return bsni_int64_to_text(value, text);
    text[0] = '-';
    return sign + bsni_put_first_digits(magnitude, text + sign);
}

/* Doubles from 2^BSNI_SHORT_EXPONENT_LEAST to less than 2^BSNI_SHORT_EXPONENT_END may have a short way. */
#define BSNI_SHORT_EXPONENT_LEAST (-11)
#define BSNI_SHORT_EXPONENT_END 23

/* Numbers that people write have few digits behind the point. Returns 0 when the value is not in that range, or has more than eight.
 *
 * The value is c / 2^s. Let r be the integer nearest to it times 10^8. If r / 10^8 is less than half a unit 1 / 2^s away it reads back as the
 * same double; so does no other decimal of at most fifteen digits, since doubles lie closer than these (DBL_DIG), and
 * r < 2^23 * 10^8 < 10^15 has no more. So its digits are the shortest. At a power of two, where the interval is smaller below, c / 2^s is
 * r / 10^8 itself, or some eighths of 1 / 10^8 away, which is far more than half a unit. */
static inline size_t bsni_short_double_to_text(double value, char *text)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t unit = 100000000;
    const unsigned s = 1023 + 52 - (unsigned)(bits >> 52 & 0x7FF);
    if (s - (53 - BSNI_SHORT_EXPONENT_END) >= BSNI_SHORT_EXPONENT_END - BSNI_SHORT_EXPONENT_LEAST)
        return 0;
    const uint64_t c = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    const uint64_t half = (uint64_t)1 << (s - 1);
    const bsni_u128 product = bsni_mul(c, unit);
    const uint64_t low = product.low + half;
    const uint64_t high = product.high + (low < half);
    const uint64_t beyond = (low & (2 * half - 1)) - half; /* product - r * 2^s, signed */
    if (beyond + (unit / 2 - 1) > unit - 2) return 0;
    const size_t sign = (size_t)(bits >> 63);
    const uint64_t r = high << (64 - s) | low >> s;
    const uint64_t whole = r / unit;
    const uint64_t digits = bsni_eight_digits(r - whole * unit);
    text[0] = '-';
    const size_t len = sign + bsni_put_first_digits(whole, text + sign);
    const unsigned zeros = bsni_trailing_zeros(digits | (uint64_t)1 << 56) / 8; /* one stays */
    text[len] = '.';
    bsni_store_text(text + len + 1, bsni_digits_text(digits));
    return len + 1 + 8 - zeros;
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
    size_t len;
    bool is_real;
    int64_t integer;
    double real;
} bsni_small_number;

/* The bytes that bsni_read_small reads. */
#define BSNI_SMALL_NUMBER_READ 17

/* True where a number cannot go on, as far as JSON's punctuation tells. */
static inline bool bsni_ends_number(uint8_t byte)
{
    return BSN_LIKELY(byte == ',') || byte == '}' || byte == ']' || byte <= ' ';
}

/* Sets the number +-digits / 10^part_count; part_count is 0 when there is no point. Both are doubles themselves, so one division rounds
 * correctly when the machine rounds to nearest. False for a negative zero, whose sign no integer has. */
static inline bool bsni_set_small(bsni_small_number *number, bool negative, uint64_t digits,
                                  size_t part_count)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
    number->integer = negative ? -(int64_t)digits : (int64_t)digits;
    if (!number->is_real) return true;
    number->real = (double)number->integer / powers[part_count];
    return digits != 0 || !negative;
}

#if defined(BSNI_SHORT_WIDE)
/* Reads a JSON number whose text, but for a minus, has less than 16 bytes, without exponent, and which ends where JSON goes on. False for
 * all others, sound or not. Reads 17 bytes. The caller has asked how the machine rounds. */
static inline bool bsni_read_small(const uint8_t *p, bsni_small_number *number)
{
    const bool negative = *p == '-';
    p += negative;
    const bsni_short values = bsni_wide_digits(p);
    const uint32_t marks = bsni_wide_no_digits(values);
    if (marks == 0) return false;
    const size_t whole = bsni_short_first(marks);
    if (whole == 0 || (*p == '0' && whole != 1)) return false;
    size_t end = whole;
    number->is_real = p[whole] == '.';
    if (number->is_real) {
        const uint32_t behind = marks & (marks - 1);
        if (behind == 0) return false;
        end = bsni_short_first(behind);
        if (end == whole + 1) return false;
    }
    const size_t point = number->is_real;
    number->len = negative + end;
    const uint64_t digits = bsni_wide_number(values, end - point, whole);
    return bsni_set_small(number, negative, digits, end - whole - point) &&
           bsni_ends_number(p[end]);
}
#else
/* Reads a JSON number of 1 to 7 digits, with up to 7 more behind a point, which ends where JSON goes on. False for all others, sound or
 * not. Reads 17 bytes. The caller has asked how the machine rounds. */
static inline bool bsni_read_small(const uint8_t *p, bsni_small_number *number)
{
    const uint8_t *first = p;
    const bool negative = *p == '-';
    p += negative;
    const uint64_t values = bsn_load_u64(p) ^ BSNI_ZEROS_TEXT, over = bsni_no_digits(values);
    if (over == 0 || (over & 0x80) != 0) return false;
    const unsigned count = bsn_word_first(over);
    if ((values & 0xFF) == 0 && count != 1) return false;
    uint64_t digits = bsni_value_of_eight(values << (64 - 8 * count));
    unsigned part_count = 0;
    p += count;
    number->is_real = *p == '.';
    if (number->is_real) {
        p++;
        const uint64_t part = bsn_load_u64(p) ^ BSNI_ZEROS_TEXT, part_over = bsni_no_digits(part);
        if (part_over == 0 || (part_over & 0x80) != 0) return false;
        part_count = bsn_word_first(part_over);
        digits = digits * bsni_powers_of_ten_to_8[part_count] +
                 bsni_value_of_eight(part << (64 - 8 * part_count));
        p += part_count;
    }
    number->len = (size_t)(p - first);
    return bsni_set_small(number, negative, digits, part_count) && bsni_ends_number(*p);
}
#endif

#endif
