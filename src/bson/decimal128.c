/* SPDX-License-Identifier: Apache-2.0
 *
 * decimal128.c -- IEEE 754-2008 decimal128 in its binary-integer form, as text and back, exactly.
 *
 *      127   126..113              112..0
 *     sign   exponent + 6176       coefficient < 2^113                         value = coefficient * 10^exponent
 *     sign   11, exponent, 111 bits that lead a coefficient over 10^34 - 1     zero
 *     sign   11110                 not used                                    infinity
 *     sign   11111                 payload                                     NaN
 */
#include <bsonic/types.h>

#include "base/debug.h"
#include "base/digit.h"
#include "base/wide.h"

#include <string.h>

#define DIGITS_MAX 34
#define EXPONENT_LEAST (-6176)
#define EXPONENT_GREATEST 6111

/* Places in the upper word. */
#define SIGN_BIT ((uint64_t)1 << 63)
#define EXPONENT_SHIFT 49
#define EXPONENT_SHIFT_LARGE 47 /* when the two bits below the sign are 11 */
#define EXPONENT_MASK 0x3FFFu
#define COEFFICIENT_MASK (((uint64_t)1 << EXPONENT_SHIFT) - 1)
#define INFINITY_BITS ((uint64_t)0x1E << 58)
#define NAN_BITS ((uint64_t)0x1F << 58)

#define TEN_17 100000000000000000u

/* ---- to text ---- */

/* The coefficient's digits without leading zeros, "0" for zero; none for a coefficient over 10^34 - 1, which is zero too.
 * Returns their number. */
static size_t coefficient_digits(bsn_decimal128 value, char digits[DIGITS_MAX])
{
    bsni_u128 coefficient = {value.high & COEFFICIENT_MASK, value.low};
    char all[36];
    for (size_t group = 4; group > 0; group--) {
        uint32_t rest = bsni_divide(&coefficient, 1000000000);
        for (size_t i = 9 * group; i > 9 * (group - 1); i--) {
            all[i - 1] = (char)('0' + rest % 10);
            rest /= 10;
        }
    }
    size_t zeros = 0;
    while (zeros < sizeof all - 1 && all[zeros] == '0') zeros++;
    const size_t count = sizeof all - zeros;
    if (count > DIGITS_MAX) {
        digits[0] = '0';
        return 1;
    }
    memcpy(digits, all + zeros, count);
    return count;
}

static size_t put(char *text, const char *bytes, size_t len)
{
    memcpy(text, bytes, len);
    return len;
}

/* Plain notation with `decimals` digits behind the point; zeros in front where there are too few digits. */
static size_t put_plain(char *text, const char *digits, size_t count, size_t decimals)
{
    size_t len = 0;
    if (decimals >= count) {
        len += put(text, "0.000000", 2 + decimals - count);
        return len + put(text + len, digits, count);
    }
    len += put(text, digits, count - decimals);
    if (decimals == 0) return len;
    text[len++] = '.';
    return len + put(text + len, digits + count - decimals, decimals);
}

static size_t put_scientific(char *text, const char *digits, size_t count, int32_t adjusted)
{
    size_t len = 0;
    text[len++] = digits[0];
    if (count > 1) text[len++] = '.';
    len += put(text + len, digits + 1, count - 1);
    text[len++] = 'E';
    text[len++] = adjusted < 0 ? '-' : '+';
    uint32_t magnitude = (uint32_t)(adjusted < 0 ? -adjusted : adjusted);
    char reversed[4];
    size_t places = 0;
    do {
        reversed[places++] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude != 0);
    while (places > 0) text[len++] = reversed[--places];
    return len;
}

size_t bsn_decimal128_to_text(bsn_decimal128 value, char text[BSN_DECIMAL128_TEXT_MAX])
{
    if ((value.high & NAN_BITS) == NAN_BITS) return put(text, "NaN", 3);
    size_t len = 0;
    if ((value.high & SIGN_BIT) != 0) text[len++] = '-';
    if ((value.high & NAN_BITS) == INFINITY_BITS) return len + put(text + len, "Infinity", 8);

    char digits[DIGITS_MAX] = "0";
    size_t count = 1;
    unsigned shift = EXPONENT_SHIFT_LARGE;
    if ((value.high >> 61 & 3) != 3) {
        shift = EXPONENT_SHIFT;
        count = coefficient_digits(value, digits);
    }
    const int32_t exponent = (int32_t)(value.high >> shift & EXPONENT_MASK) + EXPONENT_LEAST;
    const int32_t adjusted = exponent + (int32_t)count - 1;
    if (exponent <= 0 && adjusted >= -6)
        return len + put_plain(text + len, digits, count, (size_t)-exponent);
    return len + put_scientific(text + len, digits, count, adjusted);
}

/* ---- from text ---- */

/* What stands in a text of digits, point and exponent. Leading zeros are gone; up to DIGITS_MAX digits are kept. */
typedef struct parts {
    uint8_t digits[DIGITS_MAX];
    size_t count;     /* of digits kept */
    int64_t exponent; /* of the last digit kept */
    bool digits_lost; /* a digit other than zero did not fit */
} parts;

/* Beyond what the longest text in any address space can bring back into range. */
#define EXPONENT_WRITTEN_MAX ((int64_t)1 << 62)

static void take_digit(parts *number, char c)
{
    if (number->count == 0 && c == '0') return;
    if (number->count < DIGITS_MAX) {
        number->digits[number->count++] = (uint8_t)(c - '0');
    } else {
        number->exponent++;
        number->digits_lost = number->digits_lost || c != '0';
    }
}

/* Takes the digits and the point at the front. Returns where they end, NULL if there is no digit. */
static const char *take_coefficient(const char *p, const char *end, parts *number)
{
    bool any = false;
    for (; p != end && bsni_is_digit(*p); p++) {
        take_digit(number, *p);
        any = true;
    }
    if (p != end && *p == '.') {
        for (p++; p != end && bsni_is_digit(*p); p++) {
            take_digit(number, *p);
            number->exponent--;
            any = true;
        }
    }
    return any ? p : NULL;
}

/* The exponent, which must be all that is left: nothing, or e, sign and digits. */
static bool take_exponent(const char *p, const char *end, parts *number)
{
    if (p == end) return true;
    if ((*p | 0x20) != 'e') return false;
    p++;
    const bool negative = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) p++;
    if (p == end) return false;
    int64_t written = 0;
    for (; p != end; p++) {
        if (!bsni_is_digit(*p)) return false;
        if (written < EXPONENT_WRITTEN_MAX / 10) written = written * 10 + (*p - '0');
    }
    number->exponent += negative ? -written : written;
    return true;
}

/* Brings the exponent into range: zeros at the end come and go. A digit that would be lost, or has no room, is an error. */
static bsn_status clamp(parts *number)
{
    if (number->count == 0) {
        if (number->exponent < EXPONENT_LEAST) number->exponent = EXPONENT_LEAST;
        if (number->exponent > EXPONENT_GREATEST) number->exponent = EXPONENT_GREATEST;
        return BSN_OK;
    }
    while (number->exponent > EXPONENT_GREATEST) {
        if (number->count == DIGITS_MAX) return BSN_E_RANGE;
        number->digits[number->count++] = 0;
        number->exponent--;
    }
    while (number->exponent < EXPONENT_LEAST) {
        if (number->digits[number->count - 1] != 0)
            return BSN_E_INEXACT; /* the first is not zero: it ends here */
        number->count--;
        number->exponent++;
    }
    return BSN_OK;
}

static uint64_t integer_of(const uint8_t *digits, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum = sum * 10 + digits[i];
    return sum;
}

static bsn_decimal128 encode(const parts *number, uint64_t sign)
{
    BSN_ASSERT(number->exponent >= EXPONENT_LEAST && number->exponent <= EXPONENT_GREATEST);
    const size_t upper_count = number->count > 17 ? number->count - 17 : 0;
    const uint64_t upper = integer_of(number->digits, upper_count);
    const uint64_t lower = integer_of(number->digits + upper_count, number->count - upper_count);
    const bsni_u128 coefficient = bsni_mul(upper, TEN_17);
    bsn_decimal128 value;
    value.low = coefficient.low + lower;
    value.high = coefficient.high + (value.low < lower);
    value.high |= sign | (uint64_t)(number->exponent - EXPONENT_LEAST) << EXPONENT_SHIFT;
    return value;
}

/* True if the text from p to end is `name`, which is lower case, in any case. */
static bool has_name(const char *p, const char *end, const char *name, size_t len)
{
    if ((size_t)(end - p) != len) return false;
    for (size_t i = 0; i < len; i++) {
        const char lower = p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] + ('a' - 'A')) : p[i];
        if (lower != name[i]) return false;
    }
    return true;
}

/* Infinity or NaN, behind the sign. NaN has no sign. */
static bool take_name(const char *p, const char *end, uint64_t sign, bsn_decimal128 *value)
{
    bsn_decimal128 read = {INFINITY_BITS | sign, 0};
    if (has_name(p, end, "nan", 3)) {
        read.high = NAN_BITS;
    } else if (!has_name(p, end, "infinity", 8) && !has_name(p, end, "inf", 3)) {
        return false;
    }
    *value = read;
    return true;
}

bsn_status bsn_decimal128_from_text(bsn_str text, bsn_decimal128 *value)
{
    if (text.len == 0) return BSN_E_SYNTAX;
    const char *p = text.ptr;
    const char *end = p + text.len;
    const uint64_t sign = *p == '-' ? SIGN_BIT : 0;
    if (*p == '-' || *p == '+') p++;

    parts number = {{0}, 0, 0, false};
    const char *behind = take_coefficient(p, end, &number);
    if (behind == NULL) return take_name(p, end, sign, value) ? BSN_OK : BSN_E_SYNTAX;
    if (!take_exponent(behind, end, &number)) return BSN_E_SYNTAX;
    if (number.digits_lost) return BSN_E_INEXACT;
    const bsn_status status = clamp(&number);
    if (status == BSN_OK) *value = encode(&number, sign);
    return status;
}
