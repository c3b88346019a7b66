/* SPDX-License-Identifier: Apache-2.0
 *
 * remote.h -- what pull and push share: URI and NS of the command line, the client, its failures in words, and what a stream cost.
 */
#ifndef CLI_REMOTE_H
#define CLI_REMOTE_H

#include "cli/command.h"

#include <bsonic/client.h>

typedef struct cli_remote {
    const cli_args *args;
    bsn_uri uri; /* for the namespace; the client parses for itself */
    bsn_client *client;
    bsn_str db;
    bsn_str collection;
    bsn_str name; /* of the namespace, for messages; in name_room: do not copy this */
    char name_room[512];
    uint64_t
        start_ns; /* of the stream, and what had been asked of the allocator: then, and when it had warmed up */
    uint64_t requests_at_start;
    uint64_t requests_when_warm;
    bool is_warm;
} cli_remote;

/* What a command counts of its stream. */
typedef struct cli_traffic {
    uint64_t documents;
    uint64_t bytes;        /* of them, as BSON */
    uint64_t file_calls;   /* of the system, for the files on this side: */
    const char *file_verb; /* "read" or "write" */
    const char
        *warming_up; /* what the first requests for memory were made in: "in the first batch" */
} cli_traffic;

/* Takes the operands URI and NS: what can be wrong with them is found before a connection is made. NS is database.collection, or the
 * collection alone when the URI names the database. Returns an exit code, and has said why; cli_remote_close in any case. */
int cli_remote_read(cli_remote *remote, const cli_args *args);

/* Connects. Returns an exit code, and has said why. */
int cli_remote_open(cli_remote *remote);

/* Says the client's own sentence, which names the host. Returns the exit code of *err, as a failure of the network. */
int cli_remote_report(const cli_remote *remote, const bsn_error *err);

/* Frees all of it. */
void cli_remote_close(cli_remote *remote);

/* The stream begins: time and requests for memory count from here. */
void cli_remote_start(cli_remote *remote);

/* The stream has warmed up: what is asked of the allocator from here on is counted by itself. Only the first call counts. */
void cli_remote_note_warm(cli_remote *remote);

/* Prints on stderr what has been moved since the start, how fast, and what it cost. */
void cli_remote_print_cost(const cli_remote *remote, const cli_traffic *traffic);

#endif
