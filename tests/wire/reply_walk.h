/* SPDX-License-Identifier: Apache-2.0
 *
 * reply_walk.h -- a reply walked in pieces of any size, and what that gave, to be compared field by field.
 *
 *   walk_message(build_view(&b), &walk_whole, &expected);
 *   walk_how how = walk_whole;
 *   how.chunk = 1;
 *   walk_message(build_view(&b), &how, &w);
 *   walk_check_same(&expected, &w, "usual", how.chunk);
 */
#ifndef TESTS_WIRE_REPLY_WALK_H
#define TESTS_WIRE_REPLY_WALK_H

#include "support/build.h"

#include <bsonic/wire.h>

#define WALK_STORAGE 4096

/* What came of walking one reply. */
typedef struct walk {
    bsn_envelope_event event; /* MORE: the bytes ended first */
    bsn_status status;
    uint64_t offset;
    bool ok, partial, has_cursor, has_batch, has_id, has_reply;
    int32_t code;
    int64_t cursor_id;
    uint64_t count;
    size_t behind; /* bytes left behind the message */
    size_t errors; /* documents that were write errors */
    bool has_write_errors;
    char ns[BSN_NS_MAX + 1];
    size_t docs_len, reply_len;
    uint8_t docs[BUILD_MAX];
    uint8_t reply[WALK_STORAGE];
} walk;

/* What a test asks for beside the defaults. */
typedef struct walk_how {
    size_t first;   /* bytes of the first delivery; 0: as the others */
    size_t chunk;   /* bytes of each other */
    size_t storage; /* for the reply's own fields, at most WALK_STORAGE */
    size_t size_max, doc_size_max;
    bool any_response_to;
    bool write_errors; /* to be handed out */
} walk_how;

static const walk_how walk_whole = {
    .chunk = SIZE_MAX, .storage = WALK_STORAGE, .write_errors = true};

/* Walks a message whose responseTo is 7. Each delivery of bytes is a block of exactly its size, so that a sanitizer sees a read past
 * what was delivered. */
void walk_message(bsn_bytes message, const walk_how *how, walk *w);

/* Fails the running test, naming the reply and where it was cut, when two walks gave anything else. */
void walk_check_same(const walk *a, const walk *b, const char *name, size_t cut);

#endif
