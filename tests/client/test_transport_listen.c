/* SPDX-License-Identifier: Apache-2.0
 *
 * test_transport_listen.c -- a port that the system chose, connections to it, and waiting for several streams.
 */
#include "suites.h"

#include "client/transport.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_MS 20000

static const bsn_str loopback = {"127.0.0.1", 9};

typedef struct pair {
    bsni_listener listener;
    bsni_socket near, far; /* one connected to the listener, one accepted from it */
} pair;

static void open_pair(pair *p)
{
    bsn_error err;
    ck_assert_int_eq(bsni_listener_open(&p->listener, loopback, 0, &err), BSN_OK);
    const bsni_address to = {.host = loopback, .port = p->listener.port};
    ck_assert_int_eq(bsni_socket_connect(&p->near, &to, PATIENCE_MS, &err), BSN_OK);
    ck_assert_int_eq(bsni_listener_accept(&p->listener, PATIENCE_MS, &p->far, &err), BSN_OK);
}

static void close_pair(pair *p)
{
    bsni_transport near = bsni_socket_transport(&p->near), far = bsni_socket_transport(&p->far);
    bsni_transport_close(&near);
    bsni_transport_close(&far);
    bsni_listener_close(&p->listener);
    bsni_listener_close(&p->listener); /* closing what is closed does nothing */
}

static void send_text(bsni_socket *s, const char *text)
{
    const bsni_transport t = bsni_socket_transport(s);
    const bsn_iovec piece = {text, strlen(text)};
    size_t len;
    ck_assert_int_eq(bsni_transport_send(&t, &piece, 1, PATIENCE_MS, &len, NULL), BSN_OK);
    ck_assert_uint_eq(len, piece.len);
}

START_TEST(accepted_stream_carries_bytes_both_ways)
{
    pair p;
    uint8_t bytes[8];
    size_t len;
    open_pair(&p);
    ck_assert_uint_gt(p.listener.port, 0);
    send_text(&p.near, "to");
    const bsni_transport far = bsni_socket_transport(&p.far);
    ck_assert_int_eq(bsni_transport_receive(&far, bytes, sizeof bytes, PATIENCE_MS, &len, NULL),
                     BSN_OK);
    ck_assert_mem_eq(bytes, "to", 2);
    send_text(&p.far, "fro");
    const bsni_transport near = bsni_socket_transport(&p.near);
    ck_assert_int_eq(bsni_transport_receive(&near, bytes, sizeof bytes, PATIENCE_MS, &len, NULL),
                     BSN_OK);
    ck_assert_mem_eq(bytes, "fro", 3);
    /* It blocks or not as each call says. */
    ck_assert_int_eq(bsni_transport_receive(&far, bytes, sizeof bytes, 0, &len, NULL),
                     BSN_E_TIMEOUT);
    close_pair(&p);
}
END_TEST

START_TEST(accept_without_a_connection_times_out)
{
    bsni_listener listener;
    bsni_socket s;
    bsn_error err;
    ck_assert_int_eq(bsni_listener_open(&listener, loopback, 0, &err), BSN_OK);
    ck_assert_int_eq(bsni_listener_accept(&listener, 0, &s, &err), BSN_E_TIMEOUT);
    ck_assert_int_eq(bsni_listener_accept(&listener, 1, &s, &err), BSN_E_TIMEOUT);
    ck_assert_int_eq(s.fd, -1);
    bsni_listener_close(&listener);
}
END_TEST

START_TEST(port_in_use_is_refused)
{
    bsni_listener first, second;
    bsn_error err = {.os_error = 0};
    ck_assert_int_eq(bsni_listener_open(&first, loopback, 0, &err), BSN_OK);
    ck_assert_int_eq(bsni_listener_open(&second, loopback, first.port, &err), BSN_E_IO);
    ck_assert_int_ne(err.os_error, 0);
    ck_assert_int_eq(second.fd, -1);
    bsni_listener_close(&first);
}
END_TEST

START_TEST(host_that_is_none_is_not_resolved)
{
    static const char long_name[300] = {'a'};
    bsni_listener listener;
    bsn_error err;
    const bsn_str too_long = {long_name, sizeof long_name};
    ck_assert_int_eq(bsni_listener_open(&listener, too_long, 0, &err), BSN_E_RESOLVE);
    ck_assert_int_eq(bsni_listener_open(&listener, BSN_STR("300.1.1.1.invalid"), 0, &err),
                     BSN_E_RESOLVE);
    ck_assert_int_eq(listener.fd, -1);
}
END_TEST

START_TEST(peer_is_named_by_address_and_port)
{
    pair p;
    char text[BSNI_PEER_MAX], expected[BSNI_PEER_MAX];
    open_pair(&p);
    const size_t len = bsni_socket_peer(&p.near, text);
    snprintf(expected, sizeof expected, "127.0.0.1:%u", (unsigned)p.listener.port);
    ck_assert_uint_eq(len, strlen(expected));
    ck_assert_str_eq(text, expected);
    ck_assert_uint_gt(bsni_socket_peer(&p.far, text), 10);
    const bsni_socket none = {.fd = -1};
    bsni_socket_peer(&none, text);
    ck_assert_str_eq(text, "unknown");
    close_pair(&p);
}
END_TEST

START_TEST(waiting_tells_which_of_several_is_ready)
{
    pair one, two;
    size_t ready;
    open_pair(&one);
    open_pair(&two);
    bsni_wait_item items[4] = {
        {.fd = one.far.fd}, {.fd = -1}, {.fd = two.far.fd}, {.fd = one.listener.fd}};
    ck_assert_int_eq(bsni_wait(items, 4, 0, &ready, NULL), BSN_E_TIMEOUT);
    ck_assert_uint_eq(ready, 0);
    send_text(&two.near, "x");
    ck_assert_int_eq(bsni_wait(items, 4, PATIENCE_MS, &ready, NULL), BSN_OK);
    ck_assert_uint_eq(ready, 1);
    ck_assert(!items[0].ready && !items[1].ready && items[2].ready && !items[3].ready);
    items[0].sending = true; /* there is room to send at once */
    items[2].fd = -1;
    ck_assert_int_eq(bsni_wait(items, 4, PATIENCE_MS, &ready, NULL), BSN_OK);
    ck_assert(items[0].ready && !items[2].ready);
    close_pair(&one);
    close_pair(&two);
}
END_TEST

START_TEST(waiting_sees_a_connection_and_an_end)
{
    pair p;
    bsni_socket more;
    size_t ready;
    open_pair(&p);
    const bsni_address to = {.host = loopback, .port = p.listener.port};
    ck_assert_int_eq(bsni_socket_connect(&more, &to, PATIENCE_MS, NULL), BSN_OK);
    bsni_transport near = bsni_socket_transport(&p.near), extra = bsni_socket_transport(&more);
    bsni_transport_close(&near);
    bsni_wait_item items[2] = {{.fd = p.listener.fd}, {.fd = p.far.fd}};
    do {
        ck_assert_int_eq(bsni_wait(items, 2, PATIENCE_MS, &ready, NULL), BSN_OK);
    } while (ready < 2);
    ck_assert(items[0].ready && items[1].ready);
    bsni_transport_close(&extra);
    close_pair(&p);
}
END_TEST

/* More than fit the list on the stack. */
START_TEST(waiting_for_many_needs_no_limit)
{
    static bsni_wait_item items[300];
    pair p;
    size_t ready;
    open_pair(&p);
    for (size_t i = 0; i < 300; i++) items[i].fd = -1;
    items[299].fd = p.far.fd;
    send_text(&p.near, "x");
    ck_assert_int_eq(bsni_wait(items, 300, PATIENCE_MS, &ready, NULL), BSN_OK);
    ck_assert_uint_eq(ready, 1);
    ck_assert(items[299].ready);
    close_pair(&p);
}
END_TEST

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
    (void)number;
    alarms++;
}

START_TEST(signal_does_not_end_the_waiting)
{
    pair p;
    size_t ready;
    struct sigaction action = {.sa_handler = count_alarm}, old;
    open_pair(&p);
    alarms = 0;
    sigaction(SIGALRM, &action, &old);
    alarm(1);
    bsni_wait_item item = {.fd = p.far.fd};
    ck_assert_int_eq(bsni_wait(&item, 1, 1200, &ready, NULL), BSN_E_TIMEOUT);
    ck_assert_int_eq(alarms, 1);
    sigaction(SIGALRM, &old, NULL);
    close_pair(&p);
}
END_TEST

Suite *transport_listen_suite(void)
{
    Suite *suite = suite_create("transport_listen");
    TCase *tests = tcase_create("listening");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, accepted_stream_carries_bytes_both_ways);
    tcase_add_test(tests, accept_without_a_connection_times_out);
    tcase_add_test(tests, port_in_use_is_refused);
    tcase_add_test(tests, host_that_is_none_is_not_resolved);
    tcase_add_test(tests, peer_is_named_by_address_and_port);
    tcase_add_test(tests, waiting_tells_which_of_several_is_ready);
    tcase_add_test(tests, waiting_sees_a_connection_and_an_end);
    tcase_add_test(tests, waiting_for_many_needs_no_limit);
    tcase_add_test(tests, signal_does_not_end_the_waiting);
    suite_add_tcase(suite, tests);
    return suite;
}
