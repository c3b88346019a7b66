/* SPDX-License-Identifier: Apache-2.0
 *
 * insert_dialog.c -- see insert_dialog.h.
 */
#include "client/insert_dialog.h"

#include <bsonic/wire.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const server_limits generous = {0, 48000000, 100000};

/* ------------------------------------------------------------------ documents */

corpus *corpus_new(void)
{
    corpus *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    return c;
}

void corpus_add(corpus *c, bool with_id, size_t len)
{
    uint8_t *const bytes = c->bytes + c->len;
    uint8_t *at = bytes + 4;
    ck_assert_uint_ge(len, with_id ? WITH_ID_MIN : WITHOUT_ID_MIN);
    ck_assert_uint_le(len, sizeof c->bytes - c->len);
    ck_assert_uint_lt(c->count, CORPUS_DOCS_MAX);
    bsn_store_i32(bytes, (int32_t)len);
    if (with_id) {
        memcpy(at, "\x10_id", 5);
        bsn_store_i32(at + 5, (int32_t)c->count);
        at += 9;
    }
    memcpy(at, "\x05pad", 5);
    bsn_store_i32(at + 5, (int32_t)(bytes + len - 1 - (at + 10)));
    at[9] = 0;
    memset(at + 10, (int)(c->count & 0x7F), (size_t)(bytes + len - 1 - (at + 10)));
    bytes[len - 1] = 0;
    const bsn_doc doc = {bytes, len};
    c->docs[c->count++] = doc;
    c->len += len;
}

corpus *corpus_of(size_t count, size_t len, bool scattered)
{
    corpus *c = corpus_new();
    for (size_t i = 0; i < count; i++) {
        corpus_add(c, true, len);
        c->len += scattered;
    }
    return c;
}

/* ------------------------------------------------------------------ answers */

bsn_bytes reply_insert(build *b, int32_t response_to, int32_t n, const told_error *errors,
                       size_t count)
{
    const size_t start = b->len;
    const size_t message = build_header(b, 9, response_to, BSN_OP_MSG);
    build_u32(b, 0);
    build_u8(b, 0);
    const size_t body = build_open(b);
    build_element(b, BSN_TYPE_INT32, "n");
    build_i32(b, n);
    if (count > 0) {
        build_element(b, BSN_TYPE_ARRAY, "writeErrors");
        const size_t list = build_open(b);
        for (size_t i = 0; i < count; i++) {
            char text[32];
            snprintf(text, sizeof text, "E%d", (int)errors[i].code);
            build_element(b, BSN_TYPE_DOCUMENT, "0");
            const size_t error = build_open(b);
            build_element(b, BSN_TYPE_INT32, "index");
            build_i32(b, errors[i].index);
            build_element(b, BSN_TYPE_INT32, "code");
            build_i32(b, errors[i].code);
            build_element(b, BSN_TYPE_STRING, "errmsg");
            build_string(b, text);
            build_close(b, error);
        }
        build_close(b, list);
    }
    build_element(b, BSN_TYPE_DOUBLE, "ok");
    build_f64(b, 1);
    build_close(b, body);
    build_patch(b, message);
    const bsn_bytes reply = {.ptr = b->bytes + start, .len = b->len - start};
    return reply;
}

bsn_bytes reply_concern(build *b, int32_t response_to, int32_t n, int32_t code, const char *text)
{
    const size_t start = b->len;
    const size_t message = build_header(b, 9, response_to, BSN_OP_MSG);
    build_u32(b, 0);
    build_u8(b, 0);
    const size_t body = build_open(b);
    build_element(b, BSN_TYPE_DOCUMENT, "writeConcernError");
    const size_t error = build_open(b);
    build_element(b, BSN_TYPE_INT32, "code");
    build_i32(b, code);
    build_element(b, BSN_TYPE_STRING, "errmsg");
    build_string(b, text);
    build_close(b, error);
    build_element(b, BSN_TYPE_INT64, "n");
    build_i64(b, n);
    build_element(b, BSN_TYPE_BOOLEAN, "ok");
    build_u8(b, 1);
    build_close(b, body);
    build_patch(b, message);
    const bsn_bytes reply = {.ptr = b->bytes + start, .len = b->len - start};
    return reply;
}

/* ------------------------------------------------------------------ the host */

static void build_limit(build *b, const char *key, int32_t value)
{
    if (value == 0) return;
    build_element(b, BSN_TYPE_INT32, key);
    build_i32(b, value);
}

bsn_bytes reply_limits(build *b, const server_limits *limits)
{
    const size_t start = b->len;
    const size_t message = build_header(b, 9, 1, BSN_OP_REPLY);
    build_u32(b, BSN_REPLY_AWAIT_CAPABLE);
    build_i64(b, 0);
    build_i32(b, 0);
    build_i32(b, 1);
    const size_t body = build_open(b);
    build_limit(b, "maxWireVersion", 21);
    build_limit(b, "maxBsonObjectSize", limits->document_max);
    build_limit(b, "maxMessageSizeBytes", limits->message_max);
    build_limit(b, "maxWriteBatchSize", limits->batch_max);
    build_element(b, BSN_TYPE_DOUBLE, "ok");
    build_f64(b, 1);
    build_close(b, body);
    build_patch(b, message);
    const bsn_bytes reply = {.ptr = b->bytes + start, .len = b->len - start};
    return reply;
}

inserting *inserting_open(const bsn_conn_options *options, const server_limits *limits)
{
    inserting *d = calloc(1, sizeof *d);
    ck_assert_ptr_nonnull(d);
    d->host = dialog_new(options);
    script_reply(&d->host->peer, reply_limits(&d->host->bytes, limits));
    ck_assert_int_eq(bsn_conn_hello(d->host->conn), BSN_OK);
    ck_assert_int_eq(dialog_run(d->host), BSN_CONN_DONE);
    ck_assert_int_eq(bsn_insert_result_init(&d->result, NULL), BSN_OK);
    return d;
}

inserting *inserting_new(const server_limits *limits)
{
    return inserting_open(NULL, limits);
}

void inserting_free(inserting *d)
{
    bsn_insert_result_free(&d->result);
    dialog_free(d->host);
    free(d);
}

/* The next request's answer: of request 2 on, since the hello was 1. */
void inserting_answer(inserting *d, int32_t n, const told_error *errors, size_t count)
{
    const int32_t request = (int32_t)d->host->peer.reply_count + 1;
    script_reply(&d->host->peer, reply_insert(&d->host->bytes, request, n, errors, count));
}

bsn_conn_event inserting_insert(inserting *d, const corpus *c, const bsn_insert_options *options)
{
    ck_assert_int_eq(bsn_conn_insert(d->host->conn, BSN_STR("db"), BSN_STR("c"), c->docs, c->count,
                                     options, &d->result),
                     BSN_OK);
    return dialog_run(d->host);
}

bsn_bytes inserting_documents(const inserting *d, size_t request, bsn_doc *body)
{
    bsn_msg msg;
    bsn_bytes documents;
    bsn_error err = {0};
    ck_assert_msg(bsn_msg_open(script_request(&d->host->peer, request), &msg, &err) == BSN_OK,
                  "%s at %u", bsn_status_text(err.status), (unsigned)err.offset);
    ck_assert_uint_eq(msg.flags, 0);
    ck_assert_int_eq(msg.header.request_id, (int32_t)request + 1);
    ck_assert_uint_eq(msg.sequence_count, 1);
    ck_assert(bsn_msg_find_sequence(&msg, BSN_STR("documents"), &documents));
    *body = msg.body;
    return documents;
}

void inserting_expect_request(const inserting *d, size_t request, const corpus *c, size_t first,
                              size_t count)
{
    bsn_doc body;
    bsn_bytes documents = inserting_documents(d, request, &body);
    for (size_t i = first; i < first + count; i++) {
        bsn_doc doc;
        ck_assert_int_eq(bsn_doc_take(&documents, &doc, NULL), BSN_OK);
        ck_assert_uint_eq(doc.len, c->docs[i].len);
        ck_assert_mem_eq(doc.ptr, c->docs[i].ptr, doc.len);
    }
    ck_assert_uint_eq(documents.len, 0);
}
