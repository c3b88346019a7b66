/* SPDX-License-Identifier: Apache-2.0
 *
 * test_bulk.c -- a stream of documents through the blocking client over a scripted stream.
 */
#include "client/client_state.h"
#include "client/replies.h"
#include "suites.h"
#include "support/counting_alloc.h"
#include "support/failing_alloc.h"
#include "support/script.h"

#include <bsonic/wire.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN "mongodb://localhost"
#define DOC_LEN 22 /* { _id: ObjectId } */
#define DOCS 2500

typedef struct session {
    bsn_client *client;
    script peer;
    build bytes;
    bsn_bulk bulk;
} session;

/* Documents { _id: ObjectId(i) }, back to back. */
static uint8_t storage[DOCS * DOC_LEN];

static bsn_doc doc_at(size_t i)
{
    uint8_t *bytes = storage + i * DOC_LEN;
    const bsn_doc doc = {bytes, DOC_LEN};
    memset(bytes, 0, DOC_LEN);
    bytes[0] = DOC_LEN;
    memcpy(bytes + 4, "\x07_id", 5);
    bsn_store_u32(bytes + 9, (uint32_t)i);
    return doc;
}

/* Past the hello of a server that tells these limits, hex digits of elements. */
static session *session_open(const char *uri, const bsn_alloc *alloc, const char *limits)
{
    const bsn_client_options options = {.alloc = alloc};
    session *s = calloc(1, sizeof *s);
    bsn_error err;
    ck_assert_ptr_nonnull(s);
    script_init(&s->peer);
    script_reply(&s->peer, reply_hello_of(&s->bytes, limits));
    ck_assert_int_eq(bsni_client_new(bsn_str_from(uri), &options, &s->client, &err), BSN_OK);
    ck_assert_int_eq(bsni_client_greet(s->client, script_transport(&s->peer), &err), BSN_OK);
    return s;
}

#define WIRE_21 "10 6D61785769726556657273696F6E00 15000000 "
#define BATCH_4 WIRE_21 "10 6D6178577269746542617463685369 7A6500 04000000 "
#define BATCH_1100 WIRE_21 "10 6D6178577269746542617463685369 7A6500 4C040000 "
#define MESSAGE_2000 WIRE_21 "10 6D61784D65737361676553697A65427974657300 D0070000 "
#define MESSAGE_5000 WIRE_21 "10 6D61784D65737361676553697A65427974657300 88130000 "

static void session_free(session *s)
{
    bsn_bulk_free(&s->bulk);
    bsn_client_free(s->client);
    free(s);
}

static bsn_status open_bulk(session *s, const bsn_insert_options *options)
{
    bsn_error err = {0};
    const bsn_status status =
        bsn_client_bulk(s->client, BSN_STR("db"), BSN_STR("c"), options, &s->bulk, &err);
    ck_assert_int_eq(err.status, status);
    return status;
}

#define OK_1 "01 6F6B00 000000000000F03F "

/* { n, ok: 1 } */
static void answer(session *s, unsigned n)
{
    char elements[64];
    snprintf(elements, sizeof elements, "10 6E00 %02X%02X0000 " OK_1, n & 255, n >> 8);
    script_reply(&s->peer, reply_of(&s->bytes, (int32_t)s->peer.reply_count + 1, 0, elements));
}

/* { n, writeErrors: [{ index, code: 11000, errmsg: "dup" }], ok: 1 } */
static void answer_duplicate(session *s, unsigned n, unsigned index)
{
    char elements[256];
    snprintf(elements, sizeof elements,
             "10 6E00 %02X000000 04 77726974654572726F727300 32000000 03 3000 2A000000 "
             "10 696E64657800 %02X000000 10 636F646500 F82A0000 02 6572726D736700 04000000 64757000"
             "00 00 " OK_1,
             n, index);
    script_reply(&s->peer, reply_of(&s->bytes, (int32_t)s->peer.reply_count + 1, 0, elements));
}

static bsn_status add(session *s, size_t first, size_t count)
{
    bsn_status status = BSN_OK;
    for (size_t i = first; i < first + count && status == BSN_OK; i++) {
        status = bsn_bulk_add(&s->bulk, doc_at(i));
    }
    return status;
}

static size_t documents_in(const session *s, size_t request)
{
    bsn_msg msg;
    bsn_bytes documents;
    ck_assert_int_eq(bsn_msg_open(script_request(&s->peer, request), &msg, NULL), BSN_OK);
    ck_assert(bsn_msg_find_sequence(&msg, BSN_STR("documents"), &documents));
    ck_assert_uint_eq(documents.len % DOC_LEN, 0);
    return documents.len / DOC_LEN;
}

static void expect_message(const session *s, const char *part)
{
    char text[2048];
    const bsn_str message = bsn_client_message(s->client);
    snprintf(text, sizeof text, "%.*s", (int)message.len, message.ptr);
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" without \"%s\"", text, part);
}

/* ------------------------------------------------------------------ sending */

START_TEST(documents_wait_until_they_fill_a_message)
{
    session *s = session_open(PLAIN, NULL, BATCH_4);
    answer(s, 4);
    answer(s, 4);
    answer(s, 1);
    ck_assert_int_eq(open_bulk(s, NULL), BSN_OK);
    ck_assert_int_eq(add(s, 0, 4), BSN_OK);
    ck_assert_uint_eq(script_request_count(&s->peer), 1);
    ck_assert_int_eq(add(s, 4, 4), BSN_OK);
    ck_assert_uint_eq(script_request_count(&s->peer), 2);
    ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->inserted, 4);
    ck_assert_int_eq(add(s, 8, 1), BSN_OK);
    ck_assert_int_eq(bsn_bulk_flush(&s->bulk), BSN_OK);
    ck_assert_int_eq(bsn_bulk_flush(&s->bulk), BSN_OK); /* nothing waits: nothing is sent */
    ck_assert_int_eq(bsn_bulk_finish(&s->bulk, NULL), BSN_OK);
    ck_assert_uint_eq(script_request_count(&s->peer), 4);
    ck_assert_uint_eq(documents_in(s, 3), 1);
    ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->inserted, 9);
    ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->documents, 9);
    ck_assert_uint_eq(bsn_client_message(s->client).len, 0);
    session_free(s);
}
END_TEST

START_TEST(the_list_grows_to_what_the_server_takes_at_once)
{
    counting_alloc counter;
    counting_alloc_init(&counter);
    session *s = session_open(PLAIN, &counter.alloc, BATCH_1100);
    for (int i = 0; i < 2; i++) answer(s, 1100);
    answer(s, 300);
    ck_assert_int_eq(open_bulk(s, NULL), BSN_OK);
    ck_assert_int_eq(add(s, 0, 1101), BSN_OK);
    const size_t requests = counting_alloc_requests(&counter);
    ck_assert_int_eq(add(s, 1101, 1399), BSN_OK);
    ck_assert_int_eq(bsn_bulk_finish(&s->bulk, NULL), BSN_OK);
    ck_assert_uint_eq(counting_alloc_requests(&counter), requests); /* none in the steady state */
    for (size_t i = 0; i < 3; i++) ck_assert_uint_eq(documents_in(s, 1 + i), i < 2 ? 1100 : 300);
    session_free(s);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(a_smaller_batch_may_be_asked_for)
{
    const bsn_insert_options options = {.batch_max = 3};
    session *s = session_open(PLAIN, NULL, BATCH_1100);
    for (int i = 0; i < 3; i++) answer(s, 3);
    ck_assert_int_eq(open_bulk(s, &options), BSN_OK);
    ck_assert_int_eq(add(s, 0, 9), BSN_OK);
    ck_assert_int_eq(bsn_bulk_finish(&s->bulk, NULL), BSN_OK);
    ck_assert_uint_eq(script_request_count(&s->peer), 4);
    session_free(s);
}
END_TEST

/* Of messages of 5000 bytes: what waits is sent as one, before it is more than that. */
START_TEST(bytes_fill_a_message_too)
{
    const size_t in_one = (5000 - 1024) / DOC_LEN;
    session *s = session_open(PLAIN, NULL, MESSAGE_5000);
    for (int i = 0; i < 2; i++) answer(s, (unsigned)in_one);
    answer(s, 40);
    ck_assert_int_eq(open_bulk(s, NULL), BSN_OK);
    ck_assert_int_eq(add(s, 0, 2 * in_one + 40), BSN_OK);
    ck_assert_int_eq(bsn_bulk_finish(&s->bulk, NULL), BSN_OK);
    ck_assert_uint_eq(script_request_count(&s->peer), 4);
    ck_assert_uint_eq(documents_in(s, 2), in_one);
    session_free(s);
}
END_TEST

START_TEST(ids_are_made_for_documents_without_and_differ_from_client_to_client)
{
    static const uint8_t empty_bytes[] = {5, 0, 0, 0, 0};
    const bsn_doc empty = {empty_bytes, sizeof empty_bytes};
    bsn_oid ids[4];
    for (int client = 0; client < 2; client++) {
        session *s = session_open(PLAIN, NULL, BATCH_4);
        answer(s, 2);
        ck_assert_int_eq(open_bulk(s, NULL), BSN_OK);
        ck_assert_int_eq(bsn_bulk_add(&s->bulk, empty), BSN_OK);
        ck_assert_int_eq(bsn_bulk_add(&s->bulk, empty), BSN_OK);
        ck_assert_int_eq(bsn_bulk_finish(&s->bulk, NULL), BSN_OK);
        bsn_msg msg;
        bsn_bytes documents;
        ck_assert_int_eq(bsn_msg_open(script_request(&s->peer, 1), &msg, NULL), BSN_OK);
        ck_assert(bsn_msg_find_sequence(&msg, BSN_STR("documents"), &documents));
        for (int i = 0; i < 2; i++) {
            bsn_doc doc;
            bsn_value id;
            ck_assert_int_eq(bsn_doc_take(&documents, &doc, NULL), BSN_OK);
            ck_assert_uint_eq(doc.len, 22);
            ck_assert_int_eq(bsn_find_value(doc, BSN_STR("_id"), &id, NULL), BSN_OK);
            ids[2 * client + i] = id.as.oid;
            ck_assert_uint_gt(bsn_oid_seconds(&id.as.oid), 1700000000); /* today, or later */
        }
        session_free(s);
    }
    ck_assert_mem_eq(ids[0].bytes + 4, ids[1].bytes + 4, 5);
    ck_assert_mem_ne(ids[0].bytes + 4, ids[2].bytes + 4, 5);
    ck_assert_uint_eq((ids[0].bytes[11] + 1u) & 255, ids[1].bytes[11]);
}
END_TEST

/* ------------------------------------------------------------------ verdicts */

START_TEST(in_order_the_first_failure_ends_the_stream)
{
    bsn_error err = {0};
    session *s = session_open(PLAIN, NULL, BATCH_4);
    answer(s, 4);
    answer_duplicate(s, 1, 1);
    ck_assert_int_eq(open_bulk(s, NULL), BSN_OK);
    ck_assert_int_eq(add(s, 0, 8), BSN_OK);
    ck_assert_int_eq(add(s, 8, 1), BSN_E_SERVER);
    expect_message(s, "document 6: dup (code 11000)");
    ck_assert_int_eq(add(s, 9, 1), BSN_E_SERVER);
    ck_assert_int_eq(bsn_bulk_flush(&s->bulk), BSN_E_SERVER);
    ck_assert_int_eq(bsn_bulk_finish(&s->bulk, &err), BSN_E_SERVER);
    ck_assert_int_eq(err.status, BSN_E_SERVER);
    ck_assert_uint_eq(err.offset, 11000);
    ck_assert_uint_eq(script_request_count(&s->peer), 3);
    ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->inserted, 5);
    ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->failed, 1);
    ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->errors[0].index, 5);
    session_free(s);
}
END_TEST

START_TEST(unordered_goes_on_and_the_verdict_comes_at_the_end)
{
    const bsn_insert_options options = {.unordered = true};
    bsn_error err = {0};
    session *s = session_open(PLAIN, NULL, BATCH_4);
    answer_duplicate(s, 3, 2);
    answer(s, 4);
    answer_duplicate(s, 0, 0);
    ck_assert_int_eq(open_bulk(s, &options), BSN_OK);
    ck_assert_int_eq(add(s, 0, 9), BSN_OK);
    ck_assert_int_eq(bsn_bulk_finish(&s->bulk, &err), BSN_E_SERVER);
    ck_assert_uint_eq(err.offset, 11000);
    expect_message(s, "document 3: dup (code 11000)");
    ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->inserted, 7);
    ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->failed, 2);
    ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->errors[1].index, 8);
    session_free(s);
}
END_TEST

START_TEST(a_document_too_long_is_told_by_its_number)
{
    static uint8_t large[3000];
    const bsn_doc doc = {large, sizeof large};
    bsn_error err = {0};
    session *s = session_open(PLAIN, NULL, MESSAGE_2000);
    memset(large, 0, sizeof large);
    bsn_store_i32(large, sizeof large);
    memcpy(large + 4, "\x05_id", 5);
    bsn_store_i32(large + 9, sizeof large - 15);
    answer(s, 2);
    ck_assert_int_eq(open_bulk(s, NULL), BSN_OK);
    ck_assert_int_eq(add(s, 0, 2), BSN_OK);
    ck_assert_int_eq(bsn_bulk_add(&s->bulk, doc), BSN_OK);
    ck_assert_int_eq(bsn_bulk_finish(&s->bulk, &err), BSN_E_SIZE);
    ck_assert_int_eq(err.status, BSN_E_SIZE);
    expect_message(s, "document 3: larger than");
    ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->inserted, 2);
    session_free(s);
}
END_TEST

START_TEST(a_write_concern_that_fails_is_a_failure_at_the_end)
{
    bsn_error err = {0};
    session *s = session_open(PLAIN, NULL, BATCH_4);
    /* { writeConcernError: { code: 64, errmsg: "late" }, n: 4, ok: 1 } */
    script_reply(&s->peer,
                 reply_of(&s->bytes, 2, 0,
                          "03 7772697465436F6E6365726E4572726F7200 20000000 10 636F646500 40000000 "
                          "02 6572726D736700 05000000 6C61746500 00 10 6E00 04000000 " OK_1));
    answer(s, 1);
    ck_assert_int_eq(open_bulk(s, NULL), BSN_OK);
    ck_assert_int_eq(add(s, 0, 5), BSN_OK);
    ck_assert_int_eq(bsn_bulk_finish(&s->bulk, &err), BSN_E_SERVER);
    ck_assert_uint_eq(err.offset, 64);
    expect_message(s, "write concern: late (code 64)");
    ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->inserted, 5);
    session_free(s);
}
END_TEST

START_TEST(a_command_refused_or_a_connection_lost_ends_the_stream)
{
    for (int lost = 0; lost < 2; lost++) {
        const bsn_insert_options options = {.unordered = true};
        const bsn_status expected = lost ? BSN_E_CLOSED : BSN_E_SERVER;
        bsn_error err = {0};
        session *s = session_open(PLAIN, NULL, BATCH_4);
        answer(s, 4);
        if (lost) {
            s->peer.received_max = s->peer.received + s->peer.replies[1].len;
        } else {
            script_reply(&s->peer, reply_error(&s->bytes, 3, "not allowed", 13, "Unauthorized"));
        }
        ck_assert_int_eq(open_bulk(s, &options), BSN_OK);
        ck_assert_int_eq(add(s, 0, 8), BSN_OK);
        ck_assert_int_eq(add(s, 8, 1), expected);
        expect_message(s, lost ? "closed" : "not allowed (code 13 Unauthorized)");
        ck_assert_int_eq(bsn_bulk_finish(&s->bulk, &err), expected);
        ck_assert_int_eq(err.status, expected);
        ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->inserted, 4);
        ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->documents, 8);
        bsn_bulk_free(&s->bulk);
        ck_assert_int_eq(open_bulk(s, &options), lost ? BSN_E_STATE : BSN_OK);
        session_free(s);
    }
}
END_TEST

START_TEST(a_bulk_and_a_cursor_take_turns)
{
    session *s = session_open(PLAIN, NULL, BATCH_4);
    bsn_cursor cursor;
    bsn_doc doc;
    bsn_error err = {0};
    answer(s, 1);
    script_reply(&s->peer, reply_batch(&s->bytes, 3, "firstBatch", 0, "db.c", 0, 2));
    ck_assert_int_eq(open_bulk(s, NULL), BSN_OK);
    ck_assert_int_eq(add(s, 0, 1), BSN_OK);
    ck_assert_int_eq(bsn_bulk_flush(&s->bulk), BSN_OK);
    ck_assert_int_eq(bsn_client_find(s->client, BSN_STR("db"), BSN_STR("c"), NULL, &cursor, &err),
                     BSN_OK);
    ck_assert(bsn_cursor_next(&cursor, &doc));
    ck_assert_int_eq(add(s, 1, 1), BSN_OK);
    ck_assert_int_eq(bsn_bulk_finish(&s->bulk, &err), BSN_E_STATE);
    ck_assert_int_eq(bsn_cursor_close(&cursor, &err), BSN_OK);
    session_free(s);
}
END_TEST

/* ------------------------------------------------------------------ write concern */

static bsn_bytes concern_sent(const session *s)
{
    bsn_msg msg;
    bsn_value value;
    bsn_bytes none = {NULL, 0};
    ck_assert_int_eq(bsn_msg_open(script_request(&s->peer, 1), &msg, NULL), BSN_OK);
    if (bsn_find_value(msg.body, BSN_STR("writeConcern"), &value, NULL) != BSN_OK) return none;
    return bsn_doc_bytes(value.as.doc);
}

START_TEST(the_connection_string_s_write_concern_counts_unless_another_is_given)
{
    static const struct {
        const char *uri;
        const char *hex;
    } rows[] = {
        {PLAIN, ""},
        {PLAIN "/?w=2", "0C000000 10 7700 02000000 00"},
        {PLAIN "/?w=majority", "15000000 02 7700 09000000 6D616A6F7269747900 00"},
        {PLAIN "/?journal=true", "09000000 08 6A00 01 00"},
        {PLAIN "/?journal=TRUE", "09000000 08 6A00 01 00"},
        {PLAIN "/?journal=Y", "09000000 08 6A00 01 00"},
        {PLAIN "/?w=000000000003", "0C000000 10 7700 03000000 00"},
        {PLAIN "/?w=1&journal=false&wtimeoutMS=500",
         "22000000 10 7700 01000000 08 6A00 00 12 7774696D656F757400 F401000000000000 00"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        build expected = {.len = 0};
        build_hex(&expected, rows[i].hex);
        session *s = session_open(rows[i].uri, NULL, BATCH_4);
        answer(s, 1);
        ck_assert_int_eq(open_bulk(s, NULL), BSN_OK);
        ck_assert_int_eq(add(s, 0, 1), BSN_OK);
        ck_assert_int_eq(bsn_bulk_finish(&s->bulk, NULL), BSN_OK);
        ck_assert_msg(bsn_bytes_equal(concern_sent(s), build_view(&expected)), "%s", rows[i].uri);
        session_free(s);
    }
    static const uint8_t own[] = {12, 0, 0, 0, 0x10, 'w', 0, 3, 0, 0, 0, 0};
    const bsn_insert_options options = {.write_concern = {own, sizeof own}};
    session *s = session_open(PLAIN "/?w=2&journal=true", NULL, BATCH_4);
    answer(s, 1);
    ck_assert_int_eq(open_bulk(s, &options), BSN_OK);
    ck_assert_int_eq(add(s, 0, 1), BSN_OK);
    ck_assert_int_eq(bsn_bulk_finish(&s->bulk, NULL), BSN_OK);
    const bsn_bytes wanted = {own, sizeof own};
    ck_assert(bsn_bytes_equal(concern_sent(s), wanted));
    session_free(s);
}
END_TEST

START_TEST(what_cannot_be_opened_is_refused)
{
    static const uint8_t zero[] = {12, 0, 0, 0, 0x10, 'w', 0, 0, 0, 0, 0, 0};
    const bsn_insert_options w0 = {.write_concern = {zero, sizeof zero}},
                             in_order = {.ignore_duplicates = true};
    static char long_w[400] = PLAIN "/?w=";
    memset(long_w + strlen(long_w), 'x', 300);
    const struct {
        const char *uri;
        const bsn_insert_options *options;
        bsn_status status;
        const char *told;
    } rows[] = {
        {PLAIN "/?w=0", NULL, BSN_E_UNSUPPORTED, "w: 0"},
        {PLAIN, &w0, BSN_E_UNSUPPORTED, "w: 0"},
        {PLAIN, &in_order, BSN_E_VALUE, ""},
        {long_w, NULL, BSN_E_SIZE, "write concern"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bsn_error err = {0};
        session *s = session_open(rows[i].uri, NULL, BATCH_4);
        ck_assert_int_eq(open_bulk(s, rows[i].options), rows[i].status);
        expect_message(s, rows[i].told);
        ck_assert_int_eq(add(s, 0, 1), rows[i].status);
        ck_assert_int_eq(bsn_bulk_finish(&s->bulk, &err), rows[i].status);
        ck_assert_uint_eq(script_request_count(&s->peer), 1);
        session_free(s);
    }
}
END_TEST

/* ------------------------------------------------------------------ memory */

/* The list of what waits may stay as it is: then it is sent earlier. */
START_TEST(a_list_that_cannot_grow_is_sent)
{
    failing_alloc failing;
    failing_alloc_init(&failing);
    failing.fail_at = SIZE_MAX;
    session *s = session_open(PLAIN, &failing.alloc, BATCH_1100);
    answer(s, 1);
    answer(s, 1024);
    answer(s, 376);
    ck_assert_int_eq(open_bulk(s, NULL), BSN_OK);
    ck_assert_int_eq(add(s, 0, 1), BSN_OK);
    ck_assert_int_eq(bsn_bulk_flush(&s->bulk), BSN_OK); /* what the first insert takes is there */
    failing.fail_at = failing.requests + 1;
    ck_assert_int_eq(add(s, 1, 1400), BSN_OK);
    ck_assert_int_eq(bsn_bulk_finish(&s->bulk, NULL), BSN_OK);
    ck_assert(failing_alloc_refused(&failing));
    ck_assert_uint_eq(documents_in(s, 2), 1024);
    ck_assert_uint_eq(bsn_bulk_result(&s->bulk)->inserted, 1401);
    session_free(s);
}
END_TEST

Suite *bulk_suite(void)
{
    Suite *suite = suite_create("bulk");
    TCase *tcase = tcase_create("bulk");
    tcase_add_test(tcase, documents_wait_until_they_fill_a_message);
    tcase_add_test(tcase, the_list_grows_to_what_the_server_takes_at_once);
    tcase_add_test(tcase, a_smaller_batch_may_be_asked_for);
    tcase_add_test(tcase, bytes_fill_a_message_too);
    tcase_add_test(tcase, ids_are_made_for_documents_without_and_differ_from_client_to_client);
    tcase_add_test(tcase, in_order_the_first_failure_ends_the_stream);
    tcase_add_test(tcase, unordered_goes_on_and_the_verdict_comes_at_the_end);
    tcase_add_test(tcase, a_document_too_long_is_told_by_its_number);
    tcase_add_test(tcase, a_write_concern_that_fails_is_a_failure_at_the_end);
    tcase_add_test(tcase, a_command_refused_or_a_connection_lost_ends_the_stream);
    tcase_add_test(tcase, a_bulk_and_a_cursor_take_turns);
    tcase_add_test(tcase, the_connection_string_s_write_concern_counts_unless_another_is_given);
    tcase_add_test(tcase, what_cannot_be_opened_is_refused);
    tcase_add_test(tcase, a_list_that_cannot_grow_is_sent);
    suite_add_tcase(suite, tcase);
    return suite;
}
