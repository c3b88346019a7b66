/* SPDX-License-Identifier: Apache-2.0
 *
 * ids.c -- see ids.h.
 */
#include "serve/ids.h"

#include <string.h>

#define OFFSET_BITS 40
#define OFFSET_MASK (((uint64_t)1 << OFFSET_BITS) - 1)

void serve_ids_free(serve_ids *ids, const bsn_alloc *alloc)
{
    if (ids->slots != NULL) {
        bsn_alloc_resize(alloc, ids->slots, ids->slot_count * sizeof ids->slots[0], 0);
    }
    ids->slots = NULL;
    ids->slot_count = 0;
}

static uint64_t tag_of(uint64_t hash)
{
    return hash & ~OFFSET_MASK;
}

/* ------------------------------------------------------------------ one document's key */

/* The key of the document that lies at `offset`, `len` bytes long. */
static bsn_status read_key(serve_store *store, serve_window *window, uint64_t offset, size_t len,
                           serve_id_key *key, bsn_error *err)
{
    static const bsn_bytes nothing = {NULL, 0};
    bsn_bytes bytes;
    bsn_iter it;
    bsn_status status = serve_window_at(window, store, offset, len, &bytes, err);
    if (status != BSN_OK) return status;
    const bsn_doc doc = {bytes.ptr, len};
    status = bsn_find(doc, BSN_STR("_id"), &it, err);
    if (status == BSN_E_NOT_FOUND) {
        serve_id_key_make(key, BSN_TYPE_NULL, nothing);
        return BSN_OK;
    }
    if (status == BSN_OK) serve_id_key_make(key, bsn_iter_type(&it), bsn_iter_raw(&it));
    return status;
}

/* ------------------------------------------------------------------ the table */

static bsn_status make_slots(serve_ids *ids, uint64_t count, const bsn_alloc *alloc, bsn_error *err)
{
    size_t slots = 16;
    while (slots / 3 * 2 < count) {
        if (slots > SIZE_MAX / 16) return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
        slots *= 2;
    }
    uint64_t *made = bsn_alloc_resize(alloc, NULL, 0, slots * sizeof *made);
    if (made == NULL) return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
    memset(made, 0, slots * sizeof *made);
    ids->slots = made;
    ids->slot_count = slots;
    return BSN_OK;
}

/* Linear probing: equal keys lie in the order they came in, which is the file's. */
static void put(serve_ids *ids, uint64_t hash, uint64_t offset)
{
    size_t at = (size_t)hash & (ids->slot_count - 1);
    while (ids->slots[at] != 0) at = (at + 1) & (ids->slot_count - 1);
    ids->slots[at] = tag_of(hash) | (offset + 1);
}

static bsn_status fill_slots(serve_ids *ids, serve_store *store, serve_window *window,
                             serve_place *place, bsn_error *err)
{
    serve_place next = {0, 0};
    bsn_status status;
    size_t len;
    *place = next;
    while (serve_store_step(store, window, &next, &len, &status, err)) {
        serve_id_key key;
        status = read_key(store, window, place->offset, len, &key, err);
        if (status != BSN_OK) return status;
        put(ids, serve_id_key_hash(&key), place->offset);
        *place = next;
    }
    return status;
}

static bsn_status build(serve_ids *ids, serve_store *store, serve_window *window,
                        serve_place *place, bsn_error *err)
{
    uint64_t count;
    bsn_status status = serve_store_count(store, window, &count, err);
    if (status != BSN_OK) {
        serve_store_damage(store, place, NULL);
        return status;
    }
    status = make_slots(ids, count, store->alloc, err);
    if (status == BSN_OK) status = fill_slots(ids, store, window, place, err);
    if (status != BSN_OK) serve_ids_free(ids, store->alloc);
    return status;
}

/* ------------------------------------------------------------------ questions */

static bsn_status append_offset(bsn_buf *offsets, uint64_t offset, bsn_error *err)
{
    const bsn_bytes bytes = {(const uint8_t *)&offset, sizeof offset};
    const bsn_status status = bsn_buf_append(offsets, bytes);
    return status == BSN_OK ? BSN_OK : bsn_error_set(err, status, 0, NULL);
}

/* Appends the document at place->offset if its key is the one that is sought. */
static bsn_status try_document(serve_store *store, serve_window *window, const serve_id_key *key,
                               serve_place place, size_t len, bsn_buf *offsets, bsn_error *err)
{
    serve_id_key found;
    const bsn_status status = read_key(store, window, place.offset, len, &found, err);
    if (status != BSN_OK || !serve_id_key_equal(&found, key)) return status;
    return append_offset(offsets, place.offset, err);
}

static bsn_status look_through(serve_store *store, serve_window *window, const serve_id_key *key,
                               bsn_buf *offsets, serve_place *place, bsn_error *err)
{
    serve_place next = {0, 0};
    bsn_status status;
    size_t len;
    *place = next;
    while (serve_store_step(store, window, &next, &len, &status, err)) {
        status = try_document(store, window, key, *place, len, offsets, err);
        if (status != BSN_OK) return status;
        *place = next;
    }
    return status;
}

static bsn_status document_len(serve_store *store, serve_window *window, uint64_t offset,
                               size_t *len, bsn_error *err)
{
    bsn_bytes bytes;
    const bsn_status status = serve_window_at(window, store, offset, 4, &bytes, err);
    if (status != BSN_OK) return status;
    if (bsn_doc_peek_len(bytes, len) != BSN_OK || *len > store->size - offset) {
        return bsn_error_set(err, BSN_E_IO, 0, "the file was changed while it was served");
    }
    return BSN_OK;
}

bsn_status serve_ids_find(serve_ids *ids, serve_store *store, serve_window *window,
                          const serve_id_key *key, bsn_buf *offsets, serve_place *place,
                          bsn_error *err)
{
    const uint64_t hash = serve_id_key_hash(key);
    bsn_status status = BSN_OK;
    if (store->size >= OFFSET_MASK) return look_through(store, window, key, offsets, place, err);
    if (ids->slots == NULL) status = build(ids, store, window, place, err);
    if (status != BSN_OK) return status;
    size_t at = (size_t)hash & (ids->slot_count - 1);
    for (; ids->slots[at] != 0; at = (at + 1) & (ids->slot_count - 1)) {
        size_t len;
        if (tag_of(ids->slots[at]) != tag_of(hash)) continue;
        place->number = SERVE_NUMBER_UNKNOWN;
        place->offset = (ids->slots[at] & OFFSET_MASK) - 1;
        status = document_len(store, window, place->offset, &len, err);
        if (status == BSN_OK) status = try_document(store, window, key, *place, len, offsets, err);
        if (status != BSN_OK) return status;
    }
    return BSN_OK;
}
