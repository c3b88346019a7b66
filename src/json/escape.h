/* SPDX-License-Identifier: Apache-2.0
 *
 * escape.h -- text as the inside of a JSON string, checked for UTF-8 on the way.
 *
 * One pass copies and looks: whole words are stored before it is known whether one of their bytes must not stay. So the
 * output needs room for the worst case once for a whole text, and no byte is checked for room.
 */
#ifndef BSNI_ESCAPE_H
#define BSNI_ESCAPE_H

#include "simd/json_marks.h"

#include <bsonic/base.h>
#include <bsonic/detail/le.h>
#include <bsonic/detail/word.h>

/* Room for the escaped form of `len` bytes: each may become \u001f, and vectors may be stored over the end. */
#define BSNI_ESCAPE_GROWTH 6
#define BSNI_ESCAPE_SLACK 32

/* Escapes src[0..len), which may hold anything. Returns the end of the output, NULL when the text is not UTF-8. Reads the text
 * and nothing else. */
uint8_t *bsni_escape(uint8_t *dst, const uint8_t *src, size_t len);

/* 0x80 in bytes of a word that cannot simply be copied: what needs escaping, and what is not ASCII. Exact up to the first. */
static inline uint64_t bsni_escape_marks(uint64_t word)
{
    return bsni_json_marks(word) | bsn_word_high(word);
}

/* The same for text within a document: src[0..readable) may be read, readable >= len. Inline as long as the text is ASCII and
 * nothing in it needs escaping. */
static inline uint8_t *bsni_escape_inside(uint8_t *dst, const uint8_t *src, size_t len,
                                          size_t readable)
{
    size_t at = 0;
    for (; len - at >= 8; at += 8) {
        const uint64_t word = bsn_load_u64(src + at);
        bsn_store_u64(dst + at, word);
        if (BSN_UNLIKELY(bsni_escape_marks(word) != 0)) {
            return bsni_escape(dst + at, src + at, len - at);
        }
    }
    if (at == len) return dst + len;
    if (BSN_UNLIKELY(readable - at < 8)) return bsni_escape(dst + at, src + at, len - at);
    const uint64_t word = bsn_load_u64(src + at);
    bsn_store_u64(dst + at, word);
    const uint64_t behind = UINT64_MAX << (8 * (len - at));
    if (BSN_UNLIKELY((bsni_escape_marks(word) & ~behind) != 0)) {
        return bsni_escape(dst + at, src + at, len - at);
    }
    return dst + len;
}

#endif
