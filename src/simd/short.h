/* SPDX-License-Identifier: Apache-2.0
 *
 * short.h -- short runs of bytes, looked at inline: 16 at a time where every machine of the kind can (SSE2 on x86-64, NEON on
 * 64-bit ARM), else 8 in a word. So the choice of a tier, and the call, are left to runs for which they pay.
 *
 * A mask has its lowest bits for the first byte. BSNI_SHORT_WORDS chooses words anywhere, so that tests can run both.
 */
#ifndef BSNI_SHORT_H
#define BSNI_SHORT_H

#include "simd/json_marks.h"

#include <bsonic/detail/le.h>
#include <bsonic/detail/word.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(BSNI_SHORT_WORDS)
#if defined(__AVX2__)
#include <immintrin.h>
#define BSNI_SHORT_WIDE /* in files that are compiled for wide tiers */
#else
#include <emmintrin.h>
#endif

#define BSNI_SHORT_BYTES 16
#define BSNI_SHORT_MASK_BITS 1 /* for each byte */
typedef __m128i bsni_short;
typedef uint32_t bsni_short_mask;

static inline bsni_short bsni_short_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline void bsni_short_store(uint8_t *p, bsni_short v)
{
    _mm_storeu_si128((__m128i *)(void *)p, v);
}

/* Not 0 in each byte of the result where v has 0x00; bsni_short_any tells whether there is one, or_ joins several. */
static inline bsni_short bsni_short_zeros(bsni_short v)
{
    return _mm_cmpeq_epi8(v, _mm_setzero_si128());
}

static inline bsni_short bsni_short_or(bsni_short a, bsni_short b)
{
    return _mm_or_si128(a, b);
}

static inline bool bsni_short_any(bsni_short v)
{
    return _mm_movemask_epi8(v) != 0;
}

/* Marks the bytes that a JSON string cannot simply hold: those of json_marks.h, and what is not ASCII. Signed comparison takes
 * the latter for less than anything; flipping 0x02 makes `"` 0x20 and leaves controls below it. */
static inline bsni_short_mask bsni_short_json_marks(bsni_short v)
{
    const __m128i flipped = _mm_xor_si128(v, _mm_set1_epi8(0x02));
    const __m128i low = _mm_cmplt_epi8(flipped, _mm_set1_epi8(0x21));
    const __m128i backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    return (bsni_short_mask)_mm_movemask_epi8(_mm_or_si128(low, backslash));
}

#elif defined(__ARM_NEON) && defined(__aarch64__) && !BSN_BIG_ENDIAN && !defined(BSNI_SHORT_WORDS)
#include <arm_neon.h>

#define BSNI_SHORT_BYTES 16
#define BSNI_SHORT_MASK_BITS 4
typedef uint8x16_t bsni_short;
typedef uint64_t bsni_short_mask;

static inline bsni_short bsni_short_load(const uint8_t *p)
{
    return vld1q_u8(p);
}

static inline void bsni_short_store(uint8_t *p, bsni_short v)
{
    vst1q_u8(p, v);
}

static inline bsni_short bsni_short_zeros(bsni_short v)
{
    return vceqzq_u8(v);
}

static inline bsni_short bsni_short_or(bsni_short a, bsni_short b)
{
    return vorrq_u8(a, b);
}

static inline bool bsni_short_any(bsni_short v)
{
    return vmaxvq_u8(v) != 0;
}

/* Narrowing shifted by 4 keeps 4 bits of each byte of the comparison. */
static inline bsni_short_mask bsni_short_json_marks(bsni_short v)
{
    const int8x16_t flipped = vreinterpretq_s8_u8(veorq_u8(v, vdupq_n_u8(0x02)));
    const uint8x16_t low = vcltq_s8(flipped, vdupq_n_s8(0x21));
    const uint8x16_t marks = vorrq_u8(low, vceqq_u8(v, vdupq_n_u8('\\')));
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(marks), 4)), 0);
}

#else
#define BSNI_SHORT_BYTES 8
#define BSNI_SHORT_MASK_BITS 8
typedef uint64_t bsni_short;
typedef uint64_t bsni_short_mask;

static inline bsni_short bsni_short_load(const uint8_t *p)
{
    return bsn_load_u64(p);
}

static inline void bsni_short_store(uint8_t *p, bsni_short v)
{
    bsn_store_u64(p, v);
}

static inline bsni_short bsni_short_zeros(bsni_short v)
{
    return bsn_word_zeros(v);
}

static inline bsni_short bsni_short_or(bsni_short a, bsni_short b)
{
    return a | b;
}

static inline bool bsni_short_any(bsni_short v)
{
    return v != 0;
}

/* Exact up to the first marked byte. */
static inline bsni_short_mask bsni_short_json_marks(bsni_short v)
{
    return bsni_json_marks(v) | bsn_word_high(v);
}
#endif

/* Index of the first marked byte; the mask is not 0. */
static inline size_t bsni_short_first(uint64_t mask)
{
#if defined(__GNUC__)
    return (size_t)__builtin_ctzll(mask) / BSNI_SHORT_MASK_BITS;
#else
    return bsn_word_first(mask) * 8 / BSNI_SHORT_MASK_BITS;
#endif
}

/* The marks of the first `count` bytes, count < BSNI_SHORT_BYTES. */
static inline bsni_short_mask bsni_short_front(bsni_short_mask mask, size_t count)
{
    return mask & (((bsni_short_mask)1 << (count * BSNI_SHORT_MASK_BITS)) - 1);
}

/* Copies p[0..32) to `to`. True when a byte of it is marked: *at is the first one. Where it can be, this is one decision and not two,
 * for lengths that nobody can foresee. */
static inline bool bsni_short_copy_32(const uint8_t *p, uint8_t *to, size_t *at)
{
#if BSNI_SHORT_MASK_BITS == 1
    const bsni_short a = bsni_short_load(p), b = bsni_short_load(p + 16);
    bsni_short_store(to, a);
    bsni_short_store(to + 16, b);
    const uint32_t marks = bsni_short_json_marks(a) | bsni_short_json_marks(b) << 16;
    if (marks == 0) return false;
    *at = bsni_short_first(marks);
    return true;
#else
    for (size_t i = 0; i < 32; i += BSNI_SHORT_BYTES) {
        const bsni_short v = bsni_short_load(p + i);
        bsni_short_store(to + i, v);
        const bsni_short_mask marks = bsni_short_json_marks(v);
        if (marks == 0) continue;
        *at = i + bsni_short_first(marks);
        return true;
    }
    return false;
#endif
}

/* What wide vectors are compared with: 0x02, 0x20, and the backslash. Compilers would make such constants anew behind every call, in three
 * instructions each; what they cannot see is an operand in memory. */
extern const uint8_t bsni_short_rules[3][32];

/* The same for as many bytes as files that are compiled for wide vectors do in one decision: p[0..BSNI_SHORT_RUN). */
#if defined(BSNI_SHORT_WIDE)
#define BSNI_SHORT_RUN 64

static inline __m256i bsni_short_rule(size_t which)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)bsni_short_rules[which]);
}

static inline uint32_t bsni_short_json_marks_32(__m256i v)
{
    const __m256i flipped = _mm256_xor_si256(v, bsni_short_rule(0));
    const __m256i high = _mm256_cmpgt_epi8(flipped, bsni_short_rule(1));
    const __m256i backslash = _mm256_cmpeq_epi8(v, bsni_short_rule(2));
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_andnot_si256(backslash, high));
}

/* Copy p[0..32), p[0..64), and return which bytes of it are marked. */
static inline uint32_t bsni_short_copy_32_marks(const uint8_t *p, uint8_t *to)
{
    const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
    _mm256_storeu_si256((__m256i *)(void *)to, v);
    return bsni_short_json_marks_32(v);
}

static inline uint64_t bsni_short_copy_64(const uint8_t *p, uint8_t *to)
{
    const uint64_t low = bsni_short_copy_32_marks(p, to);
    return low | (uint64_t)bsni_short_copy_32_marks(p + 32, to + 32) << 32;
}

static inline bool bsni_short_copy_run(const uint8_t *p, uint8_t *to, size_t *at)
{
    const uint64_t marks = bsni_short_copy_64(p, to);
    if (marks == 0) return false;
    *at = bsni_short_first(marks);
    return true;
}
#else
#define BSNI_SHORT_RUN 32

static inline bool bsni_short_copy_run(const uint8_t *p, uint8_t *to, size_t *at)
{
    return bsni_short_copy_32(p, to, at);
}
#endif

/* Compares the first `len` of p[0..32) and q[0..32), which may all be read. Returns `counted`, which has a bit for each of them, when they
 * are the same; else something that has fewer bits. */
static inline uint32_t bsni_short_same_32(const uint8_t *p, const uint8_t *q, size_t len,
                                          uint32_t counted)
{
    (void)len; /* not everybody counts in bits */
#if defined(BSNI_SHORT_WIDE)
    const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)q);
    return counted & (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b));
#elif BSNI_SHORT_MASK_BITS == 1
    const __m128i low = _mm_cmpeq_epi8(bsni_short_load(p), bsni_short_load(q));
    const __m128i high = _mm_cmpeq_epi8(bsni_short_load(p + 16), bsni_short_load(q + 16));
    const uint32_t same = (uint32_t)_mm_movemask_epi8(low);
    return counted & (same | (uint32_t)_mm_movemask_epi8(high) << 16);
#else
    return memcmp(p, q, len) == 0 ? counted : 0;
#endif
}

#endif
