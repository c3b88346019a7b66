/* SPDX-License-Identifier: Apache-2.0
 *
 * failing_alloc.c -- see failing_alloc.h.
 */
#include "support/failing_alloc.h"

#include <string.h>

/* Freeing and shrinking are refused like the rest would be in life: freeing never, shrinking as any resize. */
static void *failing_resize(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    failing_alloc *failing = ctx;
    const bsn_alloc *inner = &failing->counter.alloc;
    if (new_len != 0) {
        failing->requests++;
        const bool at = failing->requests == failing->fail_at;
        if (at || (!failing->once && failing->requests > failing->fail_at)) return NULL;
    }
    return inner->resize(inner->ctx, ptr, old_len, new_len);
}

void failing_alloc_init(failing_alloc *failing)
{
    memset(failing, 0, sizeof *failing);
    counting_alloc_init(&failing->counter);
    failing->alloc.ctx = failing;
    failing->alloc.resize = failing_resize;
    failing->fail_at = 1;
}

bool failing_alloc_refused(const failing_alloc *failing)
{
    return failing->requests >= failing->fail_at;
}

bool failing_alloc_again(failing_alloc *failing)
{
    counting_alloc_finish(&failing->counter);
    if (!failing_alloc_refused(failing)) return false;
    failing->fail_at++;
    failing->requests = 0;
    return true;
}
