/* SPDX-License-Identifier: Apache-2.0
 *
 * dump_libmongoc.c -- the same dump through the packaged libmongoc.
 */
#include "dump.h"
#include "replay.h"

#include <mongoc/mongoc.h>

#include <stdio.h>

static bool walk_libbson(const bson_t *doc, uint64_t *checksum)
{
    bson_iter_t it;
    uint64_t sum = 0;
    if (!bson_iter_init(&it, doc)) return false;
    while (bson_iter_next(&it))
        sum += (uint64_t)bson_iter_type(&it) + (uint64_t)bson_iter_key_len(&it) * 256;
    *checksum += sum;
    return true;
}

dump_result dump_libmongoc(uint16_t port, bool walk)
{
    dump_result result = {0, 0, true};
    bson_t filter = BSON_INITIALIZER;
    const bson_t *doc;
    char uri[64];
    snprintf(uri, sizeof uri, "mongodb://127.0.0.1:%u/", (unsigned)port);
    mongoc_client_t *client = mongoc_client_new(uri);
    mongoc_collection_t *collection =
        mongoc_client_get_collection(client, REPLAY_DB, REPLAY_COLLECTION);
    mongoc_cursor_t *cursor = mongoc_collection_find_with_opts(collection, &filter, NULL, NULL);
    while (mongoc_cursor_next(cursor, &doc)) {
        if (walk) result.sound = walk_libbson(doc, &result.checksum) && result.sound;
        result.documents++;
    }
    result.sound = result.sound && !mongoc_cursor_error(cursor, NULL);
    mongoc_cursor_destroy(cursor);
    mongoc_collection_destroy(collection);
    mongoc_client_destroy(client);
    bson_destroy(&filter);
    return result;
}
