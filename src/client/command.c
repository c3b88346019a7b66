/* SPDX-License-Identifier: Apache-2.0
 *
 * command.c -- the requests of a connection: hello, any command, find, insert, getMore, killCursors.
 *
 * The hello goes out as OP_QUERY, all others as OP_MSG with one body section:   { command: .., .., $db: "name" }
 * and an insert with its documents as a second one.
 */
#include "client/conn_state.h"

#include <bsonic/get.h>
#include <bsonic/write.h>

#define STR(text) BSN_STR(text)
#define QUERY_SECONDARY_OK 4 /* OP_QUERY's flag: a secondary may answer */

/* A request being written: the message around the document that `w` writes. */
typedef struct conn_writer {
    bsn_msg_writer message;
    bsn_writer w;
} conn_writer;

static int32_t next_request_id(bsn_conn *conn)
{
    conn->request_id = conn->request_id == INT32_MAX ? 1 : conn->request_id + 1;
    return conn->request_id;
}

static void begin_command(bsn_conn *conn, conn_writer *cw)
{
    bsn_out_clear(&conn->out); /* the request before has been sent */
    bsn_msg_begin(&cw->message, &conn->out, next_request_id(conn), 0, 0);
    bsn_msg_begin_body(&cw->message);
    bsn_writer_init(&cw->w, &conn->out);
    bsn_writer_begin(&cw->w);
}

/* Ends the document and the message. A request that failed leaves nothing to send. */
static bsn_status end_request(bsn_conn *conn, conn_writer *cw, size_t size_max)
{
    bsn_writer_end(&cw->w);
    bsn_status status = bsn_writer_status(&cw->w);
    if (status == BSN_OK) status = bsn_msg_end(&cw->message, size_max);
    if (status != BSN_OK) bsn_out_clear(&conn->out);
    return status;
}

/* The fields that every command ends with. Asked directly, a member of a replica set answers reads only when told that a
 * secondary may: primaryPreferred.                                        [Server Selection specification, topology Single] */
static bsn_status end_command(bsn_conn *conn, conn_writer *cw, bsn_str db)
{
    bsn_writer_string(&cw->w, STR("$db"), db);
    if (conn->server.replica_set_member) {
        bsn_writer_begin_document(&cw->w, STR("$readPreference"));
        bsn_writer_string(&cw->w, STR("mode"), STR("primaryPreferred"));
        bsn_writer_end(&cw->w);
    }
    return end_request(conn, cw, conn->server.message_size_max);
}

/* ------------------------------------------------------------------ hello */

#if defined(__linux__)
#define OS_TYPE "Linux"
#elif defined(__APPLE__)
#define OS_TYPE "Darwin"
#elif defined(__unix__)
#define OS_TYPE "Unix"
#else
#define OS_TYPE "unknown"
#endif

#if defined(__x86_64__)
#define ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#elif defined(__s390x__)
#define ARCHITECTURE "s390x"
#elif defined(__i386__)
#define ARCHITECTURE "i386"
#elif defined(__arm__)
#define ARCHITECTURE "arm"
#else
#define ARCHITECTURE "unknown"
#endif

/* Who asks. Everything in it but the application's name is fixed and short, so the document stays under the 512 bytes that
 * servers take.                                                                      [MongoDB Handshake specification] */
static void write_metadata(const bsn_conn *conn, bsn_writer *w)
{
    bsn_writer_begin_document(w, STR("client"));
    if (conn->app_name_len > 0) {
        const bsn_str name = {.ptr = conn->app_name, .len = conn->app_name_len};
        bsn_writer_begin_document(w, STR("application"));
        bsn_writer_string(w, STR("name"), name);
        bsn_writer_end(w);
    }
    bsn_writer_begin_document(w, STR("driver"));
    bsn_writer_string(w, STR("name"), STR("bsonic"));
    bsn_writer_string(w, STR("version"), STR(BSONIC_VERSION_TEXT));
    bsn_writer_end(w);
    bsn_writer_begin_document(w, STR("os"));
    bsn_writer_string(w, STR("type"), STR(OS_TYPE));
    bsn_writer_string(w, STR("architecture"), STR(ARCHITECTURE));
    bsn_writer_end(w);
    bsn_writer_string(w, STR("platform"), STR("C11"));
    bsn_writer_end(w);
}

bsn_status bsni_conn_write_hello(bsn_conn *conn)
{
    conn_writer cw;
    bsn_out_clear(&conn->out);
    bsn_msg_begin_query(&cw.message, &conn->out, next_request_id(conn), QUERY_SECONDARY_OK,
                        STR("admin.$cmd"));
    bsn_writer_init(&cw.w, &conn->out);
    bsn_writer_begin(&cw.w);
    bsn_writer_int32(&cw.w, STR("isMaster"), 1);
    bsn_writer_boolean(&cw.w, STR("helloOk"), true);
    write_metadata(conn, &cw.w);
    bsn_writer_begin_array(&cw.w, STR("compression"));
    bsn_writer_end(&cw.w);
    return end_request(conn, &cw, BSN_MESSAGE_SIZE_MAX);
}

/* A whole number of any type as an integer from least to most: above that it is most. `fallback` for everything else. */
static int64_t bounded(const bsn_iter *it, int64_t least, int64_t most, int64_t fallback)
{
    int64_t number;
    if (bsn_as_int64(it, &number) != BSN_OK || number < least) return fallback;
    return number < most ? number : most;
}

static bool is_true(const bsn_iter *it)
{
    bool value;
    return bsn_get_boolean(it, &value) == BSN_OK && value;
}

static bool is_text(const bsn_iter *it, bsn_str wanted)
{
    bsn_str text;
    return bsn_get_string(it, &text) == BSN_OK && bsn_str_equal(text, wanted);
}

void bsni_conn_read_hello(bsn_conn *conn, bsn_doc reply)
{
    static const int64_t document_max = BSN_WIRE_DOC_SIZE_MAX - 16 * 1024;
    bsn_server_info *server = &conn->server;
    const bsn_server_info told_nothing = {.document_size_max = (size_t)document_max,
                                          .message_size_max = BSN_MESSAGE_SIZE_MAX,
                                          .write_batch_max = 1000};
    *server = told_nothing;
    bsn_iter it;
    bsn_iter_init(&it, reply);
    while (bsn_iter_next(&it)) {
        if (bsn_iter_key_is(&it, STR("minWireVersion"))) {
            server->wire_version_min = (int32_t)bounded(&it, 0, INT32_MAX, 0);
        } else if (bsn_iter_key_is(&it, STR("maxWireVersion"))) {
            server->wire_version_max = (int32_t)bounded(&it, 0, INT32_MAX, 0);
        } else if (bsn_iter_key_is(&it, STR("maxBsonObjectSize"))) {
            server->document_size_max = (size_t)bounded(&it, 1024, document_max, document_max);
        } else if (bsn_iter_key_is(&it, STR("maxMessageSizeBytes"))) {
            server->message_size_max =
                (size_t)bounded(&it, 1024, BSN_MESSAGE_SIZE_MAX, BSN_MESSAGE_SIZE_MAX);
        } else if (bsn_iter_key_is(&it, STR("maxWriteBatchSize"))) {
            server->write_batch_max = (uint32_t)bounded(&it, 1, 100000, 1000);
        } else if (bsn_iter_key_is(&it, STR("helloOk"))) {
            server->hello_ok = is_true(&it);
        } else if (bsn_iter_key_is(&it, STR("setName"))) {
            server->replica_set_member = bsn_iter_type(&it) == BSN_TYPE_STRING;
        } else if (bsn_iter_key_is(&it, STR("msg"))) {
            server->mongos = is_text(&it, STR("isdbgrid"));
        }
    }
}

/* ------------------------------------------------------------------ commands */

bsn_status bsni_conn_write_command(bsn_conn *conn, bsn_str db, bsn_doc command)
{
    conn_writer cw;
    bsn_iter it;
    if (bsn_doc_is_empty(command) || db.len == 0) return BSN_E_VALUE;
    begin_command(conn, &cw);
    bsn_iter_init(&it, command);
    while (bsn_iter_next(&it)) {
        if (bsn_iter_key_is(&it, STR("$db"))) { /* the caller's and ours would be one too many */
            bsn_out_clear(&conn->out);
            return BSN_E_VALUE;
        }
        bsn_writer_raw(&cw.w, bsn_iter_key(&it), bsn_iter_type(&it), bsn_iter_raw(&it));
    }
    const bsn_status status = end_command(conn, &cw, db);
    const bsn_status walked = bsn_iter_error(&it, NULL);
    if (walked != BSN_OK) bsn_out_clear(&conn->out);
    return walked != BSN_OK ? walked : status;
}

static void write_document_if(bsn_writer *w, bsn_str key, bsn_doc doc)
{
    if (doc.ptr != NULL) bsn_writer_document(w, key, doc);
}

static void write_number_if(bsn_writer *w, bsn_str key, uint64_t number)
{
    if (number != 0) bsn_writer_int64(w, key, (int64_t)number);
}

bsn_status bsni_conn_write_find(bsn_conn *conn, bsn_str db, bsn_str collection,
                                const bsn_find_options *o)
{
    conn_writer cw;
    if (db.len == 0 || collection.len == 0) return BSN_E_VALUE;
    if (o->skip > INT64_MAX || o->limit > INT64_MAX || o->batch_size >= INT32_MAX) {
        return BSN_E_RANGE;
    }
    /* A batch that ends right at the limit would leave the cursor open: one more closes it. [Find, getMore, killCursors spec] */
    const bool one_more = o->batch_size != 0 && o->batch_size == o->limit;
    begin_command(conn, &cw);
    bsn_writer_string(&cw.w, STR("find"), collection);
    write_document_if(&cw.w, STR("filter"), o->filter);
    write_document_if(&cw.w, STR("projection"), o->projection);
    write_document_if(&cw.w, STR("sort"), o->sort);
    write_number_if(&cw.w, STR("skip"), o->skip);
    write_number_if(&cw.w, STR("limit"), o->limit);
    write_number_if(&cw.w, STR("batchSize"), (uint64_t)o->batch_size + one_more);
    return end_command(conn, &cw, db);
}

/* To the primary, where writes go: without a read preference. */
bsn_status bsni_conn_write_insert(bsn_conn *conn, const insert_order *order, bsn_msg_writer *head)
{
    conn_writer cw;
    const bsn_doc concern = order->options.write_concern;
    begin_command(conn, &cw);
    bsn_writer_string(&cw.w, STR("insert"), order->collection);
    bsn_writer_boolean(&cw.w, STR("ordered"), !order->options.unordered);
    if (concern.ptr != NULL && !bsn_doc_is_empty(concern)) {
        bsn_writer_document(&cw.w, STR("writeConcern"), concern);
    }
    bsn_writer_string(&cw.w, STR("$db"), order->db);
    bsn_writer_end(&cw.w);
    bsn_msg_begin_sequence(&cw.message, STR("documents"));
    const bsn_status status = bsn_writer_status(&cw.w);
    if (status != BSN_OK) bsn_out_clear(&conn->out);
    *head = cw.message;
    return status;
}

bsn_status bsni_conn_write_get_more(bsn_conn *conn)
{
    const conn_cursor *cursor = &conn->cursor;
    conn_writer cw;
    uint64_t batch = cursor->batch_size;
    if (batch > cursor->left) batch = cursor->left;
    begin_command(conn, &cw);
    bsn_writer_int64(&cw.w, STR("getMore"), cursor->id);
    bsn_writer_string(&cw.w, STR("collection"), cursor->collection);
    write_number_if(&cw.w, STR("batchSize"), batch);
    return end_command(conn, &cw, cursor->db);
}

bsn_status bsni_conn_write_kill(bsn_conn *conn)
{
    const conn_cursor *cursor = &conn->cursor;
    conn_writer cw;
    begin_command(conn, &cw);
    bsn_writer_string(&cw.w, STR("killCursors"), cursor->collection);
    bsn_writer_begin_array(&cw.w, STR("cursors"));
    bsn_writer_int64(&cw.w, STR("0"), cursor->id);
    bsn_writer_end(&cw.w);
    return end_command(conn, &cw, cursor->db);
}
