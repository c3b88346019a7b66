/* SPDX-License-Identifier: Apache-2.0
 *
 * transport_tcp.c -- streams over TCP and Unix sockets.
 *
 * The socket blocks, and the kernel keeps the time (SO_RCVTIMEO, SO_SNDTIMEO, told only when it changes): so a receive is one
 * system call, where polling first would make it two. Connecting alone waits first, for its deadline is for all attempts together.
 */
#include "client/deadline.h"
#include "client/transport.h"
#include "client/transport_resolve.h"
#include "io/os.h"

#include <bsonic/io.h>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the stream */

/* True when the peer has gone, which is no fault of this system. */
static bool means_closed(int os_error)
{
    return os_error == ECONNRESET || os_error == EPIPE || os_error == ECONNABORTED;
}

/* True when the call would have had to wait longer than it was allowed to. POSIX lets the two differ. */
static bool means_waited(int os_error)
{
#if EAGAIN != EWOULDBLOCK
    if (os_error == EWOULDBLOCK) return true;
#endif
    return os_error == EAGAIN;
}

static bsn_status socket_error(int os_error, bsn_error *err)
{
    if (means_waited(os_error)) return bsn_error_set(err, BSN_E_TIMEOUT, 0, NULL);
    const bsn_status status = bsni_os_error(err, os_error, NULL);
    if (!means_closed(os_error)) return status;
    if (err != NULL) err->status = BSN_E_CLOSED;
    return BSN_E_CLOSED;
}

/* Tells the kernel how long the socket may wait, unless it knows. 0 is done by a flag of the call. */
static bsn_status set_patience(bsni_socket *s, int option, int32_t *known, int32_t timeout_ms,
                               bsn_error *err)
{
    if (timeout_ms == 0 || timeout_ms == *known || (timeout_ms < 0 && *known < 0)) return BSN_OK;
    struct timeval patience = {0}; /* zero means for ever here */
    if (timeout_ms > 0) {
        patience.tv_sec = timeout_ms / 1000;
        patience.tv_usec = timeout_ms % 1000 * 1000L;
    }
    s->stats.others++;
    if (setsockopt(s->fd, SOL_SOCKET, option, &patience, sizeof patience) != 0) {
        return bsni_os_error(err, errno, NULL);
    }
    *known = timeout_ms;
    return BSN_OK;
}

static bsn_status socket_receive(void *ctx, uint8_t *ptr, size_t cap, int32_t timeout_ms,
                                 size_t *len, bsn_error *err)
{
    bsni_socket *s = ctx;
    bsn_status status = set_patience(s, SO_RCVTIMEO, &s->receive_timeout_ms, timeout_ms, err);
    if (status != BSN_OK) return status;
    for (;;) {
        s->stats.receives++;
        const ssize_t got = recv(s->fd, ptr, cap, timeout_ms == 0 ? MSG_DONTWAIT : 0);
        if (got > 0) {
            *len = (size_t)got;
            return BSN_OK;
        }
        if (got == 0) return bsn_error_set(err, BSN_E_CLOSED, 0, NULL);
        if (errno != EINTR) return socket_error(errno, err);
    }
}

static bsn_status socket_send(void *ctx, const bsn_iovec *pieces, size_t count, int32_t timeout_ms,
                              size_t *len, bsn_error *err)
{
    bsni_socket *s = ctx;
    struct iovec iov[BSNI_IOV_MAX];
    _Static_assert(BSNI_IOV_MAX <= UINT8_MAX, "a count of pieces fits a byte");
    if (count > BSNI_IOV_MAX) count = BSNI_IOV_MAX;
    bsn_status status = set_patience(s, SO_SNDTIMEO, &s->send_timeout_ms, timeout_ms, err);
    if (status != BSN_OK) return status;
    bsni_to_iovec(iov, pieces, count);
    struct msghdr message = {.msg_iov = iov};
    message.msg_iovlen =
        (uint8_t)count; /* size_t in glibc, int in POSIX and musl: a byte fits both */
    for (;;) {
        s->stats.sends++;
        const int flags = MSG_NOSIGNAL | (timeout_ms == 0 ? MSG_DONTWAIT : 0);
        const ssize_t put = sendmsg(s->fd, &message, flags);
        if (put > 0) {
            *len = (size_t)put;
            return BSN_OK;
        }
        if (put == 0) return bsni_os_error(err, EIO, "nothing could be sent");
        if (errno != EINTR) return socket_error(errno, err);
    }
}

static void socket_close(void *ctx)
{
    bsni_socket *s = ctx;
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
}

static const bsni_transport_ops socket_ops = {
    .receive = socket_receive, .send = socket_send, .close = socket_close};

bsni_transport bsni_socket_transport(bsni_socket *s)
{
    const bsni_transport t = {.ops = &socket_ops, .ctx = s};
    return t;
}

void bsni_socket_adopt(bsni_socket *s, int fd)
{
    const int on = 1;
    const bsni_socket fresh = {.fd = fd, .receive_timeout_ms = -1, .send_timeout_ms = -1};
    *s = fresh;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    /* A request must not wait for the acknowledgement of the one before. Other sockets than TCP's refuse: let them. */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* ------------------------------------------------------------------ connecting */

static bool set_blocking(int fd, bool blocking)
{
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return false;
    return fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) == 0;
}

/* Waits for a connection that is being made, and says how it went. */
static bsn_status finish_connect(int fd, uint64_t deadline_ns, bsn_error *err)
{
    bsni_wait_item item = {.fd = fd, .sending = true};
    size_t ready;
    const bsn_status status = bsni_wait(&item, 1, bsni_deadline_left_ms(deadline_ns), &ready, err);
    if (status == BSN_E_TIMEOUT) {
        return bsn_error_set(err, status, 0, "no answer to the connection");
    }
    if (status != BSN_OK) return status;
    int os_error = 0;
    socklen_t size = sizeof os_error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &os_error, &size) != 0) os_error = errno;
    return os_error == 0 ? BSN_OK : bsni_os_error(err, os_error, NULL);
}

static bsn_status try_connect(int fd, const struct sockaddr *to, socklen_t to_len,
                              uint64_t deadline_ns, bsn_error *err)
{
    if (!set_blocking(fd, false)) return bsni_os_error(err, errno, NULL);
    if (connect(fd, to, to_len) != 0) {
        /* Interrupted, it goes on by itself as if it had been told not to wait. */
        if (errno != EINPROGRESS && errno != EINTR) return bsni_os_error(err, errno, NULL);
        const bsn_status status = finish_connect(fd, deadline_ns, err);
        if (status != BSN_OK) return status;
    }
    return set_blocking(fd, true) ? BSN_OK : bsni_os_error(err, errno, NULL);
}

static bsn_status connect_to(bsni_socket *s, const bsni_address *address, const struct sockaddr *to,
                             socklen_t to_len, uint64_t deadline_ns, bsn_error *err)
{
    const int fd = socket(to->sa_family, SOCK_STREAM, 0);
    const int size = address->receive_buffer > INT32_MAX ? INT32_MAX : (int)address->receive_buffer;
    if (fd < 0) return bsni_os_error(err, errno, NULL);
    bsn_status status = BSN_OK;
    /* Before connecting, because the window that TCP offers is made of it. */
    if (size > 0 && setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) != 0) {
        status = bsni_os_error(err, errno, "the receive buffer's size was refused");
    }
    if (status == BSN_OK) status = try_connect(fd, to, to_len, deadline_ns, err);
    if (status == BSN_OK) {
        bsni_socket_adopt(s, fd);
    } else {
        close(fd);
    }
    return status;
}

static bsn_status connect_unix(bsni_socket *s, const bsni_address *address, uint64_t deadline_ns,
                               bsn_error *err)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (address->host.len >= sizeof to.sun_path) {
        return bsni_os_error(err, ENAMETOOLONG, "path of a socket");
    }
    memcpy(to.sun_path, address->host.ptr, address->host.len);
    return connect_to(s, address, (const struct sockaddr *)&to, sizeof to, deadline_ns, err);
}

/* The addresses share what time is left, so that one that swallows packets does not take it all. */
static uint64_t share_of(uint64_t deadline_ns, size_t addresses)
{
    if (deadline_ns == 0) return 0;
    const uint64_t now = bsn_clock_monotonic_ns();
    return now >= deadline_ns ? now : now + (deadline_ns - now) / addresses;
}

bsn_status bsni_socket_connect(bsni_socket *s, const bsni_address *address, int32_t timeout_ms,
                               bsn_error *err)
{
    const uint64_t deadline_ns = bsni_deadline_after(timeout_ms);
    s->fd = -1;
    if (address->port == 0) return connect_unix(s, address, deadline_ns, err);

    struct addrinfo *list = NULL;
    bsn_status status = bsni_resolve(address->host, address->port, 0, &list, err);
    if (status != BSN_OK) return status;
    size_t left = 0;
    for (const struct addrinfo *one = list; one != NULL; one = one->ai_next) left++;
    status = BSN_E_RESOLVE;
    for (const struct addrinfo *one = list; one != NULL && status != BSN_OK; one = one->ai_next) {
        status = connect_to(s, address, one->ai_addr, one->ai_addrlen,
                            share_of(deadline_ns, left--), err);
    }
    freeaddrinfo(list);
    return status;
}
