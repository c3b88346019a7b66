/* SPDX-License-Identifier: Apache-2.0
 *
 * test_serve_libmongoc.c -- reads a collection through the packaged libmongoc and writes each document's bytes, one
 * after the other, to a file. test_serve_libmongoc.py compares the file with the one that `bsonic serve` serves.
 *
 *     peer_libmongoc URI DATABASE COLLECTION OUTPUT BATCH_SIZE      (BATCH_SIZE 0: the server's choice)
 *
 * Prints the number of documents. Exit status 1 with the driver's or the system's message on any error.
 */
#include <errno.h>
#include <inttypes.h>
#include <mongoc/mongoc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_documents(mongoc_cursor_t *cursor, FILE *out, uint64_t *count)
{
    const bson_t *document;
    while (mongoc_cursor_next(cursor, &document)) {
        if (fwrite(bson_get_data(document), 1, document->len, out) != document->len) {
            fprintf(stderr, "write: %s\n", strerror(errno));
            return false;
        }
        ++*count;
    }
    bson_error_t error;
    if (mongoc_cursor_error(cursor, &error)) {
        fprintf(stderr, "cursor: %s (%" PRIu32 ")\n", error.message, error.code);
        return false;
    }
    return true;
}

static bool read_collection(mongoc_client_t *client, char **names, int32_t batch_size, FILE *out)
{
    mongoc_collection_t *collection = mongoc_client_get_collection(client, names[0], names[1]);
    bson_t filter = BSON_INITIALIZER;
    bson_t options = BSON_INITIALIZER;
    uint64_t count = 0;
    bool worked = batch_size == 0 || bson_append_int32(&options, "batchSize", -1, batch_size);
    mongoc_cursor_t *cursor = mongoc_collection_find_with_opts(collection, &filter, &options, NULL);
    worked = write_documents(cursor, out, &count) && worked;
    mongoc_cursor_destroy(cursor);
    bson_destroy(&options);
    bson_destroy(&filter);
    mongoc_collection_destroy(collection);
    printf("%" PRIu64 "\n", count);
    return worked;
}

static bool copy_collection(char **arguments)
{
    mongoc_client_t *client = mongoc_client_new(arguments[0]);
    if (!client) {
        fprintf(stderr, "libmongoc does not take this connection string: %s\n", arguments[0]);
        return false;
    }
    mongoc_client_set_error_api(client, MONGOC_ERROR_API_VERSION_2);
    FILE *out = fopen(arguments[3], "wb");
    bool worked = out != NULL;
    if (out) {
        worked =
            read_collection(client, arguments + 1, (int32_t)strtol(arguments[4], NULL, 10), out);
        worked = fclose(out) == 0 && worked;
    } else {
        fprintf(stderr, "%s: %s\n", arguments[3], strerror(errno));
    }
    mongoc_client_destroy(client);
    return worked;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: %s URI DATABASE COLLECTION OUTPUT BATCH_SIZE\n", argv[0]);
        return 2;
    }
    mongoc_init();
    bool worked = copy_collection(argv + 1);
    mongoc_cleanup();
    return worked ? 0 : 1;
}
