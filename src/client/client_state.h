/* SPDX-License-Identifier: Apache-2.0
 *
 * client_state.h -- the inside of a client, for client.c, bulk.c and their tests.
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
    bool has_ids; /* `ids` has had its entropy */
    bsn_oid_source ids;
    const bsn_uri_host *host; /* that messages speak of; NULL: none yet */
    size_t message_len;
    char message[BSNI_CLIENT_MESSAGE_MAX];
};

/* Greets over a stream that is open already, with what the client's connection string and options say. */
bsn_status bsni_client_greet(bsn_client *client, bsni_transport transport, bsn_error *err);

/* bsn_client_open up to the point where it would connect: a client that has parsed its string. Its errors are those of that. */
bsn_status bsni_client_new(bsn_str uri, const bsn_client_options *options, bsn_client **client,
                           bsn_error *err);

/* Refuses what cannot be begun (BSN_E_STATE), and clears what the operation before has left. */
bsn_status bsni_client_begin(bsn_client *client, bsn_error *err);

/* Moves bytes until there is something for the caller. */
bsn_conn_event bsni_client_drive(bsn_client *client);

/* Make the client's message of a failure, the host's name in front of it: with words of their own; one that only *err knows; that of
 * the connection, which is also copied to *err. Each returns the status. */
bsn_status bsni_client_explain(bsn_client *client, const bsn_error *err, bsn_str why);
bsn_status bsni_client_explain_error(bsn_client *client, const bsn_error *err);
bsn_status bsni_client_explain_conn(bsn_client *client, bsn_error *err);

#endif
