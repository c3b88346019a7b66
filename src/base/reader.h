/* SPDX-License-Identifier: Apache-2.0
 *
 * reader.h -- the bounded cursor: all reading of untrusted bytes goes through one. True means: it was there, and the cursor
 * has moved past it; false means: it was not, and nothing has moved.
 */
#ifndef BSNI_READER_H
#define BSNI_READER_H

#include <bsonic/base.h>
#include <bsonic/detail/le.h>
#include <bsonic/detail/len.h>

typedef struct bsni_reader {
    const uint8_t *cur; /* next byte */
    const uint8_t *end; /* one past the last */
} bsni_reader;

static inline bsni_reader bsni_reader_over(bsn_bytes bytes)
{
    /* An empty span may have no pointer, and NULL + 0 is not defined. */
    const bsni_reader r = {bytes.ptr, bytes.len == 0 ? bytes.ptr : bytes.ptr + bytes.len};
    return r;
}

static inline size_t bsni_reader_left(const bsni_reader *r)
{
    return (size_t)(r->end - r->cur);
}

/* Splits `len` bytes off the front into *out. */
static inline bool bsni_reader_take(bsni_reader *r, size_t len, bsn_bytes *out)
{
    if (len > bsni_reader_left(r)) return false; /* never r->cur + len > r->end */
    out->ptr = r->cur;
    out->len = len;
    if (len != 0) r->cur += len;
    return true;
}

static inline bool bsni_reader_u32(bsni_reader *r, uint32_t *x)
{
    bsn_bytes field;
    if (!bsni_reader_take(r, sizeof *x, &field)) return false;
    *x = bsn_load_u32(field.ptr);
    return true;
}

static inline bool bsni_reader_i32(bsni_reader *r, int32_t *x)
{
    bsn_bytes field;
    if (!bsni_reader_take(r, sizeof *x, &field)) return false;
    *x = bsn_load_i32(field.ptr);
    return true;
}

static inline bool bsni_reader_i64(bsni_reader *r, int64_t *x)
{
    bsn_bytes field;
    if (!bsni_reader_take(r, sizeof *x, &field)) return false;
    *x = bsn_load_i64(field.ptr);
    return true;
}

#endif
