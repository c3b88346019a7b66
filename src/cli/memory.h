/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.h -- the allocator that the commands hand to the libraries: libc's, counted.
 */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <bsonic/mem.h>

const bsn_alloc *cli_memory(void);

/* Calls so far that asked for memory. */
uint64_t cli_memory_requests(void);

#endif
