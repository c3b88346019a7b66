/* SPDX-License-Identifier: Apache-2.0
 *
 * answer_list.c -- what is there: databases, collections, indexes, and their sizes.
 *
 * The catalog is sorted by namespace, so the collections of one database lie together.
 */
#include "serve/call.h"

#define MEGABYTE 1048576

static bool in_database(const serve_collection *c, bsn_str db)
{
    return bsn_str_equal(serve_collection_db(c), db);
}

/* ------------------------------------------------------------------ filters on names */

/* A filter of listDatabases or listCollections: {} or {name: text} (and {type: text} with it). */
typedef struct name_filter {
    bool by_name, by_type;
    bsn_str name, type;
} name_filter;

static bool read_name_filter(serve_call *call, const serve_given *given, name_filter *filter)
{
    const name_filter all = {.by_name = false};
    bsn_iter it;
    *filter = all;
    if (!given->given) return true;
    bsn_iter_init(&it, given->value.as.doc);
    while (bsn_iter_next(&it)) {
        const bsn_str key = bsn_iter_key(&it);
        const bsn_value value = bsn_iter_value(&it);
        const bool name = bsn_str_equal(key, BSN_STR("name"));
        if (value.type != BSN_TYPE_STRING || (!name && !bsn_str_equal(key, BSN_STR("type")))) {
            return serve_refuse(call, SERVE_NOT_IMPLEMENTED,
                                "a filter here is {name: text} or {type: text}, not '%.*s'",
                                SERVE_TEXT(key));
        }
        if (name) {
            filter->by_name = true;
            filter->name = value.as.str;
        } else {
            filter->by_type = true;
            filter->type = value.as.str;
        }
    }
    return true;
}

static bool passes(const name_filter *filter, bsn_str name)
{
    if (filter->by_name && !bsn_str_equal(filter->name, name)) return false;
    return !filter->by_type || bsn_str_equal(filter->type, BSN_STR("collection"));
}

/* ------------------------------------------------------------------ databases */

/* Index behind the collections of the database that begins at `index`; their bytes are added up. */
static size_t sum_database(const serve_catalog *catalog, size_t index, uint64_t *bytes)
{
    const bsn_str db = serve_collection_db(catalog->items[index]);
    *bytes = 0;
    while (index < catalog->count && in_database(catalog->items[index], db)) {
        *bytes += catalog->items[index++]->store.size;
    }
    return index;
}

static uint64_t write_databases(serve_call *call, const name_filter *filter, bool name_only)
{
    const serve_catalog *const catalog = &call->state->catalog;
    bsn_writer *const w = call->w;
    uint64_t total = 0;
    size_t next = 0;
    for (size_t i = 0; i < catalog->count; i = next) {
        const bsn_str db = serve_collection_db(catalog->items[i]);
        uint64_t bytes;
        next = sum_database(catalog, i, &bytes);
        if (!passes(filter, db)) continue;
        total += bytes;
        bsn_writer_begin_document(w, BSN_STR(""));
        bsn_writer_string(w, BSN_STR("name"), db);
        if (!name_only) {
            bsn_writer_int64(w, BSN_STR("sizeOnDisk"), (int64_t)bytes);
            bsn_writer_boolean(w, BSN_STR("empty"), bytes == 0);
        }
        bsn_writer_end(w);
    }
    return total;
}

void serve_list_databases(serve_call *call)
{
    enum { FILTER, NAME_ONLY, AUTHORIZED, COUNT };
    static const serve_field fields[COUNT] = {{"filter", SERVE_DOCUMENT},
                                              {"nameOnly", SERVE_BOOLEAN},
                                              {"authorizedDatabases", SERVE_BOOLEAN}};
    serve_given given[COUNT];
    name_filter filter;
    if (!bsn_str_equal(call->request->db, BSN_STR("admin"))) {
        serve_refuse(call, SERVE_UNAUTHORIZED,
                     "listDatabases may only be run against the admin database.");
        return;
    }
    if (!serve_read_fields(call, fields, COUNT, given)) return;
    if (!read_name_filter(call, &given[FILTER], &filter)) return;
    const bool name_only = serve_given_true(&given[NAME_ONLY]);
    bsn_writer_begin_array(call->w, BSN_STR("databases"));
    const uint64_t total = write_databases(call, &filter, name_only);
    bsn_writer_end(call->w);
    if (name_only) return;
    bsn_writer_int64(call->w, BSN_STR("totalSize"), (int64_t)total);
    bsn_writer_int64(call->w, BSN_STR("totalSizeMb"), (int64_t)(total / MEGABYTE));
}

/* ------------------------------------------------------------------ collections */

static void write_id_index(bsn_writer *w, bsn_str key)
{
    bsn_writer_begin_document(w, key);
    bsn_writer_int32(w, BSN_STR("v"), 2);
    bsn_writer_begin_document(w, BSN_STR("key"));
    bsn_writer_int32(w, BSN_STR("_id"), 1);
    bsn_writer_end(w);
    bsn_writer_string(w, BSN_STR("name"), BSN_STR("_id_"));
    bsn_writer_end(w);
}

static void write_collection(bsn_writer *w, const serve_collection *c, bool name_only)
{
    bsn_writer_begin_document(w, BSN_STR(""));
    bsn_writer_string(w, BSN_STR("name"), serve_collection_name(c));
    bsn_writer_string(w, BSN_STR("type"), BSN_STR("collection"));
    if (!name_only) {
        bsn_writer_begin_document(w, BSN_STR("options"));
        bsn_writer_end(w);
        bsn_writer_begin_document(w, BSN_STR("info"));
        bsn_writer_boolean(w, BSN_STR("readOnly"), true);
        bsn_writer_end(w);
        write_id_index(w, BSN_STR("idIndex"));
    }
    bsn_writer_end(w);
}

/* The end of a cursor that has said all in its first batch: ns is db, '.', name. */
static void end_cursor(serve_call *call, bsn_str name)
{
    char ns[SERVE_NS_MAX + 1];
    bsn_writer_int64(call->w, BSN_STR("id"), 0);
    bsn_writer_string(call->w, BSN_STR("ns"), serve_join_ns(ns, call->request->db, name));
    bsn_writer_end(call->w);
}

void serve_list_collections(serve_call *call)
{
    enum { FILTER, NAME_ONLY, AUTHORIZED, CURSOR, COUNT };
    static const serve_field fields[COUNT] = {{"filter", SERVE_DOCUMENT},
                                              {"nameOnly", SERVE_BOOLEAN},
                                              {"authorizedCollections", SERVE_BOOLEAN},
                                              {"cursor", SERVE_DOCUMENT}};
    const serve_catalog *const catalog = &call->state->catalog;
    serve_given given[COUNT];
    name_filter filter;
    if (!serve_read_fields(call, fields, COUNT, given)) return;
    if (!read_name_filter(call, &given[FILTER], &filter)) return;
    const bool name_only = serve_given_true(&given[NAME_ONLY]);
    bsn_writer_begin_document(call->w, BSN_STR("cursor"));
    bsn_writer_begin_array(call->w, BSN_STR("firstBatch"));
    for (size_t i = 0; i < catalog->count; i++) {
        const serve_collection *const c = catalog->items[i];
        if (in_database(c, call->request->db) && passes(&filter, serve_collection_name(c))) {
            write_collection(call->w, c, name_only);
        }
    }
    bsn_writer_end(call->w);
    end_cursor(call, BSN_STR("$cmd.listCollections"));
}

void serve_list_indexes(serve_call *call)
{
    static const serve_field fields[1] = {{"cursor", SERVE_DOCUMENT}};
    serve_given given[1];
    bsn_str name;
    if (!serve_read_collection(call, &name) || !serve_read_fields(call, fields, 1, given)) return;
    if (serve_catalog_find(&call->state->catalog, call->request->db, name) == NULL) {
        serve_refuse(call, SERVE_NAMESPACE_NOT_FOUND, "ns does not exist: %.*s.%.*s",
                     SERVE_TEXT(call->request->db), SERVE_TEXT(name));
        return;
    }
    bsn_writer_begin_document(call->w, BSN_STR("cursor"));
    bsn_writer_begin_array(call->w, BSN_STR("firstBatch"));
    write_id_index(call->w, BSN_STR(""));
    bsn_writer_end(call->w);
    end_cursor(call, name);
}

/* ------------------------------------------------------------------ sizes */

/* Documents of a collection. False, and refused, when they cannot be counted. */
static bool count_documents(serve_call *call, serve_collection *c, uint64_t *count)
{
    bsn_error err;
    serve_place place = {0, 0};
    if (serve_store_count(&c->store, &call->state->window, count, &err) == BSN_OK) return true;
    serve_store_damage(&c->store, &place, NULL);
    return serve_refuse_damage(call, c, place, &err);
}

/* `scale: n` divides sizes. */
static bool read_scale(serve_call *call, const serve_given *given, int64_t *scale)
{
    *scale = given->given ? given->number : 1;
    if (*scale > 0) return true;
    return serve_refuse(call, SERVE_BAD_VALUE, "scale has to be > 0");
}

void serve_coll_stats(serve_call *call)
{
    static const serve_field fields[1] = {{"scale", SERVE_INTEGER}};
    bsn_writer *const w = call->w;
    serve_given given[1];
    bsn_str name;
    int64_t scale;
    uint64_t count = 0, size = 0;
    if (!serve_read_collection(call, &name) || !serve_read_fields(call, fields, 1, given)) return;
    if (!read_scale(call, &given[0], &scale)) return;
    serve_collection *c = serve_catalog_find(&call->state->catalog, call->request->db, name);
    if (c != NULL && !count_documents(call, c, &count)) return;
    if (c != NULL) size = c->store.size;
    const int64_t scaled = (int64_t)size / scale;
    char ns[SERVE_NS_MAX + 1];
    bsn_writer_string(w, BSN_STR("ns"), serve_join_ns(ns, call->request->db, name));
    bsn_writer_int64(w, BSN_STR("size"), scaled);
    bsn_writer_int64(w, BSN_STR("count"), (int64_t)count);
    bsn_writer_int64(w, BSN_STR("avgObjSize"), count == 0 ? 0 : (int64_t)(size / count));
    bsn_writer_int64(w, BSN_STR("storageSize"), scaled);
    bsn_writer_int64(w, BSN_STR("freeStorageSize"), 0);
    bsn_writer_boolean(w, BSN_STR("capped"), false);
    bsn_writer_int32(w, BSN_STR("nindexes"), c == NULL ? 0 : 1);
    bsn_writer_int64(w, BSN_STR("totalIndexSize"), 0);
    bsn_writer_int64(w, BSN_STR("totalSize"), scaled);
    bsn_writer_begin_document(w, BSN_STR("indexSizes"));
    if (c != NULL) bsn_writer_int64(w, BSN_STR("_id_"), 0);
    bsn_writer_end(w);
    bsn_writer_int64(w, BSN_STR("scaleFactor"), scale);
}

void serve_db_stats(serve_call *call)
{
    static const serve_field fields[2] = {{"scale", SERVE_INTEGER}, {"freeStorage", SERVE_ANY}};
    const serve_catalog *const catalog = &call->state->catalog;
    bsn_writer *const w = call->w;
    serve_given given[2];
    int64_t scale;
    uint64_t collections = 0, documents = 0, bytes = 0;
    if (!serve_read_fields(call, fields, 2, given) || !read_scale(call, &given[0], &scale)) return;
    for (size_t i = 0; i < catalog->count; i++) {
        uint64_t count;
        if (!in_database(catalog->items[i], call->request->db)) continue;
        if (!count_documents(call, catalog->items[i], &count)) return;
        collections++;
        documents += count;
        bytes += catalog->items[i]->store.size;
    }
    const int64_t scaled = (int64_t)bytes / scale;
    bsn_writer_string(w, BSN_STR("db"), call->request->db);
    bsn_writer_int64(w, BSN_STR("collections"), (int64_t)collections);
    bsn_writer_int64(w, BSN_STR("views"), 0);
    bsn_writer_int64(w, BSN_STR("objects"), (int64_t)documents);
    bsn_writer_double(w, BSN_STR("avgObjSize"),
                      documents == 0 ? 0.0 : (double)bytes / (double)documents);
    bsn_writer_int64(w, BSN_STR("dataSize"), scaled);
    bsn_writer_int64(w, BSN_STR("storageSize"), scaled);
    bsn_writer_int64(w, BSN_STR("indexes"), (int64_t)collections);
    bsn_writer_int64(w, BSN_STR("indexSize"), 0);
    bsn_writer_int64(w, BSN_STR("totalSize"), scaled);
    bsn_writer_int64(w, BSN_STR("scaleFactor"), scale);
}
