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

#endif
