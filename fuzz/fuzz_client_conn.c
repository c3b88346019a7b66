/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_client_conn.c -- property: whatever a server says, and however its bytes are cut, the connection machine comes to the same
 * documents, the same outcome of each operation, the same faults at the same offsets; it never asks for room of nothing, nor for
 * much more memory than has arrived, and it always ends.
 *
 *     | replies, one behind the other ... | longest piece | limit | batch size | how |
 *                                           1 byte          1       1            1: bit 0 set: every responseTo is made right,
 *                                                                                so that what lies behind is reached
 */
#include "support.h"

#include <bsonic/conn.h>
#include <bsonic/detail/le.h>
#include <bsonic/wire.h>

enum { OPTION_COUNT = 4, OPERATIONS_MAX = 6, RIGHT_IDS = 1, STOPS_EARLY = 2, EXTRA_MEMORY = 65536 };

/* What a machine came to. */
typedef struct outcome {
    uint64_t digest; /* of documents, statuses, offsets, messages, replies */
    uint64_t documents;
    uint64_t operations;
} outcome;

/* An allocator that knows the most that was ever out. */
typedef struct meter {
    bsn_alloc alloc;
    size_t out, out_max;
} meter;

static void *metered_resize(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    meter *m = ctx;
    void *block = bsn_alloc_resize(NULL, ptr, old_len, new_len);
    if (block == NULL && new_len > 0) return NULL;
    m->out = m->out - old_len + new_len;
    if (m->out > m->out_max) m->out_max = m->out;
    return block;
}

/* FNV-1a. */
static void mix(outcome *o, const void *bytes, size_t len)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < len; i++) o->digest = (o->digest ^ p[i]) * 0x100000001B3u;
    o->digest = (o->digest ^ len) * 0x100000001B3u;
}

static void mix_end(outcome *o, bsn_conn *conn)
{
    bsn_error err = {0};
    bsn_doc reply;
    const bsn_status status = bsn_conn_error(conn, &err);
    const bsn_str message = bsn_conn_message(conn);
    MUST((status == BSN_OK) == (message.len == 0));
    mix(o, &status, sizeof status);
    mix(o, &err.offset, sizeof err.offset);
    mix(o, message.ptr, message.len);
    if (bsn_conn_reply(conn, &reply)) mix(o, reply.ptr, reply.len);
    o->operations++;
}

static void take_run(outcome *o, bsn_conn *conn, const uint8_t *options)
{
    const bsn_run run = bsn_conn_run(conn);
    MUST(run.count >= 1 && run.count <= BSN_RUN_MAX);
    for (size_t i = 0; i < run.count; i++) {
        MUST(run.docs[i].len >= BSN_DOC_SIZE_MIN && run.docs[i].len <= BSN_WIRE_DOC_SIZE_MAX);
        mix(o, run.docs[i].ptr, run.docs[i].len);
    }
    o->documents += run.count;
    MUST(options[1] == 0 || o->documents <= (uint64_t)options[1] * OPERATIONS_MAX);
    if ((options[3] & STOPS_EARLY) != 0) bsn_conn_stop(conn);
}

/* Moves the replies in until the operation is over. */
static void run_operation(outcome *o, bsn_conn *conn, bsn_bytes *left, const uint8_t *options,
                          size_t piece)
{
    for (;;) {
        const bsn_conn_event event = bsn_conn_step(conn);
        if (event == BSN_CONN_DONE || event == BSN_CONN_FAILED) {
            MUST((event == BSN_CONN_DONE) == (bsn_conn_error(conn, NULL) == BSN_OK));
            MUST(bsn_conn_step(conn) == event);
            mix_end(o, conn);
            return;
        }
        if (event == BSN_CONN_RUN) {
            take_run(o, conn, options);
        } else if (event == BSN_CONN_SEND) {
            bsn_iovec iov[4];
            const size_t count = bsn_conn_output(conn, iov, 4);
            MUST(count >= 1 && iov[0].len >= 1);
            bsn_conn_sent(conn, iov[0].len);
        } else if (left->len == 0) {
            bsn_conn_lost(conn, BSN_E_CLOSED, 0, NULL);
        } else {
            size_t cap;
            uint8_t *room = bsn_conn_room(conn, &cap);
            MUST(room != NULL && cap > 0);
            if (cap > piece) cap = piece;
            if (cap > left->len) cap = left->len;
            memcpy(room, left->ptr, cap);
            bsn_conn_received(conn, cap);
            left->ptr += cap;
            left->len -= cap;
        }
    }
}

static outcome converse(bsn_bytes replies, const uint8_t *options, size_t piece)
{
    meter m = {.alloc = {.ctx = &m, .resize = metered_resize}};
    const bsn_conn_options how = {.window_size = 1024, .reply_max = 1024, .alloc = &m.alloc};
    const bsn_find_options what = {.limit = options[1], .batch_size = options[2]};
    const size_t arrived = replies.len; /* at most */
    outcome o = {.digest = 0xCBF29CE484222325u};
    bsn_conn *conn;
    MUST(bsn_conn_new(&how, &conn, NULL) == BSN_OK);
    MUST(bsn_conn_hello(conn) == BSN_OK);
    run_operation(&o, conn, &replies, options, piece);
    /* A server that allows only tiny messages leaves no room for a request: then that is the end. */
    while (o.operations < OPERATIONS_MAX && bsn_conn_usable(conn) &&
           bsn_conn_find(conn, BSN_STR("db"), BSN_STR("c"), &what) == BSN_OK) {
        run_operation(&o, conn, &replies, options, piece);
    }
    bsn_conn_free(conn);
    MUST(m.out == 0);
    MUST(m.out_max <= 3 * arrived + EXTRA_MEMORY);
    return o;
}

/* Gives each reply, as far as their lengths lead, the responseTo that it should have: replies answer in order. */
static void right_ids(uint8_t *bytes, size_t len)
{
    int32_t id = 1;
    size_t at = 0;
    while (len - at >= BSN_HEADER_LEN) {
        const int32_t message = bsn_load_i32(bytes + at);
        bsn_store_i32(bytes + at + 8, id++);
        if (message < BSN_HEADER_LEN || (size_t)message > len - at) return;
        at += (size_t)message;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input;
    if (!fuzz_input_open(&input, data, size, OPTION_COUNT)) return 0;
    if ((input.options[3] & RIGHT_IDS) != 0) right_ids(input.block, input.bytes.len);
    const outcome whole = converse(input.bytes, input.options, SIZE_MAX);
    const outcome pieces = converse(input.bytes, input.options, (size_t)input.options[0] + 1);
    MUST(whole.operations == pieces.operations);
    /* Stopping early drops what happens to be here already: that depends on the pieces. */
    if ((input.options[3] & STOPS_EARLY) == 0) {
        MUST(whole.documents == pieces.documents);
        MUST(whole.digest == pieces.digest);
    }
    fuzz_input_close(&input);
    return 0;
}
