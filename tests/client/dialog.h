/* SPDX-License-Identifier: Apache-2.0
 *
 * dialog.h -- a connection machine under test, its scripted peer, and the host that moves the bytes between them and writes down the
 * `n` of each document that came.
 */
#ifndef TESTS_CLIENT_DIALOG_H
#define TESTS_CLIENT_DIALOG_H

#include "client/replies.h"
#include "support/script.h"

#include <bsonic/conn.h>

#define DOCS_MAX 1024

/* A machine, its peer, and what came. */
typedef struct dialog {
    bsn_conn *conn;
    script peer;
    build bytes; /* the replies */
    int32_t docs[DOCS_MAX];
    size_t count;
    size_t runs;
    size_t stop_after; /* documents; then bsn_conn_stop */
} dialog;

/* A machine that has not greeted yet; a failing one fails the running test. */
dialog *dialog_new(const bsn_conn_options *options);
void dialog_free(dialog *d);

/* Past the hello of an ordinary server. */
dialog *dialog_greeted(const bsn_conn_options *options);

/* Moves bytes once: after BSN_CONN_SEND or BSN_CONN_RECEIVE. */
void dialog_move(dialog *d, bsn_conn_event event);

/* Until the operation is over: BSN_CONN_DONE or BSN_CONN_FAILED. */
bsn_conn_event dialog_run(dialog *d);

/* The documents were 0, 1, .. count - 1. */
void dialog_expect_docs(const dialog *d, size_t count);
void dialog_expect_failure(const dialog *d, bsn_status status, bool usable);
void dialog_expect_message(const dialog *d, const char *part);

/* ------------------------------------------------------------------ what was asked */

/* The body of the nth request, an OP_MSG with that id. */
bsn_doc dialog_request_body(const dialog *d, size_t request);

/* A field's value; type BSN_TYPE_NONE when there is none. */
bsn_value dialog_field(bsn_doc doc, const char *key);
void dialog_expect_text_field(bsn_doc doc, const char *key, const char *text);
void dialog_expect_int64_field(bsn_doc doc, const char *key, int64_t number);
bsn_str dialog_first_key(bsn_doc doc);

/* ------------------------------------------------------------------ scripts */

/* hello, a batch, an empty batch with the cursor still open, two more, the last without the namespace. 12 documents. */
void dialog_script_stream(dialog *d);

/* Greets and reads them all. */
void dialog_run_stream(dialog *d);

/* A batch of {"n": 0, "": binary of `len` bytes}, which is longer than a small window, and {"n": 1}; to request 2. */
bsn_bytes reply_long(build *b, size_t len);

#endif
