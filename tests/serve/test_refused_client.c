/* SPDX-License-Identifier: Apache-2.0
 *
 * test_refused_client.c -- memory refused at each request, through every entry point of libbsonic-client that takes a bsn_alloc, and
 * through the server of the program.
 */
#include "client/client_state.h"
#include "client/insert_dialog.h"
#include "serve/answer.h"
#include "serve/server.h"
#include "suites.h"
#include "support/refusals.h"

#include <bsonic/client.h>
#include <bsonic/io.h>
#include <bsonic/wire.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBERS 300
#define LONG_DOC 20000

/* ------------------------------------------------------------------ a folder with a file */

static char folder[64], file_path[96], out_path[96];
static uint8_t numbers[NUMBERS * 14]; /* {_id: i} */
static uint8_t long_bytes[LONG_DOC];  /* {pad: binary}: no block of a request's output holds it */
static const bsn_doc long_doc = {long_bytes, sizeof long_bytes};

static void write_file(void)
{
    FILE *file = fopen(file_path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(numbers, 1, sizeof numbers, file), sizeof numbers);
    ck_assert_uint_eq(fwrite(long_bytes, 1, sizeof long_bytes, file), sizeof long_bytes);
    ck_assert_int_eq(fclose(file), 0);
}

static void make_folder(void)
{
    for (int32_t i = 0; i < NUMBERS; i++) {
        uint8_t *doc = numbers + 14 * i;
        bsn_store_i32(doc, 14);
        memcpy(doc + 4, "\x10_id", 5);
        bsn_store_i32(doc + 9, i);
        doc[13] = 0;
    }
    bsn_store_i32(long_bytes, LONG_DOC);
    memcpy(long_bytes + 4, "\x05pad", 5);
    bsn_store_i32(long_bytes + 9, LONG_DOC - 15);
    snprintf(folder, sizeof folder, "/tmp/bsonic-refused-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file_path, sizeof file_path, "%s/numbers.bson", folder);
    snprintf(out_path, sizeof out_path, "%s/out", folder);
    write_file();
}

static void remove_folder(void)
{
    unlink(file_path);
    ck_assert_int_eq(rmdir(folder), 0); /* nothing else was left there */
}

/* ------------------------------------------------------------------ io.h */

static bsn_status read_a_file(const bsn_alloc *alloc)
{
    const bsn_input_options options = {.window_size = 1024, .alloc = alloc};
    bsn_input in;
    bsn_doc doc;
    bsn_error err = {0};
    uint64_t count = 0;
    bsn_status status = bsn_input_open(&in, file_path, &options, &err);
    while (bsn_input_next(&in, &doc)) {
        count++;
        (void)!bsn_input_peek(&in).len;
    }
    if (status == BSN_OK) status = bsn_input_error(&in, &err);
    ck_assert_int_eq(err.status, status);
    if (status == BSN_OK) ck_assert_uint_eq(count, NUMBERS + 1);
    bsn_input_free(&in);
    return status;
}

static bsn_status read_a_callback(void *ctx, uint8_t *ptr, size_t cap, size_t *len, bsn_error *err)
{
    size_t *at = ctx;
    (void)err;
    *len = sizeof long_bytes - *at < cap ? sizeof long_bytes - *at : cap;
    memcpy(ptr, long_bytes + *at, *len);
    *at += *len;
    return BSN_OK;
}

static bsn_status read_through_a_callback(const bsn_alloc *alloc)
{
    const bsn_input_options options = {.window_size = 1024, .alloc = alloc};
    size_t at = 0;
    bsn_input in;
    bsn_doc doc;
    bsn_status status = bsn_input_init(&in, read_a_callback, &at, &options, NULL);
    while (bsn_input_next(&in, &doc)) {
    }
    ck_assert(!bsn_input_next(&in, &doc)); /* for good */
    if (status == BSN_OK) status = bsn_input_error(&in, NULL);
    bsn_input_free(&in);
    return status;
}

static bsn_status write_a_file(const bsn_alloc *alloc)
{
    const bsn_output_options options = {.alloc = alloc};
    bsn_pool pool;
    bsn_out out;
    bsn_output to;
    bsn_pool_init(&pool, alloc, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    bsn_status status = bsn_output_open(&to, out_path, &options, NULL);
    for (int i = 0; i < 20 && status == BSN_OK; i++) bsn_out_append(&out, long_bytes, 1000);
    if (status == BSN_OK) status = bsn_out_status(&out);
    if (status == BSN_OK) status = bsn_output_flush(&to, &out, NULL);
    if (status == BSN_OK) status = bsn_output_commit(&to, NULL);
    bsn_output_free(&to);
    ck_assert_int_eq(unlink(out_path) == 0, status == BSN_OK); /* whole or not at all */
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    return status;
}

/* ------------------------------------------------------------------ uri.h, conn.h */

static bsn_status parse_a_string(const bsn_alloc *alloc)
{
    bsn_uri uri;
    const bsn_str text =
        BSN_STR("mongodb://u:p@a:1,[::1]:2,%2Ft%2Fs.sock/db?w=2&readPreferenceTags=a:b"
                "&readPreferenceTags=c:d&readPreference=nearest&appName=x%20y");
    const bsn_status status = bsn_uri_parse(text, alloc, NULL, NULL, &uri, NULL);
    bsn_uri_free(&uri);
    return status;
}

static bsn_status event_status(const dialog *d, bsn_conn_event event)
{
    const bsn_status status = bsn_conn_error(d->conn, NULL);
    ck_assert_int_eq(event == BSN_CONN_DONE, status == BSN_OK);
    return status;
}

/* A machine and its peer, past the hello if memory allows. */
static dialog *meet(const bsn_alloc *alloc, bsn_status *status)
{
    const bsn_conn_options options = {.window_size = 1024, .alloc = alloc};
    dialog *d = calloc(1, sizeof *d);
    ck_assert_ptr_nonnull(d);
    script_init(&d->peer);
    d->stop_after = SIZE_MAX;
    script_reply(&d->peer, reply_hello(&d->bytes));
    *status = bsn_conn_new(&options, &d->conn, NULL);
    ck_assert_int_eq(d->conn != NULL, *status == BSN_OK);
    if (*status == BSN_OK) *status = bsn_conn_hello(d->conn);
    if (*status == BSN_OK) *status = event_status(d, dialog_run(d));
    return d;
}

/* Runs what has begun. What could not begin has left the machine ready. */
static bsn_status run_begun(dialog *d, bsn_status begun)
{
    if (begun == BSN_OK) return event_status(d, dialog_run(d));
    ck_assert(bsn_conn_usable(d->conn));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    return begun;
}

static bsn_status ask_a_long_command(const bsn_alloc *alloc)
{
    bsn_status status;
    dialog *d = meet(alloc, &status);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 5, "db.c", 0, 3));
    script_reply(&d->peer, reply_ok(&d->bytes, 3));
    d->stop_after = 1; /* and kill the cursor */
    if (status == BSN_OK) {
        status = run_begun(d, bsn_conn_command(d->conn, BSN_STR("db"), long_doc, 3));
    }
    dialog_free(d);
    return status;
}

static bsn_status find_with_a_long_filter(const bsn_alloc *alloc)
{
    const bsn_find_options options = {.filter = long_doc, .sort = long_doc};
    bsn_status status;
    dialog *d = meet(alloc, &status);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 5, "db.c", 0, 3));
    script_reply(&d->peer, reply_batch(&d->bytes, 3, "nextBatch", 0, "db.c", 3, 2));
    if (status == BSN_OK) {
        status = run_begun(d, bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), &options));
    }
    if (status == BSN_OK) dialog_expect_docs(d, 5);
    dialog_free(d);
    return status;
}

static bsn_status receive_a_long_document(const bsn_alloc *alloc)
{
    bsn_status status;
    dialog *d = meet(alloc, &status);
    script_reply(&d->peer, reply_long(&d->bytes, 12000));
    if (status == BSN_OK) {
        status = run_begun(d, bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL));
        ck_assert_int_eq(bsn_conn_usable(d->conn), status == BSN_OK);
        dialog_expect_docs(d, status == BSN_OK ? 2 : 0);
    }
    dialog_free(d);
    return status;
}

static bsn_status insert_by_the_machine(const bsn_alloc *alloc)
{
    bsn_status status;
    bsn_insert_result result;
    inserting d = {.host = meet(alloc, &status)};
    corpus *c = corpus_of(4, 40, true);
    inserting_answer(&d, 4, NULL, 0);
    if (status == BSN_OK)
        status = bsn_insert_result_init(&result, alloc);
    else
        memset(&result, 0, sizeof result);
    if (status == BSN_OK) {
        status = run_begun(d.host, bsn_conn_insert(d.host->conn, BSN_STR("db"), BSN_STR("c"),
                                                   c->docs, c->count, NULL, &result));
        ck_assert_uint_eq(result.inserted, status == BSN_OK ? 4 : 0);
    }
    bsn_insert_result_free(&result);
    free(c);
    dialog_free(d.host);
    return status;
}

/* ------------------------------------------------------------------ client.h */

/* A client and its peer, past the hello if memory allows. */
typedef struct session {
    bsn_client *client;
    script peer;
    build bytes;
} session;

static session *open_session(const bsn_alloc *alloc, bsn_status *status)
{
    const bsn_client_options options = {.window_size = 1024, .alloc = alloc};
    session *s = calloc(1, sizeof *s);
    ck_assert_ptr_nonnull(s);
    script_init(&s->peer);
    script_reply(&s->peer, reply_hello(&s->bytes));
    *status = bsni_client_new(BSN_STR("mongodb://localhost/?w=1"), &options, &s->client, NULL);
    if (*status == BSN_OK) {
        bsn_error err;
        *status = bsni_client_greet(s->client, script_transport(&s->peer), &err);
    }
    if (*status != BSN_OK && s->client != NULL) {
        ck_assert_uint_gt(bsn_client_message(s->client).len, 0); /* it knows why */
    }
    return s;
}

static void close_session(session *s)
{
    bsn_client_free(s->client);
    free(s);
}

static bsn_status command_a_client(const bsn_alloc *alloc)
{
    bsn_status status;
    bsn_doc reply;
    session *s = open_session(alloc, &status);
    script_reply(&s->peer, reply_ok(&s->bytes, 2));
    if (status == BSN_OK) {
        status = bsn_client_command(s->client, BSN_STR("db"), long_doc, &reply, NULL);
    }
    close_session(s);
    return status;
}

static bsn_status read_cursor(session *s, bsn_status status, bsn_cursor *cursor)
{
    bsn_doc doc;
    size_t count = 0;
    ck_assert_int_eq(bsn_cursor_error(cursor, NULL), status);
    while (bsn_cursor_next(cursor, &doc)) count++;
    status = bsn_cursor_close(cursor, NULL);
    ck_assert_uint_eq(count, status == BSN_OK ? 2 : 0);
    if (status != BSN_OK) ck_assert_uint_gt(bsn_client_message(s->client).len, 0);
    return status;
}

static bsn_status find_by_a_client(const bsn_alloc *alloc)
{
    const bsn_find_options options = {.filter = long_doc};
    bsn_status status;
    bsn_cursor cursor;
    session *s = open_session(alloc, &status);
    script_reply(&s->peer, reply_long(&s->bytes, 12000));
    if (status == BSN_OK) {
        status = bsn_client_find(s->client, BSN_STR("db"), BSN_STR("c"), &options, &cursor, NULL);
        status = read_cursor(s, status, &cursor);
    }
    close_session(s);
    return status;
}

static bsn_status cursor_by_a_client(const bsn_alloc *alloc)
{
    bsn_status status;
    bsn_cursor cursor;
    session *s = open_session(alloc, &status);
    script_reply(&s->peer, reply_long(&s->bytes, 12000));
    if (status == BSN_OK) {
        status = bsn_client_cursor(s->client, BSN_STR("db"), long_doc, 0, &cursor, NULL);
        status = read_cursor(s, status, &cursor);
    }
    close_session(s);
    return status;
}

/* {n: 300, ok: 1} */
#define INSERTED_300 "10 6E00 2C010000 01 6F6B00 000000000000F03F"

static bsn_status bulk_by_a_client(const bsn_alloc *alloc)
{
    bsn_status status;
    bsn_bulk bulk;
    session *s = open_session(alloc, &status);
    script_reply(&s->peer, reply_of(&s->bytes, 2, 0, INSERTED_300));
    if (status == BSN_OK) {
        status = bsn_client_bulk(s->client, BSN_STR("db"), BSN_STR("c"), NULL, &bulk, NULL);
        for (size_t i = 0; i < NUMBERS && status == BSN_OK; i++) {
            const bsn_doc doc = {numbers + 14 * i, 14};
            status = bsn_bulk_add(&bulk, doc);
        }
        const bsn_status verdict = bsn_bulk_finish(&bulk, NULL);
        if (status == BSN_OK) status = verdict;
        ck_assert_int_eq(verdict, status);
        ck_assert_uint_eq(bsn_bulk_result(&bulk)->inserted, status == BSN_OK ? NUMBERS : 0);
        bsn_bulk_free(&bulk);
    }
    close_session(s);
    return status;
}

/* ------------------------------------------------------------------ serving */

static void tell_nobody(void *ctx, bsn_str subject, const char *text)
{
    char *told = ctx;
    (void)subject;
    if (told != NULL) snprintf(told, 128, "%s", text);
}

static bsn_status catalog_of_the_file(serve_state *state, const serve_notice *notice)
{
    char subject[SERVE_NS_MAX + 1];
    bsn_error err = {0};
    const bsn_status status = serve_catalog_add(&state->catalog, file_path, notice, subject, &err);
    ck_assert_int_eq(err.status, status);
    ck_assert_uint_eq(state->catalog.count, status == BSN_OK);
    return status;
}

static bsn_status hop_over_a_file(const bsn_alloc *alloc)
{
    serve_store store;
    serve_window window;
    serve_place place;
    serve_plan plan;
    uint64_t count = 0;
    serve_window_init(&window, alloc);
    bsn_status status = serve_store_init(&store, file_path, alloc, NULL);
    if (status == BSN_OK) status = serve_store_count(&store, &window, &count, NULL);
    if (status == BSN_OK) ck_assert_uint_eq(count, NUMBERS + 1);
    if (status == BSN_OK) status = serve_store_seek(&store, &window, 100, &place, NULL);
    if (status == BSN_OK) status = serve_store_plan(&store, &window, place, 10, &plan, NULL);
    serve_store_free(&store);
    serve_window_free(&window);
    return status;
}

/* {command: "numbers", [filter: {_id: 7}], batchSize: 3, $db: "dump"}; of getMore {getMore: id, collection: "numbers", ..}. */
static void build_question(build *b, const char *command, int64_t cursor_id, bool by_id)
{
    b->len = 0;
    const size_t message = build_header(b, 1, 0, BSN_OP_MSG);
    build_u32(b, 0);
    build_u8(b, 0);
    const size_t body = build_open(b);
    build_element(b, cursor_id != 0 ? BSN_TYPE_INT64 : BSN_TYPE_STRING, command);
    if (cursor_id != 0)
        build_i64(b, cursor_id);
    else
        build_string(b, "numbers");
    if (cursor_id != 0) build_element(b, BSN_TYPE_STRING, "collection");
    if (cursor_id != 0) build_string(b, "numbers");
    if (by_id) build_hex(b, "03 66696C74657200 0E000000 10 5F696400 07000000 00");
    if (strcmp(command, "count") != 0) build_hex(b, "10 626174636853697A6500 03000000");
    build_element(b, BSN_TYPE_STRING, "$db");
    build_string(b, "dump");
    build_close(b, body);
    build_patch(b, message);
}

/* The reply's bytes, whole, to be freed; NULL with *status when it cannot be completed. */
static uint8_t *collect_reply(serve_state *state, bsn_out *out, serve_feed *feed, size_t *len,
                              bsn_status *status)
{
    bsn_iovec iov[64];
    *status = serve_feed_fill(feed, &state->window, out, SIZE_MAX, NULL);
    if (*status != BSN_OK) return NULL;
    uint8_t *bytes = malloc((size_t)bsn_out_unsent(out));
    const size_t count = bsn_out_iovecs(out, iov, 64);
    ck_assert_ptr_nonnull(bytes);
    *len = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + *len, iov[i].ptr, iov[i].len);
        *len += iov[i].len;
    }
    ck_assert_uint_eq(*len, bsn_out_unsent(out));
    return bytes;
}

/* What the reply says: BSN_OK, or BSN_E_NOMEM in the server's words. *cursor_id is that of its cursor, 0 without. */
static bsn_status read_reply(bsn_bytes bytes, int64_t *cursor_id)
{
    bsn_msg msg;
    bsn_error err = {0};
    bsn_value value;
    ck_assert_int_eq(bsn_msg_open(bytes, &msg, &err), BSN_OK);
    *cursor_id = 0;
    const bsn_value cursor = dialog_field(msg.body, "cursor");
    if (cursor.type == BSN_TYPE_DOCUMENT) *cursor_id = dialog_field(cursor.as.doc, "id").as.i64;
    ck_assert_int_eq(bsn_find_value(msg.body, BSN_STR("ok"), &value, NULL), BSN_OK);
    if (value.as.f64 != 0) return BSN_OK;
    char text[256];
    const bsn_str told = dialog_field(msg.body, "errmsg").as.str;
    snprintf(text, sizeof text, "%.*s", (int)told.len, told.ptr);
    ck_assert_msg(strstr(text, bsn_status_text(BSN_E_NOMEM)) != NULL, "refused with: %s", text);
    return BSN_E_NOMEM;
}

static bsn_status ask(serve_state *state, bsn_pool *pool, const build *question, int64_t *cursor_id)
{
    const serve_peer peer = {.id = 1, .address = BSN_STR("here")};
    bsn_out out;
    serve_feed feed = {.active = false};
    bsn_error err = {0};
    size_t len;
    bsn_status status;
    *cursor_id = 0;
    bsn_out_init_pool(&out, pool, 1024);
    if (serve_answer(state, &peer, build_view(question), &out, &feed, &err) == SERVE_CLOSE) {
        ck_assert(!feed.active);
        ck_assert_uint_eq(bsn_out_unsent(&out), 0);
        status = err.status;
    } else {
        uint8_t *bytes = collect_reply(state, &out, &feed, &len, &status);
        const bsn_bytes reply = {bytes, bytes != NULL ? len : 0};
        if (bytes != NULL) status = read_reply(reply, cursor_id);
        free(bytes);
    }
    serve_feed_free(&feed);
    bsn_out_free(&out);
    return status;
}

static bsn_status answer_questions(const bsn_alloc *alloc)
{
    static const serve_notice notice = {tell_nobody, NULL};
    build question;
    serve_state state;
    bsn_pool pool;
    int64_t cursor_id = 0;
    serve_state_init(&state, alloc);
    bsn_pool_init(&pool, alloc, SIZE_MAX);
    bsn_status status = catalog_of_the_file(&state, &notice);
    build_question(&question, "find", 0, false);
    if (status == BSN_OK) status = ask(&state, &pool, &question, &cursor_id);
    if (status == BSN_OK) ck_assert_int_ne(cursor_id, 0);
    build_question(&question, "getMore", cursor_id, false);
    if (status == BSN_OK) status = ask(&state, &pool, &question, &cursor_id);
    build_question(&question, "find", 0, true);
    if (status == BSN_OK) status = ask(&state, &pool, &question, &cursor_id);
    build_question(&question, "count", 0, false);
    if (status == BSN_OK) status = ask(&state, &pool, &question, &cursor_id);
    serve_state_free(&state);
    bsn_pool_free(&pool);
    return status;
}

typedef struct running {
    serve_state state;
    serve_server server;
    serve_notice notice;
    char told[128];
    int wake[2];
    bsn_status status;
} running;

/* Ends by itself when memory is refused to it: then its clients are told by the closed connection. */
static void *run_server(void *ctx)
{
    running *r = ctx;
    bsn_error err;
    r->status = serve_server_run(&r->server, r->wake[0], &err);
    serve_server_close(&r->server);
    return NULL;
}

static bsn_status count_documents(uint16_t port, const bsn_alloc *alloc)
{
    const bsn_client_options options = {.alloc = alloc};
    char uri[64];
    bsn_client *client;
    bsn_cursor cursor;
    bsn_doc doc;
    size_t count = 0;
    snprintf(uri, sizeof uri, "mongodb://127.0.0.1:%u", (unsigned)port);
    bsn_status status = bsn_client_open(bsn_str_from(uri), &options, &client, NULL);
    if (status == BSN_OK) {
        status = bsn_client_find(client, BSN_STR("dump"), BSN_STR("numbers"), NULL, &cursor, NULL);
    }
    if (status == BSN_OK) {
        while (bsn_cursor_next(&cursor, &doc)) count++;
        status = bsn_cursor_close(&cursor, NULL);
        if (status == BSN_OK) ck_assert_uint_eq(count, NUMBERS + 1);
    }
    bsn_client_free(client);
    return status;
}

/* A server and a client, one of which may be refused memory; *told is what the server said. */
static bsn_status serve_and_find(const bsn_alloc *server_alloc, const bsn_alloc *client_alloc,
                                 bsn_status *server_status, bool *told)
{
    running *r = calloc(1, sizeof *r);
    pthread_t thread;
    bsn_error err;
    bsn_status status;
    ck_assert_ptr_nonnull(r);
    r->notice.tell = tell_nobody;
    r->notice.ctx = r->told;
    serve_state_init(&r->state, server_alloc);
    *server_status = catalog_of_the_file(&r->state, &r->notice);
    status = *server_status;
    if (status == BSN_OK) {
        ck_assert_int_eq(pipe(r->wake), 0);
        ck_assert_int_eq(
            serve_server_open(&r->server, &r->state, BSN_STR("127.0.0.1"), 0, &r->notice, &err),
            BSN_OK);
        ck_assert_int_eq(pthread_create(&thread, NULL, run_server, r), 0);
        status = count_documents(r->state.port, client_alloc);
        ck_assert_int_eq(write(r->wake[1], "", 1), 1);
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
        close(r->wake[0]);
        close(r->wake[1]);
        *server_status = r->status;
    }
    *told = strstr(r->told, bsn_status_text(BSN_E_NOMEM)) != NULL;
    serve_state_free(&r->state);
    free(r);
    return status;
}

static bsn_status open_a_client(const bsn_alloc *alloc)
{
    bsn_status server_status;
    bool told;
    const bsn_status status = serve_and_find(NULL, alloc, &server_status, &told);
    ck_assert_int_eq(server_status, BSN_OK);
    return status;
}

/* The client hears BSN_E_SERVER or that the connection was closed; it is the server that must know why. */
static bsn_status run_a_server(const bsn_alloc *alloc)
{
    bsn_status server_status;
    bool told;
    const bsn_status status = serve_and_find(alloc, NULL, &server_status, &told);
    if (status == BSN_OK || server_status != BSN_OK) return server_status;
    ck_assert_msg(told || status == BSN_E_SERVER, "%s", bsn_status_text(status));
    return BSN_E_NOMEM;
}

static const refusal_row rows[] = {
    {"bsn_input_open", read_a_file, false},
    {"bsn_input_init", read_through_a_callback, false},
    {"bsn_output_open", write_a_file, false},
    {"bsn_uri_parse", parse_a_string, false},
    {"bsn_conn_command", ask_a_long_command, false},
    {"bsn_conn_find", find_with_a_long_filter, false},
    {"bsn_conn_room", receive_a_long_document, false},
    {"bsn_conn_insert", insert_by_the_machine, false},
    {"bsn_client_command", command_a_client, false},
    {"bsn_client_find", find_by_a_client, false},
    {"bsn_client_cursor", cursor_by_a_client, false},
    {"bsn_client_bulk", bulk_by_a_client, true}, /* a list that cannot grow is sent earlier */
    {"bsn_client_open", open_a_client, false},
    {"serve_store", hop_over_a_file, false},
    {"serve_answer", answer_questions, false},
    {"serve_server", run_a_server, true},
};

START_TEST(each_request_refused_is_told_and_leaves_nothing)
{
    refusals_try(&rows[_i]);
}
END_TEST

Suite *refused_client_suite(void)
{
    Suite *suite = suite_create("refused_client");
    TCase *tests = tcase_create("refused_client");
    tcase_add_unchecked_fixture(tests, make_folder, remove_folder);
    tcase_add_loop_test(tests, each_request_refused_is_told_and_leaves_nothing, 0,
                        (int)(sizeof rows / sizeof rows[0]));
    suite_add_tcase(suite, tests);
    return suite;
}
