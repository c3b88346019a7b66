/* SPDX-License-Identifier: Apache-2.0
 *
 * json_marks.h -- which of the eight bytes of a word must be escaped in a JSON string: `"`, `\` and 00..1F.
 */
#ifndef BSNI_JSON_MARKS_H
#define BSNI_JSON_MARKS_H

#include <stdint.h>

#define BSNI_EACH_BYTE(byte) (0x0101010101010101u * (uint64_t)(byte))

/* 0x80 in each such byte, exact up to the first; behind it a byte may be marked wrongly.
 *
 * Flipping bit 0x02 turns `"` (22) into 20, the blank (20) into 22 and leaves controls below 20: one comparison "below 21"
 * finds quote and controls. Both tests are the subtract-and-mask one of detail/word.h. */
static inline uint64_t bsni_json_marks(uint64_t word)
{
    const uint64_t flipped = word ^ BSNI_EACH_BYTE(0x02);
    const uint64_t backslash = word ^ BSNI_EACH_BYTE(0x5C);
    const uint64_t low = (flipped - BSNI_EACH_BYTE(0x21)) & ~flipped;
    const uint64_t zero = (backslash - BSNI_EACH_BYTE(0x01)) & ~backslash;
    return (low | zero) & BSNI_EACH_BYTE(0x80);
}

#if defined(VEC_BYTES) && VEC_BYTES
#include "simd/vec.h"

/* All ones in each such byte of a vector: the same two comparisons. */
static inline vec bsni_json_marks_vec(vec v)
{
    const vec flipped = vec_xor(v, vec_splat(0x02));
    const vec low = vec_eq(vec_min(flipped, vec_splat(0x20)), flipped);
    return vec_or(low, vec_eq(v, vec_splat('\\')));
}
#endif

#endif
