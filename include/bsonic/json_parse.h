/* SPDX-License-Identifier: Apache-2.0
 *
 * json_parse.h -- Extended JSON, version 2, as BSON: in one pass, without a tree, from text that comes in any pieces.
 *
 * One document in memory:
 *
 *   if (bsn_json_parse(text, NULL, &out, &err) != BSN_OK) return report(&err);
 *
 * A stream of documents: lines, values one after another, or one array of documents, whatever comes first decides:
 *
 *   bsn_json_parser parser;
 *   bsn_json_parser_init(&parser, NULL);
 *   while (there is a piece) {
 *       bsn_json_parser_feed(&parser, piece);                     the last one: bsn_json_parser_finish
 *       while (bsn_json_parser_next(&parser, &doc)) use(doc);
 *       if (bsn_json_parser_status(&parser, &err) != BSN_OK) break;
 *   }
 *   bsn_json_parser_free(&parser);
 *
 * Text     JSON [RFC 8259] in UTF-8, strictly: no comments, no commas at the end, no NaN, no bare words. A byte order mark in front
 *          of everything is skipped; blanks (CR too) may stand between any two tokens, and none need stand between documents.
 *          A document is an object.
 * Values   as the Extended JSON specification has it, canonical and relaxed mixed. A wrapper ({"$oid": ..} and its like, $uuid too)
 *          may have its keys in any order and must have exactly these, with values of the right kind; an object that has one
 *          of their keys beside others is refused. The outermost object is never a wrapper. Other keys that begin with `$`
 *          are keys like any other, DBRefs are documents. Numbers without point and exponent are int32 if they fit, else int64,
 *          else a double (or refused, by option); all others are doubles, correctly rounded. Duplicate keys are kept, in order.
 *          Binary subtype 02 gets its inner length; the options of a regex are sorted.
 * Places   Errors tell status, byte offset, line and column (bytes, from 1), and in `detail` what was expected there ("a key or
 *          '}'"). Whatever the pieces are, bytes and errors are the same.
 *
 * Errors of text, each with the smallest input that gives it
 *   BSN_E_SHORT     the text ends within a document; one was expected and there is none     {"a":       (nothing)
 *   BSN_E_SYNTAX    not JSON, or a wrapper that is none             {"a":x}      {"a":{"$oid":"12"}}
 *   BSN_E_TRAILING  something behind the document or the array      {}x   (bsn_json_parse: also {}{})
 *   BSN_E_UTF8      text that is not UTF-8, an escape of half a surrogate pair               {"<FF>":0}   {"a":"\ud800"}
 *   BSN_E_KEY_NUL   U+0000 in a key or a part of a regex            {"\u0000":0}
 *   BSN_E_RANGE     a number or date that its type cannot hold      {"a":1e309}  {"a":{"$numberInt":"2147483648"}}
 *   BSN_E_INEXACT   digits would be lost: a date below the millisecond, a decimal128 of more than 34 digits
 *   BSN_E_DEPTH     documents nested deeper than the limit; wrappers do not count
 *   BSN_E_SIZE      a document above the limit; offset: about where it passed it
 * and BSN_E_NOMEM.
 */
#ifndef BSONIC_JSON_PARSE_H
#define BSONIC_JSON_PARSE_H

#include <bsonic/mem.h>
#include <bsonic/shape.h>
#include <bsonic/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Integers that int64 cannot hold. */
typedef enum bsn_json_big_int {
    BSN_JSON_BIG_INT_DOUBLE = 0, /* the nearest double, as the specification says */
    BSN_JSON_BIG_INT_ERROR       /* BSN_E_RANGE */
} bsn_json_big_int;

/* Dates with digits, other than zero, below the millisecond. */
typedef enum bsn_json_sub_ms {
    BSN_JSON_SUB_MS_ERROR = 0, /* BSN_E_INEXACT */
    BSN_JSON_SUB_MS_FLOOR      /* the millisecond before */
} bsn_json_sub_ms;

/* How to parse. All zero (or a NULL pointer to it) is the default. */
typedef struct bsn_json_parse_options {
    /* Take the forms of version 1 too: {"$date": 1356351330501}, dates without seconds or with an offset without colon,
     * {"$binary": "..", "$type": "05"}, {"$regex": "..", "$options": ".."}. */
    bool legacy;
    bsn_json_big_int big_int;
    bsn_json_sub_ms sub_ms;
    uint32_t depth_max;     /* 0: BSN_DEPTH_DEFAULT; at most 65535. The outermost document is 1 */
    uint32_t size_max;      /* 0: BSN_DOC_SIZE_MAX, which is also the most; bytes of a document */
    const bsn_alloc *alloc; /* for what the parser keeps; it must outlive it */
    /* What earlier documents had for keys, which changes no answer; it must outlive the parser. One call at a time may use it, and parsers
     * may take turns (shape.h). NULL: each document is read as if it were the first. */
    bsn_shape *shape;
} bsn_json_parse_options;

/* Parses one document and appends it to *out.
 *
 * Bytes    one object, blanks around it; see above.
 * Returns  BSN_OK; on any other status the output is what it was before the call.
 * Errors   see above; BSN_E_SPACE, BSN_E_SIZE, BSN_E_NOMEM from the output. BSN_E_SPACE: *out goes on counting, nothing is rolled
 *          back.
 * Memory   none beyond the output when that is a bsn_buf or pooled: then the document lies in one block, of a larger class when it
 *          must be. Over fixed storage, and over BSN_POOL_SIZE_MAX bytes, it is put together in memory of options->alloc
 *          first. About 7 KiB of stack. Depth needs no recursion.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_json_parse(bsn_str text, const bsn_json_parse_options *options, bsn_out *out,
                                                 bsn_error *err);

/* ------------------------------------------------------------------ streams */

/* An open document or array. */
typedef struct bsn_json_frame {
    /* private */
    uint64_t index; /* array: the next index, as text in the bytes from the lowest up; see bson/array_index.h */
    uint32_t start; /* bytes of the outermost document in front of this one's length field */
    uint8_t kind;
    uint8_t digit_count; /* array: digits in index; 0: it is a number */
    /* Of the shape: where the reader stood when a container in this one was opened. */
    const struct bsni_shape_node *key;
} bsn_json_frame;

/* The parser's state, less than 6 KiB, in the caller's storage. It points into itself: do not copy one. */
typedef struct bsn_json_parser {
    /* private: the window, which is the text at hand */
    const uint8_t *cur;
    const uint8_t *end;
    const uint8_t *safe; /* in front of it tokens can be read without asking for the end */
    const uint8_t *window;
    const uint8_t *line_from; /* newlines in front of this place have been counted */
    uint64_t window_offset;   /* bytes of the stream in front of the window */
    uint64_t line_start;      /* offset of the first byte of the line at line_from */
    uint64_t line;
    bool has_newlines; /* maybe, since line_from */
    bool is_last;      /* the window ends where the text ends */
    /* private: the document that is being built */
    uint8_t state;           /* what comes next */
    uint8_t *doc;            /* its first byte */
    uint8_t *doc_cur;        /* where the next byte goes */
    const uint8_t *doc_safe; /* in front of it there is room for an element of short text */
    uint8_t *doc_end;        /* end of the room */
    bsn_out *out;            /* in whose room it lies; NULL: in scratch */
    size_t type_at;          /* of the element at hand: bytes in front of its type */
    size_t text_at;          /* of the key or string at hand: bytes in front of its text */
    uint64_t text_offset;    /* of its quote */
    bsn_shape *shape;
    const struct bsni_shape_node *key; /* the last one that the shape knows: where the reader stands */
    bsn_json_frame *frame;
    bsn_json_frame *frames;
    uint32_t frame_cap;
    uint32_t depth_max;
    uint32_t size_max;
    uint32_t date_flags;
    bool legacy;
    bool refuses_big_int;
    bool to_nearest; /* how the machine rounds during this call */
    bool is_single;  /* one document, no stream */
    bool is_array;   /* the stream is one */
    bsn_buf scratch;
    bsn_buf unescaped; /* texts of a wrapper that had escapes */
    /* private: pieces */
    bool is_finished;
    bool is_used_up; /* the next call needs more text */
    bool in_carry;   /* the window is the carry */
    bool needs_fill; /* which wants bytes of the piece first */
    uint8_t token_state;
    uint32_t token_depth;
    size_t token_at;    /* how far the end of the token has been looked for */
    size_t carry_old;   /* bytes of the carry that come from pieces before this one */
    size_t carry_tried; /* bytes it had when it was last tried */
    bsn_buf carry;      /* the front of a token that the pieces cut */
    bsn_str piece;      /* what of it does not lie in the window */
    bsn_error err;      /* the first */
    uint64_t count;
    bsn_json_frame own_frames[BSN_DEPTH_DEFAULT];
    uint8_t tail[512]; /* the end of the text, with room behind it */
} bsn_json_parser;

/* A parser at the start of a stream. Allocates nothing yet: it takes memory for the largest document, for the longest wrapper
 * or number that pieces cut, and for limits of depth over BSN_DEPTH_DEFAULT, and keeps it, so that a stream soon allocates nothing. */
BSN_API void bsn_json_parser_init(bsn_json_parser *parser, const bsn_json_parse_options *options);

/* Releases what the parser holds. */
BSN_API void bsn_json_parser_free(bsn_json_parser *parser);

/* Starts a new stream with the same options, whatever became of the last one; memory is kept. */
BSN_API void bsn_json_parser_reset(bsn_json_parser *parser);

/* Gives the parser the next piece of the text, of any length. It is borrowed until bsn_json_parser_next says false, and must
 * not be given before that: BSN_E_STATE. */
BSN_API void bsn_json_parser_feed(bsn_json_parser *parser, bsn_str piece);

/* Says that no more pieces come: what is open now is cut short. */
BSN_API void bsn_json_parser_finish(bsn_json_parser *parser);

/* The next document of the stream. False when the piece is used up, when the stream is at its end, and after an error: ask
 * bsn_json_parser_status.
 *
 * Memory   *doc lies in the parser: it lives until the next call with this parser.
 */
BSN_API bool bsn_json_parser_next(bsn_json_parser *parser, bsn_doc *doc);

/* The same, appended to *out. The output's own errors do not stop the parser: ask bsn_out_status, or limit its room. What lies in
 * *out may be sent between two calls. */
BSN_API bool bsn_json_parser_next_into(bsn_json_parser *parser, bsn_out *out);

/* BSN_OK while there is no error; else the first one, and *err (may be NULL) set. It stays until a reset; the document it is in
 * has the number bsn_json_parser_count + 1. */
BSN_API bsn_status bsn_json_parser_status(const bsn_json_parser *parser, bsn_error *err);

/* After an error in a stream that is not an array: goes on behind the next line feed at or after its place, as if a document had
 * ended there: another one may follow, no array and no byte order mark. The faulty document is not counted.
 * Returns  false, and nothing changes, when there was no error, one that is not the text's (BSN_E_NOMEM, BSN_E_STATE), or the stream
 *          is an array. */
BSN_API BSN_MUST_CHECK bool bsn_json_parser_skip_line(bsn_json_parser *parser);

/* Documents handed out so far, and bytes of the stream in front of what comes next: the end of the last document, if one was just
 * handed out. */
BSN_API uint64_t bsn_json_parser_count(const bsn_json_parser *parser);
BSN_API uint64_t bsn_json_parser_offset(const bsn_json_parser *parser);

#ifdef __cplusplus
}
#endif
#endif
