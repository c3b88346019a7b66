/* SPDX-License-Identifier: Apache-2.0
 *
 * window.c -- the receive window. window.h draws it.
 */
#include "io/window.h"

#include "base/debug.h"

#include <string.h>

bsn_status bsni_window_init(bsn_window *w, size_t size, const bsn_alloc *alloc)
{
    const bsn_window empty = {0};
    *w = empty;
    bsn_buf_init(&w->large, alloc);
    w->small = bsn_alloc_resize(alloc, NULL, 0, size);
    if (w->small == NULL) return BSN_E_NOMEM;
    w->small_size = size;
    w->block = w->small;
    w->size = size;
    return BSN_OK;
}

void bsni_window_free(bsn_window *w)
{
    if (w->small != NULL) bsn_alloc_resize(w->large.alloc, w->small, w->small_size, 0);
    w->small = NULL;
    bsn_buf_free(&w->large);
}

/* Moves what is here to the front of `block`, where it fits. The two may be the same. */
static void move_to(bsn_window *w, uint8_t *block, size_t size)
{
    const size_t have = w->end - w->start;
    if (have > 0) memmove(block, w->block + w->start, have);
    w->block = block;
    w->size = size;
    w->start = 0;
    w->end = have;
}

/* Makes the large block hold more than is here, for an item of `need` bytes, and moves there. */
static bsn_status move_to_large(bsn_window *w, size_t need)
{
    const size_t have = w->end - w->start;
    const size_t step = have > w->small_size ? have : w->small_size;
    const size_t want = need - have < step ? need : have + step;
    if (w->large.cap < want) {
        const bool there = w->block == w->large.ptr;
        if (there) move_to(w, w->large.ptr, w->large.cap); /* growing keeps only the front */
        w->large.len = there ? have : 0;
        const bsn_status status = bsn_buf_reserve(&w->large, want - w->large.len);
        if (status != BSN_OK) return status;
        if (there) w->block = w->large.ptr;
    }
    move_to(w, w->large.ptr, w->large.cap);
    return BSN_OK;
}

bsn_status bsni_window_room(bsn_window *w, size_t need, uint8_t **ptr, size_t *cap)
{
    const size_t have = w->end - w->start;
    BSN_ASSERT(need > have);
    if (need <= w->small_size) {
        move_to(w, w->small, w->small_size);
        *cap = w->size - have;
    } else {
        const bsn_status status = move_to_large(w, need);
        if (status != BSN_OK) return status;
        /* Not past the item: what follows it belongs into the small block again. */
        *cap = (need < w->size ? need : w->size) - have;
    }
    *ptr = w->block + w->end;
    return BSN_OK;
}
