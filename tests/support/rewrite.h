/* SPDX-License-Identifier: Apache-2.0
 *
 * rewrite.h -- reads a document element by element and writes each with the writer: what comes out is the same document, but for
 * the names in arrays and the order of regex options, which the writer makes right.
 */
#ifndef TESTS_SUPPORT_REWRITE_H
#define TESTS_SUPPORT_REWRITE_H

#include <bsonic/doc.h>
#include <bsonic/write.h>

typedef enum rewrite_way {
    REWRITE_VALUES, /* containers are entered and nested anew, every other value is decoded and appended */
    REWRITE_RAW,   /* the same, but values are appended as their bytes */
    REWRITE_WHOLE, /* only the top level is walked; containers are appended as documents */
    REWRITE_WAYS
} rewrite_way;

/* Writes `doc` as the next outermost document. Returns the iterator's or the writer's first error. */
bsn_status rewrite_document(bsn_writer *w, bsn_doc doc, rewrite_way way);

#endif
