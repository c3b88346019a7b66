/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_common_wide.c -- the parser's quick way, for machines whose tier is wide (simd/kernels.h).
 */
#define PARSE_COMMON bsni_parse_common_wide
#include "json/parse_common.h"
