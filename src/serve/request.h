/* SPDX-License-Identifier: Apache-2.0
 *
 * request.h -- a client's message as a command: OP_MSG, or OP_QUERY to "db.$cmd".
 */
#ifndef SERVE_REQUEST_H
#define SERVE_REQUEST_H

#include <bsonic/wire.h>

typedef struct serve_request {
    int32_t id;
    bool old;    /* came as OP_QUERY: the answer is an OP_REPLY */
    bool silent; /* wants no answer */
    bsn_str db;  /* empty when the request did not say */
    bsn_doc body;
    bsn_str name;    /* of the command: the body's first key; empty for an empty body */
    bsn_value value; /* of that key */
    bsn_str target;  /* what an OP_QUERY was sent to, when that is no command: a collection */
} serve_request;

/* True for the opcodes that a request may have. */
static inline bool serve_request_opcode(int32_t opcode)
{
    return opcode == BSN_OP_MSG || opcode == BSN_OP_QUERY;
}

/* Reads a message that is there as a whole. Views borrow from it.
 *
 * Errors   what breaks the protocol, or the body's structure up to `$db`: the connection is to be closed.
 *          BSN_E_UNSUPPORTED  an opcode that is retired since server 5.1, or compressed (nothing of it was offered)
 */
bsn_status serve_request_read(bsn_bytes message, serve_request *request, bsn_error *err);

#endif
