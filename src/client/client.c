/* SPDX-License-Identifier: Apache-2.0
 *
 * client.c -- the blocking client: moves the bytes that the connection machine (conn.c) asks to be moved.
 */
#include "client/client_state.h"
#include "client/deadline.h"

#include "base/debug.h"

#include <bsonic/io.h>

#include <stdio.h>
#include <string.h>

static const bsn_client_options option_defaults = {0};

/* ------------------------------------------------------------------ time */

/* In a connection string 0 is no limit. */
static uint64_t deadline_after(int32_t timeout_ms)
{
    return timeout_ms > 0 ? bsni_deadline_after(timeout_ms) : 0;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
    if (a == 0 || b == 0) return a + b;
    return a < b ? a : b;
}

/* How long the next call may wait: the machine's patience, and no longer than the deadline. False when that is over. */
static bool patience(const bsn_client *client, int32_t *timeout_ms)
{
    const int32_t left_ms = bsni_deadline_left_ms(client->deadline_ns);
    *timeout_ms = bsn_conn_timeout_ms(client->conn);
    if (left_ms == 0) return false;
    if (*timeout_ms < 0 || (left_ms > 0 && left_ms < *timeout_ms)) *timeout_ms = left_ms;
    return true;
}

/* ------------------------------------------------------------------ messages */

static void print_host(const bsn_uri_host *host, char *text, size_t size)
{
    const int len = host->name.len < size ? (int)host->name.len : (int)size;
    switch (host->kind) {
    case BSN_HOST_UNIX: snprintf(text, size, "%.*s", len, host->name.ptr); break;
    case BSN_HOST_IPV6:
        snprintf(text, size, "[%.*s]:%u", len, host->name.ptr, (unsigned)host->port);
        break;
    default: snprintf(text, size, "%.*s:%u", len, host->name.ptr, (unsigned)host->port); break;
    }
}

/* Composes the message of a failure: the host's name, when there is one, and why. */
bsn_status bsni_client_explain(bsn_client *client, const bsn_error *err, bsn_str why)
{
    char host[280] = "", system[BSN_OS_TEXT_MAX] = "";
    if (client->host != NULL) print_host(client->host, host, sizeof host);
    if (err->os_error != 0) bsn_os_text(err->os_error, system);
    const int wanted = snprintf(client->message, sizeof client->message, "%s%s%.*s%s%s", host,
                                host[0] != '\0' ? ": " : "", why.len < 1024 ? (int)why.len : 1024,
                                why.ptr, system[0] != '\0' ? ": " : "", system);
    client->message_len = wanted > 0 ? strlen(client->message) : 0;
    return err->status;
}

/* The same for a failure that only *err knows. */
bsn_status bsni_client_explain_error(bsn_client *client, const bsn_error *err)
{
    char why[BSN_ERROR_TEXT_MAX];
    return bsni_client_explain(client, err, bsn_str_from(bsn_error_text(err, why)));
}

/* The same of a host that could not be reached. */
static bsn_status explain_connect(bsn_client *client, const bsn_error *err)
{
    char host[280], system[BSN_OS_TEXT_MAX];
    const char *reason = bsn_status_text(err->status);
    if (err->os_error != 0) reason = bsn_os_text(err->os_error, system);
    print_host(client->host, host, sizeof host);
    snprintf(client->message, sizeof client->message, "cannot connect to %s: %s%s%s", host, reason,
             err->detail != NULL ? ": " : "", err->detail != NULL ? err->detail : "");
    client->message_len = strlen(client->message);
    return err->status;
}

bsn_status bsni_client_explain_conn(bsn_client *client, bsn_error *err)
{
    const bsn_status status = bsn_conn_error(client->conn, err);
    if (status != BSN_OK) bsni_client_explain(client, err, bsn_conn_message(client->conn));
    return status;
}

/* ------------------------------------------------------------------ moving bytes */

static bsn_status move_out(bsn_client *client, int32_t timeout_ms, bsn_error *err)
{
    bsn_iovec pieces[BSNI_IOV_MAX];
    size_t len = 0;
    const size_t count = bsn_conn_output(client->conn, pieces, BSNI_IOV_MAX);
    const bsn_status status =
        bsni_transport_send(&client->transport, pieces, count, timeout_ms, &len, err);
    if (status == BSN_OK) bsn_conn_sent(client->conn, len);
    return status;
}

static bsn_status move_in(bsn_client *client, int32_t timeout_ms, bsn_error *err)
{
    size_t cap, len = 0;
    uint8_t *room = bsn_conn_room(client->conn, &cap);
    if (room == NULL) return BSN_OK; /* the machine knows why, and says so at the next step */
    const bsn_status status =
        bsni_transport_receive(&client->transport, room, cap, timeout_ms, &len, err);
    if (status == BSN_OK) bsn_conn_received(client->conn, len);
    return status;
}

bsn_conn_event bsni_client_drive(bsn_client *client)
{
    for (;;) {
        const bsn_conn_event event = bsn_conn_step(client->conn);
        if (event != BSN_CONN_SEND && event != BSN_CONN_RECEIVE) return event;
        bsn_error err = {0};
        int32_t timeout_ms;
        bsn_status status = BSN_E_TIMEOUT;
        if (patience(client, &timeout_ms)) {
            status = event == BSN_CONN_SEND ? move_out(client, timeout_ms, &err)
                                            : move_in(client, timeout_ms, &err);
        }
        if (status != BSN_OK) {
            bsn_conn_lost(client->conn, status, err.os_error, err.detail);
            bsni_transport_close(&client->transport);
        }
    }
}

/* ------------------------------------------------------------------ opening */

/* What the string asks for and this version cannot do. */
static const char *unsupported(const bsn_uri *uri)
{
    bsn_str value;
    if (uri->username.ptr != NULL || uri->auth_mechanism.ptr != NULL) {
        return "authentication is not part of this version";
    }
    if (uri->srv) return "mongodb+srv is not part of this version";
    if (uri->tls == BSN_YES) return "TLS is not part of this version";
    if (uri->load_balanced == BSN_YES) return "loadBalanced=true is not part of this version";
    if (bsn_uri_get(uri, BSN_STR("proxyHost"), &value)) {
        return "proxies are not part of this version";
    }
    return NULL;
}

static void warn_of_unused(const bsn_client *client)
{
    bsn_str value;
    if (client->options.warn == NULL) return;
    if (bsn_uri_get(&client->uri, BSN_STR("compressors"), &value)) {
        client->options.warn(client->options.warn_ctx, BSN_STR("compressors"),
                             "compression is not part of this version; it is ignored");
    }
}

bsn_status bsni_client_new(bsn_str uri, const bsn_client_options *options, bsn_client **client,
                           bsn_error *err)
{
    const bsn_client_options *o = options != NULL ? options : &option_defaults;
    *client = NULL;
    bsn_client *fresh = bsn_alloc_resize(o->alloc, NULL, 0, sizeof *fresh);
    if (fresh == NULL) return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
    memset(fresh, 0, sizeof *fresh);
    fresh->alloc = o->alloc;
    fresh->options = *o;
    fresh->socket.fd = -1;
    *client = fresh;
    bsn_error fault = {0};
    bsn_status status = bsn_uri_parse(uri, o->alloc, o->warn, o->warn_ctx, &fresh->uri, &fault);
    if (status == BSN_OK) {
        const char *lacking = unsupported(&fresh->uri);
        if (lacking == NULL) {
            warn_of_unused(fresh);
            return BSN_OK;
        }
        status = bsn_error_set(&fault, BSN_E_UNSUPPORTED, 0, lacking);
    }
    bsni_client_explain_error(fresh, &fault);
    if (err != NULL) *err = fault;
    return status;
}

/* A member of another set than the string names is not the server that was meant.      [Server Discovery And Monitoring] */
static bsn_status check_set(bsn_client *client, bsn_error *err)
{
    bsn_doc reply;
    bsn_value name;
    if (client->uri.replica_set.ptr == NULL) return BSN_OK;
    if (bsn_conn_reply(client->conn, &reply) &&
        bsn_find_value(reply, BSN_STR("setName"), &name, NULL) == BSN_OK &&
        name.type == BSN_TYPE_STRING && bsn_str_equal(name.as.str, client->uri.replica_set)) {
        return BSN_OK;
    }
    bsn_error_set(err, BSN_E_SERVER, 0, "not a member of the replica set that was asked for");
    return bsni_client_explain_error(client, err);
}

bsn_status bsni_client_greet(bsn_client *client, bsni_transport transport, bsn_error *err)
{
    const bsn_conn_options options = {
        .window_size = client->options.window_size,
        .reply_max = client->options.reply_max,
        .app_name = client->uri.app_name,
        .connect_timeout_ms = client->uri.connect_timeout_ms,
        .socket_timeout_ms = client->uri.socket_timeout_ms,
        .alloc = client->alloc,
    };
    client->transport = transport;
    bsn_conn_free(client->conn); /* of a host that was tried before */
    bsn_status status = bsn_conn_new(&options, &client->conn, err);
    if (status == BSN_OK) {
        status = bsn_conn_hello(client->conn);
        bsn_error_set(err, status, 0, NULL);
    }
    if (status != BSN_OK) {
        bsni_client_explain_error(client, err);
    } else {
        bsni_client_drive(client);
        status = bsni_client_explain_conn(client, err);
        if (status == BSN_OK) status = check_set(client, err);
    }
    if (status != BSN_OK) bsni_transport_close(&client->transport);
    return status;
}

static bsn_status try_host(bsn_client *client, const bsn_uri_host *host, uint64_t deadline_ns,
                           bsn_error *err)
{
    const bsni_address address = {
        .host = host->name, .port = host->port, .receive_buffer = client->options.receive_buffer};
    client->host = host;
    client->deadline_ns = sooner(deadline_ns, deadline_after(client->uri.connect_timeout_ms));
    const int32_t timeout_ms = bsni_deadline_left_ms(client->deadline_ns);
    const bsn_status status = bsni_socket_connect(&client->socket, &address, timeout_ms, err);
    if (status != BSN_OK) return explain_connect(client, err);
    return bsni_client_greet(client, bsni_socket_transport(&client->socket), err);
}

bsn_status bsn_client_open(bsn_str uri, const bsn_client_options *options, bsn_client **client,
                           bsn_error *err)
{
    bsn_error fault = {0};
    bsn_status status = bsni_client_new(uri, options, client, &fault);
    if (status == BSN_OK) {
        BSN_ASSERT(*client != NULL);
        const bsn_uri *parsed = &(*client)->uri;
        const uint64_t deadline_ns = deadline_after(parsed->server_selection_timeout_ms);
        status = BSN_E_RESOLVE;
        for (size_t i = 0; i < parsed->host_count && status != BSN_OK; i++) {
            const bsn_error none = {0};
            fault = none;
            status = try_host(*client, &parsed->hosts[i], deadline_ns, &fault);
        }
        (*client)->deadline_ns = 0;
        if (status == BSN_OK) (*client)->message_len = 0;
    }
    if (status != BSN_OK && err != NULL) *err = fault;
    return status;
}

void bsn_client_free(bsn_client *client)
{
    if (client == NULL) return;
    bsni_transport_close(&client->transport);
    bsn_conn_free(client->conn);
    bsn_uri_free(&client->uri);
    bsn_alloc_resize(client->alloc, client, sizeof *client, 0);
}

/* ------------------------------------------------------------------ what it knows */

const bsn_uri *bsn_client_uri(const bsn_client *client)
{
    return client->uri.block != NULL ? &client->uri : NULL;
}

const bsn_server_info *bsn_client_server(const bsn_client *client)
{
    static const bsn_server_info nothing = {0};
    return client->conn != NULL ? bsn_conn_server(client->conn) : &nothing;
}

bsn_str bsn_client_message(const bsn_client *client)
{
    const bsn_str message = {.ptr = client->message, .len = client->message_len};
    return message;
}

bsn_client_stats bsn_client_get_stats(const bsn_client *client)
{
    bsn_client_stats stats = {.receives = client->socket.stats.receives,
                              .sends = client->socket.stats.sends};
    if (client->conn != NULL) stats.conn = bsn_conn_get_stats(client->conn);
    return stats;
}

/* ------------------------------------------------------------------ operations */

bsn_status bsni_client_begin(bsn_client *client, bsn_error *err)
{
    client->message_len = 0;
    if (client->conn != NULL && bsn_conn_usable(client->conn) && !client->cursor_open) {
        client->deadline_ns = deadline_after(client->uri.timeout_ms);
        return BSN_OK;
    }
    bsn_error fault = {0};
    bsn_error_set(&fault, BSN_E_STATE, 0,
                  client->cursor_open ? "a cursor is still open" : "there is no connection");
    if (err != NULL) *err = fault;
    return bsni_client_explain_error(client, &fault);
}

/* What a request that could not even be written comes to. */
static bsn_status refuse(bsn_client *client, bsn_status status, bsn_error *err)
{
    bsn_error fault = {0};
    if (status == BSN_OK) return BSN_OK;
    bsn_error_set(&fault, status, 0, "the request could not be written");
    if (err != NULL) *err = fault;
    return bsni_client_explain_error(client, &fault);
}

bsn_status bsn_client_command(bsn_client *client, bsn_str db, bsn_doc command, bsn_doc *reply,
                              bsn_error *err)
{
    bsn_status status = bsni_client_begin(client, err);
    if (status != BSN_OK) return status;
    status = refuse(client, bsn_conn_command(client->conn, db, command, 0), err);
    if (status != BSN_OK) return status;
    bsn_conn_stop(client->conn); /* the documents of a cursor are nobody's here */
    bsni_client_drive(client);
    bsn_error fault = {0};
    status = bsni_client_explain_conn(client, &fault);
    if (status != BSN_OK && err != NULL) *err = fault;
    if (!bsn_conn_reply(client->conn, reply) && status == BSN_OK) {
        return refuse(client, BSN_E_PROTOCOL, err);
    }
    return status;
}

static void open_cursor(bsn_client *client, bsn_cursor *cursor, bsn_status status,
                        const bsn_error *err)
{
    const bsn_cursor fresh = {.client = status == BSN_OK ? client : NULL,
                              .ended = status != BSN_OK};
    *cursor = fresh;
    if (status != BSN_OK && err != NULL) cursor->err = *err;
    if (status != BSN_OK) cursor->err.status = status;
    if (status == BSN_OK) client->cursor_open = true;
}

bsn_status bsn_client_find(bsn_client *client, bsn_str db, bsn_str collection,
                           const bsn_find_options *options, bsn_cursor *cursor, bsn_error *err)
{
    bsn_status status = bsni_client_begin(client, err);
    if (status == BSN_OK) {
        status = refuse(client, bsn_conn_find(client->conn, db, collection, options), err);
    }
    open_cursor(client, cursor, status, err);
    return status;
}

bsn_status bsn_client_cursor(bsn_client *client, bsn_str db, bsn_doc command, uint32_t batch_size,
                             bsn_cursor *cursor, bsn_error *err)
{
    bsn_status status = bsni_client_begin(client, err);
    if (status == BSN_OK) {
        status = refuse(client, bsn_conn_command(client->conn, db, command, batch_size), err);
    }
    open_cursor(client, cursor, status, err);
    return status;
}

bool bsn_cursor_refill(bsn_cursor *cursor)
{
    const bsn_run nothing = {0};
    cursor->run = nothing;
    cursor->next = 0;
    if (cursor->ended) return false;
    if (bsni_client_drive(cursor->client) == BSN_CONN_RUN) {
        cursor->run = bsn_conn_run(cursor->client->conn);
        return true;
    }
    cursor->ended = true;
    bsni_client_explain_conn(cursor->client, &cursor->err);
    return false;
}

bsn_status bsn_cursor_error(const bsn_cursor *cursor, bsn_error *err)
{
    if (cursor->err.status != BSN_OK && err != NULL) *err = cursor->err;
    return cursor->err.status;
}

bsn_status bsn_cursor_close(bsn_cursor *cursor, bsn_error *err)
{
    const bsn_run nothing = {0};
    bsn_client *client = cursor->client;
    cursor->run = nothing;
    cursor->next = 0;
    if (client != NULL && !cursor->ended) {
        client->deadline_ns = deadline_after(client->uri.connect_timeout_ms);
        bsn_conn_stop(client->conn);
        bsni_client_drive(client);
    }
    if (client != NULL) {
        client->cursor_open = false;
        client->deadline_ns = 0;
    }
    cursor->client = NULL;
    cursor->ended = true;
    return bsn_cursor_error(cursor, err);
}
