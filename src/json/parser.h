/* SPDX-License-Identifier: Apache-2.0
 *
 * parser.h -- what the files of the Extended JSON parser share.
 *
 *   parse.c          the machine: tokens to elements
 *   parse_common.h   its quick way
 *   parse_string.c   strings of any kind and length; the one judge of what is wrong in one
 *   parse_usual.c    wrappers as printers write them
 *   parse_wrapper.c  {"$oid": ..} and its like; parse_legacy.c their forms of version 1; parse_keys.c their keys
 *   parse_doc.c      room for the document that is being built
 *   parse_place.c    errors with line and column
 *   parse_stream.c   pieces: windows, and tokens that they cut
 *
 * The machine works on a window of text and stops between two tokens. A token is judged when it lies in the window as a whole, or when
 * the text ends: so whatever the windows are, everything is judged by the same code on the same bytes. A whole wrapper is one token
 * (but for the document of a scope). Keys and strings outside wrappers may be long: their tokens are characters, and what the window has
 * of them is written before more is asked for.
 *
 *   window | ........ | token | ..  no end of a token     the machine stops with cur at the token's start: TOKEN_MORE
 *                     ^cur      ^end
 *   doc    | length .. | type key 00 | value | room |     bytes are offsets from doc once anything may move it
 *                      ^type_at      ^doc_cur       ^doc_end
 *
 * What a token has written behind doc_cur does not count until doc_cur moves over it.
 */
#ifndef BSNI_PARSER_H
#define BSNI_PARSER_H

#include "base/debug.h"
#include "bson/array_index.h"
#include "bson/shape.h"
#include "simd/short.h"
#include "json/number.h"

#include <bsonic/detail/le.h>
#include <bsonic/json_parse.h>

/* What comes next. */
enum {
    STATE_START,       /* of the text: a byte order mark, maybe */
    STATE_KEY_TEXT,    /* what is left of a key that the pieces cut */
    STATE_STRING_TEXT, /* what is left of a string that the pieces cut */
    STATE_SKIP,        /* the rest of a faulty line */
    STATE_FIRST,       /* a document or the array of them */
    STATE_DOCUMENT,    /* the next document, or the end */
    STATE_FIRST_ITEM,  /* of the array of documents, or its end */
    STATE_NEXT_ITEM,   /* a document, behind a comma */
    STATE_ITEM_END,    /* a comma or the end of the array of documents */
    STATE_REST,        /* nothing but blanks */
    STATE_FIRST_KEY,   /* a key or '}' */
    STATE_KEY,         /* a key, behind a comma */
    STATE_COLON,       /* ':' */
    STATE_VALUE,       /* a value; type and key are written */
    STATE_FIRST_VALUE, /* of an array, or its end */
    STATE_NEXT_VALUE,  /* of an array, behind a comma */
    STATE_AFTER,       /* a comma or the end of the innermost container */
    STATE_SCOPE_END,   /* '}' behind the scope of {"$code": .., "$scope": {} */
    STATE_SCOPE_CODE   /* the code behind the scope of {"$scope": {}, "$code": .. */
};

/* What containers are. */
enum { IN_DOCUMENT, IN_ARRAY, IN_SCOPE, IN_FIRST_SCOPE };

/* What became of a token. */
typedef enum bsni_token {
    TOKEN_OK,
    TOKEN_MORE,     /* its end is not in the window, and the text goes on behind it */
    TOKEN_FAILED,   /* the error is set */
    TOKEN_DOCUMENT, /* a document is finished: doc .. doc_cur */
    TOKEN_END       /* the text is at its end, between documents */
} bsni_token;

/* Room that every key and every value of an array finds: for keys and strings of up to 64 bytes, everything of fixed size, and what
 * vectors store over the end. */
#define BSNI_DOC_MARGIN 256

/* Bytes in front of the end of the window within which tokens ask for the end. */
#define BSNI_WINDOW_MARGIN 256

/* ---- parse_place.c ---- */

/* Sets the parser's error at a place in the window. */
void bsni_parse_set_error(bsn_json_parser *j, bsn_status status, const uint8_t *at,
                          const char *detail);

static inline bsni_token bsni_parse_fail(bsn_json_parser *j, bsn_status status, const uint8_t *at,
                                         const char *detail)
{
    bsni_parse_set_error(j, status, at, detail);
    return TOKEN_FAILED;
}

/* Where a place of the window is in the stream. */
static inline uint64_t bsni_parse_offset(const bsn_json_parser *j, const uint8_t *at)
{
    return j->window_offset + (size_t)(at - j->window);
}

/* Fails at a place of the line at cur, in front of it, that may have left the window. */
bsni_token bsni_parse_fail_before(bsn_json_parser *j, bsn_status status, uint64_t offset,
                                  const char *detail);

/* The window ends at a place where `detail` was expected: more text, or BSN_E_SHORT when there is no more. */
bsni_token bsni_parse_short(bsn_json_parser *j, const char *detail);

/* Newlines in front of `upto` are counted from here on. */
void bsni_parse_count_lines(bsn_json_parser *j, const uint8_t *upto);

/* The window is text[0..len), at this offset of the stream. */
void bsni_parse_set_window(bsn_json_parser *j, const uint8_t *text, size_t len, uint64_t offset);

/* Moves the last bytes of the text, at most BSNI_WINDOW_MARGIN, to j->tail, where zeros stand behind them: no token goes on into zeros,
 * so none has to ask for the end. */
void bsni_parse_show_tail(bsn_json_parser *j);

/* Skips blanks from p; may set has_newlines. */
const uint8_t *bsni_parse_blanks(bsn_json_parser *j, const uint8_t *p);

/* ---- parse_doc.c ---- */

/* Begins a document in the room of *out, or in scratch when out is NULL or has none. */
bool bsni_doc_begin(bsn_json_parser *j, bsn_out *out);

/* Makes room for `room` bytes behind doc_cur; the document may move. Otherwise the parser has failed. */
bool bsni_doc_grow(bsn_json_parser *j, size_t room);

/* The slow half of bsni_doc_ready. */
bool bsni_doc_check(bsn_json_parser *j);

/* Moves what there is of a document out of the output's room. */
bool bsni_doc_spill(bsn_json_parser *j);

static inline size_t bsni_doc_len(const bsn_json_parser *j)
{
    return (size_t)(j->doc_cur - j->doc);
}

static inline size_t bsni_doc_room(const bsn_json_parser *j)
{
    return (size_t)(j->doc_end - j->doc_cur);
}

/* Room for a token of fixed size or short text, and the check that the document is not too long; at the start of every key, every value
 * of an array and every end. */
static inline bool bsni_doc_ready(bsn_json_parser *j)
{
    if (BSN_LIKELY(j->doc_cur <= j->doc_safe)) return true;
    return bsni_doc_check(j);
}

static inline bool bsni_doc_reserve(bsn_json_parser *j, size_t room)
{
    return room <= bsni_doc_room(j) || bsni_doc_grow(j, room);
}

/* ---- parse_string.c ---- */

/* Which faults of a string are looked for. */
typedef enum bsni_text_kind {
    TEXT_ANY,
    TEXT_KEY /* or a part of a regex: no U+0000 */
} bsni_text_kind;

/* Takes the string whose quote is at j->cur: its text goes to doc_cur, which moves behind it, cur behind the closing quote. Keeps
 * BSNI_DOC_MARGIN bytes of room behind. */
bsni_token bsni_parse_text(bsn_json_parser *j, bsni_text_kind kind);

/* Goes behind the quote at cur: the text that follows is written to doc_cur by bsni_parse_rest_of_text, as far as the window has it,
 * and the machine comes back to it in `state` as often as there is more. */
void bsni_parse_open_text(bsn_json_parser *j, uint8_t state);

/* TOKEN_OK: cur is behind the closing quote, doc_cur behind the text, with BSNI_DOC_MARGIN bytes of room. TOKEN_MORE: both are behind
 * what there was. */
bsni_token bsni_parse_rest_of_text(bsn_json_parser *j, bsni_text_kind kind);

/* Text as it stands in the window, or unescaped. */
typedef struct bsni_slot {
    const uint8_t *at; /* the opening quote, in the window; NULL: there was none */
    const uint8_t *raw;
    size_t len;
    bool is_unescaped; /* it lies in j->unescaped, from `offset` */
    size_t offset;
} bsni_slot;

/* Takes the string at *p, moving *p behind it, without writing it to the document. */
bsni_token bsni_parse_slot(bsn_json_parser *j, const uint8_t **p, bsni_text_kind kind,
                           bsni_slot *slot);

static inline bsn_str bsni_slot_text(const bsn_json_parser *j, const bsni_slot *slot)
{
    const uint8_t *text = slot->is_unescaped ? j->unescaped.ptr + slot->offset : slot->raw;
    const bsn_str str = {(const char *)text, slot->len};
    return str;
}

/* The longest text that is copied before it is known where it ends: within the margins of window and room. */
#define BSNI_COPY_TEXT_MAX 128

/* Copies plain ASCII from p to `to`, which have BSNI_COPY_TEXT_MAX bytes each, up to the first byte that is anything else. True when that is
 * a quote; then *len is what stands in front of it. */
static inline bool bsni_copy_text(const uint8_t *p, uint8_t *to, size_t *len)
{
    for (size_t i = 0; i < BSNI_COPY_TEXT_MAX; i += BSNI_SHORT_RUN) {
        if (!bsni_short_copy_run(p + i, to + i, len)) continue;
        *len += i;
        return p[*len] == '"';
    }
    return false;
}

/* ---- parse_keys.c ---- */

typedef enum bsni_special {
    SPECIAL_NONE,
    SPECIAL_INT,
    SPECIAL_LONG,
    SPECIAL_DOUBLE,
    SPECIAL_DECIMAL,
    SPECIAL_OID,
    SPECIAL_BINARY,
    SPECIAL_DATE,
    SPECIAL_REGEX,
    SPECIAL_TIMESTAMP,
    SPECIAL_CODE,
    SPECIAL_SCOPE,
    SPECIAL_SYMBOL,
    SPECIAL_UNDEFINED,
    SPECIAL_DBPOINTER,
    SPECIAL_MINKEY,
    SPECIAL_MAXKEY,
    SPECIAL_UUID
} bsni_special;

/* Which wrapper a key belongs to. */
bsni_special bsni_special_key(bsn_str key);

/* Writes the name of an array's next item, of up to 8 digits, and 0x00; returns what comes behind. */
static inline uint8_t *bsni_put_index(bsn_json_frame *frame, uint8_t *to)
{
    to = bsni_index_put(frame->index, frame->digit_count, to);
    if (BSN_UNLIKELY(!bsni_index_next(&frame->index, frame->digit_count)))
        bsni_index_carry(&frame->index, &frame->digit_count);
    return to;
}

/* ---- parse_common.c, parse_common_wide.c ---- */

/* Take what is common of the tokens at cur, from a state on in which that may stand; the second one where the tier is wide. */
void bsni_parse_common(bsn_json_parser *j);
void bsni_parse_common_wide(bsn_json_parser *j);

/* ---- parse.c ---- */

/* A container that was opened `start` bytes behind the document's first. */
static inline void bsni_open_frame(bsn_json_frame *frame, uint8_t kind, size_t start)
{
    frame->start = (uint32_t)start;
    frame->kind = kind;
    frame->index = BSNI_INDEX_FIRST;
    frame->digit_count = BSNI_INDEX_FIRST_DIGITS;
}

/* Writes the value of a number to `to`; returns its type and length in *len. */
static inline bsn_type bsni_put_number(const bsni_number *number, uint8_t *to, size_t *len)
{
    *len = 8;
    if (number->kind == BSNI_NUMBER_INT32) {
        *len = 4;
        bsn_store_i32(to, (int32_t)number->integer);
        return BSN_TYPE_INT32;
    }
    if (number->kind == BSNI_NUMBER_INT64) {
        bsn_store_i64(to, number->integer);
        return BSN_TYPE_INT64;
    }
    bsn_store_f64(to, number->real);
    return BSN_TYPE_DOUBLE;
}

/* Goes on until a document is finished, the window is used up, or something is wrong. A document that begins is built in *out when it is
 * not NULL. */
bsni_token bsni_parse_run(bsn_json_parser *j, bsn_out *out);

/* True if a container within the one of `frame` is not too deep, and needs no memory. */
static inline bool bsni_has_frame(const bsn_json_parser *j, const bsn_json_frame *frame)
{
    return frame + 1 != j->frames + j->frame_cap;
}

/* Where a reader of the shape stands in a container of this kind that is the value of `key`. */
static inline const bsni_shape_node *bsni_enter_shape(const bsn_json_parser *j, uint8_t kind,
                                                      const bsni_shape_node *key)
{
    return kind == IN_ARRAY ? key : bsni_shape_enter(j->shape, key);
}

/* Opens a container behind the key; its length field is where doc_cur is. */
bsni_token bsni_parse_push(bsn_json_parser *j, uint8_t kind, const uint8_t *at);

/* ---- parse_usual.c ---- */

/* Takes the wrapper whose '{' is at cur, when it is as printers write them. The caller has seen `{"$`, and vouches for the
 * margins of text and room in front of the element that it is the value of. False: nothing has happened. */
bool bsni_parse_usual(bsn_json_parser *j);

/* ---- parse_wrapper.c ---- */

typedef enum bsni_object {
    OBJECT_WRAPPER,  /* a value was written, cur is behind it */
    OBJECT_DOCUMENT, /* it is none: nothing has happened */
    OBJECT_SCOPE,    /* a scope was opened: the machine goes on with its first key */
    OBJECT_MORE,
    OBJECT_FAILED
} bsni_object;

/* Looks at the object whose '{' is at cur, in a document. */
bsni_object bsni_parse_object(bsn_json_parser *j);

/* The code behind a scope, from a comma on, and the end of the wrapper. */
bsni_token bsni_parse_scope_code(bsn_json_parser *j);

static inline void bsni_set_type(bsn_json_parser *j, bsn_type type)
{
    j->doc[j->type_at] = (uint8_t)type;
}

#endif
