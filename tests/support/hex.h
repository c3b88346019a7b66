/* SPDX-License-Identifier: Apache-2.0
 *
 * hex.h -- bytes as hex digits: how the tables of tests write documents, and how failures show them.
 */
#ifndef TESTS_SUPPORT_HEX_H
#define TESTS_SUPPORT_HEX_H

#include <bsonic/base.h>

/* Bytes that were read from hex digits; owned: hex_free. */
typedef struct hex_bytes {
    uint8_t *ptr;
    size_t len;
} hex_bytes;

/* Reads "06 00 00 00 00" or "0600000000": pairs of hex digits of either case, blanks between pairs. Anything else fails the
 * running test. The block has exactly the bytes' size, so that a sanitizer sees a read past them; "" gives a block of no
 * bytes. */
hex_bytes hex_read(const char *text);

void hex_free(hex_bytes *bytes);

/* The same as a span. */
bsn_bytes hex_span(const hex_bytes *bytes);

/* Writes bytes as "06 00 00" to text[0..text_size), with a terminator; "..." at the end when there is no room for all.
 * Returns text. text_size is at least 4. */
char *hex_print(bsn_bytes bytes, char *text, size_t text_size);

#endif
