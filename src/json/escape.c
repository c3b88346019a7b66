/* SPDX-License-Identifier: Apache-2.0
 *
 * escape.c -- the long way of escape.h: text that is not plain ASCII, or that stands at the end of what may be read.
 */
#include "json/escape.h"

#include "simd/simd.h"

uint8_t *bsni_escape(uint8_t *dst, const uint8_t *src, size_t len)
{
    if (bsni_utf8(src, len) != len) return NULL;
    return dst + bsni_json_escape(src, len, dst);
}

uint8_t *bsni_escape_long(uint8_t *dst, const uint8_t *src, size_t len)
{
    bool ascii = true;
    const size_t plain = bsni_json_string(src, len, dst, &ascii);
    const size_t seen = ascii ? plain : 0;
    if (seen == len) return dst + len;
    if (bsni_utf8(src + seen, len - seen) != len - seen) return NULL;
    return dst + plain + bsni_json_escape(src + plain, len - plain, dst + plain);
}
