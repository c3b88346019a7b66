/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_string.c -- strings of any length, with escapes, in UTF-8.
 *
 * A kernel copies what is plain, up to the quote, an escape or something wrong; what is not ASCII in it is then checked as a whole. As
 * soon as anything is wrong, also when the string does not end in the window, the judge goes over it from its start, byte by byte:
 * it alone says what is wrong and where, so that the answer does not depend on where copies and windows happen to end.
 */
#include "json/parser.h"

#include "simd/short.h"
#include "simd/simd.h"

/* ---- escapes ---- */

/* The value of four hex digits; over 0xFFFF when one is none. */
static uint32_t hex_unit(const uint8_t *p)
{
    uint32_t unit = 0;
    for (size_t i = 0; i < 4; i++) {
        const uint8_t decimal = (uint8_t)(p[i] - '0');
        const uint8_t letter = (uint8_t)((p[i] | 0x20) - 'a');
        if (decimal > 9 && letter > 5) return UINT32_MAX;
        unit = unit << 4 | (decimal <= 9 ? decimal : letter + 10u);
    }
    return unit;
}

static bool is_high_surrogate(uint32_t unit)
{
    return unit >> 10 == 0xD800 >> 10;
}

static bool is_low_surrogate(uint32_t unit)
{
    return unit >> 10 == 0xDC00 >> 10;
}

/* A code point as UTF-8; returns its length. Stores up to 4 bytes. */
static size_t put_utf8(uint32_t code, uint8_t *to)
{
    if (code < 0x80) {
        to[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (uint8_t)(0xC0 | code >> 6);
        to[1] = (uint8_t)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (uint8_t)(0xE0 | code >> 12);
        to[1] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        to[2] = (uint8_t)(0x80 | (code & 0x3F));
        return 3;
    }
    to[0] = (uint8_t)(0xF0 | code >> 18);
    to[1] = (uint8_t)(0x80 | (code >> 12 & 0x3F));
    to[2] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
    to[3] = (uint8_t)(0x80 | (code & 0x3F));
    return 4;
}

/* What a letter behind a backslash stands for; 0 for none (no escape of one letter means U+0000). */
static uint8_t short_escape(uint8_t letter)
{
    switch (letter) {
    case '"':
    case '\\':
    case '/': return letter;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
    }
}

/* The escape at p, in front of end: the length it has, and in *len what it puts to to[0..4). 0: it is none, or cut. */
static size_t take_escape(const uint8_t *p, const uint8_t *end, uint8_t *to, size_t *len)
{
    const size_t left = (size_t)(end - p);
    if (left < 2) return 0;
    *len = 1;
    to[0] = short_escape(p[1]);
    if (to[0] != 0) return 2;
    if (p[1] != 'u' || left < 6) return 0;
    const uint32_t unit = hex_unit(p + 2);
    if (unit > 0xFFFF || is_low_surrogate(unit)) return 0;
    if (!is_high_surrogate(unit)) {
        *len = put_utf8(unit, to);
        return 6;
    }
    if (left < 12 || p[6] != '\\' || p[7] != 'u') return 0;
    const uint32_t second = hex_unit(p + 8);
    if (!is_low_surrogate(second)) return 0;
    *len = put_utf8(0x10000 + ((unit & 0x3FF) << 10) + (second & 0x3FF), to);
    return 12;
}

/* ---- the judge ---- */

#define BAD_PAIR "an escape of half a surrogate pair, which is no character"
#define BAD_HEX "four hex digits were expected behind \\u"

/* Why take_escape refused what stands at p. */
static bsni_token judge_escape(bsn_json_parser *j, const uint8_t *p)
{
    const uint8_t *end = j->end;
    if (end - p < 2) return bsni_parse_short(j, "the rest of an escape");
    if (p[1] != 'u') return bsni_parse_fail(j, BSN_E_SYNTAX, p + 1, "no such escape");
    for (size_t i = 2; i < 12; i++) {
        if (p + i == end) return bsni_parse_short(j, "the rest of an escape");
        const uint8_t byte = p[i];
        if (i == 6 || i == 7) { /* the first half of a pair is whole */
            if (byte != (i == 6 ? '\\' : 'u')) return bsni_parse_fail(j, BSN_E_UTF8, p, BAD_PAIR);
            continue;
        }
        const uint8_t digits[4] = {byte, '0', '0', '0'};
        if (hex_unit(digits) > 0xFFFF) return bsni_parse_fail(j, BSN_E_SYNTAX, p + i, BAD_HEX);
        if (i == 5 && !is_high_surrogate(hex_unit(p + 2))) break;
    }
    return bsni_parse_fail(j, BSN_E_UTF8, p, BAD_PAIR);
}

/* The bytes that a UTF-8 sequence of this first byte has; 0: there is none. */
static size_t sequence_len(uint8_t first)
{
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* The sequence at p is at fault or cut by the end of the window: which? */
static bsni_token judge_utf8(bsn_json_parser *j, const uint8_t *p)
{
    const size_t left = (size_t)(j->end - p), len = sequence_len(p[0]);
    if (left < len) {
        /* It could go on well if the bytes that are there, made whole by the least continuations, were well-formed. */
        uint8_t whole[4] = {0x80, 0x80, 0x80, 0x80};
        memcpy(whole, p, left);
        if (left == 1 && (p[0] == 0xE0 || p[0] == 0xF0)) whole[1] = p[0] == 0xE0 ? 0xA0 : 0x90;
        if (bsni_utf8(whole, len) == len && !j->is_last) return TOKEN_MORE;
    }
    return bsni_parse_fail(j, BSN_E_UTF8, p, "these bytes are no character");
}

/* What is known of a string. */
typedef struct judged {
    uint64_t quote;      /* offset in the stream: it may have gone with an earlier piece */
    const uint8_t *from; /* all is well in front of it */
    uint64_t len;        /* bytes of text in front of it */
    uint64_t max;        /* more cannot be of use */
} judged;

/* Text beside the document says what takes less there: base64 three bytes by four, a date or a number 8 by a few dozen. Up to
 * here what becomes of it decides; beyond, it is not worth being kept. Short ones are all within it, as some are read without a
 * look at the limit. */
static uint64_t slot_max(const bsn_json_parser *j)
{
    return (uint64_t)j->size_max + j->size_max / 2 + 1024;
}

static bsni_token judge_size(bsn_json_parser *j, const judged *string)
{
    return bsni_parse_fail_before(j, BSN_E_SIZE, string->quote, "the document is too large");
}

/* One character: the bytes it has in the string, and in *len those of its text. 0: it is wrong, or cut. */
static size_t take_character(const uint8_t *p, const uint8_t *end, uint8_t text[4], size_t *len)
{
    const size_t left = (size_t)(end - p);
    text[0] = *p;
    if (*p == '\\') return take_escape(p, end, text, len);
    *len = sequence_len(*p);
    if (*p < 0x20 || *len > left || (*len > 1 && bsni_utf8(p, *len) != *len)) return 0;
    return *len;
}

static bsni_token judge_character(bsn_json_parser *j, const uint8_t *p)
{
    if (*p == '\\') return judge_escape(j, p);
    if (*p >= 0x20) return judge_utf8(j, p);
    return bsni_parse_fail(j, BSN_E_SYNTAX, p, "a control character must be escaped");
}

/* What is the first thing wrong with a string? When its text would be longer than it may be before that comes, this is it. Moves
 * *string to where that is, or to where the window cuts it. */
static bsni_token judge(bsn_json_parser *j, judged *string, bsni_text_kind kind)
{
    for (;;) {
        const uint8_t *p = string->from;
        uint8_t text[4];
        size_t len;
        if (string->len > string->max) return judge_size(j, string);
        if (p == j->end) return bsni_parse_short(j, "the rest of a string");
        if (*p == '"') return TOKEN_OK;
        const size_t step = take_character(p, j->end, text, &len);
        if (step == 0) return judge_character(j, p);
        if (kind == TEXT_KEY && text[0] == 0) {
            return bsni_parse_fail(j, BSN_E_KEY_NUL, p, "U+0000 cannot stand in it");
        }
        string->from += step;
        string->len += len;
    }
}

/* ---- strings to the document ---- */

/* Copies text until something is not plain, whatever room that takes; then *p is there. False: out of memory. */
static bool copy_plain(bsn_json_parser *j, const uint8_t **p, bool *ascii)
{
    for (;;) {
        if (!bsni_doc_reserve(j, 2 * BSNI_DOC_MARGIN)) return false;
        const size_t room = bsni_doc_room(j) - BSNI_DOC_MARGIN, left = (size_t)(j->end - *p);
        const size_t n = left < room ? left : room;
        const size_t copied = bsni_json_string(*p, n, j->doc_cur, ascii);
        *p += copied;
        j->doc_cur += copied;
        if (copied < n || n == left) return true;
    }
}

/* The part of a string from `string->from` on up to its next escape, in *p, or its end: true when all is well so far. */
static bool take_part(bsn_json_parser *j, const judged *string, const uint8_t **p)
{
    bool ascii = true;
    *p = string->from;
    if (!copy_plain(j, p, &ascii)) return false;
    const size_t len = (size_t)(*p - string->from);
    return string->len + len <= string->max && (ascii || bsni_utf8(string->from, len) == len);
}

/* Takes what the window has of a string whose text begins `start` bytes into the document; TOKEN_MORE: *string says how much that
 * is. */
static bsni_token take_text(bsn_json_parser *j, judged *string, size_t start, bsni_text_kind kind)
{
    const uint8_t *p;
    while (take_part(j, string, &p)) {
        if (p == j->end) {
            if (j->is_last) break;
            string->from = p;
            string->len = bsni_doc_len(j) - start;
            return TOKEN_MORE;
        }
        if (*p == '"') {
            j->cur = p + 1;
            return TOKEN_OK;
        }
        size_t len;
        const size_t step = *p == '\\' ? take_escape(p, j->end, j->doc_cur, &len) : 0;
        if (step == 0 || (kind == TEXT_KEY && *j->doc_cur == 0)) break;
        j->doc_cur += len;
        string->from = p + step;
        string->len = bsni_doc_len(j) - start;
    }
    if (j->err.status != BSN_OK) return TOKEN_FAILED;
    return judge(j, string, kind);
}

bsni_token bsni_parse_text(bsn_json_parser *j, bsni_text_kind kind)
{
    const size_t start = bsni_doc_len(j);
    judged string = {bsni_parse_offset(j, j->cur), j->cur + 1, 0, j->size_max};
    const bsni_token token = take_text(j, &string, start, kind);
    if (token != TOKEN_OK) j->doc_cur = j->doc + start;
    return token;
}

void bsni_parse_open_text(bsn_json_parser *j, uint8_t state)
{
    j->text_offset = bsni_parse_offset(j, j->cur);
    j->text_at = bsni_doc_len(j);
    j->cur++;
    j->state = state;
}

bsni_token bsni_parse_rest_of_text(bsn_json_parser *j, bsni_text_kind kind)
{
    judged string = {j->text_offset, j->cur, bsni_doc_len(j) - j->text_at, j->size_max};
    const bsni_token token = take_text(j, &string, j->text_at, kind);
    if (token == TOKEN_MORE) {
        j->cur = string.from;
        j->doc_cur = j->doc + j->text_at + string.len;
    }
    return token;
}

/* ---- strings beside the document ---- */

/* Puts the text of a sound string, which has escapes, behind what j->unescaped holds. */
static bsni_token unescape(bsn_json_parser *j, const uint8_t *end, bsni_slot *slot)
{
    const uint8_t *p = slot->raw;
    if (bsn_buf_reserve(&j->unescaped, slot->len) != BSN_OK) {
        return bsni_parse_fail(j, BSN_E_NOMEM, slot->at, NULL);
    }
    slot->is_unescaped = true;
    slot->offset = j->unescaped.len;
    uint8_t *to = j->unescaped.ptr + slot->offset;
    while (p < end) {
        uint8_t bytes[4];
        size_t len = 1;
        const size_t step = *p == '\\' ? take_escape(p, end, bytes, &len) : 0;
        if (step == 0) {
            *to++ = *p++;
            continue;
        }
        memcpy(to, bytes, len);
        to += len;
        p += step;
    }
    slot->len = (size_t)(to - j->unescaped.ptr) - slot->offset;
    j->unescaped.len += slot->len;
    return TOKEN_OK;
}

/* The closing quote of a sound string, p within it. */
static const uint8_t *find_quote(const uint8_t *p, bool *escaped)
{
    for (; *p != '"'; p++) {
        if (*p == '\\') {
            *escaped = true;
            p++;
        }
    }
    return p;
}

/* Plain ASCII from p on; stops at anything else. */
static const uint8_t *skip_plain(const uint8_t *p, const uint8_t *end)
{
    for (; (size_t)(end - p) >= BSNI_SHORT_BYTES; p += BSNI_SHORT_BYTES) {
        const bsni_short_mask marks = bsni_short_json_marks(bsni_short_load(p));
        if (marks != 0) return p + bsni_short_first(marks);
    }
    while (p < end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\') p++;
    return p;
}

bsni_token bsni_parse_slot(bsn_json_parser *j, const uint8_t **p, bsni_text_kind kind,
                           bsni_slot *slot)
{
    const uint8_t *quote = *p, *end = skip_plain(quote + 1, j->end);
    const size_t plain = (size_t)(end - quote) - 1;
    bool escaped = false;
    if (end == j->end || *end != '"' || plain > slot_max(j)) {
        judged string = {bsni_parse_offset(j, quote), end, plain, slot_max(j)};
        const bsni_token token = judge(j, &string, kind);
        if (token != TOKEN_OK) return token;
        end = find_quote(end, &escaped);
    }
    slot->at = quote;
    slot->raw = quote + 1;
    slot->len = (size_t)(end - slot->raw);
    slot->is_unescaped = false;
    *p = end + 1;
    return escaped ? unescape(j, end, slot) : TOKEN_OK;
}
