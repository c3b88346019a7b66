/* SPDX-License-Identifier: Apache-2.0
 *
 * set.h -- a data set in memory, as the jobs of bench_codec get it.
 */
#ifndef BSONIC_BENCH_SET_H
#define BSONIC_BENCH_SET_H

#include <bsonic/bsonic.h>

/* Documents back to back, and where each begins. What a job gets to run on may be a part of a set, a slice: docs[0..count) are then
 * the documents first.. of the whole one. */
typedef struct bench_set {
    const char *name;
    bsn_buf bytes; /* of the whole set */
    bsn_doc *docs;
    size_t count;
    size_t first;
    size_t elements; /* of the whole set, nested ones too */
    void *
        prepared; /* the running job's, made by its prepare on the whole set and freed by its release */
} bench_set;

/* How deep the documents of a set may nest. */
enum { BENCH_NEST_MAX = 64 };

/* Loads a made or a public set; `share` > 1 takes that part of the documents of a made one. False: it is a public one whose data
 * is not here, or there is none of that name. Ends the process when a document is unsound. */
bool bench_set_load(bench_set *set, const char *name, size_t share);
void bench_set_free(bench_set *set);

/* Walks all elements of a document in order, containers entered:
 *
 *   bench_walk walk;
 *   bench_walk_begin(&walk, doc);
 *   while ((event = bench_walk_next(&walk)) != BENCH_DONE) ...
 *
 * For preparing and checking; it is not what is timed. */
typedef struct bench_walk {
    bsn_iter stack[BENCH_NEST_MAX];
    bsn_iter
        *it; /* on BENCH_ELEMENT the element; on BENCH_END the container whose inside has ended */
    bool inside; /* the element that *it stands on waits to be entered */
} bench_walk;

typedef enum bench_event { BENCH_ELEMENT, BENCH_END, BENCH_DONE } bench_event;

void bench_walk_begin(bench_walk *walk, bsn_doc doc);
bench_event bench_walk_next(bench_walk *walk);

/* Ends the process: a job's answer is wrong, so nothing may be timed. */
_Noreturn void bench_fail(const bench_set *set, const char *what);

/* calloc that does not fail. */
void *bench_alloc(size_t count, size_t size);

#endif
