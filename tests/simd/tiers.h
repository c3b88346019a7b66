/* SPDX-License-Identifier: Apache-2.0
 *
 * tiers.h -- for tests of kernels, which run once for each tier.
 */
#ifndef TESTS_SIMD_TIERS_H
#define TESTS_SIMD_TIERS_H

#include "simd/dispatch.h"
#include "support/skip.h"

#include <check.h>

/* The kernels of the tier with this index; NULL, and said so, when this CPU cannot run it. */
static inline const bsn_kernels *tier_kernels(int index)
{
    const bsni_tier *tier = &bsni_tiers[index];
    if (tier->runs()) return tier->kernels;
    test_skip(tier->kernels->tier, "this CPU cannot run the tier");
    return NULL;
}

/* Adds a test that looks at tier number _i. */
#define ADD_TIER_TEST(tests, test) tcase_add_loop_test(tests, test, 0, (int)bsni_tier_count)

#endif
