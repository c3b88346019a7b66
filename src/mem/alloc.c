/* SPDX-License-Identifier: Apache-2.0
 *
 * alloc.c -- the only caller of libc's malloc family.
 */
#include "base/debug.h"

#include <bsonic/mem.h>

#include <stdlib.h>

/* realloc with a size of 0 means something else in every libc, so freeing is spelt out. */
static void *libc_resize(void *ptr, size_t new_len)
{
    if (new_len == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_len);
}

void *bsn_alloc_resize(const bsn_alloc *alloc, void *ptr, size_t old_len, size_t new_len)
{
    BSN_ASSERT((ptr == NULL) == (old_len == 0));
    if (alloc == NULL) return libc_resize(ptr, new_len);
    return alloc->resize(alloc->ctx, ptr, old_len, new_len);
}
