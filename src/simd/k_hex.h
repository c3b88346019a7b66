/* SPDX-License-Identifier: Apache-2.0
 *
 * k_hex.h -- kernels: bytes to lower-case hex digits, and digits of either case to bytes. Made for the 12 bytes of an ObjectId.
 *
 * hex_encode   writes the 2 * n digits of p[0..n) to out[0..2n).
 * hex_decode   reads the 2 * n bytes p[0..2n) and writes out[0..n). True when all were digits; else what is in out[0..n) is
 *              undefined.
 * Both read and write what is named here and nothing else.
 */
#ifndef BSNI_K_HEX_H
#define BSNI_K_HEX_H

#include <bsonic/detail/le.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if VEC_BYTES
#include <simde/x86/sse4.1.h>
#endif

static inline void hex_encode_ref(const uint8_t *p, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = (uint8_t) "0123456789abcdef"[p[i] >> 4];
        out[2 * i + 1] = (uint8_t) "0123456789abcdef"[p[i] & 15];
    }
}

/* The value of a digit; 16 for any other byte. */
static inline uint8_t hex_digit(uint8_t byte)
{
    if (byte >= '0' && byte <= '9') return (uint8_t)(byte - '0');
    const uint8_t lower = byte | 0x20;
    if (lower >= 'a' && lower <= 'f') return (uint8_t)(lower - 'a' + 10);
    return 16;
}

static inline bool hex_decode_ref(const uint8_t *p, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t high = hex_digit(p[2 * i]), low = hex_digit(p[2 * i + 1]);
        if (high > 15 || low > 15) return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* `byte` in each of the eight bytes of a word. */
#define HEX_ALL(byte) ((byte) * (uint64_t)0x0101010101010101u)

/* The eight digits of four bytes, the first byte lowest. */
static inline uint64_t hex_digits_of_word(uint32_t bytes)
{
    uint64_t x = bytes; /* each byte moves to the even place of its two digits */
    x = (x | x << 16) & 0x0000FFFF0000FFFFu;
    x = (x | x << 8) & 0x00FF00FF00FF00FFu;
    const uint64_t digits = (x >> 4 | x << 8) & HEX_ALL(0x0F);
    const uint64_t letters =
        (digits + HEX_ALL(6)) >> 4 & HEX_ALL(1); /* 1 where a digit is over 9 */
    return digits + HEX_ALL('0') + letters * ('a' - 10 - '0');
}

/* The four bytes of eight digits. False if one is none. */
static inline bool hex_word_of_digits(uint64_t text, uint32_t *bytes)
{
    /* With top bits clear no sum below carries into the next byte, and tops of the sums tell ranges. */
    const uint64_t tops = HEX_ALL(0x80);
    const uint64_t low = text & ~tops;
    const uint64_t decimal = low ^ HEX_ALL('0');                   /* 0 .. 9 for a decimal digit */
    const uint64_t letter = (low | HEX_ALL(0x20)) ^ HEX_ALL(0x60); /* 1 .. 6 for a letter a .. f */
    const uint64_t is_decimal = ~(decimal + HEX_ALL(0x80 - 10)) & tops;
    const uint64_t is_letter = (letter + HEX_ALL(0x80 - 1)) & ~(letter + HEX_ALL(0x80 - 7)) & tops;
    if (((is_decimal | is_letter) & ~text) != tops) return false;
    const uint64_t digits = (text & HEX_ALL(0x0F)) + (is_letter >> 7) * 9;
    uint64_t x = (digits << 4 | digits >> 8) & 0x00FF00FF00FF00FFu;
    x = (x | x >> 8) & 0x0000FFFF0000FFFFu;
    *bytes = (uint32_t)(x | x >> 16);
    return true;
}

static inline void hex_encode_word(const uint8_t *p, size_t n, uint8_t *out)
{
    size_t i = 0;
    for (; n - i >= 4; i += 4) bsn_store_u64(out + 2 * i, hex_digits_of_word(bsn_load_u32(p + i)));
    for (; i < n; i++) hex_encode_ref(p + i, 1, out + 2 * i);
}

static inline bool hex_decode_word(const uint8_t *p, size_t n, uint8_t *out)
{
    size_t i = 0;
    for (; n - i >= 4; i += 4) {
        uint32_t bytes;
        if (!hex_word_of_digits(bsn_load_u64(p + 2 * i), &bytes)) return false;
        bsn_store_u32(out + i, bytes);
    }
    for (; i < n; i++) {
        if (!hex_decode_ref(p + 2 * i, 1, out + i)) return false;
    }
    return true;
}

#if VEC_BYTES
/* Eight bytes a step in both tiers: an ObjectId is two steps, the second over the last eight bytes, whatever the first did. */
static inline size_t hex_next_step(size_t i, size_t n)
{
    return n - i >= 16 ? i + 8 : n - 8;
}

/* The 16 digits of 8 bytes: nibbles side by side, then one table lookup. */
static inline simde__m128i hex_digits_of_8(simde__m128i bytes)
{
    const simde__m128i digits = simde_mm_setr_epi8('0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
                                                   'a', 'b', 'c', 'd', 'e', 'f');
    const simde__m128i pairs = simde_mm_unpacklo_epi8(simde_mm_srli_epi16(bytes, 4), bytes);
    return simde_mm_shuffle_epi8(digits, simde_mm_and_si128(pairs, simde_mm_set1_epi8(0x0F)));
}

static inline void hex_encode_vec(const uint8_t *p, size_t n, uint8_t *out)
{
    if (n < 8) {
        hex_encode_word(p, n, out);
        return;
    }
    for (size_t i = 0;; i = hex_next_step(i, n)) {
        const simde__m128i bytes =
            simde_mm_loadl_epi64((const simde__m128i *)(const void *)(p + i));
        simde_mm_storeu_si128((simde__m128i *)(void *)(out + 2 * i), hex_digits_of_8(bytes));
        if (i == n - 8) return;
    }
}

/* Where first <= byte <= first + span, all ones. */
static inline simde__m128i hex_in_range(simde__m128i from_first, int8_t span)
{
    return simde_mm_cmpeq_epi8(simde_mm_min_epu8(from_first, simde_mm_set1_epi8(span)), from_first);
}

/* The 8 bytes of 16 digits, in the low half. False if one is none. */
static inline bool hex_8_of_digits(simde__m128i text, simde__m128i *bytes)
{
    const simde__m128i decimal = simde_mm_sub_epi8(text, simde_mm_set1_epi8('0'));
    const simde__m128i letter = simde_mm_sub_epi8(simde_mm_or_si128(text, simde_mm_set1_epi8(0x20)),
                                                  simde_mm_set1_epi8('a'));
    const simde__m128i is_decimal = hex_in_range(decimal, 9), is_letter = hex_in_range(letter, 5);
    if (simde_mm_movemask_epi8(simde_mm_or_si128(is_decimal, is_letter)) != 0xFFFF) return false;
    const simde__m128i digits = simde_mm_or_si128(
        simde_mm_and_si128(is_decimal, decimal),
        simde_mm_and_si128(is_letter, simde_mm_add_epi8(letter, simde_mm_set1_epi8(10))));
    /* Each pair to 16 * first + second, as 16 bits, then narrowed. */
    const simde__m128i pairs = simde_mm_maddubs_epi16(digits, simde_mm_set1_epi16(0x0110));
    *bytes = simde_mm_packus_epi16(pairs, pairs);
    return true;
}

static inline bool hex_decode_vec(const uint8_t *p, size_t n, uint8_t *out)
{
    if (n < 8) return hex_decode_word(p, n, out);
    for (size_t i = 0;; i = hex_next_step(i, n)) {
        simde__m128i bytes;
        if (!hex_8_of_digits(simde_mm_loadu_si128((const simde__m128i *)(const void *)(p + 2 * i)),
                             &bytes))
            return false;
        simde_mm_storel_epi64((simde__m128i *)(void *)(out + i), bytes);
        if (i == n - 8) return true;
    }
}
#endif

#endif
