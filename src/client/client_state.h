/* SPDX-License-Identifier: Apache-2.0
 *
 * client_state.h -- the inside of a client, for client.c and its tests.
 */
#ifndef BSNI_CLIENT_STATE_H
#define BSNI_CLIENT_STATE_H

#include "client/transport.h"

#include <bsonic/client.h>
#include <bsonic/conn.h>

#define BSNI_CLIENT_MESSAGE_MAX 1280 /* a host's name, and a machine's message behind it */

struct bsn_client {
    const bsn_alloc *alloc;
    bsn_client_options options;
    bsn_uri uri;
    bsn_conn *conn;     /* NULL: none yet */
    bsni_socket socket; /* under the transport, unless a test brought its own */
    bsni_transport transport;
    uint64_t deadline_ns; /* the operation at hand must be over by then; 0: none */
    bool cursor_open;
    const bsn_uri_host *host; /* that messages speak of; NULL: none yet */
    size_t message_len;
    char message[BSNI_CLIENT_MESSAGE_MAX];
};

/* Greets over a stream that is open already, with what the client's connection string and options say. */
bsn_status bsni_client_greet(bsn_client *client, bsni_transport transport, bsn_error *err);

/* bsn_client_open up to the point where it would connect: a client that has parsed its string. Its errors are those of that. */
bsn_status bsni_client_new(bsn_str uri, const bsn_client_options *options, bsn_client **client,
                           bsn_error *err);

#endif
