/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_wire.c -- a collection dump and inserts over loopback: a bare client, this project's and libmongoc against the same replayed
 * bytes, in turn; the best of the rounds counts.
 *
 *   bench_wire [--rounds N] [--megabytes N] [--only dump|insert] [--ablations]
 *
 * --ablations runs the bare client through its switches instead. Dump: size of the receive window, of the kernel's receive buffer,
 * whole messages in a reused buffer, whole messages in fresh memory. Insert: documents described to the kernel where they lie, copied
 * into a reused buffer, into a fresh one, into one that grows.
 *
 * Documents to insert lie back to back (as in a file's window) or each in memory of its own.
 */
#include "data/datasets.h"
#include "measure.h"
#include "wire/dump.h"
#include "wire/insert.h"
#include "wire/replay.h"

#ifdef BENCH_WITH_LIBMONGOC
#include <mongoc/mongoc.h>
#endif

#include <bsonic/wire.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BATCH = 101, BATCH_BYTES = 16 * 1024 * 1024, CURSOR_ID = 7, VARIANTS_MAX = 16 };

typedef struct variant {
    const char *name;
    dump_result (*run)(const struct variant *variant);
    bare_options bare;
    bool walk;
    double seconds_best;
    dump_result result;
} variant;

static uint16_t server_port;

static dump_result run_bare(const variant *v)
{
    bare_options options = v->bare;
    options.port = server_port;
    return dump_bare(&options);
}

static dump_result run_client(const variant *v)
{
    return dump_client(server_port, v->bare.window_size);
}

#ifdef BENCH_WITH_LIBMONGOC
static dump_result run_libmongoc(const variant *v)
{
    return dump_libmongoc(server_port, v->walk);
}
#endif

static void check(const variant *v, const dump_result *expected)
{
    bool same = v->result.sound && v->result.documents == expected->documents &&
                (!v->walk || v->result.checksum == expected->checksum);
    if (same) return;
    fprintf(stderr, "bench_wire: %s: the dump went wrong: %llu documents\n", v->name,
            (unsigned long long)v->result.documents);
    exit(1);
}

/* The first variant is what the others are compared with, in content and in speed. */
static void run_variants(variant *variants, size_t count, unsigned rounds, double megabytes)
{
    for (size_t i = 0; i < count; i++) variants[i].seconds_best = 1e9;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            double begin = measure_now();
            variants[i].result = variants[i].run(&variants[i]);
            double seconds = measure_now() - begin;
            check(&variants[i], &variants[0].result);
            if (seconds < variants[i].seconds_best) variants[i].seconds_best = seconds;
        }
    }
    printf("%-34s %12s %8s %8s\n", "dump", "docs/s", "GB/s", "ratio");
    for (size_t i = 0; i < count; i++) {
        printf("%-34s %12.0f %8.2f %8.2f\n", variants[i].name,
               (double)variants[i].result.documents / variants[i].seconds_best,
               megabytes * 1e-3 / variants[i].seconds_best,
               variants[0].seconds_best / variants[i].seconds_best);
    }
}

/* ------------------------------------------------------------------ what is replayed */

typedef struct replayed {
    bsn_buf documents, first, more, last;
    bsn_doc *docs;
    size_t count;
    replay_plan plan;
    double megabytes;
} replayed;

static bool index_documents(replayed *r)
{
    bsn_bytes rest = bsn_buf_view(&r->documents);
    r->docs = calloc(rest.len / BSN_DOC_SIZE_MIN + 1, sizeof *r->docs);
    if (r->docs == NULL) return false;
    while (rest.len > 0) {
        if (bsn_doc_take(&rest, &r->docs[r->count++], NULL) != BSN_OK) return false;
    }
    return true;
}

static bool prepare(replayed *r, unsigned megabytes)
{
    if (!dataset_append("seedc", BATCH_BYTES / 1024, &r->documents) || !index_documents(r))
        return false;
    if (!replay_build(&r->first, "firstBatch", r->docs, FIRST_BATCH, CURSOR_ID) ||
        !replay_build(&r->more, "nextBatch", r->docs, r->count, CURSOR_ID) ||
        !replay_build(&r->last, "nextBatch", r->docs, r->count, 0)) {
        return false;
    }
    r->plan = (replay_plan){bsn_buf_view(&r->first), bsn_buf_view(&r->more), bsn_buf_view(&r->last),
                            megabytes / (unsigned)(r->more.len / 1000000) + 1};
    r->megabytes = (double)(r->first.len + r->more.len * r->plan.more_count) * 1e-6;
    return true;
}

static void release(replayed *r)
{
    free(r->docs);
    bsn_buf_free(&r->documents);
    bsn_buf_free(&r->first);
    bsn_buf_free(&r->more);
    bsn_buf_free(&r->last);
}

/* ------------------------------------------------------------------ tables */

static void bench_clients(unsigned rounds, double megabytes)
{
    variant variants[] = {
        {"bare client, 64 KiB window",
         run_bare,
         {0, BARE_WINDOW, 64 * 1024, 0},
         true,
         0,
         {0, 0, false}},
        {"bsn_client, every element",
         run_client,
         {0, BARE_WINDOW, 64 * 1024, 0},
         true,
         0,
         {0, 0, false}},
#ifdef BENCH_WITH_LIBMONGOC
        {"libmongoc, every element", run_libmongoc, {0, BARE_WINDOW, 0, 0}, true, 0, {0, 0, false}},
        {"libmongoc, documents only",
         run_libmongoc,
         {0, BARE_WINDOW, 0, 0},
         false,
         0,
         {0, 0, false}},
#endif
    };
    run_variants(variants, sizeof variants / sizeof *variants, rounds, megabytes);
}

static void bench_ablations(unsigned rounds, double megabytes)
{
    variant variants[VARIANTS_MAX] = {
        {"window 64 KiB", run_bare, {0, BARE_WINDOW, 64 * 1024, 0}, true, 0, {0, 0, false}},
        {"window 4 KiB", run_bare, {0, BARE_WINDOW, 4 * 1024, 0}, true, 0, {0, 0, false}},
        {"window 16 KiB", run_bare, {0, BARE_WINDOW, 16 * 1024, 0}, true, 0, {0, 0, false}},
        {"window 256 KiB", run_bare, {0, BARE_WINDOW, 256 * 1024, 0}, true, 0, {0, 0, false}},
        {"window 1 MiB", run_bare, {0, BARE_WINDOW, 1024 * 1024, 0}, true, 0, {0, 0, false}},
        {"window 4 MiB", run_bare, {0, BARE_WINDOW, 4096 * 1024, 0}, true, 0, {0, 0, false}},
        {"window 64 KiB, SO_RCVBUF 64 KiB",
         run_bare,
         {0, BARE_WINDOW, 64 * 1024, 64 * 1024},
         true,
         0,
         {0, 0, false}},
        {"window 64 KiB, SO_RCVBUF 1 MiB",
         run_bare,
         {0, BARE_WINDOW, 64 * 1024, 1024 * 1024},
         true,
         0,
         {0, 0, false}},
        {"whole message, buffer reused", run_bare, {0, BARE_WHOLE, 0, 0}, true, 0, {0, 0, false}},
        {"whole message, malloc for each",
         run_bare,
         {0, BARE_ALLOCATE, 0, 0},
         true,
         0,
         {0, 0, false}},
    };
    size_t count = 0;
    while (variants[count].name != NULL) count++;
    run_variants(variants, count, rounds, megabytes);
}

/* ------------------------------------------------------------------ inserts */

typedef struct insert_variant {
    const char *name;
    insert_count (*run)(const insert_job *job, int way);
    int way;        /* bare: a bare_gathering; libmongoc: whether it validates */
    bool scattered; /* documents in memory of their own */
    size_t batch;
    size_t limit; /* the variant whose speed this one's is compared with */
    double seconds_best;
} insert_variant;

static insert_count run_insert_bare(const insert_job *job, int way)
{
    return insert_bare(job, (bare_gathering)way);
}

static insert_count run_insert_client(const insert_job *job, int way)
{
    (void)way;
    return insert_client(job);
}

#ifdef BENCH_WITH_LIBMONGOC
static insert_count run_insert_libmongoc(const insert_job *job, int way)
{
    return insert_libmongoc(job, way != 0);
}
#endif

/* The same documents, each in a block of its own. */
static bool scatter(const replayed *r, bsn_doc *docs)
{
    for (size_t i = 0; i < r->count; i++) {
        uint8_t *block = malloc(r->docs[i].len);
        if (block == NULL) return false;
        memcpy(block, r->docs[i].ptr, r->docs[i].len);
        docs[i] = (bsn_doc){block, r->docs[i].len};
    }
    return true;
}

static void run_insert(const replayed *r, const bsn_doc *scattered, insert_variant *v,
                       unsigned passes)
{
    const insert_job job = {.port = server_port,
                            .docs = v->scattered ? scattered : r->docs,
                            .count = r->count,
                            .passes = passes,
                            .batch = v->batch};
    const double begin = measure_now();
    const insert_count inserted = v->run(&job, v->way);
    const double seconds = measure_now() - begin;
    if (inserted != (insert_count)r->count * passes) {
        fprintf(stderr, "bench_wire: %s: inserted %llu documents\n", v->name,
                (unsigned long long)inserted);
        exit(1);
    }
    if (seconds < v->seconds_best) v->seconds_best = seconds;
}

static void run_inserts(const replayed *r, insert_variant *variants, size_t count, unsigned rounds,
                        unsigned passes)
{
    bsn_doc *scattered = calloc(r->count, sizeof *scattered);
    if (scattered == NULL || !scatter(r, scattered)) exit(3);
    for (size_t i = 0; i < count; i++) variants[i].seconds_best = 1e9;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) run_insert(r, scattered, &variants[i], passes);
    }
    printf("%-50s %12s %8s %8s\n", "insert", "docs/s", "GB/s", "ratio");
    for (size_t i = 0; i < count; i++) {
        const insert_variant *v = &variants[i];
        printf("%-50s %12.0f %8.2f %8.2f\n", v->name, (double)r->count * passes / v->seconds_best,
               (double)r->documents.len * passes * 1e-9 / v->seconds_best,
               variants[v->limit].seconds_best / v->seconds_best);
    }
    insert_bare_release();
    for (size_t i = 0; i < r->count; i++) free((void *)(uintptr_t)scattered[i].ptr);
    free(scattered);
}

static void bench_inserts(const replayed *r, unsigned rounds, unsigned passes)
{
    insert_variant variants[] = {
        {"bare client, messages prebuilt, 1000 documents each", run_insert_bare, BARE_PREBUILT,
         false, 1000, 0, 0},
        {"bsn_bulk, 1000, back to back", run_insert_client, 0, false, 1000, 0, 0},
        {"bsn_bulk, 1000, each on its own", run_insert_client, 0, true, 1000, 0, 0},
        {"bare client, messages prebuilt, as long as can be", run_insert_bare, BARE_PREBUILT, false,
         0, 3, 0},
        {"bsn_bulk, as long as can be, back to back", run_insert_client, 0, false, 0, 3, 0},
        {"bsn_bulk, as long as can be, each on its own", run_insert_client, 0, true, 0, 3, 0},
#ifdef BENCH_WITH_LIBMONGOC
        {"libmongoc, 1000, each on its own, without validation", run_insert_libmongoc, 0, true,
         1000, 0, 0},
        {"libmongoc, as long as can be, without validation", run_insert_libmongoc, 0, true, 0, 3,
         0},
        {"libmongoc, as long as can be, with validation", run_insert_libmongoc, 1, true, 0, 3, 0},
#endif
    };
    run_inserts(r, variants, sizeof variants / sizeof *variants, rounds, passes);
}

static void bench_insert_ablations(const replayed *r, unsigned rounds, unsigned passes)
{
    insert_variant variants[] = {
        {"prebuilt, 1000 documents", run_insert_bare, BARE_PREBUILT, false, 1000, 0, 0},
        {"iovecs, 1000", run_insert_bare, BARE_IOVECS, true, 1000, 0, 0},
        {"copied into a reused buffer, 1000", run_insert_bare, BARE_COPY, true, 1000, 0, 0},
        {"copied into a fresh buffer, 1000", run_insert_bare, BARE_FRESH, true, 1000, 0, 0},
        {"copied, growing by doubling, 1000", run_insert_bare, BARE_GROW, true, 1000, 0, 0},
        {"prebuilt, as long as can be", run_insert_bare, BARE_PREBUILT, false, 0, 5, 0},
        {"iovecs, as long as can be", run_insert_bare, BARE_IOVECS, true, 0, 5, 0},
        {"copied into a reused buffer, as long as can be", run_insert_bare, BARE_COPY, true, 0, 5,
         0},
        {"copied into a fresh buffer, as long as can be", run_insert_bare, BARE_FRESH, true, 0, 5,
         0},
        {"copied, growing by doubling, as long as can be", run_insert_bare, BARE_GROW, true, 0, 5,
         0},
        {"prebuilt, 100 documents", run_insert_bare, BARE_PREBUILT, false, 100, 0, 0},
    };
    run_inserts(r, variants, sizeof variants / sizeof *variants, rounds, passes);
}

/* ------------------------------------------------------------------ command line */

typedef struct settings {
    unsigned rounds, megabytes;
    bool ablations, dump, insert;
} settings;

static bool read_settings(int argc, char **argv, settings *s)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--ablations") == 0) {
            s->ablations = true;
            continue;
        }
        if (strcmp(argv[i], "--rounds") == 0) {
            s->rounds = (unsigned)strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--megabytes") == 0) {
            s->megabytes = (unsigned)strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--only") == 0) {
            s->dump = strcmp(value, "dump") == 0;
            s->insert = strcmp(value, "insert") == 0;
        } else {
            return false;
        }
        i++;
    }
    return s->rounds > 0 && s->megabytes > 0 && (s->dump || s->insert);
}

static void bench(const replayed *r, const settings *s)
{
    const unsigned passes = s->megabytes / (unsigned)(r->documents.len / 1000000) + 1;
    if (s->dump) (s->ablations ? bench_ablations : bench_clients)(s->rounds, r->megabytes);
    if (s->insert) (s->ablations ? bench_insert_ablations : bench_inserts)(r, s->rounds, passes);
}

int main(int argc, char **argv)
{
    settings s = {.rounds = 5, .megabytes = 200, .dump = true, .insert = true};
    if (!read_settings(argc, argv, &s)) {
        fputs("usage: bench_wire [--rounds N] [--megabytes N] [--only dump|insert] [--ablations]\n",
              stderr);
        return 2;
    }
    replayed r = {0};
    if (!prepare(&r, s.megabytes)) {
        fputs("bench_wire: the replies could not be built\n", stderr);
        return 1;
    }
    measure_pin_to(0);
    pid_t server = replay_start(&r.plan, 1, &server_port);
    if (server < 0) {
        perror("bench_wire: replay server");
        return 3;
    }
#ifdef BENCH_WITH_LIBMONGOC
    mongoc_init();
#endif
    bench(&r, &s);
#ifdef BENCH_WITH_LIBMONGOC
    mongoc_cleanup();
#endif
    replay_stop(server);
    release(&r);
    return 0;
}
