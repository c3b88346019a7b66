/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.c -- blocks in power-of-two classes. Those that wait are linked through their own first bytes, last in first out: the
 * block that was given back last is the one that is still in the cache.
 *
 *      kept[0]  1 KiB ─► | next | .. | ─► | next | .. |
 *      kept[1]  2 KiB
 *      ..
 *      kept[16] 64 MiB ─► | next | .. |
 */
#include "base/debug.h"
#include "mem/poison.h"

#include <bsonic/detail/len.h>
#include <bsonic/mem.h>

typedef struct kept_block {
    struct kept_block *next;
} kept_block;

void bsn_pool_init(bsn_pool *pool, const bsn_alloc *alloc, size_t keep_max)
{
    const bsn_pool empty = {.alloc = alloc, .keep_max = keep_max};
    *pool = empty;
}

static size_t class_size(unsigned class_index)
{
    return BSN_POOL_SIZE_MIN << class_index;
}

/* The smallest class that holds `size` bytes, which are at most BSN_POOL_SIZE_MAX. */
static unsigned class_of(size_t size)
{
    unsigned class_index = 0;
    while (class_size(class_index) < size) class_index++;
    return class_index;
}

/* Puts a block in front of those of its class. */
static void keep(bsn_pool *pool, void *ptr, unsigned class_index)
{
    kept_block *block = ptr;
    bsni_poison(block, class_size(class_index));
    bsni_unpoison(block, sizeof *block);
    block->next = pool->kept[class_index];
    pool->kept[class_index] = block;
    pool->stats.bytes_kept += class_size(class_index);
}

/* Takes the first block of a class out; there is one. */
static void *unkeep(bsn_pool *pool, unsigned class_index)
{
    kept_block *block = pool->kept[class_index];
    pool->kept[class_index] = block->next;
    pool->stats.bytes_kept -= class_size(class_index);
    bsni_unpoison(block, class_size(class_index));
    return block;
}

static void release(bsn_pool *pool, void *ptr, unsigned class_index)
{
    bsn_alloc_resize(pool->alloc, ptr, class_size(class_index), 0);
}

void bsn_pool_trim(bsn_pool *pool, size_t keep_bytes)
{
    for (unsigned above = BSN_POOL_CLASSES; above > 0; above--) {
        const unsigned class_index = above - 1;
        while (pool->kept[class_index] != NULL && pool->stats.bytes_kept > keep_bytes)
            release(pool, unkeep(pool, class_index), class_index);
    }
}

void bsn_pool_free(bsn_pool *pool)
{
    BSN_ASSERT(pool->stats.bytes_taken == 0);
    bsn_pool_trim(pool, 0);
}

/* keep_max for `more` bytes beyond what is kept; SIZE_MAX stays what it is. */
static size_t raised_keep_max(const bsn_pool *pool, size_t more)
{
    size_t wanted;
    if (!bsn_len_add(pool->stats.bytes_kept, more, &wanted)) return SIZE_MAX;
    return wanted > pool->keep_max ? wanted : pool->keep_max;
}

bsn_status bsn_pool_prealloc(bsn_pool *pool, size_t size, size_t count)
{
    if (size > BSN_POOL_SIZE_MAX) return BSN_E_SIZE;
    const unsigned class_index = class_of(size);
    for (size_t i = 0; i < count; i++) {
        void *block = bsn_alloc_resize(pool->alloc, NULL, 0, class_size(class_index));
        if (block == NULL) return BSN_E_NOMEM;
        pool->keep_max = raised_keep_max(pool, class_size(class_index));
        keep(pool, block, class_index);
    }
    return BSN_OK;
}

static void count_take(bsn_pool_stats *stats, size_t size)
{
    stats->takes++;
    stats->bytes_taken += size;
    if (stats->bytes_taken > stats->bytes_taken_max) stats->bytes_taken_max = stats->bytes_taken;
}

bsn_status bsn_pool_take(bsn_pool *pool, size_t size, bsn_block *block)
{
    if (size > BSN_POOL_SIZE_MAX) return BSN_E_SIZE;
    const unsigned class_index = class_of(size);
    if (pool->kept[class_index] != NULL) {
        block->ptr = unkeep(pool, class_index);
    } else {
        void *fresh = bsn_alloc_resize(pool->alloc, NULL, 0, class_size(class_index));
        if (fresh == NULL) return BSN_E_NOMEM;
        block->ptr = fresh;
        pool->stats.allocations++;
    }
    block->size = class_size(class_index);
    count_take(&pool->stats, block->size);
    return BSN_OK;
}

void bsn_pool_give(bsn_pool *pool, bsn_block *block)
{
    if (block->ptr == NULL) return;
    const unsigned class_index = class_of(block->size);
    BSN_ASSERT(class_size(class_index) == block->size);
    BSN_ASSERT(pool->stats.bytes_taken >= block->size);
    pool->stats.bytes_taken -= block->size;
    if (pool->stats.bytes_kept <= pool->keep_max &&
        block->size <= pool->keep_max - pool->stats.bytes_kept) {
        keep(pool, block->ptr, class_index);
    } else {
        release(pool, block->ptr, class_index);
    }
    block->ptr = NULL;
    block->size = 0;
}

bsn_pool_stats bsn_pool_get_stats(const bsn_pool *pool)
{
    return pool->stats;
}
