/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c -- the table of rows: floors and goals as ratios to libbson 1.23.1 as packaged (doubles: to snprintf and strtod of glibc; base64: to a byte loop).
 *
 * One hot document hides mispredictions, so claims are made on seedc (one schema, different documents) and mixc (no schema).
 */
#include "codec/rows.h"

const bench_row bench_rows[] = {
    {&bench_walk_inline, "seedc", 2.6, 5},
    {&bench_walk_inline, "keys100", 3.0, 9},
    {&bench_walk_inline, "deep", 2.8, 6},
    {&bench_walk_inline, "mixc", 2.4, 3.8},
    {&bench_walk_inline, "flat", 0, 0},
    {&bench_walk_inline, "tweet", 0, 0},
    {&bench_walk_inline, "arr1000", 0, 0},
    {&bench_walk_step, "seedc", 2.2, 4},
    {&bench_walk_step, "keys100", 2.8, 6},
    {&bench_walk_step, "deep", 1.9, 3.8},
    {&bench_walk_step, "mixc", 2.0, 2.8},
    {&bench_walk_shared, "seedc", 2.2, 4},
    {&bench_walk_shared, "keys100", 2.8, 6},
    {&bench_walk_shared, "deep", 1.9, 3.8},
    {&bench_walk_shared, "mixc", 2.0, 2.8},

    {&bench_find_last, "seedc", 2.3, 3.4},
    {&bench_find_last, "keys100", 3.2, 5.5},

    {&bench_validate, "seedc", 16, 30},
    {&bench_validate, "seedu", 12, 20},
    {&bench_validate, "mixc", 6, 10},
    {&bench_validate, "deep", 8, 12},
    {&bench_validate, "flat", 0, 0},
    {&bench_validate, "arr1000", 0, 0},
    {&bench_utf8_ascii, "bigstr", 140, 185},
    {&bench_utf8_other, "bigstr", 55, 80},

    {&bench_append, "seedc", 4, 5.5},
    {&bench_append, "flat", 6.5, 9},
    {&bench_append, "keys100", 6.5, 9},
    {&bench_append, "mixc", 2.8, 3.3},
    {&bench_append, "tweet", 4, 7},
    {&bench_append, "arr1000", 4, 8},
    {&bench_append, "deep", 4, 7},
    {&bench_append_keys, "seedc", 7, 9.5},
    {&bench_append_pooled, "seedc", 4.5, 6.5},

    {&bench_text_out, "seedc", 40, 60},
    {&bench_text_out, "flat", 30, 45},
    {&bench_text_out, "tweet", 50, 75},
    {&bench_text_out, "seedu", 20, 40},
    {&bench_text_out, "mixc", 20, 30},
    {&bench_text_out, "arr1000", 12, 20},
    {&bench_text_out, "bigascii", 200, 285},

    {&bench_text_in, "seedc", 10, 18},
    {&bench_text_in, "flat", 8, 14},
    {&bench_text_in, "tweet", 11, 18},
    {&bench_text_in, "full", 11, 16},
    {&bench_text_in, "mixc", 7, 10},
    {&bench_text_in, "arr1000", 4.5, 8},
    {&bench_text_in, "bigascii", 22, 33},
    {&bench_text_in_one, "seedc", 0, 0},
    {&bench_text_in_one, "flat", 0, 0},
    {&bench_text_in_one, "tweet", 0, 0},

    {&bench_task_encode, "flat", 8, 14},
    {&bench_task_encode, "deep", 8, 14},
    {&bench_task_encode, "full", 8, 14},
    {&bench_task_decode, "flat", 25, 40},
    {&bench_task_decode, "deep", 25, 40},
    {&bench_task_decode, "full", 25, 40},

    {&bench_double_print, "arr1000", 13, 22},
    {&bench_double_print, "bits1000", 16, 23},
    {&bench_double_read, "arr1000", 4, 5.6},
    {&bench_double_read, "bits1000", 4.7, 5.6},

    {&bench_base64_enc_short, "bits1000", 2.5, 3.5},
    {&bench_base64_enc_long, "bits1000", 5, 10},
    {&bench_base64_dec_short, "bits1000", 2.5, 5},
    {&bench_base64_dec_long, "bits1000", 5, 13},
    {NULL, NULL, 0, 0},
};
