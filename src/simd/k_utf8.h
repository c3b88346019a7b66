/* SPDX-License-Identifier: Apache-2.0
 *
 * k_utf8.h -- kernel: how many bytes of p[0..n) from its start are whole, well-formed UTF-8 sequences; n if all are.
 * Reads p[0..n) and nothing else. The result is the offset of the first byte of the first ill-formed sequence, also when that
 * one is only cut short by n.
 *
 *   Well-formed (Unicode 15, table 3-7)      first     second    third     fourth
 *     U+0000  .. U+007F                      00..7F
 *     U+0080  .. U+07FF                      C2..DF    80..BF
 *     U+0800  .. U+0FFF                      E0        A0..BF    80..BF
 *     U+1000  .. U+CFFF                      E1..EC    80..BF    80..BF
 *     U+D000  .. U+D7FF                      ED        80..9F    80..BF
 *     U+E000  .. U+FFFF                      EE..EF    80..BF    80..BF
 *     U+10000 .. U+3FFFF                     F0        90..BF    80..BF    80..BF
 *     U+40000 .. U+FFFFF                     F1..F3    80..BF    80..BF    80..BF
 *     U+100000 .. U+10FFFF                   F4        80..8F    80..BF    80..BF
 */
#ifndef BSNI_K_UTF8_H
#define BSNI_K_UTF8_H

#include <bsonic/detail/le.h>
#include <bsonic/detail/word.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool utf8_in(uint8_t byte, uint8_t low, uint8_t high)
{
    return byte >= low && byte <= high;
}

/* Length of the well-formed sequence at the start of p[0..n), n > 0; 0 if there is none. One row of the table a line. */
static inline size_t utf8_sequence(const uint8_t *p, size_t n)
{
    const uint8_t first = p[0];
    if (first <= 0x7F) return 1;
    if (n < 2) return 0;
    const bool second = utf8_in(p[1], 0x80, 0xBF);
    if (utf8_in(first, 0xC2, 0xDF)) return second ? 2 : 0;
    if (n < 3 || !utf8_in(p[2], 0x80, 0xBF)) return 0;
    if (first == 0xE0) return utf8_in(p[1], 0xA0, 0xBF) ? 3 : 0;
    if (first == 0xED) return utf8_in(p[1], 0x80, 0x9F) ? 3 : 0;
    if (utf8_in(first, 0xE1, 0xEF)) return second ? 3 : 0;
    if (n < 4 || !utf8_in(p[3], 0x80, 0xBF)) return 0;
    if (first == 0xF0) return utf8_in(p[1], 0x90, 0xBF) ? 4 : 0;
    if (first == 0xF4) return utf8_in(p[1], 0x80, 0x8F) ? 4 : 0;
    if (utf8_in(first, 0xF1, 0xF3)) return second ? 4 : 0;
    return 0;
}

static inline size_t utf8_ref(const uint8_t *p, size_t n)
{
    size_t i = 0;
    while (i < n) {
        const size_t len = utf8_sequence(p + i, n - i);
        if (len == 0) break;
        i += len;
    }
    return i;
}

/* Eight ASCII bytes at a time; where a word is not all ASCII, its front of ASCII bytes, then sequences. */
static inline size_t utf8_word(const uint8_t *p, size_t n)
{
    size_t i = 0;
    while (n - i >= 8) {
        const uint64_t high = bsn_word_high(bsn_load_u64(p + i));
        if (high == 0) {
            i += 8;
            continue;
        }
        i += bsn_word_first(high);
        do {
            const size_t len = utf8_sequence(p + i, n - i);
            if (len == 0) return i;
            i += len;
        } while (i < n && p[i] > 0x7F);
    }
    return i == n ? n : i + utf8_ref(p + i, n - i); /* n may be 0, and p then NULL */
}

#endif
