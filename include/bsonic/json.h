/* SPDX-License-Identifier: Apache-2.0
 *
 * json.h -- Extended JSON, version 2: BSON out as text, in one pass, without a tree.
 *
 * Source: MongoDB Extended JSON specification, version 2 (canonical and relaxed forms).
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
    BSN_JSON_CANONICAL    /* every type spelt out: reads back as the same bytes */
} bsn_json_form;

/* Takes text of a document that is still being printed out of *out: all of it or some, by bsn_out_sent. Must not write to *out, or
 * roll it back. A status other than BSN_OK ends the printing with *err. */
typedef bsn_status (*bsn_json_drain)(void *ctx, bsn_out *out, bsn_error *err);

/* How to print. All zero (or a NULL pointer to it) is the default: relaxed, one line. */
typedef struct bsn_json_options {
    bsn_json_form form;
    uint32_t depth_max; /* 0: BSN_DEPTH_DEFAULT; at most 65535 */
    const bsn_alloc
        *alloc; /* for the stack of limits above BSN_DEPTH_DEFAULT; NULL: deeper documents are BSN_E_DEPTH */

    /* Text may be many times as long as its document ("\\u0001" of one byte). With drain, what waits in the output is drained when it
     * is at least drain_min bytes and the room at hand is used up: a block of a pool, fixed storage. So a text of any length goes
     * through little memory. NULL: the text of a document waits as a whole. */
    bsn_json_drain drain;
    void *drain_ctx;
    size_t drain_min; /* 0: 256 KiB. Of fixed storage at most its size less BSN_OUT_RESERVE_MAX */
} bsn_json_options;

/* Appends one document to *out as Extended JSON, without a line feed.
 *
 * Text     no blanks; keys in order, duplicates kept; `"`, `\` and U+0000..U+001F escaped, other UTF-8 as it is. A double has a
 *          fraction or an exponent and reads back as the same bits; NaN and the infinities are {"$numberDouble":"NaN"} etc. in
 *          both forms. Relaxed dates of the years 1970..9999 are ISO text. Regex options are sorted if all of
 *          them are ASCII. Names of array elements are not printed.       [Extended JSON v2, "Conversion table"]
 * Returns  BSN_OK; on any other status the output is what it was before the call, less what has been drained.
 * Drain    Before any text of a document is drained for the first time, the document is validated as a whole: of one that is at
 *          fault nothing is ever drained. After that only drain itself, and memory for the output or the stack, can fail.
 * Errors   exactly those of bsn_validate at BSN_LEVEL_UTF8, with the same offsets (the frame of `doc` counts as checked);
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
