/* SPDX-License-Identifier: Apache-2.0
 *
 * set.c -- loads the sets that set.h describes.
 */
#include "codec/set.h"

#include "data/datasets.h"
#include "data/public_sets.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void bench_fail(const bench_set *set, const char *what)
{
    fprintf(stderr, "bench_codec: %s: %s\n", set->name, what);
    exit(1);
}

void *bench_alloc(size_t count, size_t size)
{
    void *memory = calloc(count == 0 ? 1 : count, size);
    if (memory == NULL) {
        fputs("bench_codec: no memory\n", stderr);
        exit(5);
    }
    return memory;
}

void bench_walk_begin(bench_walk *walk, bsn_doc doc)
{
    walk->it = walk->stack;
    walk->inside = false;
    bsn_iter_init(walk->it, doc);
}

bench_event bench_walk_next(bench_walk *walk)
{
    if (walk->inside) {
        walk->inside = false;
        if (walk->it + 1 < walk->stack + BENCH_NEST_MAX && bsn_iter_enter(walk->it, walk->it + 1))
            walk->it++;
    }
    if (bsn_iter_next(walk->it)) {
        const bsn_type type = bsn_iter_type(walk->it);
        walk->inside = type == BSN_TYPE_DOCUMENT || type == BSN_TYPE_ARRAY;
        return BENCH_ELEMENT;
    }
    if (walk->it == walk->stack) return BENCH_DONE;
    walk->it--;
    return BENCH_END;
}

static size_t count_elements(bsn_doc doc)
{
    bench_walk walk;
    bench_event event;
    size_t count = 0;
    bench_walk_begin(&walk, doc);
    while ((event = bench_walk_next(&walk)) != BENCH_DONE) count += event == BENCH_ELEMENT;
    return count;
}

static bool load_bytes(const char *name, size_t share, bsn_buf *bytes)
{
    const size_t count = dataset_default_count(name);
    if (count == 0) return public_set_append(BSONIC_SPEC_DIR "/benchmarking", name, bytes);
    return dataset_append(name, count > share ? count / share : 1, bytes);
}

bool bench_set_load(bench_set *set, const char *name, size_t share)
{
    *set = (bench_set){.name = name};
    bsn_buf_init(&set->bytes, NULL);
    if (!load_bytes(name, share, &set->bytes)) {
        bsn_buf_free(&set->bytes);
        return false;
    }
    bsn_bytes rest = bsn_buf_view(&set->bytes);
    set->docs = bench_alloc(rest.len / BSN_DOC_SIZE_MIN, sizeof *set->docs);
    while (rest.len > 0) {
        if (bsn_doc_take(&rest, &set->docs[set->count], NULL) != BSN_OK ||
            bsn_validate(bsn_doc_bytes(set->docs[set->count]), NULL, NULL, NULL) != BSN_OK) {
            bench_fail(set, "unsound document");
        }
        set->elements += count_elements(set->docs[set->count++]);
    }
    return true;
}

void bench_set_free(bench_set *set)
{
    free(set->docs);
    bsn_buf_free(&set->bytes);
}
