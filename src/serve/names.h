/* SPDX-License-Identifier: Apache-2.0
 *
 * names.h -- names of collections and databases, as dumps write them into file names and as clients send them.
 */
#ifndef SERVE_NAMES_H
#define SERVE_NAMES_H

#include <bsonic/wire.h>

/* Bytes of a namespace "db.collection", and of a database's name in it, at most. */
#define SERVE_NS_MAX BSN_NS_MAX
#define SERVE_DB_MAX 63

/* Reads a collection's name back from a file name (without its ending): '+' is a blank, %XX a byte.
 *
 * Bytes    mongodump writes A-Z a-z 0-9 - _ . ~ as they are, a blank as '+', every other byte as %XX.
 * Returns  NULL with name[0..*len) set; else what is wrong, a static sentence. `name` has room for file.len bytes.
 */
const char *serve_name_from_file(bsn_str file, char *name, size_t *len);

/* NULL, or what is wrong with the name of a database, a static sentence. */
const char *serve_db_name_fault(bsn_str name);

/* Writes "db.name", which has at most SERVE_NS_MAX bytes together, and a 0 behind it. */
bsn_str serve_join_ns(char ns[SERVE_NS_MAX + 1], bsn_str db, bsn_str name);

/* True for what may be asked for: not empty, no U+0000, not starting with '.'. */
bool serve_collection_name_sound(bsn_str name);

#endif
