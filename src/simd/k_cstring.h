/* SPDX-License-Identifier: Apache-2.0
 *
 * k_cstring.h -- kernel: offset of the first 0x00 in p[0..n), or n if there is none.
 * Reads p[0..n) and nothing else. Serves element keys and regex parts, which are mostly short; n is what the caller vouches
 * for, often the rest of a document, so what lies behind the 0x00 may be read.
 */
#ifndef BSNI_K_CSTRING_H
#define BSNI_K_CSTRING_H

#include <bsonic/detail/le.h>
#include <bsonic/detail/word.h>

#include <stddef.h>
#include <stdint.h>

#if VEC_BYTES
#include "simd/vec.h"
#endif

static inline size_t cstring_ref(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] == 0) return i;
    }
    return n;
}

static inline size_t cstring_word(const uint8_t *p, size_t n)
{
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        const uint64_t zeros = bsn_word_zeros(bsn_load_u64(p + i));
        if (zeros != 0) return i + bsn_word_first(zeros);
    }
    for (; i < n; i++) {
        if (p[i] == 0) return i;
    }
    return n;
}

#if VEC_BYTES
/* A word first, for what ends at once; then whole vectors as long as they fit. */
static inline size_t cstring_vec(const uint8_t *p, size_t n)
{
    if (n < 8) return cstring_ref(p, n);
    const uint64_t zeros = bsn_word_zeros(bsn_load_u64(p));
    if (zeros != 0) return bsn_word_first(zeros);
    size_t i = 8;
    for (; n - i >= VEC_BYTES; i += VEC_BYTES) {
        const vec_mask mask = vec_high_bits(vec_eq(vec_load(p + i), vec_splat(0)));
        if (mask != 0) return i + vec_first(mask);
    }
    return i + cstring_word(p + i, n - i);
}
#endif

#endif
