/* SPDX-License-Identifier: Apache-2.0
 *
 * answer.h -- a request's bytes in, its reply's bytes out: no socket, no clock of its own.
 */
#ifndef SERVE_ANSWER_H
#define SERVE_ANSWER_H

#include "serve/cursors.h"
#include "serve/feed.h"

/* The server told to clients: enough for what is served, old enough that no newer tool asks for more. */
#define SERVE_VERSION "7.0.0"
#define SERVE_WIRE_VERSION_MAX 21

/* Connections at once; more wait to be accepted. */
#define SERVE_CONNECTIONS_MAX 1000

/* All that the answers depend on. */
typedef struct serve_state {
    serve_catalog catalog;
    serve_cursors cursors;
    serve_window window;
    const bsn_alloc *alloc;

    /* Kept up to date by who calls serve_answer. */
    uint64_t now_ms; /* of a clock that never goes back */
    int64_t utc_ms;
    uint64_t started_ms; /* now_ms at the start */
    uint32_t connections;
    uint64_t connections_total;
    const char *host; /* as it was asked to listen on */
    uint16_t port;

    /* private */
    int32_t last_id; /* of a reply */
} serve_state;

/* A state that serves nothing yet: add to its catalog. */
void serve_state_init(serve_state *state, const bsn_alloc *alloc);
void serve_state_free(serve_state *state);

/* Who asks. */
typedef struct serve_peer {
    int32_t id; /* of the connection */
    bsn_str address;
} serve_peer;

typedef enum serve_outcome {
    SERVE_REPLY = 1, /* *out has a reply; it goes on in *feed when that is active */
    SERVE_SILENT,    /* the request wants none */
    SERVE_CLOSE      /* the connection is to be closed: *err says why */
} serve_outcome;

/* Answers one message. *out is as it was unless there is a reply. */
serve_outcome serve_answer(serve_state *state, const serve_peer *peer, bsn_bytes message,
                           bsn_out *out, serve_feed *feed, bsn_error *err);

#endif
