/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch.c -- the one list of tiers and the one choice among them.
 */
#include "simd/dispatch.h"

#include "simd/cpu.h"
#include "simd/simd.h"

#include <string.h>

static bool runs_everywhere(void)
{
    return true;
}

const bsni_tier bsni_tiers[] = {
#ifdef BSONIC_HAS_V256VL
    {&bsni_tier_v256vl, bsni_cpu_runs_v256vl},
#endif
#ifdef BSONIC_HAS_V256
    {&bsni_tier_v256, bsni_cpu_runs_v256},
#endif
#ifdef BSONIC_HAS_V128
    {&bsni_tier_v128, bsni_cpu_runs_v128},
#endif
    {&bsni_tier_scalar, runs_everywhere},
};
const size_t bsni_tier_count = sizeof bsni_tiers / sizeof bsni_tiers[0];

_Atomic(const bsn_kernels *) bsni_kernels_chosen;

/* Threads that come here at once all choose the same. */
const bsn_kernels *bsni_kernels_choose(void)
{
    size_t i = 0;
    while (!bsni_tiers[i].runs()) i++;
    atomic_store_explicit(&bsni_kernels_chosen, bsni_tiers[i].kernels, memory_order_relaxed);
    return bsni_tiers[i].kernels;
}

const char *bsn_tier(void)
{
    return bsni_kernels()->tier;
}

bool bsni_tier_force(const char *name)
{
    for (size_t i = 0; i < bsni_tier_count; i++) {
        if (strcmp(bsni_tiers[i].kernels->tier, name) != 0 || !bsni_tiers[i].runs()) continue;
        atomic_store_explicit(&bsni_kernels_chosen, bsni_tiers[i].kernels, memory_order_relaxed);
        return true;
    }
    return false;
}
