/* SPDX-License-Identifier: Apache-2.0
 *
 * hex.c -- see hex.h.
 */
#include "support/hex.h"

#include <check.h>

#include <stdlib.h>
#include <string.h>

/* The value of a hex digit, or -1. */
static int digit_value(char digit)
{
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

/* Reads pairs into out[0..), or only counts them when out is NULL. */
static size_t read_pairs(const char *text, uint8_t *out)
{
    size_t count = 0;
    for (const char *at = text; *at != '\0';) {
        if (*at == ' ' || *at == '\n') {
            at++;
            continue;
        }
        const int high = digit_value(at[0]);
        const int low = high < 0 ? -1 : digit_value(at[1]);
        ck_assert_msg(low >= 0, "not hex: \"%s\" at \"%s\"", text, at);
        if (out != NULL) out[count] = (uint8_t)(high * 16 + low);
        count++;
        at += 2;
    }
    return count;
}

hex_bytes hex_read(const char *text)
{
    hex_bytes bytes = {.len = read_pairs(text, NULL)};
    bytes.ptr = malloc(bytes.len);
    ck_assert(bytes.ptr != NULL || bytes.len == 0);
    read_pairs(text, bytes.ptr);
    return bytes;
}

void hex_free(hex_bytes *bytes)
{
    free(bytes->ptr);
    memset(bytes, 0, sizeof *bytes);
}

bsn_bytes hex_span(const hex_bytes *bytes)
{
    const bsn_bytes span = {bytes->ptr, bytes->len};
    return span;
}

char *hex_print(bsn_bytes bytes, char *text, size_t text_size)
{
    static const char digits[] = "0123456789ABCDEF";
    ck_assert_uint_ge(text_size, 4);
    size_t used = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        /* A pair takes 3 bytes, and until the last one the room for "..." and the terminator must stay. */
        const size_t spare = i + 1 == bytes.len ? 1 : 4;
        if (text_size - used < 3 + spare) {
            memcpy(text + used, "...", 3);
            used += 3;
            break;
        }
        if (used != 0) text[used++] = ' ';
        text[used++] = digits[bytes.ptr[i] >> 4];
        text[used++] = digits[bytes.ptr[i] & 15];
    }
    text[used] = '\0';
    return text;
}
