/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_number.c -- doubles as text and back, against what a program without us would call: snprintf("%.17g") and strtod.
 *
 * The doubles are those of a set's documents, in their order. Each is printed and read back before anything is timed, and must
 * come back as the same bits, by our reading and by strtod. Reading is timed on our own texts, which are shorter than those of
 * %.17g, for both sides; they stand in one text with commas between them, as in an array.
 */
#include "codec/rows.h"
#include "json/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_ROOM 32

typedef struct numbers {
    size_t count;
    size_t *starts; /* of each document's, and the count behind the last */
    double *values;
    size_t *offsets; /* of each value's text */
    char *text;      /* "1.5,2.5,..", terminated for strtod */
    size_t text_len;
} numbers;

static const numbers *numbers_of(const bench_set *set)
{
    return set->prepared;
}

/* The doubles of a slice. */
static size_t first_of(const bench_set *set)
{
    return numbers_of(set)->starts[set->first];
}

static size_t end_of(const bench_set *set)
{
    return numbers_of(set)->starts[set->first + set->count];
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ------------------------------------------------------------------ the four */

static uint64_t print_ours(void *ctx)
{
    const bench_set *set = ctx;
    const numbers *list = numbers_of(set);
    const size_t end = end_of(set);
    char text[BSNI_DOUBLE_TEXT_MAX];
    uint64_t sum = 0;
    for (size_t i = first_of(set); i < end; i++) sum += bsni_double_to_text(list->values[i], text);
    return sum;
}

static uint64_t print_libc(void *ctx)
{
    const bench_set *set = ctx;
    const numbers *list = numbers_of(set);
    const size_t end = end_of(set);
    char text[TEXT_ROOM];
    uint64_t sum = 0;
    for (size_t i = first_of(set); i < end; i++)
        sum += (uint64_t)snprintf(text, sizeof text, "%.17g", list->values[i]);
    return sum;
}

static uint64_t read_ours(void *ctx)
{
    const bench_set *set = ctx;
    const numbers *list = numbers_of(set);
    const size_t end = end_of(set);
    uint64_t sum = 0;
    for (size_t i = first_of(set); i < end; i++) {
        bsni_number number;
        const bsn_str text = {list->text + list->offsets[i], list->text_len - list->offsets[i]};
        if (bsni_number_take(text, &number) != BSN_OK) return 0;
        sum += bits_of(number.real);
    }
    return sum;
}

static uint64_t read_libc(void *ctx)
{
    const bench_set *set = ctx;
    const numbers *list = numbers_of(set);
    const size_t end = end_of(set);
    uint64_t sum = 0;
    for (size_t i = first_of(set); i < end; i++)
        sum += bits_of(strtod(list->text + list->offsets[i], NULL));
    return sum;
}

/* ------------------------------------------------------------------ preparing */

static void collect(bench_set *set, numbers *list)
{
    for (size_t i = 0; i < set->count; i++) {
        list->starts[i] = list->count;
        bench_walk walk;
        bench_event event;
        bench_walk_begin(&walk, set->docs[i]);
        while ((event = bench_walk_next(&walk)) != BENCH_DONE) {
            if (event == BENCH_ELEMENT && bsn_iter_type(walk.it) == BSN_TYPE_DOUBLE)
                list->values[list->count++] = bsn_iter_value(walk.it).as.f64;
        }
    }
    list->starts[set->count] = list->count;
}

static void print_and_check(const bench_set *set, numbers *list)
{
    for (size_t i = 0; i < list->count; i++) {
        char *text = list->text + list->text_len;
        const size_t len = bsni_double_to_text(list->values[i], text);
        double back = 0;
        const bsn_status status = bsni_double_from_text((bsn_str){text, len}, &back);
        text[len] = ',';
        text[len + 1] = '\0';
        list->offsets[i] = list->text_len;
        list->text_len += len + 1;
        if (status != BSN_OK || bits_of(back) != bits_of(list->values[i]) ||
            bits_of(strtod(text, NULL)) != bits_of(list->values[i])) {
            bench_fail(set, "a double does not come back");
        }
    }
}

static size_t prepare_numbers(bench_set *set, size_t *bytes)
{
    numbers *list = bench_alloc(1, sizeof *list);
    list->starts = bench_alloc(set->count + 1, sizeof *list->starts);
    list->values = bench_alloc(set->elements, sizeof *list->values);
    list->offsets = bench_alloc(set->elements, sizeof *list->offsets);
    list->text = bench_alloc(set->elements + 1, TEXT_ROOM);
    collect(set, list);
    print_and_check(set, list);
    set->prepared = list;
    *bytes = list->count * sizeof(double);
    return list->count;
}

static void free_numbers(bench_set *set)
{
    numbers *list = set->prepared;
    free(list->starts);
    free(list->values);
    free(list->offsets);
    free(list->text);
    free(list);
}

/* %.17g prints more digits than are needed, so the lengths differ. */
const bench_job bench_double_print = {.name = "double print",
                                      .unit = "double",
                                      .prepare = prepare_numbers,
                                      .release = free_numbers,
                                      .ours = print_ours,
                                      .theirs = print_libc,
                                      .sums_differ = true};
const bench_job bench_double_read = {.name = "double read",
                                     .unit = "double",
                                     .prepare = prepare_numbers,
                                     .release = free_numbers,
                                     .ours = read_ours,
                                     .theirs = read_libc};
