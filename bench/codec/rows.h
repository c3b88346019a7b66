/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h -- what bench_codec measures: jobs, one file rows_<idea>.c for those of one kind, and the table of rows in rows.c, each
 * a job on a set with the ratios it has to reach.
 *
 * A new row is a line in rows.c. A new job is a bench_job in a file of its kind, named here.
 */
#ifndef BSONIC_BENCH_ROWS_H
#define BSONIC_BENCH_ROWS_H

#include "codec/set.h"

/* One thing to do with a set, our way and the reference's. Both get the bench_set, or a slice of it, and return a checksum of what
 * they did. */
typedef struct bench_job {
    const char *name;
    const char *unit; /* what the figures are about; element if NULL */
    /* Prepares set->prepared and ends the process when either side's answer is wrong; returns how many units the set has for this
     * job, and their bytes in *bytes. NULL: nothing to prepare, the set's elements and bytes. */
    size_t (*prepare)(bench_set *set, size_t *bytes);
    void (*release)(bench_set *set);
    uint64_t (*ours)(void *set);
    uint64_t (*theirs)(void *set);
    bool whole;       /* always runs on the whole set */
    bool sums_differ; /* else both checksums must be equal, and not 0: then that is the check */
} bench_job;

extern const bench_job bench_walk_inline, bench_walk_step, bench_walk_shared, bench_find_last;
extern const bench_job bench_validate, bench_utf8_ascii, bench_utf8_other;
extern const bench_job bench_append, bench_append_keys, bench_append_pooled;
extern const bench_job bench_text_out, bench_text_in, bench_text_in_one;
extern const bench_job bench_task_decode, bench_task_encode; /* of the public driver benchmark */
extern const bench_job bench_double_print, bench_double_read;
extern const bench_job bench_base64_enc_short, bench_base64_enc_long; /* beside a byte loop */
extern const bench_job bench_base64_dec_short, bench_base64_dec_long;

/* Times the reference's time over ours: floor is what a complete version must reach, goal what we are here for. 0: not said. */
typedef struct bench_row {
    const bench_job *job;
    const char *set;
    double floor;
    double goal;
} bench_row;

/* Ends with a row without a job. */
extern const bench_row bench_rows[];

#endif
