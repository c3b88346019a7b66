/* SPDX-License-Identifier: Apache-2.0
 *
 * fields.h -- what the walker asks about the current element of a reply, whose key and type it knows.
 */
#ifndef BSNI_WIRE_FIELDS_H
#define BSNI_WIRE_FIELDS_H

#include <bsonic/wire.h>

/* Takes note of ok and code, fields of the body whose value is of fixed size. */
void bsni_note_outcome(bsn_envelope *env, const uint8_t *value);

/* Takes note of the cursor's id. Returns what is wrong with it, or NULL. */
const char *bsni_note_cursor_id(bsn_envelope *env, const uint8_t *value);

/* What is wrong with the type of a field that must be what it is called, or with its coming twice; or NULL. */
const char *bsni_check_shape(const bsn_envelope *env, bool in_cursor);

#endif
