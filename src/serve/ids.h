/* SPDX-License-Identifier: Apache-2.0
 *
 * ids.h -- finds documents by their `_id`: a hash table of their offsets, made at the first such question.
 *
 *   slot = 24 bits of the hash | 40 bits: offset + 1            0: free
 *
 * Memory   8 bytes a slot, a power of two of them, at most two thirds full: 12 to 24 bytes a document. Nothing before the
 *          first question.
 * Limits   A file of 1 TiB and more has no table: it is looked through each time.
 * Cost     the first question: one pass over the file. Each later one: a slot or two, and the documents that are in them.
 */
#ifndef SERVE_IDS_H
#define SERVE_IDS_H

#include "serve/id_key.h"
#include "serve/store.h"

typedef struct serve_ids {
    /* private */
    uint64_t *slots;
    size_t slot_count;
} serve_ids;

void serve_ids_free(serve_ids *ids, const bsn_alloc *alloc);

/* Appends to *offsets (uint64_t after uint64_t) where the documents with this `_id` begin, in the file's order. A document without an
 * `_id` counts as one with null.
 *
 * Errors   damage anywhere in the file, or in front of a document's `_id` (the answer could not be known): *place is the
 *          document, *err the fault within it. BSN_E_IO, BSN_E_NOMEM.
 */
bsn_status serve_ids_find(serve_ids *ids, serve_store *store, serve_window *window,
                          const serve_id_key *key, bsn_buf *offsets, serve_place *place,
                          bsn_error *err);

#endif
