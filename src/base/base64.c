/* SPDX-License-Identifier: Apache-2.0
 *
 * base64.c -- base64 by table, six bytes and eight characters at a time.
 */
#include "base/base64.h"

#include "base/debug.h"

#include <bsonic/detail/le.h>

static const char alphabet[64] = {'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M',
                                  'N', 'O', 'P', 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z',
                                  'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
                                  'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
                                  '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '/'};

/* The character of the six bits at `shift`. */
static uint64_t character_at(uint64_t bits, unsigned shift)
{
    return (uint8_t)alphabet[bits >> shift & 63];
}

/* The text of the upper 48 bits, the first character lowest. */
static uint64_t eight_characters(uint64_t bits)
{
    return character_at(bits, 58) | character_at(bits, 52) << 8 | character_at(bits, 46) << 16 |
           character_at(bits, 40) << 24 | character_at(bits, 34) << 32 |
           character_at(bits, 28) << 40 | character_at(bits, 22) << 48 |
           character_at(bits, 16) << 56;
}

void bsni_base64_encode(bsn_bytes bytes, char *text)
{
    BSN_ASSERT(bytes.len <= BSNI_BASE64_BYTES_MAX);
    const uint8_t *p = bytes.ptr;
    size_t left = bytes.len;
    for (; left >= 8; left -= 6, p += 6, text += 8) {
        bsn_store_u64((uint8_t *)text, eight_characters(bsn_swap64(bsn_load_u64(p))));
    }
    for (; left >= 3; left -= 3, p += 3, text += 4) {
        const uint32_t bits = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
        bsn_store_u32((uint8_t *)text, (uint32_t)(eight_characters((uint64_t)bits << 40)));
    }
    if (left == 0) return;
    const uint32_t bits = (uint32_t)p[0] << 16 | (left == 2 ? (uint32_t)p[1] << 8 : 0);
    bsn_store_u32((uint8_t *)text, (uint32_t)(eight_characters((uint64_t)bits << 40)));
    text[3] = '=';
    if (left == 1) text[2] = '=';
}

#define NONE 0x80 /* no character of the alphabet; no value has this bit */

/* clang-format off */
static const uint8_t values[256] = {
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

/* The 24 bits of four characters. What is no character leaves its mark in *seen. */
static uint32_t four_values(const char *text, uint32_t *seen)
{
    const uint32_t a = values[(uint8_t)text[0]];
    const uint32_t b = values[(uint8_t)text[1]];
    const uint32_t c = values[(uint8_t)text[2]];
    const uint32_t d = values[(uint8_t)text[3]];
    *seen |= a | b | c | d;
    return a << 18 | b << 12 | c << 6 | d;
}

static void put_three(uint32_t bits, uint8_t *bytes)
{
    bytes[0] = (uint8_t)(bits >> 16);
    bytes[1] = (uint8_t)(bits >> 8);
    bytes[2] = (uint8_t)bits;
}

/* The last four characters, which may end in padding. Returns the number of bytes, 0 if they are unsound. */
static size_t decode_last(const char *text, uint8_t *bytes)
{
    const size_t count = text[3] != '=' ? 3 : text[2] != '=' ? 2 : 1;
    const char filled[4] = {text[0], text[1], count > 1 ? text[2] : 'A', count > 2 ? text[3] : 'A'};
    uint32_t seen = 0;
    const uint32_t bits = four_values(filled, &seen);
    const uint32_t unused = count == 3 ? 0 : count == 2 ? 0xFF : 0xFFFF;
    if ((seen & NONE) != 0 || (bits & unused) != 0) return 0;
    bytes[0] = (uint8_t)(bits >> 16);
    if (count > 1) bytes[1] = (uint8_t)(bits >> 8);
    if (count > 2) bytes[2] = (uint8_t)bits;
    return count;
}

bool bsni_base64_decode(bsn_str text, uint8_t *bytes, size_t *len)
{
    if (text.len % 4 != 0) return false;
    if (text.len == 0) {
        *len = 0;
        return true;
    }
    const char *p = text.ptr;
    size_t left = text.len;
    uint8_t *out = bytes;
    uint32_t seen = 0;
    /* Eight bytes are stored for six; the room of the last four characters takes the two more. */
    for (; left >= 12; left -= 8, p += 8, out += 6) {
        const uint64_t upper = four_values(p, &seen);
        bsn_store_u64(out, bsn_swap64(upper << 40 | (uint64_t)four_values(p + 4, &seen) << 16));
    }
    for (; left > 4; left -= 4, p += 4, out += 3) put_three(four_values(p, &seen), out);
    const size_t last = decode_last(p, out);
    if ((seen & NONE) != 0 || last == 0) return false;
    *len = (size_t)(out - bytes) + last;
    return true;
}
