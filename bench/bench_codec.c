/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_codec.c -- walk, validate and text out, side by side with libbson in one process.
 *
 *   bench_codec [--rounds N] [SET...]
 *
 * Each row checks its answer before it is timed: both sides must see the same elements, accept the same documents, and print
 * text that libbson reads back as the same document.
 */
#include "data/datasets.h"
#include "data/public_sets.h"
#include "measure.h"

#include <bson/bson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A set in memory: its documents back to back, and where each begins. */
typedef struct corpus {
    const char *name;
    bsn_buf bytes;
    bsn_doc *docs;
    size_t count;
    size_t elements;
    bsn_pool pool;
    bsn_out out; /* reused by every print */
} corpus;

static void fail(const char *set, const char *what)
{
    fprintf(stderr, "bench_codec: %s: %s\n", set, what);
    exit(1);
}

/* ------------------------------------------------------------------ walk: every element, containers entered */

/* What a walk saw of an element, folded into a number that both libraries can compute. */
static uint64_t fold(uint64_t sum, unsigned type, size_t key_len)
{
    return sum + type + key_len * 256;
}

enum { NEST_MAX = 64 };

static uint64_t walk_inline(const bsn_doc doc)
{
    bsn_iter stack[NEST_MAX];
    bsn_iter *it = stack;
    uint64_t sum = 0;
    bsn_iter_init(it, doc);
    for (;;) {
        if (!bsn_iter_next(it)) {
            if (bsn_iter_error(it, NULL) != BSN_OK) return 0;
            if (it-- == stack) return sum;
            continue;
        }
        sum = fold(sum, it->type, it->key_len);
        if ((it->type == BSN_TYPE_DOCUMENT || it->type == BSN_TYPE_ARRAY) &&
            it + 1 < stack + NEST_MAX && bsn_iter_enter(it, it + 1)) {
            it++;
        }
    }
}

static uint64_t walk_step(const bsn_doc doc)
{
    bsn_iter stack[NEST_MAX];
    bsn_iter *it = stack;
    uint64_t sum = 0;
    bsn_iter_init(it, doc);
    for (;;) {
        if (!bsn_iter_step(it)) {
            if (bsn_iter_error(it, NULL) != BSN_OK) return 0;
            if (it-- == stack) return sum;
            continue;
        }
        sum = fold(sum, it->type, it->key_len);
        if ((it->type == BSN_TYPE_DOCUMENT || it->type == BSN_TYPE_ARRAY) &&
            it + 1 < stack + NEST_MAX && bsn_iter_enter(it, it + 1)) {
            it++;
        }
    }
}

/* libbson aligns its iterator to more than its size, so arrays of it need a wrapper. */
typedef struct libbson_level {
    bson_iter_t it;
} libbson_level;

static uint64_t walk_libbson(const bsn_doc doc)
{
    libbson_level stack[NEST_MAX];
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
            level + 1 < stack + NEST_MAX && bson_iter_recurse(&level->it, &level[1].it)) {
            level++;
        }
    }
}

/* ------------------------------------------------------------------ validate: structure and UTF-8 */

static uint64_t validate_ours(const bsn_doc doc)
{
    return bsn_validate(bsn_doc_bytes(doc), NULL, NULL, NULL) == BSN_OK;
}

static uint64_t validate_libbson(const bsn_doc doc)
{
    bson_t view;
    return bson_init_static(&view, doc.ptr, doc.len) &&
           bson_validate(&view, BSON_VALIDATE_UTF8 | BSON_VALIDATE_UTF8_ALLOW_NULL, NULL);
}

/* ------------------------------------------------------------------ runs over a corpus */

#define DEFINE_RUN(name)                                                   \
    static uint64_t run_##name(void *ctx)                                  \
    {                                                                      \
        const corpus *set = ctx;                                           \
        uint64_t sum = 0;                                                  \
        for (size_t i = 0; i < set->count; i++) sum += name(set->docs[i]); \
        return sum;                                                        \
    }
DEFINE_RUN(walk_inline)
DEFINE_RUN(walk_step)
DEFINE_RUN(walk_libbson)
DEFINE_RUN(validate_ours)
DEFINE_RUN(validate_libbson)

/* Prints every document into pooled blocks that are reused, as a stream does. */
static uint64_t run_print_ours(void *ctx)
{
    corpus *set = ctx;
    uint64_t total = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (bsn_json_print(set->docs[i], NULL, &set->out, NULL) != BSN_OK) return 0;
        if (bsn_out_unsent(&set->out) >= 32 * 1024)
            bsn_out_sent(&set->out, bsn_out_unsent(&set->out));
    }
    total = bsn_out_len(&set->out);
    bsn_out_clear(&set->out);
    return total;
}

static uint64_t run_print_libbson(void *ctx)
{
    corpus *set = ctx;
    uint64_t total = 0;
    for (size_t i = 0; i < set->count; i++) {
        bson_t view;
        size_t len = 0;
        if (!bson_init_static(&view, set->docs[i].ptr, set->docs[i].len)) return 0;
        char *text = bson_as_relaxed_extended_json(&view, &len);
        if (text == NULL) return 0;
        total += len;
        bson_free(text);
    }
    return total;
}

/* ------------------------------------------------------------------ checks before timing */

static bool same_document(bsn_str ours, const char *theirs)
{
    bson_t *a = bson_new_from_json((const uint8_t *)ours.ptr, (ssize_t)ours.len, NULL);
    bson_t *b = bson_new_from_json((const uint8_t *)theirs, -1, NULL);
    bool same = a != NULL && b != NULL && bson_equal(a, b);
    bson_destroy(a);
    bson_destroy(b);
    return same;
}

/* Our text and libbson's, both read back by libbson, are the same document. */
static void check_text(corpus *set)
{
    bsn_buf buf;
    bsn_out out;
    bsn_bytes text;
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    for (size_t i = 0; i < set->count; i++) {
        bson_t view;
        bsn_out_clear(&out);
        if (bsn_json_print(set->docs[i], NULL, &out, NULL) != BSN_OK || !bsn_out_view(&out, &text))
            fail(set->name, "print");
        if (!bson_init_static(&view, set->docs[i].ptr, set->docs[i].len))
            fail(set->name, "libbson refuses the document");
        char *theirs = bson_as_relaxed_extended_json(&view, NULL);
        if (!same_document((bsn_str){(const char *)text.ptr, text.len}, theirs))
            fail(set->name, "texts differ");
        bson_free(theirs);
    }
    bsn_out_free(&out);
    bsn_buf_free(&buf);
}

static void check_accepted(const measure_variant *variant, const corpus *set)
{
    if (variant->checksum != set->count) fail(set->name, "a sound document was refused");
}

static void check_equal(const measure_variant *variants, size_t count, const corpus *set)
{
    for (size_t i = 1; i < count; i++) {
        if (variants[i].checksum != variants[0].checksum)
            fail(set->name, "the walks saw different elements");
    }
}

/* ------------------------------------------------------------------ table */

static void print_row(const corpus *set, const char *job, const measure_variant *ours,
                      const measure_variant *reference)
{
    double per_element = 1e9 / (double)set->elements;
    printf("%-8s %-16s %9.2f %9.2f %8.2f %9.2f\n", set->name, job, ours->seconds_best * per_element,
           reference->seconds_best * per_element, reference->seconds_best / ours->seconds_best,
           (double)set->bytes.len / ours->seconds_best * 1e-9);
    fflush(stdout);
}

static void bench_set(corpus *set, unsigned rounds)
{
    measure_variant walks[] = {{"libbson", run_walk_libbson, set, 0, 0},
                               {"inline", run_walk_inline, set, 0, 0},
                               {"step", run_walk_step, set, 0, 0}};
    measure_run(walks, 3, rounds);
    check_equal(walks, 3, set);
    print_row(set, "walk inline", &walks[1], &walks[0]);
    print_row(set, "walk step", &walks[2], &walks[0]);

    measure_variant validates[] = {{"libbson", run_validate_libbson, set, 0, 0},
                                   {"ours", run_validate_ours, set, 0, 0}};
    measure_run(validates, 2, rounds);
    check_accepted(&validates[0], set);
    check_accepted(&validates[1], set);
    print_row(set, "validate utf8", &validates[1], &validates[0]);

    check_text(set);
    measure_variant prints[] = {{"libbson", run_print_libbson, set, 0, 0},
                                {"ours", run_print_ours, set, 0, 0}};
    measure_run(prints, 2, rounds < 5 ? rounds : 5);
    print_row(set, "text relaxed", &prints[1], &prints[0]);
}

/* ------------------------------------------------------------------ loading */

static size_t count_elements(bsn_doc doc)
{
    bsn_iter stack[NEST_MAX];
    size_t depth = 0, count = 0;
    bsn_iter_init(&stack[0], doc);
    for (;;) {
        if (!bsn_iter_next(&stack[depth])) {
            if (depth-- == 0) return count;
            continue;
        }
        count++;
        if (depth + 1 < NEST_MAX && bsn_iter_enter(&stack[depth], &stack[depth + 1])) depth++;
    }
}

static bool load(corpus *set, const char *name)
{
    *set = (corpus){.name = name};
    bsn_buf_init(&set->bytes, NULL);
    bool made = dataset_default_count(name) > 0;
    bool sound = made ? dataset_append(name, dataset_default_count(name), &set->bytes)
                      : public_set_append(BSONIC_SPEC_DIR "/benchmarking", name, &set->bytes);
    if (!sound) return false;

    bsn_bytes rest = bsn_buf_view(&set->bytes);
    set->docs = calloc(rest.len / BSN_DOC_SIZE_MIN, sizeof *set->docs);
    if (set->docs == NULL) exit(5);
    while (rest.len > 0) {
        if (bsn_doc_take(&rest, &set->docs[set->count], NULL) != BSN_OK)
            fail(name, "unsound document");
        set->elements += count_elements(set->docs[set->count++]);
    }
    bsn_pool_init(&set->pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&set->out, &set->pool, 64 * 1024);
    return true;
}

static void unload(corpus *set)
{
    bsn_out_free(&set->out);
    bsn_pool_free(&set->pool);
    free(set->docs);
    bsn_buf_free(&set->bytes);
}

static void bench_named(const char *name, unsigned rounds)
{
    corpus set;
    if (!load(&set, name)) {
        bsn_buf_free(&set.bytes);
        printf("%-8s skipped: not a made set, and %s/benchmarking has no such document\n", name,
               BSONIC_SPEC_DIR);
        return;
    }
    bench_set(&set, rounds);
    unload(&set);
}

int main(int argc, char **argv)
{
    unsigned rounds = 20;
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--rounds") == 0) {
        rounds = (unsigned)strtoul(argv[2], NULL, 10);
        first = 3;
    }
    if (rounds == 0 || (argc > first && argv[first][0] == '-')) {
        fputs("usage: bench_codec [--rounds N] [SET...]\n", stderr);
        return 2;
    }
    measure_pin();
    printf("%-8s %-16s %9s %9s %8s %9s\n", "set", "job", "ns/elem", "libbson", "ratio", "GB/s");
    for (int i = first; i < argc; i++) bench_named(argv[i], rounds);
    if (argc > first) return 0;
    for (size_t i = 0; dataset_names[i] != NULL; i++) bench_named(dataset_names[i], rounds);
    for (size_t i = 0; public_set_names[i] != NULL; i++) bench_named(public_set_names[i], rounds);
    return 0;
}
