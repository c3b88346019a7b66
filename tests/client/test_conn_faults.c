/* SPDX-License-Identifier: Apache-2.0
 *
 * test_conn_faults.c -- servers that say no, and servers that lie.
 */
#include "client/dialog.h"
#include "suites.h"
#include "support/exact_copy.h"

#include <bsonic/validate.h>
#include <bsonic/wire.h>

#include <stdlib.h>

/* ------------------------------------------------------------------ servers that say no */

START_TEST(a_command_that_fails_is_told_in_full_and_the_connection_lives)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer,
                 reply_error(&d->bytes, 2, "cursor id 5 not found", 43, "CursorNotFound"));
    script_reply(&d->peer, reply_error(&d->bytes, 3, "old and terse", 0, NULL));
    script_reply(&d->peer, reply_batch(&d->bytes, 4, "firstBatch", 0, "db.c", 0, 1));
    bsn_error err;
    bsn_doc reply;
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
    dialog_expect_failure(d, BSN_E_SERVER, true);
    ck_assert_int_eq(bsn_conn_error(d->conn, &err), BSN_E_SERVER);
    ck_assert_uint_eq(err.offset, 43);
    dialog_expect_message(d, "cursor id 5 not found (code 43 CursorNotFound)");
    ck_assert(bsn_conn_reply(d->conn, &reply));
    dialog_expect_text_field(reply, "codeName", "CursorNotFound");

    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
    dialog_expect_failure(d, BSN_E_SERVER, true);
    dialog_expect_message(d, "old and terse");

    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    ck_assert_int_eq(bsn_conn_error(d->conn, NULL), BSN_OK);
    dialog_expect_docs(d, 1);
    dialog_free(d);
}
END_TEST

START_TEST(a_cursor_that_fails_on_its_way_keeps_what_it_gave)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 5, "db.c", 0, 3));
    script_reply(&d->peer, reply_error(&d->bytes, 3, "gone", 43, "CursorNotFound"));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
    dialog_expect_docs(d, 3);
    dialog_expect_failure(d, BSN_E_SERVER, true);
    dialog_free(d);
}
END_TEST

/* ------------------------------------------------------------------ servers that lie */

/* {cursor: {firstBatch: [{n: 0}], id: .., ns: ".."}} in hex, in its parts. */
#define ONE_DOC "04 66697273744261746368 00 14000000 03 3000 0C000000 10 6E00 00000000 00 00"
#define ID_5 "12 696400 0500000000000000"
#define NS_DB_C "02 6E7300 05000000 64622E6300"
#define OK_1 "10 6F6B00 01000000"

START_TEST(replies_that_break_the_protocol_end_the_connection)
{
    static const struct {
        const char *what;
        int32_t response_to;
        uint32_t flags;
        const char *elements;
        size_t documents; /* that came before it was seen */
        uint64_t offset;
    } rows[] = {
        {"answer to another request", 99, 0, OK_1, 0, 8},
        {"answer to the hello", 1, 0, OK_1, 0, 8},
        {"more to come", 2, 2, OK_1, 0, 16},
        {"unknown required flag", 2, 4, OK_1, 0, 16},
        {"cursor without an id", 2, 0, "03 637572736F7200 32000000" ONE_DOC NS_DB_C "00" OK_1, 1,
         0},
        {"cursor without a batch", 2, 0,
         "03 637572736F7200 1E000000 12 696400 0000000000000000" NS_DB_C "00" OK_1, 0, 0},
        {"open cursor without a namespace", 2, 0,
         "03 637572736F7200 31000000" ONE_DOC ID_5 "00" OK_1, 1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dialog *d = dialog_greeted(NULL);
        script_reply(&d->peer,
                     reply_of(&d->bytes, rows[i].response_to, rows[i].flags, rows[i].elements));
        ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
        ck_assert_msg(dialog_run(d) == BSN_CONN_FAILED, "%s", rows[i].what);
        bsn_error err = {0};
        ck_assert_msg(bsn_conn_error(d->conn, &err) == BSN_E_PROTOCOL, "%s: %s", rows[i].what,
                      bsn_status_text(err.status));
        ck_assert_msg(err.offset == rows[i].offset, "%s: offset %llu", rows[i].what,
                      (unsigned long long)err.offset);
        ck_assert(!bsn_conn_usable(d->conn));
        ck_assert_msg(d->count == rows[i].documents, "%s: %zu documents", rows[i].what, d->count);
        dialog_free(d);
    }
}
END_TEST

START_TEST(namespaces_that_are_none_end_the_connection)
{
    static const char *const names[] = {"", "db", ".", ".c", "db."};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        dialog *d = dialog_greeted(NULL);
        script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 5, names[i], 0, 1));
        ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
        ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
        dialog_expect_failure(d, BSN_E_PROTOCOL, false);
        dialog_free(d);
    }
}
END_TEST

START_TEST(an_answer_to_get_more_without_a_cursor_ends_the_connection)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 5, "db.c", 0, 1));
    script_reply(&d->peer, reply_ok(&d->bytes, 3));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
    dialog_expect_failure(d, BSN_E_PROTOCOL, false);
    dialog_expect_docs(d, 1);
    dialog_free(d);
}
END_TEST

/* A cursor is open under one id and one name until it says 0. */
START_TEST(a_cursor_that_becomes_another_ends_the_connection)
{
    static const struct {
        int64_t id;
        const char *ns;
        const char *told; /* NULL: that may be */
    } rows[] = {
        {5, "db.c", NULL},
        {0, "db.c", NULL},
        {5, NULL, NULL},
        {0, NULL, NULL},
        {6, "db.c", "another cursor"},
        {-5, NULL, "another cursor"},
        {INT64_MIN, "db.c", "another cursor"},
        {5, "db.d", "another namespace"},
        {5, "db.cc", "another namespace"},
        {5, "db.", "another namespace"},
        {0, "eb.c", "another namespace"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dialog *d = dialog_greeted(NULL);
        script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 5, "db.c", 0, 2));
        script_reply(&d->peer,
                     reply_batch(&d->bytes, 3, "nextBatch", rows[i].id, rows[i].ns, 2, 2));
        script_reply(&d->peer, reply_batch(&d->bytes, 4, "nextBatch", 0, "db.c", 4, 1));
        ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
        ck_assert_int_eq(dialog_run(d), rows[i].told != NULL ? BSN_CONN_FAILED : BSN_CONN_DONE);
        if (rows[i].told != NULL) {
            dialog_expect_failure(d, BSN_E_PROTOCOL, false);
            dialog_expect_message(d, rows[i].told);
            ck_assert_uint_eq(script_request_count(&d->peer), 3); /* nothing is asked of it */
        }
        dialog_expect_docs(d, rows[i].told == NULL && rows[i].id != 0 ? 5 : 4);
        dialog_free(d);
    }
}
END_TEST

/* Empty batches now and then are a server's right, also many in all. For ever they are not, but to who asked for a command. */
START_TEST(a_find_of_nothing_but_empty_batches_ends)
{
    static build replies[3]; /* each is answered with again and again: its responseTo is set */
    for (int by_command = 0; by_command < 2; by_command++) {
        static const uint8_t bytes[] = {16,  0,   0, 0, 0x10, 'w', 'a', 't',
                                        'c', 'h', 0, 1, 0,    0,   0,   0};
        const bsn_doc command = {bytes, sizeof bytes};
        dialog *d = dialog_greeted(NULL);
        replies[0].len = replies[1].len = replies[2].len = 0;
        reply_batch(&replies[0], 2, "firstBatch", 5, "db.c", 0, 0);
        reply_batch(&replies[1], 3, "nextBatch", 5, "db.c", 0, 0);
        reply_batch(&replies[2], 3, "nextBatch", 5, "db.c", 0, 1);
        bsn_status status = bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL);
        if (by_command) {
            dialog_free(d);
            d = dialog_greeted(NULL);
            status = bsn_conn_command(d->conn, BSN_STR("db"), command, 0);
        }
        ck_assert_int_eq(status, BSN_OK);
        size_t answered = 0;
        for (; answered < 2500; answered++) {
            /* Documents after 999 empty ones begin the count anew. */
            build *b = &replies[answered == 0 ? 0 : answered == 999 ? 2 : 1];
            build_set(b, 8, (int32_t)answered + 2);
            d->peer.sent_len = d->peer.reply_count = d->peer.reply = d->peer.reply_at = 0;
            script_reply(&d->peer, build_view(b));
            bsn_conn_event event;
            do {
                event = bsn_conn_step(d->conn);
                if (event == BSN_CONN_SEND || event == BSN_CONN_RECEIVE) dialog_move(d, event);
            } while (event != BSN_CONN_FAILED && d->peer.reply_at < build_view(b).len);
            if (event == BSN_CONN_FAILED || bsn_conn_step(d->conn) == BSN_CONN_FAILED) break;
        }
        if (by_command) {
            ck_assert_uint_eq(answered, 2500);
        } else {
            ck_assert_uint_eq(answered, 999 + 1000);
            dialog_expect_failure(d, BSN_E_PROTOCOL, false);
            dialog_expect_message(d, "empty batches");
        }
        dialog_free(d);
    }
}
END_TEST

START_TEST(a_refusal_without_a_reason_says_so)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_error(&d->bytes, 2, "", 0, NULL));
    script_reply(&d->peer, reply_error(&d->bytes, 3, "", 13, NULL));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
    dialog_expect_message(d, "server: it refuses, and does not say why");
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
    dialog_expect_message(d, "does not say why (code 13)");
    dialog_free(d);
}
END_TEST

START_TEST(lying_message_lengths_are_refused_before_anything_else_is_read)
{
    static const int32_t lengths[] = {0, 15, -1, INT32_MIN, 48000001, INT32_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        dialog *d = dialog_greeted(NULL);
        const bsn_bytes reply = reply_ok(&d->bytes, 2);
        build_set(&d->bytes, (size_t)(reply.ptr - d->bytes.bytes), lengths[i]);
        script_reply(&d->peer, reply);
        d->peer.receive_step = 16;
        const size_t before = d->peer.received;
        ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
        ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
        dialog_expect_failure(d, BSN_E_PROTOCOL, false);
        ck_assert_uint_eq(d->peer.received - before, 16);
        dialog_free(d);
    }
}
END_TEST

START_TEST(answers_by_another_opcode_end_the_connection)
{
    dialog *d = dialog_new(NULL);
    script_reply(&d->peer, reply_ok(&d->bytes, 1)); /* OP_MSG, where OP_REPLY was due */
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
    dialog_expect_failure(d, BSN_E_PROTOCOL, false);
    dialog_free(d);
}
END_TEST

START_TEST(documents_in_an_answer_to_the_hello_are_passed_by)
{
    dialog *d = dialog_new(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 1, "firstBatch", 5, "db.c", 0, 2));
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED); /* OP_MSG, where OP_REPLY was due */
    dialog_expect_docs(d, 0);
    dialog_expect_failure(d, BSN_E_PROTOCOL, false);
    dialog_free(d);

    d = dialog_new(NULL);
    script_reply(&d->peer,
                 reply_hello_of(&d->bytes, "10 6D61785769726556657273696F6E00 15000000"
                                           "03 637572736F7200 3E000000" ONE_DOC ID_5 NS_DB_C "00"));
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    dialog_expect_docs(d, 0);
    dialog_free(d);
}
END_TEST

/* Every byte of a sound stream replaced by others: never a crash, never a document that was not sent whole. */
/* How a dialog with a liar ended. */
typedef struct outcome {
    bsn_status hello, find; /* BSN_E_STATE: not come to */
    uint64_t offset;        /* of the fault */
    size_t documents;
    uint64_t digest; /* of their bytes */
} outcome;

/* Reads all documents at hand to their last byte, out of blocks of exactly their size: what they say of their length must be there. */
static void read_run(const bsn_conn *conn, outcome *o)
{
    const bsn_run run = bsn_conn_run(conn);
    ck_assert_uint_ge(run.count, 1);
    ck_assert_uint_le(run.count, BSN_RUN_MAX);
    for (size_t i = 0; i < run.count; i++) {
        bsn_doc doc;
        const bsn_bytes bytes = bsn_doc_bytes(run.docs[i]);
        uint8_t *copy = exact_copy(bytes.ptr, bytes.len);
        ck_assert_int_eq(bsn_doc_open((bsn_bytes){copy, bytes.len}, &doc, NULL), BSN_OK);
        (void)!bsn_validate(bsn_doc_bytes(doc), NULL, NULL, NULL);
        for (size_t at = 0; at < bytes.len; at++) o->digest = o->digest * 31 + copy[at];
        o->documents++;
        free(copy);
    }
}

static bsn_status talk_to_the_end(dialog *d, outcome *o)
{
    for (int step = 0; step < 20000; step++) {
        const bsn_conn_event event = bsn_conn_step(d->conn);
        bsn_error err = {0};
        switch (event) {
        case BSN_CONN_RUN: read_run(d->conn, o); break;
        case BSN_CONN_DONE: ck_assert_int_eq(bsn_conn_error(d->conn, NULL), BSN_OK); return BSN_OK;
        case BSN_CONN_FAILED:
            ck_assert_int_ne(bsn_conn_error(d->conn, &err), BSN_OK);
            ck_assert_uint_gt(bsn_conn_message(d->conn).len, 0);
            o->offset = err.offset;
            return err.status;
        default: dialog_move(d, event); break;
        }
    }
    ck_abort_msg("no end");
}

/* The stream of 12 documents with one of its bytes replaced, in pieces of at most `step` bytes. */
static outcome talk_to_a_liar(size_t at, uint8_t evil, size_t step)
{
    const bsn_conn_options options = {.window_size = 1024, .reply_max = 1024};
    outcome o = {.find = BSN_E_STATE};
    dialog *d = dialog_new(&options);
    dialog_script_stream(d);
    d->peer.receive_step = step;
    d->bytes.bytes[at] = evil;
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    o.hello = talk_to_the_end(d, &o);
    if (o.hello == BSN_OK) {
        ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("v"), NULL), BSN_OK);
        o.find = talk_to_the_end(d, &o);
    }
    dialog_free(d);
    return o;
}

/* Wherever a byte is another one there is an end, in which nothing is read that has not come: it is the same whether the bytes come
 * in whole replies or in small pieces, and documents are what they say they are. */
START_TEST(hostile_bytes_anywhere_are_survived)
{
    size_t failures = 0;
    dialog *whole = dialog_new(NULL);
    dialog_script_stream(whole);
    for (size_t at = 0; at < whole->bytes.len; at++) {
        const uint8_t byte = whole->bytes.bytes[at];
        /* The last makes the length of a document take the next one along. */
        const uint8_t evil[] = {0x00, 0xFF, (uint8_t)(byte + 1), (uint8_t)(byte + 15)};
        for (size_t e = 0; e < sizeof evil; e++) {
            const outcome fast = talk_to_a_liar(at, evil[e], SIZE_MAX);
            const outcome slow = talk_to_a_liar(at, evil[e], 37);
            const bool same = fast.hello == slow.hello && fast.find == slow.find &&
                              fast.offset == slow.offset && fast.documents == slow.documents &&
                              fast.digest == slow.digest;
            ck_assert_msg(
                same, "byte %u as %02X: %s, %s, %u documents in replies; %s, %s, %u in pieces",
                (unsigned)at, evil[e], bsn_status_text(fast.hello), bsn_status_text(fast.find),
                (unsigned)fast.documents, bsn_status_text(slow.hello), bsn_status_text(slow.find),
                (unsigned)slow.documents);
            failures += fast.find != BSN_OK;
        }
    }
    ck_assert_uint_gt(failures, whole->bytes.len);
    dialog_free(whole);
}
END_TEST

Suite *conn_faults_suite(void)
{
    Suite *suite = suite_create("conn_faults");
    TCase *refusing = tcase_create("servers that say no");
    tcase_add_test(refusing, a_command_that_fails_is_told_in_full_and_the_connection_lives);
    tcase_add_test(refusing, a_refusal_without_a_reason_says_so);
    tcase_add_test(refusing, a_cursor_that_fails_on_its_way_keeps_what_it_gave);
    suite_add_tcase(suite, refusing);
    TCase *lying = tcase_create("servers that lie");
    tcase_add_test(lying, replies_that_break_the_protocol_end_the_connection);
    tcase_add_test(lying, namespaces_that_are_none_end_the_connection);
    tcase_add_test(lying, an_answer_to_get_more_without_a_cursor_ends_the_connection);
    tcase_add_test(lying, a_cursor_that_becomes_another_ends_the_connection);
    tcase_add_test(lying, a_find_of_nothing_but_empty_batches_ends);
    tcase_add_test(lying, lying_message_lengths_are_refused_before_anything_else_is_read);
    tcase_add_test(lying, answers_by_another_opcode_end_the_connection);
    tcase_add_test(lying, documents_in_an_answer_to_the_hello_are_passed_by);
    tcase_add_test(lying, hostile_bytes_anywhere_are_survived);
    suite_add_tcase(suite, lying);
    return suite;
}
