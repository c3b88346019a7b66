/* SPDX-License-Identifier: Apache-2.0
 *
 * public_sets.c -- reads the files that public_sets.h names.
 */
#include "public_sets.h"

#include <bson/bson.h>

#include <stdio.h>
#include <string.h>

const char *const public_set_names[] = {"flat", "deep", "full", "tweet", "small", "large", NULL};

static const char *const files[] = {
    "extended_bson/flat_bson.json",
    "extended_bson/deep_bson.json",
    "extended_bson/full_bson.json",
    "single_and_multi_document/tweet.json",
    "single_and_multi_document/small_doc.json",
    "single_and_multi_document/large_doc.json",
};

static bool append_json_file(const char *path, bsn_buf *buf)
{
    bson_error_t error;
    bson_t document;
    bson_json_reader_t *reader = bson_json_reader_new_from_file(path, &error);
    if (reader == NULL) return false;
    bson_init(&document);
    bool sound = bson_json_reader_read(reader, &document, &error) == 1;
    if (!sound) fprintf(stderr, "%s: %s\n", path, error.message);
    if (sound)
        sound = bsn_buf_append(buf, (bsn_bytes){bson_get_data(&document), document.len}) == BSN_OK;
    bson_destroy(&document);
    bson_json_reader_destroy(reader);
    return sound;
}

bool public_set_append(const char *folder, const char *name, bsn_buf *buf)
{
    char path[4096];
    for (size_t i = 0; public_set_names[i] != NULL; i++) {
        if (strcmp(public_set_names[i], name) != 0) continue;
        int len = snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        return len > 0 && (size_t)len < sizeof path && append_json_file(path, buf);
    }
    return false;
}
