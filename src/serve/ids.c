/* SPDX-License-Identifier: Apache-2.0
 *
 * ids.c -- see ids.h.
 */
#include "serve/ids.h"

#include "serve/list.h"

#include <string.h>

#define OFFSET_BITS 40
#define OFFSET_MASK (((uint64_t)1 << OFFSET_BITS) - 1)

#define COUNT_MAX ((uint64_t)1 << 31)
#define NONE UINT32_MAX

void serve_ids_free(serve_ids *ids, const bsn_alloc *alloc)
{
    const serve_ids empty = {0};
    serve_list_free(alloc, ids->entries, ids->entry_count, sizeof ids->entries[0]);
    serve_list_free(alloc, ids->nexts, ids->entry_count, sizeof ids->nexts[0]);
    serve_list_free(alloc, ids->heads, ids->head_count, sizeof ids->heads[0]);
    *ids = empty;
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

static void *make_list(size_t count, size_t size, const bsn_alloc *alloc)
{
    if (count > SIZE_MAX / 2 / size) return NULL;
    return bsn_alloc_resize(alloc, NULL, 0, count * size);
}

static bsn_status make_table(serve_ids *ids, uint64_t count, const bsn_alloc *alloc, bsn_error *err)
{
    ids->head_count = 16;
    while (ids->head_count < count) ids->head_count *= 2;
    ids->entry_count = count > 0 ? (size_t)count : 1;
    ids->entries = make_list(ids->entry_count, sizeof ids->entries[0], alloc);
    ids->nexts = make_list(ids->entry_count, sizeof ids->nexts[0], alloc);
    ids->heads = make_list(ids->head_count, sizeof ids->heads[0], alloc);
    if (ids->entries == NULL || ids->nexts == NULL || ids->heads == NULL) {
        return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
    }
    memset(ids->heads, 0xFF, ids->head_count * sizeof ids->heads[0]); /* NONE in each */
    return BSN_OK;
}

static uint32_t *head_of(const serve_ids *ids, uint64_t hash)
{
    return &ids->heads[(size_t)hash & (ids->head_count - 1)];
}

/* Takes an entry in. The bits that choose its chain lie in nexts[] until link_entries. */
static void put(serve_ids *ids, uint64_t entry, uint64_t hash, uint64_t offset)
{
    ids->entries[entry] = tag_of(hash) | offset;
    ids->nexts[entry] = (uint32_t)(hash & UINT32_MAX);
}

/* From the last on, each in front of its chain: so chains have the file's order, and following one reads the file forwards. */
static void link_entries(serve_ids *ids, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        uint32_t *const head = head_of(ids, ids->nexts[i]);
        ids->nexts[i] = *head;
        *head = i;
    }
}

static bsn_status fill_table(serve_ids *ids, serve_store *store, serve_window *window,
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
        put(ids, place->number, serve_id_key_hash(&key), place->offset);
        *place = next;
    }
    return status;
}

static bsn_status build(serve_ids *ids, serve_store *store, serve_window *window, uint64_t count,
                        serve_place *place, bsn_error *err)
{
    bsn_status status = make_table(ids, count, store->alloc, err);
    if (status == BSN_OK) status = fill_table(ids, store, window, place, err);
    if (status == BSN_OK) {
        link_entries(ids, (uint32_t)count);
    } else {
        serve_ids_free(ids, store->alloc);
    }
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
        return serve_store_changed(err);
    }
    return BSN_OK;
}

static bsn_status follow_chain(const serve_ids *ids, serve_store *store, serve_window *window,
                               const serve_id_key *key, bsn_buf *offsets, serve_place *place,
                               bsn_error *err)
{
    const uint64_t hash = serve_id_key_hash(key);
    for (uint32_t i = *head_of(ids, hash); i != NONE; i = ids->nexts[i]) {
        size_t len;
        if (tag_of(ids->entries[i]) != tag_of(hash)) continue;
        place->number = SERVE_NUMBER_UNKNOWN;
        place->offset = ids->entries[i] & OFFSET_MASK;
        bsn_status status = document_len(store, window, place->offset, &len, err);
        if (status == BSN_OK) status = try_document(store, window, key, *place, len, offsets, err);
        if (status != BSN_OK) return status;
    }
    return BSN_OK;
}

bsn_status serve_ids_find(serve_ids *ids, serve_store *store, serve_window *window,
                          const serve_id_key *key, bsn_buf *offsets, serve_place *place,
                          bsn_error *err)
{
    if (ids->heads == NULL) {
        uint64_t count;
        bsn_status status = serve_store_count(store, window, &count, err);
        if (status != BSN_OK) {
            serve_store_damage(store, place, NULL);
            return status;
        }
        if (store->size > OFFSET_MASK || count >= COUNT_MAX) {
            return look_through(store, window, key, offsets, place, err);
        }
        status = build(ids, store, window, count, place, err);
        if (status != BSN_OK) return status;
    }
    return follow_chain(ids, store, window, key, offsets, place, err);
}
