/* SPDX-License-Identifier: Apache-2.0
 *
 * percent.h -- a byte written as %XX: in connection strings, and in the names of a dump's files.                    [RFC 3986, 2.1]
 */
#ifndef BSNI_PERCENT_H
#define BSNI_PERCENT_H

#include <bsonic/base.h>

static inline int bsni_hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* The byte of the three characters at `at` of the text, the first of which is a %. Negative when two hex digits do not follow it. */
static inline int bsni_percent_byte(bsn_str text, size_t at)
{
    if (text.len - at < 3) return -1;
    const int high = bsni_hex_digit(text.ptr[at + 1]), low = bsni_hex_digit(text.ptr[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

#endif
