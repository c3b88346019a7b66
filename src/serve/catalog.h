/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog.h -- which namespaces are served, and from which files.
 *
 *   FILE               dump.<its name without .bson>       whatever folder it lies in
 *   DIR/coll.bson      dump.coll
 *   DIR/db/coll.bson   db.coll                             names unescaped as mongodump escaped them
 *
 * Beside .bson files a dump holds metadata and a prelude, which are passed over; what else lies there is passed over with a
 * notice.
 */
#ifndef SERVE_CATALOG_H
#define SERVE_CATALOG_H

#include "serve/ids.h"
#include "serve/names.h"
#include "serve/store.h"

/* The database of files and of what lies directly in a dump's folder. */
#define SERVE_DB_DEFAULT "dump"

/* Tells about something by the way: `subject` is a name from outside, to be escaped; `text` a sentence that lives for
 * the call. */
typedef struct serve_notice {
    void (*tell)(void *ctx, bsn_str subject, const char *text);
    void *ctx;
} serve_notice;

typedef struct serve_collection {
    char ns[SERVE_NS_MAX + 1]; /* "db.coll", ends in 0 */
    size_t ns_len;
    size_t db_len;
    serve_store store;
    serve_ids ids;
} serve_collection;

/* One entry of the list. */
typedef serve_collection *serve_catalog_item;

typedef struct serve_catalog {
    serve_catalog_item *items; /* by namespace, in order of their bytes */
    size_t count;
    /* private */
    size_t cap;
    const bsn_alloc *alloc;
} serve_catalog;

void serve_catalog_init(serve_catalog *catalog, const bsn_alloc *alloc);
void serve_catalog_free(serve_catalog *catalog);

/* Adds a file or a dump's folder.
 *
 * Errors   BSN_E_VALUE  cannot be served under a name of its own: err->detail says why; *subject (at most SERVE_NS_MAX bytes of
 *                       it) is the namespace or path that it is about
 *          BSN_E_IO, BSN_E_NOMEM
 */
bsn_status serve_catalog_add(serve_catalog *catalog, const char *path, const serve_notice *notice,
                             char subject[SERVE_NS_MAX + 1], bsn_error *err);

/* The collection, or NULL. */
serve_collection *serve_catalog_find(const serve_catalog *catalog, bsn_str db, bsn_str collection);

static inline bsn_str serve_collection_db(const serve_collection *c)
{
    const bsn_str db = {c->ns, c->db_len};
    return db;
}

static inline bsn_str serve_collection_name(const serve_collection *c)
{
    const bsn_str name = {c->ns + c->db_len + 1, c->ns_len - c->db_len - 1};
    return name;
}

static inline bsn_str serve_collection_ns(const serve_collection *c)
{
    const bsn_str ns = {c->ns, c->ns_len};
    return ns;
}

#endif
