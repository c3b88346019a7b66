/* SPDX-License-Identifier: Apache-2.0
 *
 * store.h -- the documents of one .bson file: where each begins, found by hopping from length field to length field.
 *
 *   file   | document 0 | document 1 | ... | document 64 | ... | damaged, or the end
 *   marks    ^ 0                             ^ 1                  ^known: hopped over so far
 *
 * Lazily  Nothing is read before someone asks, and no further than was asked: a first batch out of a huge file is quick, its
 *         count is one pass over it. Every 64th offset is kept, 8 bytes each: an eighth of a byte a document.
 * Damage  A document whose frame does not hold ends what can be served: those before it are, and who goes on gets the fault.
 * Changes The file is opened once and read where it lies. It is served with the size it had then; what is replaced by renaming
 *         goes unnoticed. A file that is cut or overwritten while it is served is noticed when the bytes read no longer fit
 *         together (BSN_E_IO): nothing is sent that is not a framed document of the promised length.
 */
#ifndef SERVE_STORE_H
#define SERVE_STORE_H

#include <bsonic/doc.h>
#include <bsonic/mem.h>

/* Most bytes of documents in one batch; a single larger document makes a batch of its own. */
#define SERVE_BATCH_BYTES ((uint64_t)16 * 1024 * 1024)

/* Of a document that was found by its offset. */
#define SERVE_NUMBER_UNKNOWN UINT64_MAX

/* A place between documents. */
typedef struct serve_place {
    uint64_t number; /* documents before it */
    uint64_t offset; /* bytes before it */
} serve_place;

typedef struct serve_store {
    char *path; /* owned; ends in 0 */
    int fd;     /* -1 until the first read */
    uint64_t size;
    const bsn_alloc *alloc;

    /* private */
    uint64_t *marks; /* marks[k]: offset of document 64 k */
    size_t mark_count;
    size_t mark_cap;
    serve_place known;
    bsn_error damage; /* status BSN_OK: none found so far; else of the document at `known` */
} serve_store;

/* A piece of a file in memory. One serves all stores in turn. */
typedef struct serve_window {
    /* When reading must have ended, by bsn_clock_monotonic_ns; 0: whenever it does. Later reads are BSN_E_TIMEOUT. */
    uint64_t deadline_ns;

    /* private */
    bsn_buf buf;
    const serve_store *store; /* whose bytes they are */
    uint64_t offset;          /* of the first */
} serve_window;

/* Takes note of a regular file and its size. Errors: BSN_E_IO (with os_error, or a detail for what is no regular file),
 * BSN_E_NOMEM. Any status leaves *store fit for serve_store_free. */
bsn_status serve_store_init(serve_store *store, const char *path, const bsn_alloc *alloc,
                            bsn_error *err);
void serve_store_free(serve_store *store);

void serve_window_init(serve_window *window, const bsn_alloc *alloc);
void serve_window_free(serve_window *window);

/* At least `len` bytes of the file from `offset` on, together; *bytes has what more is there. They live until the next call.
 * Errors: BSN_E_IO, also when the file has fewer bytes than it had; BSN_E_NOMEM; BSN_E_TIMEOUT. None of them is damage: they may
 * be over the next time. */
bsn_status serve_window_at(serve_window *window, serve_store *store, uint64_t offset, size_t len,
                           bsn_bytes *bytes, bsn_error *err);

/* Reads exactly len bytes at offset, past any window. */
bsn_status serve_store_read(serve_store *store, uint64_t offset, uint8_t *ptr, size_t len,
                            bsn_error *err);

/* What is read does not fit what was read before. Returns BSN_E_IO. */
static inline bsn_status serve_store_changed(bsn_error *err)
{
    return bsn_error_set(err, BSN_E_IO, 0, "the file was changed while it was served");
}

/* Steps over the document at *place; its length goes to *len (may be NULL). False at the end of the file, with BSN_OK, and at damage or
 * any other failure, with *status set. */
bool serve_store_step(serve_store *store, serve_window *window, serve_place *place, size_t *len,
                      bsn_status *status, bsn_error *err);

/* The place in front of document `number`, or the end when there are fewer. */
bsn_status serve_store_seek(serve_store *store, serve_window *window, uint64_t number,
                            serve_place *place, bsn_error *err);

/* The number of documents. */
bsn_status serve_store_count(serve_store *store, serve_window *window, uint64_t *count,
                             bsn_error *err);

/* Documents that follow one another and make a batch. */
typedef struct serve_plan {
    uint64_t count;
    uint64_t bytes;
    serve_place end;
    bool more; /* something follows in the file: a document, or damage */
} serve_plan;

/* As many documents from `from` on as fit SERVE_BATCH_BYTES, at least one, at most count_max (0: none). Damage behind the first
 * document ends the plan; damage at once is the status. */
bsn_status serve_store_plan(serve_store *store, serve_window *window, serve_place from,
                            uint64_t count_max, serve_plan *plan, bsn_error *err);

/* The damage found so far: the fault, within the document at *place. BSN_OK: none. */
bsn_status serve_store_damage(const serve_store *store, serve_place *place, bsn_error *err);

#endif
