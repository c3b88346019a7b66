/* SPDX-License-Identifier: Apache-2.0
 *
 * ids.h -- finds documents by their `_id`: a table of their offsets by hash, made at the first such question.
 *
 *   heads[low bits of the hash] ──► entry ──► entry ──► NONE       in the file's order
 *   entry = 24 bits of the hash | 40 bits: offset      and in nexts[] the entry behind it
 *
 * Chains, because equal keys are frequent in files that no server has written (documents without an `_id`), and putting one
 * more of them in must not cost a look at the others.
 *
 * Memory   12 bytes a document, and 4 bytes a head, a power of two of them, at least as many as documents: 16 to 20 bytes
 *          a document. Nothing before the first question.
 * Limits   A file of 1 TiB and more, or of 2^31 documents and more, has no table: it is looked through each time.
 * Cost     the first question: one pass over the file. Each later one: the documents that share some bits of the hash.
 */
#ifndef SERVE_IDS_H
#define SERVE_IDS_H

#include "serve/id_key.h"
#include "serve/store.h"

typedef struct serve_ids {
    /* private */
    uint64_t *entries;
    uint32_t *nexts;
    uint32_t *heads; /* NULL: not made yet */
    size_t entry_count;
    size_t head_count;
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
