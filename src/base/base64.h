/* SPDX-License-Identifier: Apache-2.0
 *
 * base64.h -- bytes as base64 with the standard alphabet and padding, and back.                          [RFC 4648, 4]
 */
#ifndef BSNI_BASE64_H
#define BSNI_BASE64_H

#include <bsonic/base.h>

/* The longest input whose text has a length that fits. */
#define BSNI_BASE64_BYTES_MAX (SIZE_MAX / 4 * 3)

/* Length of the text of `len` bytes, len <= BSNI_BASE64_BYTES_MAX: four characters for every three bytes begun. */
static inline size_t bsni_base64_text_len(size_t len)
{
    return (len / 3 + (len % 3 != 0)) * 4;
}

/* Room that the bytes of a text of `len` characters need: exact but for padding. */
static inline size_t bsni_base64_bytes_max(size_t len)
{
    return len / 4 * 3;
}

/* Writes the text of `bytes` to text[0..bsni_base64_text_len(bytes.len)), and nothing behind it. The texts of pieces can be
 * joined when every piece but the last has a multiple of three bytes. */
void bsni_base64_encode(bsn_bytes bytes, char *text);

/* Reads the whole of `text` into bytes[0..*len), room for bsni_base64_bytes_max(text.len).
 *
 * Strict, so that each value has one text and nothing is dropped: the length is a multiple of four, padding is there and only
 * where it must be, its unused bits are zero, and there is no other character, blanks and the URL-safe alphabet included. (The
 * public corpus has no case with unused bits set; RFC 4648, 3.5 lets a decoder refuse them.)
 *
 * Returns  false, *len untouched and the room undefined, for anything else   e.g. "A", "AA", "AA=", "AB==", "AA-_", "AAAA "
 */
BSN_MUST_CHECK bool bsni_base64_decode(bsn_str text, uint8_t *bytes, size_t *len);

#endif
