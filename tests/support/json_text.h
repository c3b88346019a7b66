/* SPDX-License-Identifier: Apache-2.0
 *
 * json_text.h -- strict JSON for tests: is a text JSON, and do two texts say the same?
 *
 * The same means: the same objects with the same keys in the same order (duplicates too), the same strings once their escapes
 * are undone, the same numbers. A number with a fraction or an exponent is another thing than one without; spelling apart
 * (1.5E+3, 1500.0), such numbers are equal when they are the same double, bit by bit. So are the strings of "$numberDouble".
 */
#ifndef TESTS_SUPPORT_JSON_TEXT_H
#define TESTS_SUPPORT_JSON_TEXT_H

#include <bsonic/base.h>

/* True when the whole text is one JSON value [RFC 8259] in UTF-8, blanks around it allowed. Escapes of lone surrogates are
 * refused: they have no UTF-8 form. On false *offset (may be NULL) is where it stopped. */
bool json_is_sound(bsn_str text, size_t *offset);

/* True when both texts are sound and say the same. On false why[0..why_size) says where they part. */
bool json_same(bsn_str a, bsn_str b, char *why, size_t why_size);

#endif
