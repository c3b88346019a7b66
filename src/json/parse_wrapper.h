/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_wrapper.h -- what wrappers and their legacy forms share. All move a cursor *p over the window; it stays within.
 */
#ifndef BSNI_PARSE_WRAPPER_H
#define BSNI_PARSE_WRAPPER_H

#include "json/parser.h"

/* Skips blanks; TOKEN_OK when something stands there. */
bsni_token bsni_wrapper_look(bsn_json_parser *j, const uint8_t **p, const char *detail);

/* Takes one byte, blanks before it. */
bsni_token bsni_wrapper_expect(bsn_json_parser *j, const uint8_t **p, uint8_t byte,
                               const char *detail);

/* Takes a string, blanks before it. */
bsni_token bsni_wrapper_string(bsn_json_parser *j, const uint8_t **p, bsni_text_kind kind,
                               bsni_slot *slot);

/* Takes a key and its colon. */
bsni_token bsni_wrapper_key(bsn_json_parser *j, const uint8_t **p, const char *detail,
                            bsni_slot *key);

/* Write a whole value, from texts that were taken. */
bsni_token bsni_put_binary(bsn_json_parser *j, const bsni_slot *base64, const bsni_slot *subtype);
bsni_token bsni_put_regex(bsn_json_parser *j, const bsni_slot *pattern, const bsni_slot *options);

/* ---- parse_legacy.c ---- */

/* {"$date": 1356351330501}, from the number on. */
bsni_token bsni_legacy_date(bsn_json_parser *j, const uint8_t **p);

/* The forms of version 1 that have two strings, from the first key on, a '{' in front of it. OBJECT_DOCUMENT: it is none of them. */
bsni_object bsni_legacy_object(bsn_json_parser *j, const uint8_t *p);

#endif
