/* SPDX-License-Identifier: Apache-2.0
 *
 * answer_find.c -- find, getMore, killCursors, count, explain.
 */
#include "serve/query.h"

/* ------------------------------------------------------------------ find */

enum { FILTER, SKIP, LIMIT, BATCH_SIZE, SINGLE, NO_TIMEOUT };

static const serve_field find_fields[] = {{"filter", SERVE_DOCUMENT},
                                          {"skip", SERVE_COUNT},
                                          {"limit", SERVE_COUNT},
                                          {"batchSize", SERVE_COUNT},
                                          {"singleBatch", SERVE_BOOLEAN},
                                          {"noCursorTimeout", SERVE_BOOLEAN},
                                          {"sort", SERVE_SORT},
                                          {"projection", SERVE_EMPTY},
                                          {"hint", SERVE_ANY},
                                          {"allowDiskUse", SERVE_BOOLEAN},
                                          {"rawData", SERVE_BOOLEAN},
                                          {"allowPartialResults", SERVE_BOOLEAN},
                                          {"let", SERVE_EMPTY},
                                          {"oplogReplay", SERVE_BOOLEAN},
                                          {"tailable", SERVE_FALSE},
                                          {"awaitData", SERVE_FALSE},
                                          {"returnKey", SERVE_FALSE},
                                          {"showRecordId", SERVE_FALSE},
                                          {"collation", SERVE_COLLATION},
                                          {"min", SERVE_EMPTY},
                                          {"max", SERVE_EMPTY}};
enum { FIND_FIELDS = sizeof find_fields / sizeof find_fields[0] };

void serve_find(serve_call *call)
{
    serve_given given[FIND_FIELDS];
    serve_query query;
    bsn_str name;
    serve_query_init(&query);
    if (!serve_read_collection(call, &name)) return;
    serve_collection *const c = serve_query_collection(call, name);
    const bool read =
        serve_read_fields(call, find_fields, FIND_FIELDS, given) &&
        (!given[FILTER].given || serve_query_filter(call, given[FILTER].value.as.doc, &query));
    if (!read && !serve_query_nothing(call, c)) return;
    if (given[SKIP].given) query.skip = (uint64_t)given[SKIP].number;
    if (serve_given_true(&given[LIMIT])) query.limit = (uint64_t)given[LIMIT].number;
    const uint64_t batch_size =
        given[BATCH_SIZE].given ? (uint64_t)given[BATCH_SIZE].number : SERVE_FIRST_BATCH;
    serve_query_answer(call, c, name, &query, batch_size, serve_given_true(&given[SINGLE]),
                       serve_given_true(&given[NO_TIMEOUT]) ? SERVE_IDLE_LONG_MS : SERVE_IDLE_MS);
}

/* ------------------------------------------------------------------ getMore */

/* True when the cursor is one of this collection of the request's database. */
static bool is_of(const serve_call *call, const serve_cursor *cursor, bsn_str collection)
{
    return bsn_str_equal(serve_collection_db(cursor->collection), call->request->db) &&
           bsn_str_equal(serve_collection_name(cursor->collection), collection);
}

static bool not_found(serve_call *call, int64_t id)
{
    return serve_refuse(call, SERVE_CURSOR_NOT_FOUND, "cursor id %lld not found", (long long)id);
}

/* The cursor that getMore is about. NULL, and refused, when there is none, or it is one of another collection. */
static serve_cursor *wanted_cursor(serve_call *call, bsn_str collection)
{
    const bsn_value *const value = &call->request->value;
    if (value->type != BSN_TYPE_INT64) {
        serve_refuse(call, SERVE_TYPE_MISMATCH,
                     "BSON field 'getMore.getMore' is the wrong type '%s', expected type 'long'",
                     bsn_type_name((uint8_t)value->type));
        return NULL;
    }
    serve_cursor *const cursor = serve_cursors_find(&call->state->cursors, value->as.i64);
    if (cursor == NULL) {
        not_found(call, value->as.i64);
        return NULL;
    }
    if (!is_of(call, cursor, collection)) {
        serve_refuse(
            call, SERVE_UNAUTHORIZED,
            "Requested getMore on namespace '%.*s.%.*s', but cursor belongs to a different "
            "namespace",
            SERVE_TEXT(call->request->db), SERVE_TEXT(collection));
        return NULL;
    }
    return cursor;
}

void serve_get_more(serve_call *call)
{
    enum { COLLECTION, SIZE, TIME, TERM, COUNT };
    static const serve_field fields[COUNT] = {{"collection", SERVE_STRING},
                                              {"batchSize", SERVE_COUNT},
                                              {"maxTimeMS", SERVE_COUNT},
                                              {"term", SERVE_ANY}};
    serve_given given[COUNT];
    bool more = false;
    if (!serve_read_fields(call, fields, COUNT, given)) return;
    if (!given[COLLECTION].given) {
        serve_refuse(call, SERVE_FIELD_MISSING,
                     "BSON field 'getMore.collection' is missing but a required field");
        return;
    }
    serve_cursor *const cursor = wanted_cursor(call, given[COLLECTION].value.as.str);
    if (cursor == NULL) return;
    if (given[TIME].given && given[TIME].number > 0) {
        serve_refuse(call, SERVE_BAD_VALUE,
                     "cannot set maxTimeMS on getMore command for a non-awaitData cursor");
        return;
    }
    const uint64_t asked = given[SIZE].given ? (uint64_t)given[SIZE].number : 0;
    const bool planned = serve_query_batch(call, cursor, asked == 0 ? UINT64_MAX : asked, &more);
    cursor->used_ms = call->state->now_ms;
    if (planned && more) {
        call->batch.cursor_id = cursor->id;
        return;
    }
    /* It is at its end, or cannot go on. Its matches go when the reply has been written. */
    call->matches = cursor->matches;
    call->match_count = cursor->match_count;
    serve_cursors_release(&call->state->cursors, cursor);
}

/* ------------------------------------------------------------------ killCursors */

/* Writes those of the ids that are found (or not), and closes nothing yet. */
static void write_ids(serve_call *call, bsn_str key, bsn_doc ids, bsn_str collection, bool found)
{
    bsn_iter it;
    bsn_writer_begin_array(call->w, key);
    bsn_iter_init(&it, ids);
    while (bsn_iter_next(&it)) {
        const int64_t id = bsn_iter_value(&it).as.i64;
        const serve_cursor *cursor = serve_cursors_find(&call->state->cursors, id);
        if ((cursor != NULL && is_of(call, cursor, collection)) == found)
            bsn_writer_int64(call->w, BSN_STR(""), id);
    }
    bsn_writer_end(call->w);
}

static void close_cursors(serve_call *call, bsn_doc ids, bsn_str collection)
{
    bsn_iter it;
    bsn_iter_init(&it, ids);
    while (bsn_iter_next(&it)) {
        serve_cursor *cursor =
            serve_cursors_find(&call->state->cursors, bsn_iter_value(&it).as.i64);
        if (cursor != NULL && is_of(call, cursor, collection)) {
            serve_cursors_remove(&call->state->cursors, cursor);
        }
    }
}

/* What a list of cursors must be. Each id is looked up, so there must not be millions: never can more be open than the limit. */
static bool all_int64(serve_call *call, bsn_doc ids)
{
    size_t count = 0;
    bsn_iter it;
    bsn_iter_init(&it, ids);
    while (bsn_iter_next(&it)) {
        if (++count > SERVE_CURSORS_MAX) {
            return serve_refuse(call, SERVE_BAD_VALUE, "more than %d cursors at once",
                                SERVE_CURSORS_MAX);
        }
        if (bsn_iter_type(&it) == BSN_TYPE_INT64) continue;
        return serve_refuse(
            call, SERVE_TYPE_MISMATCH,
            "BSON field 'killCursors.cursors.%.*s' is the wrong type '%s', expected "
            "type 'long'",
            SERVE_TEXT(bsn_iter_key(&it)), bsn_type_name((uint8_t)bsn_iter_type(&it)));
    }
    if (bsn_iter_error(&it, NULL) == BSN_OK) return true;
    return serve_refuse(call, SERVE_BAD_VALUE, "the list of cursors is damaged BSON");
}

void serve_kill_cursors(serve_call *call)
{
    static const serve_field fields[1] = {{"cursors", SERVE_ARRAY}};
    serve_given given[1];
    bsn_str name;
    if (!serve_read_collection(call, &name) || !serve_read_fields(call, fields, 1, given)) return;
    if (!given[0].given) {
        serve_refuse(call, SERVE_FIELD_MISSING,
                     "BSON field 'killCursors.cursors' is missing but a required field");
        return;
    }
    const bsn_doc ids = given[0].value.as.doc;
    if (!all_int64(call, ids)) return;
    write_ids(call, BSN_STR("cursorsKilled"), ids, name, true);
    write_ids(call, BSN_STR("cursorsNotFound"), ids, name, false);
    bsn_writer_begin_array(call->w, BSN_STR("cursorsAlive"));
    bsn_writer_end(call->w);
    bsn_writer_begin_array(call->w, BSN_STR("cursorsUnknown"));
    bsn_writer_end(call->w);
    close_cursors(call, ids, name);
}

/* ------------------------------------------------------------------ count */

enum { COUNT_QUERY, COUNT_SKIP, COUNT_LIMIT };

static const serve_field count_fields[] = {
    {"query", SERVE_DOCUMENT}, {"skip", SERVE_COUNT}, {"limit", SERVE_INTEGER},
    {"hint", SERVE_ANY},       {"fields", SERVE_ANY}, {"collation", SERVE_COLLATION},
    {"rawData", SERVE_BOOLEAN}};
enum { COUNT_FIELDS = sizeof count_fields / sizeof count_fields[0] };

static bool read_count(serve_call *call, serve_query *query)
{
    serve_given given[COUNT_FIELDS];
    if (!serve_read_fields(call, count_fields, COUNT_FIELDS, given)) return false;
    if (given[COUNT_QUERY].given &&
        !serve_query_filter(call, given[COUNT_QUERY].value.as.doc, query)) {
        return false;
    }
    if (given[COUNT_SKIP].given) query->skip = (uint64_t)given[COUNT_SKIP].number;
    if (serve_given_true(&given[COUNT_LIMIT])) { /* a negative one counts as positive */
        const uint64_t limit = (uint64_t)given[COUNT_LIMIT].number;
        query->limit = given[COUNT_LIMIT].number < 0 ? 0 - limit : limit;
    }
    return true;
}

void serve_count(serve_call *call)
{
    serve_query query;
    bsn_str name;
    uint64_t count = 0;
    serve_query_init(&query);
    if (!serve_read_collection(call, &name)) return;
    serve_collection *const c = serve_query_collection(call, name);
    if (!read_count(call, &query) && !serve_query_nothing(call, c)) return;
    if (c != NULL && !serve_query_count(call, c, &query, &count)) return;
    if (count <= INT32_MAX) {
        bsn_writer_int32(call->w, BSN_STR("n"), (int32_t)count);
    } else {
        bsn_writer_int64(call->w, BSN_STR("n"), (int64_t)count);
    }
}

/* ------------------------------------------------------------------ explain */

/* Every command about documents is answered by one plan: going through the collection. */
void serve_explain(serve_call *call)
{
    bsn_writer *const w = call->w;
    bsn_iter it;
    if (call->request->value.type != BSN_TYPE_DOCUMENT) {
        serve_refuse(call, SERVE_TYPE_MISMATCH,
                     "BSON field 'explain.explain' is the wrong type '%s', expected type 'object'",
                     bsn_type_name((uint8_t)call->request->value.type));
        return;
    }
    const bsn_doc command = call->request->value.as.doc;
    bsn_iter_init(&it, command);
    if (!bsn_iter_next(&it) || bsn_iter_type(&it) != BSN_TYPE_STRING) {
        serve_refuse(call, SERVE_NOT_IMPLEMENTED, "explain of this command is not implemented");
        return;
    }
    const bsn_str name = bsn_iter_value(&it).as.str;
    char ns[SERVE_NS_MAX + 1];
    if (call->request->db.len + 1 + name.len > SERVE_NS_MAX) {
        serve_refuse(call, SERVE_INVALID_NAMESPACE, "Invalid namespace specified");
        return;
    }
    bsn_writer_string(w, BSN_STR("explainVersion"), BSN_STR("1"));
    bsn_writer_begin_document(w, BSN_STR("queryPlanner"));
    bsn_writer_string(w, BSN_STR("namespace"), serve_join_ns(ns, call->request->db, name));
    bsn_writer_begin_document(w, BSN_STR("parsedQuery"));
    bsn_writer_end(w);
    bsn_writer_begin_document(w, BSN_STR("winningPlan"));
    bsn_writer_string(w, BSN_STR("stage"), BSN_STR("COLLSCAN"));
    bsn_writer_end(w);
    bsn_writer_begin_array(w, BSN_STR("rejectedPlans"));
    bsn_writer_end(w);
    bsn_writer_end(w);
    bsn_writer_document(w, BSN_STR("command"), command);
    bsn_writer_begin_document(w, BSN_STR("serverInfo"));
    bsn_writer_string(w, BSN_STR("host"), bsn_str_from(call->state->host));
    bsn_writer_int32(w, BSN_STR("port"), call->state->port);
    bsn_writer_string(w, BSN_STR("version"), BSN_STR(SERVE_VERSION));
    bsn_writer_end(w);
}
