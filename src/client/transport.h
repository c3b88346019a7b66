/* SPDX-License-Identifier: Apache-2.0
 *
 * transport.h -- the I/O seam: everything above it moves bytes through a bsni_transport, and only transport_*.c touch sockets.
 *
 *   client ─┐                             ┌─ transport_tcp.c     TCP and Unix sockets, blocking, made by connect or accept
 *   serve  ─┼─► bsni_transport (vtable) ──┤
 *   tests  ─┘                             └─ a script: bytes, splits, silence and faults one by one
 *
 * Time      A timeout_ms is the longest silence that one call bears: -1 for ever, 0 only what is possible at once.
 * Errors    BSN_E_TIMEOUT (nothing moved in that time), BSN_E_CLOSED (the peer ended the stream, or reset it), BSN_E_IO with
 *           os_error. An interrupted system call is made again, never reported.
 * Signals   Sending never raises SIGPIPE.
 * Threads   One thread at a time for each object.
 */
#ifndef BSNI_TRANSPORT_H
#define BSNI_TRANSPORT_H

#include "base/debug.h"

#include <bsonic/mem.h>

/* ------------------------------------------------------------------ a stream */

typedef struct bsni_transport_ops {
    /* Receives 1..cap bytes (cap > 0) and sets *len to their count. One system call when bytes are there. */
    bsn_status (*receive)(void *ctx, uint8_t *ptr, size_t cap, int32_t timeout_ms, size_t *len,
                          bsn_error *err);

    /* Sends from the front of iov[0..count) and sets *len to how many bytes went, at least 1; a partial send ends anywhere.
     * count >= 1, the pieces hold at least one byte. At most BSNI_IOV_MAX pieces are looked at. */
    bsn_status (*send)(void *ctx, const bsn_iovec *iov, size_t count, int32_t timeout_ms,
                       size_t *len, bsn_error *err);

    /* Ends the stream. Called once, last. */
    void (*close)(void *ctx);
} bsni_transport_ops;

/* A stream that is open. Copied by value; ctx is borrowed. ops NULL: closed. */
typedef struct bsni_transport {
    const bsni_transport_ops *ops;
    void *ctx;
} bsni_transport;

#define BSNI_IOV_MAX 64

static inline bsn_status bsni_transport_receive(const bsni_transport *t, uint8_t *ptr, size_t cap,
                                                int32_t timeout_ms, size_t *len, bsn_error *err)
{
    BSN_ASSERT(t->ops != NULL);
    return t->ops->receive(t->ctx, ptr, cap, timeout_ms, len, err);
}

static inline bsn_status bsni_transport_send(const bsni_transport *t, const bsn_iovec *iov,
                                             size_t count, int32_t timeout_ms, size_t *len,
                                             bsn_error *err)
{
    BSN_ASSERT(t->ops != NULL);
    return t->ops->send(t->ctx, iov, count, timeout_ms, len, err);
}

/* Closing what is closed already does nothing. */
static inline void bsni_transport_close(bsni_transport *t)
{
    if (t->ops != NULL) t->ops->close(t->ctx);
    t->ops = NULL;
}

/* ------------------------------------------------------------------ sockets (transport_tcp.c) */

/* What a socket has cost so far, in system calls. */
typedef struct bsni_socket_stats {
    uint64_t receives;
    uint64_t sends;
    uint64_t others; /* options set */
} bsni_socket_stats;

/* A connected socket, in the caller's storage. */
typedef struct bsni_socket {
    int fd;
    /* What the kernel has been told: SO_RCVTIMEO, SO_SNDTIMEO. One call a receive, none a wait. */
    int32_t receive_timeout_ms;
    int32_t send_timeout_ms;
    bsni_socket_stats stats;
} bsni_socket;

/* Where to connect. */
typedef struct bsni_address {
    bsn_str host; /* name, IPv4 or IPv6 without brackets; with port 0 the path of a Unix socket */
    uint16_t port;
    uint32_t receive_buffer; /* SO_RCVBUF in bytes; 0: the system's own choice */
} bsni_address;

/* Resolves the name and connects to the first of its addresses that answers.
 *
 * Returns  BSN_OK with *s open.
 * Errors   BSN_E_RESOLVE  no such name      BSN_E_TIMEOUT  no answer in time      BSN_E_IO  refused, unreachable (os_error)
 * Time     timeout_ms bounds all connection attempts together. Resolving is libc's and has its own limits.
 */
bsn_status bsni_socket_connect(bsni_socket *s, const bsni_address *address, int32_t timeout_ms,
                               bsn_error *err);

/* Takes over a connected descriptor (of accept, of socketpair): close-on-exec, TCP_NODELAY where it is TCP. */
void bsni_socket_adopt(bsni_socket *s, int fd);

/* The stream over *s, which must outlive it. Closing the stream closes the socket. */
bsni_transport bsni_socket_transport(bsni_socket *s);

/* ------------------------------------------------------------------ listening (transport_listen.c) */

typedef struct bsni_listener {
    int fd;
    uint16_t port; /* the one in use: chosen by the system when 0 was asked for */
} bsni_listener;

/* Listens on host (name or numeric, no brackets) and port; 0: any free one.
 * Errors   BSN_E_RESOLVE, BSN_E_IO (address in use, not allowed). */
bsn_status bsni_listener_open(bsni_listener *l, bsn_str host, uint16_t port, bsn_error *err);
void bsni_listener_close(bsni_listener *l);

/* Takes a connection that waits. BSN_E_TIMEOUT when none came within timeout_ms. Failures that concern only the one peer
 * (it went away again) count as none. */
bsn_status bsni_listener_accept(bsni_listener *l, int32_t timeout_ms, bsni_socket *s,
                                bsn_error *err);

/* Room for the text of an address and port. */
#define BSNI_PEER_MAX 64

/* Writes who is at the other end, "127.0.0.1:40000", "[::1]:40000" or "unknown", and returns its length. */
size_t bsni_socket_peer(const bsni_socket *s, char text[BSNI_PEER_MAX]);

/* One of several descriptors to wait for. */
typedef struct bsni_wait_item {
    int fd;       /* bsni_socket.fd, bsni_listener.fd; negative: left out */
    bool sending; /* wait for room to send instead of bytes to receive */
    bool ready; /* set by bsni_wait: a call on it will not wait (it may find the end or an error) */
} bsni_wait_item;

/* Waits until one of items[0..count) is ready, and sets *ready to how many are. BSN_E_TIMEOUT when none was. */
bsn_status bsni_wait(bsni_wait_item *items, size_t count, int32_t timeout_ms, size_t *ready,
                     bsn_error *err);

#endif
