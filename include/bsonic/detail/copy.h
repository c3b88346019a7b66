/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/copy.h -- short runs of bytes copied without a call, in moves of fixed sizes that may overlap: at the front and at the end.
 * In between, those at 16 and 32 are moved wherever the end is: few branches on the length, which is what a processor cannot
 * foresee. Nothing outside of the run is read or written.
 */
#ifndef BSONIC_DETAIL_COPY_H
#define BSONIC_DETAIL_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What bsn_copy_short is for. */
#define BSN_COPY_SHORT_MAX 128

/* Copies 16 to 64 bytes. */
static inline void bsn_copy_16_to_64(uint8_t *to, const uint8_t *from, size_t n)
{
    const size_t last = n - 16;
    const size_t second = last < 16 ? last : 16;
    const size_t third = last < 32 ? last : 32;
    memcpy(to, from, 16);
    memcpy(to + second, from + second, 16);
    memcpy(to + third, from + third, 16);
    memcpy(to + last, from + last, 16);
}

/* Copies up to BSN_COPY_SHORT_MAX bytes; the spans do not overlap. */
static inline void bsn_copy_short(uint8_t *to, const uint8_t *from, size_t n)
{
    if (n > 64) {
        memcpy(to, from, 64);
        memcpy(to + n - 64, from + n - 64, 64);
    } else if (n >= 16) {
        bsn_copy_16_to_64(to, from, n);
    } else if (n >= 8) {
        memcpy(to, from, 8);
        memcpy(to + n - 8, from + n - 8, 8);
    } else if (n >= 4) {
        memcpy(to, from, 4);
        memcpy(to + n - 4, from + n - 4, 4);
    } else if (n != 0) {
        to[0] = from[0];
        to[n / 2] = from[n / 2];
        to[n - 1] = from[n - 1];
    }
}

#endif
