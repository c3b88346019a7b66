/* SPDX-License-Identifier: Apache-2.0
 *
 * fixture.h -- a served folder for a test: files are written into a temporary folder, requests are asked as bytes, no socket.
 *
 * Commands and replies are written as Extended JSON, 'with quotes like these' for legibility, which the packaged libbson turns into
 * BSON; so order and types of fields count.
 */
#ifndef TESTS_SERVE_FIXTURE_H
#define TESTS_SERVE_FIXTURE_H

#include "serve/answer.h"
#include "support/counting_alloc.h"

#include <check.h>

#define FIXTURE_PATH_MAX 512

typedef struct fixture {
    char folder[64];
    counting_alloc counter;
    serve_state state;
    serve_notice notice;
    char told[FIXTURE_PATH_MAX]; /* the last notice: "subject: text" */
    bsn_pool pool;
    bsn_out out;
    serve_feed feed;
    bsn_buf request;
    bsn_buf reply; /* the last one, header and all */
    bsn_error err; /* of the last catalog_add or close */
    char subject[SERVE_NS_MAX + 1];
} fixture;

void fixture_open(fixture *f);

/* Removes the folder with all that is in it; fails the test if memory was not given back. */
void fixture_close(fixture *f);

/* Writes folder/name, whose folders are made if need be. */
void fixture_write(fixture *f, const char *name, const void *bytes, size_t len);

/* Writes folder/name: documents given as Extended JSON, one after the other, the list ending in NULL. */
void fixture_write_json(fixture *f, const char *name, const char *const *documents);

/* Writes folder/name: count documents {_id: number, n: number}, 25 bytes each, _id an int32, n an int64,
 * from 0 on. */
void fixture_write_numbers(fixture *f, const char *name, int32_t count);

/* folder/name, in storage of the fixture's until the next call. */
const char *fixture_path(const fixture *f, const char *name);

/* Serves folder/name ("" is the folder itself). */
bsn_status fixture_add(fixture *f, const char *name);

/* Asks by OP_MSG and returns the reply's body, in the fixture until the next question. Fails the test if there is none, or if it is no
 * sound message that answers the request. */
bsn_doc fixture_ask(fixture *f, const char *db, const char *command);

/* Asks with any bytes as the message. */
serve_outcome fixture_send(fixture *f, bsn_bytes message);

/* Fails the test unless the reply to the command is this one, to the byte. */
void fixture_expect(fixture *f, const char *db, const char *command, const char *reply);

/* Fails the test unless the command is refused with this code; returns errmsg, in the fixture until the next question. */
bsn_str fixture_refused(fixture *f, const char *db, const char *command, int32_t code);

/* A field of a document by a dotted path; fails the test when it is not there. */
bsn_value fixture_field(bsn_doc doc, const char *path);

/* The number of elements of a document or array. */
size_t fixture_size(bsn_doc doc);

#endif
