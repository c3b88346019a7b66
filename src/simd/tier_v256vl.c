/* SPDX-License-Identifier: Apache-2.0
 *
 * tier_v256vl.c -- vectors of 32 bytes on CPUs that have AVX-512 for them: any three operands in one instruction, and 32 registers.
 */
#define TIER v256vl
#define VEC_BYTES 32
#include "simd/tier.h"
