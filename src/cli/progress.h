/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.h -- how far a stream is, on stderr, where a person may be watching: a terminal, and text does not go to it too.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/command.h"

typedef struct cli_progress {
    bool watched;
    bool shown; /* a line stands there now */
    uint64_t start_ns;
    uint64_t next_ns; /* not before this is there anything new to say */
} cli_progress;

/* quiet: say nothing in any case. */
void cli_progress_start(cli_progress *p, bool quiet);

/* So much has been done. Says so once a second at most. */
void cli_progress_tick(cli_progress *p, uint64_t documents, uint64_t bytes);

/* Takes the line away, before a message or at the end. */
void cli_progress_clear(cli_progress *p);

#endif
