/* SPDX-License-Identifier: Apache-2.0
 *
 * random.h -- numbers that look random and are the same in every run: a failing test fails again.
 */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include "base/mix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rounds of a random test: `full` where code runs at full speed, fewer in debug builds, which the sanitizers slow down. */
#ifdef NDEBUG
#define RANDOM_ROUNDS(full) (full)
#else
#define RANDOM_ROUNDS(full) ((full) / 50)
#endif

typedef struct test_random {
    uint64_t state;
} test_random;

/* Any seed will do. */
static inline uint64_t random_u64(test_random *random)
{
    return bsni_mix_next(&random->state);
}

/* A number of 1 to 64 bits, each length as likely as the others. */
static inline uint64_t random_of_any_size(test_random *random)
{
    const uint64_t bits = random_u64(random);
    return bits >> (random_u64(random) & 63);
}

/* 0 .. count - 1; count is small, so that the modulo's bias does not matter. */
static inline uint32_t random_below(test_random *random, uint32_t count)
{
    return (uint32_t)(random_u64(random) >> 32) % count;
}

/* The same for lengths and places. */
static inline size_t random_size_below(test_random *random, size_t count)
{
    return random_below(random, (uint32_t)count);
}

static inline bool random_one_in(test_random *random, size_t count)
{
    return random_size_below(random, count) == 0;
}

#endif
