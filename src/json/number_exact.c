/* SPDX-License-Identifier: Apache-2.0
 *
 * number_exact.c -- the comparison that decides rounding when 128 bits do not: both sides as integers of full length.
 *
 * The middle between two neighbouring doubles has at most 767 significant decimal digits (2^-1074 / 2, fifty-three bits
 * above it), so a number that agrees with it in 800 digits and has a digit other than zero behind them is above it.
 */
#include "json/number_exact.h"

#include "base/debug.h"

#define DIGITS_MAX 800

/* Both sides stay below 2^2900: 800 digits are less than 2^2658, and the powers of five and two that join them bring the
 * smaller side, at most 54 bits times 5^1142, or 10^309, to the size of the other. */
#define LIMB_BITS 32
#define LIMBS_MAX 96

/* An integer, lowest limb first, without zero limbs at the top. */
typedef struct big {
    uint32_t limbs[LIMBS_MAX];
    size_t count;
} big;

static void big_push(big *x, uint32_t limb)
{
    if (limb == 0) return;
    BSN_ASSERT(x->count < LIMBS_MAX);
    x->limbs[x->count++] = limb;
}

/* x = x * factor + addend */
static void big_multiply_add(big *x, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (size_t i = 0; i < x->count; i++) {
        carry += (uint64_t)x->limbs[i] * factor;
        x->limbs[i] = (uint32_t)carry;
        carry >>= LIMB_BITS;
    }
    big_push(x, (uint32_t)carry);
}

static void big_multiply_power_of_5(big *x, uint32_t exponent)
{
    for (; exponent >= 13; exponent -= 13)
        big_multiply_add(x, 1220703125, 0); /* 5^13 < 2^32 < 5^14 */
    uint32_t rest = 1;
    for (; exponent > 0; exponent--) rest *= 5;
    big_multiply_add(x, rest, 0);
}

static void big_shift_left(big *x, uint32_t bits)
{
    big_multiply_add(x, (uint32_t)1 << bits % LIMB_BITS, 0);
    const size_t zeros = bits / LIMB_BITS;
    BSN_ASSERT(x->count + zeros <= LIMBS_MAX);
    for (size_t i = x->count; i > 0; i--) x->limbs[i - 1 + zeros] = x->limbs[i - 1];
    for (size_t i = 0; i < zeros; i++) x->limbs[i] = 0;
    x->count += zeros;
}

static int big_compare(const big *a, const big *b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i > 0; i--) {
        if (a->limbs[i - 1] != b->limbs[i - 1]) return a->limbs[i - 1] < b->limbs[i - 1] ? -1 : 1;
    }
    return 0;
}

static char digit_at(const bsni_digits *digits, size_t i)
{
    const size_t before = digits->before.len;
    return i < before ? digits->before.ptr[i] : digits->after.ptr[i - before];
}

/* The first `count` digits as an integer, nine at a time. */
static void big_from_digits(big *x, const bsni_digits *digits, size_t count)
{
    x->count = 0;
    uint32_t group = 0;
    uint32_t scale = 1;
    for (size_t i = 0; i < count; i++) {
        group = group * 10 + (uint32_t)(digit_at(digits, i) - '0');
        scale *= 10;
        if (scale == 1000000000 || i + 1 == count) {
            big_multiply_add(x, scale, group);
            group = 0;
            scale = 1;
        }
    }
}

static bool all_zeros(const bsni_digits *digits, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (digit_at(digits, i) != '0') return false;
    }
    return true;
}

int bsni_digits_compare_middle(const bsni_digits *digits, uint64_t m, int32_t q)
{
    const size_t total = digits->before.len + digits->after.len;
    const size_t count = total < DIGITS_MAX ? total : DIGITS_MAX;
    const int32_t exponent = (int32_t)(digits->exponent + (int64_t)(total - count));

    big left, right;
    big_from_digits(&left, digits, count);
    right.count = 0;
    const uint64_t twice = 2 * m + 1; /* the middle is twice * 2^(q - 1) */
    big_push(&right, (uint32_t)twice);
    big_push(&right, (uint32_t)(twice >> LIMB_BITS));
    /* left * 10^exponent against right * 2^(q-1): 10 = 5 * 2, and negative exponents change sides. */
    if (exponent >= 0) {
        big_multiply_power_of_5(&left, (uint32_t)exponent);
    } else {
        big_multiply_power_of_5(&right, (uint32_t)-exponent);
    }
    const int32_t shift = q - 1 - exponent;
    if (shift >= 0) {
        big_shift_left(&right, (uint32_t)shift);
    } else {
        big_shift_left(&left, (uint32_t)-shift);
    }
    const int order = big_compare(&left, &right);
    return order == 0 && !all_zeros(digits, count, total) ? 1 : order;
}
