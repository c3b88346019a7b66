/* SPDX-License-Identifier: Apache-2.0
 *
 * conn.c -- the connection machine: what is awaited, what came, what follows from it.
 *
 *              hello                 command, find
 *   new ──► HELLO ──ok──► idle ──► COMMAND ─┬─ cursor at its end, or none ─────────► idle
 *             │            ▲                ├─ cursor open ──► GET_MORE ──► ...
 *             │ ok: 0,     │                └─ stopped, or limit reached ──► KILL ──► idle
 *             │ no overlap └─────────────────── ok: 0: the operation fails, the connection lives
 *             │                insert
 *             │            idle ──► INSERT ─┬─ all documents answered for ─────────────► idle
 *             │                             └─ more to send ──► INSERT ──► ...
 *             ▼
 *           dead ◄── lost, or a reply that breaks the protocol, in any state
 */
#include "client/conn_state.h"

#include "base/debug.h"
#include "io/window.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WINDOW_DEFAULT ((size_t)64 * 1024)
#define WINDOW_MIN ((size_t)1024)
#define REPLY_DEFAULT ((size_t)16 * 1024)
#define REPLY_MIN ((size_t)1024)
#define OUT_BLOCK ((size_t)4 * 1024)

static const bsn_conn_options option_defaults = {0};
static const bsn_find_options find_defaults = {0};

/* ------------------------------------------------------------------ making */

bsn_status bsn_conn_new(const bsn_conn_options *options, bsn_conn **conn, bsn_error *err)
{
    const bsn_conn_options *o = options != NULL ? options : &option_defaults;
    size_t reply_max = o->reply_max != 0 ? o->reply_max : REPLY_DEFAULT;
    size_t window = o->window_size != 0 ? o->window_size : WINDOW_DEFAULT;
    if (reply_max < REPLY_MIN) reply_max = REPLY_MIN;
    if (window < WINDOW_MIN) window = WINDOW_MIN;
    *conn = NULL;
    if (o->app_name.len > BSNI_APP_NAME_MAX) {
        return bsn_error_set(err, BSN_E_RANGE, 0, "application name over 128 bytes");
    }
    if (reply_max > SIZE_MAX - sizeof **conn) return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
    const size_t size = sizeof **conn + reply_max;
    bsn_conn *fresh = bsn_alloc_resize(o->alloc, NULL, 0, size);
    if (fresh == NULL) return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
    memset(fresh, 0, sizeof *fresh);
    fresh->alloc = o->alloc;
    fresh->size = size;
    fresh->reply_max = reply_max;
    fresh->connect_timeout_ms = o->connect_timeout_ms;
    fresh->socket_timeout_ms = o->socket_timeout_ms;
    fresh->app_name_len = o->app_name.len;
    if (o->app_name.len > 0) memcpy(fresh->app_name, o->app_name.ptr, o->app_name.len);
    fresh->server.message_size_max = BSN_MESSAGE_SIZE_MAX;
    bsn_pool_init(&fresh->pool, o->alloc, SIZE_MAX);
    bsn_out_init_pool(&fresh->out, &fresh->pool, OUT_BLOCK);
    bsn_status status = bsni_window_init(&fresh->window, window, o->alloc);
    if (status == BSN_OK) status = bsn_pool_prealloc(&fresh->pool, OUT_BLOCK, 1);
    if (status != BSN_OK) {
        bsn_conn_free(fresh);
        return bsn_error_set(err, status, 0, NULL);
    }
    *conn = fresh;
    return BSN_OK;
}

void bsn_conn_free(bsn_conn *conn)
{
    if (conn == NULL) return;
    bsn_out_free(&conn->out);
    bsn_pool_free(&conn->pool);
    bsni_window_free(&conn->window);
    if (conn->insert != NULL) {
        bsn_alloc_resize(conn->alloc, conn->insert, sizeof *conn->insert, 0);
    }
    bsn_alloc_resize(conn->alloc, conn, conn->size, 0);
}

/* ------------------------------------------------------------------ failing */

/* Composes the sentence of bsn_conn_message. What does not fit is cut. */
static void explain(bsn_conn *conn, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void explain(bsn_conn *conn, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int wanted = vsnprintf(conn->message, sizeof conn->message, format, arguments);
    va_end(arguments);
    conn->message_len = wanted < 0 ? 0 : (size_t)wanted;
    if (conn->message_len >= sizeof conn->message) conn->message_len = sizeof conn->message - 1;
}

/* The operation has failed; the connection goes on. */
static void fail_operation(bsn_conn *conn, const bsn_error *err)
{
    char text[BSN_ERROR_TEXT_MAX];
    conn->err = *err;
    conn->request = REQUEST_NONE;
    if (conn->insert != NULL) bsni_insert_drop(conn->insert);
    explain(conn, "%s", bsn_error_text(err, text));
}

/* The operation has failed, and the connection with it: who knows what its bytes would mean. */
static void fail_connection(bsn_conn *conn, bsn_status status, uint64_t offset, const char *detail)
{
    bsn_error err = {0};
    bsn_error_set(&err, status, offset, detail);
    fail_operation(conn, &err);
    conn->dead = true;
}

void bsn_conn_lost(bsn_conn *conn, bsn_status status, int os_error, const char *detail)
{
    const bool idle = conn->request == REQUEST_NONE;
    conn->dead = true;
    if (idle && conn->err.status != BSN_OK) return; /* the first reason stays */
    fail_connection(conn, status, 0, detail);
    conn->err.os_error = os_error;
    bsn_out_clear(&conn->out);
}

/* ------------------------------------------------------------------ operations */

static bsn_status begin_operation(bsn_conn *conn, bool greeting)
{
    if (conn->request != REQUEST_NONE || conn->dead || conn->greeted == greeting) {
        return BSN_E_STATE;
    }
    const bsn_error none = {0};
    const conn_cursor no_cursor = {.left = UINT64_MAX};
    conn->err = none;
    conn->message_len = 0;
    conn->has_reply = false;
    conn->stopping = false;
    conn->run_count = 0;
    conn->cursor = no_cursor;
    return BSN_OK;
}

/* A request lies in the output: its reply is awaited. */
static void await_reply(bsn_conn *conn, conn_request request)
{
    const bsn_envelope_options options = {.size_max = conn->server.message_size_max,
                                          .response_to = conn->request_id,
                                          .write_errors = request == REQUEST_INSERT,
                                          .storage = conn->reply_storage,
                                          .storage_size = conn->reply_max};
    bsn_envelope_init(&conn->env, &options);
    conn->has_reply = false; /* its storage is used again */
    conn->reply_documents = 0;
    conn->request = request;
}

bsn_status bsn_conn_hello(bsn_conn *conn)
{
    bsn_status status = begin_operation(conn, true);
    if (status == BSN_OK) status = bsni_conn_write_hello(conn);
    if (status != BSN_OK) return status;
    conn->cursor.left = 0; /* whatever documents come: none was asked for */
    await_reply(conn, REQUEST_HELLO);
    return BSN_OK;
}

bsn_status bsn_conn_command(bsn_conn *conn, bsn_str db, bsn_doc command, uint32_t batch_size)
{
    bsn_status status = begin_operation(conn, false);
    if (status == BSN_OK) status = bsni_conn_write_command(conn, db, command);
    if (status != BSN_OK) return status;
    conn->cursor.batch_size = batch_size;
    await_reply(conn, REQUEST_COMMAND);
    return BSN_OK;
}

bsn_status bsn_conn_find(bsn_conn *conn, bsn_str db, bsn_str collection,
                         const bsn_find_options *options)
{
    const bsn_find_options *o = options != NULL ? options : &find_defaults;
    bsn_status status = begin_operation(conn, false);
    if (status == BSN_OK) status = bsni_conn_write_find(conn, db, collection, o);
    if (status != BSN_OK) return status;
    conn->cursor.batch_size = o->batch_size;
    if (o->limit != 0) conn->cursor.left = o->limit;
    conn->cursor.finite = true;
    await_reply(conn, REQUEST_COMMAND);
    return BSN_OK;
}

/* Sends the next documents; without any the operation is over. */
static bsn_status insert_next(bsn_conn *conn)
{
    bool more = false;
    conn->request = REQUEST_NONE;
    if (conn->stopping) return BSN_OK;
    const bsn_status status = bsni_insert_next(conn, &more);
    if (more) await_reply(conn, REQUEST_INSERT);
    return status;
}

bsn_status bsn_conn_insert(bsn_conn *conn, bsn_str db, bsn_str collection, const bsn_doc *docs,
                           size_t count, const bsn_insert_options *options,
                           bsn_insert_result *result)
{
    insert_order order = {
        .db = db, .collection = collection, .docs = docs, .count = count, .result = result};
    if (options != NULL) order.options = *options;
    bsn_status status = begin_operation(conn, false);
    if (status == BSN_OK) status = bsni_insert_begin(conn, &order);
    return status == BSN_OK ? insert_next(conn) : status;
}

void bsn_conn_stop(bsn_conn *conn)
{
    conn->stopping = true; /* begin_operation takes it back */
    conn->run_count = 0;
}

/* ------------------------------------------------------------------ replies */

/* The text of a field of the reply; empty when there is none. */
static bsn_str reply_text(const bsn_conn *conn, bsn_str key)
{
    bsn_value value;
    const bsn_str none = {.ptr = "", .len = 0};
    if (!conn->has_reply || bsn_find_value(conn->reply, key, &value, NULL) != BSN_OK) return none;
    return value.type == BSN_TYPE_STRING ? value.as.str : none;
}

static int shown(bsn_str text)
{
    return text.len < BSNI_MESSAGE_MAX ? (int)text.len : BSNI_MESSAGE_MAX;
}

/* ok: 0. Code, name and text make the sentence; the rest is in the reply. Old servers' OP_REPLY says $err. */
static void fail_by_server(bsn_conn *conn)
{
    const int32_t code = conn->env.code;
    const bsn_error err = {.status = BSN_E_SERVER, .offset = code > 0 ? (uint64_t)code : 0};
    const bsn_str name = reply_text(conn, BSN_STR("codeName"));
    bsn_str text = reply_text(conn, BSN_STR("errmsg"));
    if (text.len == 0) text = reply_text(conn, BSN_STR("$err"));
    if (text.len == 0) text = BSN_STR("it refuses, and does not say why");
    fail_operation(conn, &err);
    if (code == 0) {
        explain(conn, "server: %.*s", shown(text), text.ptr);
        return;
    }
    explain(conn, "server: %.*s (code %" PRId32 "%s%.*s)", shown(text), text.ptr, code,
            name.len > 0 ? " " : "", shown(name), name.ptr);
}

static void finish_hello(bsn_conn *conn)
{
    if (!conn->has_reply) {
        fail_connection(conn, BSN_E_PROTOCOL, 0, "hello without an answer");
        return;
    }
    bsni_conn_read_hello(conn, conn->reply);
    const bsn_server_info *server = &conn->server;
    if (server->wire_version_max < BSN_WIRE_VERSION_MIN ||
        server->wire_version_min > BSN_WIRE_VERSION_MAX) {
        fail_connection(conn, BSN_E_UNSUPPORTED, 0, "no wire version in common");
        explain(conn,
                "server speaks wire versions %" PRId32 " to %" PRId32 ", this client %d to %d",
                server->wire_version_min, server->wire_version_max, BSN_WIRE_VERSION_MIN,
                BSN_WIRE_VERSION_MAX);
        return;
    }
    conn->greeted = true;
    conn->request = REQUEST_NONE;
}

/* A find's cursor is not tailable: its batches may be empty now and then, but one that gives nothing for ever is none. */
#define EMPTY_BATCHES_MAX 1000

/* Takes over the namespace that the first reply names, by which the cursor goes on: database up to the first dot, collection after
 * it. */
static bool take_ns(conn_cursor *cursor, const bsn_envelope *env)
{
    if (env->ns_len == 0) return false;
    const char *dot = memchr(env->ns, '.', env->ns_len);
    if (env->ns_len > sizeof cursor->ns || dot == NULL) return false;
    const size_t db_len = (size_t)(dot - env->ns);
    const bsn_str db = {.ptr = cursor->ns, .len = db_len};
    const bsn_str collection = {.ptr = cursor->ns + db_len + 1, .len = env->ns_len - db_len - 1};
    memcpy(cursor->ns, env->ns, env->ns_len);
    cursor->db = db;
    cursor->collection = collection;
    return db.len > 0 && collection.len > 0;
}

/* The first request is over only when its bytes are through: whatever comes next is written to an empty output. */
static void go_on(bsn_conn *conn, conn_request request)
{
    const bsn_status status =
        request == REQUEST_KILL ? bsni_conn_write_kill(conn) : bsni_conn_write_get_more(conn);
    if (status != BSN_OK) {
        fail_connection(conn, status, 0,
                        NULL); /* the server's cursor is left behind: only this helps */
        return;
    }
    await_reply(conn, request);
}

static void finish_insert(bsn_conn *conn)
{
    const char *contradiction = bsni_insert_take_reply(conn);
    if (contradiction != NULL) {
        fail_connection(conn, BSN_E_PROTOCOL, 0, contradiction);
        return;
    }
    bsn_error err = {0};
    if (bsn_error_set(&err, insert_next(conn), 0, NULL) != BSN_OK) fail_operation(conn, &err);
}

/* What a later reply says of the cursor must be what is known of it: it is open under the same id and name, or at its end. */
static const char *check_later(const conn_cursor *cursor, const bsn_envelope *env)
{
    if (env->cursor_id != 0 && env->cursor_id != cursor->id) {
        return "the answer to getMore is of another cursor";
    }
    const size_t ns_len = cursor->db.len + 1 + cursor->collection.len;
    const bool same = env->ns_len == ns_len && memcmp(env->ns, cursor->ns, ns_len) == 0;
    return env->ns_len == 0 || same ? NULL : "the answer to getMore is of another namespace";
}

/* Takes over what a reply says of its cursor. NULL, or what cannot be. */
static const char *take_cursor(bsn_conn *conn)
{
    const bsn_envelope *env = &conn->env;
    conn_cursor *cursor = &conn->cursor;
    if (!env->has_id) return "cursor without an id";
    if (!env->has_batch) return "cursor without a batch";
    if (conn->request == REQUEST_GET_MORE) {
        const char *contradiction = check_later(cursor, env);
        if (contradiction != NULL) return contradiction;
    } else if (env->cursor_id != 0 && !take_ns(cursor, env)) {
        return "open cursor without a sound namespace";
    }
    cursor->id = env->cursor_id;
    cursor->empty_batches = conn->reply_documents == 0 ? cursor->empty_batches + 1 : 0;
    if (cursor->id != 0 && cursor->finite && cursor->empty_batches >= EMPTY_BATCHES_MAX) {
        return "a thousand empty batches one after the other";
    }
    return NULL;
}

static void finish_command(bsn_conn *conn)
{
    const char *contradiction = NULL;
    if (conn->env.has_cursor) {
        contradiction = take_cursor(conn);
    } else if (conn->request == REQUEST_GET_MORE) {
        contradiction = "answer to getMore without a cursor";
    }
    if (contradiction != NULL) {
        fail_connection(conn, BSN_E_PROTOCOL, 0, contradiction);
    } else if (conn->cursor.id == 0) {
        conn->request = REQUEST_NONE;
    } else {
        go_on(conn, conn->stopping || conn->cursor.left == 0 ? REQUEST_KILL : REQUEST_GET_MORE);
    }
}

static void finish_reply(bsn_conn *conn)
{
    const bsn_envelope *env = &conn->env;
    const int32_t wanted = conn->request == REQUEST_HELLO ? BSN_OP_REPLY : BSN_OP_MSG;
    conn->stats.replies++;
    if (env->header.opcode != wanted) {
        fail_connection(conn, BSN_E_PROTOCOL, 12, "answer with another opcode than expected");
        return;
    }
    if (wanted == BSN_OP_MSG && (env->flags & BSN_MSG_MORE_TO_COME) != 0) {
        fail_connection(conn, BSN_E_PROTOCOL, 16, "more replies announced than asked for");
        return;
    }
    conn->has_reply = bsn_envelope_reply(env, &conn->reply);
    if (conn->request == REQUEST_KILL) {
        conn->request = REQUEST_NONE;
    } else if (!env->ok) {
        conn->dead = conn->request == REQUEST_HELLO;
        fail_by_server(conn);
    } else if (conn->request == REQUEST_HELLO) {
        finish_hello(conn);
    } else if (conn->request == REQUEST_INSERT) {
        finish_insert(conn);
    } else {
        finish_command(conn);
    }
}

/* What an answer to an insert hands out: write errors, which are not handed on. False: the connection has failed. */
static bool take_write_error(bsn_conn *conn, bsn_doc doc)
{
    bsn_error err = {0};
    if (!conn->env.in_write_errors)
        return true; /* documents of a cursor: that is judged at the end */
    const bsn_status status = bsni_insert_take_error(conn->insert, doc, &err);
    if (status != BSN_OK) fail_connection(conn, status, 0, err.detail);
    return status == BSN_OK;
}

/* Walks on in the window. Documents make a run, up to its full length; what else is there, the next step finds. */
static bsn_envelope_event walk(bsn_conn *conn)
{
    bsn_bytes src = bsni_window_view(&conn->window);
    const size_t before = src.len;
    bsn_envelope_event event = BSN_ENVELOPE_DOC;
    bsn_doc doc;
    conn->run_count = 0;
    while (conn->run_count < BSN_RUN_MAX) {
        event = bsn_envelope_next(&conn->env, &src, &doc);
        if (event != BSN_ENVELOPE_DOC) break;
        conn->reply_documents++;
        if (conn->request == REQUEST_INSERT) {
            if (!take_write_error(conn, doc)) break;
            continue;
        }
        if (conn->stopping || conn->cursor.left == 0) continue; /* beyond what was asked for */
        if (conn->cursor.left != UINT64_MAX) conn->cursor.left--;
        conn->run[conn->run_count++] = doc;
    }
    bsni_window_consume(&conn->window, before - src.len);
    conn->stats.documents += conn->run_count;
    return event;
}

/* A fault of the reply. What is damaged is a document or the connection: the code tells. */
static void fail_by_envelope(bsn_conn *conn)
{
    bsn_error err = {0};
    const bsn_status status = bsn_envelope_error(&conn->env, &err);
    fail_connection(conn, status, err.offset, err.detail);
}

static bool has_unsent(const bsn_conn *conn)
{
    return bsn_out_unsent(&conn->out) > 0 ||
           (conn->request == REQUEST_INSERT && bsni_insert_unsent(conn->insert));
}

bsn_conn_event bsn_conn_step(bsn_conn *conn)
{
    while (conn->request != REQUEST_NONE) {
        if (has_unsent(conn)) return BSN_CONN_SEND;
        const bsn_envelope_event event = walk(conn);
        if (conn->run_count > 0) return BSN_CONN_RUN;
        switch (event) {
        case BSN_ENVELOPE_DOC: break; /* passed by; there may be more */
        case BSN_ENVELOPE_MORE: return BSN_CONN_RECEIVE;
        case BSN_ENVELOPE_END: finish_reply(conn); break;
        case BSN_ENVELOPE_FAULT: fail_by_envelope(conn); break;
        }
    }
    return conn->err.status == BSN_OK ? BSN_CONN_DONE : BSN_CONN_FAILED;
}

/* ------------------------------------------------------------------ bytes */

size_t bsn_conn_output(bsn_conn *conn, bsn_iovec *iov, size_t max)
{
    const size_t count = bsn_out_iovecs(&conn->out, iov, max);
    if (conn->request != REQUEST_INSERT) return count;
    return count + bsni_insert_output(conn->insert, iov + count, max - count);
}

void bsn_conn_sent(bsn_conn *conn, size_t len)
{
    const uint64_t unsent = bsn_out_unsent(&conn->out);
    const size_t front = len < unsent ? len : (size_t)unsent;
    conn->stats.bytes_sent += len;
    bsn_out_sent(&conn->out, front);
    if (len > front) bsni_insert_sent(conn->insert, len - front);
}

uint8_t *bsn_conn_room(bsn_conn *conn, size_t *cap)
{
    uint8_t *ptr = NULL;
    const size_t have = bsni_window_view(&conn->window).len;
    size_t need = bsn_envelope_need(&conn->env);
    if (need <= have)
        need = have + 1; /* not asked for after RECEIVE: still never a room of nothing */
    const bsn_status status = bsni_window_room(&conn->window, need, &ptr, cap);
    if (status == BSN_OK) return ptr;
    fail_connection(conn, status, 0, NULL);
    *cap = 0;
    return NULL;
}

void bsn_conn_received(bsn_conn *conn, size_t len)
{
    conn->stats.bytes_received += len;
    bsni_window_received(&conn->window, len);
}

int32_t bsn_conn_timeout_ms(const bsn_conn *conn)
{
    const int32_t timeout_ms = conn->greeted ? conn->socket_timeout_ms : conn->connect_timeout_ms;
    return timeout_ms > 0 ? timeout_ms : -1;
}

/* ------------------------------------------------------------------ results */

bsn_run bsn_conn_run(const bsn_conn *conn)
{
    const bsn_run run = {.docs = conn->run, .count = conn->run_count};
    return run;
}

bool bsn_conn_reply(const bsn_conn *conn, bsn_doc *reply)
{
    if (conn->has_reply) *reply = conn->reply;
    return conn->has_reply;
}

bsn_status bsn_conn_error(const bsn_conn *conn, bsn_error *err)
{
    if (conn->err.status != BSN_OK && err != NULL) *err = conn->err;
    return conn->err.status;
}

bsn_str bsn_conn_message(const bsn_conn *conn)
{
    const bsn_str message = {.ptr = conn->message, .len = conn->message_len};
    return message;
}

bool bsn_conn_usable(const bsn_conn *conn)
{
    return !conn->dead;
}

const bsn_server_info *bsn_conn_server(const bsn_conn *conn)
{
    return &conn->server;
}

bsn_conn_stats bsn_conn_get_stats(const bsn_conn *conn)
{
    return conn->stats;
}
