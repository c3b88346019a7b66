/* SPDX-License-Identifier: Apache-2.0
 *
 * server.c -- see server.h.
 *
 *   readable ─► receive ─► a whole message? ─► serve_answer ─► out (+ feed) ─► send as far as it goes
 *                  ▲             │ no                                              │ all sent: the next message, if
 *                  └─────────────┘                          writable ◄─────────────┘ one is there; else wait to send
 */
#include "serve/server.h"

#include "serve/list.h"

#include <bsonic/io.h>

#include <stdio.h>
#include <string.h>

#define ROOM_SIZE ((size_t)4 * 1024)   /* for requests: few are longer than 1 KiB */
#define FEED_SIZE ((size_t)256 * 1024) /* of a batch that wait to be sent */
#define BLOCK_SIZE ((size_t)64 * 1024) /* of output */
#define POOL_KEEP ((size_t)4 * 1024 * 1024)
#define WAIT_MAX_MS 60000

typedef struct serve_connection {
    bsni_socket socket;
    bsni_transport transport;
    serve_peer peer;
    char address[BSNI_PEER_MAX];
    bsn_buf in;   /* what has been received, */
    size_t start; /* and where in it stands what has not been answered */
    bsn_out out;
    serve_feed feed;
} serve_connection;

/* ------------------------------------------------------------------ opening and closing */

bsn_status serve_server_open(serve_server *server, serve_state *state, bsn_str host, uint16_t port,
                             const serve_notice *notice, bsn_error *err)
{
    memset(server, 0, sizeof *server);
    server->state = state;
    server->notice = notice;
    bsn_pool_init(&server->pool, state->alloc, POOL_KEEP);
    const bsn_status status = bsni_listener_open(&server->listener, host, port, err);
    state->port = server->listener.port;
    return status;
}

static void free_connection(serve_server *server, serve_connection *c)
{
    bsni_transport_close(&c->transport);
    serve_feed_free(&c->feed);
    bsn_out_free(&c->out);
    bsn_buf_free(&c->in);
    bsn_alloc_resize(server->state->alloc, c, sizeof *c, 0);
}

/* Takes the connection at `index` off the list; another takes its place. */
static void drop_connection(serve_server *server, size_t index)
{
    free_connection(server, server->connections[index]);
    server->connections[index] = server->connections[--server->count];
    server->state->connections--;
    server->full = false;
}

void serve_server_close(serve_server *server)
{
    const bsn_alloc *const alloc = server->state->alloc;
    while (server->count > 0) drop_connection(server, server->count - 1);
    serve_list_free(alloc, server->connections, server->cap, sizeof(serve_connection_item));
    serve_list_free(alloc, server->items, server->item_cap, sizeof server->items[0]);
    server->connections = NULL;
    server->items = NULL;
    bsn_pool_free(&server->pool);
    bsni_listener_close(&server->listener);
}

/* ------------------------------------------------------------------ a connection's turn */

/* What has been received and not answered. */
static bsn_bytes unanswered(const serve_connection *c)
{
    const bsn_bytes bytes = {c->in.ptr, c->in.len};
    if (c->start == 0) return bytes; /* c->in.ptr may be NULL */
    const bsn_bytes rest = {c->in.ptr + c->start, c->in.len - c->start};
    return rest;
}

/* Tells why a connection is closed. */
static void tell(const serve_server *server, const serve_connection *c, const bsn_error *err)
{
    char os_text[BSN_OS_TEXT_MAX];
    const char *text = err->detail;
    if (err->os_error != 0) text = bsn_os_text(err->os_error, os_text);
    if (text == NULL) text = bsn_status_text(err->status);
    server->notice->tell(server->notice->ctx, c->peer.address, text);
}

/* The same about the message in front: when its opcode is not served, which one that is. */
static void tell_message(const serve_server *server, const serve_connection *c,
                         const bsn_error *err)
{
    char text[96];
    bsn_error told = *err;
    bsn_header header = {.opcode = BSN_OP_MSG}; /* and stays that when there is no header */
    const bsn_status status = bsn_header_read(unanswered(c), BSN_MESSAGE_SIZE_MAX, &header, NULL);
    if (status != BSN_E_SHORT && !serve_request_opcode(header.opcode)) {
        const char *const name = bsn_opcode_name(header.opcode);
        snprintf(text, sizeof text, "opcode %d (%s) is not served", (int)header.opcode,
                 name != NULL ? name : "unknown");
        bsn_error_set(&told, BSN_E_UNSUPPORTED, 0, text);
    }
    tell(server, c, &told);
}

/* Sends what waits, and what the feed still has. True while the connection is sound; false: it is to be closed. */
static bool send_some(serve_server *server, serve_connection *c)
{
    bsn_iovec iov[BSNI_IOV_MAX];
    bsn_error err;
    size_t sent;
    if (serve_feed_fill(&c->feed, &server->state->window, &c->out, FEED_SIZE, &err) != BSN_OK) {
        tell(server, c, &err);
        return false;
    }
    const size_t count = bsn_out_iovecs(&c->out, iov, BSNI_IOV_MAX);
    if (count == 0) return true;
    const bsn_status status = bsni_transport_send(&c->transport, iov, count, 0, &sent, &err);
    if (status == BSN_E_TIMEOUT) return true;
    if (status != BSN_OK) {
        if (status != BSN_E_CLOSED) tell(server, c, &err);
        return false;
    }
    bsn_out_sent(&c->out, sent);
    /* At rest the blocks are the pool's, for whoever sends next. */
    if (bsn_out_unsent(&c->out) == 0 && !c->feed.active) bsn_out_free(&c->out);
    return true;
}

static bool is_sending(const serve_connection *c)
{
    return c->feed.active || bsn_out_unsent(&c->out) > 0;
}

/* The length of the message in front, when it is there as a whole; 0: not yet. False: it is none. */
static bool whole_message(const serve_connection *c, size_t *len, bsn_error *err)
{
    const bsn_bytes front = unanswered(c);
    bsn_header header;
    *len = 0;
    if (front.len < BSN_HEADER_LEN) return true;
    if (bsn_header_read(front, BSN_MESSAGE_SIZE_MAX, &header, err) != BSN_OK) return false;
    if (front.len >= header.len) *len = header.len;
    return true;
}

/* Passes by an answered message. What is behind it stays where it is: moving it each time would cost the square of what a
 * client sends without waiting. Room that a long message took goes back. */
static void forget_message(serve_connection *c, size_t len)
{
    c->start += len;
    if (c->start < c->in.len) return;
    c->start = 0;
    c->in.len = 0;
    if (c->in.cap > ROOM_SIZE) bsn_buf_free(&c->in);
}

/* Moves what has not been answered to the front. */
static void close_gap(serve_connection *c)
{
    if (c->start == 0) return;
    const bsn_bytes rest = unanswered(c);
    memmove(c->in.ptr, rest.ptr, rest.len);
    c->in.len = rest.len;
    c->start = 0;
}

/* Answers messages until one's reply has to wait, or there is none left. False: close. */
static bool answer_messages(serve_server *server, serve_connection *c)
{
    bsn_error err = {0};
    size_t len;
    while (!is_sending(c)) {
        if (!whole_message(c, &len, &err)) {
            tell_message(server, c, &err);
            return false;
        }
        if (len == 0) return true;
        const bsn_bytes message = {unanswered(c).ptr, len};
        const serve_outcome outcome =
            serve_answer(server->state, &c->peer, message, &c->out, &c->feed, &err);
        if (outcome == SERVE_CLOSE) {
            tell_message(server, c, &err);
            return false;
        }
        forget_message(c, len);
        if (outcome == SERVE_REPLY && !send_some(server, c)) return false;
    }
    return true;
}

/* Receives what is there: at most as much again as is there already, so that room grows with what has come. */
static bool receive_some(serve_server *server, serve_connection *c)
{
    bsn_error err;
    size_t len;
    close_gap(c);
    const size_t room = c->in.cap - c->in.len;
    if (room == 0 || c->in.cap == 0) {
        const bsn_status status =
            bsn_buf_reserve(&c->in, c->in.len < ROOM_SIZE ? ROOM_SIZE : c->in.len);
        if (status != BSN_OK) {
            bsn_error_set(&err, status, 0, NULL);
            tell(server, c, &err);
            return false;
        }
    }
    const bsn_status status = bsni_transport_receive(&c->transport, c->in.ptr + c->in.len,
                                                     c->in.cap - c->in.len, 0, &len, &err);
    if (status == BSN_E_TIMEOUT) return true;
    if (status != BSN_OK) {
        if (status != BSN_E_CLOSED) tell(server, c, &err);
        return false;
    }
    c->in.len += len;
    return true;
}

/* One turn of a connection that is ready. False: close. */
static bool take_turn(serve_server *server, serve_connection *c)
{
    if (is_sending(c)) {
        if (!send_some(server, c)) return false;
    } else if (!receive_some(server, c)) {
        return false;
    }
    return answer_messages(server, c);
}

/* ------------------------------------------------------------------ new connections */

static bsn_status make_room(serve_server *server)
{
    if (server->count < server->cap) return BSN_OK;
    serve_connection_item *grown = serve_list_grow(server->state->alloc, server->connections,
                                                   &server->cap, sizeof(serve_connection_item));
    if (grown == NULL) return BSN_E_NOMEM;
    server->connections = grown;
    return BSN_OK;
}

static bsn_status add_connection(serve_server *server, const bsni_socket *socket)
{
    serve_state *const state = server->state;
    serve_connection *c = NULL;
    if (make_room(server) == BSN_OK) c = bsn_alloc_resize(state->alloc, NULL, 0, sizeof *c);
    if (c == NULL) return BSN_E_NOMEM;
    memset(c, 0, sizeof *c);
    c->socket = *socket;
    c->transport = bsni_socket_transport(&c->socket);
    c->peer.address.ptr = c->address;
    c->peer.address.len = bsni_socket_peer(&c->socket, c->address);
    server->last_connection_id =
        server->last_connection_id == INT32_MAX ? 1 : server->last_connection_id + 1;
    c->peer.id = server->last_connection_id;
    bsn_buf_init(&c->in, state->alloc);
    bsn_out_init_pool(&c->out, &server->pool, BLOCK_SIZE);
    server->connections[server->count++] = c;
    state->connections++;
    state->connections_total++;
    return BSN_OK;
}

/* Takes one that waits. What keeps it from being taken is told, and it waits until another ends; with no other it is the status. */
static bsn_status accept_connection(serve_server *server, bsn_error *err)
{
    static const bsn_str subject = {"a new connection", 16};
    char os_text[BSN_OS_TEXT_MAX];
    bsni_socket socket;
    bsn_status status = bsni_listener_accept(&server->listener, 0, &socket, err);
    if (status == BSN_E_TIMEOUT) return BSN_OK;
    if (status != BSN_OK) {
        server->full = true; /* no descriptors, no memory: until a connection ends */
        server->notice->tell(server->notice->ctx, subject, bsn_os_text(err->os_error, os_text));
        return server->count > 0 ? BSN_OK : status;
    }
    status = add_connection(server, &socket);
    if (status == BSN_OK) return BSN_OK;
    bsni_transport transport = bsni_socket_transport(&socket);
    bsni_transport_close(&transport);
    server->notice->tell(server->notice->ctx, subject, bsn_status_text(status));
    return BSN_OK;
}

/* ------------------------------------------------------------------ waiting */

enum { ITEM_WAKE, ITEM_LISTENER, ITEMS_FIXED };

static bsn_status list_items(serve_server *server, int wake)
{
    const size_t needed = ITEMS_FIXED + server->count;
    const bool open = server->count < SERVE_CONNECTIONS_MAX && !(server->full && server->count > 0);
    while (needed > server->item_cap) {
        bsni_wait_item *grown =
            serve_list_grow(server->state->alloc, server->items, &server->item_cap, sizeof *grown);
        if (grown == NULL) return BSN_E_NOMEM;
        server->items = grown;
    }
    memset(server->items, 0, needed * sizeof server->items[0]);
    server->items[ITEM_WAKE].fd = wake;
    server->items[ITEM_LISTENER].fd = open ? server->listener.fd : -1;
    for (size_t i = 0; i < server->count; i++) {
        server->items[ITEMS_FIXED + i].fd = server->connections[i]->socket.fd;
        server->items[ITEMS_FIXED + i].sending = is_sending(server->connections[i]);
    }
    return BSN_OK;
}

static void read_clocks(serve_state *state)
{
    state->now_ms = bsn_clock_monotonic_ns() / 1000000;
    state->utc_ms = bsn_clock_utc_ms();
    if (state->started_ms == 0) state->started_ms = state->now_ms;
}

/* How long there is nothing to do if nobody asks: until a cursor has been idle too long. */
static int32_t patience_ms(serve_state *state)
{
    const int64_t expiry = serve_cursors_expire(&state->cursors, state->now_ms);
    if (expiry < 0) return -1;
    return expiry < WAIT_MAX_MS ? (int32_t)expiry + 1 : WAIT_MAX_MS;
}

/* Waits, and lets everyone who is ready have a turn: from the last on, since a connection that ends gives its place to the last. */
static bsn_status serve_round(serve_server *server, int wake, bool *woken, bsn_error *err)
{
    const int32_t patience = patience_ms(server->state);
    const size_t count = server->count;
    size_t ready;
    bsn_status status = list_items(server, wake);
    if (status != BSN_OK) return bsn_error_set(err, status, 0, NULL);
    status = bsni_wait(server->items, ITEMS_FIXED + count, patience, &ready, err);
    read_clocks(server->state);
    if (status == BSN_E_TIMEOUT) return BSN_OK;
    if (status != BSN_OK) return status;
    for (size_t i = count; i-- > 0;) {
        if (server->items[ITEMS_FIXED + i].ready && !take_turn(server, server->connections[i])) {
            drop_connection(server, i);
        }
    }
    *woken = server->items[ITEM_WAKE].ready;
    return server->items[ITEM_LISTENER].ready ? accept_connection(server, err) : BSN_OK;
}

bsn_status serve_server_run(serve_server *server, int wake, bsn_error *err)
{
    bool woken = false;
    bsn_status status = BSN_OK;
    read_clocks(server->state);
    while (status == BSN_OK && !woken) status = serve_round(server, wake, &woken, err);
    return status;
}
