/* SPDX-License-Identifier: Apache-2.0
 *
 * insert_client.c -- inserting through this project's client.
 */
#include "insert.h"
#include "replay.h"

#include <bsonic/client.h>

#include <stdio.h>

static insert_count insert(bsn_client *client, const insert_job *job)
{
    const bsn_insert_options options = {.batch_max = (uint32_t)job->batch};
    bsn_bulk bulk;
    insert_count inserted = 0;
    bsn_status status = bsn_client_bulk(client, BSN_STR(REPLAY_DB), BSN_STR(REPLAY_COLLECTION),
                                        &options, &bulk, NULL);
    for (unsigned pass = 0; pass < job->passes && status == BSN_OK; pass++) {
        for (size_t i = 0; i < job->count && status == BSN_OK; i++) {
            status = bsn_bulk_add(&bulk, job->docs[i]);
        }
    }
    if (status == BSN_OK && bsn_bulk_finish(&bulk, NULL) == BSN_OK) {
        inserted = bsn_bulk_result(&bulk)->inserted;
    }
    bsn_bulk_free(&bulk);
    return inserted;
}

insert_count insert_client(const insert_job *job)
{
    insert_count inserted = 0;
    bsn_client *client = NULL;
    char uri[64];
    snprintf(uri, sizeof uri, "mongodb://127.0.0.1:%u/", (unsigned)job->port);
    if (bsn_client_open(bsn_str_from(uri), NULL, &client, NULL) == BSN_OK) {
        inserted = insert(client, job);
    }
    bsn_client_free(client);
    return inserted;
}
