/* SPDX-License-Identifier: Apache-2.0
 *
 * test_transport_tcp.c -- streams over real sockets on this machine: both ends here, nothing waited for but what has been sent.
 */
#include "client/transport.h"
#include "suites.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* A socket that listens on a free port of the loopback. */
static int listen_here(uint16_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(fd, 4), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

/* Both ends of a connection. */
typedef struct pair {
    bsni_socket client, server;
    bsni_transport to_server, to_client;
} pair;

static void make_pair(pair *p, uint32_t receive_buffer)
{
    bsni_address address = {.host = BSN_STR("127.0.0.1"), .receive_buffer = receive_buffer};
    bsn_error err;
    const int listener = listen_here(&address.port);
    ck_assert_int_eq(bsni_socket_connect(&p->client, &address, 5000, &err), BSN_OK);
    const int fd = accept(listener, NULL, NULL);
    ck_assert_int_ge(fd, 0);
    bsni_socket_adopt(&p->server, fd);
    close(listener);
    p->to_server = bsni_socket_transport(&p->client);
    p->to_client = bsni_socket_transport(&p->server);
}

static void close_pair(pair *p)
{
    bsni_transport_close(&p->to_server);
    bsni_transport_close(&p->to_client);
    bsni_transport_close(&p->to_client); /* twice is harmless */
    ck_assert_int_eq(p->client.fd, -1);
    ck_assert_int_eq(p->server.fd, -1);
}

static void send_text(const bsni_transport *t, const char *text)
{
    const bsn_iovec piece = {.ptr = text, .len = strlen(text)};
    size_t len = 0;
    bsn_error err;
    ck_assert_int_eq(bsni_transport_send(t, &piece, 1, -1, &len, &err), BSN_OK);
    ck_assert_uint_eq(len, piece.len);
}

START_TEST(what_is_sent_in_pieces_arrives_in_one_receive)
{
    const bsn_iovec pieces[] = {{"one", 3}, {"", 0}, {" two", 4}};
    uint8_t room[64];
    size_t len = 0;
    bsn_error err;
    pair p;
    make_pair(&p, 0);
    ck_assert_int_eq(bsni_transport_send(&p.to_server, pieces, 3, -1, &len, &err), BSN_OK);
    ck_assert_uint_eq(len, 7);
    ck_assert_int_eq(bsni_transport_receive(&p.to_client, room, sizeof room, 5000, &len, &err),
                     BSN_OK);
    ck_assert_uint_eq(len, 7);
    ck_assert_int_eq(memcmp(room, "one two", 7), 0);
    ck_assert_uint_eq(p.client.stats.sends, 1);
    ck_assert_uint_eq(p.server.stats.receives, 1);
    close_pair(&p);
}
END_TEST

START_TEST(a_receive_takes_what_is_there_and_waits_for_no_more)
{
    uint8_t room[64];
    size_t len = 0;
    bsn_error err;
    pair p;
    make_pair(&p, 0);
    send_text(&p.to_server, "abcdef");
    ck_assert_int_eq(bsni_transport_receive(&p.to_client, room, 4, -1, &len, &err), BSN_OK);
    ck_assert_uint_eq(len, 4);
    ck_assert_int_eq(bsni_transport_receive(&p.to_client, room, sizeof room, -1, &len, &err),
                     BSN_OK);
    ck_assert_uint_eq(len, 2);
    close_pair(&p);
}
END_TEST

START_TEST(silence_ends_at_the_timeout_and_the_stream_goes_on_after_it)
{
    static const int32_t timeouts[] = {0, 1, 20, 0, 20};
    uint8_t room[8];
    size_t len = 0;
    bsn_error err;
    pair p;
    make_pair(&p, 0);
    for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
        ck_assert_int_eq(bsni_transport_receive(&p.to_server, room, 8, timeouts[i], &len, &err),
                         BSN_E_TIMEOUT);
    }
    ck_assert_uint_eq(p.client.stats.others, 2); /* the kernel is told only when it changes */
    send_text(&p.to_client, "late");
    ck_assert_int_eq(bsni_transport_receive(&p.to_server, room, 8, 5000, &len, &err), BSN_OK);
    ck_assert_uint_eq(len, 4);
    close_pair(&p);
}
END_TEST

START_TEST(the_end_and_a_reset_of_the_peer_are_told_apart_from_faults)
{
    static const struct linger abort_it = {.l_onoff = 1, .l_linger = 0};
    uint8_t room[8];
    size_t len = 0;
    bsn_error err;
    for (int reset = 0; reset < 2; reset++) {
        pair p;
        make_pair(&p, 0);
        if (reset) {
            ck_assert_int_eq(
                setsockopt(p.server.fd, SOL_SOCKET, SO_LINGER, &abort_it, sizeof abort_it), 0);
        }
        bsni_transport_close(&p.to_client);
        ck_assert_int_eq(bsni_transport_receive(&p.to_server, room, 8, 5000, &len, &err),
                         BSN_E_CLOSED);
        ck_assert_int_eq(err.status, BSN_E_CLOSED);
        ck_assert_int_eq(err.os_error, reset ? ECONNRESET : 0);
        close_pair(&p);
    }
}
END_TEST

/* SIGPIPE would end the test program. The peer has ended its side: the first send still goes, and is answered by a reset; the
 * next ones find a pipe that is broken. */
START_TEST(sending_to_nobody_is_an_error_and_no_signal)
{
    const bsn_iovec piece = {.ptr = "x", .len = 1};
    size_t len = 0;
    bsn_error err;
    pair p;
    make_pair(&p, 0);
    signal(SIGPIPE, SIG_DFL);
    bsni_transport_close(&p.to_client);
    bsn_status status = BSN_OK;
    for (int i = 0; i < 10 && status == BSN_OK; i++) {
        status = bsni_transport_send(&p.to_server, &piece, 1, 5000, &len, &err);
    }
    ck_assert_int_eq(status, BSN_E_CLOSED);
    ck_assert_int_eq(err.os_error, EPIPE);
    close_pair(&p);
}
END_TEST

START_TEST(a_full_socket_takes_part_of_it_and_then_times_out)
{
    const size_t size = (size_t)8 << 20;
    uint8_t *bytes = calloc(1, size);
    ck_assert_ptr_nonnull(bytes);
    const bsn_iovec piece = {.ptr = bytes, .len = size};
    size_t len = 0;
    bsn_error err;
    pair p;
    make_pair(&p, 4096);
    bsn_status status = bsni_transport_send(&p.to_client, &piece, 1, 0, &len, &err);
    ck_assert_int_eq(status, BSN_OK);
    ck_assert_uint_gt(len, 0);
    ck_assert_uint_lt(len, size);
    for (int i = 0; i < 1000 && status == BSN_OK; i++) {
        status = bsni_transport_send(&p.to_client, &piece, 1, 0, &len, &err);
    }
    ck_assert_int_eq(status, BSN_E_TIMEOUT);
    ck_assert_int_eq(bsni_transport_send(&p.to_client, &piece, 1, 5, &len, &err), BSN_E_TIMEOUT);
    close_pair(&p);
    free(bytes);
}
END_TEST

/* ------------------------------------------------------------------ interrupted by signals */

static atomic_int alarms;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    atomic_fetch_add(&alarms, 1);
}

/* What the other end does once the one here, which waits in a call, has been interrupted some times. */
typedef struct late_end {
    pair *p;
    size_t to_read; /* bytes; 0: it sends one instead */
} late_end;

static void *act_late(void *ctx)
{
    const late_end *end = ctx;
    static uint8_t room[65536];
    size_t len = 0, left = end->to_read;
    const int before = atomic_load(&alarms);
    while (atomic_load(&alarms) < before + 4) sched_yield();
    if (left == 0) send_text(&end->p->to_client, "x");
    for (; left > 0; left -= len < left ? len : left) {
        if (bsni_transport_receive(&end->p->to_client, room, sizeof room, -1, &len, NULL) != BSN_OK)
            break;
    }
    return NULL;
}

/* A timer interrupts the calling thread, without SA_RESTART, from here on. */
static void start_late(pthread_t *thread, late_end *end)
{
    const struct sigaction action = {.sa_handler = on_alarm};
    const struct itimerval often = {.it_interval = {0, 1000}, .it_value = {0, 1000}};
    sigset_t alarm_set;
    sigemptyset(&alarm_set);
    sigaddset(&alarm_set, SIGALRM);
    sigaction(SIGALRM, &action, NULL);
    pthread_sigmask(SIG_BLOCK, &alarm_set, NULL);
    ck_assert_int_eq(pthread_create(thread, NULL, act_late, end), 0); /* it inherits the mask */
    pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static void end_late(pthread_t thread)
{
    const struct itimerval never = {0};
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    setitimer(ITIMER_REAL, &never, NULL);
}

/* On a busy machine all the interruptions may come before the call: tries are made until one comes within. */
enum { TRIES = 100 };

/* How often the system was asked for one receive while a timer interrupts. */
static uint64_t receives_under_alarms(void)
{
    uint8_t room[8];
    size_t len = 0;
    bsn_error err;
    pair p;
    pthread_t thread;
    make_pair(&p, 0);
    late_end end = {.p = &p};
    const uint64_t before = p.client.stats.receives;
    start_late(&thread, &end);
    ck_assert_int_eq(bsni_transport_receive(&p.to_server, room, 8, -1, &len, &err), BSN_OK);
    end_late(thread);
    ck_assert_uint_eq(len, 1);
    const uint64_t receives = p.client.stats.receives - before;
    close_pair(&p);
    return receives;
}

START_TEST(an_interrupted_receive_is_made_again)
{
    int tries = 1;
    while (receives_under_alarms() == 1) ck_assert_int_lt(tries++, TRIES);
}
END_TEST

/* The same for a send into a socket that is full. */
static uint64_t sends_under_alarms(const bsn_iovec *piece)
{
    size_t len = 0, filled = 0;
    bsn_error err;
    pair p;
    pthread_t thread;
    make_pair(&p, 4096);
    while (bsni_transport_send(&p.to_server, piece, 1, 0, &len, &err) == BSN_OK) filled += len;
    late_end end = {.p = &p, .to_read = filled};
    const uint64_t before = p.client.stats.sends;
    start_late(&thread, &end);
    ck_assert_int_eq(bsni_transport_send(&p.to_server, piece, 1, -1, &len, &err), BSN_OK);
    end_late(thread);
    const uint64_t sends = p.client.stats.sends - before;
    close_pair(&p);
    return sends;
}

START_TEST(an_interrupted_send_is_made_again)
{
    const size_t size = (size_t)4 << 20;
    uint8_t *bytes = calloc(1, size);
    ck_assert_ptr_nonnull(bytes);
    const bsn_iovec piece = {.ptr = bytes, .len = size};
    int tries = 1;
    while (sends_under_alarms(&piece) == 1) ck_assert_int_lt(tries++, TRIES);
    free(bytes);
}
END_TEST

START_TEST(a_receive_buffer_is_set_before_connecting)
{
    int size = 0;
    socklen_t len = sizeof size;
    pair p;
    make_pair(&p, 8192);
    ck_assert_int_eq(getsockopt(p.client.fd, SOL_SOCKET, SO_RCVBUF, &size, &len), 0);
    ck_assert_int_ge(size, 8192);
    ck_assert_int_le(size, 65536);
    close_pair(&p);
}
END_TEST

START_TEST(nobody_there_is_told_with_the_system_s_reason)
{
    bsni_address address = {.host = BSN_STR("127.0.0.1")};
    bsni_socket s;
    bsn_error err = {0};
    close(listen_here(&address.port)); /* a port that was free a moment ago */
    ck_assert_int_eq(bsni_socket_connect(&s, &address, 5000, &err), BSN_E_IO);
    ck_assert_int_eq(err.os_error, ECONNREFUSED);
    ck_assert_int_eq(s.fd, -1);
}
END_TEST

START_TEST(names_that_cannot_be_are_not_resolved)
{
    char name[300];
    bsni_socket s;
    bsn_error err = {0};
    memset(name, 'a', sizeof name);
    const bsni_address address = {.host = {.ptr = name, .len = sizeof name}, .port = 27017};
    ck_assert_int_eq(bsni_socket_connect(&s, &address, 100, &err), BSN_E_RESOLVE);
    const bsni_address unix_address = {.host = {.ptr = name, .len = sizeof name}};
    ck_assert_int_eq(bsni_socket_connect(&s, &unix_address, 100, &err), BSN_E_IO);
    ck_assert_int_eq(err.os_error, ENAMETOOLONG);
}
END_TEST

START_TEST(unix_sockets_work_alike)
{
    char folder[] = "/tmp/bsonic-socket-XXXXXX";
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    uint8_t room[8];
    size_t len = 0;
    bsn_error err = {0};
    bsni_socket s;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(name.sun_path, sizeof name.sun_path, "%s/x.sock", folder);
    const bsni_address address = {.host = bsn_str_from(name.sun_path)};
    ck_assert_int_eq(bsni_socket_connect(&s, &address, 5000, &err), BSN_E_IO);
    ck_assert_int_eq(err.os_error, ENOENT);
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(listener, (const struct sockaddr *)&name, sizeof name), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(bsni_socket_connect(&s, &address, 5000, &err), BSN_OK);
    const int fd = accept(listener, NULL, NULL);
    ck_assert_int_eq(write(fd, "hi", 2), 2);
    bsni_transport t = bsni_socket_transport(&s);
    ck_assert_int_eq(bsni_transport_receive(&t, room, 8, 5000, &len, &err), BSN_OK);
    ck_assert_uint_eq(len, 2);
    bsni_transport_close(&t);
    close(fd);
    close(listener);
    unlink(name.sun_path);
    rmdir(folder);
}
END_TEST

Suite *transport_tcp_suite(void)
{
    Suite *suite = suite_create("transport_tcp");
    TCase *tcase = tcase_create("sockets");
    tcase_add_test(tcase, what_is_sent_in_pieces_arrives_in_one_receive);
    tcase_add_test(tcase, a_receive_takes_what_is_there_and_waits_for_no_more);
    tcase_add_test(tcase, silence_ends_at_the_timeout_and_the_stream_goes_on_after_it);
    tcase_add_test(tcase, the_end_and_a_reset_of_the_peer_are_told_apart_from_faults);
    tcase_add_test(tcase, sending_to_nobody_is_an_error_and_no_signal);
    tcase_add_test(tcase, a_full_socket_takes_part_of_it_and_then_times_out);
    tcase_add_test(tcase, an_interrupted_receive_is_made_again);
    tcase_add_test(tcase, an_interrupted_send_is_made_again);
    tcase_add_test(tcase, a_receive_buffer_is_set_before_connecting);
    tcase_add_test(tcase, nobody_there_is_told_with_the_system_s_reason);
    tcase_add_test(tcase, names_that_cannot_be_are_not_resolved);
    tcase_add_test(tcase, unix_sockets_work_alike);
    suite_add_tcase(suite, tcase);
    return suite;
}
