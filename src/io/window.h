/* SPDX-License-Identifier: Apache-2.0
 *
 * window.h -- the receive window: one block that is used over and over, and a larger one for what does not fit it.
 *
 *   | gone | here      | room                     |
 *          ^start      ^end                       ^size
 *
 * What is incomplete moves to the front before the block is filled again. An item that is longer than the block is put together
 * in the large one, which grows with what has really arrived: to twice that, and never beyond what the item needs.
 * Used by files (input.c) and connections (conn.c).
 */
#ifndef BSNI_WINDOW_H
#define BSNI_WINDOW_H

#include <bsonic/io.h>

/* Takes the block: `size` bytes. BSN_E_NOMEM; *w may be freed in any case. */
bsn_status bsni_window_init(bsn_window *w, size_t size, const bsn_alloc *alloc);
void bsni_window_free(bsn_window *w);

/* What is here. Lives until the next bsni_window_room. */
static inline bsn_bytes bsni_window_view(const bsn_window *w)
{
    bsn_bytes view = {.ptr = NULL, .len = 0};
    if (w->block == NULL) return view; /* it could not be had */
    view.ptr = w->block + w->start;
    view.len = w->end - w->start;
    return view;
}

/* Drops `len` bytes from the front: at most what is here. */
static inline void bsni_window_consume(bsn_window *w, size_t len)
{
    w->start += len;
}

/* Room behind what is here, for the item at the front, which takes `need` bytes in all: more than are here. *cap > 0.
 * BSN_E_NOMEM, and the window is as it was. */
bsn_status bsni_window_room(bsn_window *w, size_t need, uint8_t **ptr, size_t *cap);

/* `len` bytes have been put into the room. */
static inline void bsni_window_received(bsn_window *w, size_t len)
{
    w->end += len;
}

#endif
