/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog.c -- see catalog.h.
 */
#include "serve/catalog.h"

#include "io/os.h"
#include "serve/list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_BYTES 4096

/* One call of serve_catalog_add. */
typedef struct adding {
    serve_catalog *catalog;
    const serve_notice *notice;
    char *subject;
    bsn_error *err;
} adding;

void serve_catalog_init(serve_catalog *catalog, const bsn_alloc *alloc)
{
    const serve_catalog empty = {.alloc = alloc};
    *catalog = empty;
}

static void free_collection(serve_catalog *catalog, serve_collection *c)
{
    serve_store_free(&c->store);
    serve_ids_free(&c->ids, catalog->alloc);
    bsn_alloc_resize(catalog->alloc, c, sizeof *c, 0);
}

void serve_catalog_free(serve_catalog *catalog)
{
    for (size_t i = 0; i < catalog->count; i++) free_collection(catalog, catalog->items[i]);
    serve_list_free(catalog->alloc, catalog->items, catalog->cap, sizeof(serve_catalog_item));
    serve_catalog_init(catalog, catalog->alloc);
}

/* ------------------------------------------------------------------ the sorted list */

/* Bytes first, then length; a namespace is compared as a whole. */
static int compare_ns(const serve_collection *c, bsn_str db, bsn_str name)
{
    char ns[SERVE_NS_MAX + 1];
    const size_t len = serve_join_ns(ns, db, name).len;
    const int order = memcmp(c->ns, ns, c->ns_len < len ? c->ns_len : len);
    if (order != 0) return order;
    return c->ns_len < len ? -1 : c->ns_len > len;
}

/* Where the namespace is, or would be. True when it is there. */
static bool locate(const serve_catalog *catalog, bsn_str db, bsn_str name, size_t *index)
{
    size_t low = 0, high = catalog->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_ns(catalog->items[middle], db, name);
        if (order == 0) {
            *index = middle;
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *index = low;
    return false;
}

serve_collection *serve_catalog_find(const serve_catalog *catalog, bsn_str db, bsn_str collection)
{
    size_t index;
    if (db.len + 1 + collection.len > SERVE_NS_MAX) return NULL;
    return locate(catalog, db, collection, &index) ? catalog->items[index] : NULL;
}

static bsn_status make_room(serve_catalog *catalog)
{
    if (catalog->count < catalog->cap) return BSN_OK;
    serve_catalog_item *grown =
        serve_list_grow(catalog->alloc, catalog->items, &catalog->cap, sizeof(serve_catalog_item));
    if (grown == NULL) return BSN_E_NOMEM;
    catalog->items = grown;
    return BSN_OK;
}

/* ------------------------------------------------------------------ adding */

/* Says what an error is about. What does not fit is cut. */
static void set_subject(adding *a, bsn_str subject)
{
    const size_t len = subject.len < SERVE_NS_MAX ? subject.len : SERVE_NS_MAX;
    memcpy(a->subject, subject.ptr, len);
    a->subject[len] = '\0';
}

static bsn_status refuse(adding *a, bsn_str subject, const char *why)
{
    set_subject(a, subject);
    return bsn_error_set(a->err, BSN_E_VALUE, 0, why);
}

static bsn_status add_collection(adding *a, const char *path, bsn_str db, bsn_str name)
{
    serve_catalog *const catalog = a->catalog;
    const bsn_str text = bsn_str_from(path);
    size_t index;
    if (db.len + 1 + name.len > SERVE_NS_MAX) return refuse(a, text, "its name is too long");
    if (locate(catalog, db, name, &index)) {
        return refuse(a, serve_collection_ns(catalog->items[index]), "two files of this namespace");
    }
    serve_collection *c = NULL;
    if (make_room(catalog) == BSN_OK) {
        c = bsn_alloc_resize(catalog->alloc, NULL, 0, sizeof *c);
    }
    if (c == NULL) return bsn_error_set(a->err, BSN_E_NOMEM, 0, NULL);
    memset(c, 0, sizeof *c);
    c->db_len = db.len;
    c->ns_len = serve_join_ns(c->ns, db, name).len;
    const bsn_status status = serve_store_init(&c->store, path, catalog->alloc, a->err);
    if (status != BSN_OK) {
        set_subject(a, text);
        free_collection(catalog, c);
        return status;
    }
    memmove(catalog->items + index + 1, catalog->items + index,
            (catalog->count - index) * sizeof(serve_catalog_item));
    catalog->items[index] = c;
    catalog->count++;
    return BSN_OK;
}

static bool ends_with(bsn_str text, bsn_str end)
{
    return text.len >= end.len && memcmp(text.ptr + text.len - end.len, end.ptr, end.len) == 0;
}

/* Compressed files begin with bytes that no BSON document does, but for one length (559,903), which fails soon enough. */
static bool looks_compressed(bsn_str file)
{
    return ends_with(file, BSN_STR(".gz")) || ends_with(file, BSN_STR(".zst")) ||
           ends_with(file, BSN_STR(".archive"));
}

static bsn_status add_file(adding *a, const char *path, bsn_str db, bsn_str file)
{
    char name[PATH_BYTES];
    size_t len;
    const bsn_str text = bsn_str_from(path);
    if (looks_compressed(file))
        return refuse(a, text, "compressed files and archives are not served");
    if (ends_with(file, BSN_STR(".bson"))) file.len -= 5;
    const char *fault = serve_name_from_file(file, name, &len);
    if (fault != NULL) return refuse(a, text, fault);
    const bsn_str collection = {name, len};
    if (!serve_collection_name_sound(collection)) return refuse(a, text, "no name of a collection");
    return add_collection(a, path, db, collection);
}

/* ------------------------------------------------------------------ folders */

static bool is_passed_over(bsn_str file)
{
    return ends_with(file, BSN_STR(".metadata.json")) ||
           bsn_str_equal(file, BSN_STR("prelude.json"));
}

static bool join_path(char path[PATH_BYTES], const char *folder, const char *file)
{
    const int len = snprintf(path, PATH_BYTES, "%s/%s", folder, file);
    return len > 0 && len < PATH_BYTES;
}

static bsn_status refuse_by_system(adding *a, const char *path)
{
    const int os_error = errno;
    set_subject(a, bsn_str_from(path));
    return bsni_os_error(a->err, os_error, NULL);
}

/* Two levels at most: the dump's folder, and one for each database. */
/* NOLINTBEGIN(misc-no-recursion) */

static bsn_status add_folder(adding *a, const char *folder, bsn_str db, bool outermost);

/* One entry of a folder: a .bson file, in the outermost a folder named like a database, or neither. */
static bsn_status add_entry(adding *a, const char *folder, const char *file, bsn_str db,
                            bool outermost)
{
    char path[PATH_BYTES];
    struct stat about;
    const bsn_str name = bsn_str_from(file);
    if (strcmp(file, ".") == 0 || strcmp(file, "..") == 0) return BSN_OK;
    if (!join_path(path, folder, file)) return refuse(a, name, "its path is too long");
    if (stat(path, &about) != 0) return refuse_by_system(a, path);
    if (S_ISDIR(about.st_mode)) {
        if (outermost && serve_db_name_fault(name) == NULL) return add_folder(a, path, name, false);
        a->notice->tell(a->notice->ctx, bsn_str_from(path), "no database's folder: not served");
        return BSN_OK;
    }
    if (ends_with(name, BSN_STR(".bson"))) return add_file(a, path, db, name);
    if (!is_passed_over(name)) {
        a->notice->tell(a->notice->ctx, bsn_str_from(path), "not a .bson file: not served");
    }
    return BSN_OK;
}

static bsn_status add_folder(adding *a, const char *folder, bsn_str db, bool outermost)
{
    DIR *const dir = opendir(folder);
    if (dir == NULL) return refuse_by_system(a, folder);
    bsn_status status = BSN_OK;
    while (status == BSN_OK) {
        errno = 0;
        /* NOLINTNEXTLINE(concurrency-mt-unsafe): unsafe on a stream that threads share, and this one is ours */
        const struct dirent *entry = readdir(dir);
        if (entry == NULL) {
            if (errno != 0) status = refuse_by_system(a, folder);
            break;
        }
        status = add_entry(a, folder, entry->d_name, db, outermost);
    }
    closedir(dir);
    return status;
}

/* NOLINTEND(misc-no-recursion) */

bsn_status serve_catalog_add(serve_catalog *catalog, const char *path, const serve_notice *notice,
                             char subject[SERVE_NS_MAX + 1], bsn_error *err)
{
    adding a = {.catalog = catalog, .notice = notice, .subject = subject, .err = err};
    struct stat about;
    subject[0] = '\0';
    if (stat(path, &about) != 0) return refuse_by_system(&a, path);
    if (S_ISDIR(about.st_mode)) return add_folder(&a, path, BSN_STR(SERVE_DB_DEFAULT), true);
    const char *slash = strrchr(path, '/');
    return add_file(&a, path, BSN_STR(SERVE_DB_DEFAULT),
                    bsn_str_from(slash == NULL ? path : slash + 1));
}
