/* SPDX-License-Identifier: Apache-2.0
 *
 * print_text.h -- a document as Extended JSON in a block of its own, for tests that compare texts.
 */
#ifndef TESTS_SUPPORT_PRINT_TEXT_H
#define TESTS_SUPPORT_PRINT_TEXT_H

#include <bsonic/json.h>

/* What one bsn_json_print did. */
typedef struct printed {
    bsn_status status;
    bsn_error err;
    bsn_buf buf;  /* owns the text */
    bsn_str text; /* lives until printed_free; empty after an error */
} printed;

/* Prints with options; NULL is the default. */
printed print_document(bsn_doc doc, const bsn_json_options *options);

/* The same in a form. The bytes are copied to a block of exactly their size first. Bytes that bsn_doc_open refuses give
 * its status. */
printed print_bytes(bsn_bytes bytes, bsn_json_form form);

/* The same of hex digits. */
printed print_hex(const char *hex, bsn_json_form form);

void printed_free(printed *p);

#endif
