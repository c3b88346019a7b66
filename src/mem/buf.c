/* SPDX-License-Identifier: Apache-2.0
 *
 * buf.c -- one contiguous block that grows by half of itself, or to exactly what is asked for when that is more.
 */
#include "base/debug.h"

#include <bsonic/detail/len.h>
#include <bsonic/mem.h>

/* The first block: small enough for a single small document, large enough not to grow five times for it. */
#define CAP_FIRST 64

void bsn_buf_init(bsn_buf *buf, const bsn_alloc *alloc)
{
    const bsn_buf empty = {.alloc = alloc};
    *buf = empty;
}

void bsn_buf_free(bsn_buf *buf)
{
    bsn_alloc_resize(buf->alloc, buf->ptr, buf->cap, 0);
    bsn_buf_init(buf, buf->alloc);
}

/* What to grow to for `needed` bytes, which are at most PTRDIFF_MAX. */
static size_t next_cap(size_t cap, size_t needed)
{
    const size_t half_more =
        cap > (size_t)PTRDIFF_MAX - cap / 2 ? (size_t)PTRDIFF_MAX : cap + cap / 2;
    const size_t next = needed > half_more ? needed : half_more;
    return next < CAP_FIRST ? CAP_FIRST : next;
}

bsn_status bsn_buf_reserve(bsn_buf *buf, size_t extra)
{
    BSN_ASSERT(buf->len <= buf->cap);
    if (extra <= buf->cap - buf->len) return BSN_OK;
    size_t needed;
    if (!bsn_len_add(buf->len, extra, &needed) || needed > (size_t)PTRDIFF_MAX) return BSN_E_SIZE;
    const size_t cap = next_cap(buf->cap, needed);
    uint8_t *ptr = bsn_alloc_resize(buf->alloc, buf->ptr, buf->cap, cap);
    if (ptr == NULL) return BSN_E_NOMEM;
    buf->ptr = ptr;
    buf->cap = cap;
    return BSN_OK;
}

bsn_status bsn_buf_append(bsn_buf *buf, bsn_bytes bytes)
{
    const bsn_status status = bsn_buf_reserve(buf, bytes.len);
    if (status != BSN_OK) return status;
    if (bytes.len != 0) memcpy(buf->ptr + buf->len, bytes.ptr, bytes.len);
    buf->len += bytes.len;
    return BSN_OK;
}
