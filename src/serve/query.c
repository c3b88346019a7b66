/* SPDX-License-Identifier: Apache-2.0
 *
 * query.c -- see query.h.
 */
#include "serve/query.h"

#include <string.h>

void serve_query_init(serve_query *query)
{
    const serve_query all = {.limit = UINT64_MAX};
    *query = all;
}

/* ------------------------------------------------------------------ filter */

static bool refuse_operator(serve_call *call, bsn_str name)
{
    return serve_refuse(call, SERVE_NOT_IMPLEMENTED, "the query operator '%.*s' is not implemented",
                        SERVE_TEXT(name));
}

static bool is_operator(bsn_str key)
{
    return key.len > 0 && key.ptr[0] == '$';
}

/* The value of `_id`: anything but a pattern or operators, of which $eq is known. */
static bool read_id(serve_call *call, const bsn_iter *it, serve_query *query)
{
    const bsn_value value = bsn_iter_value(it);
    bsn_iter inside;
    if (value.type == BSN_TYPE_REGEX) return refuse_operator(call, BSN_STR("$regex"));
    query->by_id = true;
    query->id_type = value.type;
    query->id_raw = bsn_iter_raw(it);
    if (value.type != BSN_TYPE_DOCUMENT) return true;
    bsn_iter_init(&inside, value.as.doc);
    if (!bsn_iter_next(&inside) || !is_operator(bsn_iter_key(&inside))) return true;
    if (!bsn_iter_key_is(&inside, BSN_STR("$eq"))) {
        return refuse_operator(call, bsn_iter_key(&inside));
    }
    query->id_type = bsn_iter_type(&inside);
    query->id_raw = bsn_iter_raw(&inside);
    if (bsn_iter_next(&inside)) return refuse_operator(call, bsn_iter_key(&inside));
    return true;
}

bool serve_query_filter(serve_call *call, bsn_doc filter, serve_query *query)
{
    bsn_iter it;
    bsn_iter_init(&it, filter);
    while (bsn_iter_next(&it)) {
        const bsn_str key = bsn_iter_key(&it);
        if (bsn_str_equal(key, BSN_STR("$comment"))) continue;
        if (is_operator(key)) return refuse_operator(call, key);
        if (!bsn_str_equal(key, BSN_STR("_id")) || query->by_id) {
            return serve_refuse(call, SERVE_NOT_IMPLEMENTED,
                                "a filter here is on _id alone, not on '%.*s'", SERVE_TEXT(key));
        }
        if (!read_id(call, &it, query)) return false;
    }
    if (bsn_iter_error(&it, NULL) == BSN_OK) return true;
    return serve_refuse(call, SERVE_BAD_VALUE, "the filter is damaged BSON");
}

/* ------------------------------------------------------------------ documents */

serve_collection *serve_query_collection(const serve_call *call, bsn_str name)
{
    return serve_catalog_find(&call->state->catalog, call->request->db, name);
}

bool serve_query_nothing(serve_call *call, const serve_collection *c)
{
    if (c != NULL || call->code != SERVE_NOT_IMPLEMENTED) return false;
    call->code = 0;
    return true;
}

/* Where the documents of the query's _id begin, in *offsets; skip and limit are not applied. */
static bool find_matches(serve_call *call, serve_collection *c, const serve_query *query,
                         bsn_buf *offsets)
{
    serve_id_key key;
    serve_place place = {0, 0};
    bsn_error err;
    serve_id_key_make(&key, query->id_type, query->id_raw);
    bsn_buf_init(offsets, call->state->alloc);
    if (serve_ids_find(&c->ids, &c->store, &call->state->window, &key, offsets, &place, &err) ==
        BSN_OK) {
        return true;
    }
    bsn_buf_free(offsets);
    return serve_refuse_damage(call, c, place, &err);
}

/* Gives the matches, less those skipped, to the cursor. */
static bool keep_matches(serve_call *call, bsn_buf *offsets, uint64_t skip, serve_cursor *cursor)
{
    const size_t size = sizeof cursor->matches[0];
    const size_t found = offsets->len / size;
    const size_t skipped = skip < found ? (size_t)skip : found;
    cursor->match_count = found - skipped;
    cursor->match_next = 0;
    const size_t bytes = cursor->match_count * size;
    /* One slot at least, so that the cursor of a search can be told from that of a scan. */
    if (cursor->match_count == 0) cursor->match_next = cursor->match_count = 1;
    cursor->matches = bsn_alloc_resize(call->state->alloc, NULL, 0, cursor->match_count * size);
    if (cursor->matches == NULL) {
        return serve_refuse(call, SERVE_INTERNAL, "%s", bsn_status_text(BSN_E_NOMEM));
    }
    if (bytes > 0) memcpy(cursor->matches, offsets->ptr + skipped * size, bytes);
    return true;
}

bool serve_query_start(serve_call *call, serve_collection *c, const serve_query *query,
                       serve_cursor *cursor)
{
    const serve_cursor fresh = {.collection = c, .left = query->limit};
    bsn_error err;
    *cursor = fresh;
    if (query->by_id) {
        bsn_buf offsets;
        if (!find_matches(call, c, query, &offsets)) return false;
        const bool kept = keep_matches(call, &offsets, query->skip, cursor);
        bsn_buf_free(&offsets);
        return kept;
    }
    if (serve_store_seek(&c->store, &call->state->window, query->skip, &cursor->next, &err) ==
        BSN_OK) {
        return true;
    }
    serve_store_damage(&c->store, &cursor->next, NULL);
    return serve_refuse_damage(call, c, cursor->next, &err);
}

bool serve_query_count(serve_call *call, serve_collection *c, const serve_query *query,
                       uint64_t *count)
{
    if (query->by_id) {
        bsn_buf offsets;
        if (!find_matches(call, c, query, &offsets)) return false;
        *count = offsets.len / sizeof(uint64_t);
        bsn_buf_free(&offsets);
    } else {
        bsn_error err;
        serve_place place = {0, 0};
        if (serve_store_count(&c->store, &call->state->window, count, &err) != BSN_OK) {
            serve_store_damage(&c->store, &place, NULL);
            return serve_refuse_damage(call, c, place, &err);
        }
    }
    *count = *count > query->skip ? *count - query->skip : 0;
    if (*count > query->limit) *count = query->limit;
    return true;
}

/* ------------------------------------------------------------------ batches */

static bool plan_scan(serve_call *call, serve_cursor *cursor, uint64_t count_max, bool *more)
{
    serve_collection *const c = cursor->collection;
    serve_plan plan;
    bsn_error err;
    if (serve_store_plan(&c->store, &call->state->window, cursor->next, count_max, &plan, &err) !=
        BSN_OK) {
        return serve_refuse_damage(call, c, cursor->next, &err);
    }
    call->batch.offset = cursor->next.offset;
    call->batch.count = plan.count;
    call->batch.bytes = plan.bytes;
    cursor->next = plan.end;
    *more = plan.more;
    return true;
}

static bool plan_matches(serve_call *call, serve_cursor *cursor, uint64_t count_max, bool *more)
{
    serve_collection *const c = cursor->collection;
    serve_batch *const batch = &call->batch;
    batch->matches = cursor->matches + cursor->match_next;
    while (batch->count < count_max && cursor->match_next < cursor->match_count) {
        const serve_place place = {SERVE_NUMBER_UNKNOWN, cursor->matches[cursor->match_next]};
        bsn_bytes bytes;
        bsn_error err;
        size_t len;
        bsn_status status =
            serve_window_at(&call->state->window, &c->store, place.offset, 4, &bytes, &err);
        if (status == BSN_OK) status = bsn_doc_peek_len(bytes, &len);
        if (status != BSN_OK) return serve_refuse_damage(call, c, place, &err);
        if (batch->count > 0 && batch->bytes + len > SERVE_BATCH_BYTES) break;
        batch->count++;
        batch->bytes += len;
        cursor->match_next++;
    }
    *more = cursor->match_next < cursor->match_count;
    return true;
}

bool serve_query_batch(serve_call *call, serve_cursor *cursor, uint64_t count_max, bool *more)
{
    serve_collection *const c = cursor->collection;
    const serve_batch fresh = {
        .collection = c, .db = serve_collection_db(c), .name = serve_collection_name(c)};
    call->batch = fresh;
    if (count_max > cursor->left) count_max = cursor->left;
    const bool planned = cursor->matches == NULL ? plan_scan(call, cursor, count_max, more)
                                                 : plan_matches(call, cursor, count_max, more);
    if (!planned) return false;
    if (cursor->left != UINT64_MAX) cursor->left -= call->batch.count;
    if (cursor->left == 0) *more = false;
    call->has_batch = true;
    return true;
}

void serve_query_answer(serve_call *call, serve_collection *c, bsn_str name,
                        const serve_query *query, uint64_t batch_size, bool single,
                        uint64_t idle_ms)
{
    serve_cursor cursor;
    bsn_error err;
    bool more = false;
    if (c == NULL) {
        const serve_batch nothing = {.first = true, .db = call->request->db, .name = name};
        call->batch = nothing;
        call->has_batch = true;
        return;
    }
    if (!serve_query_start(call, c, query, &cursor)) return;
    if (serve_query_batch(call, &cursor, batch_size, &more)) {
        call->batch.first = true;
        cursor.idle_ms = idle_ms;
        cursor.used_ms = call->state->now_ms;
        if (more && !single) {
            if (serve_cursors_add(&call->state->cursors, &cursor, &call->batch.cursor_id, &err) ==
                BSN_OK) {
                return; /* the cursor's matches are its own now */
            }
            serve_refuse(call, SERVE_INTERNAL, "no cursor: %s", bsn_status_text(err.status));
        }
    }
    /* The batch may still look at them: they go when the reply has been written. */
    call->matches = cursor.matches;
    call->match_count = cursor.match_count;
}
