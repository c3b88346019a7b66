/* SPDX-License-Identifier: Apache-2.0
 *
 * validate.h -- what validation does for iterators.
 */
#ifndef BSNI_VALIDATE_H
#define BSNI_VALIDATE_H

#include <bsonic/base.h>

/* The first structural fault of the container at `container`, whose last byte, next[-1], is not 0x00: so there is one. Its
 * length has been checked; it would be nested `depth` deep. *at gets the fault's place.
 *
 * Follows BSN_DEPTH_DEFAULT levels below it; what is nested deeper is BSN_E_DEPTH also where depth_max allows more, since
 * that would take memory, and iterators have none. */
bsn_status bsni_validate_unended(const uint8_t *container, const uint8_t *next, uint32_t depth,
                                 uint32_t depth_max, const uint8_t **at);

#endif
