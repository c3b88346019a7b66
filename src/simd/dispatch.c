/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch.c -- the one list of tiers and the one choice among them.
 */
#include "simd/dispatch.h"

#include "simd/simd.h"

static bool runs_everywhere(void)
{
    return true;
}

const bsni_tier bsni_tiers[] = {
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
