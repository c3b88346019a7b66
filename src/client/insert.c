/* SPDX-License-Identifier: Apache-2.0
 *
 * insert.c -- cuts a stream of documents into messages and sends them from where they lie.
 */
#include "client/insert.h"

#include "client/conn_state.h"
#include "client/insert_result.h"

#include "base/debug.h"

#include <bsonic/detail/len.h>
#include <bsonic/get.h>

#include <string.h>

/* A piece shorter than this is copied to the stage, which is in the cache: describing it to the kernel costs more. For documents of
 * 1 kB, each in memory of its own, copying takes 0.8 of the processor time of describing.     [bench_wire --only insert] */
#define COPY_BELOW ((size_t)BSN_OUT_REF_MIN)

/* 07 "_id" 00 and an ObjectId, in front of the first element; the length field stands before it. */
#define ID_LEN (1 + 4 + sizeof(bsn_oid))
#define NEW_HEAD_LEN (4 + ID_LEN)

/* ------------------------------------------------------------------ beginning */

/* { w: 0 }: the server would be silent. */
static bool is_unacknowledged(bsn_doc concern)
{
    bsn_iter it;
    int64_t w;
    return bsn_find(concern, BSN_STR("w"), &it, NULL) == BSN_OK &&
           bsn_as_int64(&it, &w) == BSN_OK && w == 0;
}

bsn_status bsni_insert_check(const insert_order *order)
{
    const bsn_insert_options *o = &order->options;
    if (order->db.len == 0 || order->collection.len == 0) return BSN_E_VALUE;
    if (o->ignore_duplicates && !o->unordered) return BSN_E_VALUE;
    if (o->write_concern.ptr != NULL && is_unacknowledged(o->write_concern)) {
        return BSN_E_UNSUPPORTED;
    }
    return BSN_OK;
}

bsn_status bsni_insert_begin(bsn_conn *conn, const insert_order *order)
{
    const bsn_status status = bsni_insert_check(order);
    if (status != BSN_OK) return status;
    if (conn->insert == NULL) {
        conn->insert = bsn_alloc_resize(conn->alloc, NULL, 0, sizeof *conn->insert);
        if (conn->insert == NULL) return BSN_E_NOMEM;
    }
    conn_insert *insert = conn->insert;
    insert->order = *order;
    insert->base = order->result->documents;
    insert->batch_start = insert->batch_end = 0;
    insert->over = false;
    bsni_insert_drop(insert);
    order->result->documents += order->count;
    return BSN_OK;
}

/* ------------------------------------------------------------------ one document */

/* Whether a document lacks an _id. The walk ends where it finds one: mostly at once. */
static bsn_status find_id(bsn_doc doc, bool *bare, bsn_error *err)
{
    bsn_iter it;
    *bare = false;
    if (doc.len > 9 && memcmp(doc.ptr + 5, "_id", 4) == 0) return BSN_OK;
    bsn_iter_init(&it, doc);
    while (bsn_iter_next(&it)) {
        if (bsn_iter_key_is(&it, BSN_STR("_id"))) return BSN_OK;
    }
    *bare = true;
    return bsn_iter_error(&it, err);
}

/* How many bytes a document will have in a message with `room` for documents, and whether it gets an _id. */
static bsn_status measure(const bsn_conn *conn, bsn_doc doc, size_t room, size_t *len, bool *bare,
                          bsn_error *err)
{
    *bare = false;
    *len = doc.len;
    if (conn->insert->order.options.ids != NULL) {
        const bsn_status status = find_id(doc, bare, err);
        if (status != BSN_OK) return status;
    }
    if (*bare && !bsn_len_add(doc.len, ID_LEN, len)) *len = SIZE_MAX;
    if (*len > conn->server.document_size_max) {
        return bsn_error_set(err, BSN_E_SIZE, 0, "larger than the server takes");
    }
    if (*len > room) return bsn_error_set(err, BSN_E_SIZE, 0, "larger than a message can be");
    return BSN_OK;
}

void bsni_insert_note_failure(conn_insert *insert, const bsn_write_error *error)
{
    bsni_result_add_error(insert->order.result, error);
    if (!insert->order.options.unordered) insert->over = true;
}

/* The document at the batch's start cannot be sent: it is passed by. */
static void note_unsent(conn_insert *insert, const bsn_error *err)
{
    const char *why = err->detail != NULL ? err->detail : bsn_status_text(err->status);
    const bsn_write_error error = {.index = insert->base + insert->batch_start,
                                   .status = err->status,
                                   .message = bsn_str_from(why)};
    bsni_insert_note_failure(insert, &error);
    insert->batch_start++;
}

/* ------------------------------------------------------------------ one message */

static void set_bare(conn_insert *insert, size_t at, bool bare)
{
    const uint8_t bit = (uint8_t)(1u << (at & 7));
    if (bare) {
        insert->bare[at >> 3] |= bit;
    } else {
        insert->bare[at >> 3] &= (uint8_t)~bit;
    }
}

static bool is_bare(const conn_insert *insert, size_t i)
{
    const size_t at = i - insert->batch_start;
    return (insert->bare[at >> 3] >> (at & 7) & 1) != 0;
}

static size_t batch_limit(const bsn_conn *conn)
{
    const conn_insert *insert = conn->insert;
    size_t limit = conn->server.write_batch_max;
    const uint32_t wanted = insert->order.options.batch_max;
    if (wanted != 0 && wanted < limit) limit = wanted;
    if (limit > BSNI_INSERT_BATCH_MAX) limit = BSNI_INSERT_BATCH_MAX;
    const size_t left = insert->order.count - insert->batch_start;
    return left < limit ? left : limit;
}

/* Chooses the documents of the next message, from batch_start on: as many as go in; returns their bytes. One that fails by itself
 * ends the batch in front of it; at the batch's start *err tells why. */
static size_t choose(bsn_conn *conn, size_t room, bsn_error *err)
{
    conn_insert *insert = conn->insert;
    const bsn_doc *docs = insert->order.docs + insert->batch_start;
    const size_t limit = batch_limit(conn);
    size_t total = 0, chosen = 0;
    for (; chosen < limit; chosen++) {
        size_t len;
        bool bare;
        if (measure(conn, docs[chosen], room, &len, &bare, err) != BSN_OK) break;
        if (len > room - total) break;
        set_bare(insert, chosen, bare);
        total += len;
    }
    insert->batch_end = insert->batch_start + chosen;
    insert->next = insert->batch_start;
    insert->error_count = 0;
    return total;
}

/* Chooses, past those that fail by themselves, until there is something to send or nothing is left. */
static size_t choose_some(bsn_conn *conn, size_t room)
{
    conn_insert *insert = conn->insert;
    while (!insert->over && insert->batch_start < insert->order.count) {
        bsn_error err = {0};
        const size_t len = choose(conn, room, &err);
        if (len > 0) return len;
        note_unsent(insert, &err);
    }
    return 0;
}

bsn_status bsni_insert_next(bsn_conn *conn, bool *more)
{
    conn_insert *insert = conn->insert;
    const size_t size_max = conn->server.message_size_max;
    const int32_t id_before = conn->request_id;
    bsn_msg_writer head;
    *more = false;
    if (insert->over || insert->batch_start == insert->order.count) return BSN_OK;
    bsn_status status = bsni_conn_write_insert(conn, &insert->order, &head);
    if (status == BSN_OK && bsn_msg_len(&head) >= size_max) status = BSN_E_SIZE;
    if (status == BSN_OK) {
        const size_t len = choose_some(conn, size_max - (size_t)bsn_msg_len(&head));
        *more = len > 0;
        if (*more) status = bsn_msg_end_ahead(&head, len, size_max);
    }
    if (status != BSN_OK || !*more) {
        *more = false;
        conn->request_id = id_before;
        bsn_out_clear(&conn->out);
        bsni_insert_drop(insert);
    }
    return status;
}

/* ------------------------------------------------------------------ laying out */

static void add_piece(conn_insert *insert, const uint8_t *ptr, size_t len)
{
    const bsn_iovec piece = {ptr, len};
    insert->pieces[insert->piece_count++] = piece;
}

/* Copies bytes to the stage. What is staged one after another is one piece. */
static void add_copy(conn_insert *insert, const uint8_t *ptr, size_t len)
{
    uint8_t *to = insert->stage + insert->staged;
    bsn_iovec *last = insert->piece_count > 0 ? &insert->pieces[insert->piece_count - 1] : NULL;
    memcpy(to, ptr, len);
    insert->staged += len;
    if (last != NULL && (const uint8_t *)last->ptr + last->len == to) {
        last->len += len;
    } else {
        add_piece(insert, to, len);
    }
}

static void add(conn_insert *insert, const uint8_t *ptr, size_t len)
{
    if (len < COPY_BELOW) {
        add_copy(insert, ptr, len);
    } else {
        add_piece(insert, ptr, len);
    }
}

/* A document, and those that lie right behind it. */
static void add_run(conn_insert *insert)
{
    const bsn_doc *docs = insert->order.docs;
    const uint8_t *const ptr = docs[insert->next].ptr;
    size_t len = docs[insert->next++].len;
    while (insert->next < insert->batch_end && docs[insert->next].ptr == ptr + len &&
           !is_bare(insert, insert->next)) {
        len += docs[insert->next++].len;
    }
    add(insert, ptr, len);
}

/* A document that gets an _id: another length, the _id, and the rest from where it lies. */
static void add_bare(conn_insert *insert)
{
    const bsn_insert_options *o = &insert->order.options;
    const bsn_doc doc = insert->order.docs[insert->next++];
    uint8_t head[NEW_HEAD_LEN] = {0, 0, 0, 0, BSN_TYPE_OID, '_', 'i', 'd', 0};
    bsn_oid id;
    bsn_oid_make(o->ids, o->seconds, &id);
    bsn_store_i32(head,
                  (int32_t)(doc.len + ID_LEN)); /* measured: no larger than the server takes */
    memcpy(head + 9, id.bytes, sizeof id.bytes);
    add_copy(insert, head, sizeof head);
    add(insert, doc.ptr + 4, doc.len - 4);
}

static bool has_room(const conn_insert *insert)
{
    return insert->piece_count + 2 <= BSNI_INSERT_PIECES &&
           insert->staged + NEW_HEAD_LEN + COPY_BELOW <= sizeof insert->stage;
}

static void lay_out(conn_insert *insert)
{
    insert->piece_first = insert->piece_count = 0;
    insert->staged = 0;
    while (insert->next < insert->batch_end && has_room(insert)) {
        if (is_bare(insert, insert->next)) {
            add_bare(insert);
        } else {
            add_run(insert);
        }
    }
}

bool bsni_insert_unsent(const conn_insert *insert)
{
    return insert->piece_first < insert->piece_count || insert->next < insert->batch_end;
}

size_t bsni_insert_output(conn_insert *insert, bsn_iovec *iov, size_t max)
{
    if (insert->piece_first == insert->piece_count) lay_out(insert);
    const size_t left = insert->piece_count - insert->piece_first;
    const size_t count = left < max ? left : max;
    if (count > 0) memcpy(iov, insert->pieces + insert->piece_first, count * sizeof *iov);
    return count;
}

void bsni_insert_sent(conn_insert *insert, size_t len)
{
    while (len > 0) {
        BSN_ASSERT(insert->piece_first < insert->piece_count);
        bsn_iovec *piece = &insert->pieces[insert->piece_first];
        if (len < piece->len) {
            piece->ptr = (const uint8_t *)piece->ptr + len;
            piece->len -= len;
            return;
        }
        len -= piece->len;
        insert->piece_first++;
    }
}

void bsni_insert_drop(conn_insert *insert)
{
    insert->next = insert->batch_end;
    insert->piece_first = insert->piece_count = 0;
    insert->staged = 0;
}
