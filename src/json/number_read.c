/* SPDX-License-Identifier: Apache-2.0
 *
 * number_read.c -- text as integers and doubles.
 *
 * The digits are read as a 64-bit integer w, eight at a time; if there are more than 19, the first 19 "and more". Then a
 * double is found in up to four steps, each for what the one before left open:
 *     1. w and the power of ten are doubles themselves: one division or product, which the machine rounds correctly
 *                                                [W. Clinger, "How to Read Floating Point Numbers Accurately", 1990]
 *     2. w * g, g the leading 64 bits of the power of ten: its upper half has 10 bits or more below the double's last
 *     3. the other 64 bits of g                            [D. Lemire, "Number Parsing at a Gigabyte per Second", 2021]
 *     4. both sides of the comparison as long integers (number_exact.c)
 * Steps 2 and 3 know two bounds for the true value, and decide if both lie on one side of the middle between two doubles.
 */
#include "json/number.h"

#include "base/digit.h"
#include "base/wide.h"
#include "json/digits.h"
#include "json/number_exact.h"
#include "json/number_tables.h"

#include <bsonic/detail/le.h>

/* Keeps what is rarely needed from spending the registers of what calls it. */
#if defined(__GNUC__)
#define OUT_OF_LINE __attribute__((noinline))
#else
#define OUT_OF_LINE
#endif

#define DIGITS_EXACT 19 /* 10^19 < 2^64 */

/* ---- scanning ---- */

/* A number taken apart. The runs hold digits only. */
typedef struct parts {
    bool negative;
    bool integral;    /* neither point nor exponent */
    bsn_str before;   /* the digits before the point, at least one */
    bsn_str after;    /* the digits behind it, maybe none */
    uint64_t digits;  /* all digits as one integer, if there are at most DIGITS_EXACT */
    int64_t exponent; /* as written, cut to +-EXPONENT_MAX */
    const char *end;  /* of the number; on failure the byte that is wrong or missing */
} parts;

/* Far beyond what any number of digits that fits an address space can bring back into the range of doubles. */
#define EXPONENT_MAX ((uint64_t)1 << 62)

/* Up to eight bytes of text[from..len) as a word, the first lowest, zeros behind the end. What is left of a text that is not short itself
 * is the upper part of its last eight bytes: how much that is, nobody could foresee. */
static inline uint64_t load_text(bsn_str text, size_t from)
{
    const uint8_t *p = (const uint8_t *)text.ptr + from;
    size_t len = text.len - from;
    if (BSN_LIKELY(len >= 8)) return bsn_load_u64(p);
    if (BSN_LIKELY(text.len >= 8)) return bsn_load_u64(p + len - 8) >> 8 >> (56 - 8 * len);
    if (len >= 4) return bsn_load_u32(p) | (uint64_t)bsn_load_u32(p + len - 4) << 8 * (len - 4);
    if (len == 0) return 0;
    return p[0] | (uint64_t)p[len / 2] << 8 * (len / 2) | (uint64_t)p[len - 1] << 8 * (len - 1);
}

/* Takes the digits of the text at p and appends them to *number, modulo 2^64. Returns where they end. How many there are is as good as
 * random in real data, so that no branch should depend on it: the digits in front move to the end of the word, zeros before
 * them. */
static inline const char *take_digits(bsn_str text, const char *p, uint64_t *number)
{
    for (;;) {
        const uint64_t values = load_text(text, (size_t)(p - text.ptr)) ^ BSNI_ZEROS_TEXT;
        const unsigned count = bsni_digits_in_front(values);
        if (BSN_UNLIKELY(count == 8)) {
            *number = *number * 100000000 + bsni_value_of_eight(values);
            p += 8;
            continue;
        }
        *number = *number * bsni_powers_of_ten_to_8[count] +
                  bsni_value_of_eight(values << 8 << (56 - 8 * count));
        return p + count;
    }
}

static bsn_str span(const char *from, const char *to)
{
    bsn_str str;
    str.ptr = from;
    str.len = (size_t)(to - from);
    return str;
}

/* The exponent whose digits text[first..p) are too many for a word. */
OUT_OF_LINE static uint64_t long_exponent(const char *first, const char *p)
{
    uint64_t exponent = 0;
    for (; first != p; first++) {
        if (exponent < EXPONENT_MAX / 10) exponent = exponent * 10 + (uint64_t)(*first - '0');
    }
    return exponent;
}

/* The part of the text at p, behind `e`. False if it has no digits. */
static inline bool scan_exponent(bsn_str text, const char *p, parts *number)
{
    const char *end = text.ptr + text.len;
    const bool negative = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) p++;
    const char *first = p;
    uint64_t exponent = 0;
    p = take_digits(text, p, &exponent);
    if (BSN_UNLIKELY(p - first > DIGITS_EXACT - 1)) exponent = long_exponent(first, p);
    number->exponent = negative ? -(int64_t)exponent : (int64_t)exponent;
    number->end = p;
    return p != first;
}

static inline bool scan(bsn_str text, parts *number)
{
    const char *p = text.ptr;
    number->end = p;
    if (text.len == 0) return false; /* there may be no pointer to count from */
    const char *end = p + text.len;
    number->negative = *p == '-';
    p += number->negative;
    const char *first = p;
    uint64_t digits = 0;
    if (p != end && *p == '0') {
        p++;
    } else {
        p = take_digits(text, p, &digits);
    }
    number->before = span(first, p);
    number->after = span(p, p);
    number->exponent = 0;
    number->integral = true;
    number->end = p;
    number->digits = digits;
    if (p == first) return false;
    if (p != end && *p == '.') {
        number->integral = false;
        first = ++p;
        p = take_digits(text, p, &digits);
        number->after = span(first, p);
        number->end = p;
        number->digits = digits;
        if (p == first) return false;
    }
    if (p == end || (*p | 0x20) != 'e') return true;
    number->integral = false;
    return scan_exponent(text, p + 1, number);
}

/* ---- doubles ---- */

#define INFINITY_BITS ((uint64_t)0x7FF << 52)

/* The doubles on both sides of a number: m * 2^q and (m + 1) * 2^q, m < 2^53; one with m < 2^52 has the least q. */
typedef struct neighbours {
    uint64_t m;
    int32_t q;
} neighbours;

/* The bits of m * 2^q, m <= 2^53; infinity if that is too large. The implicit bit of m counts as one in the exponent. */
static uint64_t bits_of(uint64_t m, int32_t q)
{
    const uint64_t bits = ((uint64_t)(q + 1074) << 52) + m;
    return bits < INFINITY_BITS ? bits : INFINITY_BITS;
}

/* The first two are what is added to m: which of them it is, no processor can foresee, so nothing branches on it. */
typedef enum side { BELOW_MIDDLE = 0, ABOVE_MIDDLE = 1, AT_MIDDLE, UNDECIDED } side;

/* Step 3. `upper` = w * g.high, its lowest `drop` bits of the high word below the double's last. */
static side side_by_all_bits(uint64_t w, bool exact, const bsni_power *g, bsni_u128 upper,
                             unsigned drop)
{
    const bsni_u128 lower = bsni_mul(w, g->low);
    const uint64_t mid = upper.low + lower.high;
    const uint64_t high = upper.high + (mid < lower.high);
    const uint64_t half = (uint64_t)1 << (drop - 1);
    const uint64_t rest = high & (2 * half - 1);
    if (exact && rest == half && mid == 0 && lower.low == 0) return AT_MIDDLE;
    /* Unless g is exact the true value is above this one, by less than 2 in `mid`. */
    if (rest >= half) return ABOVE_MIDDLE;
    if (!exact && rest == half - 1 && mid >= UINT64_MAX - 1) return UNDECIDED;
    return BELOW_MIDDLE;
}

/* Steps 2 and 3: the neighbours of a number that is w * 10^exponent or, with `more`, up to (w + 1) * 10^exponent. w is not
 * 0, and with `more` has DIGITS_EXACT digits. */
static side find_side(uint64_t w, int32_t exponent, bool more, neighbours *around)
{
    const bsni_power *g = &bsni_powers_of_ten[exponent - BSNI_POWER_LEAST];
    const unsigned zeros = bsni_leading_zeros(w);
    w <<= zeros;
    const bsni_u128 upper = bsni_mul(w, g->high);
    const unsigned top =
        62 + (unsigned)(upper.high >> 63); /* the product of two words with the top bit set */
    const int32_t log2 = bsni_log2_of_power_of_10(exponent) + (int32_t)top - (int32_t)zeros + 1;
    around->q = log2 - 52 < -1074 ? -1074 : log2 - 52;
    const unsigned drop = (unsigned)((int32_t)top - log2 + around->q);
    if (BSN_UNLIKELY(drop >
                     63)) { /* less than the smallest double; the middle to zero is 2^-1075 */
        around->m = 0;
        return log2 < -1076 ? BELOW_MIDDLE : UNDECIDED;
    }
    around->m = upper.high >> drop;
    const uint64_t half = (uint64_t)1 << (drop - 1);
    const uint64_t rest = upper.high & (2 * half - 1);
    const bool exact = exponent >= 0 && exponent <= BSNI_POWER_EXACT_GREATEST && !more;
    /* The true value is less than 1 above upper for the rest of g, and with `more` 2^zeros more. */
    const uint64_t slack = more ? 1 + ((uint64_t)1 << zeros) : 1;
    if (BSN_LIKELY(half - rest - 1 >= slack)) {
        /* Nor could it be the middle, unless all is exact or more digits are zeros. */
        if (rest != half || upper.low != 0 || !(exact || more)) return (side)(rest >= half);
    }
    return more ? UNDECIDED : side_by_all_bits(w, exact, g, upper, drop);
}

/* All digits of a number that has more than DIGITS_EXACT, without leading zeros. Returns the first DIGITS_EXACT as an integer,
 * or fewer if there are no more; *left: how many there are behind them. */
static uint64_t first_digits(const parts *number, bsni_digits *all, size_t *left)
{
    all->before = number->before;
    all->after = number->after;
    all->exponent = number->exponent - (int64_t)number->after.len;
    if (all->before.ptr[0] == '0') { /* it is the only one */
        all->before.len = 0;
        while (all->after.len != 0 && all->after.ptr[0] == '0') {
            all->after.ptr++;
            all->after.len--;
        }
    }
    uint64_t first = 0;
    const size_t before = all->before.len < DIGITS_EXACT ? all->before.len : DIGITS_EXACT;
    const size_t after =
        all->after.len < DIGITS_EXACT - before ? all->after.len : DIGITS_EXACT - before;
    for (size_t i = 0; i < before; i++) first = first * 10 + (uint64_t)(all->before.ptr[i] - '0');
    for (size_t i = 0; i < after; i++) first = first * 10 + (uint64_t)(all->after.ptr[i] - '0');
    *left = all->before.len + all->after.len - before - after;
    return first;
}

/* The bits of the double nearest to the magnitude of a number: steps 2 to 4. */
OUT_OF_LINE static uint64_t magnitude_bits(const parts *number)
{
    uint64_t w = number->digits;
    int64_t exponent = number->exponent - (int64_t)number->after.len;
    bsni_digits all = {number->before, number->after, exponent};
    size_t left = 0;
    if (BSN_UNLIKELY(number->before.len + number->after.len > DIGITS_EXACT)) {
        w = first_digits(number, &all, &left);
        exponent = all.exponent + (int64_t)left;
    }
    if (w == 0 || exponent < BSNI_POWER_LEAST) return 0;
    if (exponent > 308) return INFINITY_BITS;

    neighbours around;
    side where = find_side(w, (int32_t)exponent, left != 0, &around);
    if (BSN_UNLIKELY(where == UNDECIDED)) {
        if (left == 0) (void)first_digits(number, &all, &left);
        const int order = bsni_digits_compare_middle(&all, around.m, around.q);
        where = order < 0 ? BELOW_MIDDLE : order > 0 ? ABOVE_MIDDLE : AT_MIDDLE;
    }
    if (BSN_UNLIKELY(where == AT_MIDDLE)) where = (around.m & 1) != 0 ? ABOVE_MIDDLE : BELOW_MIDDLE;
    return bits_of(around.m + (uint64_t)where, around.q);
}

/* Step 1: w <= 2^53 and 10^|exponent| <= 10^22, both exact. False if not so. */
static inline bool to_double_at_once(const parts *number, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int64_t exponent = number->exponent - (int64_t)number->after.len;
    if (number->before.len + number->after.len > DIGITS_EXACT || number->digits > (uint64_t)1 << 53)
        return false;
    if (exponent < -22 || exponent > 22 || !bsni_rounds_to_nearest()) return false;
    const double w = (double)(int64_t)number->digits;
    const double magnitude = exponent < 0 ? w / powers[-exponent] : w * powers[exponent];
    *value = number->negative ? -magnitude : magnitude;
    return true;
}

static inline bsn_status to_double(const parts *number, double *value)
{
    if (BSN_LIKELY(to_double_at_once(number, value))) return BSN_OK;
    const uint64_t magnitude = magnitude_bits(number);
    const uint64_t bits = magnitude | (uint64_t)number->negative << 63;
    memcpy(value, &bits, sizeof bits);
    return magnitude == INFINITY_BITS ? BSN_E_RANGE : BSN_OK;
}

/* ---- integers ---- */

/* False if it does not fit int64. */
static bool to_int64(const parts *number, int64_t *value)
{
    if (number->before.len > DIGITS_EXACT) return false;
    const uint64_t magnitude = number->digits;
    if (magnitude > (uint64_t)INT64_MAX + number->negative) return false;
    const uint64_t bits = number->negative ? 0 - magnitude : magnitude;
    memcpy(value, &bits, sizeof bits);
    return true;
}

/* ---- the interface ---- */

/* Short numbers, in text that goes on far enough. */
static inline bool take_small(bsn_str text, bsni_number *number)
{
    bsni_small_number small;
    small.real = 0; /* compilers do not all see that one of the two is set */
    small.integer = 0;
    if (text.len <= BSNI_SMALL_NUMBER_READ || !bsni_rounds_to_nearest()) return false;
    const uint8_t *p = (const uint8_t *)text.ptr;
    if (bsni_no_digits(bsn_load_u64(p + 8) ^ BSNI_ZEROS_TEXT) == 0) return false; /* a long one */
    if (!bsni_read_small(p, &small)) return false;
    const bool is_int32 = small.integer == (int32_t)small.integer;
    number->kind = small.is_real ? BSNI_NUMBER_DOUBLE
                   : is_int32    ? BSNI_NUMBER_INT32
                                 : BSNI_NUMBER_INT64;
    number->len = small.len;
    number->integer = small.integer;
    number->real = small.real;
    return true;
}

OUT_OF_LINE static bsn_status take_any(bsn_str text, bsni_number *number)
{
    parts scanned;
    const bool sound = scan(text, &scanned);
    number->len = (size_t)(scanned.end - text.ptr);
    if (!sound) return BSN_E_SYNTAX;
    if (!scanned.integral || !to_int64(&scanned, &number->integer)) {
        number->kind = scanned.integral ? BSNI_NUMBER_BEYOND : BSNI_NUMBER_DOUBLE;
        return to_double(&scanned, &number->real);
    }
    const bool fits_int32 = number->integer >= INT32_MIN && number->integer <= INT32_MAX;
    number->kind = fits_int32 ? BSNI_NUMBER_INT32 : BSNI_NUMBER_INT64;
    return BSN_OK;
}

bsn_status bsni_number_take(bsn_str text, bsni_number *number)
{
    return take_small(text, number) ? BSN_OK : take_any(text, number);
}

/* The number that is the whole of `text`. */
static bool scan_whole(bsn_str text, parts *number)
{
    return scan(text, number) && (size_t)(number->end - text.ptr) == text.len;
}

static bool has_name(bsn_str text, const char *name, size_t len)
{
    return text.len == len && memcmp(text.ptr, name, len) == 0;
}

bsn_status bsni_double_from_text(bsn_str text, double *value)
{
    static const uint64_t nan_bits = (uint64_t)0x7FF8 << 48;
    parts number;
    double read;
    if (scan_whole(text, &number)) {
        const bsn_status status = to_double(&number, &read);
        if (status == BSN_OK) *value = read;
        return status;
    }
    uint64_t bits = INFINITY_BITS;
    if (has_name(text, "NaN", 3)) {
        bits = nan_bits;
    } else if (has_name(text, "-Infinity", 9)) {
        bits |= (uint64_t)1 << 63;
    } else if (!has_name(text, "Infinity", 8)) {
        return BSN_E_SYNTAX;
    }
    memcpy(value, &bits, sizeof bits);
    return BSN_OK;
}

bsn_status bsni_int64_from_text(bsn_str text, int64_t *value)
{
    parts number;
    if (!scan_whole(text, &number) || !number.integral) return BSN_E_SYNTAX;
    return to_int64(&number, value) ? BSN_OK : BSN_E_RANGE;
}

bsn_status bsni_int32_from_text(bsn_str text, int32_t *value)
{
    int64_t wide;
    const bsn_status status = bsni_int64_from_text(text, &wide);
    if (status != BSN_OK) return status;
    if (wide < INT32_MIN || wide > INT32_MAX) return BSN_E_RANGE;
    *value = (int32_t)wide;
    return BSN_OK;
}
