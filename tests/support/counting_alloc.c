/* SPDX-License-Identifier: Apache-2.0
 *
 * counting_alloc.c -- see counting_alloc.h. Each block has a header in front that remembers its length:
 *
 *     | header: length, mark | bytes given out |
 */
#include "support/counting_alloc.h"

#include <check.h>

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define MARK_LIVE ((size_t)0x5AFE5AFE)

typedef struct block_header {
    alignas(max_align_t) size_t len;
    size_t mark;
} block_header;

static block_header *header_of(void *ptr)
{
    return (block_header *)ptr - 1;
}

static void *block_new(counting_alloc *counter, size_t len)
{
    block_header *header = NULL;
    if (len <= SIZE_MAX - sizeof *header) header = malloc(sizeof *header + len);
    if (header == NULL) return NULL;
    header->len = len;
    header->mark = MARK_LIVE;
    memset(header + 1, 0xA5, len);
    counter->blocks_out++;
    counter->bytes_out += len;
    if (counter->bytes_out > counter->bytes_out_max) counter->bytes_out_max = counter->bytes_out;
    return header + 1;
}

static void block_free(counting_alloc *counter, void *ptr)
{
    block_header *header = header_of(ptr);
    counter->blocks_out--;
    counter->bytes_out -= header->len;
    header->mark = 0;
    free(header);
}

static void *counting_resize(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    counting_alloc *counter = ctx;
    if (ptr == NULL) {
        ck_assert_msg(old_len == 0, "a block of nothing is said to have %zu bytes", old_len);
        if (new_len == 0) return NULL;
        counter->allocations++;
        return block_new(counter, new_len);
    }
    ck_assert_msg(header_of(ptr)->mark == MARK_LIVE, "a block that this allocator did not give");
    ck_assert_msg(header_of(ptr)->len == old_len, "a block of %zu bytes is said to have %zu",
                  header_of(ptr)->len, old_len);
    if (new_len == 0) {
        counter->frees++;
        block_free(counter, ptr);
        return NULL;
    }
    counter->resizes++;
    void *moved = block_new(counter, new_len);
    if (moved == NULL) return NULL;
    memcpy(moved, ptr, old_len < new_len ? old_len : new_len);
    block_free(counter, ptr);
    return moved;
}

void counting_alloc_init(counting_alloc *counter)
{
    memset(counter, 0, sizeof *counter);
    counter->alloc.ctx = counter;
    counter->alloc.resize = counting_resize;
}

void counting_alloc_finish(const counting_alloc *counter)
{
    ck_assert_msg(counter->blocks_out == 0, "%zu blocks of %zu bytes were never freed",
                  counter->blocks_out, counter->bytes_out);
}

size_t counting_alloc_requests(const counting_alloc *counter)
{
    return counter->allocations + counter->resizes;
}
