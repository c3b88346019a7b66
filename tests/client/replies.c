/* SPDX-License-Identifier: Apache-2.0
 *
 * replies.c -- what a server answers.
 */
#include "client/replies.h"

#include <bsonic/wire.h>

#include <check.h>

#define SERVER_ID 7777 /* requestID of every reply: the server's own business */

static void put_text(build *b, const char *key, const char *text)
{
    build_element(b, BSN_TYPE_STRING, key);
    build_string(b, text);
}

static void put_int32(build *b, const char *key, int32_t value)
{
    build_element(b, BSN_TYPE_INT32, key);
    build_i32(b, value);
}

static void put_ok(build *b, double ok)
{
    build_element(b, BSN_TYPE_DOUBLE, "ok");
    build_f64(b, ok);
}

static bsn_bytes since(const build *b, size_t start)
{
    const bsn_bytes message = {.ptr = b->bytes + start, .len = b->len - start};
    return message;
}

/* Begins an OP_MSG up to its body's elements; returns the places of both lengths. */
static size_t begin_msg(build *b, int32_t response_to, uint32_t flags, size_t *body)
{
    const size_t message = build_header(b, SERVER_ID, response_to, BSN_OP_MSG);
    build_u32(b, flags);
    build_u8(b, 0);
    *body = build_open(b);
    return message;
}

static bsn_bytes end_message(build *b, size_t start, size_t message, size_t body)
{
    build_close(b, body);
    build_patch(b, message);
    return since(b, start);
}

bsn_bytes reply_hello_of(build *b, const char *elements)
{
    const size_t start = b->len;
    const size_t message = build_header(b, SERVER_ID, 1, BSN_OP_REPLY);
    build_u32(b, BSN_REPLY_AWAIT_CAPABLE);
    build_i64(b, 0);
    build_i32(b, 0);
    build_i32(b, 1);
    const size_t body = build_open(b);
    build_hex(b, elements);
    put_ok(b, 1);
    return end_message(b, start, message, body);
}

bsn_bytes reply_hello(build *b)
{
    const size_t start = b->len;
    const size_t message = build_header(b, SERVER_ID, 1, BSN_OP_REPLY);
    build_u32(b, BSN_REPLY_AWAIT_CAPABLE);
    build_i64(b, 0);
    build_i32(b, 0);
    build_i32(b, 1);
    const size_t body = build_open(b);
    build_element(b, BSN_TYPE_BOOLEAN, "helloOk");
    build_u8(b, 1);
    put_int32(b, "maxBsonObjectSize", 16777216);
    put_int32(b, "maxMessageSizeBytes", 48000000);
    put_int32(b, "maxWriteBatchSize", 100000);
    put_int32(b, "minWireVersion", 0);
    put_int32(b, "maxWireVersion", 21);
    put_ok(b, 1);
    return end_message(b, start, message, body);
}

bsn_bytes reply_batch(build *b, int32_t response_to, const char *batch, int64_t id, const char *ns,
                      int32_t first, int count)
{
    const size_t start = b->len;
    size_t body;
    const size_t message = begin_msg(b, response_to, 0, &body);
    build_element(b, BSN_TYPE_DOCUMENT, "cursor");
    const size_t cursor = build_open(b);
    build_element(b, BSN_TYPE_ARRAY, batch);
    const size_t array = build_open(b);
    for (int i = 0; i < count; i++) {
        build_element(b, BSN_TYPE_DOCUMENT, "0"); /* nobody reads the index */
        const size_t doc = build_open(b);
        put_int32(b, "n", first + i);
        build_close(b, doc);
    }
    build_close(b, array);
    build_element(b, BSN_TYPE_INT64, "id");
    build_i64(b, id);
    if (ns != NULL) put_text(b, "ns", ns);
    build_close(b, cursor);
    put_ok(b, 1);
    return end_message(b, start, message, body);
}

bsn_bytes reply_error(build *b, int32_t response_to, const char *text, int32_t code,
                      const char *name)
{
    const size_t start = b->len;
    size_t body;
    const size_t message = begin_msg(b, response_to, 0, &body);
    put_ok(b, 0);
    put_text(b, "errmsg", text);
    if (code != 0) put_int32(b, "code", code);
    if (name != NULL) put_text(b, "codeName", name);
    return end_message(b, start, message, body);
}

bsn_bytes reply_ok(build *b, int32_t response_to)
{
    const size_t start = b->len;
    size_t body;
    const size_t message = begin_msg(b, response_to, 0, &body);
    put_ok(b, 1);
    return end_message(b, start, message, body);
}

bsn_bytes reply_of(build *b, int32_t response_to, uint32_t flags, const char *elements)
{
    const size_t start = b->len;
    size_t body;
    const size_t message = begin_msg(b, response_to, flags, &body);
    build_hex(b, elements);
    return end_message(b, start, message, body);
}
