/* SPDX-License-Identifier: Apache-2.0
 *
 * server.h -- connections: one thread waits for all of them, and answers whoever has asked.
 *
 * Memory   A connection at rest holds its room for requests, 4 KiB. A request longer than its room makes it grow as the bytes
 *          come, never ahead of them, and the room goes back when it has been answered; output waits in blocks of 64 KiB, at
 *          most 256 KiB of a batch, and while it waits nothing more is read from that client. At most SERVE_CONNECTIONS_MAX at once.
 * Faults   A message that breaks the protocol, or a file that changed under a reply, ends that connection alone; the notice says
 *          whose and why.
 */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include "client/transport.h"
#include "serve/answer.h"

/* One entry of the list. */
typedef struct serve_connection *serve_connection_item;

typedef struct serve_server {
    serve_state *state;
    bsni_listener listener;
    const serve_notice *notice;

    /* private */
    serve_connection_item *connections;
    size_t count;
    size_t cap;
    bsni_wait_item *items;
    size_t item_cap;
    bsn_pool pool;
    int32_t last_connection_id;
    bool full; /* no more descriptors: connections wait until one goes */
} serve_server;

/* Listens. The notice is told of connections that end by a fault. Errors: as bsni_listener_open. */
bsn_status serve_server_open(serve_server *server, serve_state *state, bsn_str host, uint16_t port,
                             const serve_notice *notice, bsn_error *err);

/* Serves until `wake`, a descriptor, has something to read. Returns BSN_OK then; else what makes serving impossible. */
bsn_status serve_server_run(serve_server *server, int wake, bsn_error *err);

/* Closes everything. */
void serve_server_close(serve_server *server);

#endif
