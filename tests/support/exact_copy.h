/* SPDX-License-Identifier: Apache-2.0
 *
 * exact_copy.h -- bytes in a heap block of exactly their size, so that the address sanitizer sees a read past them.
 */
#ifndef TESTS_SUPPORT_EXACT_COPY_H
#define TESTS_SUPPORT_EXACT_COPY_H

#include <bsonic/base.h>

#include <check.h>

#include <stdlib.h>
#include <string.h>

/* The caller frees the result, which has `len` bytes; of no bytes too. */
static inline uint8_t *exact_copy(const void *bytes, size_t len)
{
    uint8_t *copy = malloc(len);
    if (copy == NULL && len != 0) ck_abort_msg("out of memory");
    if (len != 0) memcpy(copy, bytes, len);
    return copy;
}

#endif
