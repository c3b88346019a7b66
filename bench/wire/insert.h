/* SPDX-License-Identifier: Apache-2.0
 *
 * insert.h -- ways to insert documents that are there already, into a server that reads and forgets them.
 */
#ifndef BSONIC_BENCH_INSERT_H
#define BSONIC_BENCH_INSERT_H

#include <bsonic/bsonic.h>

/* What is inserted: docs[0..count), `passes` times over. */
typedef struct insert_job {
    uint16_t port;
    const bsn_doc *docs;
    size_t count;
    unsigned passes;
    size_t batch; /* documents in a message; 0: as many as it may have */
} insert_job;

/* Documents that the server said it took: passes * count, or something went wrong. */
typedef uint64_t insert_count;

/* How the bare client puts a message together. */
typedef enum bare_gathering {
    BARE_PREBUILT, /* the messages are there beforehand, whole: the limit */
    BARE_IOVECS,   /* the documents are described where they lie */
    BARE_COPY,     /* copied into one buffer that is reused */
    BARE_FRESH,    /* copied into a buffer of their own */
    BARE_GROW      /* copied into a buffer of their own that grows by doubling */
} bare_gathering;

/* A loop that does nothing but send and await the answer. */
insert_count insert_bare(const insert_job *job, bare_gathering gathering);

/* Through bsn_bulk. */
insert_count insert_client(const insert_job *job);

/* Through libmongoc's bulk operation, with its validation of each document or without. */
insert_count insert_libmongoc(const insert_job *job, bool validate);

/* Frees what insert_bare has built beforehand. */
void insert_bare_release(void);

#endif
