/* SPDX-License-Identifier: Apache-2.0
 *
 * insert_dialog.h -- inserts in a dialog (dialog.h): documents of any length, limits of a server, and its answers.
 *
 * Documents are { _id: int32, pad: binary } of any length from 24 bytes on, or the same without _id, from 15 on.
 */
#ifndef TESTS_CLIENT_INSERT_DIALOG_H
#define TESTS_CLIENT_INSERT_DIALOG_H

#include "client/dialog.h"

#define CORPUS_DOCS_MAX 1200
#define WITH_ID_MIN 24
#define WITHOUT_ID_MIN 15
#define ID_BYTES 17 /* 07 "_id" 00 and twelve more */

/* ------------------------------------------------------------------ documents */

/* Documents one behind the other, or each with a byte between it and the next. */
typedef struct corpus {
    bsn_doc docs[CORPUS_DOCS_MAX];
    size_t count;
    uint8_t bytes[512 * 1024];
    size_t len;
} corpus;

/* An empty one; free() it. */
corpus *corpus_new(void);

/* `count` documents of `len` bytes, with _id; a gap between them when scattered. */
corpus *corpus_of(size_t count, size_t len, bool scattered);

/* Adds a document of `len` bytes. */
void corpus_add(corpus *c, bool with_id, size_t len);

/* ------------------------------------------------------------------ answers */

typedef struct told_error {
    int32_t index;
    int32_t code;
} told_error;

/* { n, writeErrors: [{ index, code, errmsg: "E<code>" }], ok: 1 } */
bsn_bytes reply_insert(build *b, int32_t response_to, int32_t n, const told_error *errors,
                       size_t count);

/* { writeConcernError: { code, errmsg }, n, ok: 1 } */
bsn_bytes reply_concern(build *b, int32_t response_to, int32_t n, int32_t code, const char *text);

/* What a server tells of its limits in its hello; 0: nothing. */
typedef struct server_limits {
    int32_t document_max;
    int32_t message_max;
    int32_t batch_max;
} server_limits;

extern const server_limits generous;

/* The answer to a hello. */
bsn_bytes reply_limits(build *b, const server_limits *limits);

/* ------------------------------------------------------------------ the dialog */

typedef struct inserting {
    dialog *host;
    bsn_insert_result result;
} inserting;

/* Past the hello. */
inserting *inserting_open(const bsn_conn_options *options, const server_limits *limits);
inserting *inserting_new(const server_limits *limits);
void inserting_free(inserting *d);

/* What the next request is answered with. */
void inserting_answer(inserting *d, int32_t n, const told_error *errors, size_t count);

/* Inserts a corpus into db.c, and runs. */
bsn_conn_event inserting_insert(inserting *d, const corpus *c, const bsn_insert_options *options);

/* The documents of a request, and its body. */
bsn_bytes inserting_documents(const inserting *d, size_t request, bsn_doc *body);

/* A request holds exactly docs[first..first + count) of the corpus. */
void inserting_expect_request(const inserting *d, size_t request, const corpus *c, size_t first,
                              size_t count);

#endif
