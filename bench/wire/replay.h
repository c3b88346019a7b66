/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.h -- a server that costs nothing: it answers hello, find and getMore with replies that were built beforehand, and inserts
 * with the number of their documents, which it reads and forgets; so that only clients are measured.
 *
 * It runs in a process of its own on a core of its own, listens on 127.0.0.1, and ends with the process that started it.
 */
#ifndef BSONIC_BENCH_REPLAY_H
#define BSONIC_BENCH_REPLAY_H

#include <bsonic/bsonic.h>

#include <sys/types.h>

/* The namespace that is served. */
#define REPLAY_DB "bench"
#define REPLAY_COLLECTION "dump"

/* What a dump of the collection consists of: a first batch, then `more_count` times the same further batch. */
typedef struct replay_plan {
    bsn_bytes first;     /* reply to find: OP_MSG, header included */
    bsn_bytes more;      /* reply to every getMore but the last */
    bsn_bytes last;      /* reply to the last getMore: cursor id 0 */
    unsigned more_count; /* getMores in all, the last one included; at least 1 */
} replay_plan;

/* A reply of `count` documents, as a server would send it: cursor.<batch>, id, ns, ok. Appended to *buf. */
bool replay_build(bsn_buf *buf, const char *batch, const bsn_doc *docs, size_t count,
                  int64_t cursor_id);

/* Starts the server and sets *port. Returns its pid, or -1. */
pid_t replay_start(const replay_plan *plan, int core, uint16_t *port);

/* Ends it. */
void replay_stop(pid_t pid);

#endif
