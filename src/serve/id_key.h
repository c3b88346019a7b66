/* SPDX-License-Identifier: Apache-2.0
 *
 * id_key.h -- one form for all values that are equal: two `_id`s are the same when their keys are the same bytes.
 *
 *   key = kind byte, bytes
 *
 * Numbers are equal by value, whatever their type: 7, NumberLong(7), 7.0 and NumberDecimal("7.00") have one key, as have -0.0 and
 * 0, and every NaN. Any other value is its type and its bytes; so a number inside a document or array counts with its type.
 */
#ifndef SERVE_ID_KEY_H
#define SERVE_ID_KEY_H

#include <bsonic/mem.h>
#include <bsonic/types.h>

/* Bytes of a number's key, at most: kind, sign, exponent, coefficient. */
#define SERVE_NUMBER_KEY_MAX 24

/* A key: of a number in `storage`, else the value's own bytes. Do not copy it: `bytes` may point into it. */
typedef struct serve_id_key {
    uint8_t kind;
    bsn_bytes bytes;
    uint8_t storage[SERVE_NUMBER_KEY_MAX];
} serve_id_key;

/* Makes the key of a value, given as it stands in a document. Borrows raw. */
void serve_id_key_make(serve_id_key *key, bsn_type type, bsn_bytes raw);

bool serve_id_key_equal(const serve_id_key *a, const serve_id_key *b);

/* 64 well-mixed bits of it. */
uint64_t serve_id_key_hash(const serve_id_key *key);

#endif
