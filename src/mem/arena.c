/* SPDX-License-Identifier: Apache-2.0
 *
 * arena.c -- bump allocation in a chain of blocks, each knowing the one before it.
 *
 *      arena->block ─► | header | piece | piece | free .. |
 *                          │ before
 *                          ▼
 *                      | header | piece | piece | piece .. |
 *
 * Each block is twice the one before, and a reset keeps the largest it drops: then the next round of the same work starts in a
 * block of at least half of what it needs, and after a few rounds one block holds it all and nothing is allocated any more.
 */
#include "base/debug.h"
#include "mem/poison.h"

#include <bsonic/detail/len.h>
#include <bsonic/mem.h>

#include <stdalign.h>

#define BLOCK_SIZE_DEFAULT 4096
#define PIECE_ALIGN alignof(max_align_t)

typedef struct bsn_arena_block {
    alignas(max_align_t) struct bsn_arena_block *before;
    size_t size; /* of the whole block, this header included */
    size_t used; /* likewise */
} block;

void bsn_arena_init(bsn_arena *arena, const bsn_alloc *alloc, size_t block_size)
{
    arena->block = NULL;
    arena->spare = NULL;
    arena->alloc = alloc;
    arena->block_size = block_size == 0 ? BLOCK_SIZE_DEFAULT : block_size;
}

static uint8_t *block_bytes(block *b)
{
    return (uint8_t *)b;
}

static void block_free(bsn_arena *arena, block *b)
{
    bsni_unpoison(b, b->size);
    bsn_alloc_resize(arena->alloc, b, b->size, 0);
}

void bsn_arena_free(bsn_arena *arena)
{
    while (arena->block != NULL) {
        block *before = arena->block->before;
        block_free(arena, arena->block);
        arena->block = before;
    }
    if (arena->spare != NULL) block_free(arena, arena->spare);
    arena->spare = NULL;
}

/* A piece's length rounded up so that the next one is aligned too. */
static bool piece_len(size_t len, size_t *rounded)
{
    if (len == 0) len = 1;
    if (!bsn_len_add(len, PIECE_ALIGN - 1, rounded)) return false;
    *rounded &= ~(PIECE_ALIGN - 1);
    return true;
}

static bool has_room(const block *b, size_t rounded)
{
    return b != NULL && b->size - b->used >= rounded;
}

/* Twice the newest block, the arena's block size at least, and `needed` in any case. */
static size_t next_block_size(const bsn_arena *arena, size_t needed)
{
    size_t size = arena->block_size;
    if (arena->block != NULL && arena->block->size <= (size_t)PTRDIFF_MAX / 2 &&
        arena->block->size * 2 > size) {
        size = arena->block->size * 2;
    }
    return size < needed ? needed : size;
}

static block *block_new(bsn_arena *arena, size_t rounded)
{
    size_t needed;
    if (!bsn_len_add(sizeof(block), rounded, &needed)) return NULL;
    const size_t size = next_block_size(arena, needed);
    block *b = bsn_alloc_resize(arena->alloc, NULL, 0, size);
    if (b == NULL) return NULL;
    b->size = size;
    b->used = sizeof *b;
    bsni_poison(b + 1, size - sizeof *b);
    return b;
}

/* Makes a block with room for `rounded` bytes the newest: the spare if it is large enough, else a new one. */
static bool block_push(bsn_arena *arena, size_t rounded)
{
    block *b = arena->spare;
    if (has_room(b, rounded)) {
        arena->spare = NULL;
    } else {
        b = block_new(arena, rounded);
        if (b == NULL) return false;
    }
    b->before = arena->block;
    arena->block = b;
    return true;
}

void *bsn_arena_take(bsn_arena *arena, size_t len)
{
    size_t rounded;
    if (!piece_len(len, &rounded)) return NULL;
    if (!has_room(arena->block, rounded) && !block_push(arena, rounded)) return NULL;
    block *b = arena->block;
    uint8_t *piece = block_bytes(b) + b->used;
    b->used += rounded;
    bsni_unpoison(piece, len);
    return piece;
}

bsn_bytes bsn_arena_copy(bsn_arena *arena, bsn_bytes bytes)
{
    bsn_bytes copy = {NULL, 0};
    uint8_t *piece = bsn_arena_take(arena, bytes.len);
    if (piece == NULL) return copy;
    if (bytes.len != 0) memcpy(piece, bytes.ptr, bytes.len);
    copy.ptr = piece;
    copy.len = bytes.len;
    return copy;
}

bsn_arena_mark bsn_arena_get_mark(const bsn_arena *arena)
{
    const bsn_arena_mark mark = {arena->block, arena->block == NULL ? 0 : arena->block->used};
    return mark;
}

/* Forgets the pieces of a block behind its first `used` bytes. */
static void block_cut(block *b, size_t used)
{
    bsni_unpoison(block_bytes(b) + used,
                  b->used - used); /* the rounding of pieces is still poisoned */
    bsni_poison(block_bytes(b) + used, b->used - used);
    b->used = used;
}

/* Keeps one of the two as the spare, the larger, and frees the other. */
static void block_drop(bsn_arena *arena, block *b)
{
    block *smaller = b;
    if (arena->spare == NULL || arena->spare->size < b->size) {
        smaller = arena->spare;
        arena->spare = b;
        block_cut(b, sizeof *b);
    }
    if (smaller != NULL) block_free(arena, smaller);
}

void bsn_arena_reset(bsn_arena *arena, bsn_arena_mark mark)
{
    while (arena->block != NULL && arena->block != mark.block) {
        block *before = arena->block->before;
        block_drop(arena, arena->block);
        arena->block = before;
    }
    BSN_ASSERT(arena->block ==
               mark.block); /* else the mark is of another arena, or older than a reset */
    if (arena->block == NULL) return;
    BSN_ASSERT(mark.used <= mark.block->used);
    block_cut(mark.block, mark.used);
}
