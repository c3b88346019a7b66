/* SPDX-License-Identifier: Apache-2.0
 *
 * out.h -- what the files of bsn_out share. bsn_out counts in totals: bytes since init or clear, so that a place in the output
 * is one number, whatever happens to the memory under it.
 *
 *   base      cur      end        total of cur = total_before + (cur - base)
 *   | written | room   |
 *
 * `base` is in the current segment (pooled), in the block (buffer), in the storage (fixed), or it is `scratch`:
 *   - pooled and buffer without any memory yet, or behind a reference: cur == base == end, so the next write comes here;
 *   - fixed, when what is left of the storage is shorter than what was reserved: scratch is a stage, settled later;
 *   - after a hard error: whatever is written there is forgotten, and total_before stands still.
 */
#ifndef BSNI_OUT_H
#define BSNI_OUT_H

#include <bsonic/mem.h>

enum { OUT_POOLED, OUT_BUFFER, OUT_FIXED };

/* A piece of pooled output. One block can hold several, with references between them:
 *
 *   segments   | A: block 1, 0..900 | R: 70 KB of the caller's | B: block 1, 900.. | C: block 2 ..
 */
struct bsn_out_segment {
    uint64_t start;     /* total in front of it */
    const uint8_t *ptr; /* its bytes */
    /* Of the current segment (the last, if it lies in a block) only right after a settle. */
    size_t len;
    uint8_t *block; /* the block it lies in; NULL: a reference */
    size_t block_size;
};

/* No room: the next write goes through a slow function. */
static inline void bsni_out_no_room(bsn_out *out, uint64_t total)
{
    out->base = out->cur = out->end = out->scratch;
    out->total_before = total;
}

/* Room that is no storage. */
static inline void bsni_out_to_scratch(bsn_out *out, uint64_t total)
{
    bsni_out_no_room(out, total);
    out->end = out->scratch + sizeof out->scratch;
}

/* The first hard error. What is written stands (settled before), everything later goes to scratch. */
static inline void bsni_out_fail(bsn_out *out, bsn_status status)
{
    const uint64_t total = bsn_out_len(out);
    out->status = status;
    bsni_out_to_scratch(out, total);
}

/* Makes room for `room` bytes behind the first `used` ones of the room that is there, which are filled and not yet advanced over, and
 * keeps these: in the buffer, or in a block that is large enough. False, and nothing has happened, for fixed storage, when the output has
 * failed, and when no block is as large. False too when it fails now: what it holds stays what it was, and the used bytes can
 * still be read where they were. */
bool bsni_out_grow(bsn_out *out, size_t used, size_t room);

/* Pooled output, out_pool.c. Each settles first; none but free, clear, rollback and those that only look is called after an error. */
void bsni_pooled_next_block(bsn_out *out);
bool bsni_pooled_grow(bsn_out *out, size_t used, size_t room);
void bsni_pooled_append(bsn_out *out, const uint8_t *ptr, size_t len);
void bsni_pooled_append_ref(bsn_out *out, bsn_bytes bytes);
void bsni_pooled_rollback(bsn_out *out, uint64_t total);
void bsni_pooled_patch(bsn_out *out, uint64_t total, int32_t value);
size_t bsni_pooled_iovecs(bsn_out *out, bsn_iovec *iov, size_t max);
void bsni_pooled_sent(bsn_out *out);
void bsni_pooled_clear(bsn_out *out);
void bsni_pooled_free(bsn_out *out);

#endif
