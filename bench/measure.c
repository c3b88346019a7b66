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

/* How often a job is repeated within one timed run, so that the clock's grain does not matter. */
static unsigned repeats_of(const measure_variant *variant)
{
    double begin = measure_now();
    variant->run(variant->ctx);
    double seconds = measure_now() - begin;
    return seconds >= 1e-3 ? 1 : (unsigned)(1e-3 / (seconds + 1e-7)) + 1;
}

void measure_run(measure_variant *variants, size_t count, unsigned rounds)
{
    unsigned *repeats = calloc(count, sizeof *repeats);
    if (repeats == NULL) exit(5);
    for (size_t i = 0; i < count; i++) {
        variants[i].checksum = variants[i].run(variants[i].ctx);
        variants[i].seconds_best = 1e9;
        repeats[i] = repeats_of(&variants[i]);
    }
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            double begin = measure_now();
            for (unsigned r = 0; r < repeats[i]; r++)
                check(&variants[i], variants[i].run(variants[i].ctx));
            double seconds = (measure_now() - begin) / repeats[i];
            if (seconds < variants[i].seconds_best) variants[i].seconds_best = seconds;
        }
    }
    free(repeats);
}
