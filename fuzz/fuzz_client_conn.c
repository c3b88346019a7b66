/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_client_conn.c -- property: whatever a server says, and however bytes are cut on their way here and there, the connection
 * machine comes to the same documents, the same outcome of each operation, the same faults at the same offsets, and says the same;
 * what it says are sound messages; the counts of an insert add up. It never asks for room of nothing, nor for much more memory
 * than has arrived, and it always ends.
 *
 *     | replies, one behind the other ... | longest piece | limit | batch size | how |
 *                                           1 byte          1       1            1: see HOW_*
 *
 * Limit and batch size are those of finds and commands; of inserts, how many documents there are and how many a message takes.
 */
#include "support.h"

#include "support/digest.h"

#include <bsonic/conn.h>
#include <bsonic/detail/le.h>
#include <bsonic/wire.h>
#include <bsonic/write.h>

enum {
    OPTION_COUNT = 4,
    OPERATIONS_MAX = 6,
    EXTRA_MEMORY = 65536,
    INSERT_MEMORY = 512 * 1024,
    DOCS_MAX = 32,
    DOCS_BYTES = 8192
};

enum {
    HOW_RIGHT_IDS = 1, /* every responseTo is made right, so that what lies behind is reached */
    HOW_STOPS = 2,     /* each operation is stopped at the first chance */
    HOW_INSERTS = 4,   /* inserts */
    HOW_COMMANDS = 8,  /* else commands, else finds */
    HOW_FILTERS = 16,  /* finds with all that can be asked for; inserts with a write concern */
    HOW_UNORDERED = 32,
    HOW_DUPLICATES = 64,
    HOW_NEW_IDS = 128
};

/* What a machine came to. */
typedef struct outcome {
    uint64_t
        digest; /* of documents, statuses, offsets, messages, replies, results, and of what was sent */
    uint64_t documents;
    uint64_t operations;
} outcome;

/* An allocator that knows the most that was ever out. */
typedef struct meter {
    bsn_alloc alloc;
    size_t out, out_max;
} meter;

/* A conversation. */
typedef struct talk {
    outcome o;
    bsn_conn *conn;
    bsn_bytes left; /* of the replies */
    const uint8_t *options;
    size_t piece;
    bsn_buf sent;
    bsn_oid_source ids;
    bsn_insert_options insert;
    bsn_insert_result result;
    uint64_t given; /* documents that the result has been given to */
} talk;

static bool does(const talk *t, int how)
{
    return (t->options[3] & how) != 0;
}

static void *metered_resize(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    meter *m = ctx;
    void *block = bsn_alloc_resize(NULL, ptr, old_len, new_len);
    if (block == NULL && new_len > 0) return NULL;
    m->out = m->out - old_len + new_len;
    if (m->out > m->out_max) m->out_max = m->out;
    return block;
}

static void mix(outcome *o, const void *bytes, size_t len)
{
    o->digest = digest_mix(o->digest, bytes, len);
}

/* ------------------------------------------------------------------ what is asked */

/* Documents to insert, with an _id in front, further behind, or none, from 5 to some hundred bytes. Made once. */
static const bsn_doc *documents(void)
{
    static uint8_t storage[DOCS_BYTES];
    static bsn_doc docs[DOCS_MAX];
    if (docs[0].ptr != NULL) return docs;
    static const uint8_t pad[300];
    bsn_out out;
    bsn_writer w;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_writer_init(&w, &out);
    size_t start = 0;
    for (size_t i = 0; i < DOCS_MAX; i++) {
        bsn_writer_begin(&w);
        if (i % 4 == 1) bsn_writer_int32(&w, BSN_STR("_id"), (int32_t)i);
        if (i % 8 != 0) {
            bsn_writer_binary(&w, BSN_STR("b"), 0, (bsn_bytes){pad, i * 41 % sizeof pad});
        }
        if (i % 4 == 2) bsn_writer_null(&w, BSN_STR("_id"));
        bsn_writer_end(&w);
        docs[i].ptr = storage + start;
        docs[i].len = (size_t)bsn_out_len(&out) - start;
        start += docs[i].len;
    }
    MUST(bsn_writer_status(&w) == BSN_OK);
    bsn_out_free(&out);
    return docs;
}

/* {a: null}, which serves as filter, projection, sort and command. */
static const bsn_doc any_document = {(const uint8_t *)"\x08\0\0\0\x0A"
                                                      "a\0",
                                     8};
/* {w: 1} */
static const bsn_doc concern = {(const uint8_t *)"\x0C\0\0\0\x10w\0\1\0\0\0", 12};

static bsn_status start_insert(talk *t)
{
    const size_t count = t->options[1] % (DOCS_MAX + 1);
    t->insert = (bsn_insert_options){
        .unordered = does(t, HOW_UNORDERED),
        .ignore_duplicates = does(t, HOW_DUPLICATES),
        .write_concern = does(t, HOW_FILTERS) ? concern : (bsn_doc){NULL, 0},
        .batch_max = t->options[2],
        .ids = does(t, HOW_NEW_IDS) ? &t->ids : NULL,
        .seconds = 1,
    };
    const bsn_status status = bsn_conn_insert(t->conn, BSN_STR("db"), BSN_STR("c"), documents(),
                                              count, &t->insert, &t->result);
    if (status == BSN_OK) t->given += count;
    return status;
}

/* Starts the next operation. A server that allows only tiny messages leaves no room for a request: then that is the end. */
static bool start(talk *t)
{
    if (!bsn_conn_usable(t->conn)) return false;
    if (does(t, HOW_INSERTS)) return start_insert(t) == BSN_OK;
    if (does(t, HOW_COMMANDS)) {
        return bsn_conn_command(t->conn, BSN_STR("db"), any_document, t->options[2]) == BSN_OK;
    }
    bsn_find_options what = {.limit = t->options[1], .batch_size = t->options[2]};
    if (does(t, HOW_FILTERS)) {
        what.filter = what.projection = what.sort = any_document;
        what.skip = 3;
    }
    return bsn_conn_find(t->conn, BSN_STR("db"), BSN_STR("c"), &what) == BSN_OK;
}

/* ------------------------------------------------------------------ what comes of it */

static void mix_result(talk *t)
{
    const bsn_insert_result *r = &t->result;
    const uint64_t counts[] = {r->documents,  r->inserted, r->failed,
                               r->duplicates, r->batches,  r->concern_errors};
    MUST(r->documents == t->given);
    MUST(r->inserted + r->failed + r->duplicates <= r->documents);
    MUST(r->error_count == (r->failed < BSN_WRITE_ERRORS_MAX ? r->failed : BSN_WRITE_ERRORS_MAX));
    MUST(does(t, HOW_DUPLICATES) || r->duplicates == 0);
    for (size_t i = 0; i < r->error_count; i++) {
        MUST(r->errors[i].index < r->documents && r->errors[i].status != BSN_OK);
        mix(&t->o, &r->errors[i].index, sizeof r->errors[i].index);
        mix(&t->o, &r->errors[i].code, sizeof r->errors[i].code);
        mix(&t->o, r->errors[i].message.ptr, r->errors[i].message.len);
    }
    mix(&t->o, counts, sizeof counts);
    mix(&t->o, r->concern_message.ptr, r->concern_message.len);
}

static void mix_end(talk *t)
{
    bsn_error err = {0};
    bsn_doc reply;
    const bsn_status status = bsn_conn_error(t->conn, &err);
    const bsn_str message = bsn_conn_message(t->conn);
    MUST((status == BSN_OK) == (message.len == 0));
    mix(&t->o, &status, sizeof status);
    mix(&t->o, &err.offset, sizeof err.offset);
    mix(&t->o, message.ptr, message.len);
    if (bsn_conn_reply(t->conn, &reply)) mix(&t->o, reply.ptr, reply.len);
    if (does(t, HOW_INSERTS)) mix_result(t);
    t->o.operations++;
}

static void take_run(talk *t)
{
    const bsn_run run = bsn_conn_run(t->conn);
    MUST(run.count >= 1 && run.count <= BSN_RUN_MAX);
    for (size_t i = 0; i < run.count; i++) {
        MUST(run.docs[i].len >= BSN_DOC_SIZE_MIN && run.docs[i].len <= BSN_WIRE_DOC_SIZE_MAX);
        mix(&t->o, run.docs[i].ptr, run.docs[i].len);
    }
    t->o.documents += run.count;
    MUST(!does(t, HOW_INSERTS));
    MUST(t->options[1] == 0 || does(t, HOW_COMMANDS) ||
         t->o.documents <= (uint64_t)t->options[1] * OPERATIONS_MAX);
    if (does(t, HOW_STOPS)) bsn_conn_stop(t->conn);
}

/* ------------------------------------------------------------------ moving bytes */

static void send(talk *t)
{
    bsn_iovec iov[4];
    const size_t count = bsn_conn_output(t->conn, iov, 4);
    MUST(count >= 1 && count <= 4);
    size_t sum = 0;
    for (size_t i = 0; i < count && sum < t->piece; i++) {
        const size_t room = t->piece - sum;
        const bsn_bytes part = {iov[i].ptr, iov[i].len < room ? iov[i].len : room};
        MUST(iov[i].len >= 1 && bsn_buf_append(&t->sent, part) == BSN_OK);
        sum += part.len;
    }
    bsn_conn_sent(t->conn, sum);
    if (does(t, HOW_INSERTS) && does(t, HOW_STOPS)) bsn_conn_stop(t->conn);
}

static void receive(talk *t)
{
    size_t cap;
    if (t->left.len == 0) {
        bsn_conn_lost(t->conn, BSN_E_CLOSED, 0, NULL);
        return;
    }
    uint8_t *room = bsn_conn_room(t->conn, &cap);
    MUST(room != NULL && cap > 0);
    if (cap > t->piece) cap = t->piece;
    if (cap > t->left.len) cap = t->left.len;
    memcpy(room, t->left.ptr, cap);
    bsn_conn_received(t->conn, cap);
    t->left.ptr += cap;
    t->left.len -= cap;
}

/* Steps until the operation is over. */
static void run_operation(talk *t)
{
    for (;;) {
        const bsn_conn_event event = bsn_conn_step(t->conn);
        switch (event) {
        case BSN_CONN_RUN: take_run(t); break;
        case BSN_CONN_SEND: send(t); break;
        case BSN_CONN_RECEIVE: receive(t); break;
        case BSN_CONN_DONE:
        case BSN_CONN_FAILED:
            MUST((event == BSN_CONN_DONE) == (bsn_conn_error(t->conn, NULL) == BSN_OK));
            MUST(bsn_conn_step(t->conn) == event);
            mix_end(t);
            return;
        }
    }
}

/* What was sent: an OP_QUERY first, then messages with a body of sound BSON and whole documents; all of it, since the machine waits
 * for an answer to each. */
static void check_sent(const talk *t)
{
    bsn_bytes left = bsn_buf_view(&t->sent);
    bsn_header header;
    bsn_msg msg;
    bsn_query query;
    for (int32_t id = 1; left.len > 0; id++) {
        MUST(bsn_header_read(left, BSN_MESSAGE_SIZE_MAX, &header, NULL) == BSN_OK);
        MUST(header.len <= left.len && header.request_id == id && header.response_to == 0);
        const bsn_bytes one = {left.ptr, header.len};
        if (id == 1) {
            MUST(bsn_query_open(one, &query, NULL) == BSN_OK);
        } else {
            MUST(bsn_msg_open(one, &msg, NULL) == BSN_OK && msg.flags == 0);
        }
        left.ptr += header.len;
        left.len -= header.len;
    }
}

/* ------------------------------------------------------------------ a conversation */

static outcome converse(bsn_bytes replies, const uint8_t *options, size_t piece)
{
    static const uint8_t entropy[BSN_OID_ENTROPY_LEN] = {1, 2, 3, 4, 5, 0xFF, 0xFF, 0xFE};
    meter m = {.alloc = {.ctx = &m, .resize = metered_resize}};
    bsn_conn_options how = {.window_size = 1024, .reply_max = 1024, .alloc = &m.alloc};
    talk t = {.o = {.digest = 1}, .left = replies, .options = options};
    t.piece = piece;
    if (does(&t, HOW_FILTERS)) how.app_name = BSN_STR("fuzz");
    bsn_buf_init(&t.sent, NULL);
    bsn_oid_source_init(&t.ids, entropy);
    if (does(&t, HOW_INSERTS)) MUST(bsn_insert_result_init(&t.result, &m.alloc) == BSN_OK);
    MUST(bsn_conn_new(&how, &t.conn, NULL) == BSN_OK);
    MUST(bsn_conn_hello(t.conn) == BSN_OK);
    do {
        run_operation(&t);
    } while (t.o.operations < OPERATIONS_MAX && start(&t));
    check_sent(&t);
    mix(&t.o, t.sent.ptr, t.sent.len);
    bsn_conn_free(t.conn);
    if (does(&t, HOW_INSERTS)) bsn_insert_result_free(&t.result);
    bsn_buf_free(&t.sent);
    MUST(m.out == 0);
    MUST(m.out_max <= 3 * replies.len + EXTRA_MEMORY + (does(&t, HOW_INSERTS) ? INSERT_MEMORY : 0));
    return t.o;
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
    if ((input.options[3] & HOW_RIGHT_IDS) != 0) right_ids(input.block, input.bytes.len);
    const outcome whole = converse(input.bytes, input.options, SIZE_MAX);
    const outcome pieces = converse(input.bytes, input.options, (size_t)input.options[0] + 1);
    MUST(whole.operations == pieces.operations);
    /* Stopping early drops what happens to be here already: that depends on the pieces. */
    if ((input.options[3] & HOW_STOPS) == 0) {
        MUST(whole.documents == pieces.documents);
        MUST(whole.digest == pieces.digest);
    }
    fuzz_input_close(&input);
    return 0;
}
