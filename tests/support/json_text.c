/* SPDX-License-Identifier: Apache-2.0
 *
 * json_text.c -- see json_text.h. A text is read as a row of events, one for each bracket, key and value; two texts say the
 * same when their events do.
 */
#include "support/json_text.h"

#include "support/must.h"

#include <bsonic/validate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* { } [ ] as they are, k key, s string, n number, w word (true, false, null), . the end, ! a fault */
typedef struct event {
    char kind;
    bsn_str text; /* of a key or string without its quotes */
} event;

typedef struct reader {
    const char *start;
    const char *at;
    const char *end;
    char *open; /* the open brackets */
    size_t depth;
    bool
        begun; /* something stands in front of `at` in the current container (or the text's one value) */
    bool after_key;  /* a value must come */
    bool in_doubles; /* the last key was $numberDouble */
} reader;

static reader reader_over(bsn_str text)
{
    reader r = {.start = text.ptr, .at = text.ptr, .end = text.ptr + text.len};
    r.open = malloc(text.len + 1);
    MUST(r.open != NULL);
    return r;
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end && memchr(" \t\r\n", *r->at, 4) != NULL) r->at++;
}

static bool take(reader *r, char wanted)
{
    if (r->at == r->end || *r->at != wanted) return false;
    r->at++;
    return true;
}

static size_t take_digits(reader *r)
{
    const char *start = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    return (size_t)(r->at - start);
}

static bool take_number(reader *r)
{
    take(r, '-');
    if (!take(r, '0') && take_digits(r) == 0) return false;
    if (take(r, '.') && take_digits(r) == 0) return false;
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+')) take(r, '-');
        return take_digits(r) != 0;
    }
    return true;
}

static bool take_word(reader *r)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++) {
        const size_t len = strlen(words[i]);
        if ((size_t)(r->end - r->at) >= len && memcmp(r->at, words[i], len) == 0) {
            r->at += len;
            return true;
        }
    }
    return false;
}

/* The value of four hex digits, or -1. */
static int32_t hex_unit(const char *at, const char *end)
{
    int32_t unit = 0;
    if (end - at < 4) return -1;
    for (size_t i = 0; i < 4; i++) {
        const char *digit = memchr("0123456789abcdefABCDEF", at[i], 22);
        if (digit == NULL) return -1;
        const char lower = (char)(at[i] | 0x20);
        unit = unit * 16 + (lower >= 'a' ? lower - 'a' + 10 : lower - '0');
    }
    return unit;
}

/* The bytes of one escape behind its backslash, at *at, to out; 0 where it is none. */
static size_t undo_escape(const char **at, const char *end, char out[4])
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    if (*at == end) return 0;
    const char *name = memchr(names, **at, sizeof names - 1);
    if (name != NULL) {
        out[0] = bytes[name - names];
        (*at)++;
        return 1;
    }
    if (**at != 'u') return 0;
    int32_t point = hex_unit(*at + 1, end);
    if (point < 0 || (point >= 0xDC00 && point < 0xE000)) return 0;
    *at += 5;
    if (point >= 0xD800 && point < 0xDC00) {
        if (end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u') return 0;
        const int32_t low = hex_unit(*at + 2, end);
        if (low < 0xDC00 || low > 0xDFFF) return 0;
        *at += 6;
        point = 0x10000 + (point - 0xD800) * 0x400 + (low - 0xDC00);
    }
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    const size_t len = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char firsts[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    out[0] = (char)(firsts[len] | point);
    return len;
}

/* The string behind a quote, up to the closing one; *text is what stands between. */
static bool take_string(reader *r, bsn_str *text)
{
    const char *start = r->at;
    while (r->at < r->end && *r->at != '"') {
        char undone[4];
        if ((unsigned char)*r->at < 0x20) return false;
        if (*r->at++ == '\\' && undo_escape(&r->at, r->end, undone) == 0) return false;
    }
    text->ptr = start;
    text->len = (size_t)(r->at - start);
    return take(r, '"') && bsn_utf8_valid(*text, NULL);
}

static bool str_is(bsn_str text, const char *other)
{
    return bsn_str_equal(text, bsn_str_from(other));
}

static char take_value(reader *r, bsn_str *text)
{
    static const bsn_str none = {"", 0};
    *text = none;
    r->after_key = false;
    if (take(r, '{') || take(r, '[')) {
        r->open[r->depth++] = r->at[-1];
        r->begun = false;
        return r->at[-1];
    }
    r->begun = true;
    if (take(r, '"')) return take_string(r, text) ? 's' : '!';
    const char *start = r->at;
    const char kind = take_word(r) ? 'w' : take_number(r) ? 'n' : '!';
    text->ptr = start;
    text->len = (size_t)(r->at - start);
    return kind;
}

static char take_key(reader *r, bsn_str *text)
{
    if (!take(r, '"') || !take_string(r, text)) return '!';
    skip_blanks(r);
    if (!take(r, ':')) return '!';
    r->after_key = true;
    r->in_doubles = str_is(*text, "$numberDouble");
    return 'k';
}

static event next_event(reader *r)
{
    event e = {.kind = '!', .text = {"", 0}};
    skip_blanks(r);
    if (r->after_key) {
        e.kind = take_value(r, &e.text);
        return e;
    }
    r->in_doubles = false;
    const char open = r->depth == 0 ? '.' : r->open[r->depth - 1];
    if (open == '.') {
        if (!r->begun) {
            e.kind = take_value(r, &e.text);
        } else if (r->at == r->end) {
            e.kind = '.';
        }
        return e;
    }
    if (take(r, open == '{' ? '}' : ']')) {
        e.kind = r->at[-1];
        r->depth--;
        r->begun = true;
        return e;
    }
    if (r->begun && !take(r, ',')) return e;
    skip_blanks(r);
    e.kind = open == '{' ? take_key(r, &e.text) : take_value(r, &e.text);
    return e;
}

bool json_is_sound(bsn_str text, size_t *offset)
{
    reader r = reader_over(text);
    event e;
    do {
        e = next_event(&r);
    } while (e.kind != '!' && e.kind != '.');
    if (offset != NULL) *offset = (size_t)(r.at - r.start);
    free(r.open);
    return e.kind == '.';
}

/* Takes one byte off an escaped text; -1 at its end. A \u escape of several bytes leaves the rest of them in `rest`. */
typedef struct byte_source {
    const char *at, *end;
    char rest[4];
    size_t rest_at, rest_len;
} byte_source;

static int next_byte(byte_source *s)
{
    if (s->rest_at == s->rest_len) {
        if (s->at == s->end) return -1;
        if (*s->at != '\\') return (unsigned char)*s->at++;
        s->at++;
        s->rest_at = 0;
        s->rest_len = undo_escape(&s->at, s->end, s->rest);
        MUST(s->rest_len != 0);
    }
    return (unsigned char)s->rest[s->rest_at++];
}

static bool same_string(bsn_str a, bsn_str b)
{
    byte_source in_a = {.at = a.ptr, .end = a.ptr + a.len};
    byte_source in_b = {.at = b.ptr, .end = b.ptr + b.len};
    int byte;
    do {
        byte = next_byte(&in_a);
        if (byte != next_byte(&in_b)) return false;
    } while (byte >= 0);
    return true;
}

static bool is_number(bsn_str text)
{
    reader r = {.at = text.ptr, .end = text.ptr + text.len};
    return take_number(&r) && r.at == r.end;
}

static bool is_integer(bsn_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (memchr(".eE", text.ptr[i], 3) != NULL) return false;
    }
    return true;
}

static uint64_t double_bits(bsn_str text)
{
    char copy[512];
    MUST(text.len < sizeof copy);
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    const double value = strtod(copy, NULL);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool same_number(bsn_str a, bsn_str b)
{
    if (is_integer(a) != is_integer(b)) return false;
    return is_integer(a) ? bsn_str_equal(a, b) : double_bits(a) == double_bits(b);
}

static bool same_event(const event *a, const event *b, bool in_doubles)
{
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case 's':
        if (in_doubles && is_number(a->text) && is_number(b->text))
            return same_number(a->text, b->text);
        return same_string(a->text, b->text);
    case 'k': return same_string(a->text, b->text);
    case 'n': return same_number(a->text, b->text);
    case 'w': return bsn_str_equal(a->text, b->text);
    default: return true;
    }
}

/* How much of a text a message shows. */
static int shown(bsn_str text)
{
    return text.len < 200 ? (int)text.len : 200;
}

bool json_same(bsn_str a, bsn_str b, char *why, size_t why_size)
{
    reader in_a = reader_over(a), in_b = reader_over(b);
    event from_a, from_b;
    bool same;
    do {
        from_a = next_event(&in_a);
        from_b = next_event(&in_b);
        same = from_a.kind != '!' && same_event(&from_a, &from_b, in_a.in_doubles);
    } while (same && from_a.kind != '.');
    if (!same) {
        snprintf(why, why_size, "before offset %zu of %.*s and %zu of %.*s",
                 (size_t)(in_a.at - in_a.start), shown(a), a.ptr, (size_t)(in_b.at - in_b.start),
                 shown(b), b.ptr);
    }
    free(in_a.open);
    free(in_b.open);
    return same;
}
