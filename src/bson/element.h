/* SPDX-License-Identifier: Apache-2.0
 *
 * element.h -- the size and shape of every type: the one place that judges an element. Iterators come here for what their
 * common step does not take, validation for whatever that step does not find sound, so both have one verdict.
 *
 *   | type | key | 00 | value ...            | next element, or the container's final 00
 *     ^at               ^value               ^next
 */
#ifndef BSNI_ELEMENT_H
#define BSNI_ELEMENT_H

#include <bsonic/types.h>

typedef struct bsni_element {
    const uint8_t *value;
    const uint8_t *next; /* one past the value */
    /* Document, array, scope: its length field; it ends at `next`. Else NULL. */
    const uint8_t *container;
    const uint8_t *fault; /* the byte that a fault is reported at */
    uint32_t key_len;
    uint8_t type;
} bsni_element;

/* Reads the element at `at`, which lies in front of `end`, the final 0x00 of the container (checked or not).
 *
 * Judges everything but the inside of an embedded container, to which that container's final 0x00 belongs; of its text, when
 * `utf8` asks for it, that it is UTF-8. The status is the element's first fault in byte order, with its place in
 * element->fault; nothing else in *element counts then. Within a value the order is that of doc.h, bsn_iter_error. */
bsn_status bsni_element_read(const uint8_t *at, const uint8_t *end, bool utf8,
                             bsni_element *element);

/* True when `raw` is exactly one value of this type: what bsni_element_read asks of an element's value, and that a container
 * ends in 0x00. Unknown types have no values. */
bool bsni_value_is_sound(uint8_t type, bsn_bytes raw);

/* Of the code with scope whose value starts at `value`, and which has been judged sound: its scope's length field. */
const uint8_t *bsni_element_scope(const uint8_t *value);

#endif
