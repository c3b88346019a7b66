/* SPDX-License-Identifier: Apache-2.0
 *
 * shape.h -- what documents of one kind have in common. Most are made by one program: the same keys in the same order. Who has seen some
 * of them can foresee the next key, and compare it as a whole instead of looking for its end.
 *
 *   bsn_shape shape;
 *   bsn_shape_init(&shape, NULL);
 *   const bsn_json_parse_options options = {.shape = &shape};
 *   while (next_line(&line)) status = bsn_json_parse(line, &options, &out, &err);
 *   bsn_shape_free(&shape);
 *
 * So far keys of Extended JSON are foreseen (json_parse.h).
 *
 * Truth    A shape never changes an answer, bytes or errors: what it foresees is compared with what is there.
 * Cost     Documents that have nothing in common are noticed: after three in a row the shape rests for 32 documents, then for twice
 *          as many, up to 4096.
 * Threads  One call at a time, since reading teaches it; not tied to a thread. Readers may take turns, also in the middle of documents.
 * Memory   None until the first document, then one block of up to 64 KiB, whatever comes. When it is refused, or
 *          full, keys are not foreseen; that is no error.
 */
#ifndef BSONIC_SHAPE_H
#define BSONIC_SHAPE_H

#include <bsonic/mem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bsn_shape {
    /* private */
    const bsn_alloc *alloc;
    struct bsni_shape_node *nodes; /* NULL: no memory yet */
    uint32_t node_count;
    uint32_t misses; /* keys of the document at hand that were not foreseen */
    uint32_t bad;    /* documents in a row that had too many of them */
    uint32_t rest;   /* documents to come that are not looked at */
    uint32_t next_rest;
    bool is_on; /* the document at hand is looked at */
} bsn_shape;

/* A shape that knows nothing. Its memory comes from alloc (NULL: malloc), which must outlive it. */
BSN_API void bsn_shape_init(bsn_shape *shape, const bsn_alloc *alloc);

/* Releases what the shape holds; it knows nothing then, and may be used again. No reader may be in the middle of a document with it. */
BSN_API void bsn_shape_free(bsn_shape *shape);

#ifdef __cplusplus
}
#endif
#endif
