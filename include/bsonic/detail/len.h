/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/len.h -- the only place where lengths are computed or narrowed. True means: it fits, and the result is set.
 */
#ifndef BSONIC_DETAIL_LEN_H
#define BSONIC_DETAIL_LEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An int32 length field into *len. False if it is below `least` (negative included). */
static inline bool bsn_len_from_i32(int32_t field, int32_t least, size_t *len)
{
    if (field < 0 || field < least) return false;
    *len = (size_t)field;
    return true;
}

/* A length as an int32 field. False above 2^31 - 1. */
static inline bool bsn_len_to_i32(size_t len, int32_t *field)
{
    if (len > (size_t)INT32_MAX) return false;
    *field = (int32_t)len;
    return true;
}

static inline bool bsn_len_add(size_t a, size_t b, size_t *sum)
{
    if (a > SIZE_MAX - b) return false;
    *sum = a + b;
    return true;
}

static inline bool bsn_len_mul(size_t a, size_t b, size_t *product)
{
    if (b != 0 && a > SIZE_MAX / b) return false;
    *product = a * b;
    return true;
}

#endif
