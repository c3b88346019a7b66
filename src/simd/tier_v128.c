/* SPDX-License-Identifier: Apache-2.0
 *
 * tier_v128.c -- the tier of 16-byte vectors: SSE4 with its byte shuffle, or NEON.
 */
#define TIER v128
#define VEC_BYTES 16
#include "simd/tier.h"
