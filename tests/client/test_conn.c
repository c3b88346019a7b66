/* SPDX-License-Identifier: Apache-2.0
 *
 * test_conn.c -- the connection machine against scripted servers: honest ones in pieces of every size, and lying ones.
 *
 * `run` is the host: it moves the bytes between the machine and the script until the operation is over, and writes down the
 * `n` of each document that came.
 */
#include "client/replies.h"
#include "suites.h"
#include "support/failing_alloc.h"
#include "support/script.h"

#include <bsonic/conn.h>
#include <bsonic/wire.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOCS_MAX 1024

/* A machine, its peer, and what came. */
typedef struct dialog {
    bsn_conn *conn;
    script peer;
    build bytes; /* the replies */
    int32_t docs[DOCS_MAX];
    size_t count;
    size_t runs;
    size_t stop_after; /* documents; then bsn_conn_stop */
} dialog;

static dialog *dialog_new(const bsn_conn_options *options)
{
    dialog *d = calloc(1, sizeof *d);
    ck_assert_ptr_nonnull(d);
    script_init(&d->peer);
    d->stop_after = SIZE_MAX;
    bsn_error err;
    ck_assert_int_eq(bsn_conn_new(options, &d->conn, &err), BSN_OK);
    return d;
}

static void dialog_free(dialog *d)
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

static void move(dialog *d, bsn_conn_event event)
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

static bsn_conn_event run(dialog *d)
{
    for (;;) {
        const bsn_conn_event event = bsn_conn_step(d->conn);
        switch (event) {
        case BSN_CONN_RUN: take_run(d); break;
        case BSN_CONN_DONE:
        case BSN_CONN_FAILED: ck_assert_int_eq(bsn_conn_step(d->conn), event); return event;
        default: move(d, event); break;
        }
    }
}

/* Past the hello of an ordinary server. */
static dialog *dialog_greeted(const bsn_conn_options *options)
{
    dialog *d = dialog_new(options);
    script_reply(&d->peer, reply_hello(&d->bytes));
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    return d;
}

static void expect_docs(const dialog *d, size_t count)
{
    ck_assert_uint_eq(d->count, count);
    for (size_t i = 0; i < count; i++) ck_assert_int_eq(d->docs[i], (int32_t)i);
}

static void expect_failure(const dialog *d, bsn_status status, bool usable)
{
    bsn_error err = {0};
    ck_assert_msg(bsn_conn_error(d->conn, &err) == status, "%s (%s) at %llu",
                  bsn_status_text(err.status), err.detail != NULL ? err.detail : "",
                  (unsigned long long)err.offset);
    ck_assert_int_eq(bsn_conn_usable(d->conn), usable);
    ck_assert_uint_gt(bsn_conn_message(d->conn).len, 0);
}

static void expect_message(const dialog *d, const char *part)
{
    char text[2048];
    const bsn_str message = bsn_conn_message(d->conn);
    snprintf(text, sizeof text, "%.*s", (int)message.len, message.ptr);
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" without \"%s\"", text, part);
}

/* ------------------------------------------------------------------ what is asked */

static bsn_doc body_of(const dialog *d, size_t request)
{
    bsn_msg msg;
    bsn_error err;
    ck_assert_int_eq(bsn_msg_open(script_request(&d->peer, request), &msg, &err), BSN_OK);
    ck_assert_uint_eq(msg.flags, 0);
    ck_assert_int_eq(msg.header.request_id, (int32_t)request + 1);
    return msg.body;
}

static bsn_value field(bsn_doc doc, const char *key)
{
    bsn_value value = {.type = BSN_TYPE_NONE};
    (void)!bsn_find_value(doc, bsn_str_from(key), &value, NULL);
    return value;
}

static void expect_text_field(bsn_doc doc, const char *key, const char *text)
{
    const bsn_value value = field(doc, key);
    ck_assert_int_eq(value.type, BSN_TYPE_STRING);
    ck_assert(bsn_str_equal(value.as.str, bsn_str_from(text)));
}

static void expect_int64_field(bsn_doc doc, const char *key, int64_t number)
{
    const bsn_value value = field(doc, key);
    ck_assert_int_eq(value.type, BSN_TYPE_INT64);
    ck_assert_int_eq(value.as.i64, number);
}

static bsn_str first_key(bsn_doc doc)
{
    bsn_iter it;
    bsn_iter_init(&it, doc);
    ck_assert(bsn_iter_next(&it));
    return bsn_iter_key(&it);
}

START_TEST(the_hello_says_who_asks_in_at_most_512_bytes)
{
    char name[129];
    memset(name, 'x', sizeof name);
    for (size_t len = 0; len <= 128; len += 64) {
        const bsn_conn_options options = {.app_name = {.ptr = name, .len = len}};
        dialog *d = dialog_greeted(&options);
        bsn_query query;
        bsn_error err;
        ck_assert_int_eq(bsn_query_open(script_request(&d->peer, 0), &query, &err), BSN_OK);
        ck_assert(bsn_str_equal(query.ns, BSN_STR("admin.$cmd")));
        ck_assert_int_eq(query.return_count, -1);
        ck_assert(bsn_str_equal(first_key(query.query), BSN_STR("isMaster")));
        ck_assert(field(query.query, "helloOk").as.boolean);
        ck_assert_int_eq(field(query.query, "compression").type, BSN_TYPE_ARRAY);
        ck_assert_int_eq(field(query.query, "$db").type, BSN_TYPE_NONE);
        const bsn_doc client = field(query.query, "client").as.doc;
        ck_assert_uint_le(client.len, 512);
        expect_text_field(field(client, "driver").as.doc, "name", "bsonic");
        ck_assert_int_eq(field(field(client, "os").as.doc, "type").type, BSN_TYPE_STRING);
        const bsn_value application = field(client, "application");
        ck_assert_int_eq(application.type, len > 0 ? BSN_TYPE_DOCUMENT : BSN_TYPE_NONE);
        if (len > 0) ck_assert_uint_eq(field(application.as.doc, "name").as.str.len, len);
        dialog_free(d);
    }
    const bsn_conn_options too_long = {.app_name = {.ptr = name, .len = 129}};
    bsn_conn *conn;
    ck_assert_int_eq(bsn_conn_new(&too_long, &conn, NULL), BSN_E_RANGE);
    ck_assert_ptr_null(conn);
}
END_TEST

START_TEST(a_find_asks_for_what_the_options_say)
{
    static const uint8_t some[] = {0x0C, 0, 0, 0, 0x10, 'a', 0, 1, 0, 0, 0, 0};
    const bsn_doc doc = {.ptr = some, .len = sizeof some};
    const bsn_find_options options = {
        .filter = doc, .projection = doc, .sort = doc, .skip = 3, .limit = 5, .batch_size = 2};
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 0, "db.c", 0, 1));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("a.b"), &options), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    const bsn_doc body = body_of(d, 1);
    ck_assert(bsn_str_equal(first_key(body), BSN_STR("find")));
    expect_text_field(body, "find", "a.b");
    expect_text_field(body, "$db", "db");
    for (int i = 0; i < 3; i++) {
        static const char *const keys[] = {"filter", "projection", "sort"};
        const bsn_value value = field(body, keys[i]);
        ck_assert_int_eq(value.type, BSN_TYPE_DOCUMENT);
        ck_assert(bsn_bytes_equal(bsn_doc_bytes(value.as.doc), bsn_doc_bytes(doc)));
    }
    expect_int64_field(body, "skip", 3);
    expect_int64_field(body, "limit", 5);
    expect_int64_field(body, "batchSize", 2);
    ck_assert_int_eq(field(body, "$readPreference").type, BSN_TYPE_NONE);
    dialog_free(d);
}
END_TEST

START_TEST(a_plain_find_asks_for_nothing_more)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 0, "db.c", 0, 0));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    size_t fields = 0;
    bsn_iter it;
    bsn_iter_init(&it, body_of(d, 1));
    while (bsn_iter_next(&it)) fields++;
    ck_assert_uint_eq(fields, 2); /* find, $db */
    expect_docs(d, 0);
    dialog_free(d);
}
END_TEST

START_TEST(a_limit_that_is_the_batch_size_asks_for_one_more_so_that_the_cursor_closes)
{
    const bsn_find_options options = {.limit = 7, .batch_size = 7};
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 0, "db.c", 0, 7));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), &options), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    expect_int64_field(body_of(d, 1), "batchSize", 8);
    expect_int64_field(body_of(d, 1), "limit", 7);
    expect_docs(d, 7);
    dialog_free(d);
}
END_TEST

START_TEST(a_member_of_a_replica_set_is_told_that_a_secondary_may_answer)
{
    dialog *d = dialog_new(NULL);
    /* setName: "rs", maxWireVersion: 21 */
    script_reply(&d->peer, reply_hello_of(&d->bytes, "02 7365744E616D6500 03000000 727300"
                                                     "10 6D61785769726556657273696F6E00 15000000"));
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    ck_assert(bsn_conn_server(d->conn)->replica_set_member);
    script_reply(&d->peer, reply_ok(&d->bytes, 2));
    static const uint8_t ping[] = {15, 0, 0, 0, 0x10, 'p', 'i', 'n', 'g', 0, 1, 0, 0, 0, 0};
    const bsn_doc command = {.ptr = ping, .len = sizeof ping};
    ck_assert_int_eq(bsn_conn_command(d->conn, BSN_STR("admin"), command, 0), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    const bsn_value preference = field(body_of(d, 1), "$readPreference");
    ck_assert_int_eq(preference.type, BSN_TYPE_DOCUMENT);
    expect_text_field(preference.as.doc, "mode", "primaryPreferred");
    dialog_free(d);
}
END_TEST

START_TEST(requests_that_cannot_be_made_leave_the_machine_ready)
{
    static const uint8_t with_db[] = {10, 0, 0, 0, 0x0A, '$', 'd', 'b', 0, 0};
    static const uint8_t damaged[] = {9, 0, 0, 0, 0x08, 'a', 0, 2, 0};
    static const uint8_t empty[] = {5, 0, 0, 0, 0};
    const bsn_doc with_db_doc = {.ptr = with_db, .len = sizeof with_db};
    const bsn_doc damaged_doc = {.ptr = damaged, .len = sizeof damaged};
    const bsn_doc empty_doc = {.ptr = empty, .len = sizeof empty};
    const bsn_str none = {.ptr = "", .len = 0}, db = BSN_STR("db"), c = BSN_STR("c");
    const bsn_find_options skip = {.skip = (uint64_t)INT64_MAX + 1};
    const bsn_find_options limit = {.limit = UINT64_MAX};
    const bsn_find_options batch = {.batch_size = INT32_MAX};
    dialog *d = dialog_greeted(NULL);
    ck_assert_int_eq(bsn_conn_command(d->conn, db, empty_doc, 0), BSN_E_VALUE);
    ck_assert_int_eq(bsn_conn_command(d->conn, db, with_db_doc, 0), BSN_E_VALUE);
    ck_assert_int_eq(bsn_conn_command(d->conn, db, damaged_doc, 0), BSN_E_BOOLEAN);
    ck_assert_int_eq(bsn_conn_command(d->conn, none, with_db_doc, 0), BSN_E_VALUE);
    ck_assert_int_eq(bsn_conn_find(d->conn, db, none, NULL), BSN_E_VALUE);
    ck_assert_int_eq(bsn_conn_find(d->conn, none, c, NULL), BSN_E_VALUE);
    ck_assert_int_eq(bsn_conn_find(d->conn, db, c, &skip), BSN_E_RANGE);
    ck_assert_int_eq(bsn_conn_find(d->conn, db, c, &limit), BSN_E_RANGE);
    ck_assert_int_eq(bsn_conn_find(d->conn, db, c, &batch), BSN_E_RANGE);
    ck_assert_int_eq(bsn_conn_step(d->conn), BSN_CONN_DONE);
    ck_assert_uint_eq(script_request_count(&d->peer), 1);
    dialog_free(d);
}
END_TEST

START_TEST(operations_out_of_order_are_refused)
{
    dialog *d = dialog_new(NULL);
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_E_STATE);
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_E_STATE);
    script_reply(&d->peer, reply_hello(&d->bytes));
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_E_STATE);
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_E_STATE);
    bsn_conn_lost(d->conn, BSN_E_CLOSED, 0, NULL);
    ck_assert_int_eq(bsn_conn_step(d->conn), BSN_CONN_FAILED);
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_E_STATE);
    expect_failure(d, BSN_E_CLOSED, false);
    dialog_free(d);
}
END_TEST

/* ------------------------------------------------------------------ the hello's answer */

START_TEST(the_hello_s_answer_is_read_and_bounded)
{
    static const bsn_server_info defaults = {.wire_version_max = 21,
                                             .document_size_max = 16777216,
                                             .message_size_max = 48000000,
                                             .write_batch_max = 1000};
#define WIRE_21 "10 6D61785769726556657273696F6E00 15000000"
#define DOCUMENT_SIZE "6D617842736F6E4F626A65637453697A6500"
#define MESSAGE_SIZE "6D61784D65737361676553697A65427974657300"
#define WRITE_BATCH "6D6178577269746542617463685369 7A6500"
    static const struct {
        const char *elements;
        size_t document, message;
        uint32_t batch;
    } rows[] = {
        {WIRE_21, 16777216, 48000000, 1000},
        {WIRE_21 "10" DOCUMENT_SIZE "00001000", 1048576, 48000000, 1000},
        {WIRE_21 "10" DOCUMENT_SIZE "FFFFFF7F", 16777216, 48000000, 1000},
        {WIRE_21 "10" DOCUMENT_SIZE "FFFFFFFF", 16777216, 48000000, 1000},
        {WIRE_21 "10" DOCUMENT_SIZE "00000000", 16777216, 48000000, 1000},
        {WIRE_21 "12" MESSAGE_SIZE "FFFFFFFFFFFFFF7F", 16777216, 48000000, 1000},
        {WIRE_21 "12" MESSAGE_SIZE "0000000000000080", 16777216, 48000000, 1000},
        {WIRE_21 "01" MESSAGE_SIZE "000000000000F87F", 16777216, 48000000, 1000}, /* NaN */
        {WIRE_21 "01" MESSAGE_SIZE "000000000000F07F", 16777216, 48000000, 1000}, /* Infinity */
        {WIRE_21 "01" MESSAGE_SIZE "000000000088D340", 16777216, 20000, 1000},
        {WIRE_21 "0A" MESSAGE_SIZE "", 16777216, 48000000, 1000}, /* null */
        {WIRE_21 "10" WRITE_BATCH "A0860100", 16777216, 48000000, 100000},
        {WIRE_21 "10" WRITE_BATCH "FFFFFF7F", 16777216, 48000000, 100000},
        {WIRE_21 "10" WRITE_BATCH "FFFFFFFF", 16777216, 48000000, 1000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dialog *d = dialog_new(NULL);
        script_reply(&d->peer, reply_hello_of(&d->bytes, rows[i].elements));
        ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
        ck_assert_int_eq(run(d), BSN_CONN_DONE);
        const bsn_server_info *server = bsn_conn_server(d->conn);
        ck_assert_int_eq(server->wire_version_max, defaults.wire_version_max);
        ck_assert_msg(server->document_size_max == rows[i].document, "row %zu", i);
        ck_assert_msg(server->message_size_max == rows[i].message, "row %zu: %zu", i,
                      server->message_size_max);
        ck_assert_msg(server->write_batch_max == rows[i].batch, "row %zu", i);
        dialog_free(d);
    }
}
END_TEST

START_TEST(no_common_wire_version_is_told_with_both_ranges)
{
    static const struct {
        const char *elements;
        const char *told;
    } rows[] = {
        {"", "0 to 0, this client 6 to 25"},
        {"10 6D61785769726556657273696F6E00 05000000", "0 to 5, this client 6 to 25"},
        {"10 6D696E5769726556657273696F6E00 1A000000 10 6D61785769726556657273696F6E00 1E000000",
         "26 to 30, this client 6 to 25"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dialog *d = dialog_new(NULL);
        script_reply(&d->peer, reply_hello_of(&d->bytes, rows[i].elements));
        ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
        ck_assert_int_eq(run(d), BSN_CONN_FAILED);
        expect_failure(d, BSN_E_UNSUPPORTED, false);
        expect_message(d, rows[i].told);
        dialog_free(d);
    }
}
END_TEST

START_TEST(a_hello_that_is_refused_ends_the_connection)
{
    dialog *d = dialog_new(NULL);
    /* ok: 0 comes first, the ok: 1 behind it is one too many and not looked at: so build it by hand */
    build *b = &d->bytes;
    const size_t message = build_header(b, 9, 1, BSN_OP_REPLY);
    build_hex(b, "08000000 0000000000000000 00000000 01000000");
    const size_t body = build_open(b);
    build_hex(b, "10 6F6B00 00000000 02 6572726D736700 03000000 6E6F00 10 636F646500 0D000000");
    build_close(b, body);
    build_patch(b, message);
    script_reply(&d->peer, build_view(b));
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_FAILED);
    expect_failure(d, BSN_E_SERVER, false);
    expect_message(d, "no (code 13)");
    dialog_free(d);
}
END_TEST

/* ------------------------------------------------------------------ streams */

/* hello, a batch, an empty batch with the cursor still open, two more; the namespace changes on the way. */
static void script_stream(dialog *d)
{
    script_reply(&d->peer, reply_hello(&d->bytes));
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 5, "db.a.b", 0, 3));
    script_reply(&d->peer, reply_batch(&d->bytes, 3, "nextBatch", -9, "db.a.b", 3, 0));
    script_reply(&d->peer, reply_batch(&d->bytes, 4, "nextBatch", INT64_MAX, "eb.x", 3, 7));
    script_reply(&d->peer, reply_batch(&d->bytes, 5, "nextBatch", 0, NULL, 10, 2));
}

static void run_stream(dialog *d)
{
    const bsn_find_options options = {.batch_size = 3};
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("v"), &options), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    expect_docs(d, 12);
}

START_TEST(a_cursor_is_followed_to_its_end_by_what_its_replies_say)
{
    dialog *d = dialog_new(NULL);
    script_stream(d);
    run_stream(d);
    ck_assert_uint_eq(script_request_count(&d->peer), 5);
    expect_int64_field(body_of(d, 2), "getMore", 5);
    expect_text_field(body_of(d, 2), "collection", "a.b");
    expect_text_field(body_of(d, 2), "$db", "db");
    expect_int64_field(body_of(d, 2), "batchSize", 3);
    expect_int64_field(body_of(d, 3), "getMore", -9);
    expect_int64_field(body_of(d, 4), "getMore", INT64_MAX);
    expect_text_field(body_of(d, 4), "collection", "x");
    expect_text_field(body_of(d, 4), "$db", "eb");
    bsn_doc reply;
    ck_assert(bsn_conn_reply(d->conn, &reply));
    ck_assert_int_eq(field(reply, "ok").type, BSN_TYPE_DOUBLE);
    ck_assert_int_eq(field(reply, "cursor").type, BSN_TYPE_NONE);
    const bsn_conn_stats stats = bsn_conn_get_stats(d->conn);
    ck_assert_uint_eq(stats.documents, 12);
    ck_assert_uint_eq(stats.replies, 5);
    ck_assert_uint_eq(stats.bytes_received, d->peer.received);
    ck_assert_uint_eq(stats.bytes_sent, d->peer.sent_len);
    dialog_free(d);
}
END_TEST

START_TEST(a_stream_is_the_same_in_pieces_of_every_size)
{
    for (size_t step = 1; step <= 1100; step += step < 64 ? 1 : 97) {
        const bsn_conn_options options = {.window_size = 1024};
        dialog *d = dialog_new(&options);
        script_stream(d);
        d->peer.receive_step = step;
        d->peer.send_step = step;
        run_stream(d);
        dialog_free(d);
    }
}
END_TEST

START_TEST(a_stream_that_ends_anywhere_gives_whole_documents_and_an_error)
{
    const bsn_conn_options small = {.window_size = 1024, .reply_max = 1024};
    dialog *whole = dialog_new(NULL);
    script_stream(whole);
    run_stream(whole);
    for (size_t len = 0; len < whole->peer.received; len++) {
        dialog *d = dialog_new(&small);
        script_stream(d);
        d->peer.received_max = len;
        ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
        bsn_conn_event event = run(d);
        if (event == BSN_CONN_DONE) {
            ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("v"), NULL), BSN_OK);
            event = run(d);
        }
        ck_assert_int_eq(event, BSN_CONN_FAILED);
        expect_failure(d, BSN_E_CLOSED, false);
        ck_assert_uint_le(d->count, 12);
        expect_docs(d, d->count); /* those that came are the first ones, in order */
        dialog_free(d);
    }
    dialog_free(whole);
}
END_TEST

START_TEST(sending_that_fails_anywhere_fails_the_operation)
{
    dialog *whole = dialog_greeted(NULL);
    for (size_t len = 0; len < whole->peer.sent_len; len++) {
        dialog *d = dialog_new(NULL);
        d->peer.sent_max = len;
        d->peer.failure = BSN_E_IO;
        ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
        ck_assert_int_eq(run(d), BSN_CONN_FAILED);
        expect_failure(d, BSN_E_IO, false);
        dialog_free(d);
    }
    dialog_free(whole);
}
END_TEST

/* More documents in the window than one run holds. */
START_TEST(many_small_documents_come_in_runs_of_bounded_length)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 0, "db.c", 0, 600));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    expect_docs(d, 600);
    ck_assert_uint_eq(d->runs, 3);
    ck_assert_uint_eq(d->peer.receives, 2); /* the hello's, and one for all of them */
    dialog_free(d);
}
END_TEST

START_TEST(a_stream_in_its_steady_state_allocates_nothing)
{
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_conn_options options = {.window_size = 1024, .alloc = &counter.alloc};
    dialog *d = dialog_greeted(&options);
    for (int32_t i = 0; i < 50; i++) {
        script_reply(&d->peer, reply_batch(&d->bytes, 2 + i, i == 0 ? "firstBatch" : "nextBatch",
                                           i < 49 ? 5 : 0, "db.c", 2 * i, 2));
    }
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    const size_t before = counting_alloc_requests(&counter);
    d->peer.receive_step = 100;
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    expect_docs(d, 100);
    ck_assert_uint_eq(counting_alloc_requests(&counter), before);
    dialog_free(d);
    counting_alloc_finish(&counter);
}
END_TEST

/* A reply with one document that is longer than the window: {"n": 0, "": binary of `len` bytes}. */
static bsn_bytes reply_long(build *b, size_t len)
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

START_TEST(a_document_longer_than_the_window_is_put_together)
{
    static const size_t lengths[] = {900, 960, 1000, 1024, 2000, 10000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (size_t step = 1; step <= 1024; step *= 4) {
            const bsn_conn_options options = {.window_size = 1024};
            dialog *d = dialog_greeted(&options);
            script_reply(&d->peer, reply_long(&d->bytes, lengths[i]));
            d->peer.receive_step = step;
            ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
            ck_assert_int_eq(run(d), BSN_CONN_DONE);
            expect_docs(d, 2);
            dialog_free(d);
        }
    }
}
END_TEST

START_TEST(a_document_that_only_says_it_is_long_costs_no_memory)
{
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_conn_options options = {.window_size = 1024, .alloc = &counter.alloc};
    dialog *d = dialog_greeted(&options);
    build *b = &d->bytes;
    const size_t start = b->len;
    const size_t message = build_header(b, 9, 2, BSN_OP_MSG);
    build_hex(b, "00000000 00 00FF0002"); /* the body: 33 MB */
    build_hex(b, "03 637572736F7200 00FE0002 04 666972737442617463 6800 00FD0002 03 3000 00000001");
    build_set(b, message, 48000000);
    const bsn_bytes reply = {.ptr = b->bytes + start, .len = b->len - start};
    script_reply(&d->peer, reply);
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    const size_t before = counter.bytes_out;
    ck_assert_int_eq(run(d), BSN_CONN_FAILED);
    expect_failure(d, BSN_E_TIMEOUT, false);
    ck_assert_uint_le(counter.bytes_out_max, before + 4096);
    dialog_free(d);
    counting_alloc_finish(&counter);
}
END_TEST

/* ------------------------------------------------------------------ ending early */

START_TEST(a_cursor_that_is_stopped_is_drained_and_killed)
{
    for (size_t step = 1; step < 400; step += 7) {
        dialog *d = dialog_greeted(NULL);
        script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 77, "db.c", 0, 30));
        script_reply(&d->peer, reply_ok(&d->bytes, 3));
        script_reply(&d->peer, reply_batch(&d->bytes, 4, "firstBatch", 0, "db.c", 0, 2));
        d->peer.receive_step = step;
        d->stop_after = 1;
        ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
        ck_assert_int_eq(run(d), BSN_CONN_DONE);
        ck_assert_uint_ge(d->count, 1);
        ck_assert_uint_lt(d->count, 31);
        const bsn_doc kill = body_of(d, 2);
        expect_text_field(kill, "killCursors", "c");
        expect_int64_field(field(kill, "cursors").as.doc, "0", 77);
        /* And the connection is good for the next operation. */
        d->count = 0;
        d->stop_after = SIZE_MAX;
        ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
        ck_assert_int_eq(run(d), BSN_CONN_DONE);
        expect_docs(d, 2);
        dialog_free(d);
    }
}
END_TEST

START_TEST(the_outcome_of_a_kill_does_not_matter)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 77, "db.c", 0, 3));
    script_reply(&d->peer, reply_error(&d->bytes, 3, "no", 59, "CommandNotFound"));
    d->stop_after = 1;
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    ck_assert_int_eq(bsn_conn_error(d->conn, NULL), BSN_OK);
    ck_assert(bsn_conn_usable(d->conn));
    dialog_free(d);
}
END_TEST

START_TEST(a_cursor_left_open_at_the_limit_is_killed)
{
    const bsn_find_options options = {.limit = 5, .batch_size = 3};
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 8, "db.c", 0, 3));
    script_reply(&d->peer,
                 reply_batch(&d->bytes, 3, "nextBatch", 8, "db.c", 3, 4)); /* two too many */
    script_reply(&d->peer, reply_ok(&d->bytes, 4));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), &options), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    expect_docs(d, 5);
    expect_int64_field(body_of(d, 2), "batchSize", 2);
    ck_assert(bsn_str_equal(first_key(body_of(d, 3)), BSN_STR("killCursors")));
    dialog_free(d);
}
END_TEST

/* ------------------------------------------------------------------ servers that say no */

START_TEST(a_command_that_fails_is_told_in_full_and_the_connection_lives)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer,
                 reply_error(&d->bytes, 2, "cursor id 5 not found", 43, "CursorNotFound"));
    script_reply(&d->peer, reply_error(&d->bytes, 3, "old and terse", 0, NULL));
    script_reply(&d->peer, reply_batch(&d->bytes, 4, "firstBatch", 0, "db.c", 0, 1));
    bsn_error err;
    bsn_doc reply;
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_FAILED);
    expect_failure(d, BSN_E_SERVER, true);
    ck_assert_int_eq(bsn_conn_error(d->conn, &err), BSN_E_SERVER);
    ck_assert_uint_eq(err.offset, 43);
    expect_message(d, "cursor id 5 not found (code 43 CursorNotFound)");
    ck_assert(bsn_conn_reply(d->conn, &reply));
    expect_text_field(reply, "codeName", "CursorNotFound");

    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_FAILED);
    expect_failure(d, BSN_E_SERVER, true);
    expect_message(d, "old and terse");

    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    ck_assert_int_eq(bsn_conn_error(d->conn, NULL), BSN_OK);
    expect_docs(d, 1);
    dialog_free(d);
}
END_TEST

START_TEST(a_cursor_that_fails_on_its_way_keeps_what_it_gave)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 5, "db.c", 0, 3));
    script_reply(&d->peer, reply_error(&d->bytes, 3, "gone", 43, "CursorNotFound"));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_FAILED);
    expect_docs(d, 3);
    expect_failure(d, BSN_E_SERVER, true);
    dialog_free(d);
}
END_TEST

/* ------------------------------------------------------------------ servers that lie */

/* {cursor: {firstBatch: [{n: 0}], id: .., ns: ".."}} in hex, in its parts. */
#define ONE_DOC "04 66697273744261746368 00 14000000 03 3000 0C000000 10 6E00 00000000 00 00"
#define ID_5 "12 696400 0500000000000000"
#define NS_DB_C "02 6E7300 05000000 64622E6300"
#define OK_1 "10 6F6B00 01000000"

START_TEST(replies_that_break_the_protocol_end_the_connection)
{
    static const struct {
        const char *what;
        int32_t response_to;
        uint32_t flags;
        const char *elements;
        size_t documents; /* that came before it was seen */
        uint64_t offset;
    } rows[] = {
        {"answer to another request", 99, 0, OK_1, 0, 8},
        {"answer to the hello", 1, 0, OK_1, 0, 8},
        {"more to come", 2, 2, OK_1, 0, 16},
        {"unknown required flag", 2, 4, OK_1, 0, 16},
        {"cursor without an id", 2, 0, "03 637572736F7200 32000000" ONE_DOC NS_DB_C "00" OK_1, 1,
         0},
        {"open cursor without a namespace", 2, 0,
         "03 637572736F7200 31000000" ONE_DOC ID_5 "00" OK_1, 1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dialog *d = dialog_greeted(NULL);
        script_reply(&d->peer,
                     reply_of(&d->bytes, rows[i].response_to, rows[i].flags, rows[i].elements));
        ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
        ck_assert_msg(run(d) == BSN_CONN_FAILED, "%s", rows[i].what);
        bsn_error err = {0};
        ck_assert_msg(bsn_conn_error(d->conn, &err) == BSN_E_PROTOCOL, "%s: %s", rows[i].what,
                      bsn_status_text(err.status));
        ck_assert_msg(err.offset == rows[i].offset, "%s: offset %llu", rows[i].what,
                      (unsigned long long)err.offset);
        ck_assert(!bsn_conn_usable(d->conn));
        ck_assert_msg(d->count == rows[i].documents, "%s: %zu documents", rows[i].what, d->count);
        dialog_free(d);
    }
}
END_TEST

START_TEST(namespaces_that_are_none_end_the_connection)
{
    static const char *const names[] = {"", "db", ".", ".c", "db."};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        dialog *d = dialog_greeted(NULL);
        script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 5, names[i], 0, 1));
        ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
        ck_assert_int_eq(run(d), BSN_CONN_FAILED);
        expect_failure(d, BSN_E_PROTOCOL, false);
        dialog_free(d);
    }
}
END_TEST

START_TEST(an_answer_to_get_more_without_a_cursor_ends_the_connection)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 5, "db.c", 0, 1));
    script_reply(&d->peer, reply_ok(&d->bytes, 3));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_FAILED);
    expect_failure(d, BSN_E_PROTOCOL, false);
    expect_docs(d, 1);
    dialog_free(d);
}
END_TEST

START_TEST(lying_message_lengths_are_refused_before_anything_else_is_read)
{
    static const int32_t lengths[] = {0, 15, -1, INT32_MIN, 48000001, INT32_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        dialog *d = dialog_greeted(NULL);
        const bsn_bytes reply = reply_ok(&d->bytes, 2);
        build_set(&d->bytes, (size_t)(reply.ptr - d->bytes.bytes), lengths[i]);
        script_reply(&d->peer, reply);
        d->peer.receive_step = 16;
        const size_t before = d->peer.received;
        ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
        ck_assert_int_eq(run(d), BSN_CONN_FAILED);
        expect_failure(d, BSN_E_PROTOCOL, false);
        ck_assert_uint_eq(d->peer.received - before, 16);
        dialog_free(d);
    }
}
END_TEST

START_TEST(answers_by_another_opcode_end_the_connection)
{
    dialog *d = dialog_new(NULL);
    script_reply(&d->peer, reply_ok(&d->bytes, 1)); /* OP_MSG, where OP_REPLY was due */
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(run(d), BSN_CONN_FAILED);
    expect_failure(d, BSN_E_PROTOCOL, false);
    dialog_free(d);
}
END_TEST

/* Every byte of a sound stream replaced by others: never a crash, never a document that was not sent whole. */
START_TEST(hostile_bytes_anywhere_are_survived)
{
    static const uint8_t evil[] = {0x00, 0x7F, 0xFF};
    const bsn_conn_options options = {.window_size = 1024, .reply_max = 1024};
    dialog *whole = dialog_new(NULL);
    script_stream(whole);
    const size_t total = whole->bytes.len;
    for (size_t at = 0; at < total; at++) {
        for (size_t e = 0; e < sizeof evil; e++) {
            dialog *d = dialog_new(&options);
            script_stream(d);
            d->bytes.bytes[at] = evil[e];
            ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
            bsn_conn_event event = BSN_CONN_RECEIVE;
            for (int phase = 0; phase < 2 && event != BSN_CONN_FAILED; phase++) {
                if (phase == 1) {
                    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("v"), NULL),
                                     BSN_OK);
                }
                do {
                    event = bsn_conn_step(d->conn);
                    if (event == BSN_CONN_SEND || event == BSN_CONN_RECEIVE) move(d, event);
                } while (event != BSN_CONN_DONE && event != BSN_CONN_FAILED);
            }
            dialog_free(d);
        }
    }
    dialog_free(whole);
}
END_TEST

/* ------------------------------------------------------------------ time and memory */

START_TEST(patience_is_that_of_the_phase)
{
    const bsn_conn_options options = {.connect_timeout_ms = 111, .socket_timeout_ms = 222};
    dialog *d = dialog_new(&options);
    ck_assert_int_eq(bsn_conn_timeout_ms(d->conn), 111);
    script_reply(&d->peer, reply_hello(&d->bytes));
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(bsn_conn_timeout_ms(d->conn), 111);
    ck_assert_int_eq(run(d), BSN_CONN_DONE);
    ck_assert_int_eq(bsn_conn_timeout_ms(d->conn), 222);
    dialog_free(d);
    d = dialog_new(NULL);
    ck_assert_int_eq(bsn_conn_timeout_ms(d->conn), -1);
    dialog_free(d);
}
END_TEST

START_TEST(refused_memory_is_reported_and_leaks_nothing)
{
    failing_alloc failing;
    failing_alloc_init(&failing);
    bsn_status status;
    do {
        const bsn_conn_options options = {.window_size = 1024, .alloc = &failing.alloc};
        dialog *d = calloc(1, sizeof *d);
        ck_assert_ptr_nonnull(d);
        script_init(&d->peer);
        d->stop_after = SIZE_MAX;
        script_reply(&d->peer, reply_hello(&d->bytes));
        script_reply(&d->peer, reply_long(&d->bytes, 3000));
        status = bsn_conn_new(&options, &d->conn, NULL);
        if (status == BSN_OK) status = bsn_conn_hello(d->conn);
        if (status == BSN_OK && run(d) == BSN_CONN_DONE) {
            status = bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL);
            if (status == BSN_OK) run(d);
        }
        if (status == BSN_OK) status = bsn_conn_error(d->conn, NULL);
        ck_assert_int_eq(status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
        dialog_free(d);
    } while (failing_alloc_again(&failing));
    ck_assert_int_eq(status, BSN_OK);
}
END_TEST

Suite *conn_suite(void)
{
    Suite *suite = suite_create("conn");
    TCase *asked = tcase_create("what is asked");
    tcase_add_test(asked, the_hello_says_who_asks_in_at_most_512_bytes);
    tcase_add_test(asked, a_find_asks_for_what_the_options_say);
    tcase_add_test(asked, a_plain_find_asks_for_nothing_more);
    tcase_add_test(asked,
                   a_limit_that_is_the_batch_size_asks_for_one_more_so_that_the_cursor_closes);
    tcase_add_test(asked, a_member_of_a_replica_set_is_told_that_a_secondary_may_answer);
    tcase_add_test(asked, requests_that_cannot_be_made_leave_the_machine_ready);
    tcase_add_test(asked, operations_out_of_order_are_refused);
    suite_add_tcase(suite, asked);
    TCase *hello = tcase_create("the hello's answer");
    tcase_add_test(hello, the_hello_s_answer_is_read_and_bounded);
    tcase_add_test(hello, no_common_wire_version_is_told_with_both_ranges);
    tcase_add_test(hello, a_hello_that_is_refused_ends_the_connection);
    suite_add_tcase(suite, hello);
    TCase *streams = tcase_create("streams");
    tcase_add_test(streams, a_cursor_is_followed_to_its_end_by_what_its_replies_say);
    tcase_add_test(streams, a_stream_is_the_same_in_pieces_of_every_size);
    tcase_add_test(streams, a_stream_that_ends_anywhere_gives_whole_documents_and_an_error);
    tcase_add_test(streams, sending_that_fails_anywhere_fails_the_operation);
    tcase_add_test(streams, many_small_documents_come_in_runs_of_bounded_length);
    tcase_add_test(streams, a_stream_in_its_steady_state_allocates_nothing);
    tcase_add_test(streams, a_document_longer_than_the_window_is_put_together);
    tcase_add_test(streams, a_document_that_only_says_it_is_long_costs_no_memory);
    suite_add_tcase(suite, streams);
    TCase *ending = tcase_create("ending early");
    tcase_add_test(ending, a_cursor_that_is_stopped_is_drained_and_killed);
    tcase_add_test(ending, the_outcome_of_a_kill_does_not_matter);
    tcase_add_test(ending, a_cursor_left_open_at_the_limit_is_killed);
    suite_add_tcase(suite, ending);
    TCase *failing = tcase_create("failing");
    tcase_add_test(failing, a_command_that_fails_is_told_in_full_and_the_connection_lives);
    tcase_add_test(failing, a_cursor_that_fails_on_its_way_keeps_what_it_gave);
    tcase_add_test(failing, replies_that_break_the_protocol_end_the_connection);
    tcase_add_test(failing, namespaces_that_are_none_end_the_connection);
    tcase_add_test(failing, an_answer_to_get_more_without_a_cursor_ends_the_connection);
    tcase_add_test(failing, lying_message_lengths_are_refused_before_anything_else_is_read);
    tcase_add_test(failing, answers_by_another_opcode_end_the_connection);
    tcase_add_test(failing, hostile_bytes_anywhere_are_survived);
    tcase_add_test(failing, patience_is_that_of_the_phase);
    tcase_add_test(failing, refused_memory_is_reported_and_leaks_nothing);
    suite_add_tcase(suite, failing);
    return suite;
}
