/* SPDX-License-Identifier: Apache-2.0
 *
 * dialog.c -- the host of a machine under test.
 */
#include "client/dialog.h"

#include "support/build.h"

#include <bsonic/wire.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dialog *dialog_new(const bsn_conn_options *options)
{
    dialog *d = calloc(1, sizeof *d);
    ck_assert_ptr_nonnull(d);
    script_init(&d->peer);
    d->stop_after = SIZE_MAX;
    bsn_error err;
    ck_assert_int_eq(bsn_conn_new(options, &d->conn, &err), BSN_OK);
    return d;
}

void dialog_free(dialog *d)
{
    bsn_conn_free(d->conn);
    free(d);
}

static int32_t number_of(bsn_doc doc)
{
    bsn_value value;
    ck_assert_int_eq(bsn_find_value(doc, BSN_STR("n"), &value, NULL), BSN_OK);
    ck_assert_int_eq(value.type, BSN_TYPE_INT32);
    return value.as.i32;
}

static void take_run(dialog *d)
{
    const bsn_run run = bsn_conn_run(d->conn);
    ck_assert_uint_ge(run.count, 1);
    ck_assert_uint_le(run.count, BSN_RUN_MAX);
    d->runs++;
    for (size_t i = 0; i < run.count; i++) {
        ck_assert_uint_lt(d->count, DOCS_MAX);
        d->docs[d->count++] = number_of(run.docs[i]);
    }
    if (d->count >= d->stop_after) bsn_conn_stop(d->conn);
}

void dialog_move(dialog *d, bsn_conn_event event)
{
    const bsni_transport peer = script_transport(&d->peer);
    bsn_error err = {0};
    size_t len = 0;
    bsn_status status;
    if (event == BSN_CONN_SEND) {
        bsn_iovec iov[4];
        const size_t count = bsn_conn_output(d->conn, iov, 4);
        status = bsni_transport_send(&peer, iov, count, -1, &len, &err);
        if (status == BSN_OK) bsn_conn_sent(d->conn, len);
    } else {
        size_t cap;
        uint8_t *room = bsn_conn_room(d->conn, &cap);
        if (room == NULL) return;
        status = bsni_transport_receive(&peer, room, cap, -1, &len, &err);
        if (status == BSN_OK) bsn_conn_received(d->conn, len);
    }
    if (status != BSN_OK) bsn_conn_lost(d->conn, status, err.os_error, NULL);
}

bsn_conn_event dialog_run(dialog *d)
{
    for (;;) {
        const bsn_conn_event event = bsn_conn_step(d->conn);
        switch (event) {
        case BSN_CONN_RUN: take_run(d); break;
        case BSN_CONN_DONE:
        case BSN_CONN_FAILED: ck_assert_int_eq(bsn_conn_step(d->conn), event); return event;
        default: dialog_move(d, event); break;
        }
    }
}

/* Past the hello of an ordinary server. */
dialog *dialog_greeted(const bsn_conn_options *options)
{
    dialog *d = dialog_new(options);
    script_reply(&d->peer, reply_hello(&d->bytes));
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    return d;
}

void dialog_expect_docs(const dialog *d, size_t count)
{
    ck_assert_uint_eq(d->count, count);
    for (size_t i = 0; i < count; i++) ck_assert_int_eq(d->docs[i], (int32_t)i);
}

void dialog_expect_failure(const dialog *d, bsn_status status, bool usable)
{
    bsn_error err = {0};
    ck_assert_msg(bsn_conn_error(d->conn, &err) == status, "%s (%s) at %llu",
                  bsn_status_text(err.status), err.detail != NULL ? err.detail : "",
                  (unsigned long long)err.offset);
    ck_assert_int_eq(bsn_conn_usable(d->conn), usable);
    ck_assert_uint_gt(bsn_conn_message(d->conn).len, 0);
}

void dialog_expect_message(const dialog *d, const char *part)
{
    char text[2048];
    const bsn_str message = bsn_conn_message(d->conn);
    snprintf(text, sizeof text, "%.*s", (int)message.len, message.ptr);
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" without \"%s\"", text, part);
}

bsn_doc dialog_request_body(const dialog *d, size_t request)
{
    bsn_msg msg;
    bsn_error err;
    ck_assert_int_eq(bsn_msg_open(script_request(&d->peer, request), &msg, &err), BSN_OK);
    ck_assert_uint_eq(msg.flags, 0);
    ck_assert_int_eq(msg.header.request_id, (int32_t)request + 1);
    return msg.body;
}

bsn_value dialog_field(bsn_doc doc, const char *key)
{
    bsn_value value = {.type = BSN_TYPE_NONE};
    (void)!bsn_find_value(doc, bsn_str_from(key), &value, NULL);
    return value;
}

void dialog_expect_text_field(bsn_doc doc, const char *key, const char *text)
{
    const bsn_value value = dialog_field(doc, key);
    ck_assert_int_eq(value.type, BSN_TYPE_STRING);
    ck_assert(bsn_str_equal(value.as.str, bsn_str_from(text)));
}

void dialog_expect_int64_field(bsn_doc doc, const char *key, int64_t number)
{
    const bsn_value value = dialog_field(doc, key);
    ck_assert_int_eq(value.type, BSN_TYPE_INT64);
    ck_assert_int_eq(value.as.i64, number);
}

bsn_str dialog_first_key(bsn_doc doc)
{
    bsn_iter it;
    bsn_iter_init(&it, doc);
    ck_assert(bsn_iter_next(&it));
    return bsn_iter_key(&it);
}

/* hello, a batch, an empty batch with the cursor still open, two more; the last does not repeat the namespace. */
void dialog_script_stream(dialog *d)
{
    script_reply(&d->peer, reply_hello(&d->bytes));
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", -9, "db.a.b", 0, 3));
    script_reply(&d->peer, reply_batch(&d->bytes, 3, "nextBatch", -9, "db.a.b", 3, 0));
    script_reply(&d->peer, reply_batch(&d->bytes, 4, "nextBatch", -9, "db.a.b", 3, 7));
    script_reply(&d->peer, reply_batch(&d->bytes, 5, "nextBatch", 0, NULL, 10, 2));
}

void dialog_run_stream(dialog *d)
{
    const bsn_find_options options = {.batch_size = 3};
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("v"), &options), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    dialog_expect_docs(d, 12);
}

/* A reply with one document that is longer than the window: {"n": 0, "": binary of `len` bytes}. */
bsn_bytes reply_long(build *b, size_t len)
{
    const size_t start = b->len;
    const size_t message = build_header(b, 9, 2, BSN_OP_MSG);
    build_hex(b, "00000000 00");
    const size_t body = build_open(b);
    build_element(b, 3, "cursor");
    const size_t cursor = build_open(b);
    build_element(b, 4, "firstBatch");
    const size_t array = build_open(b);
    build_element(b, 3, "0");
    const size_t doc = build_open(b);
    build_element(b, 0x10, "n");
    build_i32(b, 0);
    build_element(b, 5, "");
    build_i32(b, (int32_t)len);
    for (size_t i = 0; i <= len; i++) build_u8(b, 0);
    build_close(b, doc);
    build_hex(b, "03 3100 0C000000 10 6E00 01000000 00"); /* {"n": 1} */
    build_close(b, array);
    build_hex(b, "12 696400 0000000000000000");
    build_close(b, cursor);
    build_hex(b, "10 6F6B00 01000000");
    build_close(b, body);
    build_patch(b, message);
    const bsn_bytes reply = {.ptr = b->bytes + start, .len = b->len - start};
    return reply;
}
