/* SPDX-License-Identifier: Apache-2.0
 *
 * cursors.h -- the open cursors: where each will go on. They belong to no connection and outlive the one that opened them.
 *
 * Idle ones end: after 10 minutes, or 30 when they were opened with noCursorTimeout. At SERVE_CURSORS_MAX the one that has been
 * idle longest makes room; whoever asks for it then hears that it is not found. It does so too when the matches of all searches
 * would pass SERVE_MATCHES_MAX: a file may have one `_id` in each document, and a client never go on with what it has begun.
 */
#ifndef SERVE_CURSORS_H
#define SERVE_CURSORS_H

#include "serve/catalog.h"

#define SERVE_CURSORS_MAX 4096

/* Of all cursors together, 32 MiB; a single one may have more, and is alone then. */
#define SERVE_MATCHES_MAX ((size_t)4 * 1024 * 1024)

typedef struct serve_cursor {
    int64_t id; /* positive; nobody can guess it */
    serve_collection *collection;
    serve_place next;  /* a scan: the document that comes next */
    uint64_t left;     /* documents that the limit still allows; UINT64_MAX: no limit */
    uint64_t *matches; /* a search by _id: where the documents begin; NULL for a scan. Owned */
    size_t match_count;
    size_t match_next;
    uint64_t idle_ms; /* how long it may lie idle */
    uint64_t used_ms; /* when it was used last */
} serve_cursor;

typedef struct serve_cursors {
    serve_cursor *items;
    size_t count;
    /* private */
    size_t match_count; /* of all */
    size_t cap;
    const bsn_alloc *alloc;
} serve_cursors;

void serve_cursors_init(serve_cursors *cursors, const bsn_alloc *alloc);
void serve_cursors_free(serve_cursors *cursors);

/* Takes over a copy of *cursor, its matches too, and gives it an id, *id. On failure nothing is taken over.
 * Errors: BSN_E_NOMEM; BSN_E_IO, the system's entropy. */
bsn_status serve_cursors_add(serve_cursors *cursors, const serve_cursor *cursor, int64_t *id,
                             bsn_error *err);

/* The open cursor of this id, or NULL. Lives until the next add or remove. */
serve_cursor *serve_cursors_find(serve_cursors *cursors, int64_t id);

/* Closes a cursor that serve_cursors_find gave. */
void serve_cursors_remove(serve_cursors *cursors, serve_cursor *cursor);

/* The same, but its matches stay, for the caller to free. */
void serve_cursors_release(serve_cursors *cursors, serve_cursor *cursor);

/* Closes those that have been idle too long. Returns milliseconds until the next one will have been; -1 when there is none. */
int64_t serve_cursors_expire(serve_cursors *cursors, uint64_t now_ms);

#endif
