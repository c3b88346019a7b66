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
 *          BSN_E_SIZE    len + extra is over PTRDIFF_MAX: more than any block can have
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
    struct bsn_arena_block *block; /* the newest, where pieces are taken; each knows the one before */
    struct bsn_arena_block *spare; /* kept by a reset for the next round */
    const bsn_alloc *alloc;
    size_t block_size;
} bsn_arena;

/* A place in an arena to go back to. */
typedef struct bsn_arena_mark {
    /* private */
    struct bsn_arena_block *block;
    size_t used;
} bsn_arena_mark;

/* An empty arena that takes memory in blocks of at least block_size bytes (0: 4096), each twice the one before. Allocates
 * nothing yet. */
BSN_API void bsn_arena_init(bsn_arena *arena, const bsn_alloc *alloc, size_t block_size);

/* Gives everything back. The arena is empty and usable again. */
BSN_API void bsn_arena_free(bsn_arena *arena);

/* `len` bytes aligned for max_align_t, uninitialised; NULL when the allocator refuses. len 0 gives a valid pointer. */
BSN_API BSN_MUST_CHECK void *bsn_arena_take(bsn_arena *arena, size_t len);

/* Copies bytes into the arena. ptr NULL in the result means: out of memory (for len 0 it is a valid pointer). */
BSN_API BSN_MUST_CHECK bsn_bytes bsn_arena_copy(bsn_arena *arena, bsn_bytes bytes);

/* Remembers how full the arena is; bsn_arena_reset frees everything taken since. Marks nest: a reset to one ends those that
 * were made after it. The largest block that a reset frees is kept for later, so that rounds of equal work (mark, work,
 * reset) soon allocate nothing. */
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

/* A place in the output: what bsn_out_get_mark and bsn_out_slot_i32 give. Good until a rollback to an earlier place, or a
 * clear. */
typedef struct bsn_out_mark {
    /* private */
    uint64_t total; /* bytes written in front of this place, since init or clear */
} bsn_out_mark;

/* The most that one bsn_out_reserve may ask for: bytes that will lie together. More goes through bsn_out_append. */
#define BSN_OUT_RESERVE_MAX 512

/* The sink of every writer and printer. Three kinds of storage behind one face:
 *
 *   pooled   a list of blocks of a bsn_pool, for writev/sendmsg; never moves what was written
 *   buffer   one growing bsn_buf; contiguous, moves when it grows
 *   fixed    the caller's storage; when it is full, counting goes on: status BSN_E_SPACE, bsn_out_len the size needed
 *
 * Filling  reserve, write, advance: no call can fail, none needs a test. Or append. Ask bsn_out_status once at the end.
 * Errors   The first hard one (BSN_E_NOMEM, BSN_E_SIZE) sticks until bsn_out_clear: later calls write nothing, and the output
 *          stays what it was up to the call that failed. BSN_E_SPACE is soft: it says that bsn_out_len is more than the
 *          storage holds, goes when a rollback makes that untrue, and a hard error replaces it.
 * Moving   a bsn_out points into itself: do not copy one.
 */
typedef struct bsn_out {
    /* private */
    uint8_t *cur;          /* next byte to write */
    uint8_t *end;          /* end of the room that is there */
    uint8_t *base;         /* first byte of the current segment or storage, or scratch */
    uint64_t total_before; /* bytes in front of base */
    uint64_t total_max;    /* fixed: bytes up to the storage's end; else UINT64_MAX */
    uint64_t total_sent;   /* bytes up to here have been sent */
    bsn_status status;     /* the first hard error */
    uint8_t kind;
    uint8_t *storage; /* fixed: its first byte */
    uint64_t origin;  /* fixed, buffer: bytes in front of the storage's first byte */
    bsn_buf *buf;     /* buffer */
    size_t buf_start; /* buffer: its length at init */
    bsn_pool *pool;   /* pooled, and all below */
    size_t block_size;
    struct bsn_out_segment *segments;
    size_t segment_first; /* segments in front of it have been sent */
    size_t segment_count;
    size_t segment_cap;
    uint8_t scratch[BSN_OUT_RESERVE_MAX]; /* room to write to when there is no other; see out.c */
} bsn_out;

/* Output into blocks of block_size bytes (0: 64 KiB; BSN_POOL_SIZE_MIN to BSN_POOL_SIZE_MAX) of *pool, which must outlive it.
 * The list of blocks comes from the pool's allocator and is kept over bsn_out_clear. Takes nothing yet. */
BSN_API void bsn_out_init_pool(bsn_out *out, bsn_pool *pool, size_t block_size);

/* Output to the end of *buf. buf->len is brought up to date by bsn_out_view and bsn_out_free, and until then buf is the
 * output's alone. */
BSN_API void bsn_out_init_buf(bsn_out *out, bsn_buf *buf);

/* Output to storage[0..cap). storage may be NULL when cap is 0: a size pass. Until bsn_out_view, bsn_out_iovecs or bsn_out_free
 * the storage is the output's alone: its last bytes may still be on their way. */
BSN_API void bsn_out_init_fixed(bsn_out *out, void *storage, size_t cap);

/* Gives blocks back to the pool and frees what the output itself holds; a bsn_buf keeps its bytes. The output is as its init
 * left it. */
BSN_API void bsn_out_free(bsn_out *out);

/* Forgets what was written and any error, and starts again at the beginning with the storage that is there: pooled output
 * keeps one block, a bsn_buf goes back to the length it had at init. */
BSN_API void bsn_out_clear(bsn_out *out);

/* Bytes written since init or clear, sent ones included; with BSN_E_SPACE the size that would have been needed. After a hard
 * error: the bytes written before it. */
static inline uint64_t bsn_out_len(const bsn_out *out)
{
    if (BSN_UNLIKELY(out->status != BSN_OK)) return out->total_before;
    return out->total_before + (uint64_t)(out->cur - out->base);
}

static inline bsn_status bsn_out_status(const bsn_out *out)
{
    if (BSN_UNLIKELY(out->status != BSN_OK)) return out->status;
    return bsn_out_len(out) > out->total_max ? BSN_E_SPACE : BSN_OK;
}

/* Slow half of bsn_out_reserve. */
BSN_API uint8_t *bsn_out_reserve_slow(bsn_out *out, size_t len);

/* A pointer to `len` bytes of room that lie together; len <= BSN_OUT_RESERVE_MAX. What is there may be written, and
 * bsn_out_advance then takes it, or the first part of it. Never NULL: after an error, and when fixed storage is full, it points
 * to room whose bytes are forgotten. Lives until the next call on this output. */
static inline uint8_t *bsn_out_reserve(bsn_out *out, size_t len)
{
    if (BSN_LIKELY((size_t)(out->end - out->cur) >= len)) return out->cur;
    return bsn_out_reserve_slow(out, len);
}

/* Takes the first `len` bytes of the room as written; len is at most what was reserved, or bsn_out_room. */
static inline void bsn_out_advance(bsn_out *out, size_t len)
{
    out->cur += len;
}

/* How much may be written at bsn_out_reserve(out, 0) and taken by bsn_out_advance, without asking for more: bulk writers fill
 * it, and fall back to reserve when it is small. */
static inline size_t bsn_out_room(const bsn_out *out)
{
    return (size_t)(out->end - out->cur);
}

/* Slow half of bsn_out_append. */
BSN_API void bsn_out_append_slow(bsn_out *out, const void *ptr, size_t len);

/* Copies `len` bytes, any number; pooled output may split them over blocks. They must not lie in this output. Bytes that fixed
 * storage has no room for are counted and not read. */
static inline void bsn_out_append(bsn_out *out, const void *ptr, size_t len)
{
    if (BSN_LIKELY((size_t)(out->end - out->cur) >= len)) {
        if (len != 0) memcpy(out->cur, ptr, len);
        out->cur += len;
        return;
    }
    bsn_out_append_slow(out, ptr, len);
}

/* From this length on pooled output refers to what bsn_out_append_ref gets. */
#define BSN_OUT_REF_MIN 4096

/* Adds `bytes` by reference where that is worth it (pooled output, BSN_OUT_REF_MIN bytes and more), else copies them. Referenced
 * bytes must live unchanged until they are sent, cleared or rolled back; what is written next goes on in the same block. */
BSN_API void bsn_out_append_ref(bsn_out *out, bsn_bytes bytes);

/* Where the output stands now. */
static inline bsn_out_mark bsn_out_get_mark(const bsn_out *out)
{
    bsn_out_mark mark;
    mark.total = bsn_out_len(out);
    return mark;
}

/* Bytes written since the mark was made. */
static inline uint64_t bsn_out_len_since(const bsn_out *out, bsn_out_mark mark)
{
    return bsn_out_len(out) - mark.total;
}

/* Makes the output what it was at the mark: blocks taken since go back to the pool, references are dropped. Nothing that was
 * written after the mark may have been sent. A hard error stays, but what was written before the mark can still be sent. */
BSN_API void bsn_out_rollback(bsn_out *out, bsn_out_mark mark);

/* Reserves 4 bytes that lie together, to be set by bsn_out_patch_i32 later, and returns their place. */
static inline bsn_out_mark bsn_out_slot_i32(bsn_out *out)
{
    bsn_out_mark slot;
    bsn_store_i32(bsn_out_reserve(out, 4), 0);
    slot = bsn_out_get_mark(out);
    bsn_out_advance(out, 4);
    return slot;
}

/* Slow half of bsn_out_patch_i32. */
BSN_API void bsn_out_patch_slow(bsn_out *out, bsn_out_mark slot, int32_t value);

/* Sets a slot that bsn_out_slot_i32 gave, little-endian; again, if you like. It may not have been sent. */
static inline void bsn_out_patch_i32(bsn_out *out, bsn_out_mark slot, int32_t value)
{
    uint64_t len = (uint64_t)(out->cur - out->base);
    if (BSN_LIKELY(slot.total >= out->total_before && len >= 4 && slot.total - out->total_before <= len - 4)) {
        bsn_store_i32(out->base + (size_t)(slot.total - out->total_before), value);
    } else {
        bsn_out_patch_slow(out, slot, value);
    }
}

/* The unsent output as one span: buffer and fixed storage; pooled output only while it lies in one piece. False otherwise, and
 * after an error; *view is then untouched. Lives until the next call on this output. */
BSN_API BSN_MUST_CHECK bool bsn_out_view(bsn_out *out, bsn_bytes *view);

/* Fills iov[0..max) with the unsent output in order and returns how many were filled; 0 when nothing is left. Of fixed storage
 * that is full, what it holds. Lives until the next call on this output other than bsn_out_sent of part of it. */
BSN_API size_t bsn_out_iovecs(bsn_out *out, bsn_iovec *iov, size_t max);

/* Takes `len` bytes off the front as sent (a partial write ends anywhere). Blocks go back to the pool as they empty; when
 * everything is sent, the storage is filled from its beginning again: in the steady state of a stream nothing is allocated.
 * bsn_out_len goes on counting. len is at most bsn_out_unsent; fixed storage that is full cannot go on. */
BSN_API void bsn_out_sent(bsn_out *out, uint64_t len);

/* Bytes that wait to be sent: the sum of all iovecs. */
BSN_API uint64_t bsn_out_unsent(const bsn_out *out);

#ifdef __cplusplus
}
#endif
#endif
