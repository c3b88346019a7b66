/* SPDX-License-Identifier: Apache-2.0
 *
 * out.c -- the one sink of writers and printers: what its three kinds have in common, and the two simple ones. See out.h.
 *
 * Fixed storage. storage[0..min(len, cap)) always holds what was written, to the byte, although callers may reserve more
 * than they use: when less is left than was reserved, they get scratch, and `settle_fixed` moves what they used of it to the
 * storage, as far as it goes in. So storage of exactly the right size is enough, and what does not fit is only counted.
 */
#include "mem/out.h"
#include "base/debug.h"
#include "mem/poison.h"

#define BLOCK_SIZE_DEFAULT ((size_t)64 << 10)

static uint64_t saturated_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------------ fixed */

static size_t fixed_cap(const bsn_out *out)
{
    return (size_t)(out->total_max - out->origin);
}

/* Where writing goes on when the output has `total` bytes: in the storage if it has room for `len` more, else in scratch. */
static void resume_fixed(bsn_out *out, uint64_t total, size_t len)
{
    const uint64_t offset = total - out->origin;
    const size_t cap = fixed_cap(out);
    if (offset > cap || len > cap - (size_t)offset) {
        bsni_out_to_scratch(out, total);
        return;
    }
    out->base = out->storage;
    out->cur = out->storage + (size_t)offset;
    out->end = out->storage + cap;
    out->total_before = out->origin;
}

/* Copies bytes to where they belong, as far as there is storage. */
static void fill_fixed(bsn_out *out, uint64_t total, const uint8_t *ptr, size_t len)
{
    const uint64_t offset = total - out->origin;
    const size_t cap = fixed_cap(out);
    if (offset >= cap) return;
    const size_t part = (size_t)smaller(len, cap - offset);
    if (part != 0) memcpy(out->storage + (size_t)offset, ptr, part);
}

/* Moves what is staged in scratch to the storage. */
static void settle_fixed(bsn_out *out)
{
    if (out->status != BSN_OK || out->base != out->scratch) return;
    const size_t staged = (size_t)(out->cur - out->base);
    fill_fixed(out, out->total_before, out->scratch, staged);
    resume_fixed(out, out->total_before + staged, 0);
}

static void append_fixed(bsn_out *out, const uint8_t *ptr, size_t len)
{
    settle_fixed(out);
    const uint64_t total = bsn_out_len(out);
    fill_fixed(out, total, ptr, len);
    resume_fixed(out, total + len, 0);
}

static void patch_fixed(bsn_out *out, uint64_t total, int32_t value)
{
    uint8_t bytes[4];
    settle_fixed(out);
    bsn_store_i32(bytes, value);
    fill_fixed(out, total, bytes, sizeof bytes);
}

/* ------------------------------------------------------------------ buffer */

static size_t buffer_len(const bsn_out *out)
{
    return (size_t)(bsn_out_len(out) - out->origin);
}

/* Brings buf->len up to date. */
static void settle_buffer(bsn_out *out)
{
    out->buf->len = out->buf_start + buffer_len(out);
}

/* Writing goes on behind the first `len` bytes. */
static void resume_buffer(bsn_out *out, size_t len)
{
    bsn_buf *buf = out->buf;
    buf->len = out->buf_start + len;
    if (buf->ptr == NULL) {
        bsni_out_no_room(out, out->origin);
        return;
    }
    out->base = buf->ptr + out->buf_start;
    out->cur = out->base + len;
    out->end = buf->ptr + buf->cap;
    out->total_before = out->origin;
}

static void grow_buffer(bsn_out *out, size_t extra)
{
    settle_buffer(out);
    const size_t len = buffer_len(out);
    const bsn_status status = bsn_buf_reserve(out->buf, extra);
    if (status != BSN_OK) {
        bsni_out_fail(out, status);
        return;
    }
    resume_buffer(out, len);
}

bool bsni_out_grow(bsn_out *out, size_t used, size_t room)
{
    if (out->kind == OUT_FIXED || out->status != BSN_OK) return false;
    if (out->kind == OUT_POOLED) return bsni_pooled_grow(out, used, room);
    const bsn_out_mark before = bsn_out_get_mark(out);
    out->cur += used;
    grow_buffer(out, room);
    if (out->status != BSN_OK) {
        bsn_out_rollback(out, before); /* what has not been taken is no output */
        return false;
    }
    out->cur -= used;
    return true;
}

static void append_buffer(bsn_out *out, const uint8_t *ptr, size_t len)
{
    grow_buffer(out, len);
    if (out->status != BSN_OK) return;
    if (len != 0) memcpy(out->cur, ptr, len);
    out->cur += len;
}

/* Only a failed output comes here: before, all of a buffer lies between base and cur. */
static void patch_buffer(bsn_out *out, uint64_t total, int32_t value)
{
    bsn_store_i32(out->buf->ptr + out->buf_start + (size_t)(total - out->origin), value);
}

/* ------------------------------------------------------------------ init, free, clear */

static void init(bsn_out *out, uint8_t kind)
{
    /* Field by field: a literal would clear scratch as well. */
    out->total_max = UINT64_MAX;
    out->total_sent = 0;
    out->status = BSN_OK;
    out->kind = kind;
    out->storage = NULL;
    out->origin = 0;
    out->buf = NULL;
    out->buf_start = 0;
    out->pool = NULL;
    out->block_size = 0;
    out->segments = NULL;
    out->segment_first = 0;
    out->segment_count = 0;
    out->segment_cap = 0;
    bsni_out_no_room(out, 0);
}

void bsn_out_init_pool(bsn_out *out, bsn_pool *pool, size_t block_size)
{
    BSN_ASSERT(pool != NULL);
    init(out, OUT_POOLED);
    out->pool = pool;
    out->block_size = block_size == 0 ? BLOCK_SIZE_DEFAULT : block_size;
}

void bsn_out_init_buf(bsn_out *out, bsn_buf *buf)
{
    BSN_ASSERT(buf != NULL);
    init(out, OUT_BUFFER);
    out->buf = buf;
    out->buf_start = buf->len;
    resume_buffer(out, 0);
}

void bsn_out_init_fixed(bsn_out *out, void *storage, size_t cap)
{
    BSN_ASSERT(storage != NULL || cap == 0);
    init(out, OUT_FIXED);
    out->storage = storage == NULL ? out->scratch : storage;
    out->total_max = cap;
    resume_fixed(out, 0, 0);
}

void bsn_out_free(bsn_out *out)
{
    switch (out->kind) {
    case OUT_POOLED:
        bsni_pooled_free(out);
        bsn_out_init_pool(out, out->pool, out->block_size);
        return;
    case OUT_BUFFER:
        settle_buffer(out);
        bsn_out_init_buf(out, out->buf);
        return;
    default:
        settle_fixed(out);
        bsn_out_clear(out);
        return;
    }
}

static void clear_buffer(bsn_out *out)
{
    out->origin = 0;
    resume_buffer(out, 0);
}

static void clear_fixed(bsn_out *out)
{
    out->total_max -= out->origin;
    out->origin = 0;
    resume_fixed(out, 0, 0);
}

void bsn_out_clear(bsn_out *out)
{
    if (out->kind == OUT_POOLED) {
        bsni_pooled_clear(out);
        return;
    }
    out->status = BSN_OK;
    out->total_sent = 0;
    if (out->kind == OUT_BUFFER) {
        clear_buffer(out);
    } else {
        clear_fixed(out);
    }
}

/* ------------------------------------------------------------------ writing */

uint8_t *bsn_out_reserve_slow(bsn_out *out, size_t len)
{
    BSN_ASSERT(len <= BSN_OUT_RESERVE_MAX);
    if (out->status != BSN_OK) {
        bsni_out_to_scratch(out, out->total_before);
        return out->cur;
    }
    switch (out->kind) {
    case OUT_POOLED: bsni_pooled_next_block(out); break;
    case OUT_BUFFER: grow_buffer(out, BSN_OUT_RESERVE_MAX); break;
    default:
        settle_fixed(out);
        resume_fixed(out, bsn_out_len(out), len);
        break;
    }
    return out->cur;
}

/* False, and the output has failed, when its length would not fit 64 bits. */
static bool total_fits(bsn_out *out, size_t len)
{
    if (len <= UINT64_MAX - bsn_out_len(out)) return true;
    if (out->kind == OUT_FIXED) settle_fixed(out);
    bsni_out_fail(out, BSN_E_SIZE);
    return false;
}

void bsn_out_append_slow(bsn_out *out, const void *ptr, size_t len)
{
    if (out->status != BSN_OK || !total_fits(out, len)) return;
    const bsn_out_mark before = bsn_out_get_mark(out);
    switch (out->kind) {
    case OUT_POOLED: bsni_pooled_append(out, ptr, len); break;
    case OUT_BUFFER: append_buffer(out, ptr, len); break;
    default: append_fixed(out, ptr, len); break;
    }
    if (out->status != BSN_OK) bsn_out_rollback(out, before);
}

void bsn_out_append_ref(bsn_out *out, bsn_bytes bytes)
{
    if (out->kind != OUT_POOLED || bytes.len < BSN_OUT_REF_MIN) {
        bsn_out_append(out, bytes.ptr, bytes.len);
    } else if (out->status == BSN_OK && total_fits(out, bytes.len)) {
        bsni_pooled_append_ref(out, bytes);
    }
}

void bsn_out_patch_slow(bsn_out *out, bsn_out_mark slot, int32_t value)
{
    /* One that was made after an error has no place. */
    if (out->status != BSN_OK && slot.total >= out->total_before) return;
    const uint64_t len = bsn_out_len(out);
    const bool is_there = slot.total >= out->total_sent && slot.total >= out->origin && len >= 4 &&
                          slot.total <= len - 4;
    BSN_ASSERT(is_there);
    if (!is_there) return;
    switch (out->kind) {
    case OUT_POOLED: bsni_pooled_patch(out, slot.total, value); return;
    case OUT_BUFFER: patch_buffer(out, slot.total, value); return;
    default: patch_fixed(out, slot.total, value); return;
    }
}

void bsn_out_rollback(bsn_out *out, bsn_out_mark mark)
{
    if (out->kind == OUT_FIXED) settle_fixed(out);
    BSN_ASSERT(mark.total >= out->total_sent);
    BSN_ASSERT(mark.total <= bsn_out_len(out));
    if (mark.total < out->total_sent || mark.total >= bsn_out_len(out)) return;
    if (out->kind == OUT_POOLED) {
        bsni_pooled_rollback(out, mark.total);
    } else if (out->status != BSN_OK) {
        bsni_out_to_scratch(out, mark.total);
    } else if (out->kind == OUT_BUFFER) {
        resume_buffer(out, (size_t)(mark.total - out->origin));
    } else {
        resume_fixed(out, mark.total, 0);
    }
}

/* ------------------------------------------------------------------ reading and sending */

uint64_t bsn_out_unsent(const bsn_out *out)
{
    return smaller(bsn_out_len(out), out->total_max) - out->total_sent;
}

/* The unsent output of a buffer or of fixed storage: one piece. */
static bsn_iovec piece(bsn_out *out)
{
    bsn_iovec iov = {out->scratch, (size_t)bsn_out_unsent(out)};
    const size_t offset = (size_t)(out->total_sent - out->origin);
    if (out->kind == OUT_FIXED) {
        settle_fixed(out);
        iov.ptr = out->storage + offset;
    } else {
        settle_buffer(out);
        if (out->buf->ptr != NULL) iov.ptr = out->buf->ptr + out->buf_start + offset;
    }
    return iov;
}

size_t bsn_out_iovecs(bsn_out *out, bsn_iovec *iov, size_t max)
{
    if (out->kind == OUT_POOLED) return bsni_pooled_iovecs(out, iov, max);
    if (max == 0 || bsn_out_unsent(out) == 0) return 0;
    iov[0] = piece(out);
    return 1;
}

bool bsn_out_view(bsn_out *out, bsn_bytes *view)
{
    bsn_iovec iov[2];
    if (bsn_out_status(out) != BSN_OK) return false;
    if (out->kind == OUT_BUFFER) settle_buffer(out);
    const size_t count = bsn_out_iovecs(out, iov, 2);
    if (count > 1) return false;
    view->ptr = count == 0 ? out->scratch : iov[0].ptr;
    view->len = count == 0 ? 0 : iov[0].len;
    return true;
}

static void rewind_buffer(bsn_out *out)
{
    bsni_scramble(out->base, (size_t)(out->cur - out->base));
    out->origin = out->total_sent;
    resume_buffer(out, 0);
}

static void rewind_fixed(bsn_out *out)
{
    const size_t cap = fixed_cap(out);
    bsni_scramble(out->storage, (size_t)(out->total_sent - out->origin));
    out->origin = out->total_sent;
    out->total_max = saturated_sum(out->origin, cap);
    resume_fixed(out, out->origin, 0);
}

void bsn_out_sent(bsn_out *out, uint64_t len)
{
    BSN_ASSERT(len <= bsn_out_unsent(out));
    if (out->kind == OUT_FIXED) settle_fixed(out);
    out->total_sent += smaller(len, bsn_out_unsent(out));
    if (out->kind == OUT_POOLED) {
        bsni_pooled_sent(out);
    } else if (out->status == BSN_OK && out->total_sent == bsn_out_len(out)) {
        if (out->kind == OUT_BUFFER) {
            rewind_buffer(out);
        } else {
            rewind_fixed(out);
        }
    }
}
