/* SPDX-License-Identifier: Apache-2.0
 *
 * request.c -- see request.h.
 */
#include "serve/request.h"

#include <string.h>

/* Command, value and `$db` of a body that is walked once. */
static bsn_status read_body(serve_request *request, bsn_error *err)
{
    bsn_iter it;
    bool first = true;
    bsn_iter_init(&it, request->body);
    while (bsn_iter_next(&it)) {
        if (first) {
            request->name = bsn_iter_key(&it);
            request->value = bsn_iter_value(&it);
            first = false;
        } else if (!request->old && bsn_iter_key_is(&it, BSN_STR("$db")) &&
                   bsn_iter_type(&it) == BSN_TYPE_STRING && request->db.len == 0) {
            request->db = bsn_iter_value(&it).as.str;
        }
    }
    return bsn_iter_error(&it, err);
}

static bsn_status read_msg(bsn_bytes message, serve_request *request, bsn_error *err)
{
    bsn_msg msg;
    const bsn_status status = bsn_msg_open(message, &msg, err);
    if (status != BSN_OK) return status;
    if (!bsn_msg_verify(message, &msg)) {
        return bsn_error_set(err, BSN_E_CHECKSUM, message.len - 4, "CRC-32C of the message");
    }
    request->id = msg.header.request_id;
    request->silent = (msg.flags & BSN_MSG_MORE_TO_COME) != 0;
    request->body = msg.body;
    return read_body(request, err);
}

/* Old clients wrap a command to add to it: {$query: command, $readPreference: ..}. */
static bsn_doc unwrap(bsn_doc body)
{
    bsn_iter it;
    bsn_iter_init(&it, body);
    if (bsn_iter_next(&it) && bsn_iter_type(&it) == BSN_TYPE_DOCUMENT &&
        (bsn_iter_key_is(&it, BSN_STR("$query")) || bsn_iter_key_is(&it, BSN_STR("query")))) {
        return bsn_iter_value(&it).as.doc;
    }
    return body;
}

static bsn_status read_query(bsn_bytes message, serve_request *request, bsn_error *err)
{
    static const bsn_str command_end = {".$cmd", 5};
    bsn_query query;
    const bsn_status status = bsn_query_open(message, &query, err);
    if (status != BSN_OK) return status;
    request->id = query.header.request_id;
    request->old = true;
    const size_t len = query.ns.len;
    if (len < command_end.len ||
        memcmp(query.ns.ptr + len - command_end.len, command_end.ptr, command_end.len) != 0) {
        request->target = query.ns;
        request->body = query.query;
        return BSN_OK;
    }
    request->db.ptr = query.ns.ptr;
    request->db.len = len - command_end.len;
    request->body = unwrap(query.query);
    return read_body(request, err);
}

bsn_status serve_request_read(bsn_bytes message, serve_request *request, bsn_error *err)
{
    const serve_request fresh = {.id = 0};
    bsn_header header;
    const bsn_status status = bsn_header_read(message, BSN_MESSAGE_SIZE_MAX, &header, err);
    *request = fresh;
    if (status != BSN_OK) return status;
    if (!serve_request_opcode(header.opcode)) {
        return bsn_error_set(err, BSN_E_UNSUPPORTED, 12, "an opcode that is not served");
    }
    return header.opcode == BSN_OP_MSG ? read_msg(message, request, err)
                                       : read_query(message, request, err);
}
