/* SPDX-License-Identifier: Apache-2.0
 *
 * names.c -- see names.h.
 */
#include "serve/names.h"

#include "base/debug.h"
#include "client/percent.h"

#include <string.h>

/* A name whose escaped form would be longer is cut and gets a hash: 208 bytes of it, "%24", 27 characters. */
#define SHORTENED_LEN 238

static bool is_shortened(bsn_str file)
{
    return file.len == SHORTENED_LEN && memcmp(file.ptr + 208, "%24", 3) == 0;
}

const char *serve_name_from_file(bsn_str file, char *name, size_t *len)
{
    size_t put = 0;
    if (is_shortened(file))
        return "its name was shortened; the whole one stands in its metadata only";
    for (size_t i = 0; i < file.len; i++) {
        char byte = file.ptr[i];
        if (byte == '+') byte = ' ';
        if (byte == '%') {
            const int value = bsni_percent_byte(file, i);
            if (value < 0) return "a % in its name is not followed by two hex digits";
            byte = (char)value;
            if (byte == '\0') return "its name holds U+0000";
            i += 2;
        }
        name[put++] = byte;
    }
    *len = put;
    return put == 0 ? "its name is empty" : NULL;
}

const char *serve_db_name_fault(bsn_str name)
{
    if (name.len == 0) return "the name of a database is not empty";
    if (name.len > SERVE_DB_MAX) return "the name of a database has at most 63 bytes";
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '\0' || strchr("/\\. \"$", name.ptr[i]) != NULL) {
            return "the name of a database holds none of / \\ . \" $, no blank and no U+0000";
        }
    }
    return NULL;
}

bsn_str serve_join_ns(char ns[SERVE_NS_MAX + 1], bsn_str db, bsn_str name)
{
    const bsn_str joined = {ns, db.len + 1 + name.len};
    BSN_ASSERT(joined.len <= SERVE_NS_MAX);
    memcpy(ns, db.ptr, db.len);
    ns[db.len] = '.';
    memcpy(ns + db.len + 1, name.ptr, name.len);
    ns[joined.len] = '\0';
    return joined;
}

bool serve_collection_name_sound(bsn_str name)
{
    if (name.len == 0 || name.ptr[0] == '.') return false;
    return memchr(name.ptr, 0, name.len) == NULL;
}
