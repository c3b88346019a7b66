/* SPDX-License-Identifier: Apache-2.0
 *
 * get.h -- the value of the element that an iterator stands on, as the C type that is wanted. Two families:
 *
 *   bsn_get_*   strict: the element has exactly this type, or it is BSN_E_MISMATCH
 *   bsn_as_*    coercing: any type that says the same thing, by the rule stated at each; never a value that is not equal
 *
 *   bsn_iter it;
 *   int64_t total;
 *   if (bsn_find_path(doc, BSN_STR("order.lines.0.total"), &it, &err) == BSN_OK && bsn_as_int64(&it, &total) == BSN_OK) ...
 *
 * Returns  BSN_OK with the value set; any other status leaves it alone. The iterator is not moved and takes no harm: a value that
 *          does not fit is the caller's to judge, and the walk may go on.
 * Errors   BSN_E_MISMATCH  another type; no current element            BSN_E_RANGE  the right kind, but no equal value (bsn_as_*)
 * Memory   Text, bytes and documents are views, as those of bsn_iter_value.
 */
#ifndef BSONIC_GET_H
#define BSONIC_GET_H

#include <bsonic/doc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ strict */

BSN_API BSN_MUST_CHECK bsn_status bsn_get_double(const bsn_iter *it, double *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_string(const bsn_iter *it, bsn_str *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_document(const bsn_iter *it, bsn_doc *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_array(const bsn_iter *it, bsn_doc *value);
/* subtype may be NULL. */
BSN_API BSN_MUST_CHECK bsn_status bsn_get_binary(const bsn_iter *it, bsn_bytes *value, uint8_t *subtype);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_oid(const bsn_iter *it, bsn_oid *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_boolean(const bsn_iter *it, bool *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_date(const bsn_iter *it, int64_t *milliseconds);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_regex(const bsn_iter *it, bsn_regex *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_dbpointer(const bsn_iter *it, bsn_dbpointer *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_code(const bsn_iter *it, bsn_str *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_symbol(const bsn_iter *it, bsn_str *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_code_scope(const bsn_iter *it, bsn_code_scope *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_int32(const bsn_iter *it, int32_t *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_timestamp(const bsn_iter *it, bsn_timestamp *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_int64(const bsn_iter *it, int64_t *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_get_decimal128(const bsn_iter *it, bsn_decimal128 *value);

/* ------------------------------------------------------------------ coercing */

/* Any of the four number types that is a whole number in range: int32 5, int64 5, double 5.0 (-0.0 is 0), decimal128 5.00.
 * BSN_E_RANGE for 5.5, NaN, infinities, and what is beyond the range. */
BSN_API BSN_MUST_CHECK bsn_status bsn_as_int64(const bsn_iter *it, int64_t *value);
BSN_API BSN_MUST_CHECK bsn_status bsn_as_int32(const bsn_iter *it, int32_t *value);

/* int32, int64 and double. BSN_E_RANGE for an int64 that no double equals (2^53 + 1). A decimal128 is BSN_E_MISMATCH: few have an
 * equal double; take its text instead. */
BSN_API BSN_MUST_CHECK bsn_status bsn_as_double(const bsn_iter *it, double *value);

/* What a server takes as true: a boolean by its value, a number (all four types) when it is not zero, NaN included; null and
 * undefined are false. Other types are BSN_E_MISMATCH. */
BSN_API BSN_MUST_CHECK bsn_status bsn_as_boolean(const bsn_iter *it, bool *value);

/* The text of a string, symbol or code (without scope). */
BSN_API BSN_MUST_CHECK bsn_status bsn_as_text(const bsn_iter *it, bsn_str *value);

#ifdef __cplusplus
}
#endif
#endif
