/* SPDX-License-Identifier: Apache-2.0
 *
 * json.h -- BSON out as text, in one pass, without a tree: Extended JSON in its forms, and what the MongoDB shell reads.
 *
 * Sources: MongoDB Extended JSON specification, version 2 (canonical and relaxed); MongoDB manual, "MongoDB Extended JSON (v1)",
 * strict mode (legacy); MongoDB Shell manual, "Data Types" (shell).
 */
#ifndef BSONIC_JSON_H
#define BSONIC_JSON_H

#include <bsonic/doc.h>
#include <bsonic/mem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bsn_json_form {
    BSN_JSON_RELAXED = 0, /* plain numbers and ISO dates where JSON can say them; integers lose their width */
    BSN_JSON_CANONICAL,   /* every type spelt out: reads back as the same bytes */

    /* Relaxed, but for int64 beyond +-(2^53 - 1), which are {"$numberLong":"9007199254740992"}: readers that make a double of
     * every number, JavaScript's among them, lose nothing. */
    BSN_JSON_SAFE,

    /* Version 1, strict mode: reads back as the same bytes by bsn_json_parse with its option `legacy`.
     *   int32, finite doubles  plain: 5, 5.0            int64      {"$numberLong":"5"}
     *   date    {"$date":1356351330501}, in milliseconds   binary  {"$binary":"base64","$type":"00"}
     *   regex   {"$regex":"pattern","$options":"i"}
     * All else, and NaN and the infinities, for which version 1 had nothing that is JSON, as canonical. Tools took liberties that
     * this form does not: plain int64, plain strings for symbols, {"$ref","$id"} for DBPointers (which is a DBRef). */
    BSN_JSON_LEGACY,

    /* Expressions of JavaScript that mongosh evaluates to the same values: no JSON, to be pasted.
     *   int32    5                                      int64      NumberLong("5")
     *   double   1.5; Double(5.0) where it would become an int32; NaN, Infinity, -Infinity
     *   decimal128  NumberDecimal("1.20")               ObjectId   ObjectId("24 hex digits")
     *   date     ISODate("2012-12-24T12:15:30.501Z"); new Date(-1) outside the years 1970..9999
     *   binary   BinData(0,"base64")                    timestamp  Timestamp({t:1,i:2})
     *   regex    /^a.*b$/i, where what JavaScript sends back is the same; else BSONRegExp("a/b","x")
     *   code     Code(".."), Code("..",{..})            symbol     BSONSymbol("..")
     *   DBPointer   DBPointer("db.coll",ObjectId(".."))    undefined, MinKey(), MaxKey()
     * Keys are quoted; __proto__ is ["__proto__"]. What JavaScript cannot have is lost when it reads: the order of keys that are
     * numbers, all but the last of duplicate keys, dates beyond 100 million days from 1970. */
    BSN_JSON_SHELL
} bsn_json_form;

/* What becomes of text that is not UTF-8, in keys too. */
typedef enum bsn_json_utf8 {
    BSN_JSON_UTF8_ERROR = 0, /* BSN_E_UTF8 */

    /* Each maximal subpart of an ill-formed sequence, as a decoder meets it, is \ufffd. So one broken character is one of
     * them, F0 9F 98 41 is \ufffdA, and a byte that cannot be part of a character is one by itself.
     *                                            [Unicode 15, 3.9, "U+FFFD Substitution of Maximal Subparts"] */
    BSN_JSON_UTF8_REPLACE,

    /* Each byte that is no part of a well-formed sequence is \u0080..\u00ff, its own value. No character is ever printed so, so the
     * text tells where such bytes were and which; who reads it gets the characters U+0080..U+00FF, as if they had been Latin-1. */
    BSN_JSON_UTF8_ESCAPE
} bsn_json_utf8;

/* The spaces of one indentation; more is not taken. */
#define BSN_JSON_INDENT_MAX 8
/* In place of a number of spaces: a tab. */
#define BSN_JSON_INDENT_TAB 9

/* What there is to say of texts that were printed. To begin with all zero. */
typedef struct bsn_json_report {
    /* Embedded documents (and scopes) that text cannot tell from wrappers, because they have a key of one, {"a": {"$oid": 5}}:
     * reading back, they are refused or become something else. In legacy form also {"$regex": "..", "$options": ".."} of
     * two strings; in shell form there are none. Counted on over calls that return BSN_OK; of a text that is cut, those in front of
     * the cut. */
    uint64_t lookalikes;
    bool is_cut;         /* of the last call: its text ends at length_max, before the document does */
    uint64_t cut_offset; /* is_cut: of the first element or container's end that is not in the text as a whole */
} bsn_json_report;

/* Takes text of a document that is still being printed out of *out, by bsn_out_sent: all of it or some. Of fixed storage all, since it
 * is filled anew only when nothing in it waits: else it gets full, BSN_E_SPACE. Must not write to *out, or roll it back. A status
 * other than BSN_OK ends the printing with *err. */
typedef bsn_status (*bsn_json_drain)(void *ctx, bsn_out *out, bsn_error *err);

/* How to print. All zero (or a NULL pointer to it) is the default: relaxed, one line. */
typedef struct bsn_json_options {
    bsn_json_form form;
    bsn_json_utf8 utf8;
    uint32_t depth_max; /* 0: BSN_DEPTH_DEFAULT; at most 65535 */

    /* 0: one line. 1..BSN_JSON_INDENT_MAX spaces or BSN_JSON_INDENT_TAB: each element on a line of its own, a space behind the
     * colon; wrappers stay on one line, but for the elements of a scope; {} and [] are closed at once. Text grows with depth. */
    uint32_t indent;

    /* 0: none. The text is cut to at most so many bytes, never within a character or an escape. The document is judged as a whole
     * all the same. Cut text is BSN_OK, and report says so. */
    uint64_t length_max;

    /* Refuse what report counts as lookalikes, behind a cut too: BSN_E_LOOKALIKE, at the key. Of a document whose text is drained
     * before it is complete, or cut, this costs another pass. */
    bool reversible;
    bsn_json_report *report; /* NULL: nobody asks */
    /* For the stack of limits above BSN_DEPTH_DEFAULT; NULL: deeper documents are BSN_E_DEPTH. */
    const bsn_alloc *alloc;

    /* Text may be many times as long as its document ("\\u0001" of one byte). With drain, what waits in the output is drained when it
     * is at least drain_min bytes and the room at hand is used up: a block of a pool, fixed storage. So a text of any length goes
     * through little memory. NULL: the text of a document waits as a whole. */
    bsn_json_drain drain;
    void *drain_ctx;
    size_t drain_min; /* 0: 256 KiB. Of fixed storage at most its size less BSN_OUT_RESERVE_MAX */
} bsn_json_options;

/* Appends one document to *out as text, without a line feed.
 *
 * Text     no blanks unless indented; keys in order, duplicates kept; `"`, `\` and U+0000..U+001F escaped, other UTF-8 as it is. A
 *          double has a fraction or an exponent and reads back as the same bits; NaN and the infinities are {"$numberDouble":"NaN"} etc. in
 *          all forms of JSON. Relaxed dates of the years 1970..9999 are ISO text. Regex options are sorted if all of
 *          them are ASCII. Names of array elements are not printed.       [Extended JSON v2, "Conversion table"]
 *          Names and values of other forms: see bsn_json_form.
 * Returns  BSN_OK; on any other status the output is what it was before the call, less what has been drained.
 * Drain    Before any text of a document is drained for the first time, the document is validated as a whole: of one that is at
 *          fault nothing is ever drained. After that only drain itself, and memory for the output or the stack, can fail.
 * Errors   exactly those of bsn_validate at BSN_LEVEL_UTF8, with the same offsets (the frame of `doc` counts as checked); at
 *          BSN_LEVEL_STRUCTURE when utf8 is not an error;
 *          BSN_E_LOOKALIKE  reversible: {"a": {"$oid": 5}}, at the type byte of $oid; any other fault of the document goes first
 *          BSN_E_NOMEM, BSN_E_SPACE from the output. BSN_E_SPACE: *out goes on counting, nothing is rolled back;
 *          what drain returned.
 * Memory   constant beyond the output; about 4 KiB of stack. Depth needs no recursion.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_json_print(bsn_doc doc, const bsn_json_options *options, bsn_out *out,
                                                 bsn_error *err);

#ifdef __cplusplus
}
#endif
#endif
