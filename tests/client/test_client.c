/* SPDX-License-Identifier: Apache-2.0
 *
 * test_client.c -- the blocking client over a scripted stream, and over sockets where nobody answers.
 */
#include "client/client_state.h"
#include "client/replies.h"
#include "suites.h"
#include "support/script.h"

#include <bsonic/wire.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PLAIN "mongodb://localhost"

typedef struct session {
    bsn_client *client;
    script peer;
    build bytes;
} session;

/* A client that has parsed its string, and a peer with the hello's answer. */
static session *session_new(const char *uri, const bsn_client_options *options)
{
    session *s = calloc(1, sizeof *s);
    bsn_error err;
    ck_assert_ptr_nonnull(s);
    script_init(&s->peer);
    script_reply(&s->peer, reply_hello(&s->bytes));
    ck_assert_int_eq(bsni_client_new(bsn_str_from(uri), options, &s->client, &err), BSN_OK);
    return s;
}

static session *session_greeted(const char *uri)
{
    bsn_error err;
    session *s = session_new(uri, NULL);
    ck_assert_int_eq(bsni_client_greet(s->client, script_transport(&s->peer), &err), BSN_OK);
    return s;
}

static void session_free(session *s)
{
    bsn_client_free(s->client);
    free(s);
}

static void expect_message(const bsn_client *client, const char *part)
{
    char text[2048];
    const bsn_str message = bsn_client_message(client);
    snprintf(text, sizeof text, "%.*s", (int)message.len, message.ptr);
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" without \"%s\"", text, part);
}

static const uint8_t ping_bytes[] = {15, 0, 0, 0, 0x10, 'p', 'i', 'n', 'g', 0, 1, 0, 0, 0, 0};
static const bsn_doc ping = {.ptr = ping_bytes, .len = sizeof ping_bytes};

static bsn_status find(session *s, const bsn_find_options *options, bsn_cursor *cursor)
{
    bsn_error err;
    return bsn_client_find(s->client, BSN_STR("db"), BSN_STR("c"), options, cursor, &err);
}

/* ------------------------------------------------------------------ opening */

START_TEST(what_this_version_cannot_do_is_refused_before_anything_is_sent)
{
    static const struct {
        const char *uri;
        bsn_status status;
        const char *told;
    } rows[] = {
        {"mongodb://user:s3cret@localhost", BSN_E_UNSUPPORTED, "authentication"},
        {"mongodb://localhost/?authMechanism=MONGODB-X509", BSN_E_UNSUPPORTED, "authentication"},
        {"mongodb://localhost/?tls=true", BSN_E_UNSUPPORTED, "TLS"},
        {"mongodb://localhost/?ssl=true", BSN_E_UNSUPPORTED, "TLS"},
        {"mongodb+srv://example.com", BSN_E_UNSUPPORTED, "srv"},
        {"mongodb://localhost/?loadBalanced=true", BSN_E_UNSUPPORTED, "loadBalanced"},
        {"mongodb://localhost/?proxyHost=s3cret", BSN_E_UNSUPPORTED, "proxies"},
        {"mongodb://user:s3cret:x@localhost", BSN_E_URI, "%3A"},
        {"http://localhost", BSN_E_URI, "mongodb://"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bsn_client *client;
        bsn_error err = {0};
        ck_assert_int_eq(bsn_client_open(bsn_str_from(rows[i].uri), NULL, &client, &err),
                         rows[i].status);
        ck_assert_int_eq(err.status, rows[i].status);
        ck_assert_ptr_nonnull(client);
        expect_message(client, rows[i].told);
        const bsn_str message = bsn_client_message(client);
        for (size_t at = 0; at + 6 <= message.len; at++) {
            ck_assert_int_ne(memcmp(message.ptr + at, "s3cret", 6), 0);
        }
        ck_assert_int_eq(bsn_client_server(client)->wire_version_max, 0);
        /* A string that could not be parsed is nobody's. */
        ck_assert((bsn_client_uri(client) == NULL) == (rows[i].status == BSN_E_URI));
        bsn_client_free(client);
    }
    bsn_client_free(NULL);
}
END_TEST

static int warned;

static void count_warning(void *ctx, bsn_str key, const char *reason)
{
    ck_assert_ptr_eq(ctx, &warned);
    ck_assert_uint_gt(key.len, 0);
    ck_assert_ptr_nonnull(reason);
    warned++;
}

START_TEST(what_is_odd_about_the_string_is_warned_about)
{
    const bsn_client_options options = {.warn = count_warning, .warn_ctx = &warned};
    warned = 0;
    session *s = session_new(PLAIN "/?nonsense=1&compressors=zlib", &options);
    ck_assert_int_eq(warned, 2);
    ck_assert_uint_eq(bsn_client_uri(s->client)->option_count,
                      1); /* what is unknown is no option */
    session_free(s);
}
END_TEST

START_TEST(a_server_of_another_replica_set_is_refused)
{
    bsn_error err;
    session *s = session_new(PLAIN "/?replicaSet=rs", NULL);
    ck_assert_int_eq(bsni_client_greet(s->client, script_transport(&s->peer), &err), BSN_E_SERVER);
    expect_message(s->client, "replica set");
    ck_assert_uint_eq(s->peer.closes, 1);
    session_free(s);
}
END_TEST

/* A port of the loopback where somebody listens (and never accepts), or nobody does. */
static uint16_t make_port(int *listener, bool listening)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *listener = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(*listener, (const struct sockaddr *)&address, sizeof address), 0);
    if (listening) ck_assert_int_eq(listen(*listener, 4), 0);
    ck_assert_int_eq(getsockname(*listener, (struct sockaddr *)&address, &size), 0);
    return ntohs(address.sin_port);
}

START_TEST(nobody_at_any_of_the_hosts_is_told_of_the_last_one)
{
    int one, two;
    char uri[128], last[64];
    bsn_client *client;
    bsn_error err = {0};
    const uint16_t port_one = make_port(&one, false), port_two = make_port(&two, false);
    snprintf(uri, sizeof uri, "mongodb://127.0.0.1:%u,127.0.0.1:%u", port_one, port_two);
    snprintf(last, sizeof last, "127.0.0.1:%u: ", port_two);
    ck_assert_int_eq(bsn_client_open(bsn_str_from(uri), NULL, &client, &err), BSN_E_IO);
    ck_assert_int_eq(err.os_error, ECONNREFUSED);
    expect_message(client, last);
    close(one);
    close(two);
    bsn_cursor cursor;
    ck_assert_int_eq(bsn_client_find(client, BSN_STR("db"), BSN_STR("c"), NULL, &cursor, &err),
                     BSN_E_STATE);
    bsn_cursor_close(&cursor, NULL);
    bsn_client_free(client);
}
END_TEST

START_TEST(a_host_that_accepts_and_says_nothing_times_out)
{
    int listener;
    char uri[128];
    bsn_client *client;
    bsn_error err = {0};
    const uint16_t port = make_port(&listener, true);
    static const char *const limits[] = {"connectTimeoutMS=30", "serverSelectionTimeoutMS=30"};
    for (int i = 0; i < 2; i++) {
        snprintf(uri, sizeof uri, "mongodb://127.0.0.1:%u/?%s", port, limits[i]);
        ck_assert_int_eq(bsn_client_open(bsn_str_from(uri), NULL, &client, &err), BSN_E_TIMEOUT);
        expect_message(client, "timed out");
        bsn_client_free(client);
    }
    close(listener);
}
END_TEST

/* ------------------------------------------------------------------ operations */

START_TEST(a_command_is_answered_by_its_document)
{
    session *s = session_greeted(PLAIN);
    bsn_doc reply;
    bsn_error err = {0};
    bsn_value value;
    script_reply(&s->peer, reply_ok(&s->bytes, 2));
    script_reply(&s->peer, reply_error(&s->bytes, 3, "no such command: 'ping'", 59, "X"));
    script_reply(&s->peer, reply_ok(&s->bytes, 4));
    ck_assert_int_eq(bsn_client_command(s->client, BSN_STR("admin"), ping, &reply, &err), BSN_OK);
    ck_assert_int_eq(bsn_find_value(reply, BSN_STR("ok"), &value, NULL), BSN_OK);
    ck_assert_uint_eq(bsn_client_message(s->client).len, 0);

    ck_assert_int_eq(bsn_client_command(s->client, BSN_STR("admin"), ping, &reply, &err),
                     BSN_E_SERVER);
    ck_assert_uint_eq(err.offset, 59);
    ck_assert_int_eq(bsn_find_value(reply, BSN_STR("code"), &value, NULL), BSN_OK);
    ck_assert_int_eq(value.as.i32, 59);
    expect_message(s->client, "'ping' (code 59 X)");

    ck_assert_int_eq(bsn_client_command(s->client, BSN_STR("admin"), ping, &reply, &err), BSN_OK);
    ck_assert_uint_eq(bsn_client_message(s->client).len, 0);
    session_free(s);
}
END_TEST

START_TEST(the_cursor_of_a_plain_command_is_killed)
{
    for (int documents = 0; documents < 3; documents++) {
        session *s = session_greeted(PLAIN);
        bsn_doc reply;
        bsn_error err;
        bsn_msg msg;
        bsn_iter it;
        script_reply(&s->peer, reply_batch(&s->bytes, 2, "firstBatch", 5, "db.c", 0, documents));
        script_reply(&s->peer, reply_ok(&s->bytes, 3));
        ck_assert_int_eq(bsn_client_command(s->client, BSN_STR("db"), ping, &reply, &err), BSN_OK);
        ck_assert_uint_eq(script_request_count(&s->peer), 3);
        ck_assert_int_eq(bsn_msg_open(script_request(&s->peer, 2), &msg, &err), BSN_OK);
        ck_assert_int_eq(bsn_find(msg.body, BSN_STR("killCursors"), &it, &err), BSN_OK);
        session_free(s);
    }
}
END_TEST

START_TEST(documents_come_one_by_one_or_run_by_run)
{
    session *s = session_greeted(PLAIN);
    bsn_cursor cursor;
    bsn_doc doc;
    bsn_run run;
    script_reply(&s->peer, reply_batch(&s->bytes, 2, "firstBatch", 5, "db.c", 0, 4));
    script_reply(&s->peer, reply_batch(&s->bytes, 3, "nextBatch", 0, "db.c", 4, 3));
    ck_assert_int_eq(find(s, NULL, &cursor), BSN_OK);
    ck_assert(bsn_cursor_next(&cursor, &doc));
    ck_assert(bsn_cursor_next_run(&cursor, &run));
    ck_assert_uint_eq(run.count, 3);
    ck_assert_ptr_eq(run.docs[0].ptr, doc.ptr + doc.len + 3); /* where they arrived: no copy */
    size_t rest = 0;
    while (bsn_cursor_next(&cursor, &doc)) rest++;
    ck_assert_uint_eq(rest, 3);
    ck_assert(!bsn_cursor_next(&cursor, &doc));
    ck_assert(!bsn_cursor_next_run(&cursor, &run));
    ck_assert_int_eq(bsn_cursor_error(&cursor, NULL), BSN_OK);
    ck_assert_int_eq(bsn_cursor_close(&cursor, NULL), BSN_OK);
    ck_assert_int_eq(bsn_cursor_close(&cursor, NULL), BSN_OK);
    ck_assert_uint_eq(bsn_client_get_stats(s->client).conn.documents, 7);
    ck_assert_uint_eq(s->peer.receives, 3); /* one a reply */
    ck_assert_uint_eq(s->peer.sends, 3);
    session_free(s);
}
END_TEST

START_TEST(closing_a_cursor_early_kills_it_and_frees_the_client)
{
    session *s = session_greeted(PLAIN);
    bsn_cursor cursor, second;
    bsn_doc doc;
    script_reply(&s->peer, reply_batch(&s->bytes, 2, "firstBatch", 5, "db.c", 0, 4));
    script_reply(&s->peer, reply_ok(&s->bytes, 3));
    script_reply(&s->peer, reply_batch(&s->bytes, 4, "firstBatch", 0, "db.c", 0, 1));
    s->peer.receive_step = 10;
    ck_assert_int_eq(find(s, NULL, &cursor), BSN_OK);
    ck_assert(bsn_cursor_next(&cursor, &doc));
    ck_assert_int_eq(find(s, NULL, &second), BSN_E_STATE);
    expect_message(s->client, "still open");
    ck_assert_int_eq(bsn_cursor_close(&second, NULL), BSN_E_STATE);
    ck_assert_int_eq(bsn_cursor_close(&cursor, NULL), BSN_OK);
    ck_assert(!bsn_cursor_next(&cursor, &doc));
    ck_assert_uint_eq(script_request_count(&s->peer), 3);
    ck_assert_int_eq(find(s, NULL, &second), BSN_OK);
    ck_assert(bsn_cursor_next(&second, &doc));
    ck_assert(!bsn_cursor_next(&second, &doc));
    ck_assert_int_eq(bsn_cursor_close(&second, NULL), BSN_OK);
    session_free(s);
}
END_TEST

START_TEST(a_stream_that_breaks_gives_what_came_and_ends_the_client)
{
    static const bsn_status failures[] = {BSN_E_CLOSED, BSN_E_TIMEOUT, BSN_E_IO};
    for (size_t i = 0; i < 3; i++) {
        session *s = session_greeted(PLAIN);
        bsn_cursor cursor;
        bsn_doc doc;
        size_t count = 0;
        script_reply(&s->peer, reply_batch(&s->bytes, 2, "firstBatch", 5, "db.c", 0, 4));
        s->peer.received_max = s->peer.received + 100; /* two documents of it */
        s->peer.failure = failures[i];
        ck_assert_int_eq(find(s, NULL, &cursor), BSN_OK);
        while (bsn_cursor_next(&cursor, &doc)) count++;
        ck_assert_uint_ge(count, 1);
        ck_assert_uint_lt(count, 4);
        ck_assert_int_eq(bsn_cursor_error(&cursor, NULL), failures[i]);
        expect_message(s->client, bsn_status_text(failures[i]));
        ck_assert_uint_eq(s->peer.closes, 1);
        ck_assert_int_eq(bsn_cursor_close(&cursor, NULL), failures[i]);
        ck_assert_int_eq(find(s, NULL, &cursor), BSN_E_STATE);
        expect_message(s->client, "no connection");
        session_free(s);
    }
}
END_TEST

START_TEST(the_server_s_own_words_reach_the_message)
{
    session *s = session_greeted(PLAIN);
    bsn_cursor cursor;
    bsn_doc doc;
    bsn_error err;
    script_reply(&s->peer, reply_error(&s->bytes, 2, "unknown operator: $x", 2, "BadValue"));
    ck_assert_int_eq(find(s, NULL, &cursor), BSN_OK);
    ck_assert(!bsn_cursor_next(&cursor, &doc));
    ck_assert_int_eq(bsn_cursor_close(&cursor, &err), BSN_E_SERVER);
    ck_assert_uint_eq(err.offset, 2);
    expect_message(s->client, "unknown operator: $x (code 2 BadValue)");
    session_free(s);
}
END_TEST

START_TEST(a_cursor_over_any_command_that_has_one)
{
    static const uint8_t bytes[] = {26,  0,   0,   0,   0x10, 'l', 'i', 's', 't',
                                    'C', 'o', 'l', 'l', 'e',  'c', 't', 'i', 'o',
                                    'n', 's', 0,   1,   0,    0,   0,   0};
    const bsn_doc command = {.ptr = bytes, .len = sizeof bytes};
    session *s = session_greeted(PLAIN);
    bsn_cursor cursor;
    bsn_doc doc;
    bsn_error err;
    size_t count = 0;
    script_reply(&s->peer, reply_batch(&s->bytes, 2, "firstBatch", 5, "db.$cmd.x", 0, 2));
    script_reply(&s->peer, reply_batch(&s->bytes, 3, "nextBatch", 0, "db.$cmd.x", 2, 2));
    ck_assert_int_eq(bsn_client_cursor(s->client, BSN_STR("db"), command, 2, &cursor, &err),
                     BSN_OK);
    while (bsn_cursor_next(&cursor, &doc)) count++;
    ck_assert_uint_eq(count, 4);
    ck_assert_int_eq(bsn_cursor_close(&cursor, NULL), BSN_OK);
    session_free(s);
}
END_TEST

/* ------------------------------------------------------------------ time */

START_TEST(silence_is_borne_as_long_as_the_string_says)
{
    static const struct {
        const char *uri;
        int32_t least, most; /* milliseconds that a receive was told; -1: for ever */
    } rows[] = {
        {PLAIN, -1, -1},
        {PLAIN "/?socketTimeoutMS=0", -1, -1},
        {PLAIN "/?socketTimeoutMS=-1", -1, -1}, /* no value of it: ignored */
        {PLAIN "/?socketTimeoutMS=99999999999", -1, -1},
        {PLAIN "/?socketTimeoutMS=1234", 1234, 1234},
        {PLAIN "/?timeoutMS=60000", 1, 60000},
        {PLAIN "/?timeoutMS=60000&socketTimeoutMS=5", 5, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        session *s = session_greeted(rows[i].uri);
        bsn_doc reply;
        bsn_error err;
        ck_assert_int_eq(bsn_client_command(s->client, BSN_STR("db"), ping, &reply, &err),
                         BSN_E_TIMEOUT);
        ck_assert_msg(s->peer.timeout_ms >= rows[i].least && s->peer.timeout_ms <= rows[i].most,
                      "%s: %d", rows[i].uri, (int)s->peer.timeout_ms);
        session_free(s);
    }
}
END_TEST

Suite *client_suite(void)
{
    Suite *suite = suite_create("client");
    TCase *tcase = tcase_create("client");
    tcase_add_test(tcase, what_this_version_cannot_do_is_refused_before_anything_is_sent);
    tcase_add_test(tcase, what_is_odd_about_the_string_is_warned_about);
    tcase_add_test(tcase, a_server_of_another_replica_set_is_refused);
    tcase_add_test(tcase, nobody_at_any_of_the_hosts_is_told_of_the_last_one);
    tcase_add_test(tcase, a_host_that_accepts_and_says_nothing_times_out);
    tcase_add_test(tcase, a_command_is_answered_by_its_document);
    tcase_add_test(tcase, the_cursor_of_a_plain_command_is_killed);
    tcase_add_test(tcase, documents_come_one_by_one_or_run_by_run);
    tcase_add_test(tcase, closing_a_cursor_early_kills_it_and_frees_the_client);
    tcase_add_test(tcase, a_stream_that_breaks_gives_what_came_and_ends_the_client);
    tcase_add_test(tcase, the_server_s_own_words_reach_the_message);
    tcase_add_test(tcase, a_cursor_over_any_command_that_has_one);
    tcase_add_test(tcase, silence_is_borne_as_long_as_the_string_says);
    suite_add_tcase(suite, tcase);
    return suite;
}
