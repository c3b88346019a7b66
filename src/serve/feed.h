/* SPDX-License-Identifier: Apache-2.0
 *
 * feed.h -- the reply that carries a batch, written while it is being sent.
 *
 *   header | flags | 00 | body { cursor: { firstBatch: [ 0: doc, 1: doc, ... ], id, ns }, ok: 1 }
 *   \_________ head __________________________________/ \_ as room comes __/ \___ tail _____/
 *
 * All lengths are known before the first byte: the plan has counted the documents and their bytes. So the head goes out at once,
 * and the documents follow from the file a few hundred KiB at a time, whatever a batch holds: a connection never holds more.
 */
#ifndef SERVE_FEED_H
#define SERVE_FEED_H

#include "serve/catalog.h"
#include "serve/request.h"

/* What a batch is made of. */
typedef struct serve_batch {
    serve_collection *collection; /* NULL: no documents */
    bool first;                   /* firstBatch, else nextBatch */
    uint64_t count;
    uint64_t bytes;
    uint64_t offset;         /* of the first document, when they follow one another */
    const uint64_t *matches; /* else where each begins; borrowed until serve_batch_write returns */
    int64_t cursor_id;       /* 0: nothing is left */
    bsn_str db;
    bsn_str name;
} serve_batch;

/* What is still to be written of a reply. */
typedef struct serve_feed {
    bool active;
    /* private */
    serve_collection *collection;
    uint64_t *matches; /* owned */
    size_t match_count;
    size_t match_next;
    uint64_t offset;     /* of the byte that comes next */
    uint64_t count_left; /* documents not begun */
    uint64_t bytes_left; /* of them */
    uint64_t doc_left;   /* bytes of the one that is begun */
    uint64_t index;      /* of the next in the array */
    int64_t cursor_id;
    size_t ns_len;
    char ns[SERVE_NS_MAX + 1];
    const bsn_alloc *alloc;
} serve_feed;

/* Writes the head of the reply to *request, and sets *feed to what follows.
 * Errors: BSN_E_SIZE (a message longer than one may be), BSN_E_NOMEM; nothing is active then. */
bsn_status serve_batch_write(const serve_batch *batch, const serve_request *request,
                             int32_t reply_id, const bsn_alloc *alloc, bsn_out *out,
                             serve_feed *feed);

/* Writes on until at least `wanted` bytes wait in *out, or the reply is complete (then feed->active is false).
 *
 * Errors   BSN_E_IO  the file is not what it was: the message cannot be completed, so its connection is to be closed.
 *          BSN_E_NOMEM alike. */
bsn_status serve_feed_fill(serve_feed *feed, serve_window *window, bsn_out *out, size_t wanted,
                           bsn_error *err);

void serve_feed_free(serve_feed *feed);

#endif
