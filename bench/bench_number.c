/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_number.c -- doubles as text and back, against what a program without us would call: snprintf("%.17g") and strtod.
 *
 *   bench_number [--rounds N]
 *
 * Each set is printed and read back before anything is timed; a double that does not come back as the same bits ends the
 * bench. Reading is timed on our own texts, which are shorter than those of %.17g, for both sides; they stand in one text with
 * commas between them, as in an array. The sets are large, so that a processor cannot learn them by heart.
 */
#include "data/random.h"
#include "measure.h"
#include "json/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 50000
#define TEXT_ROOM 32

typedef struct number_set {
    const char *name;
    double (*make)(size_t i, random_state *random);
} number_set;

typedef struct numbers {
    double values[COUNT];
    char text[COUNT * TEXT_ROOM + 1]; /* "1.5,2.5,..", terminated for strtod */
    size_t text_len;
    size_t offsets[COUNT];
} numbers;

static double make_tenths(size_t i, random_state *random)
{
    (void)random;
    return (double)i * 0.1;
}

/* Decimals of up to six digits, as arr1000 has them. */
static double make_short(size_t i, random_state *random)
{
    (void)i;
    static const double scales[] = {10, 100, 1000, 10000};
    return (double)random_below(random, 1000000) / scales[random_below(random, 4)];
}

static double make_integral(size_t i, random_state *random)
{
    (void)i;
    return (double)random_below(random, 1000000);
}

/* All 53 bits: 16 or 17 digits. */
static double make_unit(size_t i, random_state *random)
{
    (void)i;
    return (double)(random_u64(random) >> 11) * 0x1p-53;
}

static double make_bits(size_t i, random_state *random)
{
    (void)i;
    double value;
    do {
        const uint64_t bits = random_u64(random);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static const number_set sets[] = {
    {"i * 0.1", make_tenths},    {"short decimals", make_short}, {"integral", make_integral},
    {"0 to 1, full", make_unit}, {"random bits", make_bits},
};

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t print_ours(void *ctx)
{
    const numbers *set = ctx;
    char text[BSNI_DOUBLE_TEXT_MAX];
    uint64_t sum = 0;
    for (size_t i = 0; i < COUNT; i++) sum += bsni_double_to_text(set->values[i], text);
    return sum;
}

static uint64_t print_libc(void *ctx)
{
    const numbers *set = ctx;
    char text[TEXT_ROOM];
    uint64_t sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
        sum += (uint64_t)snprintf(text, sizeof text, "%.17g", set->values[i]);
    }
    return sum;
}

static uint64_t read_ours(void *ctx)
{
    const numbers *set = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
        bsni_number number;
        const bsn_str text = {set->text + set->offsets[i], set->text_len - set->offsets[i]};
        if (bsni_number_take(text, &number) != BSN_OK) return 0;
        sum += bits_of(number.real);
    }
    return sum;
}

static uint64_t read_libc(void *ctx)
{
    const numbers *set = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < COUNT; i++) sum += bits_of(strtod(set->text + set->offsets[i], NULL));
    return sum;
}

/* Makes a set, and ends the bench unless every double of it comes back, by our reading and by strtod. */
static void prepare(numbers *set, const number_set *kind)
{
    random_state random = {1};
    size_t end = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const double value = kind->make(i, &random);
        char *text = set->text + end;
        const size_t len = bsni_double_to_text(value, text);
        set->values[i] = value;
        set->offsets[i] = end;
        text[len] = ',';
        text[len + 1] = '\0';
        end += len + 1;
        double back = 0;
        const bsn_status status = bsni_double_from_text((bsn_str){text, len}, &back);
        const bool same = status == BSN_OK && bits_of(back) == bits_of(value);
        if (!same || bits_of(strtod(text, NULL)) != bits_of(value)) {
            fprintf(stderr, "bench_number: %s: %a printed as %s does not come back\n", kind->name,
                    value, text);
            exit(1);
        }
    }
    set->text_len = end;
}

static void show(const char *way, const measure_variant *variants)
{
    const double ours = variants[0].seconds_best / COUNT * 1e9;
    const double libc = variants[1].seconds_best / COUNT * 1e9;
    printf("   %s %6.1f %6.1f %5.1f", way, ours, libc, libc / ours);
}

static void run(numbers *set, const number_set *kind, unsigned rounds)
{
    prepare(set, kind);
    measure_variant print[] = {{.name = "print", .run = print_ours, .ctx = set},
                               {.name = "snprintf", .run = print_libc, .ctx = set}};
    measure_variant read[] = {{.name = "read", .run = read_ours, .ctx = set},
                              {.name = "strtod", .run = read_libc, .ctx = set}};
    measure_run(print, 2, rounds);
    measure_run(read, 2, rounds);
    if (read[0].checksum != read[1].checksum) {
        fprintf(stderr, "bench_number: %s: the two readings differ\n", kind->name);
        exit(1);
    }
    printf("%-16s", kind->name);
    show("print", print);
    show("read", read);
    putchar('\n');
}

int main(int argc, char **argv)
{
    unsigned rounds = 50;
    if (argc == 3 && strcmp(argv[1], "--rounds") == 0) {
        rounds = (unsigned)strtoul(argv[2], NULL, 10);
    } else if (argc != 1) {
        fputs("usage: bench_number [--rounds N]\n", stderr);
        return 2;
    }
    static numbers set;
    measure_pin();
    puts("doubles, ns each        ours   libc ratio           ours   libc ratio");
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) run(&set, &sets[i], rounds);
    return 0;
}
