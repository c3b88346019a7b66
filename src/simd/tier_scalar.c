/* SPDX-License-Identifier: Apache-2.0
 *
 * tier_scalar.c -- the tier that runs everywhere: plain C, 8 bytes at a time.
 */
#define TIER scalar
#define VEC_BYTES 0
#include "simd/tier.h"
