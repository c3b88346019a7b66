/* SPDX-License-Identifier: Apache-2.0
 *
 * escape.h -- text as the inside of a JSON string, checked for UTF-8 on the way.
 *
 * One pass copies and looks: whole words are stored before it is known whether one of their bytes must not stay. So the
 * output needs room for the worst case once for a whole text, and no byte is checked for room.
 */
#ifndef BSNI_ESCAPE_H
#define BSNI_ESCAPE_H

#include "simd/short.h"

#include <bsonic/base.h>

/* Room for the escaped form of `len` bytes: each may become \u001f, and vectors may be stored over the end. */
#define BSNI_ESCAPE_GROWTH 6
#define BSNI_ESCAPE_SLACK 32

/* Escapes src[0..len), which may hold anything. Returns the end of the output, NULL when the text is not UTF-8. Reads the text
 * and nothing else. */
uint8_t *bsni_escape(uint8_t *dst, const uint8_t *src, size_t len);

/* The same, when most of it is plain ASCII: that is passed once. */
uint8_t *bsni_escape_long(uint8_t *dst, const uint8_t *src, size_t len);

/* Beyond this length the kernels' vectors are faster than what is done inline. */
#define BSNI_ESCAPE_INLINE_MAX 256

/* The same for text within a document: src[0..readable) may be read, readable >= len. Inline as long as the text is ASCII and
 * nothing in it needs escaping. */
static inline uint8_t *bsni_escape_inside(uint8_t *dst, const uint8_t *src, size_t len,
                                          size_t readable)
{
    size_t at = 0;
    if (BSN_UNLIKELY(len > BSNI_ESCAPE_INLINE_MAX)) return bsni_escape_long(dst, src, len);
    for (; len - at >= BSNI_SHORT_BYTES; at += BSNI_SHORT_BYTES) {
        const bsni_short v = bsni_short_load(src + at);
        bsni_short_store(dst + at, v);
        if (BSN_UNLIKELY(bsni_short_json_marks(v) != 0)) {
            return bsni_escape(dst + at, src + at, len - at);
        }
    }
    if (at == len) return dst + len;
    if (BSN_UNLIKELY(readable - at < BSNI_SHORT_BYTES)) {
        return bsni_escape(dst + at, src + at, len - at);
    }
    const bsni_short v = bsni_short_load(src + at);
    bsni_short_store(dst + at, v);
    if (BSN_UNLIKELY(bsni_short_front(bsni_short_json_marks(v), len - at) != 0)) {
        return bsni_escape(dst + at, src + at, len - at);
    }
    return dst + len;
}

#endif
