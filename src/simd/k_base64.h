/* SPDX-License-Identifier: Apache-2.0
 *
 * k_base64.h -- kernels: bytes to base64 with the standard alphabet and padding, and back.                     [RFC 4648, 4]
 *
 * base64_enc   writes the text of p[0..n) to out, four characters for every three bytes begun. The texts of pieces can be joined when
 *              every piece but the last has a multiple of three bytes.
 * base64_dec   reads the whole of the text p[0..n) into out[0..*len), room for n / 4 * 3. Strict, so that each value has one
 *              text and nothing is dropped: the length is a multiple of four, padding is there and only where it must be, its
 *              unused bits are zero, and there is no other character, blanks and the URL-safe alphabet included. (The public
 *              corpus has no case with unused bits set; RFC 4648, 3.5 lets a decoder refuse them.) False for anything else,
 *              *len untouched and the room undefined   e.g. "A", "AA", "AA=", "AB==", "AA-_", "AAAA "
 * Both read p[0..n) and write the text, or the room, and nothing else.
 *
 * The vector forms are of W. Mula, D. Lemire, "Faster Base64 Encoding and Decoding using AVX2 Instructions", 2018: 12 bytes of
 * every 16-byte lane become 16 characters.
 */
#ifndef BSNI_K_BASE64_H
#define BSNI_K_BASE64_H

#include <bsonic/detail/le.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if VEC_BYTES
#include "simd/vec.h"
#endif

static const uint8_t base64_alphabet[64] = {
    'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P',
    'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z', 'a', 'b', 'c', 'd', 'e', 'f',
    'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v',
    'w', 'x', 'y', 'z', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '/'};

#define BASE64_NONE 0x80 /* no character of the alphabet; no value has this bit */

/* clang-format off */
static const uint8_t base64_values[256] = {
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,  62, 128, 128, 128,  63, /* + / */
     52,  53,  54,  55,  56,  57,  58,  59,  60,  61, 128, 128, 128, 128, 128, 128, /* 0 .. 9 */
    128,   0,   1,   2,   3,   4,   5,   6,   7,   8,   9,  10,  11,  12,  13,  14, /* A .. O */
     15,  16,  17,  18,  19,  20,  21,  22,  23,  24,  25, 128, 128, 128, 128, 128, /* P .. Z */
    128,  26,  27,  28,  29,  30,  31,  32,  33,  34,  35,  36,  37,  38,  39,  40, /* a .. o */
     41,  42,  43,  44,  45,  46,  47,  48,  49,  50,  51, 128, 128, 128, 128, 128, /* p .. z */
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
};
/* clang-format on */

/* ------------------------------------------------------------------ reference */

/* Byte by byte: three of them, the missing ones 0, then the characters that stand for missing ones made padding. */
static inline void base64_enc_ref(const uint8_t *p, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i += 3, out += 4) {
        const uint8_t a = p[i];
        const uint8_t b = n - i > 1 ? p[i + 1] : 0;
        const uint8_t c = n - i > 2 ? p[i + 2] : 0;
        out[0] = base64_alphabet[a >> 2];
        out[1] = base64_alphabet[(a & 3) << 4 | b >> 4];
        out[2] = n - i > 1 ? base64_alphabet[(b & 15) << 2 | c >> 6] : '=';
        out[3] = n - i > 2 ? base64_alphabet[c & 63] : '=';
    }
}

/* The 24 bits of four characters. What is no character leaves its mark in *seen. */
static inline uint32_t base64_four_values(const uint8_t *p, uint32_t *seen)
{
    const uint32_t a = base64_values[p[0]];
    const uint32_t b = base64_values[p[1]];
    const uint32_t c = base64_values[p[2]];
    const uint32_t d = base64_values[p[3]];
    *seen |= a | b | c | d;
    return a << 18 | b << 12 | c << 6 | d;
}

static inline void base64_put_three(uint32_t bits, uint8_t *out)
{
    out[0] = (uint8_t)(bits >> 16);
    out[1] = (uint8_t)(bits >> 8);
    out[2] = (uint8_t)bits;
}

/* The last four characters, which may end in padding. Returns the number of bytes, 0 if they are unsound. */
static inline size_t base64_dec_last(const uint8_t *p, uint8_t *out)
{
    const size_t count = p[3] != '=' ? 3 : p[2] != '=' ? 2 : 1;
    const uint8_t filled[4] = {p[0], p[1], count > 1 ? p[2] : 'A', count > 2 ? p[3] : 'A'};
    uint32_t seen = 0;
    const uint32_t bits = base64_four_values(filled, &seen);
    const uint32_t unused = count == 3 ? 0 : count == 2 ? 0xFF : 0xFFFF;
    if ((seen & BASE64_NONE) != 0 || (bits & unused) != 0) return 0;
    out[0] = (uint8_t)(bits >> 16);
    if (count > 1) out[1] = (uint8_t)(bits >> 8);
    if (count > 2) out[2] = (uint8_t)bits;
    return count;
}

/* Character by character, each looked at before the next. */
static inline bool base64_dec_ref(const uint8_t *p, size_t n, uint8_t *out, size_t *len)
{
    uint8_t *const first = out;
    size_t last = 0;
    if (n % 4 != 0) return false;
    for (size_t i = 0; i < n; i++) {
        if (i + 4 == n) {
            last = base64_dec_last(p + i, out);
            if (last == 0) return false;
            break;
        }
        const uint8_t value = base64_values[p[i]];
        if (value == BASE64_NONE) return false;
        switch (i % 4) {
        case 0: out[0] = (uint8_t)(value << 2); break;
        case 1:
            out[0] |= value >> 4;
            out[1] = (uint8_t)(value << 4);
            break;
        case 2:
            out[1] |= value >> 2;
            out[2] = (uint8_t)(value << 6);
            break;
        default:
            out[2] |= value;
            out += 3;
            break;
        }
    }
    *len = (size_t)(out - first) + last;
    return true;
}

/* ------------------------------------------------------------------ words */

/* The character of the six bits at `shift`. */
static inline uint64_t base64_character_at(uint64_t bits, unsigned shift)
{
    return base64_alphabet[bits >> shift & 63];
}

/* The text of the upper 48 bits, the first character lowest. */
static inline uint64_t base64_eight_characters(uint64_t bits)
{
    return base64_character_at(bits, 58) | base64_character_at(bits, 52) << 8 |
           base64_character_at(bits, 46) << 16 | base64_character_at(bits, 40) << 24 |
           base64_character_at(bits, 34) << 32 | base64_character_at(bits, 28) << 40 |
           base64_character_at(bits, 22) << 48 | base64_character_at(bits, 16) << 56;
}

static inline void base64_enc_word(const uint8_t *p, size_t n, uint8_t *out)
{
    for (; n >= 8; n -= 6, p += 6, out += 8) {
        bsn_store_u64(out, base64_eight_characters(bsn_swap64(bsn_load_u64(p))));
    }
    base64_enc_ref(p, n, out);
}

static inline bool base64_dec_word(const uint8_t *p, size_t n, uint8_t *out, size_t *len)
{
    uint8_t *const first = out;
    uint32_t seen = 0;
    if (n % 4 != 0) return false;
    if (n == 0) {
        *len = 0;
        return true;
    }
    /* Eight bytes are stored for six; the room of the last four characters takes the two more. */
    for (; n >= 12; n -= 8, p += 8, out += 6) {
        const uint64_t upper = base64_four_values(p, &seen);
        bsn_store_u64(out,
                      bsn_swap64(upper << 40 | (uint64_t)base64_four_values(p + 4, &seen) << 16));
    }
    for (; n > 4; n -= 4, p += 4, out += 3) base64_put_three(base64_four_values(p, &seen), out);
    const size_t last = base64_dec_last(p, out);
    if ((seen & BASE64_NONE) != 0 || last == 0) return false;
    *len = (size_t)(out - first) + last;
    return true;
}

/* ------------------------------------------------------------------ vectors */

#if VEC_BYTES
/* The characters of 12 bytes at the front of each lane.
 *
 *   bytes      a           b           c
 *              aaaaaabb    bbbbcccc    ccdddddd       four values of six bits
 *   b a c b    as two words of 16 bits: aaaaaabbbbbb.... and ....ccccccdddddd, each with two of the values in it
 *
 * Multiplying by a power of two moves a value to its byte: the upper half of the product shifts right, the lower half left. Then
 * each value is told its range by a number, which finds what is to be added. */
static inline vec base64_characters(vec bytes)
{
    static const uint8_t order[16] = {1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10};
    /* 0: a .. z; 1 .. 10: digits; 11: +; 12: /; 13: A .. Z. */
    static const uint8_t distances[16] = {
        'a' - 26,
        (uint8_t)('0' - 52),
        (uint8_t)('0' - 52),
        (uint8_t)('0' - 52),
        (uint8_t)('0' - 52),
        (uint8_t)('0' - 52),
        (uint8_t)('0' - 52),
        (uint8_t)('0' - 52),
        (uint8_t)('0' - 52),
        (uint8_t)('0' - 52),
        (uint8_t)('0' - 52),
        (uint8_t)('+' - 62),
        (uint8_t)('/' - 63),
        'A',
        0,
        0,
    };
    const vec words = vec_lookup(bytes, vec_table(order));
    const vec even =
        vec_mul_high16(vec_and(words, vec_splat32(0x0FC0FC00)), vec_splat32(0x04000040));
    const vec odd = vec_mul_low16(vec_and(words, vec_splat32(0x003F03F0)), vec_splat32(0x01000010));
    const vec values = vec_or(even, odd);
    const vec is_upper = vec_eq(vec_min(values, vec_splat(25)), values);
    const vec ranges =
        vec_or(vec_sub_saturated(values, vec_splat(51)), vec_and(is_upper, vec_splat(13)));
    return vec_add(values, vec_lookup(vec_table(distances), ranges));
}

static inline vec base64_load_12(const uint8_t *p)
{
    return vec_from_low16(
        simde_mm_set_epi64x((int64_t)bsn_load_u32(p + 8), (int64_t)bsn_load_u64(p)));
}

static inline void base64_put_16(uint8_t *out, vec characters)
{
    vec_store16(out, vec_low16(characters));
}

static inline void base64_enc_vec(const uint8_t *p, size_t n, uint8_t *out)
{
    const size_t whole = n - n % 3;
    size_t i = 0;
    if (n < 12) {
        base64_enc_word(p, n, out);
        return;
    }
#if VEC_BYTES == 32
    for (; n - i >= 28; i += 24) {
        vec_store(out + i / 3 * 4,
                  base64_characters(vec_from_two16(vec_load16(p + i), vec_load16(p + i + 12))));
    }
#endif
    for (; n - i >= 16; i += 12) {
        base64_put_16(out + i / 3 * 4, base64_characters(vec_from_low16(vec_load16(p + i))));
    }
    if (whole - i > 12) {
        base64_put_16(out + i / 3 * 4, base64_characters(base64_load_12(p + i)));
    }
    /* The last 12 bytes, whatever of them has been written. */
    if (whole - i > 0) {
        base64_put_16(out + whole / 3 * 4 - 16, base64_characters(base64_load_12(p + whole - 12)));
    }
    base64_enc_ref(p + whole, n - whole, out + whole / 3 * 4);
}

/* The 12 bytes of the characters in each lane, at its front. What is no character leaves a bit in *bad.
 *
 * The upper four bits of a character choose a set of allowed lower ones: both tables have the bit of the set where it is not
 * allowed, and a bit in common says so. `/` is the one character whose distance is not that of its upper bits. */
static inline vec base64_bytes(vec text, vec *bad)
{
    /* 2: + and / are allowed; 3: 0 .. 9; 4, 6: all but 0; 5, 7: 0 .. A; others: nothing. */
    static const uint8_t bad_low[16] = {0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                                        0x11, 0x11, 0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A};
    static const uint8_t bad_high[16] = {0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08,
                                         0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10};
    static const uint8_t distances[16] = {0,
                                          63 - '/',
                                          62 - '+',
                                          52 - '0',
                                          (uint8_t)(0 - 'A'),
                                          (uint8_t)(0 - 'A'),
                                          (uint8_t)(26 - 'a'),
                                          (uint8_t)(26 - 'a')};
    static const uint8_t order[16] = {2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 3, 7, 11, 15};
    const vec high = vec_high_nibbles(text);
    *bad = vec_or(*bad, vec_and(vec_lookup(vec_table(bad_low), vec_low_nibbles(text)),
                                vec_lookup(vec_table(bad_high), high)));
    /* Minus one for a slash; what is bad may have any value. */
    const vec kind = vec_low_nibbles(vec_add(high, vec_eq(text, vec_splat('/'))));
    const vec values = vec_add(text, vec_lookup(vec_table(distances), kind));
    const vec pairs = vec_sum_pairs8(values, vec_splat32(0x01400140)); /* first << 6 | second */
    const vec fours = vec_sum_pairs16(pairs, vec_splat32(0x00011000)); /* first << 12 | second */
    return vec_lookup(fours, vec_table(order));
}

/* The 16 characters at p to exactly 12 bytes. */
static inline void base64_dec_16(const uint8_t *p, uint8_t *out, vec *bad)
{
    const simde__m128i bytes = vec_low16(base64_bytes(vec_from_low16_twice(vec_load16(p)), bad));
    simde_mm_storel_epi64((simde__m128i *)(void *)out, bytes);
    bsn_store_u32(out + 8, (uint32_t)simde_mm_extract_epi32(bytes, 2));
}

static inline bool base64_dec_vec(const uint8_t *p, size_t n, uint8_t *out, size_t *len)
{
    if (n % 4 != 0) return false;
    if (n < 20) return base64_dec_word(p, n, out, len);
    const size_t body = n - 4; /* without padding */
    size_t i = 0;
    vec bad = vec_splat(0);
#if VEC_BYTES == 32
    /* Each store has four bytes too many, which the next one, or the room of the last four characters and more, takes. */
    for (; body - i >= 36; i += 32) {
        const vec bytes = base64_bytes(vec_load(p + i), &bad);
        vec_store16(out + i / 4 * 3, vec_low16(bytes));
        vec_store16(out + i / 4 * 3 + 12, vec_high16(bytes));
    }
#endif
    for (; body - i >= 20; i += 16) base64_dec_16(p + i, out + i / 4 * 3, &bad);
    if (i < body) base64_dec_16(p + body - 16, out + body / 4 * 3 - 12, &bad);
    const size_t last = base64_dec_last(p + body, out + body / 4 * 3);
    if (last == 0 || !vec_is_zero(bad)) return false;
    *len = body / 4 * 3 + last;
    return true;
}
#endif

#endif
