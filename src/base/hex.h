/* SPDX-License-Identifier: Apache-2.0
 *
 * hex.h -- four bytes as eight hex digits and back, in one word: loaded and stored little-endian, the first byte lowest.
 */
#ifndef BSNI_HEX_H
#define BSNI_HEX_H

#include <stdbool.h>
#include <stdint.h>

/* `byte` in each of the eight bytes of a word. */
#define BSNI_HEX_ALL(byte) ((byte) * (uint64_t)0x0101010101010101u)

/* The eight lower-case hex digits of four bytes. */
static inline uint64_t bsni_hex_from_bytes(uint32_t bytes)
{
    uint64_t x = bytes; /* each byte moves to the even place of its two digits */
    x = (x | x << 16) & 0x0000FFFF0000FFFFu;
    x = (x | x << 8) & 0x00FF00FF00FF00FFu;
    const uint64_t digits = (x >> 4 | x << 8) & BSNI_HEX_ALL(0x0F);
    const uint64_t letters =
        (digits + BSNI_HEX_ALL(6)) >> 4 & BSNI_HEX_ALL(1); /* 1 where the digit is over 9 */
    return digits + BSNI_HEX_ALL('0') + letters * ('a' - 10 - '0');
}

/* The four bytes of eight hex digits of either case. False if one is none. */
static inline bool bsni_hex_to_bytes(uint64_t text, uint32_t *bytes)
{
    /* With top bits clear no sum below carries into the next byte, and tops of the sums tell ranges. */
    const uint64_t tops = BSNI_HEX_ALL(0x80);
    const uint64_t low = text & ~tops;
    const uint64_t decimal = low ^ BSNI_HEX_ALL('0'); /* 0 .. 9 for a decimal digit */
    const uint64_t letter =
        (low | BSNI_HEX_ALL(0x20)) ^ BSNI_HEX_ALL(0x60); /* 1 .. 6 for a letter a .. f */
    const uint64_t is_decimal = ~(decimal + BSNI_HEX_ALL(0x80 - 10)) & tops;
    const uint64_t is_letter =
        (letter + BSNI_HEX_ALL(0x80 - 1)) & ~(letter + BSNI_HEX_ALL(0x80 - 7)) & tops;
    if (((is_decimal | is_letter) & ~text) != tops) return false;
    const uint64_t digits = (text & BSNI_HEX_ALL(0x0F)) + (is_letter >> 7) * 9;
    uint64_t x = (digits << 4 | digits >> 8) & 0x00FF00FF00FF00FFu;
    x = (x | x >> 8) & 0x0000FFFF0000FFFFu;
    *bytes = (uint32_t)(x | x >> 16);
    return true;
}

#endif
