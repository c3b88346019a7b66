/* SPDX-License-Identifier: Apache-2.0
 *
 * test_wire_faults.c -- whole conversations of the blocking client, each cut at every byte in both directions, by every kind of end,
 * and moved a byte at a time. What is seen on the wire is compared with the conversation that nothing disturbed:
 *
 *   pieces    the same bytes, the same outcome
 *   a fault   its status; what was sent is a front of the undisturbed bytes, so nothing was sent twice or after it; the documents
 *             handed out are the first ones, in order, and as many as had arrived whole; as inserted count those that the answers
 *             that had arrived whole tell of; the stream is closed, once, and the client refuses what comes next
 */
#include "client/client_state.h"
#include "client/replies.h"
#include "suites.h"
#include "support/script.h"

#include <bsonic/wire.h>

#include <stdlib.h>
#include <string.h>

#define DOCS 10
#define DOC_LEN 14 /* {_id: int32} */

typedef struct session {
    bsn_client *client;
    script peer;
    build bytes;
    size_t documents; /* handed out */
    uint64_t inserted;
} session;

/* The status with which the conversation ends. */
typedef bsn_status (*talk)(session *s);

static const uint8_t ping_bytes[] = {15, 0, 0, 0, 0x10, 'p', 'i', 'n', 'g', 0, 1, 0, 0, 0, 0};
static const bsn_doc ping = {.ptr = ping_bytes, .len = sizeof ping_bytes};
static uint8_t documents[DOCS * DOC_LEN];

static bsn_status greet(session *s)
{
    bsn_error err;
    bsn_status status = bsni_client_new(BSN_STR("mongodb://localhost"), NULL, &s->client, &err);
    ck_assert_int_eq(status, BSN_OK);
    status = bsni_client_greet(s->client, script_transport(&s->peer), &err);
    if (status != BSN_OK) ck_assert_int_eq(err.status, status);
    return status;
}

/* ------------------------------------------------------------------ conversations */

static bsn_status talk_hello(session *s)
{
    script_reply(&s->peer, reply_hello(&s->bytes));
    return greet(s);
}

static bsn_status talk_command(session *s)
{
    bsn_doc reply;
    bsn_error err = {0};
    script_reply(&s->peer, reply_hello(&s->bytes));
    script_reply(&s->peer, reply_ok(&s->bytes, 2));
    bsn_status status = greet(s);
    if (status == BSN_OK) {
        status = bsn_client_command(s->client, BSN_STR("db"), ping, &reply, &err);
        ck_assert_int_eq(err.status, status);
    }
    return status;
}

/* Documents {n: 0}, {n: 1}, .. until there are no more, or `most` of them. */
static bsn_status read_documents(session *s, size_t most)
{
    const bsn_find_options options = {.batch_size = 4};
    bsn_cursor cursor;
    bsn_doc doc;
    bsn_value n;
    bsn_error err;
    bsn_status status =
        bsn_client_find(s->client, BSN_STR("db"), BSN_STR("c"), &options, &cursor, &err);
    ck_assert_int_eq(status, BSN_OK);
    while (s->documents < most && bsn_cursor_next(&cursor, &doc)) {
        ck_assert_int_eq(bsn_find_value(doc, BSN_STR("n"), &n, NULL), BSN_OK);
        ck_assert_int_eq(n.as.i32, (int32_t)s->documents);
        s->documents++;
    }
    status = bsn_cursor_error(&cursor, NULL);
    ck_assert_int_eq(bsn_cursor_close(&cursor, NULL), status);
    return status;
}

static bsn_status talk_cursor(session *s)
{
    script_reply(&s->peer, reply_hello(&s->bytes));
    script_reply(&s->peer, reply_batch(&s->bytes, 2, "firstBatch", 5, "db.c", 0, 4));
    script_reply(&s->peer, reply_batch(&s->bytes, 3, "nextBatch", 5, "db.c", 4, 4));
    script_reply(&s->peer, reply_batch(&s->bytes, 4, "nextBatch", 0, "db.c", 8, 2));
    const bsn_status status = greet(s);
    return status == BSN_OK ? read_documents(s, SIZE_MAX) : status;
}

/* Left early, so that the cursor is killed. What goes wrong with that is told by the next operation. */
static bsn_status talk_kill(session *s)
{
    bsn_doc reply;
    script_reply(&s->peer, reply_hello(&s->bytes));
    script_reply(&s->peer, reply_batch(&s->bytes, 2, "firstBatch", 5, "db.c", 0, 4));
    script_reply(&s->peer, reply_ok(&s->bytes, 3));
    script_reply(&s->peer, reply_ok(&s->bytes, 4));
    bsn_status status = greet(s);
    if (status == BSN_OK) status = read_documents(s, 2);
    if (status == BSN_OK) {
        status = bsn_client_command(s->client, BSN_STR("db"), ping, &reply, NULL);
    }
    return status;
}

/* maxWireVersion: 21, maxWriteBatchSize: 4 */
#define BATCH_4 \
    "10 6D61785769726556657273696F6E00 15000000 10 6D617857726974654261746368 53697A6500 04000000"
#define INSERTED(count) "10 6E00 " count "000000 01 6F6B00 000000000000F03F"

static bsn_status add_documents(session *s, bsn_bulk *bulk)
{
    bsn_status status = BSN_OK;
    for (size_t i = 0; i < DOCS && status == BSN_OK; i++) {
        const bsn_doc doc = {documents + i * DOC_LEN, DOC_LEN};
        status = bsn_bulk_add(bulk, doc);
    }
    const bsn_status verdict = bsn_bulk_finish(bulk, NULL);
    if (status != BSN_OK) ck_assert_int_eq(verdict, status);
    s->inserted = bsn_bulk_result(bulk)->inserted;
    ck_assert_uint_eq(bsn_bulk_result(bulk)->failed, 0);
    return verdict;
}

static bsn_status talk_bulk(session *s)
{
    bsn_bulk bulk;
    bsn_error err;
    for (int32_t i = 0; i < DOCS; i++) {
        uint8_t *doc = documents + DOC_LEN * i;
        bsn_store_i32(doc, DOC_LEN);
        memcpy(doc + 4, "\x10_id", 5);
        bsn_store_i32(doc + 9, i);
        doc[13] = 0;
    }
    script_reply(&s->peer, reply_hello_of(&s->bytes, BATCH_4));
    script_reply(&s->peer, reply_of(&s->bytes, 2, 0, INSERTED("04")));
    script_reply(&s->peer, reply_of(&s->bytes, 3, 0, INSERTED("04")));
    script_reply(&s->peer, reply_of(&s->bytes, 4, 0, INSERTED("02")));
    bsn_status status = greet(s);
    if (status != BSN_OK) return status;
    status = bsn_client_bulk(s->client, BSN_STR("db"), BSN_STR("c"), NULL, &bulk, &err);
    ck_assert_int_eq(status, BSN_OK);
    status = add_documents(s, &bulk);
    bsn_bulk_free(&bulk);
    return status;
}

static const struct {
    const char *name;
    talk talk;
    size_t documents;
    uint64_t inserted;
    bool
        kills; /* a fault may be met while killing, which says nothing: the next operation is BSN_E_STATE */
} talks[] = {
    {"hello", talk_hello, 0, 0, false},           {"command", talk_command, 0, 0, false},
    {"find, getMore", talk_cursor, 10, 0, false}, {"killCursors", talk_kill, 2, 0, true},
    {"insert", talk_bulk, 0, DOCS, false},
};

/* ------------------------------------------------------------------ disturbing them */

static session *session_new(void)
{
    session *s = calloc(1, sizeof *s);
    ck_assert_ptr_nonnull(s);
    script_init(&s->peer);
    return s;
}

static void session_free(session *s)
{
    bsn_client_free(s->client);
    free(s);
}

static session *undisturbed(size_t t)
{
    session *s = session_new();
    ck_assert_msg(talks[t].talk(s) == BSN_OK, "%s", talks[t].name);
    ck_assert_uint_eq(s->documents, talks[t].documents);
    ck_assert_uint_eq(s->inserted, talks[t].inserted);
    ck_assert_uint_eq(script_request_count(&s->peer), s->peer.reply_count);
    return s;
}

START_TEST(pieces_of_any_size_carry_the_same_bytes)
{
    const size_t t = (size_t)_i;
    session *whole = undisturbed(t);
    for (size_t step = 1; step < 300; step += step < 20 ? 1 : 37) {
        for (int way = 1; way < 4; way++) {
            session *s = session_new();
            if ((way & 1) != 0) s->peer.send_step = step;
            if ((way & 2) != 0) s->peer.receive_step = step;
            ck_assert_msg(talks[t].talk(s) == BSN_OK, "%s, %zu a time", talks[t].name, step);
            ck_assert_uint_eq(s->documents, talks[t].documents);
            ck_assert_uint_eq(s->inserted, talks[t].inserted);
            ck_assert_uint_eq(s->peer.sent_len, whole->peer.sent_len);
            ck_assert_mem_eq(s->peer.sent, whole->peer.sent, whole->peer.sent_len);
            session_free(s);
        }
    }
    session_free(whole);
}
END_TEST

/* The sum of the counts in the answers to inserts among the first `len` bytes of all answers. */
static uint64_t acknowledged(const session *whole, size_t len)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < whole->peer.reply_count; i++) {
        const bsn_bytes reply = whole->peer.replies[i];
        bsn_msg msg;
        bsn_value n;
        if (len < reply.len) break;
        len -= reply.len;
        if (i > 0 && bsn_msg_open(reply, &msg, NULL) == BSN_OK &&
            bsn_find_value(msg.body, BSN_STR("n"), &n, NULL) == BSN_OK) {
            sum += (uint64_t)n.as.i32;
        }
    }
    return sum;
}

/* Documents {n: ..} whose last byte is among the first `len` bytes of all answers. */
static size_t arrived(const session *whole, size_t len)
{
    static const uint8_t front[] = {12, 0, 0, 0, 0x10, 'n', 0};
    size_t count = 0;
    const uint8_t *bytes = whole->bytes.bytes;
    for (size_t at = 0; at + 12 <= len; at++) {
        if (memcmp(bytes + at, front, sizeof front) == 0) count++;
    }
    return count;
}

static void expect_end(const session *s, const session *whole, size_t t, bsn_status status,
                       bsn_status failure)
{
    const bool unsaid = talks[t].kills && status == BSN_E_STATE;
    ck_assert_msg(status == failure || unsaid, "%s: %s after %zu sent, %zu received", talks[t].name,
                  bsn_status_text(status), s->peer.sent_len, s->peer.received);
    ck_assert_uint_gt(bsn_client_message(s->client).len, 0);
    ck_assert_uint_le(s->peer.sent_len, whole->peer.sent_len);
    if (s->peer.sent_len > 0) {
        ck_assert_mem_eq(s->peer.sent, whole->peer.sent, s->peer.sent_len);
    }
    ck_assert_uint_eq(s->peer.closes, 1);
    const size_t here = arrived(whole, s->peer.received);
    ck_assert_uint_eq(s->documents, here < talks[t].documents ? here : talks[t].documents);
    ck_assert_uint_eq(s->inserted, acknowledged(whole, s->peer.received));
    bsn_doc reply;
    ck_assert_int_eq(bsn_client_command(s->client, BSN_STR("db"), ping, &reply, NULL), BSN_E_STATE);
    ck_assert_uint_eq(s->peer.closes, 1);
}

/* End of the stream, a reset (which the seam reports alike, or as a fault of the system), silence: in turn, so that each byte meets
 * one of them and each of them every third byte. */
static const bsn_status failures[] = {BSN_E_CLOSED, BSN_E_IO, BSN_E_TIMEOUT};

START_TEST(a_fault_at_any_byte_that_is_received_ends_the_conversation)
{
    const size_t t = (size_t)_i;
    session *whole = undisturbed(t);
    for (size_t at = 0; at < whole->peer.received; at++) {
        const bsn_status failure = failures[at % (sizeof failures / sizeof failures[0])];
        session *s = session_new();
        s->peer.received_max = at;
        s->peer.failure = failure;
        const bsn_status status = talks[t].talk(s);
        ck_assert_uint_eq(s->peer.received, at);
        expect_end(s, whole, t, status, failure);
        session_free(s);
    }
    session_free(whole);
}
END_TEST

START_TEST(a_fault_at_any_byte_that_is_sent_ends_the_conversation)
{
    const size_t t = (size_t)_i;
    session *whole = undisturbed(t);
    for (size_t at = 0; at < whole->peer.sent_len; at++) {
        const bsn_status failure = failures[at % (sizeof failures / sizeof failures[0])];
        session *s = session_new();
        s->peer.sent_max = at;
        s->peer.failure = failure;
        const bsn_status status = talks[t].talk(s);
        ck_assert_uint_eq(s->peer.sent_len, at);
        expect_end(s, whole, t, status, failure);
        session_free(s);
    }
    session_free(whole);
}
END_TEST

Suite *wire_faults_suite(void)
{
    const int count = (int)(sizeof talks / sizeof talks[0]);
    Suite *suite = suite_create("wire_faults");
    TCase *tests = tcase_create("wire_faults");
    tcase_add_loop_test(tests, pieces_of_any_size_carry_the_same_bytes, 0, count);
    tcase_add_loop_test(tests, a_fault_at_any_byte_that_is_received_ends_the_conversation, 0,
                        count);
    tcase_add_loop_test(tests, a_fault_at_any_byte_that_is_sent_ends_the_conversation, 0, count);
    suite_add_tcase(suite, tests);
    return suite;
}
