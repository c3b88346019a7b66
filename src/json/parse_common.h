/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_common.h -- the tokens that nearly all text is made of, in the middle of a window and with room behind the document: short plain
 * strings, numbers, words, and the brackets of documents and arrays. Everything else, and every fault, is left where it stands to
 * the steps of parse.c, which are the parser.
 *
 * A file that includes this sets PARSE_COMMON, the name that the function gets: it is compiled for every machine (parse_common.c),
 * and for wide vectors (parse_common_wide.c).
 *
 * The place is kept in a structure that no call ever sees, so that it lies in registers: what is written to the document could be
 * anything, as far as a compiler knows, the parser's fields too.
 */
#ifndef BSNI_PARSE_COMMON_H
#define BSNI_PARSE_COMMON_H

#include "json/digits.h"
#include "json/parser.h"

#include "simd/short.h"

typedef struct place {
    const uint8_t *p;    /* in the text */
    const uint8_t *safe; /* in front of it nothing asks for the end of the window */
    uint8_t *to;         /* in the document */
    uint8_t *type;       /* the type byte of the element at hand */
    bsn_json_frame *frame;
    const bsni_shape_node *key; /* of the shape: the last one here */
    uint8_t state;
    bool to_nearest; /* how the machine rounds */
} place;

/* What became of a value. */
typedef enum taken { TAKEN_NOT, TAKEN_VALUE, TAKEN_DOCUMENT, TAKEN_ARRAY, TAKEN_BACK } taken;

static inline place load_place(const bsn_json_parser *j)
{
    const place at = {.p = j->cur,
                      .safe = j->safe,
                      .to = j->doc_cur,
                      .type = j->doc + j->type_at,
                      .frame = j->frame,
                      .key = j->key,
                      .state = j->state,
                      .to_nearest = j->to_nearest};
    return at;
}

static inline void store_place(bsn_json_parser *j, place at)
{
    j->cur = at.p;
    j->doc_cur = at.to;
    j->type_at = (size_t)(at.type - j->doc);
    j->frame = at.frame;
    j->key = at.key;
    j->state = at.state;
}

/* True when a short token may be read and written without asking for either end. */
static inline bool is_in_middle(const bsn_json_parser *j, const place *at)
{
    return at->p < at->safe && at->to <= j->doc_safe;
}

/* Copies a key from p to `to`: plain ASCII up to a quote, like bsni_copy_text. Of keys most have less than 16 bytes; up to 32.
 * In one decision, as text is, it was slower where a schema repeats (docs/benchmarks.md). */
static inline bool copy_key(const uint8_t *p, uint8_t *to, size_t *len)
{
    for (size_t i = 0; i < 32; i += BSNI_SHORT_BYTES) {
        const bsni_short v = bsni_short_load(p + i);
        bsni_short_store(to + i, v);
        const bsni_short_mask marks = bsni_short_json_marks(v);
        if (BSN_UNLIKELY(marks == 0)) continue;
        *len = i + bsni_short_first(marks);
        return p[*len] == '"';
    }
    return false;
}

/* The key at p, and the colon behind it. A key that could be a wrapper's is not common. */
static inline bool take_key(const bsn_json_parser *j, place *at)
{
    size_t len;
    const uint8_t *first = at->p;
    if (*first != '"' || !copy_key(first + 1, at->to + 1, &len)) return false;
    if (first[1] == '$' && at->frame != j->frames) return false;
    at->type = at->to;
    at->to[1 + len] = 0;
    at->to += len + 2;
    at->p += len + 2;
    at->state = STATE_COLON;
    if (BSN_UNLIKELY(*at->p != ':')) return false;
    at->p++;
    if (*at->p == ' ') at->p++;
    at->state = STATE_VALUE;
    if (at->key != &bsni_shape_nowhere && first[1] != '$')
        at->key = bsni_shape_miss(j->shape, at->key, first, (size_t)(at->p - first), len);
    return true;
}

/* The key at p that the shape foresees, colon and all. */
static inline bool take_foreseen_key(place *at)
{
    const bsni_shape_node *key = at->key->next;
    if (!bsni_shape_is_at(key, at->p)) return false;
    for (size_t i = 0; i < BSNI_SHAPE_IMAGE; i += BSNI_SHORT_BYTES)
        bsni_short_store(at->to + i, bsni_short_load(at->p + i));
    at->type = at->to;
    at->to[1 + key->key_len] = 0;
    at->to += key->key_len + 2u;
    at->p += key->len;
    at->key = key;
    at->state = STATE_VALUE;
    return true;
}

/* The name of the item at p. */
static inline bool begin_item(place *at)
{
    if (at->frame->digit_count == 0) return false;
    at->type = at->to;
    at->to = bsni_put_index(at->frame, at->to + 1);
    at->state = STATE_VALUE;
    return true;
}

static inline taken take_string(place *at)
{
    size_t len;
    if (!bsni_copy_text(at->p + 1, at->to + 4, &len)) return TAKEN_NOT;
    *at->type = BSN_TYPE_STRING;
    bsn_store_i32(at->to, (int32_t)(len + 1));
    at->to[4 + len] = 0;
    at->to += len + 5;
    at->p += len + 2;
    return TAKEN_VALUE;
}

static inline void put_integer(place *at, int64_t value)
{
    if (value == (int32_t)value) {
        *at->type = BSN_TYPE_INT32;
        bsn_store_i32(at->to, (int32_t)value);
        at->to += 4;
    } else {
        *at->type = BSN_TYPE_INT64;
        bsn_store_i64(at->to, value);
        at->to += 8;
    }
}

static inline void put_small_number(place *at, const bsni_small_number *small)
{
    if (small->is_real) {
        *at->type = BSN_TYPE_DOUBLE;
        bsn_store_f64(at->to, small->real);
        at->to += 8;
    } else {
        put_integer(at, small->integer);
    }
}

/* At the very end of the text a number may go on; the zeros behind it there do not end it. */
static inline bool take_small_number(place *at)
{
    bsni_small_number small;
    small.real = 0; /* compilers do not all see that one of the two is set */
    small.integer = 0;
    if (!at->to_nearest || !bsni_read_small(at->p, &small) || at->p + small.len >= at->safe)
        return false;
    at->p += small.len;
    put_small_number(at, &small);
    return true;
}

/* Short numbers in an array, as long as another value follows: its name is in a register meanwhile. */
static inline void take_number_run(const bsn_json_parser *j, place *at)
{
    uint64_t index = at->frame->index;
    uint8_t digit_count = at->frame->digit_count;
    bsni_small_number small = {.is_real = false};
    while (digit_count != 0 && is_in_middle(j, at) && bsni_read_small(at->p, &small)) {
        const uint8_t *next = at->p + small.len;
        if (*next++ != ',') break;
        if (BSN_UNLIKELY(*next == ' '))
            next++; /* a branch, since what follows would wait for an addition */
        if (*next <= ' ') break;
        at->type = at->to;
        at->to = bsni_index_put(index, digit_count, at->to + 1);
        put_small_number(at, &small);
        at->p = next;
        if (BSN_LIKELY(bsni_index_next(&index, digit_count))) continue;
        uint64_t carried = index; /* no address of what stays in a register */
        uint8_t carried_count = digit_count;
        bsni_index_carry(&carried, &carried_count);
        index = carried;
        digit_count = carried_count;
    }
    at->frame->index = index;
    at->frame->digit_count = digit_count;
}

static inline bool begins_number(uint8_t byte)
{
    return (uint8_t)(byte - '0') < 10 || byte == '-';
}

/* The same of an integer of up to 18 digits. */
static inline bool take_integer(place *at)
{
    int64_t value;
    const size_t len = bsni_read_integer(at->p, &value);
    if (len == 0 || !bsni_ends_number(at->p[len]) || at->p + len >= at->safe) return false;
    at->p += len;
    put_integer(at, value);
    return true;
}

static inline taken take_number(const bsn_json_parser *j, place *at)
{
    const bsn_str text = {(const char *)at->p, (size_t)(j->end - at->p)};
    bsni_number number;
    size_t len;
    if (take_small_number(at) || take_integer(at)) return TAKEN_VALUE;
    if (bsni_number_take(text, &number) != BSN_OK || number.len == text.len ||
        number.kind == BSNI_NUMBER_BEYOND)
        return TAKEN_NOT;
    *at->type = (uint8_t)bsni_put_number(&number, at->to, &len);
    at->to += len;
    at->p += number.len;
    return TAKEN_VALUE;
}

static inline taken take_word(place *at, const char *word, size_t len, uint8_t type)
{
    if (memcmp(at->p, word, len) != 0) return TAKEN_NOT;
    *at->type = type;
    at->p += len;
    return TAKEN_VALUE;
}

static inline taken take_boolean(place *at, const char *word, size_t len, uint8_t value)
{
    *at->to = value;
    if (take_word(at, word, len, BSN_TYPE_BOOLEAN) == TAKEN_NOT) return TAKEN_NOT;
    at->to++;
    return TAKEN_VALUE;
}

/* Opens a container at p, unless that takes memory. */
static inline bool open_container(const bsn_json_parser *j, place *at, uint8_t type, uint8_t kind)
{
    if (!bsni_has_frame(j, at->frame)) return false;
    *at->type = type;
    at->frame->key = at->key;
    at->key = bsni_enter_shape(j, kind, at->key);
    bsni_open_frame(++at->frame, kind, (size_t)(at->to - j->doc));
    at->to += 4;
    at->p++;
    return true;
}

/* The brackets at p, with nothing in between. */
static inline taken take_empty(const bsn_json_parser *j, place *at, uint8_t type)
{
    if (!bsni_has_frame(j, at->frame)) return TAKEN_NOT;
    *at->type = type;
    bsn_store_i32(at->to, BSN_DOC_SIZE_MIN);
    at->to[4] = 0;
    at->to += BSN_DOC_SIZE_MIN;
    at->p += 2;
    return TAKEN_VALUE;
}

static inline taken take_object(bsn_json_parser *j, place *at)
{
    if (at->p[1] == '}') return take_empty(j, at, BSN_TYPE_DOCUMENT);
    if (at->p[1] != '"') return TAKEN_NOT;
    if (at->p[2] != '$' && at->p[2] != '\\') {
        if (!open_container(j, at, BSN_TYPE_DOCUMENT, IN_DOCUMENT)) return TAKEN_NOT;
        at->state = STATE_FIRST_KEY;
        return TAKEN_DOCUMENT;
    }
    store_place(j, *at);
    if (!bsni_parse_usual(j) && bsni_parse_object(j) != OBJECT_WRAPPER)
        return TAKEN_BACK; /* a step finds the same again, or goes on with a scope */
    at->p = j->cur;
    at->to = j->doc_cur;
    at->type = j->doc + j->type_at; /* the document may have moved */
    return TAKEN_VALUE;
}

static inline taken take_array(const bsn_json_parser *j, place *at)
{
    if (at->p[1] == ']') return take_empty(j, at, BSN_TYPE_ARRAY);
    if (at->p[1] <= ' ' || !open_container(j, at, BSN_TYPE_ARRAY, IN_ARRAY)) return TAKEN_NOT;
    at->state = STATE_NEXT_VALUE;
    return TAKEN_ARRAY;
}

static inline taken take_value(bsn_json_parser *j, place *at)
{
    const uint8_t first = *at->p;
    if (first == '"') return take_string(at);
    if (begins_number(first)) return take_number(j, at);
    switch (first) {
    case 't': return take_boolean(at, "true", 4, 1);
    case 'f': return take_boolean(at, "false", 5, 0);
    case 'n': return take_word(at, "null", 4, BSN_TYPE_NULL);
    case '{': return take_object(j, at);
    case '[': return take_array(j, at);
    default: return TAKEN_NOT;
    }
}

/* The comma at p, and the blanks behind it. False when they were many: then the place is to be looked at again. */
static inline bool take_comma(bsn_json_parser *j, place *at)
{
    at->p++;
    if (BSN_LIKELY(*at->p > ' ')) return true;
    if (*at->p == ' ' && *++at->p > ' ') return true;
    at->p = bsni_parse_blanks(j, at->p);
    return is_in_middle(j, at);
}

/* The end of an embedded document or array at p. */
static inline bool take_end(const bsn_json_parser *j, place *at)
{
    bsn_json_frame *frame = at->frame;
    if (frame == j->frames || frame->kind > IN_ARRAY) return false;
    if (*at->p != (frame->kind == IN_ARRAY ? ']' : '}')) return false;
    *at->to++ = 0;
    at->p++;
    bsn_store_i32(j->doc + frame->start, (int32_t)((size_t)(at->to - j->doc) - frame->start));
    at->key = (--at->frame)->key;
    return true;
}

/* The place is looked at in front of an element, in front of a bracket, and behind a value: the margins hold what lies between. */
void PARSE_COMMON(bsn_json_parser *j)
{
    if (j->state < STATE_FIRST_KEY || j->state > STATE_AFTER) return;
    place at = load_place(j);
    if (!is_in_middle(j, &at)) return;
    switch (at.state) {
    case STATE_FIRST_KEY:
    case STATE_KEY: goto key;
    case STATE_VALUE: goto value;
    case STATE_AFTER: goto after;
    case STATE_NEXT_VALUE: goto item;
    default: return;
    }

key:
    if (!take_foreseen_key(&at) && !take_key(j, &at)) goto out;
value:
    switch (take_value(j, &at)) {
    case TAKEN_DOCUMENT:
        if (is_in_middle(j, &at)) goto key;
        goto out;
    case TAKEN_ARRAY:
        if (is_in_middle(j, &at)) goto item;
        goto out;
    case TAKEN_NOT: goto out;
    case TAKEN_BACK: return;
    case TAKEN_VALUE: break;
    }
    at.state = STATE_AFTER;
after:
    if (!is_in_middle(j, &at)) goto out;
    if (*at.p != ',') {
        if (take_end(j, &at)) goto after;
        goto out;
    }
    at.state = STATE_NEXT_VALUE;
    if (at.frame->kind != IN_ARRAY) {
        at.state = STATE_KEY;
        if (take_comma(j, &at)) goto key;
        goto out;
    }
    if (!take_comma(j, &at)) goto out;
item:
    if (begins_number(*at.p) && at.to_nearest) {
        take_number_run(j, &at);
        if (!is_in_middle(j, &at)) goto out;
    }
    if (begin_item(&at)) goto value;
out:
    store_place(j, at);
}

#endif
