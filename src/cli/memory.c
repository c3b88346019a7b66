/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c -- libc's allocator, counted, so that --stats can say what a stream took.
 */
#include "cli/memory.h"

static uint64_t requests;

static void *counted_resize(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    (void)ctx;
    if (new_len > 0) requests++;
    return bsn_alloc_resize(NULL, ptr, old_len, new_len);
}

const bsn_alloc *cli_memory(void)
{
    static const bsn_alloc counted = {.ctx = NULL, .resize = counted_resize};
    return &counted;
}

uint64_t cli_memory_requests(void)
{
    return requests;
}
