/* SPDX-License-Identifier: Apache-2.0
 *
 * number_plain.c -- the sources of src/json/number.h in their plain form, under other names.
 */
#define BSNI_WIDE_PLAIN
#define BSNI_NUMBER_PLAIN /* no floating-point arithmetic either */

#define bsni_double_to_text plain_double_to_text
#define bsni_int64_to_text plain_int64_to_text
#define bsni_uint64_to_text plain_uint64_to_text
#define bsni_number_take plain_number_take
#define bsni_double_from_text plain_double_from_text
#define bsni_int32_from_text plain_int32_from_text
#define bsni_int64_from_text plain_int64_from_text

#include "support/number_plain.h"

/* NOLINTBEGIN(bugprone-suspicious-include): it is the point of this file. */
#include "json/number_print.c"
#include "json/number_read.c"
/* NOLINTEND(bugprone-suspicious-include) */
