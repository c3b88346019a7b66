/* SPDX-License-Identifier: Apache-2.0
 *
 * transport_listen.c -- waits for connections, and for several streams at once.
 */
#include "client/deadline.h"
#include "client/transport.h"
#include "client/transport_resolve.h"
#include "io/os.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections that may wait to be taken; the system has its own limit below or above it. */
#define BACKLOG 511

#define ITEMS_AT_ONCE 64 /* a poll list of up to this many needs no memory */

/* ------------------------------------------------------------------ listening */

static uint16_t port_of(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET6) {
        struct sockaddr_in6 six;
        memcpy(&six, address, sizeof six);
        return ntohs(six.sin6_port);
    }
    struct sockaddr_in four;
    memcpy(&four, address, sizeof four);
    return ntohs(four.sin_port);
}

static bsn_status listen_on(bsni_listener *l, const struct addrinfo *to, bsn_error *err)
{
    const int on = 1;
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    const int fd = socket(to->ai_family, SOCK_STREAM, 0);
    if (fd < 0) return bsni_os_error(err, errno, NULL);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    /* A port that a server has just left is free, whatever of its connections still lingers. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, to->ai_addr, to->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0 &&
        fcntl(fd, F_SETFL, O_NONBLOCK) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
        l->fd = fd;
        l->port = port_of(&address);
        return BSN_OK;
    }
    const int os_error = errno;
    close(fd);
    return bsni_os_error(err, os_error, NULL);
}

bsn_status bsni_listener_open(bsni_listener *l, bsn_str host, uint16_t port, bsn_error *err)
{
    struct addrinfo *list = NULL;
    l->fd = -1;
    l->port = 0;
    bsn_status status = bsni_resolve(host, port, AI_PASSIVE, &list, err);
    if (status != BSN_OK) return status;
    status = BSN_E_RESOLVE;
    for (const struct addrinfo *one = list; one != NULL && status != BSN_OK; one = one->ai_next) {
        status = listen_on(l, one, err);
    }
    freeaddrinfo(list);
    return status;
}

void bsni_listener_close(bsni_listener *l)
{
    if (l->fd >= 0) close(l->fd);
    l->fd = -1;
}

/* True when there is no connection to take, or there was one and it is gone again. (POSIX names the first; Linux passes on what the
 * network said of the new socket, accept(2).) */
static bool means_none(int os_error)
{
    switch (os_error) {
    case EAGAIN:
#if EAGAIN != EWOULDBLOCK
    case EWOULDBLOCK:
#endif
    case ECONNABORTED:
    case EPROTO:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTUNREACH:
    case EOPNOTSUPP:
    case ENETUNREACH: return true;
    default: return false;
    }
}

bsn_status bsni_listener_accept(bsni_listener *l, int32_t timeout_ms, bsni_socket *s,
                                bsn_error *err)
{
    bsni_wait_item item = {.fd = l->fd};
    size_t ready;
    s->fd = -1;
    const bsn_status status = bsni_wait(&item, 1, timeout_ms, &ready, err);
    if (status != BSN_OK) return status;
    int fd;
    do {
        fd = accept(l->fd, NULL, NULL);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        if (means_none(errno)) return bsn_error_set(err, BSN_E_TIMEOUT, 0, NULL);
        return bsni_os_error(err, errno, NULL);
    }
    /* Where accepted sockets take the listener's mode over (not on Linux): ours block unless a call says otherwise. */
    fcntl(fd, F_SETFL, 0);
    bsni_socket_adopt(s, fd);
    return BSN_OK;
}

size_t bsni_socket_peer(const bsni_socket *s, char text[BSNI_PEER_MAX])
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    char host[INET6_ADDRSTRLEN] = "?";
    if (getpeername(s->fd, (struct sockaddr *)&address, &size) != 0) address.ss_family = AF_UNSPEC;
    int len;
    if (address.ss_family == AF_INET) {
        struct sockaddr_in four;
        memcpy(&four, &address, sizeof four);
        inet_ntop(AF_INET, &four.sin_addr, host, sizeof host);
        len = snprintf(text, BSNI_PEER_MAX, "%s:%u", host, (unsigned)port_of(&address));
    } else if (address.ss_family == AF_INET6) {
        struct sockaddr_in6 six;
        memcpy(&six, &address, sizeof six);
        inet_ntop(AF_INET6, &six.sin6_addr, host, sizeof host);
        len = snprintf(text, BSNI_PEER_MAX, "[%s]:%u", host, (unsigned)port_of(&address));
    } else {
        len = snprintf(text, BSNI_PEER_MAX, "unknown");
    }
    return len < 0 ? 0 : (size_t)len;
}

/* ------------------------------------------------------------------ waiting for several */

static short wanted_events(const bsni_wait_item *item)
{
    return item->sending ? POLLOUT : POLLIN;
}

static void to_poll_list(struct pollfd *list, const bsni_wait_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        list[i].fd = items[i].fd;
        list[i].events = wanted_events(&items[i]);
        list[i].revents = 0;
    }
}

static bsn_status poll_list(struct pollfd *list, size_t count, int32_t timeout_ms, bsn_error *err)
{
    const uint64_t deadline = bsni_deadline_after(timeout_ms);
    for (;;) {
        const int ready = poll(list, (nfds_t)count, bsni_deadline_left_ms(deadline));
        if (ready > 0) return BSN_OK;
        if (ready == 0) return bsn_error_set(err, BSN_E_TIMEOUT, 0, NULL);
        if (errno != EINTR) return bsni_os_error(err, errno, NULL);
    }
}

bsn_status bsni_wait(bsni_wait_item *items, size_t count, int32_t timeout_ms, size_t *ready,
                     bsn_error *err)
{
    struct pollfd few[ITEMS_AT_ONCE];
    struct pollfd *list = few;
    *ready = 0;
    if (count > ITEMS_AT_ONCE) {
        list = bsn_alloc_resize(NULL, NULL, 0, count * sizeof *list);
        if (list == NULL) return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
    }
    to_poll_list(list, items, count);
    const bsn_status status = poll_list(list, count, timeout_ms, err);
    for (size_t i = 0; i < count; i++) {
        items[i].ready = status == BSN_OK && items[i].fd >= 0 && list[i].revents != 0;
        if (items[i].ready) *ready += 1;
    }
    if (list != few) bsn_alloc_resize(NULL, list, count * sizeof *list, 0);
    return status;
}
