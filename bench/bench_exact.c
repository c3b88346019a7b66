/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_exact.c -- whether doubles survive text: as many random ones as one asks for, which is no matter of speed but of hours.
 *
 *   bench_exact [COUNT [SEED]]                              1,000,000 by default; the long run is 100,000,000
 *
 * Of each: our text reads back as the same bits by our reading and by strtod, and no text of fewer digits does (libc rounds
 * one exactly, so one try is enough; not asked of powers of two, whose neighbours stand at unequal distances). What libc prints with
 * 17 digits, and with random ones too few, reads as the same by both.
 */
#include "data/random.h"

#include "json/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Any bits, short decimals, integers with and without a fraction: each kind takes other ways through the code. */
static double random_double(random_state *random)
{
    const uint64_t bits = random_u64(random);
    double value;
    switch (random_below(random, 4)) {
    case 0: value = (double)(int64_t)bits; break;
    case 1: value = (double)(bits >> random_between(random, 1, 63)) / 1024; break;
    case 2: {
        char text[48];
        snprintf(text, sizeof text, "%" PRIu64 "e%d", bits >> random_between(random, 1, 63),
                 (int)random_below(random, 640) - 330);
        value = strtod(text, NULL);
        break;
    }
    default: memcpy(&value, &bits, sizeof value); break;
    }
    return isfinite(value) ? value : 0.5;
}

/* Both read `text` as one double; *value is it. */
static bool both_read(const char *text, double *value)
{
    const bsn_str span = {text, strlen(text)};
    double ours;
    *value = strtod(text, NULL);
    const bsn_status status = bsni_double_from_text(span, &ours);
    if (isinf(*value)) return status == BSN_E_RANGE;
    return status == BSN_OK && bits_of(ours) == bits_of(*value);
}

static size_t count_digits(const char *text)
{
    size_t count = 0, zeros = 0;
    for (; *text != 0 && *text != 'E'; text++) {
        if (*text < '0' || *text > '9' || (count == 0 && *text == '0')) continue;
        count++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return count - zeros;
}

/* True when libc's best text of one digit less is another double. */
static bool is_shortest(double value, const char *text)
{
    char shorter[48];
    const size_t digits = count_digits(text);
    if (digits < 2 || (bits_of(value) & 0xFFFFFFFFFFFFFu) == 0) return true;
    snprintf(shorter, sizeof shorter, "%.*e", (int)digits - 2, value);
    return strtod(shorter, NULL) != value;
}

static const char *check(random_state *random, double value)
{
    char text[BSNI_DOUBLE_TEXT_MAX + 1], libc[48];
    double back;
    text[bsni_double_to_text(value, text)] = 0;
    if (!both_read(text, &back)) return "our text is read as two doubles";
    if (bits_of(back) != bits_of(value)) return "our text is another double";
    if (!is_shortest(value, text)) return "our text is not the shortest";
    snprintf(libc, sizeof libc, "%.16e", value);
    if (!both_read(libc, &back) || bits_of(back) != bits_of(value)) return "17 digits are misread";
    snprintf(libc, sizeof libc, "%.*e", (int)random_below(random, 16), value);
    return both_read(libc, &back) ? NULL : "few digits are misread";
}

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    random_state random = {argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    if (count == 0 || argc > 3) {
        fputs("usage: bench_exact [COUNT [SEED]]\n", stderr);
        return 2;
    }
    for (uint64_t i = 0; i < count; i++) {
        const double value = random_double(&random);
        const char *fault = check(&random, value);
        if (fault == NULL) continue;
        printf("%s: %a, bits %016" PRIx64 ", the %" PRIu64 "th\n", fault, value, bits_of(value), i);
        return 1;
    }
    printf("%" PRIu64 " doubles: exact both ways, and shortest\n", count);
    return 0;
}
