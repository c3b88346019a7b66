/* SPDX-License-Identifier: Apache-2.0
 *
 * random.h -- the generator behind every made document: one seed gives the same bytes on every machine.
 */
#ifndef BSONIC_BENCH_RANDOM_H
#define BSONIC_BENCH_RANDOM_H

#include "base/mix.h"

#include <stdint.h>

typedef struct random_state {
    uint64_t counter;
} random_state;

static inline uint64_t random_u64(random_state *random)
{
    return bsni_mix_next(&random->counter);
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
