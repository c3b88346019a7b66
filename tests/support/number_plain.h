/* SPDX-License-Identifier: Apache-2.0
 *
 * number_plain.h -- src/json/number.h once more, built without 128-bit integers and bit-counting instructions, as 32-bit
 * targets build it, so that tests can compare the two.
 */
#ifndef TESTS_SUPPORT_NUMBER_PLAIN_H
#define TESTS_SUPPORT_NUMBER_PLAIN_H

#include "json/number.h"

size_t plain_double_to_text(double value, char text[BSNI_DOUBLE_TEXT_MAX]);
size_t plain_int64_to_text(int64_t value, char text[BSNI_INTEGER_TEXT_MAX]);
size_t plain_uint64_to_text(uint64_t value, char text[BSNI_INTEGER_TEXT_MAX]);
bsn_status plain_number_take(bsn_str text, bsni_number *number);
bsn_status plain_double_from_text(bsn_str text, double *value);
bsn_status plain_int32_from_text(bsn_str text, int32_t *value);
bsn_status plain_int64_from_text(bsn_str text, int64_t *value);

#endif
