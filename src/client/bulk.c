/* SPDX-License-Identifier: Apache-2.0
 *
 * bulk.c -- documents gathered where they lie until they fill a message, then inserted by the connection machine.
 */
#include "client/client_state.h"
#include "client/insert.h"
#include "client/uri_parse.h"

#include <bsonic/io.h>
#include <bsonic/write.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOCS_FIRST ((size_t)1024)

/* What a message holds beside its documents: header, names, write concern. The machine counts exactly; this only keeps what waits
 * from being a little more than one message. */
#define HEAD_GUESS ((size_t)1024)

/* ------------------------------------------------------------------ the connection string's write concern */

static void write_concern(const bsn_uri *uri, bsn_writer *w)
{
    bsn_str text;
    int32_t number;
    if (bsn_uri_get(uri, BSN_STR("w"), &text)) {
        if (bsni_uri_read_integer(text, 0, INT32_MAX, &number)) {
            bsn_writer_int32(w, BSN_STR("w"), number);
        } else {
            bsn_writer_string(w, BSN_STR("w"), text);
        }
    }
    if (bsn_uri_get(uri, BSN_STR("journal"), &text)) {
        bsn_writer_boolean(w, BSN_STR("j"), bsni_uri_is_yes(text));
    }
    if (bsn_uri_get(uri, BSN_STR("wtimeoutMS"), &text) &&
        bsni_uri_read_integer(text, 0, INT32_MAX, &number)) {
        bsn_writer_int64(w, BSN_STR("wtimeout"), number);
    }
}

/* Puts it into the bulk as a document. */
static bsn_status take_concern(bsn_bulk *bulk)
{
    bsn_out out;
    bsn_writer w;
    bsn_out_init_fixed(&out, bulk->concern, sizeof bulk->concern);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    write_concern(&bulk->client->uri, &w);
    bsn_writer_end(&w);
    const bsn_status status = bsn_writer_status(&w);
    if (status != BSN_OK) return status == BSN_E_SPACE ? BSN_E_SIZE : status;
    bulk->concern_len = (size_t)bsn_out_len(&out);
    return BSN_OK;
}

/* ------------------------------------------------------------------ opening */

/* The stream is over, and why. */
static bsn_status end(bsn_bulk *bulk, const bsn_error *err)
{
    bulk->err = *err;
    bulk->cap = 0;
    bulk->count = 0;
    return err->status;
}

/* The same with a sentence that says what went wrong on this side. */
static bsn_status end_refused(bsn_bulk *bulk, bsn_status status, const char *detail)
{
    bsn_error err = {0};
    bsn_error_set(&err, status, 0, detail);
    bsni_client_explain_error(bulk->client, &err);
    return end(bulk, &err);
}

static insert_order order_of(bsn_bulk *bulk)
{
    insert_order order = {.db = bulk->db,
                          .collection = bulk->collection,
                          .docs = bulk->docs,
                          .count = bulk->count,
                          .options = bulk->options,
                          .result = &bulk->result};
    if (bulk->concern_len > 0) {
        order.options.write_concern.ptr = bulk->concern;
        order.options.write_concern.len = bulk->concern_len;
    }
    return order;
}

static bsn_status take_ids(bsn_client *client, bsn_error *err)
{
    uint8_t entropy[BSN_OID_ENTROPY_LEN];
    if (client->has_ids) return BSN_OK;
    const bsn_status status = bsn_entropy(entropy, sizeof entropy, err);
    if (status != BSN_OK) return status;
    bsn_oid_source_init(&client->ids, entropy);
    client->has_ids = true;
    return BSN_OK;
}

static void set_limits(bsn_bulk *bulk)
{
    const bsn_server_info *server = bsn_client_server(bulk->client);
    const uint32_t wanted = bulk->options.batch_max;
    bulk->batch_max = server->write_batch_max;
    if (wanted != 0 && wanted < bulk->batch_max) bulk->batch_max = wanted;
    bulk->room_max = server->message_size_max;
    if (bulk->room_max > 2 * HEAD_GUESS) bulk->room_max -= HEAD_GUESS;
    bulk->room = bulk->room_max;
}

static bsn_status take_list(bsn_bulk *bulk)
{
    const size_t first = bulk->batch_max < DOCS_FIRST ? bulk->batch_max : DOCS_FIRST;
    const bsn_status status = bsn_insert_result_init(&bulk->result, bulk->client->alloc);
    if (status != BSN_OK) return status;
    bulk->docs = bsn_alloc_resize(bulk->client->alloc, NULL, 0, first * sizeof *bulk->docs);
    if (bulk->docs == NULL) return BSN_E_NOMEM;
    bulk->docs_size = first * sizeof *bulk->docs;
    bulk->cap = first;
    return BSN_OK;
}

/* Everything that opening can find wrong, in order. The client's message is the caller's to make. */
static bsn_status prepare(bsn_bulk *bulk, bsn_error *err)
{
    if (bulk->options.write_concern.ptr == NULL) {
        const bsn_status status = take_concern(bulk);
        if (status != BSN_OK) return bsn_error_set(err, status, 0, "write concern");
    }
    const insert_order order = order_of(bulk);
    bsn_status status = bsni_insert_check(&order);
    if (status == BSN_E_UNSUPPORTED) {
        return bsn_error_set(err, status, 0, "a write concern of w: 0 would not be answered");
    }
    if (status == BSN_OK) status = take_list(bulk);
    if (status != BSN_OK) return bsn_error_set(err, status, 0, NULL);
    if (bulk->options.ids != NULL) return BSN_OK;
    bulk->options.ids = &bulk->client->ids;
    return take_ids(bulk->client, err);
}

bsn_status bsn_client_bulk(bsn_client *client, bsn_str db, bsn_str collection,
                           const bsn_insert_options *options, bsn_bulk *bulk, bsn_error *err)
{
    const bsn_bulk fresh = {.client = client, .db = db, .collection = collection};
    bsn_error fault = {0};
    *bulk = fresh;
    if (options != NULL) bulk->options = *options;
    bsn_status status = bsni_client_begin(client, &fault);
    if (status == BSN_OK) {
        set_limits(bulk);
        status = prepare(bulk, &fault);
        if (status != BSN_OK) bsni_client_explain_error(client, &fault);
    }
    if (status == BSN_OK) return BSN_OK;
    if (err != NULL) *err = fault;
    return end(bulk, &fault);
}

void bsn_bulk_free(bsn_bulk *bulk)
{
    if (bulk->docs != NULL) bsn_alloc_resize(bulk->client->alloc, bulk->docs, bulk->docs_size, 0);
    bulk->docs = NULL;
    bulk->count = bulk->cap = 0;
    bsn_insert_result_free(&bulk->result);
}

/* ------------------------------------------------------------------ sending */

/* Says that a document failed, in the client's message, and fills *err. */
static bsn_status explain_document(bsn_bulk *bulk, bsn_error *err)
{
    char why[1024];
    const bsn_write_error *first = &bulk->result.errors[0];
    const int len = first->message.len < 768 ? (int)first->message.len : 768;
    bsn_error_set(err, first->status, first->code > 0 ? (uint64_t)first->code : 0, NULL);
    snprintf(why, sizeof why, "document %" PRIu64 ": %.*s", first->index + 1, len,
             first->message.ptr);
    if (first->code != 0) {
        const size_t used = strlen(why);
        snprintf(why + used, sizeof why - used, " (code %" PRId32 ")", first->code);
    }
    return bsni_client_explain(bulk->client, err, bsn_str_from(why));
}

static bsn_status explain_concern(bsn_bulk *bulk, bsn_error *err)
{
    char why[1024];
    const bsn_insert_result *r = &bulk->result;
    const int len = r->concern_message.len < 768 ? (int)r->concern_message.len : 768;
    bsn_error_set(err, BSN_E_SERVER, r->concern_code > 0 ? (uint64_t)r->concern_code : 0, NULL);
    snprintf(why, sizeof why, "write concern: %.*s (code %" PRId32 ")", len, r->concern_message.ptr,
             r->concern_code);
    return bsni_client_explain(bulk->client, err, bsn_str_from(why));
}

bsn_status bsn_bulk_flush(bsn_bulk *bulk)
{
    bsn_error err = {0};
    if (bulk->err.status != BSN_OK) return bulk->err.status;
    if (bulk->count == 0) return BSN_OK;
    bsn_conn *conn = bulk->client->conn;
    bsn_status status = bsni_client_begin(bulk->client, &err);
    if (status != BSN_OK) return end(bulk, &err);
    insert_order order = order_of(bulk);
    order.options.seconds = (uint32_t)(bsn_clock_utc_ms() / 1000);
    status = bsn_conn_insert(conn, order.db, order.collection, order.docs, order.count,
                             &order.options, order.result);
    if (status != BSN_OK) return end_refused(bulk, status, "the insert could not be written");
    if (bsni_client_drive(bulk->client) != BSN_CONN_DONE) {
        bsni_client_explain_conn(bulk->client, &err);
        return end(bulk, &err);
    }
    bulk->count = 0;
    bulk->room = bulk->room_max;
    if (bulk->options.unordered || bulk->result.failed == 0) return BSN_OK;
    explain_document(bulk, &err);
    return end(bulk, &err);
}

/* Makes the list hold more. It needs not: then what waits is sent earlier. */
static bool grow(bsn_bulk *bulk)
{
    size_t cap = bulk->cap * 2; /* cap is at most batch_max: 100 000 */
    if (cap > bulk->batch_max) cap = bulk->batch_max;
    bsn_doc *docs =
        bsn_alloc_resize(bulk->client->alloc, bulk->docs, bulk->docs_size, cap * sizeof *docs);
    if (docs == NULL) return false;
    bulk->docs = docs;
    bulk->docs_size = cap * sizeof *docs;
    bulk->cap = cap;
    return true;
}

bsn_status bsn_bulk_add_slow(bsn_bulk *bulk, bsn_doc doc)
{
    if (bulk->err.status != BSN_OK) return bulk->err.status;
    const bool full = bulk->count == bulk->cap;
    if (doc.len > bulk->room || (full && (bulk->cap == bulk->batch_max || !grow(bulk)))) {
        const bsn_status status = bsn_bulk_flush(bulk);
        if (status != BSN_OK) return status;
    }
    bulk->docs[bulk->count++] = doc;
    bulk->room -= doc.len < bulk->room ? doc.len : bulk->room; /* too long: the machine says so */
    return BSN_OK;
}

bsn_status bsn_bulk_finish(bsn_bulk *bulk, bsn_error *err)
{
    bsn_error fault = {0};
    bsn_status status = bsn_bulk_flush(bulk);
    if (status != BSN_OK) {
        fault = bulk->err;
    } else if (bulk->result.failed > 0) {
        status = explain_document(bulk, &fault);
    } else if (bulk->result.concern_errors > 0) {
        status = explain_concern(bulk, &fault);
    }
    if (status != BSN_OK && err != NULL) *err = fault;
    return status;
}
