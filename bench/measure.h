/* SPDX-License-Identifier: Apache-2.0
 *
 * measure.h -- timing for benches: variants of one job run in turn, round after round, and the fastest round of each counts.
 *
 * Interleaving spreads whatever else the machine does over all variants; the minimum is the round that was disturbed least. Around
 * each timed run stands a canary, a loop that takes the same number of cycles every time: where it took longer than its own
 * fastest, the clock was slower or somebody else had the core, and the run between does not count.
 */
#ifndef BSONIC_BENCH_MEASURE_H
#define BSONIC_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One way to do a job. run does all of it once and returns a checksum of what it saw; every round must return the same. */
typedef struct measure_variant {
    const char *name;
    uint64_t (*run)(void *ctx);
    void *ctx;
    bool once;           /* never twice in a row: a processor would learn a small job by heart */
    uint64_t checksum;   /* out: of the first round */
    double seconds_best; /* out */
} measure_variant;

/* What became of the timed runs of all variants together. */
typedef struct measure_tally {
    unsigned rounds;
    unsigned kept;
    unsigned dropped; /* the canary was slow */
} measure_tally;

/* Runs every variant once untimed, then all in turn until `seconds` are over, five rounds at least, and up to four times as long
 * while a variant has less than three undisturbed runs; one without any keeps its fastest. Each timed run repeats the job until
 * it takes a tenth of a millisecond, unless it is to run once. Ends the process with a message
 * when a checksum changes between rounds. */
measure_tally measure_run(measure_variant *variants, size_t count, double seconds);

/* Seconds of a clock that only goes forward. */
double measure_now(void);

/* Binds the process to the core it runs on, or to a certain one, where the system can. */
void measure_pin(void);
void measure_pin_to(unsigned core);

#endif
