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

#if VEC_BYTES
#include "simd/vec.h"
#endif

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

#if VEC_BYTES
/* Three 16-entry tables, indexed by the high and low nibble of a byte and the high nibble of the one after it, each say which
 * errors are still possible; an error is real when all three agree. (J. Keiser, D. Lemire, "Validating UTF-8 in less than one
 * instruction per byte", Software: Practice and Experience 51, 2021.) The bits: */
enum {
    UTF8_TOO_SHORT = 1 << 0,  /* a lead byte without its continuation */
    UTF8_TOO_LONG = 1 << 1,   /* a continuation after ASCII */
    UTF8_OVERLONG_3 = 1 << 2, /* E0 80..9F */
    UTF8_TOO_LARGE = 1 << 3,  /* F4 90..BF, F5.. */
    UTF8_SURROGATE = 1 << 4,  /* ED A0..BF */
    UTF8_OVERLONG_2 = 1 << 5, /* C0, C1 */
    UTF8_TOO_LARGE_1000 =
        1 << 6, /* F5.. 80..8F; shares its bit with overlong four-byte forms F0 80..8F */
    UTF8_OVERLONG_4 = 1 << 6,
    UTF8_TWO_CONTINUATIONS = 1 << 7, /* wrong unless a lead two or three bytes before asks for it */
    UTF8_CARRY = UTF8_TOO_SHORT | UTF8_TOO_LONG |
                 UTF8_TWO_CONTINUATIONS /* do not depend on the low nibble */
};

static const uint8_t utf8_first_high[16] = {
    UTF8_TOO_LONG,
    UTF8_TOO_LONG,
    UTF8_TOO_LONG,
    UTF8_TOO_LONG, /* 0_..7_ */
    UTF8_TOO_LONG,
    UTF8_TOO_LONG,
    UTF8_TOO_LONG,
    UTF8_TOO_LONG,
    UTF8_TWO_CONTINUATIONS,
    UTF8_TWO_CONTINUATIONS,
    UTF8_TWO_CONTINUATIONS,
    UTF8_TWO_CONTINUATIONS,                                                  /* 8_..B_ */
    UTF8_TOO_SHORT | UTF8_OVERLONG_2,                                        /* C_ */
    UTF8_TOO_SHORT,                                                          /* D_ */
    UTF8_TOO_SHORT | UTF8_OVERLONG_3 | UTF8_SURROGATE,                       /* E_ */
    UTF8_TOO_SHORT | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000 | UTF8_OVERLONG_4, /* F_ */
};

static const uint8_t utf8_first_low[16] = {
    UTF8_CARRY | UTF8_OVERLONG_2 | UTF8_OVERLONG_3 | UTF8_OVERLONG_4, /* _0 */
    UTF8_CARRY | UTF8_OVERLONG_2,                                     /* _1 */
    UTF8_CARRY,                                                       /* _2, _3 */
    UTF8_CARRY,
    UTF8_CARRY | UTF8_TOO_LARGE,                       /* _4 */
    UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000, /* _5.. */
    UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000,
    UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000,
    UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000,
    UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000,
    UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000,
    UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000,
    UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000,
    UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000 | UTF8_SURROGATE, /* _D */
    UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000,
    UTF8_CARRY | UTF8_TOO_LARGE | UTF8_TOO_LARGE_1000,
};

static const uint8_t utf8_second_high[16] = {
    UTF8_TOO_SHORT,
    UTF8_TOO_SHORT,
    UTF8_TOO_SHORT,
    UTF8_TOO_SHORT, /* 0_..7_ */
    UTF8_TOO_SHORT,
    UTF8_TOO_SHORT,
    UTF8_TOO_SHORT,
    UTF8_TOO_SHORT,
    UTF8_TOO_LONG | UTF8_OVERLONG_2 | UTF8_TWO_CONTINUATIONS | UTF8_OVERLONG_3 |
        UTF8_TOO_LARGE_1000 | UTF8_OVERLONG_4, /* 8_ */
    UTF8_TOO_LONG | UTF8_OVERLONG_2 | UTF8_TWO_CONTINUATIONS | UTF8_OVERLONG_3 |
        UTF8_TOO_LARGE, /* 9_ */
    UTF8_TOO_LONG | UTF8_OVERLONG_2 | UTF8_TWO_CONTINUATIONS | UTF8_SURROGATE |
        UTF8_TOO_LARGE, /* A_ */
    UTF8_TOO_LONG | UTF8_OVERLONG_2 | UTF8_TWO_CONTINUATIONS | UTF8_SURROGATE |
        UTF8_TOO_LARGE, /* B_ */
    UTF8_TOO_SHORT,
    UTF8_TOO_SHORT,
    UTF8_TOO_SHORT,
    UTF8_TOO_SHORT, /* C_..F_ */
};

/* What utf8_errors needs in registers: compilers fetch constants anew for every block unless they are variables. */
typedef struct utf8_rules {
    vec first_high, first_low, second_high;
    vec third_least,
        fourth_least; /* what to subtract from a lead byte for 0x80 and more to be left of it */
    vec high_bit;
} utf8_rules;

static inline utf8_rules utf8_load_rules(void)
{
    const utf8_rules rules = {vec_table(utf8_first_high),  vec_table(utf8_first_low),
                              vec_table(utf8_second_high), vec_splat(0xE0 - 0x80),
                              vec_splat(0xF0 - 0x80),      vec_splat(0x80)};
    return rules;
}

/* Not zero where a block of bytes, given the bytes one, two and three places before each, breaks a rule. */
static inline vec utf8_errors(const utf8_rules *rules, vec bytes, vec before1, vec before2,
                              vec before3)
{
    vec special = vec_and(vec_and(vec_lookup(rules->first_high, vec_high_nibbles(before1)),
                                  vec_lookup(rules->first_low, vec_low_nibbles(before1))),
                          vec_lookup(rules->second_high, vec_high_nibbles(bytes)));
    /* Bit 7 where a third or fourth byte is due: 0x80 stays of E0.. two before, of F0.. three before. */
    vec third = vec_sub_saturated(before2, rules->third_least);
    vec fourth = vec_sub_saturated(before3, rules->fourth_least);
    vec due = vec_and(vec_or(third, fourth), rules->high_bit);
    return vec_xor(due, special);
}

/* True when p[0..at), at >= 3, ends inside a sequence, as far as its last three bytes tell. */
static inline bool utf8_ends_open(const uint8_t *p, size_t at)
{
    return p[at - 1] >= 0xC0 || p[at - 2] >= 0xE0 || p[at - 3] >= 0xF0;
}

/* The exact answer from byte `from` on, after backing up to the start of a sequence that all blocks so far accepted. */
static inline size_t utf8_exact_from(const uint8_t *p, size_t n, size_t from)
{
    for (size_t back = 0; back < 3 && from > 0 && p[from] >= 0x80 && p[from] < 0xC0; back++) from--;
    return from + utf8_ref(p + from, n - from);
}

/* utf8_errors of a block with nothing before it. */
static inline vec utf8_errors_first(vec bytes)
{
    const utf8_rules rules = utf8_load_rules();
    return utf8_errors(&rules, bytes, vec_shift_in(bytes, 1), vec_shift_in(bytes, 2),
                       vec_shift_in(bytes, 3));
}

/* utf8_errors of the block at p, with at least three bytes before it. */
static inline vec utf8_errors_at(const utf8_rules *rules, const uint8_t *p)
{
    return utf8_errors(rules, vec_load(p), vec_load(p - 1), vec_load(p - 2), vec_load(p - 3));
}

/* Less than a block: made a whole one by zeros, which leave a sequence that n cuts short without its rest, and so at fault. */
static inline size_t utf8_vec_short(const uint8_t *p, size_t n)
{
    if (n == 0) return 0; /* p may be NULL */
    const vec bytes = vec_load_front(p, n);
    if (vec_high_bits(bytes) == 0) return n;
    return vec_is_zero(utf8_errors_first(bytes)) ? n : utf8_ref(p, n);
}

/* One or two blocks, not ASCII as a rule: whether one of them is cannot be foreseen, and costs more than it saves. */
static inline size_t utf8_vec_two(const uint8_t *p, size_t n)
{
    const vec first = vec_load(p);
    if (vec_high_bits(vec_or(first, vec_load(p + n - VEC_BYTES))) == 0) return n;
    vec errors = utf8_errors_first(first);
    if (n >= VEC_BYTES + 3) {
        const utf8_rules rules = utf8_load_rules();
        errors = vec_or(errors, utf8_errors_at(&rules, p + n - VEC_BYTES));
    } else if (n > VEC_BYTES) /* one or two bytes behind the first block */
        errors = vec_or(errors, utf8_errors_first(vec_load_front(p + n - 8, 8)));
    return vec_is_zero(errors) && !utf8_ends_open(p, n) ? n : utf8_ref(p, n);
}

/* True when the `count` blocks at p are ASCII. */
static inline bool utf8_blocks_are_ascii(const uint8_t *p, size_t count)
{
    vec any = vec_load(p);
    for (size_t k = 1; k < count; k++) any = vec_or(any, vec_load(p + k * VEC_BYTES));
    return vec_high_bits(any) == 0;
}

/* How far p[i..n) is ASCII, by 8 blocks at a time, beginning at a whole multiple of a block's size: loads that straddle two
 * lines of the cache take twice the time. What lies between i and there must be ASCII. */
static inline size_t utf8_skip_ascii(const uint8_t *p, size_t i, size_t n)
{
    if (n - i < 9 * VEC_BYTES) return i;
    size_t at = i + (0 - (size_t)(uintptr_t)(p + i)) % VEC_BYTES;
    if (!utf8_blocks_are_ascii(p + i, 1) || !utf8_blocks_are_ascii(p + at, 8)) return i;
    do at += 8 * VEC_BYTES;
    while (n - at >= 8 * VEC_BYTES && utf8_blocks_are_ascii(p + at, 8));
    return at;
}

/* From the second block on, four at a time: ASCII behind a finished sequence is skipped, the rest is asked for errors once.
 * Returns where less than four blocks are left, or, *sound being false then, the start of the four that have an error. */
static inline size_t utf8_vec_long(const uint8_t *p, size_t n, bool *sound)
{
    const utf8_rules rules = utf8_load_rules();
    size_t i = VEC_BYTES;
    while (n - i >= 4 * VEC_BYTES && *sound) {
        /* One block first: in other text the answer is mostly found there. */
        if (utf8_blocks_are_ascii(p + i, 1) && utf8_blocks_are_ascii(p + i + VEC_BYTES, 3)) {
            *sound = !utf8_ends_open(p, i);
            if (*sound) i = utf8_skip_ascii(p, i + 4 * VEC_BYTES, n);
            continue;
        }
        vec errors = vec_splat(0);
#if defined(__AVX512VL__)
#pragma GCC unroll 4
#else
#pragma GCC unroll 1 /* more blocks at once need more registers than there are */
#endif
        for (size_t k = 0; k < 4; k++)
            errors = vec_or(errors, utf8_errors_at(&rules, p + i + k * VEC_BYTES));
        *sound = vec_is_zero(errors);
        if (*sound) i += 4 * VEC_BYTES;
    }
    return i;
}

/* Blocks of VEC_BYTES, the last one overlapping the one before. */
static inline size_t utf8_vec(const uint8_t *p, size_t n)
{
    if (n < VEC_BYTES) return utf8_vec_short(p, n);
    if (n <= 2 * VEC_BYTES) return utf8_vec_two(p, n);
    const vec first = vec_load(p);
    if (vec_high_bits(first) != 0 && !vec_is_zero(utf8_errors_first(first))) return utf8_ref(p, n);
    const utf8_rules rules = utf8_load_rules();
    bool sound = true;
    size_t i = utf8_vec_long(p, n, &sound);
    if (!sound) return utf8_exact_from(p, n, i - 1);
    while (i < n) {
        const size_t at = n - i >= VEC_BYTES ? i : n - VEC_BYTES;
        const bool is_ascii = vec_high_bits(vec_load(p + at)) == 0;
        if (is_ascii ? utf8_ends_open(p, at) : !vec_is_zero(utf8_errors_at(&rules, p + at)))
            return utf8_exact_from(p, n, at - 1);
        i = at + VEC_BYTES;
    }
    return utf8_ends_open(p, n) ? utf8_exact_from(p, n, n - 1) : n;
}
#endif

#endif
