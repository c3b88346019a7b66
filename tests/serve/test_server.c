/* SPDX-License-Identifier: Apache-2.0
 *
 * test_server.c -- connections on the loopback: several at once, requests in any pieces, clients that do not read, that leave, that
 * speak nonsense; and an end in order.
 *
 * The server runs in a thread of its own; what it has told is looked at when it has ended.
 */
#include "suites.h"

#include "serve/fixture.h"
#include "serve/server.h"
#include "support/build.h"

#include <bsonic/detail/le.h>
#include <bsonic/wire.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_MS 60000

typedef struct running {
    fixture f;
    serve_server server;
    pthread_t thread;
    int wake[2];
    bsn_status status;
    bsn_error err;
} running;

static void *run(void *ctx)
{
    running *const r = ctx;
    r->status = serve_server_run(&r->server, r->wake[0], &r->err);
    return NULL;
}

/* Serves dump.numbers of `count` documents. */
static void start(running *r, int32_t count)
{
    bsn_error err;
    fixture_open(&r->f);
    fixture_write_numbers(&r->f, "numbers.bson", count);
    ck_assert_int_eq(fixture_add(&r->f, "numbers.bson"), BSN_OK);
    ck_assert_int_eq(pipe(r->wake), 0);
    ck_assert_int_eq(
        serve_server_open(&r->server, &r->f.state, BSN_STR("127.0.0.1"), 0, &r->f.notice, &err),
        BSN_OK);
    ck_assert_uint_ne(r->f.state.port, 0);
    ck_assert_int_eq(pthread_create(&r->thread, NULL, run, r), 0);
}

/* Ends the server's thread; its state may be looked at. */
static void end(running *r)
{
    ck_assert_int_eq(write(r->wake[1], "", 1), 1);
    ck_assert_int_eq(pthread_join(r->thread, NULL), 0);
    ck_assert_int_eq(r->status, BSN_OK);
    serve_server_close(&r->server);
    ck_assert_uint_eq(r->f.state.connections, 0);
    close(r->wake[0]);
    close(r->wake[1]);
}

static void stop(running *r)
{
    end(r);
    fixture_close(&r->f);
}

/* ------------------------------------------------------------------ a client */

static bsni_transport dial(const running *r, bsni_socket *s)
{
    const bsni_address to = {.host = BSN_STR("127.0.0.1"), .port = r->server.listener.port};
    ck_assert_int_eq(bsni_socket_connect(s, &to, PATIENCE_MS, NULL), BSN_OK);
    return bsni_socket_transport(s);
}

static void send_bytes(const bsni_transport *t, const uint8_t *ptr, size_t len)
{
    while (len > 0) {
        const bsn_iovec piece = {ptr, len};
        size_t sent;
        ck_assert_int_eq(bsni_transport_send(t, &piece, 1, PATIENCE_MS, &sent, NULL), BSN_OK);
        ptr += sent;
        len -= sent;
    }
}

static void receive_bytes(const bsni_transport *t, uint8_t *ptr, size_t len)
{
    while (len > 0) {
        size_t got;
        ck_assert_int_eq(bsni_transport_receive(t, ptr, len, PATIENCE_MS, &got, NULL), BSN_OK);
        ptr += got;
        len -= got;
    }
}

/* A request's body up to `$db`, which it ends with. */
static void build_request(build *b, int32_t id, const char *name, const char *collection)
{
    const size_t message = build_header(b, id, 0, BSN_OP_MSG);
    build_u32(b, 0);
    build_u8(b, 0);
    const size_t body = build_open(b);
    if (collection == NULL) {
        build_element(b, 0x10, name);
        build_i32(b, 1);
    } else {
        build_element(b, 0x02, name);
        build_string(b, collection);
        build_element(b, 0x10, "batchSize");
        build_i32(b, INT32_MAX);
    }
    build_element(b, 0x02, "$db");
    build_string(b, "dump");
    build_close(b, body);
    build_patch(b, message);
}

/* Receives one reply, into a block to be freed. */
static uint8_t *receive_reply(const bsni_transport *t, int32_t id, bsn_msg *msg)
{
    uint8_t head[BSN_HEADER_LEN];
    bsn_header header;
    receive_bytes(t, head, sizeof head);
    const bsn_bytes front = {head, sizeof head};
    ck_assert_int_eq(bsn_header_read(front, BSN_MESSAGE_SIZE_MAX, &header, NULL), BSN_OK);
    uint8_t *const block = malloc(header.len);
    ck_assert_ptr_nonnull(block);
    memcpy(block, head, sizeof head);
    receive_bytes(t, block + sizeof head, header.len - sizeof head);
    const bsn_bytes whole = {block, header.len};
    ck_assert_int_eq(bsn_msg_open(whole, msg, NULL), BSN_OK);
    ck_assert_int_eq(msg->header.response_to, id);
    return block;
}

static void expect_ping(const bsni_transport *t, int32_t id)
{
    bsn_msg msg;
    uint8_t *block = receive_reply(t, id, &msg);
    ck_assert_uint_eq(fixture_size(msg.body), 1);
    ck_assert(fixture_field(msg.body, "ok").as.f64 == 1.0);
    free(block);
}

static void ping(const bsni_transport *t, int32_t id)
{
    build b = {.len = 0};
    build_request(&b, id, "ping", NULL);
    send_bytes(t, b.bytes, b.len);
    expect_ping(t, id);
}

static void expect_closed(const bsni_transport *t)
{
    uint8_t byte;
    size_t got;
    ck_assert_int_eq(bsni_transport_receive(t, &byte, 1, PATIENCE_MS, &got, NULL), BSN_E_CLOSED);
}

/* Receives a batch of all documents and checks the last. */
static void expect_numbers(const bsni_transport *t, int32_t id, int32_t count)
{
    bsn_msg msg;
    uint8_t *block = receive_reply(t, id, &msg);
    const bsn_doc batch = fixture_field(msg.body, "cursor.firstBatch").as.doc;
    ck_assert_uint_eq(fixture_size(batch), (size_t)count);
    char path[32];
    snprintf(path, sizeof path, "%d.n", (int)count - 1);
    ck_assert_int_eq(fixture_field(batch, path).as.i64, count - 1);
    free(block);
}

/* ------------------------------------------------------------------ tests */

START_TEST(many_connections_are_served_at_once)
{
    enum { CLIENTS = 100 }; /* more than one list of descriptors on the stack */
    running r;
    static bsni_socket sockets[CLIENTS];
    bsni_transport transports[CLIENTS];
    start(&r, 10);
    for (int i = 0; i < CLIENTS; i++) transports[i] = dial(&r, &sockets[i]);
    for (int round = 0; round < 3; round++) {
        for (int i = CLIENTS - 1; i >= 0; i--) ping(&transports[i], round * CLIENTS + i + 1);
    }
    for (int i = 0; i < CLIENTS; i += 2) bsni_transport_close(&transports[i]);
    for (int i = 1; i < CLIENTS; i += 2) ping(&transports[i], i);
    end(&r);
    for (int i = 1; i < CLIENTS; i += 2) { /* an end in order ends them all */
        expect_closed(&transports[i]);
        bsni_transport_close(&transports[i]);
    }
    ck_assert_uint_eq(r.f.state.connections_total, CLIENTS);
    ck_assert_str_eq(r.f.told, "");
    fixture_close(&r.f);
}
END_TEST

START_TEST(requests_sent_together_are_answered_in_order)
{
    running r;
    bsni_socket s;
    build b = {.len = 0};
    start(&r, 5000);
    bsni_transport t = dial(&r, &s);
    for (int32_t id = 1; id <= 50; id++) {
        if (id % 10 == 0) {
            build_request(&b, id, "find", "numbers");
        } else {
            build_request(&b, id, "ping", NULL);
        }
    }
    send_bytes(&t, b.bytes, b.len);
    for (int32_t id = 1; id <= 50; id++) {
        if (id % 10 == 0) {
            expect_numbers(&t, id, 5000);
        } else {
            expect_ping(&t, id);
        }
    }
    bsni_transport_close(&t);
    stop(&r);
}
END_TEST

START_TEST(request_may_come_in_any_pieces)
{
    running r;
    bsni_socket s;
    build b = {.len = 0};
    start(&r, 10);
    bsni_transport t = dial(&r, &s);
    build_request(&b, 7, "ping", NULL);
    for (size_t piece = 1; piece < b.len; piece += 5) {
        for (size_t at = 0; at < b.len; at += piece) {
            send_bytes(&t, b.bytes + at, piece < b.len - at ? piece : b.len - at);
        }
        expect_ping(&t, 7);
    }
    bsni_transport_close(&t);
    stop(&r);
}
END_TEST

/* One client asks for more than the sockets hold, and does not read: nobody waits for it, and little is held for it. */
START_TEST(client_that_does_not_read_holds_nobody_up)
{
    enum { COUNT = 600000 }; /* 15 MB */
    running r;
    bsni_socket slow_socket, quick_socket;
    build b = {.len = 0};
    start(&r, COUNT);
    bsni_transport slow = dial(&r, &slow_socket), quick = dial(&r, &quick_socket);
    build_request(&b, 1, "find", "numbers");
    build_request(&b, 2, "ping", NULL); /* not even looked at before the first is answered */
    send_bytes(&slow, b.bytes, b.len);
    for (int32_t id = 10; id < 200; id++) ping(&quick, id);
    expect_numbers(&slow, 1, COUNT);
    expect_ping(&slow, 2);
    bsni_transport_close(&slow);
    bsni_transport_close(&quick);
    end(&r);
    /* a window, 256 KiB of output and what rounds it up; the marks of 600,000 documents */
    ck_assert_uint_le(r.f.counter.bytes_out_max, 1100000);
    fixture_close(&r.f);
}
END_TEST

START_TEST(client_that_leaves_in_a_reply_is_forgotten)
{
    running r;
    bsni_socket s, other;
    build b = {.len = 0};
    start(&r, 600000);
    bsni_transport t = dial(&r, &s), rest = dial(&r, &other);
    uint8_t some[5000];
    build_request(&b, 1, "find", "numbers");
    send_bytes(&t, b.bytes, b.len);
    receive_bytes(&t, some, sizeof some);
    bsni_transport_close(&t);
    for (int32_t id = 1; id < 50; id++) ping(&rest, id);
    bsni_transport_close(&rest);
    stop(&r);
}
END_TEST

START_TEST(long_request_is_taken_as_it_comes)
{
    enum { LONG = 3000000 };
    running r;
    bsni_socket s;
    bsn_msg msg;
    build b = {.len = 0};
    start(&r, 10);
    bsni_transport t = dial(&r, &s);
    uint8_t *const padding = calloc(1, LONG);
    ck_assert_ptr_nonnull(padding);
    build_request(&b, 9, "insert", "numbers");
    build_u8(&b, 1); /* a sequence of one document, that of one binary */
    build_i32(&b, 4 + 10 + LONG);
    build_cstring(&b, "documents");
    build_set(&b, 0, (int32_t)b.len + LONG);
    bsn_store_i32(padding, LONG);
    memcpy(padding + 4, "\x05\x62", 3);
    bsn_store_i32(padding + 7, LONG - 13);
    send_bytes(&t, b.bytes, b.len);
    send_bytes(&t, padding, LONG);
    uint8_t *block = receive_reply(&t, 9, &msg);
    ck_assert_int_eq(fixture_field(msg.body, "code").as.i32, 115);
    free(block);
    free(padding);
    ping(&t, 10);
    bsni_transport_close(&t);
    stop(&r);
}
END_TEST

typedef struct nonsense_row {
    const char *hex;
    const char *told;
} nonsense_row;

static const nonsense_row nonsense_rows[] = {
    {"00000000 01000000 00000000 DD070000", "message length is below 16"},
    {"0F000000 01000000 00000000 DD070000", "message length is below 16"},
    {"00000080 01000000 00000000 DD070000", "message length is below 16"},
    {"016CDC02 01000000 00000000 DD070000", "message length is above the limit"},
    {"10000000 01000000 00000000 DE070000", "opcode 2014 (unknown) is not served"},
    {"10000000 01000000 00000000 E8030000", "opcode 1000 (unknown) is not served"},
    {"10000000 01000000 00000000 D2070000", "opcode 2002 (OP_INSERT) is not served"},
    {"10000000 01000000 00000000 DC070000", "opcode 2012 (OP_COMPRESSED) is not served"},
    {"14000000 01000000 00000000 DD070000 04000000", "unknown required flag"},
    {"14000000 01000000 00000000 DD070000 00000000", "no body"},
    {"1A000000 01000000 00000000 DD070000 00000000 00 04000000 00", "length out of bounds"},
    {"23000000 01000000 00000000 DD070000 00000000 00 0E000000 08 6162 00 01 08 61 00 02 00",
     "boolean is neither 0 nor 1"}, /* at offset 12, as the opcode is */
    {"474554202F20485454502F312E310D0A0D0A",
     "message length is above the limit"}, /* GET / HTTP/1.1 */
};

START_TEST(nonsense_ends_its_connection_alone)
{
    const nonsense_row *row = &nonsense_rows[_i];
    running r;
    bsni_socket s, other;
    build b = {.len = 0};
    start(&r, 10);
    bsni_transport t = dial(&r, &s), rest = dial(&r, &other);
    ping(&rest, 1);
    build_hex(&b, row->hex);
    send_bytes(&t, b.bytes, b.len);
    expect_closed(&t);
    ping(&rest, 2);
    bsni_transport_close(&t);
    bsni_transport_close(&rest);
    end(&r);
    ck_assert_msg(strstr(r.f.told, row->told) != NULL, "%s: told %s", row->hex, r.f.told);
    ck_assert_ptr_nonnull(strstr(r.f.told, "127.0.0.1:"));
    fixture_close(&r.f);
}
END_TEST

START_TEST(address_in_use_is_refused)
{
    running r;
    serve_server second;
    serve_state state;
    bsn_error err = {.os_error = 0};
    start(&r, 1);
    serve_state_init(&state, NULL);
    ck_assert_int_eq(serve_server_open(&second, &state, BSN_STR("127.0.0.1"),
                                       r.server.listener.port, &r.f.notice, &err),
                     BSN_E_IO);
    ck_assert_int_ne(err.os_error, 0);
    serve_server_close(&second);
    serve_state_free(&state);
    stop(&r);
}
END_TEST

Suite *server_suite(void)
{
    Suite *suite = suite_create("server");
    TCase *tests = tcase_create("server");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, many_connections_are_served_at_once);
    tcase_add_test(tests, requests_sent_together_are_answered_in_order);
    tcase_add_test(tests, request_may_come_in_any_pieces);
    tcase_add_test(tests, client_that_does_not_read_holds_nobody_up);
    tcase_add_test(tests, client_that_leaves_in_a_reply_is_forgotten);
    tcase_add_test(tests, long_request_is_taken_as_it_comes);
    tcase_add_loop_test(tests, nonsense_ends_its_connection_alone, 0,
                        (int)(sizeof nonsense_rows / sizeof nonsense_rows[0]));
    tcase_add_test(tests, address_in_use_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
