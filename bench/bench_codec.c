/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_codec.c -- the codec side by side with libbson in one process: the table of codec/rows.c.
 *
 *   bench_codec [--seconds S] [--tsv] [--job JOB] [--set SET] [--share N]
 *   bench_codec --count JOB SET
 *
 * Each row checks its answer before it is timed, for about S seconds (half a one by default). --job and --set choose rows; --share
 * takes one in N documents of made sets, which may then lie in a nearer cache. --tsv is for scripts: name and value of what the figures depend on, then a line a row.
 *
 * --count does a job once, our way only, on a twentieth of a set, and prints how many units that was: an emulator that collects
 * inside of bench_counted counts what it takes, and nothing of the preparation.
 */
#include "codec/rows.h"
#include "measure.h"

#include <bson/bson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    double seconds;
    size_t share;
    bool tsv;
    bool count;
    const char *job, *set; /* NULL: all */
} settings;

/* ------------------------------------------------------------------ sets, loaded when first asked for */

enum { SETS_MAX = 24 };
static bench_set loaded[SETS_MAX];
static size_t loaded_count;

static bench_set *set_named(const char *name, size_t share)
{
    for (size_t i = 0; i < loaded_count; i++) {
        if (strcmp(loaded[i].name, name) == 0) return &loaded[i];
    }
    if (loaded_count == SETS_MAX || !bench_set_load(&loaded[loaded_count], name, share))
        return NULL;
    return &loaded[loaded_count++];
}

static void free_sets(void)
{
    while (loaded_count > 0) bench_set_free(&loaded[--loaded_count]);
}

/* ------------------------------------------------------------------ one row */

/* What a job is measured in, on a set that is prepared for it. */
typedef struct extent {
    size_t units;
    size_t bytes;
} extent;

static extent prepare(const bench_job *job, bench_set *set)
{
    extent size = {set->elements, set->bytes.len};
    if (job->prepare != NULL) size.units = job->prepare(set, &size.bytes);
    return size;
}

static void release(const bench_job *job, bench_set *set)
{
    if (job->release != NULL) job->release(set);
    set->prepared = NULL;
}

static const char *verdict(const bench_row *row, double ratio)
{
    if (row->floor == 0) return "-";
    if (ratio >= row->goal) return "goal";
    return ratio >= row->floor ? "floor" : "UNDER";
}

/* Seconds of one whole pass, ours and theirs. */
typedef struct result {
    double ours, theirs;
    measure_tally tally;
} result;

static void print_row(const bench_row *row, extent size, result r, bool tsv)
{
    const double ours = r.ours / (double)size.units * 1e9;
    const double theirs = r.theirs / (double)size.units * 1e9;
    const double ratio = theirs / ours;
    const double speed = (double)size.bytes / r.ours * 1e-9;
    if (tsv) {
        printf("row\t%s\t%s\t%s\t%.4f\t%.4f\t%.4f\t%g\t%g\t%u\t%u\n", row->job->name, row->set,
               row->job->unit == NULL ? "element" : row->job->unit, ours, theirs, ratio, row->floor,
               row->goal, r.tally.kept, r.tally.dropped);
    } else {
        printf("%-14s %-9s %9.2f %10.2f %7.2f %7.1f %7.1f  %-6s %8.2f %5u/%u\n", row->job->name,
               row->set, ours, theirs, ratio, row->floor, row->goal, verdict(row, ratio), speed,
               r.tally.dropped, r.tally.kept + r.tally.dropped);
    }
    fflush(stdout);
}

/* ------------------------------------------------------------------ slices */

/* Large sets are timed in slices, each of which keeps its own fastest run: a run of milliseconds is interrupted on any machine that
 * has something else to do. All slices run in turn, so that none finds its bytes in a nearer cache than in a single pass. The slower
 * side gets more of them, or its interruptions would make the other one look good. */
enum { SLICES_MAX = 1024 };
#define SLICE_SECONDS 2e-4

/* One side's way through a set. */
typedef struct side {
    uint64_t (*run)(void *set);
    size_t count;
    uint64_t sum; /* of all slices */
    double seconds;
} side;

/* Seconds of a pass: of several, if they are short, since the first may have had to make room or was interrupted. */
static double time_pass(const side *s, bench_set *set)
{
    double fastest = 1e9;
    const double end = measure_now() + 0.02;
    for (unsigned i = 0; i < 2 || (i < 10 && measure_now() < end); i++) {
        const double begin = measure_now();
        s->run(set);
        const double seconds = measure_now() - begin;
        if (seconds < fastest) fastest = seconds;
    }
    return fastest;
}

static void plan_slices(const bench_job *job, bench_set *set, side *s)
{
    const double count = time_pass(s, set) / SLICE_SECONDS;
    const size_t most = set->count < SLICES_MAX ? set->count : SLICES_MAX;
    s->count = count >= (double)most ? most : (size_t)count + 1;
    if (job->whole || s->count == 0) s->count = 1;
}

static bench_set slice_of(const bench_set *set, size_t index, size_t count)
{
    bench_set slice = *set;
    slice.first = set->count * index / count;
    slice.count = set->count * (index + 1) / count - slice.first;
    slice.docs += slice.first;
    return slice;
}

/* Cuts a set for one side, and adds up what it sees. */
static bench_set *cut(const bench_set *set, side *s)
{
    bench_set *slices = bench_alloc(s->count, sizeof *slices);
    for (size_t i = 0; i < s->count; i++) {
        slices[i] = slice_of(set, i, s->count);
        const uint64_t sum = s->run(&slices[i]);
        if (sum == 0) bench_fail(set, "a job gave up");
        s->sum += sum;
    }
    return slices;
}

/* Variants for slices first..last of a side; returns the place behind them. */
static measure_variant *line_up(measure_variant *to, const side *s, bench_set *slices, size_t first,
                                size_t last)
{
    for (size_t i = first; i < last; i++) {
        *to++ = (measure_variant){
            .name = slices[i].name, .run = s->run, .ctx = &slices[i], .once = s->count > 1};
    }
    return to;
}

/* A pass is made of the fastest runs of its slices. */
static void add_up(side *s, const bench_set *slices, const measure_variant *variants, size_t count)
{
    for (size_t i = 0; i < s->count; i++) {
        double fastest = 1e9;
        for (size_t v = 0; v < count; v++) {
            if (variants[v].ctx == &slices[i] && variants[v].seconds_best < fastest)
                fastest = variants[v].seconds_best;
        }
        s->seconds += fastest;
    }
}

/* Where their pass takes long, ours has several turns in between: as few as theirs would not find an undisturbed one. */
enum { TURNS_MAX = 8 };

static result measure(const bench_job *job, bench_set *set, double seconds)
{
    side ours = {.run = job->ours}, theirs = {.run = job->theirs};
    plan_slices(job, set, &ours);
    plan_slices(job, set, &theirs);
    bench_set *our_slices = cut(set, &ours), *their_slices = cut(set, &theirs);
    if (!job->sums_differ && ours.sum != theirs.sum)
        bench_fail(set, "the two sides did not do the same");
    size_t turns = theirs.count / ours.count / 2;
    if (turns < 1) turns = 1;
    if (turns > TURNS_MAX) turns = TURNS_MAX;
    const size_t count = turns * ours.count + theirs.count;
    measure_variant *variants = bench_alloc(count, sizeof *variants), *end = variants;
    for (size_t i = 0; i < turns; i++) {
        end = line_up(end, &ours, our_slices, 0, ours.count);
        end = line_up(end, &theirs, their_slices, theirs.count * i / turns,
                      theirs.count * (i + 1) / turns);
    }
    const measure_tally tally = measure_run(variants, count, seconds);
    add_up(&ours, our_slices, variants, count);
    add_up(&theirs, their_slices, variants, count);
    free(variants);
    free(their_slices);
    free(our_slices);
    return (result){ours.seconds, theirs.seconds, tally};
}

static void run_row(const bench_row *row, const settings *s)
{
    const bench_job *job = row->job;
    bench_set *set = set_named(row->set, s->share);
    if (set == NULL) {
        printf(s->tsv ? "skipped\t%s\t%s\n" : "%-14s %-9s skipped: its data is not here\n",
               job->name, row->set);
        return;
    }
    const extent size = prepare(job, set);
    print_row(row, size, measure(job, set, s->seconds), s->tsv);
    release(job, set);
}

/* ------------------------------------------------------------------ all of them */

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

static void print_head(bool tsv)
{
    if (tsv) {
        printf("info\tcompiler\t%s\ninfo\ttier\t%s\ninfo\tlibbson\t%s\n", COMPILER, bsn_tier(),
               bson_get_version());
        return;
    }
    printf("%s, tier %s, libbson %s; doubles against glibc\n", COMPILER, bsn_tier(),
           bson_get_version());
    printf("%-14s %-9s %9s %10s %7s %7s %7s  %-6s %8s %s\n", "job", "set", "ns each", "theirs",
           "ratio", "floor", "goal", "", "GB/s", "dropped");
}

static bool is_chosen(const bench_row *row, const settings *s)
{
    return (s->job == NULL || strcmp(s->job, row->job->name) == 0) &&
           (s->set == NULL || strcmp(s->set, row->set) == 0);
}

static int run_rows(const settings *s)
{
    size_t chosen = 0;
    measure_pin();
    print_head(s->tsv);
    for (const bench_row *row = bench_rows; row->job != NULL; row++) {
        if (!is_chosen(row, s)) continue;
        chosen++;
        run_row(row, s);
    }
    if (chosen == 0) fputs("bench_codec: there is no such row\n", stderr);
    return chosen == 0 ? 2 : 0;
}

/* ------------------------------------------------------------------ counting */

enum { COUNTED_SHARE = 20 };

uint64_t bench_counted(const bench_job *job, bench_set *set);

/* Stands alone, so that its name is there for an emulator. */
__attribute__((noinline)) uint64_t bench_counted(const bench_job *job, bench_set *set)
{
    return job->ours(set);
}

static const bench_job *job_named(const char *name)
{
    for (const bench_row *row = bench_rows; row->job != NULL; row++) {
        if (strcmp(row->job->name, name) == 0) return row->job;
    }
    return NULL;
}

/* The run before sizes whatever is kept, and makes the choice of the tier. */
static int count_once(const settings *s)
{
    const bench_job *job = job_named(s->job);
    bench_set *set = job == NULL ? NULL : set_named(s->set, COUNTED_SHARE);
    if (set == NULL) {
        fprintf(stderr, "bench_codec: no job %s, or no set %s\n", s->job, s->set);
        return 2;
    }
    const extent size = prepare(job, set);
    const uint64_t before = job->ours(set);
    if (before == 0 || bench_counted(job, set) != before) bench_fail(set, "a job gave up");
    print_head(true);
    printf("units\t%zu\n", size.units);
    release(job, set);
    return 0;
}

/* ------------------------------------------------------------------ the command line */

static bool read_settings(int argc, char **argv, settings *s)
{
    if (argc == 4 && strcmp(argv[1], "--count") == 0) {
        s->count = true;
        s->job = argv[2];
        s->set = argv[3];
        return true;
    }
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--tsv") == 0) {
            s->tsv = true;
            continue;
        }
        if (value == NULL) return false;
        if (strcmp(argv[i], "--seconds") == 0) {
            s->seconds = strtod(value, NULL);
        } else if (strcmp(argv[i], "--share") == 0) {
            s->share = strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--job") == 0) {
            s->job = value;
        } else if (strcmp(argv[i], "--set") == 0) {
            s->set = value;
        } else {
            return false;
        }
        i++;
    }
    return s->seconds > 0 && s->share > 0;
}

int main(int argc, char **argv)
{
    settings s = {.seconds = 0.5, .share = 1};
    if (!read_settings(argc, argv, &s)) {
        fputs("usage: bench_codec [--seconds S] [--tsv] [--job JOB] [--set SET] [--share N]\n"
              "       bench_codec --count JOB SET\n",
              stderr);
        return 2;
    }
    const int code = s.count ? count_once(&s) : run_rows(&s);
    free_sets();
    return code;
}
