/* SPDX-License-Identifier: Apache-2.0
 *
 * measure.c -- the loop behind measure.h.
 */
#define _GNU_SOURCE /* sched_setaffinity */
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __linux__
#include <sched.h>
#endif

double measure_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void measure_pin_to(unsigned core)
{
#ifdef __linux__
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
#else
    (void)core;
#endif
}

void measure_pin(void)
{
#ifdef __linux__
    const int core = sched_getcpu();
    if (core >= 0) measure_pin_to((unsigned)core);
#endif
}

static void check(const measure_variant *variant, uint64_t checksum)
{
    if (checksum == variant->checksum) return;
    fprintf(stderr, "%s: checksum %" PRIx64 " became %" PRIx64 "\n", variant->name,
            variant->checksum, checksum);
    exit(1);
}

/* ------------------------------------------------------------------ canary */

enum { CANARY_STEPS = 5000 };
#define CANARY_SLACK 1.04

/* A chain in which each step waits for the one before: a multiplication and an addition, 4 cycles on every processor of the last
 * fifteen years, so about 5 microseconds. What it costs does not depend on caches or branches, only on the clock. */
static double canary(void)
{
    static volatile uint64_t sink;
    uint64_t x = sink | 1;
    const double begin = measure_now();
    for (unsigned i = 0; i < CANARY_STEPS; i++) {
        x = x * 0xD1342543DE82EF95u + 1;
#ifdef __GNUC__
        __asm__ volatile("" : "+r"(x)); /* or the compiler takes several steps at once */
#endif
    }
    sink = x;
    return measure_now() - begin;
}

/* ------------------------------------------------------------------ samples */

enum { ROUNDS_MIN = 5, ROUNDS_MAX = 4000, SAMPLES_MAX = 1 << 20 };

/* On a busy machine a job may need more time until enough of its runs were undisturbed; not without end. */
enum { KEPT_MIN = 3, ATTEMPTS_MAX = 4 };

typedef struct sample {
    double seconds;
    double canary; /* the slower of the two around it */
} sample;

/* Long enough for the clock's grain, short enough to fit between two interruptions. */
#define RUN_SECONDS 1e-4

/* How often a job is repeated within one timed run, so that the clock's grain does not matter. */
static unsigned repeats_of(const measure_variant *variant)
{
    if (variant->once) return 1;
    double begin = measure_now();
    variant->run(variant->ctx);
    double seconds = measure_now() - begin;
    return seconds >= RUN_SECONDS ? 1 : (unsigned)(RUN_SECONDS / (seconds + 1e-7)) + 1;
}

static sample take_sample(const measure_variant *variant, unsigned repeats)
{
    sample taken = {0, canary()};
    const double begin = measure_now();
    for (unsigned r = 0; r < repeats; r++) check(variant, variant->run(variant->ctx));
    taken.seconds = (measure_now() - begin) / repeats;
    const double after = canary();
    if (after > taken.canary) taken.canary = after;
    return taken;
}

static double fastest_canary(const sample *samples, size_t count)
{
    double fastest = samples[0].canary;
    for (size_t i = 1; i < count; i++) {
        if (samples[i].canary < fastest) fastest = samples[i].canary;
    }
    return fastest;
}

/* The samples of one variant stand `stride` apart. Returns how many count. */
static unsigned choose_best(measure_variant *variant, const sample *samples, unsigned rounds,
                            size_t stride, double canary_max)
{
    double best = 1e9, best_of_all = 1e9;
    unsigned kept = 0;
    for (unsigned round = 0; round < rounds; round++) {
        const sample *taken = &samples[round * stride];
        if (taken->seconds < best_of_all) best_of_all = taken->seconds;
        if (taken->canary > canary_max) continue;
        kept++;
        if (taken->seconds < best) best = taken->seconds;
    }
    variant->seconds_best = kept != 0 ? best : best_of_all;
    return kept;
}

/* All that is known about one call of measure_run. */
typedef struct session {
    measure_variant *variants;
    size_t count;
    unsigned *repeats;
    sample *samples; /* round after round, one of each variant */
    unsigned rounds, rounds_max;
} session;

static void run_until(session *s, double end)
{
    while (s->rounds < ROUNDS_MIN || (s->rounds < s->rounds_max && measure_now() < end)) {
        for (size_t i = 0; i < s->count; i++)
            s->samples[s->rounds * s->count + i] = take_sample(&s->variants[i], s->repeats[i]);
        s->rounds++;
    }
}

/* Sets the best of each; returns how many runs the worst off has left. */
static unsigned judge(session *s, measure_tally *tally)
{
    const size_t taken = s->rounds * s->count;
    const double canary_max = fastest_canary(s->samples, taken) * CANARY_SLACK;
    unsigned fewest = s->rounds;
    *tally = (measure_tally){.rounds = s->rounds};
    for (size_t i = 0; i < s->count; i++) {
        const unsigned kept =
            choose_best(&s->variants[i], s->samples + i, s->rounds, s->count, canary_max);
        tally->kept += kept;
        if (kept < fewest) fewest = kept;
    }
    tally->dropped = (unsigned)taken - tally->kept;
    return fewest;
}

measure_tally measure_run(measure_variant *variants, size_t count, double seconds)
{
    measure_tally tally;
    session s = {.variants = variants, .count = count};
    s.repeats = calloc(count, sizeof *s.repeats);
    s.rounds_max = count <= SAMPLES_MAX / ROUNDS_MAX  ? ROUNDS_MAX
                   : count < SAMPLES_MAX / ROUNDS_MIN ? (unsigned)(SAMPLES_MAX / count)
                                                      : ROUNDS_MIN;
    s.samples = calloc(count * s.rounds_max, sizeof *s.samples);
    if (s.repeats == NULL || s.samples == NULL) exit(5);
    for (size_t i = 0; i < count; i++) {
        variants[i].checksum = variants[i].run(variants[i].ctx);
        s.repeats[i] = repeats_of(&variants[i]);
    }
    for (unsigned attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        run_until(&s, measure_now() + seconds);
        if (judge(&s, &tally) >= KEPT_MIN) break;
    }
    free(s.samples);
    free(s.repeats);
    return tally;
}
