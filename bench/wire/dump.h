/* SPDX-License-Identifier: Apache-2.0
 *
 * dump.h -- ways to dump the replayed collection; each visits every element of every document.
 */
#ifndef BSONIC_BENCH_DUMP_H
#define BSONIC_BENCH_DUMP_H

#include <bsonic/bsonic.h>

/* What a dump saw: equal for all ways. */
typedef struct dump_result {
    uint64_t documents;
    uint64_t checksum; /* over types and key lengths of the elements at the top level */
    bool sound;
} dump_result;

/* Folds the elements of one document into a checksum. False on a fault. */
bool dump_walk(bsn_doc doc, uint64_t *checksum);

/* How the bare client takes a reply in. */
typedef enum bare_buffering {
    BARE_WINDOW,  /* a window of window_size bytes; the rest of a document moves to its front */
    BARE_WHOLE,   /* the whole message in one buffer that is reused */
    BARE_ALLOCATE /* the whole message in a buffer of its own */
} bare_buffering;

typedef struct bare_options {
    uint16_t port;
    bare_buffering buffering;
    size_t window_size;
    int receive_buffer; /* SO_RCVBUF in bytes; 0: the system's own */
} bare_options;

/* The limit: a loop that does nothing but receive and walk, and that knows the replies' layout beforehand. */
dump_result dump_bare(const bare_options *options);

/* Through bsn_client. */
dump_result dump_client(uint16_t port, size_t window_size);

/* Through libmongoc; walk false: documents are only fetched. */
dump_result dump_libmongoc(uint16_t port, bool walk);

#endif
