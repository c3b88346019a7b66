/* SPDX-License-Identifier: Apache-2.0
 *
 * random.h -- the generator behind every made document: splitmix64 (Steele, Lea, Flood, OOPSLA 2014), so that one seed gives
 * the same bytes on every machine.
 */
#ifndef BSONIC_BENCH_RANDOM_H
#define BSONIC_BENCH_RANDOM_H

#include <stdint.h>

typedef struct random_state {
    uint64_t counter;
} random_state;

static inline uint64_t random_u64(random_state *random)
{
    uint64_t z = random->counter += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* A number in [0, bound); bound > 0 and far below 2^64, so the bias of the remainder does not matter. */
static inline uint32_t random_below(random_state *random, uint32_t bound)
{
    return (uint32_t)(random_u64(random) % bound);
}

/* A number in [least, most]. */
static inline uint32_t random_between(random_state *random, uint32_t least, uint32_t most)
{
    return least + random_below(random, most - least + 1);
}

#endif
