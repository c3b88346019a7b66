/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_wire.c -- a collection dump over loopback: a bare receive-and-walk client, this project's client and libmongoc against
 * the same replayed bytes, in turn; the best of the rounds counts.
 *
 *   bench_wire [--rounds N] [--megabytes N] [--ablations]
 *
 * --ablations runs the bare client through its switches instead: size of the receive window, of the kernel's receive buffer,
 * whole messages in a reused buffer, whole messages in fresh memory.
 */
#include "data/datasets.h"
#include "measure.h"
#include "wire/dump.h"
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

int main(int argc, char **argv)
{
    unsigned rounds = 5, megabytes = 200;
    bool ablations = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--ablations") == 0) {
            ablations = true;
        } else if (i + 1 < argc && strcmp(argv[i], "--rounds") == 0) {
            rounds = (unsigned)strtoul(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--megabytes") == 0) {
            megabytes = (unsigned)strtoul(argv[++i], NULL, 10);
        } else {
            rounds = 0;
        }
    }
    if (rounds == 0 || megabytes == 0) {
        fputs("usage: bench_wire [--rounds N] [--megabytes N] [--ablations]\n", stderr);
        return 2;
    }
    replayed r = {0};
    if (!prepare(&r, megabytes)) {
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
    (ablations ? bench_ablations : bench_clients)(rounds, r.megabytes);
#ifdef BENCH_WITH_LIBMONGOC
    mongoc_cleanup();
#endif
    replay_stop(server);
    release(&r);
    return 0;
}
