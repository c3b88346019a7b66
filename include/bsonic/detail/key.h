/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/key.h -- where a key ends. Most keys end in their first 8 bytes or in the 16 after them: a word, then vectors where
 * every machine of the kind has them (SSE2 on x86-64, NEON on 64-bit ARM), else words on. Each step of a walk waits for the
 * one before by this; a whole vector at once would wait longer, single bytes would mispredict on irregular keys.
 */
#ifndef BSONIC_DETAIL_KEY_H
#define BSONIC_DETAIL_KEY_H

#include <bsonic/base.h>
#include <bsonic/detail/le.h>
#include <bsonic/detail/word.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__) && !BSN_BIG_ENDIAN
#include <arm_neon.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__SSE2__) && defined(__GNUC__)
#define BSN_KEY_STRIDE 16

/* The first 0x00 among the 16 bytes at p, or NULL. */
static inline const uint8_t *bsn_key_end_in(const uint8_t *p)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
    return mask != 0 ? p + __builtin_ctz((unsigned)mask) : NULL;
}
#elif defined(__ARM_NEON) && defined(__aarch64__) && !BSN_BIG_ENDIAN && defined(__GNUC__)
#define BSN_KEY_STRIDE 16

/* Narrowing shifted by 4 keeps 4 bits of each byte of the comparison. */
static inline const uint8_t *bsn_key_end_in(const uint8_t *p)
{
    const uint16x8_t zeros = vreinterpretq_u16_u8(vceqzq_u8(vld1q_u8(p)));
    const uint64_t mask = vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(zeros, 4)), 0);
    return mask != 0 ? p + __builtin_ctzll(mask) / 4 : NULL;
}
#else
#define BSN_KEY_STRIDE 8

static inline const uint8_t *bsn_key_end_in(const uint8_t *p)
{
    const uint64_t zeros = bsn_word_zeros(bsn_load_u64(p));
    return zeros != 0 ? p + bsn_word_first(zeros) : NULL;
}
#endif

/* The 0x00 of the key at `key`, of which `room` bytes may be read, room >= 8. NULL if there is none, or it stands so near the
 * end of them that bytes would have to be looked at one by one. */
static inline const uint8_t *bsn_key_end(const uint8_t *key, size_t room)
{
    const uint64_t zeros = bsn_word_zeros(bsn_load_u64(key));
    size_t done = 8;
    if (BSN_LIKELY(zeros != 0)) return key + bsn_word_first(zeros);
    for (; room - done >= BSN_KEY_STRIDE; done += BSN_KEY_STRIDE) {
        const uint8_t *zero = bsn_key_end_in(key + done);
        if (BSN_LIKELY(zero != NULL)) return zero;
    }
    return NULL;
}

#ifdef __cplusplus
}
#endif
#endif
