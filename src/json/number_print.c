/* SPDX-License-Identifier: Apache-2.0
 *
 * number_print.c -- integers and doubles as text.
 *
 * A double is c * 2^q. Every real number nearer to it than half a unit 2^q reads back as the same double, and so do the two
 * at exactly that distance when c is even. Let k be the largest with 10^k <= 2^q. Measured in 10^k the interval is 1 to 10
 * wide, so it holds
 *     at most one multiple of ten: if there is one it is the shortest answer;
 *     at least one integer: else the integer nearest to the double is.
 *                                       [R. Giulietti, "The Schubfach way to render doubles", 2020: results 6, 7 and 9]
 * Two ways lead to the choice:
 *     shortest_fast   one product x = c * 2^q / 10^k to 64 bits behind the point, compared with half the width; anything
 *                     closer to a tie than the error of that product goes to
 *     shortest_exact  three products to 128 bits behind the point, where a proven bound tells ties from near misses.
 */
#include "json/number.h"

#include "base/debug.h"
#include "base/wide.h"
#include "json/digits.h"
#include "json/number_tables.h"

#include <string.h>

/* ---- digits ---- */

static size_t put_eight_digits(uint64_t x, char *text)
{
    bsni_store_text(text, bsni_digits_text(bsni_eight_digits(x)));
    return 8;
}

size_t bsni_uint64_to_text(uint64_t value, char text[BSNI_INTEGER_TEXT_MAX])
{
    if (value < 100000000) return bsni_put_first_digits(value, text);
    const uint64_t upper = value / 100000000;
    const uint64_t last = value % 100000000;
    size_t len;
    if (upper < 100000000) {
        len = bsni_put_first_digits(upper, text);
    } else {
        len = bsni_put_first_digits(upper / 100000000, text);
        len += put_eight_digits(upper % 100000000, text + len);
    }
    return len + put_eight_digits(last, text + len);
}

size_t bsni_int64_to_text(int64_t value, char text[BSNI_INTEGER_TEXT_MAX])
{
    const size_t sign = value < 0;
    text[0] = '-';
    const uint64_t magnitude = sign ? 0 - (uint64_t)value : (uint64_t)value;
    return sign + bsni_uint64_to_text(magnitude, text + sign);
}

/* ---- the shortest decimal ---- */

/* (10 * tens + ones) * 10^exponent, more than 0 and less than 10^17; ones is less than 10. */
typedef struct decimal {
    uint64_t tens;
    uint32_t ones;
    int32_t exponent;
} decimal;

static const bsni_power *power_of_ten(int32_t n)
{
    BSN_ASSERT(n >= BSNI_POWER_LEAST && n <= BSNI_POWER_GREATEST);
    return &bsni_powers_of_ten[n - BSNI_POWER_LEAST];
}

/* The exponent k of the unit and, with g the table's 10^-k, the shift s that makes c * 2^q / 10^k = (c << s) * g / 2^128. As
 * 2^q / 10^k is 1 to 13 (10^k <= 3/4 * 2^q at powers of two), s is 1 to 4. */
static unsigned scale_shift(int32_t q, int32_t k)
{
    const int32_t s = q + bsni_log2_of_power_of_10(-k) + 1;
    BSN_ASSERT(s >= 1 && s <= 4);
    return (unsigned)s;
}

/* y = m * g / 2^128 as 2 * floor(y / 2^drop), plus 1 if y / 2^drop is no integer: what comparisons with integers need.
 *
 * g is less than 1 below the true factor and m < 2^60, so y is less than 2^-68 below its true value. No true value divided
 * by 2^drop is within 2^-65 of an integer unless it is that integer (make-power-tables --prove), hence y is within 2^-68
 * below an integer exactly if the true value is that integer. */
static uint64_t round_to_odd(uint64_t m, const bsni_power *g, unsigned drop)
{
    const bsni_u128 upper = bsni_mul(m, g->high);
    const bsni_u128 lower = bsni_mul(m, g->low);
    uint64_t fraction = upper.low + lower.high;
    uint64_t whole = upper.high + (fraction < lower.high);
    if (fraction == UINT64_MAX && lower.low >= 0 - m) {
        fraction = 0;
        whole++;
    } else {
        fraction |= lower.low;
    }
    const uint64_t dropped = whole & (((uint64_t)1 << drop) - 1);
    return (whole >> drop) * 2 + ((dropped | fraction) != 0);
}

/* Giulietti's choice. All is compared in half units of 10^k, so that between two integers there is room for "not an integer". */
static decimal shortest_exact(uint64_t c, int32_t q, bool at_power_of_two)
{
    const int32_t k =
        at_power_of_two ? bsni_log10_of_three_quarters(q) : bsni_log10_of_power_of_2(q);
    const bsni_power *g = power_of_ten(-k);
    const unsigned s = scale_shift(q, k);
    const uint64_t odd = c & 1; /* ends of the interval belong to it when c is even */
    const uint64_t low = round_to_odd((4 * c - (at_power_of_two ? 1 : 2)) << s, g, 2) + odd;
    const uint64_t high = round_to_odd((4 * c + 2) << s, g, 2) - odd;
    const uint64_t twice = round_to_odd((4 * c) << s, g, 1);

    uint64_t below = twice / 4; /* floor(x): twice = 2 * floor(2 * x) + inexact */
    decimal shortest = {below / 10, 0, k};
    const bool ten_below_inside = low <= 20 * shortest.tens;
    const bool ten_above_inside = 20 * (shortest.tens + 1) <= high;
    if (ten_below_inside != ten_above_inside) {
        shortest.tens += ten_above_inside;
        return shortest;
    }
    const bool below_inside = low <= 2 * below;
    const bool above_inside = 2 * (below + 1) <= high;
    const uint64_t middle = 2 * (2 * below + 1); /* of below and above, doubled as `twice` is */
    if (below_inside != above_inside) {
        below += above_inside;
    } else if (twice > middle || (twice == middle && (below & 1) != 0)) {
        below++;
    }
    shortest.tens = below / 10;
    shortest.ones = (uint32_t)(below % 10);
    return shortest;
}

/* The same choice for c not at a power of two, from one product. Errors, in units of the last place:
 *     fraction  less than 2^-7 from g, less than 1 from the word that is not added: true value in [fraction, fraction + 2)
 *     rest      x over the multiple of ten below, in 2^-59: in [rest, rest + 2)
 *     half      half the width, in 2^-59: in [half, half + 2)
 * so the sign of a difference beyond 3 is right. False if one is not beyond. */
static bool shortest_fast(uint64_t c, int32_t q, decimal *shortest)
{
    const int32_t k = bsni_log10_of_power_of_2(q);
    const bsni_power *g = power_of_ten(-k);
    const unsigned s = scale_shift(q, k);
    const bsni_u128 upper = bsni_mul(c << s, g->high);
    const uint64_t fraction = upper.low + bsni_mul(c << s, g->low).high;
    const uint64_t whole = upper.high + (fraction < upper.low);

    const uint64_t tens = whole / 10;
    const uint64_t ones = whole - 10 * tens;
    const int64_t rest = (int64_t)(ones << 59 | fraction >> 5);
    const int64_t half = (int64_t)(g->high >> (6 - s));
    const int64_t below = rest - half; /* negative if the multiple of ten below is inside */
    const int64_t above = (int64_t)((uint64_t)10 << 59) - rest - half;
    shortest->exponent = k;
    const int64_t nearer =
        below < above ? below : above; /* which of them is anyone's guess, a processor's too */
    /* One up cannot make ten: ten would have been inside. */
    const uint64_t inside = 0 - (uint64_t)(nearer < -3); /* a mask: else a branch */
    shortest->tens = tens + (inside & (uint64_t)(above < 0));
    shortest->ones = (uint32_t)((ones + (fraction >> 63)) & ~inside);
    const uint64_t beyond_half = fraction - ((uint64_t)1 << 63);
    return (inside & 1) | ((nearer > 3) & (beyond_half + 3 > 6));
}

/* ---- layout ---- */

/* Seventeen digits, the first not zero: sixteen as text in two words, then one. */
typedef struct digit_text {
    uint64_t first;
    uint64_t second;
    char last;
    uint32_t count;   /* without trailing zeros */
    int32_t exponent; /* of the first digit */
} digit_text;

static digit_text digits_of(decimal value)
{
    /* Sixteen digits or seventeen is as good as random: a mask, not a branch. */
    const uint64_t sixteen_only = 0 - (uint64_t)(value.tens < 1000000000000000u);
    uint64_t sixteen = value.tens + ((9 * value.tens + value.ones) & sixteen_only);
    const uint32_t last = value.ones & ~(uint32_t)sixteen_only;
    int32_t exponent = value.exponent + 16 - (int32_t)(sixteen_only & 1);
    while (BSN_UNLIKELY(sixteen < 1000000000000000u)) { /* subnormal */
        sixteen *= 10;
        exponent--;
    }
    const uint64_t upper = sixteen / 100000000;
    const uint64_t first = bsni_eight_digits(upper);
    const uint64_t second = bsni_eight_digits(sixteen - 100000000 * upper);
    const uint32_t in_first = 8 - bsni_trailing_zeros(first) / 8;
    const uint32_t in_both = 16 - bsni_trailing_zeros(second | (uint64_t)1 << 63) / 8;
    const uint32_t of_sixteen = second != 0 ? in_both : in_first;
    digit_text digits;
    digits.first = bsni_digits_text(first);
    digits.second = bsni_digits_text(second);
    digits.last = (char)('0' + last);
    digits.exponent = exponent;
    digits.count = last != 0 ? 17 : of_sixteen;
    return digits;
}

/* The digits with a point behind the first `whole` of them, 1 to 16. Each store behind the first two of a branch covers what
 * the one before it left of zero bytes. Stores 24 bytes. */
static void put_with_point(const digit_text *digits, unsigned whole, char *text)
{
    bsni_store_text(text, digits->first);
    if (whole < 8) {
        bsni_store_text(text + whole + 1, digits->first >> 8 * whole);
        bsni_store_text(text + 9, digits->second);
    } else {
        bsni_store_text(text + 8, digits->second);
        bsni_store_text(text + whole + 1,
                        digits->second >> (8 * whole & 63)); /* nothing is left of it at 16 */
    }
    text[whole] = '.';
    text[17] = digits->last;
}

/* Stores 8 bytes. */
static size_t put_exponent(int32_t exponent, char *text)
{
    const uint32_t magnitude = (uint32_t)(exponent < 0 ? -exponent : exponent);
    const uint32_t hundreds = magnitude * 41 >> 12; /* right below 1100 */
    const uint32_t rest = magnitude - 100 * hundreds;
    const uint32_t tens = rest * 103 >> 10;
    const uint32_t ones = rest - 10 * tens;
    const uint32_t zeros = (uint32_t)(magnitude < 100) + (uint32_t)(magnitude < 10);
    const uint32_t digits = (hundreds | tens << 8 | ones << 16 | 0x303030u) >> 8 * zeros;
    bsni_store_text(text, 'E' | (exponent < 0 ? (uint64_t)'-' << 8 : (uint64_t)'+' << 8) |
                              (uint64_t)digits << 16);
    return 5 - zeros;
}

static size_t put_decimal(decimal value, char *text)
{
    const digit_text digits = digits_of(value);
    const int32_t exponent = digits.exponent;
    if (exponent >= 0 && exponent < 16) {
        const uint32_t whole = (uint32_t)exponent + 1;
        put_with_point(&digits, whole, text);
        return (digits.count > whole ? digits.count : whole + 1) + 1;
    }
    if (exponent < 0 && exponent >= -4) {
        const size_t start = 1 + (size_t)-exponent; /* "0." and the zeros */
        bsni_store_text(text, 0x303030302E30u);     /* "0.0000" */
        bsni_store_text(text + start, digits.first);
        bsni_store_text(text + start + 8, digits.second);
        text[start + 16] = digits.last;
        return start + digits.count;
    }
    put_with_point(&digits, 1, text);
    const size_t len = digits.count == 1 ? 1 : digits.count + 1;
    return len + put_exponent(exponent, text + len);
}

/* ---- doubles ---- */

#define FRACTION_BITS 52
#define EXPONENT_BIAS 1023

/* Not for zero, which has no shortest digits. */
static size_t put_finite(uint64_t fraction, int32_t biased, char *text)
{
    BSN_ASSERT(biased < 0x7FF);
    const uint64_t c = fraction | (uint64_t)(biased != 0) << FRACTION_BITS;
    const int32_t q = (biased != 0 ? biased : 1) - EXPONENT_BIAS - FRACTION_BITS;
    /* Below a power of two the neighbour is only half as far away, except at the smallest normal number. */
    const bool at_power_of_two = fraction == 0 && biased > 1;
    decimal shortest;
    if (BSN_UNLIKELY(at_power_of_two || !shortest_fast(c, q, &shortest))) {
        shortest = shortest_exact(c, q, at_power_of_two);
    }
    return put_decimal(shortest, text);
}

static size_t put_integral(uint64_t value, char *text)
{
    const size_t len = bsni_uint64_to_text(value, text);
    text[len] = '.';
    text[len + 1] = '0';
    return len + 2;
}

size_t bsni_double_to_text(double value, char text[BSNI_DOUBLE_TEXT_MAX])
{
    const size_t len = bsni_short_double_to_text(value, text);
    if (len != 0) return len;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const size_t sign = (size_t)(bits >> 63);
    text[0] = '-';
    text += sign;
    const uint64_t fraction = bits & (((uint64_t)1 << FRACTION_BITS) - 1);
    const int32_t biased = (int32_t)(bits >> FRACTION_BITS & 0x7FF);
    /* Every integer below 2^53 is a double, and its own digits are the shortest. The point stands behind `before` bits of
     * the fraction. */
    const uint32_t before = (uint32_t)biased - EXPONENT_BIAS;
    const bool nothing_behind = fraction << (before & 63) << (64 - FRACTION_BITS) == 0;
    if ((before <= FRACTION_BITS) & nothing_behind) {
        const uint64_t c = fraction | (uint64_t)1 << FRACTION_BITS;
        return sign + put_integral(c >> (FRACTION_BITS - before), text);
    }
    if (BSN_UNLIKELY(bits << 1 == 0)) return sign + put_integral(0, text);
    return sign + put_finite(fraction, biased, text);
}
