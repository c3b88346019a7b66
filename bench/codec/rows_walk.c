/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_walk.c -- every element of every document, containers entered; and the last top-level element by its key.
 *
 * Three ways to take our step: inlined from the header, out of line in the same program, and out of the shared library, loaded
 * beside the program's own copy.
 */
#include "codec/rows.h"

#include <bson/bson.h>

#include <dlfcn.h>
#include <stdlib.h>

/* What a walk saw of an element, folded into a number that both libraries can compute. */
static uint64_t fold(uint64_t sum, unsigned type, size_t key_len)
{
    return sum + type + key_len * 256;
}

/* One walk for each way to step. A macro, since a function that gets the step as a pointer is not always inlined. */
#define DEFINE_WALK(name, step)                                                  \
    static uint64_t name(bsn_doc doc)                                            \
    {                                                                            \
        bsn_iter stack[BENCH_NEST_MAX];                                          \
        bsn_iter *it = stack;                                                    \
        uint64_t sum = 0;                                                        \
        bsn_iter_init(it, doc);                                                  \
        for (;;) {                                                               \
            if (!step(it)) {                                                     \
                if (bsn_iter_error(it, NULL) != BSN_OK) return 0;                \
                if (it-- == stack) return sum;                                   \
                continue;                                                        \
            }                                                                    \
            sum = fold(sum, it->type, it->key_len);                              \
            if ((it->type == BSN_TYPE_DOCUMENT || it->type == BSN_TYPE_ARRAY) && \
                it + 1 < stack + BENCH_NEST_MAX && bsn_iter_enter(it, it + 1)) { \
                it++;                                                            \
            }                                                                    \
        }                                                                        \
    }

static bool (*shared_step)(bsn_iter *it);

DEFINE_WALK(walk_inline, bsn_iter_next)
DEFINE_WALK(walk_step, bsn_iter_step)
DEFINE_WALK(walk_shared, shared_step)

/* libbson aligns its iterator to more than its size, so arrays of it need a wrapper. */
typedef struct libbson_level {
    bson_iter_t it;
} libbson_level;

static uint64_t walk_libbson(bsn_doc doc)
{
    libbson_level stack[BENCH_NEST_MAX];
    libbson_level *level = stack;
    uint64_t sum = 0;
    if (!bson_iter_init_from_data(&level->it, doc.ptr, doc.len)) return 0;
    for (;;) {
        if (!bson_iter_next(&level->it)) {
            if (level-- == stack) return sum;
            continue;
        }
        const bson_type_t type = bson_iter_type(&level->it);
        sum = fold(sum, type, bson_iter_key_len(&level->it));
        if ((type == BSON_TYPE_DOCUMENT || type == BSON_TYPE_ARRAY) &&
            level + 1 < stack + BENCH_NEST_MAX && bson_iter_recurse(&level->it, &level[1].it)) {
            level++;
        }
    }
}

#define DEFINE_RUN(name)                                                   \
    static uint64_t run_##name(void *ctx)                                  \
    {                                                                      \
        const bench_set *set = ctx;                                        \
        uint64_t sum = 0;                                                  \
        for (size_t i = 0; i < set->count; i++) sum += name(set->docs[i]); \
        return sum;                                                        \
    }
DEFINE_RUN(walk_inline)
DEFINE_RUN(walk_step)
DEFINE_RUN(walk_shared)
DEFINE_RUN(walk_libbson)

/* The library stays loaded until the process ends. */
static size_t load_shared(bench_set *set, size_t *bytes)
{
    void *library = dlopen(BSONIC_SHARED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *step = library == NULL ? NULL : dlsym(library, "bsn_iter_step");
    memcpy(&shared_step, &step, sizeof shared_step); /* ISO C has no cast from one to the other */
    if (shared_step == NULL || shared_step == bsn_iter_step)
        bench_fail(set, "no bsn_iter_step in " BSONIC_SHARED_LIBRARY);
    *bytes = set->bytes.len;
    return set->elements;
}

const bench_job bench_walk_inline = {
    .name = "walk inline", .ours = run_walk_inline, .theirs = run_walk_libbson};
const bench_job bench_walk_step = {
    .name = "walk step", .ours = run_walk_step, .theirs = run_walk_libbson};
const bench_job bench_walk_shared = {.name = "walk shared",
                                     .prepare = load_shared,
                                     .ours = run_walk_shared,
                                     .theirs = run_walk_libbson};

/* ------------------------------------------------------------------ find the last */

/* prepared: the last top-level key of each document, NUL-terminated in the document itself. */
static size_t find_last_keys(bench_set *set, size_t *bytes)
{
    bsn_str *keys = bench_alloc(set->count, sizeof *keys);
    for (size_t i = 0; i < set->count; i++) {
        bsn_iter it;
        bsn_iter_init(&it, set->docs[i]);
        while (bsn_iter_next(&it)) keys[i] = bsn_iter_key(&it);
    }
    set->prepared = keys;
    *bytes = set->bytes.len;
    return set->elements;
}

static void free_keys(bench_set *set)
{
    free(set->prepared);
}

static uint64_t run_find_ours(void *ctx)
{
    const bench_set *set = ctx;
    const bsn_str *keys = (const bsn_str *)set->prepared + set->first;
    uint64_t sum = 0;
    for (size_t i = 0; i < set->count; i++) {
        bsn_iter it;
        if (bsn_find(set->docs[i], keys[i], &it, NULL) != BSN_OK) return 0;
        sum += bsn_iter_offset(&it);
    }
    return sum;
}

static uint64_t run_find_libbson(void *ctx)
{
    const bench_set *set = ctx;
    const bsn_str *keys = (const bsn_str *)set->prepared + set->first;
    uint64_t sum = 0;
    for (size_t i = 0; i < set->count; i++) {
        bson_t view;
        bson_iter_t it;
        if (!bson_init_static(&view, set->docs[i].ptr, set->docs[i].len) ||
            !bson_iter_init_find(&it, &view, keys[i].ptr)) {
            return 0;
        }
        sum += bson_iter_offset(&it);
    }
    return sum;
}

const bench_job bench_find_last = {.name = "find last",
                                   .prepare = find_last_keys,
                                   .release = free_keys,
                                   .ours = run_find_ours,
                                   .theirs = run_find_libbson};
