/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch.h -- the tiers that this build has. Users of kernels want simd.h.
 */
#ifndef BSNI_DISPATCH_H
#define BSNI_DISPATCH_H

#include "simd/kernels.h"

#include <stdbool.h>

typedef struct bsni_tier {
    const bsn_kernels *kernels;
    bool (*runs)(void); /* whether this CPU can run them */
} bsni_tier;

/* All tiers, the best first; the last one runs everywhere. */
extern const bsni_tier bsni_tiers[];
extern const size_t bsni_tier_count;

extern const bsn_kernels bsni_tier_scalar;
extern const bsn_kernels bsni_tier_v128;
extern const bsn_kernels bsni_tier_v256;
extern const bsn_kernels bsni_tier_v256vl;

/* Makes the tier of this name the chosen one, for tests. False when this build or this CPU has none of that name. */
bool bsni_tier_force(const char *name);

#endif
