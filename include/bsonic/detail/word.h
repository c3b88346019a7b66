/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/word.h -- eight bytes at a time in a 64-bit word that was loaded little-endian: the first byte is the lowest.
 */
#ifndef BSONIC_DETAIL_WORD_H
#define BSONIC_DETAIL_WORD_H

#include <stdint.h>

/* 0x80 in each byte of x that is 0x00. Exact up to the first such byte (a borrow may mark a 0x01 behind it), which is all that
 * is asked here. (The subtract-and-mask test; Warren, Hacker's Delight, 6-1.) */
static inline uint64_t bsn_word_zeros(uint64_t x)
{
    return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

/* 0x80 in each byte of x that is not ASCII. */
static inline uint64_t bsn_word_high(uint64_t x)
{
    return x & 0x8080808080808080u;
}

/* Index of the lowest marked byte; mask is not 0. */
static inline uint32_t bsn_word_first(uint64_t mask)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(mask) >> 3;
#else
    uint32_t index = 0;
    while ((mask & 0xFF) == 0) {
        mask >>= 8;
        index++;
    }
    return index;
#endif
}

#endif
