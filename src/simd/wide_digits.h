/* SPDX-License-Identifier: Apache-2.0
 *
 * wide_digits.h -- sixteen decimal digits at once, for files that are compiled for wide tiers (kernels.h); nothing for others.
 */
#ifndef BSNI_WIDE_DIGITS_H
#define BSNI_WIDE_DIGITS_H

#include "simd/short.h"

#if defined(BSNI_SHORT_WIDE)
/* The bytes p[0..16) as the values of digits; those that are none have more than 9. */
static inline bsni_short bsni_wide_digits(const uint8_t *p)
{
    return _mm_sub_epi8(bsni_short_load(p), _mm_set1_epi8('0'));
}

/* A bit for each value that no digit has. */
static inline uint32_t bsni_wide_no_digits(bsni_short values)
{
    const __m128i none = _mm_cmpeq_epi8(_mm_max_epu8(values, _mm_set1_epi8(10)), values);
    return (uint32_t)_mm_movemask_epi8(none);
}

/* The first `count` of 16 digit values without the one at `hole`, 15 of them or less, as a number: moved to the end, zeros in front, then
 * pairs, fours and eights are joined.   [W. Mula, "SIMD-ized conversion of decimal strings", 2014] */
static inline uint64_t bsni_wide_number(bsni_short values, size_t count, size_t hole)
{
    const __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i moved = _mm_add_epi8(places, _mm_set1_epi8((char)(count - 16)));
    const __m128i behind = _mm_cmpgt_epi8(moved, _mm_set1_epi8((char)(hole - 1)));
    const __m128i ones = _mm_shuffle_epi8(values, _mm_sub_epi8(moved, behind));
    const __m128i pairs = _mm_maddubs_epi16(ones, _mm_set1_epi16(1 << 8 | 10));
    const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
    const __m128i eights =
        _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
#if defined(__x86_64__)
    const uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
#else
    uint64_t both;
    _mm_storel_epi64((__m128i *)(void *)&both, eights);
#endif
    return (both & UINT32_MAX) * 100000000 + (both >> 32);
}
#endif

#endif
