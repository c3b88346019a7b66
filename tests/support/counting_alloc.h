/* SPDX-License-Identifier: Apache-2.0
 *
 * counting_alloc.h -- a bsn_alloc that counts, checks what it is told, and knows what is still out.
 *
 *   counting_alloc counter;
 *   counting_alloc_init(&counter);
 *   ... use &counter.alloc ...
 *   counting_alloc_finish(&counter);            fails the test if a block was never freed
 *
 * It fails the running test when old_len is not the block's length, and moves the block at every resize, so that a
 * pointer kept across one is seen by a sanitizer. New bytes are filled with 0xA5: none of them counts on zeros.
 */
#ifndef TESTS_SUPPORT_COUNTING_ALLOC_H
#define TESTS_SUPPORT_COUNTING_ALLOC_H

#include <bsonic/mem.h>

typedef struct counting_alloc {
    bsn_alloc alloc;    /* what the code under test gets */
    size_t allocations; /* calls that made a block of nothing */
    size_t resizes;     /* calls that changed a block's length */
    size_t frees;
    size_t blocks_out; /* blocks not yet freed */
    size_t bytes_out;
    size_t bytes_out_max;
} counting_alloc;

void counting_alloc_init(counting_alloc *counter);

/* Fails the running test when a block is still out. */
void counting_alloc_finish(const counting_alloc *counter);

/* Calls that asked for memory so far: allocations and resizes. */
size_t counting_alloc_requests(const counting_alloc *counter);

#endif
