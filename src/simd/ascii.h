/* SPDX-License-Identifier: Apache-2.0
 *
 * ascii.h -- whether a short text is ASCII, inline and without a branch on its length: texts of a collection differ in length
 * from document to document, and a branch missed costs more than looking at all the bytes that might have been text.
 */
#ifndef BSNI_ASCII_H
#define BSNI_ASCII_H

#include "simd/short.h"

#include <bsonic/base.h>

#include <stdbool.h>

#if defined(__SSE2__) && !defined(BSNI_SHORT_WORDS)
/* The highest bits of p[0..window), window 16, 32 or 64; the first byte's is the lowest. */
static inline uint64_t bsni_ascii_high_bits(const uint8_t *p, size_t window)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < window; i += 16)
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(bsni_short_load(p + i)) << i;
    return mask;
}

/* True when p[0..len) is ASCII. len < window, which is 16, 32 or 64; `window` bytes in front of `limit` may be read, with p[0..len]
 * among them. Reads so many bytes: from p on, or as near to it as the limit lets. */
static inline bool bsni_ascii_short(const uint8_t *p, size_t len, size_t window,
                                    const uint8_t *limit)
{
    const uint8_t *last = limit - window;
    const uint64_t mask = BSN_LIKELY(p <= last) ? bsni_ascii_high_bits(p, window)
                                                : bsni_ascii_high_bits(last, window) >> (p - last);
    return (size_t)__builtin_ctzll(mask | (uint64_t)1 << 63) >= len; /* no bit below len */
}

#else
static inline bool bsni_ascii_short(const uint8_t *p, size_t len, size_t window,
                                    const uint8_t *limit)
{
    uint64_t high = 0;
    (void)window;
    (void)limit;
    for (; len >= 8; p += 8, len -= 8) high |= bsn_load_u64(p);
    for (; len > 0; p++, len--) high |= *p;
    return bsn_word_high(high) == 0;
}
#endif

#endif
