/* SPDX-License-Identifier: Apache-2.0
 *
 * collect.h -- what the walker tells the collector about the elements of a reply's body, as it passes them by.
 */
#ifndef BSNI_WIRE_COLLECT_H
#define BSNI_WIRE_COLLECT_H

#include <bsonic/wire.h>

/* True when the current element's key is `name`, of at most 23 bytes. */
bool bsni_key_is(const bsn_envelope *env, bsn_str name);

void bsni_collect_init(bsn_envelope *env);

/* An element begins; `wanted`: it is one of the body's own. */
void bsni_collect_begin(bsn_envelope *env, bool wanted);

/* Bytes of the element go by. */
void bsni_collect(bsn_envelope *env, const uint8_t *bytes, size_t len);

/* The key has gone by. */
void bsni_collect_key_done(bsn_envelope *env);

/* A value of `len` bytes comes. */
void bsni_collect_value(bsn_envelope *env, size_t len);

/* The value has gone by. */
void bsni_collect_end(bsn_envelope *env);

/* The body has gone by. */
void bsni_collect_finish(bsn_envelope *env);

#endif
