/* SPDX-License-Identifier: Apache-2.0
 *
 * conn_state.h -- the inside of a connection machine, shared by conn.c (states, replies), command.c (requests) and insert.c.
 */
#ifndef BSNI_CONN_STATE_H
#define BSNI_CONN_STATE_H

#include "client/insert.h"

#include <bsonic/conn.h>
#include <bsonic/io.h>
#include <bsonic/wire.h>

#define BSNI_APP_NAME_MAX 128
#define BSNI_MESSAGE_MAX 1024

/* What the reply that is awaited answers. */
typedef enum conn_request {
    REQUEST_NONE = 0, /* nothing is awaited */
    REQUEST_HELLO,
    REQUEST_COMMAND,  /* the first reply of an operation */
    REQUEST_GET_MORE, /* further ones */
    REQUEST_INSERT,
    REQUEST_KILL /* killCursors: whatever it says, the operation is over */
} conn_request;

/* Where a cursor stands on the server. */
typedef struct conn_cursor {
    int64_t id;
    bsn_str db; /* both in ns */
    bsn_str collection;
    char ns[BSN_NS_MAX];
    uint32_t batch_size;
    uint32_t empty_batches; /* one after the other, until now */
    bool finite;            /* it comes to an end: not tailable, as a command's may be */
    uint64_t left;          /* documents that may still be handed out; UINT64_MAX: no limit */
} conn_cursor;

struct bsn_conn {
    const bsn_alloc *alloc;
    size_t size; /* of this block, the room for a reply's fields behind it */
    int32_t connect_timeout_ms;
    int32_t socket_timeout_ms;
    char app_name[BSNI_APP_NAME_MAX];
    size_t app_name_len;

    bsn_window window;
    bsn_pool pool;
    bsn_out out; /* what is to be sent */
    int32_t request_id;

    conn_request request;
    bool greeted;
    bool dead;     /* no operation can follow */
    bool stopping; /* the host wants no more documents */
    bool has_reply;
    bsn_envelope env;
    conn_cursor cursor;
    conn_insert *insert; /* NULL: none yet */
    bsn_doc reply;
    size_t reply_documents; /* of the one that is being received */

    bsn_error err;
    size_t message_len;
    char message[BSNI_MESSAGE_MAX];

    bsn_server_info server;
    bsn_conn_stats stats;
    size_t run_count;
    bsn_doc run[BSN_RUN_MAX];

    size_t reply_max;
    uint8_t reply_storage[];
};

/* Write requests to conn->out; the status is the first thing that went wrong, and then nothing of them is left there. An insert is
 * written up to where its documents begin: bsn_msg_end_ahead ends it. */
bsn_status bsni_conn_write_hello(bsn_conn *conn);
bsn_status bsni_conn_write_command(bsn_conn *conn, bsn_str db, bsn_doc command);
bsn_status bsni_conn_write_find(bsn_conn *conn, bsn_str db, bsn_str collection,
                                const bsn_find_options *options);
bsn_status bsni_conn_write_insert(bsn_conn *conn, const insert_order *order, bsn_msg_writer *head);
bsn_status bsni_conn_write_get_more(bsn_conn *conn);
bsn_status bsni_conn_write_kill(bsn_conn *conn);

/* Reads a hello's answer into conn->server. What is missing or absurd becomes the default; limits are bounded by ours. */
void bsni_conn_read_hello(bsn_conn *conn, bsn_doc reply);

#endif
