/* SPDX-License-Identifier: Apache-2.0
 *
 * list.h -- lists that grow by doubling, whatever their items are.
 */
#ifndef SERVE_LIST_H
#define SERVE_LIST_H

#include <bsonic/detail/len.h>
#include <bsonic/mem.h>

#define SERVE_LIST_FIRST 16

/* Makes a list with room for *cap items of `size` bytes hold more: twice as many, SERVE_LIST_FIRST at first. Returns where it lies
 * now, with *cap set; NULL when memory is refused, and the list is as it was. */
static inline void *serve_list_grow(const bsn_alloc *alloc, void *list, size_t *cap, size_t size)
{
    size_t more = SERVE_LIST_FIRST, len;
    if (*cap > 0 && !bsn_len_mul(*cap, 2, &more)) return NULL;
    if (!bsn_len_mul(more, size, &len)) return NULL;
    void *grown = bsn_alloc_resize(alloc, list, *cap * size, len);
    if (grown != NULL) *cap = more;
    return grown;
}

/* Frees it. */
static inline void serve_list_free(const bsn_alloc *alloc, void *list, size_t cap, size_t size)
{
    if (list != NULL) bsn_alloc_resize(alloc, list, cap * size, 0);
}

#endif
