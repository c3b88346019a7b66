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
