/* SPDX-License-Identifier: Apache-2.0
 *
 * feed.c -- see feed.h.
 */
#include "serve/feed.h"

#include "serve/list.h"

#include <bsonic/detail/le.h>
#include <bsonic/detail/len.h>

#include <string.h>

/* Of OP_MSG between its header and its body. */
static const uint8_t flags_and_kind[5] = {0};

/* Bytes of a key's element beside its value: type byte, key, 0x00. */
#define ELEMENT(key) (1 + sizeof(key))

/* ------------------------------------------------------------------ lengths */

/* Digits of all indices below count, written one by one: 10 of one digit, 90 of two, .. */
static uint64_t digits_below(uint64_t count)
{
    uint64_t sum = 0, low = 0, high = 10;
    for (uint64_t digits = 1; low < count; digits++) {
        sum += digits * ((count < high ? count : high) - low);
        low = high;
        high = high > UINT64_MAX / 10 ? UINT64_MAX : high * 10;
    }
    return sum;
}

typedef struct lengths {
    int32_t message, body, cursor, array;
} lengths;

static bool compute_lengths(const serve_batch *batch, bool old, size_t ns_len, lengths *l)
{
    if (batch->bytes > INT32_MAX || batch->count > INT32_MAX) return false;
    const uint64_t array = 4 + batch->count * 2 + digits_below(batch->count) + batch->bytes + 1;
    const uint64_t name = batch->first ? ELEMENT("firstBatch") : ELEMENT("nextBatch");
    const uint64_t cursor =
        4 + name + array + ELEMENT("id") + 8 + ELEMENT("ns") + 4 + ns_len + 1 + 1;
    const uint64_t body = 4 + ELEMENT("cursor") + cursor + ELEMENT("ok") + 8 + 1;
    const uint64_t message =
        BSN_HEADER_LEN + (old ? BSN_REPLY_HEAD_LEN : sizeof flags_and_kind) + body;
    if (message > BSN_MESSAGE_SIZE_MAX) return false;
    l->message = (int32_t)message;
    l->body = (int32_t)body;
    l->cursor = (int32_t)cursor;
    l->array = (int32_t)array;
    return true;
}

/* ------------------------------------------------------------------ head and tail */

static void put_i32(bsn_out *out, int32_t value)
{
    bsn_store_i32(bsn_out_reserve(out, 4), value);
    bsn_out_advance(out, 4);
}

static void put_i64(bsn_out *out, int64_t value)
{
    bsn_store_i64(bsn_out_reserve(out, 8), value);
    bsn_out_advance(out, 8);
}

static void put_key(bsn_out *out, uint8_t type, const char *key)
{
    bsn_out_append(out, &type, 1);
    bsn_out_append(out, key, strlen(key) + 1);
}

static void put_head(const serve_batch *batch, const serve_request *request, int32_t reply_id,
                     const lengths *l, bsn_out *out)
{
    const bsn_header header = {.len = (size_t)l->message,
                               .request_id = reply_id,
                               .response_to = request->id,
                               .opcode = request->old ? BSN_OP_REPLY : BSN_OP_MSG};
    bsn_header_write(&header, bsn_out_reserve(out, BSN_HEADER_LEN));
    bsn_out_advance(out, BSN_HEADER_LEN);
    if (request->old) {
        put_i32(out, (int32_t)BSN_REPLY_AWAIT_CAPABLE);
        put_i64(out, 0);
        put_i32(out, 0);
        put_i32(out, 1);
    } else {
        bsn_out_append(out, flags_and_kind, sizeof flags_and_kind);
    }
    put_i32(out, l->body);
    put_key(out, BSN_TYPE_DOCUMENT, "cursor");
    put_i32(out, l->cursor);
    put_key(out, BSN_TYPE_ARRAY, batch->first ? "firstBatch" : "nextBatch");
    put_i32(out, l->array);
}

static void put_tail(const serve_feed *feed, bsn_out *out)
{
    static const uint8_t end = 0;
    bsn_out_append(out, &end, 1); /* of the array */
    put_key(out, BSN_TYPE_INT64, "id");
    put_i64(out, feed->cursor_id);
    put_key(out, BSN_TYPE_STRING, "ns");
    put_i32(out, (int32_t)feed->ns_len + 1);
    bsn_out_append(out, feed->ns, feed->ns_len + 1);
    bsn_out_append(out, &end, 1); /* of the cursor */
    put_key(out, BSN_TYPE_DOUBLE, "ok");
    bsn_store_f64(bsn_out_reserve(out, 8), 1.0);
    bsn_out_advance(out, 8);
    bsn_out_append(out, &end, 1); /* of the body */
}

bsn_status serve_batch_write(const serve_batch *batch, const serve_request *request,
                             int32_t reply_id, const bsn_alloc *alloc, bsn_out *out,
                             serve_feed *feed)
{
    serve_feed fresh = {.collection = batch->collection,
                        .offset = batch->offset,
                        .count_left = batch->count,
                        .bytes_left = batch->bytes,
                        .cursor_id = batch->cursor_id,
                        .ns_len = batch->db.len + 1 + batch->name.len,
                        .alloc = alloc};
    lengths l;
    if (!compute_lengths(batch, request->old, fresh.ns_len, &l)) return BSN_E_SIZE;
    serve_join_ns(fresh.ns, batch->db, batch->name);
    if (batch->matches != NULL && batch->count > 0) {
        fresh.match_count = (size_t)batch->count;
        const size_t size = fresh.match_count * sizeof fresh.matches[0];
        fresh.matches = bsn_alloc_resize(alloc, NULL, 0, size);
        if (fresh.matches == NULL) return BSN_E_NOMEM;
        memcpy(fresh.matches, batch->matches, size);
    }
    put_head(batch, request, reply_id, &l, out);
    fresh.active = true;
    *feed = fresh;
    return BSN_OK;
}

void serve_feed_free(serve_feed *feed)
{
    serve_list_free(feed->alloc, feed->matches, feed->match_count, sizeof(uint64_t));
    feed->matches = NULL;
    feed->active = false;
}

/* ------------------------------------------------------------------ documents */

static void put_index(uint64_t index, bsn_out *out)
{
    uint8_t text[2 + 20]; /* type byte, digits of 2^64 - 1, 0x00 */
    size_t at = sizeof text;
    text[--at] = 0;
    do {
        text[--at] = (uint8_t)('0' + index % 10);
        index /= 10;
    } while (index > 0);
    text[--at] = BSN_TYPE_DOCUMENT;
    bsn_out_append(out, text + at, sizeof text - at);
}

/* The next document's element: its length must leave the others what is theirs, and the last takes all. */
static bsn_status begin_document(serve_feed *feed, serve_window *window, bsn_out *out,
                                 bsn_error *err)
{
    bsn_bytes bytes;
    size_t len;
    if (feed->matches != NULL) feed->offset = feed->matches[feed->match_next++];
    const bsn_status status =
        serve_window_at(window, &feed->collection->store, feed->offset, 4, &bytes, err);
    if (status != BSN_OK) return status;
    const uint64_t others = (feed->count_left - 1) * BSN_DOC_SIZE_MIN;
    if (bsn_doc_peek_len(bytes, &len) != BSN_OK || len > feed->bytes_left - others ||
        (feed->count_left == 1 && len != feed->bytes_left)) {
        return serve_store_changed(err);
    }
    put_index(feed->index++, out);
    feed->count_left--;
    feed->bytes_left -= len;
    feed->doc_left = len;
    return BSN_OK;
}

static bsn_status copy_document(serve_feed *feed, serve_window *window, bsn_out *out,
                                bsn_error *err)
{
    bsn_bytes bytes;
    const bsn_status status =
        serve_window_at(window, &feed->collection->store, feed->offset, 1, &bytes, err);
    if (status != BSN_OK) return status;
    const size_t len = bytes.len < feed->doc_left ? bytes.len : (size_t)feed->doc_left;
    if (len == feed->doc_left && bytes.ptr[len - 1] != 0) return serve_store_changed(err);
    bsn_out_append(out, bytes.ptr, len);
    feed->offset += len;
    feed->doc_left -= len;
    return BSN_OK;
}

bsn_status serve_feed_fill(serve_feed *feed, serve_window *window, bsn_out *out, size_t wanted,
                           bsn_error *err)
{
    while (feed->active && bsn_out_unsent(out) < wanted) {
        bsn_status status = BSN_OK;
        if (feed->doc_left > 0) {
            status = copy_document(feed, window, out, err);
        } else if (feed->count_left > 0) {
            status = begin_document(feed, window, out, err);
        } else {
            put_tail(feed, out);
            serve_feed_free(feed);
        }
        if (status != BSN_OK) return status;
        if (bsn_out_status(out) != BSN_OK) return bsn_error_set(err, bsn_out_status(out), 0, NULL);
    }
    return BSN_OK;
}
