/* SPDX-License-Identifier: Apache-2.0
 *
 * print_value.c -- the types that are rarer in documents, text of any length, and binaries of any length.
 */
#include "json/number.h"
#include "json/printer.h"

#include "base/debug.h"
#include "simd/simd.h"

/* Pieces of long text are at least this long, but for the last one: less room than that is not worth using. */
#define PIECE_MIN 32

/* What must stay free behind a piece. */
#define PIECE_SPARE (BSNI_AFTER_TEXT + BSNI_ESCAPE_SLACK)

/* ---- text ---- */

/* How much of `len` units can go out now, when one of them may need `growth` bytes; 0 where the room is not worth it. */
static size_t piece_of(const bsni_printer *p, const uint8_t *dst, size_t len, size_t growth)
{
    const size_t room = bsni_sink_room(&p->sink, dst);
    if (room < PIECE_SPARE) return 0;
    const size_t fits = (room - PIECE_SPARE) / growth;
    if (fits >= len) return len;
    return fits >= PIECE_MIN ? fits : 0;
}

static uint8_t *put_sound_text(bsni_printer *p, uint8_t *dst, const uint8_t *src, size_t len)
{
    while (len != 0) {
        const size_t piece = piece_of(p, dst, len, BSNI_ESCAPE_GROWTH);
        if (piece == 0) {
            dst = bsni_print_turn(p, dst);
            if (dst == NULL) return NULL;
            continue;
        }
        dst += bsni_json_escape(src, piece, dst);
        src += piece;
        len -= piece;
    }
    return bsni_sink_room(&p->sink, dst) < BSNI_AFTER_TEXT ? bsni_print_turn(p, dst) : dst;
}

uint8_t *bsni_put_long_text(bsni_printer *p, uint8_t *dst, const uint8_t *src, size_t len)
{
    if (bsni_utf8(src, len) != len) return NULL;
    return put_sound_text(p, dst, src, len);
}

/* ---- binary ---- */

static uint8_t *put_hex_byte(uint8_t *dst, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";
    *dst++ = (uint8_t)digits[byte >> 4];
    *dst++ = (uint8_t)digits[byte & 15];
    return dst;
}

/* Pieces are of three bytes, four digits, so that padding comes at the very end only. */
static uint8_t *put_base64(bsni_printer *p, uint8_t *dst, bsn_bytes bytes)
{
    while (bytes.len != 0) {
        const size_t groups = piece_of(p, dst, bytes.len / 3 + (bytes.len % 3 != 0), 4);
        if (groups == 0) {
            dst = bsni_print_turn(p, dst);
            if (dst == NULL) return NULL;
            continue;
        }
        bsn_bytes piece = {bytes.ptr, groups * 3};
        if (piece.len > bytes.len) piece.len = bytes.len;
        bsni_base64_encode(piece.ptr, piece.len, dst);
        dst += bsni_base64_text_len(piece.len);
        bytes.ptr += piece.len;
        bytes.len -= piece.len;
    }
    return bsni_sink_room(&p->sink, dst) < BSNI_AFTER_TEXT ? bsni_print_turn(p, dst) : dst;
}

/* The old subtype 02 has an inner length in front, which is not part of what the user stored. */
static uint8_t *put_binary(bsni_printer *p, uint8_t *dst, bsn_bytes raw)
{
    const uint8_t subtype = raw.ptr[4];
    const size_t front = subtype == BSN_SUBTYPE_OLD_BINARY ? 9 : 5;
    const bsn_bytes bytes = {raw.ptr + front, raw.len - front};
    dst = bsni_put_literal(dst, &p->style->binary.open);
    dst = put_base64(p, dst, bytes);
    if (dst == NULL) return NULL;
    dst = bsni_put_literal(dst, &p->style->binary.middle);
    dst = put_hex_byte(dst, subtype);
    return bsni_put_literal(dst, &p->style->binary.close);
}

/* ---- regular expressions ---- */

/* True where sorting changes nothing, or is not meant: options are letters, and what is not ASCII stays as it is, as the writer
 * leaves it too. */
static bool is_in_order(const uint8_t *options, size_t len)
{
    bool sorted = true, ascii = true;
    for (size_t i = 0; i < len; i++) {
        ascii &= options[i] < 0x80;
        sorted &= i == 0 || options[i - 1] <= options[i];
    }
    return sorted || !ascii;
}

/* ASCII options in alphabetical order, any number of them without memory, by counting. */
static uint8_t *put_options_sorted(bsni_printer *p, uint8_t *dst, const uint8_t *options,
                                   size_t len)
{
    uint32_t counts[0x80] = {0};
    for (size_t i = 0; i < len; i++) counts[options[i]]++;
    for (unsigned byte = 0; byte < 0x80; byte++) {
        const uint8_t option = (uint8_t)byte;
        for (; counts[byte] != 0; counts[byte]--) {
            dst = put_sound_text(p, dst, &option, 1);
            if (dst == NULL) return NULL;
        }
    }
    return dst;
}

static uint8_t *put_options(bsni_printer *p, uint8_t *dst, const uint8_t *options, size_t len)
{
    if (is_in_order(options, len)) return bsni_put_text(p, dst, options, len);
    return put_options_sorted(p, dst, options, len);
}

static uint8_t *put_regex(bsni_printer *p, uint8_t *dst, bsn_bytes raw)
{
    const size_t pattern_len = bsni_cstring(raw.ptr, raw.len);
    const uint8_t *options = raw.ptr + pattern_len + 1;
    dst = bsni_put_literal(dst, &p->style->regex.open);
    dst = bsni_put_text(p, dst, raw.ptr, pattern_len);
    if (dst == NULL) return NULL;
    dst = bsni_put_literal(dst, &p->style->regex.middle);
    dst = put_options(p, dst, options, raw.len - pattern_len - 2);
    return dst != NULL ? bsni_put_literal(dst, &p->style->regex.close) : NULL;
}

/* ---- the rest ---- */

static uint8_t *put_oid_digits(uint8_t *dst, const uint8_t *raw)
{
    bsn_oid oid;
    memcpy(oid.bytes, raw, sizeof oid.bytes);
    bsn_oid_to_text(&oid, (char *)dst);
    return dst + BSN_OID_TEXT_LEN;
}

uint8_t *bsni_put_oid(const bsni_style *style, uint8_t *dst, const uint8_t *value)
{
    dst = bsni_put_literal(dst, &style->oid.open);
    dst = put_oid_digits(dst, value);
    return bsni_put_literal(dst, &style->oid.close);
}

static uint8_t *put_wrapped_text(bsni_printer *p, uint8_t *dst, const uint8_t *raw,
                                 const bsni_wrap *wrap)
{
    dst = bsni_put_literal(dst, &wrap->open);
    dst = bsni_put_text(p, dst, raw + 4, bsn_load_u32(raw) - 1);
    return dst != NULL ? bsni_put_literal(dst, &wrap->close) : NULL;
}

/* Code with scope, up to the scope. */
static uint8_t *put_scope_code(bsni_printer *p, uint8_t *dst, const uint8_t *value)
{
    const uint8_t *code = value + 4;
    dst = bsni_put_literal(dst, &p->style->code_scope.open);
    dst = bsni_put_text(p, dst, code + 4, bsn_load_u32(code) - 1);
    return dst != NULL ? bsni_put_literal(dst, &p->style->code_scope.middle) : NULL;
}

static uint8_t *put_dbpointer(bsni_printer *p, uint8_t *dst, bsn_bytes raw)
{
    const bsni_wrap2 *wrap = &p->style->dbpointer;
    dst = bsni_put_literal(dst, &wrap->open);
    dst = bsni_put_text(p, dst, raw.ptr + 4, bsn_load_u32(raw.ptr) - 1);
    if (dst == NULL) return NULL;
    dst = bsni_put_literal(dst, &wrap->middle);
    dst = put_oid_digits(dst, raw.ptr + raw.len - 12);
    return bsni_put_literal(dst, &wrap->close);
}

static uint8_t *put_timestamp(bsni_printer *p, uint8_t *dst, const uint8_t *raw)
{
    const bsni_wrap2 *wrap = &p->style->timestamp;
    dst = bsni_put_literal(dst, &wrap->open);
    dst += bsni_uint64_to_text(bsn_load_u32(raw + 4), (char *)dst);
    dst = bsni_put_literal(dst, &wrap->middle);
    dst += bsni_uint64_to_text(bsn_load_u32(raw), (char *)dst);
    return bsni_put_literal(dst, &wrap->close);
}

static uint8_t *put_decimal128(bsni_printer *p, uint8_t *dst, const uint8_t *raw)
{
    const bsn_decimal128 value = {.high = bsn_load_u64(raw + 8), .low = bsn_load_u64(raw)};
    dst = bsni_put_literal(dst, &p->style->decimal128.open);
    dst += bsn_decimal128_to_text(value, (char *)dst);
    return bsni_put_literal(dst, &p->style->decimal128.close);
}

uint8_t *bsni_put_value(bsni_printer *p, uint8_t *dst, uint8_t type, bsn_bytes raw)
{
    const bsni_style *style = p->style;
    switch (type) {
    case BSN_TYPE_BINARY: return put_binary(p, dst, raw);
    case BSN_TYPE_REGEX: return put_regex(p, dst, raw);
    case BSN_TYPE_TIMESTAMP: return put_timestamp(p, dst, raw.ptr);
    case BSN_TYPE_DECIMAL128: return put_decimal128(p, dst, raw.ptr);
    case BSN_TYPE_UNDEFINED: return bsni_put_literal(dst, &style->undefined);
    case BSN_TYPE_CODE: return put_wrapped_text(p, dst, raw.ptr, &style->code);
    case BSN_TYPE_SYMBOL: return put_wrapped_text(p, dst, raw.ptr, &style->symbol);
    case BSN_TYPE_DBPOINTER: return put_dbpointer(p, dst, raw);
    case BSN_TYPE_CODE_SCOPE: return put_scope_code(p, dst, raw.ptr);
    case BSN_TYPE_MINKEY: return bsni_put_literal(dst, &style->minkey);
    case BSN_TYPE_MAXKEY: return bsni_put_literal(dst, &style->maxkey);
    default: break;
    }
    BSN_ASSERT(false); /* an iterator stops at every other type */
    return NULL;
}
