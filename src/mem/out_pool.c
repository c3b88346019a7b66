/* SPDX-License-Identifier: Apache-2.0
 *
 * out_pool.c -- output into blocks of a pool: the list of segments. See out.h for the picture.
 *
 * segments[0..segment_first) have been sent and are gone; [segment_first..segment_count) hold the unsent output in order. The last
 * one, if it lies in a block, is the current one, which out->base, cur and end are about. A block goes back to the pool with the
 * last segment in it, whichever end of the list that segment leaves by.
 */
#include "base/debug.h"
#include "mem/out.h"
#include "mem/poison.h"

#include <bsonic/detail/len.h>

typedef struct bsn_out_segment segment;

#define SEGMENT_CAP_FIRST 8

/* ------------------------------------------------------------------ the list */

static bool is_empty(const bsn_out *out)
{
    return out->segment_first == out->segment_count;
}

static segment *last_segment(const bsn_out *out)
{
    return &out->segments[out->segment_count - 1];
}

/* The segment that is being filled, or NULL. */
static segment *current_segment(const bsn_out *out)
{
    if (out->status != BSN_OK || is_empty(out)) return NULL;
    return last_segment(out)->block != NULL ? last_segment(out) : NULL;
}

static void settle(bsn_out *out)
{
    segment *current = current_segment(out);
    if (current != NULL) current->len = (size_t)(out->cur - out->base);
}

/* Makes the last segment the one that is filled; if it is a reference, or there is none, there is no room. */
static void resume(bsn_out *out, uint64_t total)
{
    segment *current = current_segment(out);
    if (current == NULL) {
        bsni_out_no_room(out, total);
        return;
    }
    out->base = current->block + (current->ptr - current->block);
    out->cur = out->base + current->len;
    out->end = current->block + current->block_size;
    out->total_before = current->start;
}

/* Moves the live segments to the front of the array once half of it is behind them. */
static void compact(bsn_out *out)
{
    const size_t count = out->segment_count - out->segment_first;
    if (out->segment_first < count) return;
    if (count != 0) {
        BSN_ASSERT(out->segments != NULL);
        memmove(out->segments, out->segments + out->segment_first, count * sizeof *out->segments);
    }
    out->segment_first = 0;
    out->segment_count = count;
}

static bool has_room(const bsn_out *out, size_t more)
{
    return out->segment_cap - out->segment_count >= more;
}

/* Makes room for `more` segments (1 or 2); false: the output has failed. */
static bool make_room(bsn_out *out, size_t more)
{
    if (has_room(out, more)) return true;
    compact(out);
    if (has_room(out, more)) return true;
    size_t cap, old_len, new_len;
    if (!bsn_len_mul(out->segment_cap, 2, &cap)) cap = 0;
    if (cap < SEGMENT_CAP_FIRST) cap = SEGMENT_CAP_FIRST;
    if (!bsn_len_mul(cap, sizeof(segment), &new_len) ||
        !bsn_len_mul(out->segment_cap, sizeof(segment), &old_len)) {
        bsni_out_fail(out, BSN_E_SIZE);
        return false;
    }
    segment *grown = bsn_alloc_resize(out->pool->alloc, out->segments, old_len, new_len);
    if (grown == NULL) {
        bsni_out_fail(out, BSN_E_NOMEM);
        return false;
    }
    out->segments = grown;
    out->segment_cap = cap;
    return true;
}

static void push(bsn_out *out, segment pushed)
{
    out->segments[out->segment_count++] = pushed;
}

static void give_block(bsn_out *out, const segment *s)
{
    bsn_block block = {s->block, s->block_size};
    bsn_pool_give(out->pool, &block);
}

/* The block of the nearest segment in front of index i that lies in one. */
static const uint8_t *block_before(const bsn_out *out, size_t i)
{
    for (; i > out->segment_first; i--) {
        if (out->segments[i - 1].block != NULL) return out->segments[i - 1].block;
    }
    return NULL;
}

/* The same behind it. */
static const uint8_t *block_after(const bsn_out *out, size_t i)
{
    while (++i < out->segment_count) {
        if (out->segments[i].block != NULL) return out->segments[i].block;
    }
    return NULL;
}

static void pop_last(bsn_out *out)
{
    const size_t last = out->segment_count - 1;
    const segment *s = &out->segments[last];
    if (s->block != NULL && s->block != block_before(out, last)) give_block(out, s);
    out->segment_count--;
}

static void pop_first(bsn_out *out)
{
    const size_t first = out->segment_first;
    const segment *s = &out->segments[first];
    if (s->block != NULL && s->block != block_after(out, first)) give_block(out, s);
    out->segment_first++;
}

/* ------------------------------------------------------------------ writing */

/* Goes on in a new block of at least `size` bytes, behind `total`, which begins with filled[0..used). False: the output has failed. */
static bool go_on(bsn_out *out, uint64_t total, size_t size, const uint8_t *filled, size_t used)
{
    bsn_block block;
    if (!make_room(out, 1)) return false;
    const bsn_status status = bsn_pool_take(out->pool, size, &block);
    if (status != BSN_OK) {
        bsni_out_fail(out, status);
        return false;
    }
    if (used != 0) {
        const segment *current = current_segment(out);
        memcpy(block.ptr, filled, used);
        if (current != NULL && current->len == 0) pop_last(out);
    }
    const segment fresh = {total, block.ptr, 0, block.ptr, block.size};
    push(out, fresh);
    resume(out, total);
    return true;
}

void bsni_pooled_next_block(bsn_out *out)
{
    settle(out);
    (void)go_on(out, bsn_out_len(out), out->block_size, NULL, 0);
}

/* Twice what is used is asked for, so that a piece which grows is moved a few times and not often. */
bool bsni_pooled_grow(bsn_out *out, size_t used, size_t room)
{
    size_t size;
    if (!bsn_len_add(used, room < used ? used : room, &size) || size > BSN_POOL_SIZE_MAX)
        return false;
    if (size < out->block_size) size = out->block_size;
    settle(out);
    return go_on(out, bsn_out_len(out), size, out->cur, used);
}

void bsni_pooled_append(bsn_out *out, const uint8_t *ptr, size_t len)
{
    for (;;) {
        const size_t room = bsn_out_room(out);
        const size_t part = len < room ? len : room;
        if (part != 0) memcpy(out->cur, ptr, part);
        out->cur += part;
        if (part == len) return;
        ptr += part;
        len -= part;
        bsni_pooled_next_block(out);
        if (out->status != BSN_OK) return;
    }
}

void bsni_pooled_append_ref(bsn_out *out, bsn_bytes bytes)
{
    const uint64_t total = bsn_out_len(out);
    settle(out);
    if (!make_room(out, 2)) return;
    const segment reference = {total, bytes.ptr, bytes.len, NULL, 0};
    const segment *current = current_segment(out);
    if (current == NULL) {
        push(out, reference);
    } else {
        /* The current segment goes on behind the reference, in the rest of its block. An empty one makes place for it. */
        const segment rest = {total + bytes.len, current->ptr + current->len, 0, current->block,
                              current->block_size};
        if (current->len == 0) out->segment_count--;
        push(out, reference);
        push(out, rest);
    }
    resume(out, total + bytes.len);
}

/* Index of the last segment that starts at or before `total`: the one that holds the byte behind that place. */
static size_t find(const bsn_out *out, uint64_t total)
{
    size_t low = out->segment_first, high = out->segment_count; /* the answer is in [low, high) */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (out->segments[middle].start <= total) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void bsni_pooled_patch(bsn_out *out, uint64_t total, int32_t value)
{
    settle(out);
    if (is_empty(out)) return;
    const segment *s = &out->segments[find(out, total)];
    const uint64_t offset = total - s->start;
    const bool is_slot = s->block != NULL && s->len >= 4 && offset <= s->len - 4;
    BSN_ASSERT(is_slot); /* else it was rolled back, or sent */
    if (is_slot) bsn_store_i32(s->block + (s->ptr - s->block) + (size_t)offset, value);
}

/* ------------------------------------------------------------------ taking back, sending */

/* True for a segment of which nothing is left when the output ends at `total`. One that is empty stays: it has room. */
static bool is_behind(const segment *s, uint64_t total)
{
    return s->start > total || (s->start == total && s->block == NULL);
}

void bsni_pooled_rollback(bsn_out *out, uint64_t total)
{
    settle(out);
    while (!is_empty(out) && is_behind(last_segment(out), total)) pop_last(out);
    if (!is_empty(out)) {
        segment *s = last_segment(out);
        BSN_ASSERT(s->block != NULL ||
                   total - s->start == s->len); /* no mark lies in a reference */
        s->len = (size_t)(total - s->start);
    }
    resume(out, total);
    if (out->status != BSN_OK) bsni_out_to_scratch(out, total);
}

size_t bsni_pooled_iovecs(bsn_out *out, bsn_iovec *iov, size_t max)
{
    size_t count = 0;
    settle(out);
    for (size_t i = out->segment_first; i < out->segment_count && count < max; i++) {
        const segment *s = &out->segments[i];
        /* Only the first can have been sent in part. */
        const size_t sent = s->start < out->total_sent ? (size_t)(out->total_sent - s->start) : 0;
        if (sent >= s->len) continue;
        iov[count].ptr = s->ptr + sent;
        iov[count].len = s->len - sent;
        count++;
    }
    return count;
}

/* Everything is sent: the current segment's block is filled from its beginning again. */
static void rewind_block(bsn_out *out, segment *current)
{
    bsni_scramble(current->block, (size_t)(out->cur - current->block));
    current->start = bsn_out_len(out);
    current->ptr = current->block;
    current->len = 0;
}

void bsni_pooled_sent(bsn_out *out)
{
    const uint64_t total = bsn_out_len(out);
    settle(out);
    segment *current = current_segment(out);
    while (!is_empty(out)) {
        const segment *first = &out->segments[out->segment_first];
        if (first == current || first->start + first->len > out->total_sent) break;
        pop_first(out);
    }
    if (current != NULL && out->total_sent == total) rewind_block(out, current);
    compact(out);
    if (out->status == BSN_OK) resume(out, total);
}

void bsni_pooled_clear(bsn_out *out)
{
    settle(out);
    segment *current = current_segment(out);
    while (!is_empty(out) && &out->segments[out->segment_first] != current) pop_first(out);
    if (current != NULL) {
        rewind_block(out, current);
        current->start = 0;
    }
    compact(out);
    out->status = BSN_OK;
    out->total_sent = 0;
    resume(out, 0);
}

void bsni_pooled_free(bsn_out *out)
{
    while (!is_empty(out)) pop_first(out);
    bsn_alloc_resize(out->pool->alloc, out->segments, out->segment_cap * sizeof *out->segments, 0);
}
