/* SPDX-License-Identifier: Apache-2.0
 *
 * answer_hello.c -- the handshake: hello, isMaster, ismaster.
 *
 * What is left out matters as much as what is said: a `setName` or `msg` would make clients look for a replica set or shards,
 * and a `topologyVersion` would make some of them wait for a reply that streams.
 */
#include "serve/call.h"

#include <bsonic/get.h>
#include <bsonic/wire.h>

void serve_hello(serve_call *call)
{
    bsn_writer *const w = call->w;
    const bool is_hello = bsn_str_equal(call->request->name, BSN_STR("hello"));
    bsn_iter it;
    bool asked = false;
    /* Whatever else a client tells of itself is no error: newer ones tell more. */
    if (bsn_find(call->request->body, BSN_STR("helloOk"), &it, NULL) == BSN_OK &&
        bsn_as_boolean(&it, &asked) == BSN_OK && asked) {
        bsn_writer_boolean(w, BSN_STR("helloOk"), true);
    }
    bsn_writer_boolean(w, is_hello ? BSN_STR("isWritablePrimary") : BSN_STR("ismaster"), true);
    bsn_writer_int32(w, BSN_STR("maxBsonObjectSize"), 16 * 1024 * 1024);
    bsn_writer_int32(w, BSN_STR("maxMessageSizeBytes"), BSN_MESSAGE_SIZE_MAX);
    bsn_writer_int32(w, BSN_STR("maxWriteBatchSize"), 100000);
    bsn_writer_date(w, BSN_STR("localTime"), call->state->utc_ms);
    bsn_writer_int32(w, BSN_STR("logicalSessionTimeoutMinutes"), 30);
    bsn_writer_int32(w, BSN_STR("connectionId"), call->peer->id);
    bsn_writer_int32(w, BSN_STR("minWireVersion"), 0);
    bsn_writer_int32(w, BSN_STR("maxWireVersion"), SERVE_WIRE_VERSION_MAX);
    bsn_writer_boolean(w, BSN_STR("readOnly"), true);
}
