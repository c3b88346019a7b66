/* SPDX-License-Identifier: Apache-2.0
 *
 * tier.h -- builds the table of one tier. A tier's .c file sets two names and includes this, once:
 *
 *   TIER        what it is called: its table is bsni_tier_<TIER>
 *   VEC_BYTES   bytes in a vector: 0 (plain C with 8-byte words), 16 or 32
 *
 * The file is compiled with the tier's flags, so nothing included here may have external linkage but the table: the linker
 * could keep this tier's copy of a function for all of them.
 */
#ifndef BSNI_TIER_H
#define BSNI_TIER_H

#if !defined(TIER) || !defined(VEC_BYTES)
#error "a tier sets TIER and VEC_BYTES"
#endif

#include "simd/dispatch.h"
#include "simd/kernels.h"

#include "simd/k_base64.h"
#include "simd/k_cstring.h"
#include "simd/k_hex.h"
#include "simd/k_json_escape.h"
#include "simd/k_json_string.h"
#include "simd/k_utf8.h"

#define TIER_STRING_(tier) #tier
#define TIER_STRING(tier) TIER_STRING_(tier)
#define TIER_TABLE_(tier) bsni_tier_##tier
#define TIER_TABLE(tier) TIER_TABLE_(tier)

#if VEC_BYTES
#define TIER_KERNEL(name, result, parameters) .name = name##_vec,
#else
#define TIER_KERNEL(name, result, parameters) .name = name##_word,
#endif

/* What BSONIC_WIDE_FLAGS ask for. */
#if VEC_BYTES == 32 && defined(__AVX2__)
#define TIER_IS_WIDE true
#else
#define TIER_IS_WIDE false
#endif

const bsn_kernels TIER_TABLE(TIER) = {
    .tier = TIER_STRING(TIER), .is_wide = TIER_IS_WIDE, BSN_KERNELS(TIER_KERNEL)};

#endif
