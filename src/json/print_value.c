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

/* The bytes of src[0..len), 3 of them or more, that are whole characters where the text, which goes on behind, is sound. */
static size_t whole_characters(const uint8_t *src, size_t len)
{
    const size_t least = len - 3;
    while (len > least && (src[len] & 0xC0) == 0x80) len--;
    return len;
}

static uint8_t *put_hex_byte(uint8_t *dst, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";
    *dst++ = (uint8_t)digits[byte >> 4];
    *dst++ = (uint8_t)digits[byte & 15];
    return dst;
}

static uint8_t *put_sound_text(bsni_printer *p, uint8_t *dst, const uint8_t *src, size_t len)
{
    while (len != 0) {
        size_t piece = piece_of(p, dst, len, BSNI_ESCAPE_GROWTH);
        if (piece == 0) {
            dst = bsni_print_turn(p, dst);
            if (dst == NULL) return NULL;
            continue;
        }
        if (piece < len) piece = whole_characters(src, piece); /* the text may be cut there */
        dst += bsni_json_escape(src, piece, dst);
        src += piece;
        len -= piece;
    }
    return bsni_sink_room(&p->sink, dst) < BSNI_AFTER_TEXT ? bsni_print_turn(p, dst) : dst;
}

/* How much of ill-formed text a decoder takes before it sees the fault: the longest front of p[0..n) that begins a well-formed
 * sequence, a byte at least.                                            [Unicode 15, table 3-7 and 3.9, D93b] */
static size_t ill_formed_len(const uint8_t *p, size_t n)
{
    const uint8_t first = p[0];
    const size_t more = first >= 0xF5   ? 0
                        : first >= 0xF0 ? 3
                        : first >= 0xE0 ? 2
                        : first >= 0xC2 ? 1
                                        : 0;
    uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    size_t len = 1;
    while (len <= more && len < n && p[len] >= low && p[len] <= high) {
        low = 0x80;
        high = 0xBF;
        len++;
    }
    return len;
}

/* Text of which some is not UTF-8. Each fault takes six bytes, and behind sound text, of no bytes too, there is room for them. */
static uint8_t *put_faulty_text(bsni_printer *p, uint8_t *dst, const uint8_t *src, size_t len)
{
    for (;;) {
        const size_t sound = bsni_utf8(src, len);
        dst = put_sound_text(p, dst, src, sound);
        if (dst == NULL || sound == len) return dst;
        src += sound;
        len -= sound;
        size_t taken = 1;
        if (p->options->utf8 == BSN_JSON_UTF8_REPLACE) {
            taken = ill_formed_len(src, len);
            memcpy(dst, "\\ufffd", 6);
        } else {
            memcpy(dst, "\\u00", 4);
            put_hex_byte(dst + 4, src[0]);
        }
        dst += 6;
        src += taken;
        len -= taken;
    }
}

/* Parts of long text: plain ones are short enough to be found in the nearest cache by a second look, for UTF-8; behind a byte that
 * must be escaped there may be more of them. */
#define PLAIN_PART_MAX ((size_t)16 * 1024)
#define ESCAPED_PART_MAX ((size_t)1024)

/* Copies what is plain in front of src[0..len) as far as there is room, and moves *taken on behind it. False: that is not sound. */
static bool put_plain_part(uint8_t *dst, const uint8_t *src, size_t len, size_t piece,
                           size_t *taken)
{
    bool ascii = true;
    size_t plain = bsni_json_string(src, piece, dst, &ascii);
    if (!ascii) {
        if (plain == piece && piece < len) plain = whole_characters(src, plain);
        if (bsni_utf8(src, plain) != plain) return false;
    }
    *taken = plain;
    return true;
}

/* Puts text as long as its parts are sound, and moves *src and *len on to the part that is not, or to the end. What is plain ASCII is
 * passed once. NULL: the output takes no more. */
static uint8_t *put_parts(bsni_printer *p, uint8_t *dst, const uint8_t **src, size_t *len)
{
    while (*len != 0) {
        size_t piece = piece_of(p, dst, *len, 1), part = 0;
        if (piece == 0) {
            dst = bsni_print_turn(p, dst);
            if (dst == NULL) return NULL;
            continue;
        }
        if (piece > PLAIN_PART_MAX) piece = PLAIN_PART_MAX;
        if (!put_plain_part(dst, *src, *len, piece, &part)) return dst;
        dst += part;
        if (part < piece &&
            (*src)[part] < 0x80) { /* that must be escaped, and is no cut character */
            *src += part;
            *len -= part;
            part = *len;
            if (part > ESCAPED_PART_MAX) part = whole_characters(*src, ESCAPED_PART_MAX);
            if (bsni_utf8(*src, part) != part) return dst;
            dst = put_sound_text(p, dst, *src, part);
            if (dst == NULL) return NULL;
        }
        *src += part;
        *len -= part;
    }
    return bsni_sink_room(&p->sink, dst) < BSNI_AFTER_TEXT ? bsni_print_turn(p, dst) : dst;
}

uint8_t *bsni_put_long_text(bsni_printer *p, uint8_t *dst, const uint8_t *src, size_t len)
{
    dst = put_parts(p, dst, &src, &len);
    if (dst == NULL || len == 0) return dst;
    return p->is_tolerant ? put_faulty_text(p, dst, src, len) : NULL;
}

/* ---- binary ---- */

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
    const bool is_script = p->style->is_script;
    dst = bsni_put_literal(dst, &p->style->binary.open);
    if (is_script) {
        dst += bsni_uint64_to_text(subtype, (char *)dst);
        dst = bsni_put_literal(dst, &p->style->binary.middle);
    }
    dst = put_base64(p, dst, bytes);
    if (dst == NULL) return NULL;
    if (!is_script) {
        dst = bsni_put_literal(dst, &p->style->binary.middle);
        dst = put_hex_byte(dst, subtype);
    }
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

/* The longest pattern that a script has as a literal: it goes into the room of an element. */
#define LITERAL_PATTERN_MAX 100

static bool is_among(uint8_t byte, const char *characters)
{
    while (*characters != '\0' && (uint8_t)*characters != byte) characters++;
    return *characters != '\0';
}

/* True when JavaScript takes /pattern/options and sends back the same two texts. What needs a grammar to be sure of (groups, classes,
 * counts) is not tried, nor are slashes, which would stay escaped; and the driver keeps no option but i and m.
 *                                        [ECMA-262, 22.2.1 "Patterns"; js-bson, serializer of RegExp] */
static bool is_literal(const uint8_t *pattern, size_t len, const uint8_t *options,
                       size_t options_len)
{
    bool after_atom = false; /* where * + and ? may stand */
    if (len == 0 || len > LITERAL_PATTERN_MAX || options_len > 2) return false;
    for (size_t i = 0; i < len; i++) {
        const uint8_t byte = pattern[i];
        if (byte < 0x20 || byte > 0x7E || is_among(byte, "/()[]{}")) return false;
        if (is_among(byte, "*+?")) {
            if (!after_atom) return false;
            after_atom = false;
        } else if (byte == '\\') {
            if (++i == len || !is_among(pattern[i], "dDwWsS.*+?()[]{}|^$\\")) return false;
            after_atom = true;
        } else {
            after_atom = !is_among(byte, "^$|");
        }
    }
    for (size_t i = 0; i < options_len; i++) {
        if (!is_among(options[i], "im") || (i > 0 && options[i] == options[0])) return false;
    }
    return true;
}

static uint8_t *put_regex_literal(uint8_t *dst, const uint8_t *pattern, size_t len,
                                  const uint8_t *options, size_t options_len)
{
    *dst++ = '/';
    memcpy(dst, pattern, len);
    dst += len;
    *dst++ = '/';
    if (options_len > 0) *dst++ = options_len == 2 ? 'i' : options[0];
    if (options_len == 2) *dst++ = 'm';
    return dst;
}

static uint8_t *put_regex(bsni_printer *p, uint8_t *dst, bsn_bytes raw)
{
    const size_t pattern_len = bsni_cstring(raw.ptr, raw.len);
    const uint8_t *options = raw.ptr + pattern_len + 1;
    const size_t options_len = raw.len - pattern_len - 2;
    if (p->style->is_script && is_literal(raw.ptr, pattern_len, options, options_len)) {
        return put_regex_literal(dst, raw.ptr, pattern_len, options, options_len);
    }
    dst = bsni_put_literal(dst, &p->style->regex.open);
    dst = bsni_put_text(p, dst, raw.ptr, pattern_len);
    if (dst == NULL) return NULL;
    dst = bsni_put_literal(dst, &p->style->regex.middle);
    dst = put_options(p, dst, options, options_len);
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
