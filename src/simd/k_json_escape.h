/* SPDX-License-Identifier: Apache-2.0
 *
 * k_json_escape.h -- kernel: p[0..n) as the inside of a JSON string, to out[0..len); returns len.
 * `"`, `\` and 00..1F are escaped; every other byte stays, so any piece of UTF-8 may come in.
 * Reads p[0..n) and nothing else. May store to out[0..6 * n + 32), whatever len is: no byte is checked for room.
 *
 *   Escapes (RFC 8259, 7)   \b 08   \t 09   \n 0A   \f 0C   \r 0D   \" 22   \\ 5C   \u00XX the other ones below 20
 */
#ifndef BSNI_K_JSON_ESCAPE_H
#define BSNI_K_JSON_ESCAPE_H

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

/* The text that stands for a byte, up to six characters, and as the eighth byte its length; 0 where the byte stays. The
 * backslash is the last that does not. */
#define JSON_ESCAPE_COUNT ('\\' + 1)
#define JSON_ESCAPE_LONG(digits) "\\u00" digits "\0\6"
#define JSON_ESCAPE_SHORT(letter) "\\" letter "\0\0\0\0\0\2"
static const char json_escapes[JSON_ESCAPE_COUNT][8] = {
    [0x00] = JSON_ESCAPE_LONG("00"), [0x01] = JSON_ESCAPE_LONG("01"),
    [0x02] = JSON_ESCAPE_LONG("02"), [0x03] = JSON_ESCAPE_LONG("03"),
    [0x04] = JSON_ESCAPE_LONG("04"), [0x05] = JSON_ESCAPE_LONG("05"),
    [0x06] = JSON_ESCAPE_LONG("06"), [0x07] = JSON_ESCAPE_LONG("07"),
    [0x08] = JSON_ESCAPE_SHORT("b"), [0x09] = JSON_ESCAPE_SHORT("t"),
    [0x0A] = JSON_ESCAPE_SHORT("n"), [0x0B] = JSON_ESCAPE_LONG("0b"),
    [0x0C] = JSON_ESCAPE_SHORT("f"), [0x0D] = JSON_ESCAPE_SHORT("r"),
    [0x0E] = JSON_ESCAPE_LONG("0e"), [0x0F] = JSON_ESCAPE_LONG("0f"),
    [0x10] = JSON_ESCAPE_LONG("10"), [0x11] = JSON_ESCAPE_LONG("11"),
    [0x12] = JSON_ESCAPE_LONG("12"), [0x13] = JSON_ESCAPE_LONG("13"),
    [0x14] = JSON_ESCAPE_LONG("14"), [0x15] = JSON_ESCAPE_LONG("15"),
    [0x16] = JSON_ESCAPE_LONG("16"), [0x17] = JSON_ESCAPE_LONG("17"),
    [0x18] = JSON_ESCAPE_LONG("18"), [0x19] = JSON_ESCAPE_LONG("19"),
    [0x1A] = JSON_ESCAPE_LONG("1a"), [0x1B] = JSON_ESCAPE_LONG("1b"),
    [0x1C] = JSON_ESCAPE_LONG("1c"), [0x1D] = JSON_ESCAPE_LONG("1d"),
    [0x1E] = JSON_ESCAPE_LONG("1e"), [0x1F] = JSON_ESCAPE_LONG("1f"),
    ['"'] = JSON_ESCAPE_SHORT("\""), ['\\'] = JSON_ESCAPE_SHORT("\\"),
};

static inline bool json_escape_needed(uint8_t byte)
{
    return byte < JSON_ESCAPE_COUNT && json_escapes[byte][7] != 0;
}

/* Stores 8 bytes. */
static inline size_t json_escape_put(uint8_t byte, uint8_t *out)
{
    memcpy(out, json_escapes[byte], sizeof json_escapes[byte]);
    return (size_t)json_escapes[byte][7];
}

static inline size_t json_escape_ref(const uint8_t *p, size_t n, uint8_t *out)
{
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        if (json_escape_needed(p[i])) {
            len += json_escape_put(p[i], out + len);
        } else {
            out[len++] = p[i];
        }
    }
    return len;
}

/* Fewer than 8 bytes. Stores 8. */
static inline size_t json_escape_partial(const uint8_t *p, size_t n, uint8_t *out)
{
    const uint64_t word = bsni_load_partial(p, n);
    const uint64_t counted = ((uint64_t)1 << (8 * n)) - 1;
    if ((bsni_json_marks(word) & counted) != 0) return json_escape_ref(p, n, out);
    bsn_store_u64(out, word);
    return n;
}

/* Each word is stored whole; where something in it must be escaped, it goes on from there. */
static inline size_t json_escape_word(const uint8_t *p, size_t n, uint8_t *out)
{
    size_t i = 0, len = 0;
    while (n - i >= 8) {
        const uint64_t word = bsn_load_u64(p + i);
        const uint64_t marks = bsni_json_marks(word);
        bsn_store_u64(out + len, word);
        if (marks == 0) {
            i += 8;
            len += 8;
            continue;
        }
        const uint32_t plain = bsn_word_first(marks);
        i += plain + 1;
        len += plain;
        len += json_escape_put(p[i - 1], out + len);
    }
    return i == n ? len : len + json_escape_partial(p + i, n - i, out + len);
}

#if VEC_BYTES
/* One bit or more for each byte that must be escaped. */
static inline vec_mask json_escape_vec_marks(vec v)
{
    return vec_high_bits(bsni_json_marks_vec(v));
}

/* Escapes p[0..VEC_BYTES), in which `marks` are marked, with at least as many bytes behind it that may be read. What stands
 * between two marks is copied as a whole vector, whatever its length. */
static inline size_t json_escape_vec_marked(const uint8_t *p, vec_mask marks, uint8_t *out)
{
    size_t done = 0, len = 0;
    for (; marks != 0; marks = vec_drop_first(marks)) {
        const size_t at = vec_first(marks);
        vec_store(out + len, vec_load(p + done));
        len += at - done;
        len += json_escape_put(p[at], out + len);
        done = at + 1;
    }
    vec_store(out + len, vec_load(p + done));
    return len + VEC_BYTES - done;
}

static inline size_t json_escape_vec(const uint8_t *p, size_t n, uint8_t *out)
{
    size_t i = 0, len = 0;
    for (; n - i >= VEC_BYTES; i += VEC_BYTES) {
        const vec v = vec_load(p + i);
        const vec_mask marks = json_escape_vec_marks(v);
        if (marks == 0) {
            vec_store(out + len, v);
            len += VEC_BYTES;
        } else if (n - i >= 2 * VEC_BYTES) {
            len += json_escape_vec_marked(p + i, marks, out + len);
        } else {
            break;
        }
    }
    return i == n ? len : len + json_escape_word(p + i, n - i, out + len);
}
#endif

#endif
