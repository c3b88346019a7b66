/* SPDX-License-Identifier: Apache-2.0
 *
 * vec.h -- the vector words that kernels are written in: VEC_BYTES (16 or 32) bytes at a time, over simde.
 *
 * A tier sets VEC_BYTES before it includes this. With a tier's compiler flags simde's functions are the machine's own
 * instructions; elsewhere they are plain C with the same results. All words are bytes, unsigned unless a name says otherwise.
 *
 * A mask has VEC_MASK_BITS bits for each byte, the first byte lowest: 1 where the machine can gather sign bits (x86), 4 on NEON,
 * which has no such instruction but can narrow a comparison to half its width.
 */
#ifndef BSONIC_SIMD_VEC_H
#define BSONIC_SIMD_VEC_H

#include "simd/partial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if VEC_BYTES
#include <simde/x86/sse4.1.h>

static inline simde__m128i vec_load16(const uint8_t *p)
{
    return simde_mm_loadu_si128((const simde__m128i *)(const void *)p);
}

static inline void vec_store16(uint8_t *p, simde__m128i v)
{
    simde_mm_storeu_si128((simde__m128i *)(void *)p, v);
}

/* p[0..n) and zeros behind, n < 16, from registers: what is stored in words and loaded as a vector would have to wait. */
static inline simde__m128i vec_load_front16(const uint8_t *p, size_t n)
{
    if (n < 8) return simde_mm_set_epi64x(0, (int64_t)bsni_load_partial(p, n));
    const uint64_t high = bsn_load_u64(p + n - 8) >> (8 * (15 - n)) >> 8; /* n may be 8 */
    return simde_mm_set_epi64x((int64_t)high, (int64_t)bsn_load_u64(p));
}
#endif

#if VEC_BYTES == 32
#include <simde/x86/avx2.h>

typedef simde__m256i vec;
typedef uint32_t vec_mask;
#define VEC_MASK_BITS 1

static inline vec vec_load(const uint8_t *p)
{
    return simde_mm256_loadu_si256((const simde__m256i *)(const void *)p);
}

static inline void vec_store(uint8_t *p, vec v)
{
    simde_mm256_storeu_si256((simde__m256i *)(void *)p, v);
}

static inline vec vec_splat(uint8_t x)
{
    return simde_mm256_set1_epi8((int8_t)x);
}

/* A table of 16 bytes, in each 16-byte lane. */
static inline vec vec_table(const uint8_t table[16])
{
    return simde_mm256_broadcastsi128_si256(
        simde_mm_loadu_si128((const simde__m128i *)(const void *)table));
}

/* table[index & 15] for each byte; indexes are below 16. */
static inline vec vec_lookup(vec table, vec index)
{
    return simde_mm256_shuffle_epi8(table, index);
}

static inline vec vec_and(vec a, vec b)
{
    return simde_mm256_and_si256(a, b);
}

static inline vec vec_or(vec a, vec b)
{
    return simde_mm256_or_si256(a, b);
}

static inline vec vec_xor(vec a, vec b)
{
    return simde_mm256_xor_si256(a, b);
}

static inline vec vec_eq(vec a, vec b)
{
    return simde_mm256_cmpeq_epi8(a, b);
}

static inline vec vec_min(vec a, vec b)
{
    return simde_mm256_min_epu8(a, b);
}

/* a - b, 0 where that would be negative. */
static inline vec vec_sub_saturated(vec a, vec b)
{
    return simde_mm256_subs_epu8(a, b);
}

static inline vec vec_splat32(uint32_t x)
{
    return simde_mm256_set1_epi32((int32_t)x);
}

static inline vec vec_add(vec a, vec b)
{
    return simde_mm256_add_epi8(a, b);
}

/* Words of 16 bits: the upper, the lower half of the product. */
static inline vec vec_mul_high16(vec a, vec b)
{
    return simde_mm256_mulhi_epu16(a, b);
}

static inline vec vec_mul_low16(vec a, vec b)
{
    return simde_mm256_mullo_epi16(a, b);
}

/* The products of two neighbouring bytes, factors signed, added up to 16 bits; of two words of 16 bits to 32. */
static inline vec vec_sum_pairs8(vec v, vec factors)
{
    return simde_mm256_maddubs_epi16(v, factors);
}

static inline vec vec_sum_pairs16(vec v, vec factors)
{
    return simde_mm256_madd_epi16(v, factors);
}

/* The 16-byte lanes of a vector: two of them, the lower one alone, the same one twice; and back. */
static inline vec vec_from_two16(simde__m128i low, simde__m128i high)
{
    return simde_mm256_set_m128i(high, low);
}

static inline vec vec_from_low16(simde__m128i low)
{
    return simde_mm256_zextsi128_si256(low);
}

static inline vec vec_from_low16_twice(simde__m128i low)
{
    return simde_mm256_broadcastsi128_si256(low);
}

static inline simde__m128i vec_low16(vec v)
{
    return simde_mm256_castsi256_si128(v);
}

static inline simde__m128i vec_high16(vec v)
{
    return simde_mm256_extracti128_si256(v, 1);
}

/* The upper four bits of each byte. */
static inline vec vec_high_nibbles(vec v)
{
    return simde_mm256_and_si256(simde_mm256_srli_epi16(v, 4), simde_mm256_set1_epi8(0x0F));
}

/* One bit for each byte: its highest. */
static inline vec_mask vec_high_bits(vec v)
{
    return (vec_mask)simde_mm256_movemask_epi8(v);
}

/* True when every bit is 0. (Not by testz: simde 0.7.4 computes that wrongly where it has to emulate it.) */
static inline bool vec_is_zero(vec v)
{
    return (vec_mask)simde_mm256_movemask_epi8(
               simde_mm256_cmpeq_epi8(v, simde_mm256_setzero_si256())) == 0xFFFFFFFFu;
}

/* p[0..n) and zeros behind, n < VEC_BYTES. Reads nothing else. */
static inline vec vec_load_front(const uint8_t *p, size_t n)
{
    static const uint8_t slide[32] = {0,    1,    2,    3,    4,    5,    6,    7,
                                      8,    9,    10,   11,   12,   13,   14,   15,
                                      0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                      0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
    if (n < 16) return simde_mm256_zextsi128_si256(vec_load_front16(p, n));
    const simde__m128i low = simde_mm_loadu_si128((const simde__m128i *)(const void *)p);
    const simde__m128i last =
        simde_mm_loadu_si128((const simde__m128i *)(const void *)(p + n - 16));
    const simde__m128i places =
        simde_mm_loadu_si128((const simde__m128i *)(const void *)(slide + 32 - n));
    return simde_mm256_set_m128i(simde_mm_shuffle_epi8(last, places), low);
}

/* The bytes moved up by `count` places, zeros coming in below: what stands `count` bytes before each, at the very start. */
#define vec_shift_in(v, count) \
    simde_mm256_alignr_epi8((v), simde_mm256_permute2x128_si256((v), (v), 0x08), 16 - (count))

#elif VEC_BYTES == 16
#if defined(SIMDE_ARM_NEON_A64V8_NATIVE)
#include <arm_neon.h>
#endif

typedef simde__m128i vec;

static inline vec vec_load(const uint8_t *p)
{
    return simde_mm_loadu_si128((const simde__m128i *)(const void *)p);
}

static inline void vec_store(uint8_t *p, vec v)
{
    simde_mm_storeu_si128((simde__m128i *)(void *)p, v);
}

static inline vec vec_splat(uint8_t x)
{
    return simde_mm_set1_epi8((int8_t)x);
}

static inline vec vec_table(const uint8_t table[16])
{
    return vec_load(table);
}

static inline vec vec_lookup(vec table, vec index)
{
    return simde_mm_shuffle_epi8(table, index);
}

static inline vec vec_and(vec a, vec b)
{
    return simde_mm_and_si128(a, b);
}

static inline vec vec_or(vec a, vec b)
{
    return simde_mm_or_si128(a, b);
}

static inline vec vec_xor(vec a, vec b)
{
    return simde_mm_xor_si128(a, b);
}

static inline vec vec_eq(vec a, vec b)
{
    return simde_mm_cmpeq_epi8(a, b);
}

static inline vec vec_min(vec a, vec b)
{
    return simde_mm_min_epu8(a, b);
}

static inline vec vec_sub_saturated(vec a, vec b)
{
    return simde_mm_subs_epu8(a, b);
}

static inline vec vec_splat32(uint32_t x)
{
    return simde_mm_set1_epi32((int32_t)x);
}

static inline vec vec_add(vec a, vec b)
{
    return simde_mm_add_epi8(a, b);
}

static inline vec vec_mul_high16(vec a, vec b)
{
    return simde_mm_mulhi_epu16(a, b);
}

static inline vec vec_mul_low16(vec a, vec b)
{
    return simde_mm_mullo_epi16(a, b);
}

static inline vec vec_sum_pairs8(vec v, vec factors)
{
    return simde_mm_maddubs_epi16(v, factors);
}

static inline vec vec_sum_pairs16(vec v, vec factors)
{
    return simde_mm_madd_epi16(v, factors);
}

/* The 16-byte lanes of a vector: there is one. */
static inline vec vec_from_low16(simde__m128i low)
{
    return low;
}

static inline vec vec_from_low16_twice(simde__m128i low)
{
    return low;
}

static inline simde__m128i vec_low16(vec v)
{
    return v;
}

static inline vec vec_high_nibbles(vec v)
{
    return simde_mm_and_si128(simde_mm_srli_epi16(v, 4), simde_mm_set1_epi8(0x0F));
}

/* p[0..n) and zeros behind, n < VEC_BYTES. Reads nothing else. */
static inline vec vec_load_front(const uint8_t *p, size_t n)
{
    return vec_load_front16(p, n);
}

#define vec_shift_in(v, count) simde_mm_slli_si128((v), (count))

#if defined(SIMDE_ARM_NEON_A64V8_NATIVE)
typedef uint64_t vec_mask;
#define VEC_MASK_BITS 4

/* Shifting right by 4 while narrowing keeps half of each of two neighbouring bytes: 4 bits a byte, in one instruction. */
static inline vec_mask vec_high_bits(vec v)
{
    int8x16_t bytes = vreinterpretq_s8_s64(simde__m128i_to_neon_i64(v));
    uint8x8_t narrow = vshrn_n_u16(vreinterpretq_u16_s8(vshrq_n_s8(bytes, 7)), 4);
    return vget_lane_u64(vreinterpret_u64_u8(narrow), 0);
}

static inline bool vec_is_zero(vec v)
{
    return vmaxvq_u8(vreinterpretq_u8_s64(simde__m128i_to_neon_i64(v))) == 0;
}
#else
typedef uint32_t vec_mask;
#define VEC_MASK_BITS 1

static inline vec_mask vec_high_bits(vec v)
{
    return (vec_mask)simde_mm_movemask_epi8(v);
}

static inline bool vec_is_zero(vec v)
{
    return simde_mm_movemask_epi8(simde_mm_cmpeq_epi8(v, simde_mm_setzero_si128())) == 0xFFFF;
}
#endif
#endif

#if VEC_BYTES
/* The low four bits of each byte. */
static inline vec vec_low_nibbles(vec v)
{
    return vec_and(v, vec_splat(0x0F));
}

/* Index of the first byte that the mask marks; the mask is not 0. */
static inline size_t vec_first(vec_mask mask)
{
#if VEC_MASK_BITS == 4
    return (size_t)__builtin_ctzll(mask) / 4;
#else
    return (size_t)__builtin_ctz(mask);
#endif
}

/* The mask without its first marked byte. */
static inline vec_mask vec_drop_first(vec_mask mask)
{
#if VEC_MASK_BITS == 4
    return mask & ~((vec_mask)0xF << (vec_first(mask) * 4));
#else
    return mask & (mask - 1);
#endif
}
#endif

#endif
