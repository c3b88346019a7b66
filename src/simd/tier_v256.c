/* SPDX-License-Identifier: Apache-2.0
 *
 * tier_v256.c -- the tier of 32-byte vectors: AVX2.
 */
#define TIER v256
#define VEC_BYTES 32
#include "simd/tier.h"
