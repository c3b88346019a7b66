/* SPDX-License-Identifier: Apache-2.0
 *
 * build.c -- see build.h.
 */
#include "support/build.h"
#include "support/hex.h"

#include <bsonic/detail/le.h>

#include <check.h>
#include <string.h>

void build_raw(build *b, const void *bytes, size_t len)
{
    ck_assert_uint_le(len, BUILD_MAX - b->len);
    if (len > 0) memcpy(b->bytes + b->len, bytes, len);
    b->len += len;
}

void build_u8(build *b, unsigned value)
{
    const uint8_t byte = (uint8_t)value;
    build_raw(b, &byte, 1);
}

void build_u32(build *b, uint32_t value)
{
    uint8_t bytes[4];
    bsn_store_u32(bytes, value);
    build_raw(b, bytes, sizeof bytes);
}

void build_i32(build *b, int32_t value)
{
    build_u32(b, (uint32_t)value);
}

void build_i64(build *b, int64_t value)
{
    uint8_t bytes[8];
    bsn_store_i64(bytes, value);
    build_raw(b, bytes, sizeof bytes);
}

void build_f64(build *b, double value)
{
    uint8_t bytes[8];
    bsn_store_f64(bytes, value);
    build_raw(b, bytes, sizeof bytes);
}

void build_cstring(build *b, const char *text)
{
    build_raw(b, text, strlen(text) + 1);
}

void build_hex(build *b, const char *hex)
{
    hex_bytes bytes = hex_read(hex);
    build_raw(b, bytes.ptr, bytes.len);
    hex_free(&bytes);
}

void build_string(build *b, const char *text)
{
    build_i32(b, (int32_t)strlen(text) + 1);
    build_cstring(b, text);
}

void build_element(build *b, unsigned type, const char *key)
{
    build_u8(b, type);
    build_cstring(b, key);
}

size_t build_open(build *b)
{
    const size_t place = b->len;
    build_i32(b, 0);
    return place;
}

void build_set(build *b, size_t place, int32_t value)
{
    ck_assert_uint_le(place + 4, b->len);
    bsn_store_i32(b->bytes + place, value);
}

void build_patch(build *b, size_t place)
{
    build_set(b, place, (int32_t)(b->len - place));
}

void build_close(build *b, size_t place)
{
    build_u8(b, 0);
    build_patch(b, place);
}

size_t build_header(build *b, int32_t request_id, int32_t response_to, int32_t opcode)
{
    const size_t place = build_open(b);
    build_i32(b, request_id);
    build_i32(b, response_to);
    build_i32(b, opcode);
    return place;
}

bsn_bytes build_view(const build *b)
{
    const bsn_bytes view = {b->bytes, b->len};
    return view;
}
