/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.c -- one line on stderr, written over again and again.
 */
#include "cli/progress.h"

#include <bsonic/io.h>

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define SECOND_NS 1000000000u

/* Back to the line's start, and what stood there erased (ECMA-48: EL). */
#define CLEAR_LINE "\r\x1B[K"

void cli_progress_start(cli_progress *p, bool quiet)
{
    const cli_progress fresh = {.watched =
                                    !quiet && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO)};
    *p = fresh;
    if (!p->watched) return;
    p->start_ns = bsn_clock_monotonic_ns();
    p->next_ns = p->start_ns + SECOND_NS; /* what is over in a second needs none */
}

void cli_progress_tick(cli_progress *p, uint64_t documents, uint64_t bytes)
{
    if (!p->watched) return;
    const uint64_t now = bsn_clock_monotonic_ns();
    if (now < p->next_ns) return;
    p->next_ns = now + SECOND_NS;
    p->shown = true;
    const double seconds = (double)(now - p->start_ns) / 1e9;
    fprintf(stderr, CLEAR_LINE "%" PRIu64 " documents, %.1f MB, %.0f documents/s, %.1f MB/s",
            documents, (double)bytes / 1e6, (double)documents / seconds,
            (double)bytes / 1e6 / seconds);
    fflush(stderr);
}

void cli_progress_clear(cli_progress *p)
{
    if (p->shown) fputs(CLEAR_LINE, stderr);
    p->shown = false;
}
