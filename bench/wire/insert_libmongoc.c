/* SPDX-License-Identifier: Apache-2.0
 *
 * insert_libmongoc.c -- inserting through the packaged libmongoc: one bulk operation a pass, which it cuts into messages itself.
 */
#include "insert.h"
#include "replay.h"

#include <mongoc/mongoc.h>

#include <stdio.h>

static bool add(mongoc_bulk_operation_t *bulk, bsn_doc doc, const bson_t *options)
{
    bson_t view;
    return bson_init_static(&view, doc.ptr, doc.len) &&
           mongoc_bulk_operation_insert_with_opts(bulk, &view, options, NULL);
}

/* Documents inserted, or 0. */
static insert_count execute(mongoc_bulk_operation_t *bulk)
{
    bson_t reply;
    bson_error_t error;
    bson_iter_t it;
    insert_count inserted = 0;
    if (mongoc_bulk_operation_execute(bulk, &reply, &error) != 0 &&
        bson_iter_init_find(&it, &reply, "nInserted")) {
        inserted = (insert_count)bson_iter_as_int64(&it);
    }
    bson_destroy(&reply);
    return inserted;
}

static insert_count insert_pass(mongoc_collection_t *collection, const insert_job *job,
                                size_t first, size_t count, const bson_t *options)
{
    bool sound = true;
    mongoc_bulk_operation_t *bulk =
        mongoc_collection_create_bulk_operation_with_opts(collection, NULL);
    for (size_t i = first; i < first + count; i++)
        sound = add(bulk, job->docs[i], options) && sound;
    const insert_count inserted = sound ? execute(bulk) : 0;
    mongoc_bulk_operation_destroy(bulk);
    return inserted;
}

insert_count insert_libmongoc(const insert_job *job, bool validate)
{
    char uri[64];
    bson_t options = BSON_INITIALIZER;
    insert_count inserted = 0;
    const size_t batch = job->batch != 0 ? job->batch : job->count;
    if (!validate) BSON_APPEND_BOOL(&options, "validate", false);
    snprintf(uri, sizeof uri, "mongodb://127.0.0.1:%u/", (unsigned)job->port);
    mongoc_client_t *client = mongoc_client_new(uri);
    mongoc_collection_t *collection =
        mongoc_client_get_collection(client, REPLAY_DB, REPLAY_COLLECTION);
    for (unsigned pass = 0; pass < job->passes; pass++) {
        for (size_t first = 0; first < job->count; first += batch) {
            const size_t left = job->count - first;
            inserted += insert_pass(collection, job, first, left < batch ? left : batch, &options);
        }
    }
    mongoc_collection_destroy(collection);
    mongoc_client_destroy(client);
    bson_destroy(&options);
    return inserted;
}
