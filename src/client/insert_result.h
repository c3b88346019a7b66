/* SPDX-License-Identifier: Apache-2.0
 *
 * insert_result.h -- noting in a bsn_insert_result what has failed.
 */
#ifndef BSNI_INSERT_RESULT_H
#define BSNI_INSERT_RESULT_H

#include <bsonic/conn.h>

/* Counts a failure, and keeps it while there is room. */
void bsni_result_add_error(bsn_insert_result *result, const bsn_write_error *error);

/* Counts an answer's writeConcernError, and keeps the first. */
void bsni_result_add_concern(bsn_insert_result *result, int32_t code, bsn_str message);

#endif
