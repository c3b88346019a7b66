/* SPDX-License-Identifier: Apache-2.0
 *
 * mem.h -- where memory comes from and where output goes.
 *
 *   bsn_alloc   the caller's allocator; everything below draws on one
 *   bsn_buf     one contiguous block that grows
 *   bsn_arena   many small pieces, freed together
 *   bsn_pool    preallocated blocks in power-of-two sizes, taken and given back
 *   bsn_out     the one sink that writers and printers fill: over a pool, a bsn_buf, or storage of fixed size
 *
 * Threads: each object belongs to one thread at a time. Nothing here is shared or global.
 */
#ifndef BSONIC_MEM_H
#define BSONIC_MEM_H

#include <bsonic/base.h>
#include <bsonic/detail/le.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ allocator */

/* A caller's allocator: one function, with a context of the caller's.
 *
 * resize   makes a block of old_len bytes one of new_len bytes and returns it, contents kept up to the smaller of the two.
 *          ptr NULL with old_len 0 allocates; new_len 0 frees and returns NULL. NULL for new_len > 0 means refused, and
 *          the old block is untouched. Blocks are aligned for max_align_t.
 *
 * Wherever a `const bsn_alloc *` parameter is NULL, libc's malloc family serves. Objects keep the pointer: the bsn_alloc
 * must outlive them. */
typedef struct bsn_alloc {
    void *ctx;
    void *(*resize)(void *ctx, void *ptr, size_t old_len, size_t new_len);
} bsn_alloc;

/* Resizes through *alloc, or through libc when alloc is NULL. Same contract as bsn_alloc.resize. */
BSN_API void *bsn_alloc_resize(const bsn_alloc *alloc, void *ptr, size_t old_len, size_t new_len);

/* ------------------------------------------------------------------ growing buffer */

/* A contiguous block that grows: ptr[0..len) is in use, cap is its size. All zero is a valid empty buffer over libc. */
typedef struct bsn_buf {
    uint8_t *ptr;
    size_t len;
    size_t cap;
    const bsn_alloc *alloc;
} bsn_buf;

/* An empty buffer. Allocates nothing yet. */
BSN_API void bsn_buf_init(bsn_buf *buf, const bsn_alloc *alloc);

/* Releases the block; the buffer is empty and usable again. */
BSN_API void bsn_buf_free(bsn_buf *buf);

/* Makes room for `extra` bytes more. On failure the buffer is as it was.
 *
 * Errors   BSN_E_NOMEM   the allocator refused
 *          BSN_E_SIZE    len + extra does not fit size_t
 * Cost     grows by half of what is there, or to exactly what is needed when that is more; so appends are O(1) amortised,
 *          and a large reserve wastes nothing. Moves the block: views into it die.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_buf_reserve(bsn_buf *buf, size_t extra);

/* Copies `bytes` to the end. Errors as bsn_buf_reserve. `bytes` must not lie in the buffer itself. */
BSN_API BSN_MUST_CHECK bsn_status bsn_buf_append(bsn_buf *buf, bsn_bytes bytes);

/* What is in the buffer, as a view that lives until the next call that may grow it. */
static inline bsn_bytes bsn_buf_view(const bsn_buf *buf)
{
    bsn_bytes view;
    view.ptr = buf->ptr;
    view.len = buf->len;
    return view;
}

/* ------------------------------------------------------------------ arena */

/* Bump allocation: pieces are taken one after another and freed together. */
typedef struct bsn_arena {
    /* private */
    struct bsn_arena_block *block;
    const bsn_alloc *alloc;
    size_t block_size;
} bsn_arena;

/* A place in an arena to go back to. */
typedef struct bsn_arena_mark {
    /* private */
    struct bsn_arena_block *block;
    size_t used;
} bsn_arena_mark;

/* An empty arena that takes memory in blocks of block_size bytes (0: 4096). Allocates nothing yet. */
BSN_API void bsn_arena_init(bsn_arena *arena, const bsn_alloc *alloc, size_t block_size);

/* Gives everything back. The arena is empty and usable again. */
BSN_API void bsn_arena_free(bsn_arena *arena);

/* `len` bytes aligned for max_align_t, uninitialised; NULL when the allocator refuses. len 0 gives a valid pointer. */
BSN_API BSN_MUST_CHECK void *bsn_arena_take(bsn_arena *arena, size_t len);

/* Copies bytes into the arena. ptr NULL in the result means: out of memory (for len 0 it is a valid pointer). */
BSN_API BSN_MUST_CHECK bsn_bytes bsn_arena_copy(bsn_arena *arena, bsn_bytes bytes);

/* Remembers how full the arena is; bsn_arena_reset frees everything taken since. Marks nest. */
BSN_API bsn_arena_mark bsn_arena_get_mark(const bsn_arena *arena);
BSN_API void bsn_arena_reset(bsn_arena *arena, bsn_arena_mark mark);

/* ------------------------------------------------------------------ pool of blocks */

/* Sizes of pooled blocks: powers of two from 1 KiB to 64 MiB. */
#define BSN_POOL_SIZE_MIN ((size_t)1 << 10)
#define BSN_POOL_SIZE_MAX ((size_t)1 << 26)
#define BSN_POOL_CLASSES 17

/* What a pool has done so far. Counts are totals since init; bytes are as of now. */
typedef struct bsn_pool_stats {
    uint64_t takes;         /* bsn_pool_take calls that gave a block */
    uint64_t allocations;   /* of those, the ones that had to ask the allocator */
    size_t bytes_taken;     /* in blocks that are out at the moment */
    size_t bytes_kept;      /* in blocks that wait to be taken again */
    size_t bytes_taken_max; /* the most that was ever out */
} bsn_pool_stats;

/* Blocks in power-of-two classes, kept for reuse: memory that is never new costs no page faults. */
typedef struct bsn_pool {
    /* private */
    const bsn_alloc *alloc;
    size_t keep_max;
    bsn_pool_stats stats;
    void *kept[BSN_POOL_CLASSES];
} bsn_pool;

/* A block that was taken: size is the class's, a power of two at least what was asked for. */
typedef struct bsn_block {
    uint8_t *ptr;
    size_t size;
} bsn_block;

/* An empty pool. keep_max bounds the bytes that wait in it (what comes back beyond that goes to the allocator);
 * SIZE_MAX keeps everything. Allocates nothing yet. */
BSN_API void bsn_pool_init(bsn_pool *pool, const bsn_alloc *alloc, size_t keep_max);

/* Frees the kept blocks. Every block must have been given back (asserted in debug builds). */
BSN_API void bsn_pool_free(bsn_pool *pool);

/* Puts `count` blocks of at least `size` bytes into the pool ahead of need, beyond what it keeps already (keep_max is raised
 * when needed).
 * Errors   BSN_E_NOMEM  the allocator refused; the blocks made so far stay     BSN_E_SIZE  size > BSN_POOL_SIZE_MAX */
BSN_API BSN_MUST_CHECK bsn_status bsn_pool_prealloc(bsn_pool *pool, size_t size, size_t count);

/* A block of at least `size` bytes, contents undefined.
 * Errors   BSN_E_NOMEM  the allocator refused     BSN_E_SIZE  size > BSN_POOL_SIZE_MAX
 * Cost     a handful of instructions when one is kept. */
BSN_API BSN_MUST_CHECK bsn_status bsn_pool_take(bsn_pool *pool, size_t size, bsn_block *block);

/* Gives a block back to the pool it came from, and clears *block. A cleared block is ignored. */
BSN_API void bsn_pool_give(bsn_pool *pool, bsn_block *block);

/* Frees kept blocks, largest first, until at most keep bytes wait. */
BSN_API void bsn_pool_trim(bsn_pool *pool, size_t keep);

BSN_API bsn_pool_stats bsn_pool_get_stats(const bsn_pool *pool);

/* ------------------------------------------------------------------ output */

/* One piece of output, laid out as POSIX's struct iovec. */
typedef struct bsn_iovec {
    const void *ptr;
    size_t len;
} bsn_iovec;

/* A place in the output: what mark gives and rollback and patch take. */
typedef struct bsn_out_mark {
    /* private */
    uint64_t total;   /* bytes written before this place, since init or clear */
    uint32_t segment; /* pooled: index of the segment it lies in */
    uint32_t offset;  /* pooled: bytes into that segment */
} bsn_out_mark;

/* The most that one bsn_out_reserve may ask for: bytes that will lie together. More goes through bsn_out_append. */
#define BSN_OUT_RESERVE_MAX 512

/* The sink of every writer and printer. Three kinds of storage behind one face:
 *
 *   pooled   a list of blocks of a bsn_pool, for writev/sendmsg; never moves what was written
 *   buffer   one growing bsn_buf; contiguous, moves when it grows
 *   fixed    the caller's storage; when it is full, counting goes on: status BSN_E_SPACE, bsn_out_len the size needed
 *
 * The first error sticks: later calls do nothing and bsn_out_status reports it. BSN_E_SPACE is soft: a harder one
 * replaces it. The space between `cur` and `end` may be written to directly after a reserve; bsn_out_advance takes it. */
typedef struct bsn_out {
    /* private */
    uint8_t *cur;          /* next byte to write */
    uint8_t *end;          /* end of the room that is there */
    uint8_t *base;         /* buffer, fixed: first byte; pooled: first byte of the current segment */
    uint64_t total_before; /* bytes in front of base */
    struct bsn_out_segment *segments;
    uint32_t segment_count;
    uint32_t segment_cap;
    uint32_t segment_first; /* segments before it have been sent */
    uint8_t kind;
    bsn_status status;
    bsn_pool *pool;
    bsn_buf *buf;
    const bsn_alloc *alloc;
    size_t block_size;
    uint8_t scratch[BSN_OUT_RESERVE_MAX]; /* where reserved bytes go to be forgotten: fixed storage full, or an error */
} bsn_out;

/* Output into blocks of block_size bytes (0: 64 KiB; at least 1 KiB) of *pool, which must outlive it. The list of blocks
 * comes from the pool's allocator and is kept over bsn_out_clear. */
BSN_API void bsn_out_init_pool(bsn_out *out, bsn_pool *pool, size_t block_size);

/* Output to the end of *buf. buf->len is brought up to date by bsn_out_view and bsn_out_free, and until then buf is the
 * output's alone. */
BSN_API void bsn_out_init_buf(bsn_out *out, bsn_buf *buf);

/* Output to storage[0..cap). storage may be NULL when cap is 0: a size pass. */
BSN_API void bsn_out_init_fixed(bsn_out *out, void *storage, size_t cap);

/* Gives blocks back to the pool and frees what the output itself holds; a bsn_buf keeps its bytes. */
BSN_API void bsn_out_free(bsn_out *out);

/* Forgets what was written and any error, and starts again at the beginning with the storage that is there: pooled output
 * keeps its first block, a bsn_buf goes back to the length it had at init. */
BSN_API void bsn_out_clear(bsn_out *out);

/* Bytes written since init or clear, sent ones included; with BSN_E_SPACE the size that would have been needed. */
static inline uint64_t bsn_out_len(const bsn_out *out)
{
    return out->total_before + (uint64_t)(out->cur - out->base);
}

static inline bsn_status bsn_out_status(const bsn_out *out)
{
    return out->status;
}

/* Slow half of bsn_out_reserve. */
BSN_API uint8_t *bsn_out_reserve_slow(bsn_out *out, size_t len);

/* A pointer to `len` bytes of room that lie together; len <= BSN_OUT_RESERVE_MAX. What is there may be written and
 * bsn_out_advance then takes it, or part of it. Never NULL: after an error, and when fixed storage is full, it points to
 * scratch room, so callers need no branch; they ask bsn_out_status once at the end.
 * Lives until the next call on this output. */
static inline uint8_t *bsn_out_reserve(bsn_out *out, size_t len)
{
    if (BSN_LIKELY((size_t)(out->end - out->cur) >= len)) return out->cur;
    return bsn_out_reserve_slow(out, len);
}

/* Takes the first `len` bytes of the room as written. */
static inline void bsn_out_advance(bsn_out *out, size_t len)
{
    out->cur += len;
}

/* The room that is there at `cur` without asking for more; bulk writers use it and fall back to reserve. */
static inline size_t bsn_out_room(const bsn_out *out)
{
    return (size_t)(out->end - out->cur);
}

/* Slow half of bsn_out_append. */
BSN_API void bsn_out_append_slow(bsn_out *out, const void *ptr, size_t len);

/* Copies `len` bytes, any number; pooled output may split them over blocks. */
static inline void bsn_out_append(bsn_out *out, const void *ptr, size_t len)
{
    if (BSN_LIKELY((size_t)(out->end - out->cur) >= len)) {
        if (len != 0) memcpy(out->cur, ptr, len);
        out->cur += len;
        return;
    }
    bsn_out_append_slow(out, ptr, len);
}

/* Adds `bytes` by reference where that is worth it (pooled output, 4096 bytes and more), else copies them. Referenced bytes
 * must live unchanged until they are sent or cleared; a rollback past them drops the reference. */
BSN_API void bsn_out_append_ref(bsn_out *out, bsn_bytes bytes);

/* Where the output stands now. */
static inline bsn_out_mark bsn_out_get_mark(const bsn_out *out)
{
    bsn_out_mark mark;
    mark.total = bsn_out_len(out);
    mark.segment = out->segment_count;
    mark.offset = (uint32_t)(out->cur - out->base);
    return mark;
}

/* Makes the output what it was at the mark. Nothing behind the mark may have been sent. An error that happened after the
 * mark stays; BSN_E_SPACE goes when the mark fits. */
BSN_API void bsn_out_rollback(bsn_out *out, bsn_out_mark mark);

/* Reserves 4 bytes that lie together, to be set by bsn_out_patch_i32 later, and returns their place. */
BSN_API bsn_out_mark bsn_out_slot_i32(bsn_out *out);

/* Sets a slot that bsn_out_slot_i32 gave, little-endian. Nothing behind it may have been sent. */
BSN_API void bsn_out_patch_i32(bsn_out *out, bsn_out_mark slot, int32_t value);

/* The whole output as one span: buffer and fixed storage; pooled output only while it fits one block. False otherwise, and
 * after an error. Lives until the next call on this output. */
BSN_API BSN_MUST_CHECK bool bsn_out_view(bsn_out *out, bsn_bytes *view);

/* Fills iov[0..max) with the unsent output in order and returns how many were filled; 0 when nothing is left. Lives until the
 * next call on this output other than bsn_out_sent. */
BSN_API size_t bsn_out_iovecs(const bsn_out *out, bsn_iovec *iov, size_t max);

/* Takes `len` bytes off the front as sent (a partial write ends anywhere). When everything is sent, the blocks are ready to
 * be filled again: in the steady state of a stream nothing is allocated. bsn_out_len goes on counting. */
BSN_API void bsn_out_sent(bsn_out *out, uint64_t len);

/* Bytes that wait to be sent. */
BSN_API uint64_t bsn_out_unsent(const bsn_out *out);

#ifdef __cplusplus
}
#endif
#endif
