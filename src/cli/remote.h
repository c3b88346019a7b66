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
} cli_remote;

/* Takes the operands URI and NS: what can be wrong with them is found before a connection is made. NS is database.collection, or the
 * collection alone when the URI names the database. Returns an exit code, and has said why; cli_remote_close in any case. */
int cli_remote_read(cli_remote *remote, const cli_args *args);

/* Connects. Returns an exit code, and has said why. */
int cli_remote_open(cli_remote *remote);

/* Says the client's own sentence, which names the host. Returns the exit code of *err, as a failure of the network. */
int cli_remote_report(const cli_remote *remote, const bsn_error *err);

/* Frees all of it. */
void cli_remote_close(cli_remote *remote);

/* Prints on stderr what has been moved since a moment of the monotonic clock, and how fast. */
void cli_remote_print_rates(const cli_remote *remote, uint64_t documents, uint64_t bytes,
                            uint64_t start_ns);

#endif
