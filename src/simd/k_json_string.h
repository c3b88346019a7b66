/* SPDX-License-Identifier: Apache-2.0
 *
 * k_json_string.h -- kernel: copies the plain front of p[0..n) to out: the bytes before the first `"`, `\` or 00..1F, or all.
 * Returns how many. *ascii becomes false when one of them is not ASCII, and is left alone otherwise.
 * Reads p[0..n) and nothing else. May store to out[0..n + 32), whatever it returns.
 *
 * What stops it is what json_escape escapes, so that the two share their tests on words and vectors.
 */
#ifndef BSNI_K_JSON_STRING_H
#define BSNI_K_JSON_STRING_H

#include "simd/json_marks.h"
#include "simd/partial.h"

#include <bsonic/detail/le.h>
#include <bsonic/detail/word.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if VEC_BYTES
#include "simd/vec.h"
#endif

static inline size_t json_string_ref(const uint8_t *p, size_t n, uint8_t *out, bool *ascii)
{
    size_t i = 0;
    for (; i < n && p[i] >= 0x20 && p[i] != '"' && p[i] != '\\'; i++) {
        out[i] = p[i];
        if (p[i] > 0x7F) *ascii = false;
    }
    return i;
}

/* The last word: what it has in front of its first mark. Zeros stand behind fewer than 8 bytes and are marks themselves. */
static inline size_t json_string_last(uint64_t word, uint8_t *out, bool *ascii)
{
    const uint64_t marks = bsni_json_marks(word);
    const uint32_t plain = marks == 0 ? 8 : bsn_word_first(marks);
    const uint64_t counted = plain == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * plain)) - 1;
    bsn_store_u64(out, word);
    if (bsn_word_high(word & counted) != 0) *ascii = false;
    return plain;
}

static inline size_t json_string_word(const uint8_t *p, size_t n, uint8_t *out, bool *ascii)
{
    size_t i = 0;
    uint64_t all = 0;
    for (; n - i >= 8; i += 8) {
        const uint64_t word = bsn_load_u64(p + i);
        if (bsni_json_marks(word) != 0) break;
        bsn_store_u64(out + i, word);
        all |= word;
    }
    if (bsn_word_high(all) != 0) *ascii = false;
    if (i == n) return n; /* n may be 0, and p then NULL */
    const uint64_t rest = n - i >= 8 ? bsn_load_u64(p + i) : bsni_load_partial(p + i, n - i);
    return i + json_string_last(rest, out + i, ascii);
}

#if VEC_BYTES
/* A vector with marks in it: what stands in front of the first. */
static inline size_t json_string_vec_last(vec v, vec_mask marks, uint8_t *out, bool *ascii)
{
    const size_t plain = vec_first(marks);
    const vec_mask counted = ((vec_mask)1 << (plain * VEC_MASK_BITS)) - 1;
    vec_store(out, v);
    if ((vec_high_bits(v) & counted) != 0) *ascii = false;
    return plain;
}

/* From this length on it is worth looking where the output lies. */
#define JSON_STRING_LONG ((size_t)1024)

/* How far ahead memory is asked for: a machine that stores in order does not by itself, or too late. */
#define JSON_STRING_AHEAD ((size_t)4096)

static inline void json_string_ask_ahead(const uint8_t *out)
{
#if defined(__GNUC__)
    /* Over an integer: behind the room there is nothing that a pointer may point to. */
    for (size_t k = 0; k < 4 * VEC_BYTES; k += 64) {
        /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
        __builtin_prefetch((const void *)((uintptr_t)out + JSON_STRING_AHEAD + k), 1);
    }
#else
    (void)out;
#endif
}

/* The front of a long text that is plain, four vectors a step, stored where vectors lie in memory: stores that straddle two lines of the
 * cache take twice the time. What it returns is no exact end, and vectors behind it may have been stored. *all gathers what it has
 * passed. */
static inline size_t json_string_vec_long(const uint8_t *p, size_t n, uint8_t *out, vec *all)
{
    const vec first = vec_load(p);
    if (vec_high_bits(bsni_json_marks_vec(first)) != 0) return 0;
    vec_store(out, first);
    *all = first;
    size_t i = (0 - (size_t)(uintptr_t)out) % VEC_BYTES;
    for (; n - i >= 4 * VEC_BYTES; i += 4 * VEC_BYTES) {
        const vec a = vec_load(p + i), b = vec_load(p + i + VEC_BYTES);
        const vec c = vec_load(p + i + 2 * VEC_BYTES), d = vec_load(p + i + 3 * VEC_BYTES);
        json_string_ask_ahead(out + i);
        const vec low = vec_or(bsni_json_marks_vec(a), bsni_json_marks_vec(b));
        const vec high = vec_or(bsni_json_marks_vec(c), bsni_json_marks_vec(d));
        if (vec_high_bits(vec_or(low, high)) != 0) break;
        vec_store(out + i, a);
        vec_store(out + i + VEC_BYTES, b);
        vec_store(out + i + 2 * VEC_BYTES, c);
        vec_store(out + i + 3 * VEC_BYTES, d);
        *all = vec_or(*all, vec_or(vec_or(a, b), vec_or(c, d)));
    }
    return i;
}

/* Two vectors a step while all is plain, then one; words finish less than one. */
static inline size_t json_string_vec(const uint8_t *p, size_t n, uint8_t *out, bool *ascii)
{
    vec all = vec_splat(0);
    size_t i = n >= JSON_STRING_LONG ? json_string_vec_long(p, n, out, &all) : 0;
    for (; n - i >= 2 * VEC_BYTES; i += 2 * VEC_BYTES) {
        const vec a = vec_load(p + i), b = vec_load(p + i + VEC_BYTES);
        if (vec_high_bits(vec_or(bsni_json_marks_vec(a), bsni_json_marks_vec(b))) != 0) break;
        vec_store(out + i, a);
        vec_store(out + i + VEC_BYTES, b);
        all = vec_or(all, vec_or(a, b));
    }
    for (; n - i >= VEC_BYTES; i += VEC_BYTES) {
        const vec v = vec_load(p + i);
        const vec_mask marks = vec_high_bits(bsni_json_marks_vec(v));
        if (marks != 0) {
            if (vec_high_bits(all) != 0) *ascii = false;
            return i + json_string_vec_last(v, marks, out + i, ascii);
        }
        vec_store(out + i, v);
        all = vec_or(all, v);
    }
    if (vec_high_bits(all) != 0) *ascii = false;
    return i == n ? n : i + json_string_word(p + i, n - i, out + i, ascii);
}
#endif

#endif
