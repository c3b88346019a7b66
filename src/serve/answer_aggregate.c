/* SPDX-License-Identifier: Apache-2.0
 *
 * answer_aggregate.c -- aggregate, as far as it is find and count under another name: $match (as find's filter), $skip, $limit, and
 * at the end $count or a $group that counts. That is what drivers send to count documents.
 */
#include "serve/query.h"

#include <bsonic/get.h>

#include <stdio.h>

/* A pipeline, read. */
typedef struct pipeline {
    serve_query query;
    bool cut;          /* $skip or $limit came: a filter behind it would mean something else */
    bool counts;       /* the last stage counts */
    bool count_stage;  /* and it is $count: no `_id`, no document for 0 */
    bsn_str count_key; /* where the count goes */
    bsn_iter group_id; /* $group: the constant that is its `_id` */
} pipeline;

static bool refuse_stage(serve_call *call, bsn_str name)
{
    static const char *const known[] = {
        "$project",         "$addFields",   "$set",         "$unset",       "$sort",
        "$sample",          "$unwind",      "$lookup",      "$facet",       "$bucket",
        "$collStats",       "$indexStats",  "$replaceRoot", "$replaceWith", "$redact",
        "$geoNear",         "$sortByCount", "$unionWith",   "$graphLookup", "$bucketAuto",
        "$setWindowFields", "$densify",     "$fill",        "$documents"};
    if (bsn_str_equal(name, BSN_STR("$out")) || bsn_str_equal(name, BSN_STR("$merge"))) {
        return serve_refuse(call, SERVE_COMMAND_NOT_SUPPORTED,
                            "'%.*s' is a write, and this server is read-only", SERVE_TEXT(name));
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!bsn_str_equal(name, bsn_str_from(known[i]))) continue;
        return serve_refuse(call, SERVE_NOT_IMPLEMENTED, "the stage '%s' is not implemented",
                            known[i]);
    }
    return serve_refuse(call, SERVE_UNKNOWN_STAGE, "Unrecognized pipeline stage name: '%.*s'",
                        SERVE_TEXT(name));
}

/* ------------------------------------------------------------------ stages */

static bool read_match(serve_call *call, const bsn_iter *it, pipeline *p)
{
    const bsn_value value = bsn_iter_value(it);
    if (value.type != BSN_TYPE_DOCUMENT) {
        return serve_refuse(call, SERVE_BAD_MATCH,
                            "the match filter must be an expression in an object");
    }
    if (bsn_doc_is_empty(value.as.doc)) return true;
    if (p->cut || p->query.by_id) {
        return serve_refuse(call, SERVE_NOT_IMPLEMENTED, "a second $match is not implemented");
    }
    return serve_query_filter(call, value.as.doc, &p->query);
}

static bool read_skip(serve_call *call, const bsn_iter *it, pipeline *p)
{
    int64_t number;
    if (bsn_as_int64(it, &number) != BSN_OK || number < 0) {
        return serve_refuse(call, SERVE_BAD_SKIP,
                            "invalid argument to $skip stage: expected a non-negative number");
    }
    const uint64_t skip = (uint64_t)number;
    p->query.skip = p->query.skip > UINT64_MAX - skip ? UINT64_MAX : p->query.skip + skip;
    if (p->query.limit != UINT64_MAX)
        p->query.limit = p->query.limit > skip ? p->query.limit - skip : 0;
    p->cut = true;
    return true;
}

static bool read_limit(serve_call *call, const bsn_iter *it, pipeline *p)
{
    int64_t number;
    if (bsn_as_int64(it, &number) != BSN_OK || number <= 0) {
        return serve_refuse(call, SERVE_BAD_LIMIT, "the limit must be positive");
    }
    if ((uint64_t)number < p->query.limit) p->query.limit = (uint64_t)number;
    p->cut = true;
    return true;
}

static bool read_count(serve_call *call, const bsn_iter *it, pipeline *p)
{
    const bsn_value value = bsn_iter_value(it);
    if (value.type != BSN_TYPE_STRING || value.as.str.len == 0) {
        return serve_refuse(call, SERVE_BAD_COUNT, "the count field must be a non-empty string");
    }
    p->counts = p->count_stage = true;
    p->count_key = value.as.str;
    return true;
}

/* {_id: 1 | null, n: {$sum: 1}} */
static bool read_group(serve_call *call, const bsn_iter *it, pipeline *p)
{
    static const char only[] = "of $group only {_id: constant, name: {$sum: 1}} is implemented";
    const bsn_value value = bsn_iter_value(it);
    bsn_iter field, sum;
    int64_t number = 0;
    if (value.type != BSN_TYPE_DOCUMENT) return serve_refuse(call, SERVE_NOT_IMPLEMENTED, only);
    bsn_iter_init(&field, value.as.doc);
    if (!bsn_iter_next(&field) || !bsn_iter_key_is(&field, BSN_STR("_id"))) {
        return serve_refuse(call, SERVE_NOT_IMPLEMENTED, only);
    }
    p->group_id = field;
    if (bsn_iter_type(&field) != BSN_TYPE_NULL && bsn_as_int64(&field, &number) != BSN_OK) {
        return serve_refuse(call, SERVE_NOT_IMPLEMENTED, only);
    }
    if (!bsn_iter_next(&field) || bsn_iter_type(&field) != BSN_TYPE_DOCUMENT) {
        return serve_refuse(call, SERVE_NOT_IMPLEMENTED, only);
    }
    p->count_key = bsn_iter_key(&field);
    bsn_iter_init(&sum, bsn_iter_value(&field).as.doc);
    if (!bsn_iter_next(&sum) || !bsn_iter_key_is(&sum, BSN_STR("$sum"))) {
        return serve_refuse(call, SERVE_NOT_IMPLEMENTED, only);
    }
    if (bsn_as_int64(&sum, &number) != BSN_OK || number != 1 || bsn_iter_next(&sum) ||
        bsn_iter_next(&field)) {
        return serve_refuse(call, SERVE_NOT_IMPLEMENTED, only);
    }
    p->counts = true;
    return true;
}

typedef struct stage_row {
    const char *name;
    bool (*read)(serve_call *call, const bsn_iter *it, pipeline *p);
} stage_row;

static const stage_row stages[] = {{"$match", read_match},
                                   {"$skip", read_skip},
                                   {"$limit", read_limit},
                                   {"$count", read_count},
                                   {"$group", read_group}};

static bool read_stage(serve_call *call, bsn_doc stage, pipeline *p)
{
    bsn_iter it, behind;
    bsn_iter_init(&it, stage);
    behind = it;
    if (!bsn_iter_next(&behind) || bsn_iter_next(&behind)) {
        return serve_refuse(
            call, SERVE_BAD_STAGE,
            "A pipeline stage specification object must contain exactly one field.");
    }
    if (!bsn_iter_next(&it)) return false; /* cannot be: it was there a line ago */
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (!bsn_iter_key_is(&it, bsn_str_from(stages[i].name))) continue;
        if (p->counts) {
            return serve_refuse(call, SERVE_NOT_IMPLEMENTED,
                                "a stage behind the count is not implemented");
        }
        return stages[i].read(call, &it, p);
    }
    return refuse_stage(call, bsn_iter_key(&it));
}

static bool read_pipeline(serve_call *call, bsn_doc stages_array, pipeline *p)
{
    bsn_iter it;
    bsn_iter_init(&it, stages_array);
    while (bsn_iter_next(&it)) {
        if (bsn_iter_type(&it) != BSN_TYPE_DOCUMENT) {
            return serve_refuse(call, SERVE_TYPE_MISMATCH,
                                "Each element of the 'pipeline' array must be an object");
        }
        if (!read_stage(call, bsn_iter_value(&it).as.doc, p)) return false;
    }
    if (bsn_iter_error(&it, NULL) == BSN_OK) return true;
    return serve_refuse(call, SERVE_BAD_VALUE, "the pipeline is damaged BSON");
}

/* ------------------------------------------------------------------ the command */

/* One document with the count; none for a count of 0. */
static void answer_count(serve_call *call, serve_collection *c, bsn_str name, const pipeline *p)
{
    char ns[SERVE_NS_MAX + 1];
    bsn_writer *const w = call->w;
    uint64_t count = 0;
    if (!serve_query_count(call, c, &p->query, &count)) return;
    bsn_writer_begin_document(w, BSN_STR("cursor"));
    bsn_writer_begin_array(w, BSN_STR("firstBatch"));
    if (count > 0) {
        bsn_writer_begin_document(w, BSN_STR(""));
        if (!p->count_stage) {
            bsn_writer_raw(w, BSN_STR("_id"), bsn_iter_type(&p->group_id),
                           bsn_iter_raw(&p->group_id));
        }
        if (count <= INT32_MAX) {
            bsn_writer_int32(w, p->count_key, (int32_t)count);
        } else {
            bsn_writer_int64(w, p->count_key, (int64_t)count);
        }
        bsn_writer_end(w);
    }
    bsn_writer_end(w);
    bsn_writer_int64(w, BSN_STR("id"), 0);
    bsn_writer_string(w, BSN_STR("ns"), serve_join_ns(ns, call->request->db, name));
    bsn_writer_end(w);
}

static bool read_batch_size(serve_call *call, bsn_doc cursor, uint64_t *batch_size)
{
    bsn_iter it;
    int64_t number;
    *batch_size = SERVE_FIRST_BATCH;
    if (bsn_find(cursor, BSN_STR("batchSize"), &it, NULL) != BSN_OK) return true;
    if (bsn_as_int64(&it, &number) != BSN_OK || number < 0) {
        return serve_refuse(call, SERVE_TYPE_MISMATCH,
                            "BSON field 'aggregate.cursor.batchSize' is no count");
    }
    *batch_size = (uint64_t)number;
    return true;
}

enum { PIPELINE, CURSOR };

static const serve_field aggregate_fields[] = {{"pipeline", SERVE_ARRAY},
                                               {"cursor", SERVE_DOCUMENT},
                                               {"explain", SERVE_FALSE},
                                               {"allowDiskUse", SERVE_BOOLEAN},
                                               {"hint", SERVE_ANY},
                                               {"let", SERVE_EMPTY},
                                               {"collation", SERVE_COLLATION},
                                               {"bypassDocumentValidation", SERVE_BOOLEAN},
                                               {"rawData", SERVE_BOOLEAN}};
enum { AGGREGATE_FIELDS = sizeof aggregate_fields / sizeof aggregate_fields[0] };

static bool read_aggregate(serve_call *call, pipeline *p, uint64_t *batch_size)
{
    const pipeline empty = {.counts = false};
    serve_given given[AGGREGATE_FIELDS];
    *p = empty;
    serve_query_init(&p->query);
    if (!serve_read_fields(call, aggregate_fields, AGGREGATE_FIELDS, given)) return false;
    if (!given[PIPELINE].given) {
        return serve_refuse(call, SERVE_FIELD_MISSING,
                            "BSON field 'aggregate.pipeline' is missing but a required field");
    }
    if (!given[CURSOR].given) {
        return serve_refuse(
            call, SERVE_FAILED_TO_PARSE,
            "The 'cursor' option is required, except for aggregate with the explain argument");
    }
    return read_batch_size(call, given[CURSOR].value.as.doc, batch_size) &&
           read_pipeline(call, given[PIPELINE].value.as.doc, p);
}

static bool is_number(const bsn_value *value)
{
    return value->type == BSN_TYPE_INT32 || value->type == BSN_TYPE_INT64 ||
           value->type == BSN_TYPE_DOUBLE;
}

void serve_aggregate(serve_call *call)
{
    pipeline p;
    bsn_str name;
    uint64_t batch_size = 0;
    if (is_number(&call->request->value)) { /* about the server: no stage of that kind is known */
        if (!read_aggregate(call, &p, &batch_size)) return;
        serve_refuse(call, SERVE_INVALID_NAMESPACE,
                     "{aggregate: 1} is not valid for this pipeline; a collection is required.");
        return;
    }
    if (!serve_read_collection(call, &name)) return;
    serve_collection *const c = serve_query_collection(call, name);
    if (!read_aggregate(call, &p, &batch_size) && !serve_query_nothing(call, c)) return;
    if (c != NULL && p.counts) {
        answer_count(call, c, name, &p);
    } else {
        serve_query_answer(call, c, name, &p.query, batch_size, false, SERVE_IDLE_MS);
    }
}
