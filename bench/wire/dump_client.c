/* SPDX-License-Identifier: Apache-2.0
 *
 * dump_client.c -- the same dump through this project's client.
 */
#include "dump.h"
#include "replay.h"

#include <bsonic/client.h>

#include <stdio.h>

static bool dump(bsn_client *client, dump_result *result)
{
    bsn_cursor cursor;
    bsn_doc doc;
    bool sound = true;
    if (bsn_client_find(client, BSN_STR(REPLAY_DB), BSN_STR(REPLAY_COLLECTION), NULL, &cursor,
                        NULL) != BSN_OK)
        return false;
    while (sound && bsn_cursor_next(&cursor, &doc)) {
        sound = dump_walk(doc, &result->checksum);
        result->documents++;
    }
    return bsn_cursor_close(&cursor, NULL) == BSN_OK && sound;
}

dump_result dump_client(uint16_t port, size_t window_size)
{
    dump_result result = {0, 0, false};
    bsn_client_options options = {.window_size = window_size};
    bsn_client *client = NULL;
    char uri[64];
    snprintf(uri, sizeof uri, "mongodb://127.0.0.1:%u/", (unsigned)port);
    if (bsn_client_open(bsn_str_from(uri), &options, &client, NULL) == BSN_OK)
        result.sound = dump(client, &result);
    bsn_client_free(client);
    return result;
}
