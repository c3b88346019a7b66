/* SPDX-License-Identifier: Apache-2.0
 *
 * wide.h -- what C has no words for: the 128-bit product of two 64-bit numbers, a number of 128 bits divided by a small one, and the
 * place of a word's outermost set bit.
 *
 * Product and place have a form in plain C, for compilers and targets without the other; BSNI_WIDE_PLAIN chooses it, so that tests can
 * run it anywhere.
 */
#ifndef BSNI_WIDE_H
#define BSNI_WIDE_H

#include <stdint.h>

typedef struct bsni_u128 {
    uint64_t high;
    uint64_t low;
} bsni_u128;

/* a * b from four products of 32-bit halves. No sum overflows: (2^32 - 1)^2 + 2 * (2^32 - 1) < 2^64. */
static inline bsni_u128 bsni_mul_plain(uint64_t a, uint64_t b)
{
    const uint64_t a1 = a >> 32, a0 = a & 0xFFFFFFFFu;
    const uint64_t b1 = b >> 32, b0 = b & 0xFFFFFFFFu;
    const uint64_t low = a0 * b0;
    const uint64_t mid = a1 * b0 + (low >> 32);
    const uint64_t mid2 = a0 * b1 + (mid & 0xFFFFFFFFu);
    bsni_u128 product;
    product.high = a1 * b1 + (mid >> 32) + (mid2 >> 32);
    product.low = (mid2 << 32) | (low & 0xFFFFFFFFu);
    return product;
}

/* a * b, all 128 bits. */
static inline bsni_u128 bsni_mul(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__) && !defined(BSNI_WIDE_PLAIN)
    __extension__ typedef unsigned __int128 u128;
    const u128 wide = (u128)a * b;
    bsni_u128 product;
    product.high = (uint64_t)(wide >> 64);
    product.low = (uint64_t)wide;
    return product;
#else
    return bsni_mul_plain(a, b);
#endif
}

/* *x / divisor in place; returns the rest. By halves of words: what is carried to the next is below the divisor, so each quotient but
 * the first has 32 bits. */
static inline uint32_t bsni_divide(bsni_u128 *x, uint32_t divisor)
{
    const uint64_t upper = (x->high % divisor) << 32 | x->low >> 32;
    const uint64_t lower = (upper % divisor) << 32 | (x->low & 0xFFFFFFFFu);
    x->high /= divisor;
    x->low = (upper / divisor) << 32 | lower / divisor;
    return (uint32_t)(lower % divisor);
}

/* The number of zero bits above the highest set bit of x, by halving. x is not 0. */
static inline unsigned bsni_leading_zeros_plain(uint64_t x)
{
    unsigned count = 0;
    for (unsigned half = 32; half != 0; half >>= 1) {
        if (x >> (64 - half) == 0) {
            count += half;
            x <<= half;
        }
    }
    return count;
}

static inline unsigned bsni_leading_zeros(uint64_t x)
{
#if defined(__GNUC__) && !defined(BSNI_WIDE_PLAIN)
    return (unsigned)__builtin_clzll(x);
#else
    return bsni_leading_zeros_plain(x);
#endif
}

/* The number of zero bits below the lowest set bit of x. x is not 0. */
static inline unsigned bsni_trailing_zeros(uint64_t x)
{
#if defined(__GNUC__) && !defined(BSNI_WIDE_PLAIN)
    return (unsigned)__builtin_ctzll(x);
#else
    return 63 - bsni_leading_zeros_plain(x & (0 - x));
#endif
}

#endif
