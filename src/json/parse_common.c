/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_common.c -- the parser's quick way, for every machine.
 */
#define PARSE_COMMON bsni_parse_common
#include "json/parse_common.h"
