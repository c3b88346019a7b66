/* SPDX-License-Identifier: Apache-2.0
 *
 * test_conn.c -- the connection machine: what it asks, how it greets, and what it needs.
 */
#include "client/dialog.h"
#include "suites.h"

#include <bsonic/wire.h>

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what is asked */

START_TEST(the_hello_says_who_asks_in_at_most_512_bytes)
{
    char name[129];
    memset(name, 'x', sizeof name);
    for (size_t len = 0; len <= 128; len += 64) {
        const bsn_conn_options options = {.app_name = {.ptr = name, .len = len}};
        dialog *d = dialog_greeted(&options);
        bsn_query query;
        bsn_error err;
        ck_assert_int_eq(bsn_query_open(script_request(&d->peer, 0), &query, &err), BSN_OK);
        ck_assert(bsn_str_equal(query.ns, BSN_STR("admin.$cmd")));
        ck_assert_int_eq(query.return_count, -1);
        ck_assert(bsn_str_equal(dialog_first_key(query.query), BSN_STR("isMaster")));
        ck_assert(dialog_field(query.query, "helloOk").as.boolean);
        ck_assert_int_eq(dialog_field(query.query, "compression").type, BSN_TYPE_ARRAY);
        ck_assert_int_eq(dialog_field(query.query, "$db").type, BSN_TYPE_NONE);
        const bsn_doc client = dialog_field(query.query, "client").as.doc;
        ck_assert_uint_le(client.len, 512);
        dialog_expect_text_field(dialog_field(client, "driver").as.doc, "name", "bsonic");
        ck_assert_int_eq(dialog_field(dialog_field(client, "os").as.doc, "type").type,
                         BSN_TYPE_STRING);
        const bsn_value application = dialog_field(client, "application");
        ck_assert_int_eq(application.type, len > 0 ? BSN_TYPE_DOCUMENT : BSN_TYPE_NONE);
        if (len > 0) ck_assert_uint_eq(dialog_field(application.as.doc, "name").as.str.len, len);
        dialog_free(d);
    }
    const bsn_conn_options too_long = {.app_name = {.ptr = name, .len = 129}};
    bsn_conn *conn;
    ck_assert_int_eq(bsn_conn_new(&too_long, &conn, NULL), BSN_E_RANGE);
    ck_assert_ptr_null(conn);
}
END_TEST

START_TEST(a_find_asks_for_what_the_options_say)
{
    static const uint8_t some[] = {0x0C, 0, 0, 0, 0x10, 'a', 0, 1, 0, 0, 0, 0};
    const bsn_doc doc = {.ptr = some, .len = sizeof some};
    const bsn_find_options options = {
        .filter = doc, .projection = doc, .sort = doc, .skip = 3, .limit = 5, .batch_size = 2};
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 0, "db.c", 0, 1));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("a.b"), &options), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    const bsn_doc body = dialog_request_body(d, 1);
    ck_assert(bsn_str_equal(dialog_first_key(body), BSN_STR("find")));
    dialog_expect_text_field(body, "find", "a.b");
    dialog_expect_text_field(body, "$db", "db");
    for (int i = 0; i < 3; i++) {
        static const char *const keys[] = {"filter", "projection", "sort"};
        const bsn_value value = dialog_field(body, keys[i]);
        ck_assert_int_eq(value.type, BSN_TYPE_DOCUMENT);
        ck_assert(bsn_bytes_equal(bsn_doc_bytes(value.as.doc), bsn_doc_bytes(doc)));
    }
    dialog_expect_int64_field(body, "skip", 3);
    dialog_expect_int64_field(body, "limit", 5);
    dialog_expect_int64_field(body, "batchSize", 2);
    ck_assert_int_eq(dialog_field(body, "$readPreference").type, BSN_TYPE_NONE);
    dialog_free(d);
}
END_TEST

START_TEST(a_plain_find_asks_for_nothing_more)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 0, "db.c", 0, 0));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    size_t fields = 0;
    bsn_iter it;
    bsn_iter_init(&it, dialog_request_body(d, 1));
    while (bsn_iter_next(&it)) fields++;
    ck_assert_uint_eq(fields, 2); /* find, $db */
    dialog_expect_docs(d, 0);
    dialog_free(d);
}
END_TEST

START_TEST(a_limit_that_is_the_batch_size_asks_for_one_more_so_that_the_cursor_closes)
{
    const bsn_find_options options = {.limit = 7, .batch_size = 7};
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 0, "db.c", 0, 7));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), &options), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    dialog_expect_int64_field(dialog_request_body(d, 1), "batchSize", 8);
    dialog_expect_int64_field(dialog_request_body(d, 1), "limit", 7);
    dialog_expect_docs(d, 7);
    dialog_free(d);
}
END_TEST

START_TEST(a_member_of_a_replica_set_is_told_that_a_secondary_may_answer)
{
    dialog *d = dialog_new(NULL);
    /* setName: "rs", maxWireVersion: 21 */
    script_reply(&d->peer, reply_hello_of(&d->bytes, "02 7365744E616D6500 03000000 727300"
                                                     "10 6D61785769726556657273696F6E00 15000000"));
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    ck_assert(bsn_conn_server(d->conn)->replica_set_member);
    script_reply(&d->peer, reply_ok(&d->bytes, 2));
    static const uint8_t ping[] = {15, 0, 0, 0, 0x10, 'p', 'i', 'n', 'g', 0, 1, 0, 0, 0, 0};
    const bsn_doc command = {.ptr = ping, .len = sizeof ping};
    ck_assert_int_eq(bsn_conn_command(d->conn, BSN_STR("admin"), command, 0), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    const bsn_value preference = dialog_field(dialog_request_body(d, 1), "$readPreference");
    ck_assert_int_eq(preference.type, BSN_TYPE_DOCUMENT);
    dialog_expect_text_field(preference.as.doc, "mode", "primaryPreferred");
    dialog_free(d);
}
END_TEST

START_TEST(requests_that_cannot_be_made_leave_the_machine_ready)
{
    static const uint8_t with_db[] = {10, 0, 0, 0, 0x0A, '$', 'd', 'b', 0, 0};
    static const uint8_t damaged[] = {9, 0, 0, 0, 0x08, 'a', 0, 2, 0};
    static const uint8_t empty[] = {5, 0, 0, 0, 0};
    const bsn_doc with_db_doc = {.ptr = with_db, .len = sizeof with_db};
    const bsn_doc damaged_doc = {.ptr = damaged, .len = sizeof damaged};
    const bsn_doc empty_doc = {.ptr = empty, .len = sizeof empty};
    const bsn_str none = {.ptr = "", .len = 0}, db = BSN_STR("db"), c = BSN_STR("c");
    const bsn_find_options skip = {.skip = (uint64_t)INT64_MAX + 1};
    const bsn_find_options limit = {.limit = UINT64_MAX};
    const bsn_find_options batch = {.batch_size = INT32_MAX};
    dialog *d = dialog_greeted(NULL);
    ck_assert_int_eq(bsn_conn_command(d->conn, db, empty_doc, 0), BSN_E_VALUE);
    ck_assert_int_eq(bsn_conn_command(d->conn, db, with_db_doc, 0), BSN_E_VALUE);
    ck_assert_int_eq(bsn_conn_command(d->conn, db, damaged_doc, 0), BSN_E_BOOLEAN);
    ck_assert_int_eq(bsn_conn_command(d->conn, none, with_db_doc, 0), BSN_E_VALUE);
    ck_assert_int_eq(bsn_conn_find(d->conn, db, none, NULL), BSN_E_VALUE);
    ck_assert_int_eq(bsn_conn_find(d->conn, none, c, NULL), BSN_E_VALUE);
    ck_assert_int_eq(bsn_conn_find(d->conn, db, c, &skip), BSN_E_RANGE);
    ck_assert_int_eq(bsn_conn_find(d->conn, db, c, &limit), BSN_E_RANGE);
    ck_assert_int_eq(bsn_conn_find(d->conn, db, c, &batch), BSN_E_RANGE);
    ck_assert_int_eq(bsn_conn_step(d->conn), BSN_CONN_DONE);
    ck_assert_uint_eq(script_request_count(&d->peer), 1);
    dialog_free(d);
}
END_TEST

START_TEST(operations_out_of_order_are_refused)
{
    dialog *d = dialog_new(NULL);
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_E_STATE);
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_E_STATE);
    script_reply(&d->peer, reply_hello(&d->bytes));
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_E_STATE);
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_E_STATE);
    bsn_conn_lost(d->conn, BSN_E_CLOSED, 0, NULL);
    ck_assert_int_eq(bsn_conn_step(d->conn), BSN_CONN_FAILED);
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_E_STATE);
    dialog_expect_failure(d, BSN_E_CLOSED, false);
    dialog_free(d);
}
END_TEST

/* ------------------------------------------------------------------ the hello's answer */

START_TEST(the_hello_s_answer_is_read_and_bounded)
{
    static const bsn_server_info defaults = {.wire_version_max = 21,
                                             .document_size_max = 16777216,
                                             .message_size_max = 48000000,
                                             .write_batch_max = 1000};
#define WIRE_21 "10 6D61785769726556657273696F6E00 15000000"
#define DOCUMENT_SIZE "6D617842736F6E4F626A65637453697A6500"
#define MESSAGE_SIZE "6D61784D65737361676553697A65427974657300"
#define WRITE_BATCH "6D6178577269746542617463685369 7A6500"
    static const struct {
        const char *elements;
        size_t document, message;
        uint32_t batch;
    } rows[] = {
        {WIRE_21, 16777216, 48000000, 1000},
        {WIRE_21 "10" DOCUMENT_SIZE "00001000", 1048576, 48000000, 1000},
        {WIRE_21 "10" DOCUMENT_SIZE "FFFFFF7F", 16777216, 48000000, 1000},
        {WIRE_21 "10" DOCUMENT_SIZE "FFFFFFFF", 16777216, 48000000, 1000},
        {WIRE_21 "10" DOCUMENT_SIZE "00000000", 16777216, 48000000, 1000},
        {WIRE_21 "12" MESSAGE_SIZE "FFFFFFFFFFFFFF7F", 16777216, 48000000, 1000},
        {WIRE_21 "12" MESSAGE_SIZE "0000000000000080", 16777216, 48000000, 1000},
        {WIRE_21 "01" MESSAGE_SIZE "000000000000F87F", 16777216, 48000000, 1000}, /* NaN */
        {WIRE_21 "01" MESSAGE_SIZE "000000000000F07F", 16777216, 48000000, 1000}, /* Infinity */
        {WIRE_21 "01" MESSAGE_SIZE "000000000088D340", 16777216, 20000, 1000},
        {WIRE_21 "0A" MESSAGE_SIZE "", 16777216, 48000000, 1000}, /* null */
        {WIRE_21 "10" WRITE_BATCH "A0860100", 16777216, 48000000, 100000},
        {WIRE_21 "10" WRITE_BATCH "FFFFFF7F", 16777216, 48000000, 100000},
        {WIRE_21 "10" WRITE_BATCH "FFFFFFFF", 16777216, 48000000, 1000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dialog *d = dialog_new(NULL);
        script_reply(&d->peer, reply_hello_of(&d->bytes, rows[i].elements));
        ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
        ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
        const bsn_server_info *server = bsn_conn_server(d->conn);
        ck_assert_int_eq(server->wire_version_max, defaults.wire_version_max);
        ck_assert_msg(server->document_size_max == rows[i].document, "row %zu", i);
        ck_assert_msg(server->message_size_max == rows[i].message, "row %zu: %zu", i,
                      server->message_size_max);
        ck_assert_msg(server->write_batch_max == rows[i].batch, "row %zu", i);
        dialog_free(d);
    }
}
END_TEST

START_TEST(no_common_wire_version_is_told_with_both_ranges)
{
    static const struct {
        const char *elements;
        const char *told;
    } rows[] = {
        {"", "0 to 0, this client 6 to 25"},
        {"10 6D61785769726556657273696F6E00 05000000", "0 to 5, this client 6 to 25"},
        {"10 6D696E5769726556657273696F6E00 1A000000 10 6D61785769726556657273696F6E00 1E000000",
         "26 to 30, this client 6 to 25"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dialog *d = dialog_new(NULL);
        script_reply(&d->peer, reply_hello_of(&d->bytes, rows[i].elements));
        ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
        ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
        dialog_expect_failure(d, BSN_E_UNSUPPORTED, false);
        dialog_expect_message(d, rows[i].told);
        dialog_free(d);
    }
}
END_TEST

START_TEST(a_hello_that_is_refused_ends_the_connection)
{
    dialog *d = dialog_new(NULL);
    /* ok: 0 comes first, the ok: 1 behind it is one too many and not looked at: so build it by hand */
    build *b = &d->bytes;
    const size_t message = build_header(b, 9, 1, BSN_OP_REPLY);
    build_hex(b, "08000000 0000000000000000 00000000 01000000");
    const size_t body = build_open(b);
    build_hex(b, "10 6F6B00 00000000 02 6572726D736700 03000000 6E6F00 10 636F646500 0D000000");
    build_close(b, body);
    build_patch(b, message);
    script_reply(&d->peer, build_view(b));
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
    dialog_expect_failure(d, BSN_E_SERVER, false);
    dialog_expect_message(d, "no (code 13)");
    dialog_free(d);
}
END_TEST

/* ------------------------------------------------------------------ time and memory */

START_TEST(patience_is_that_of_the_phase)
{
    const bsn_conn_options options = {.connect_timeout_ms = 111, .socket_timeout_ms = 222};
    dialog *d = dialog_new(&options);
    ck_assert_int_eq(bsn_conn_timeout_ms(d->conn), 111);
    script_reply(&d->peer, reply_hello(&d->bytes));
    ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
    ck_assert_int_eq(bsn_conn_timeout_ms(d->conn), 111);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    ck_assert_int_eq(bsn_conn_timeout_ms(d->conn), 222);
    dialog_free(d);
    d = dialog_new(NULL);
    ck_assert_int_eq(bsn_conn_timeout_ms(d->conn), -1);
    dialog_free(d);
}
END_TEST

Suite *conn_suite(void)
{
    Suite *suite = suite_create("conn");
    TCase *asked = tcase_create("what is asked");
    tcase_add_test(asked, the_hello_says_who_asks_in_at_most_512_bytes);
    tcase_add_test(asked, a_find_asks_for_what_the_options_say);
    tcase_add_test(asked, a_plain_find_asks_for_nothing_more);
    tcase_add_test(asked,
                   a_limit_that_is_the_batch_size_asks_for_one_more_so_that_the_cursor_closes);
    tcase_add_test(asked, a_member_of_a_replica_set_is_told_that_a_secondary_may_answer);
    tcase_add_test(asked, requests_that_cannot_be_made_leave_the_machine_ready);
    tcase_add_test(asked, operations_out_of_order_are_refused);
    suite_add_tcase(suite, asked);
    TCase *hello = tcase_create("the hello's answer");
    tcase_add_test(hello, the_hello_s_answer_is_read_and_bounded);
    tcase_add_test(hello, no_common_wire_version_is_told_with_both_ranges);
    tcase_add_test(hello, a_hello_that_is_refused_ends_the_connection);
    suite_add_tcase(suite, hello);
    TCase *needs = tcase_create("time and memory");
    tcase_add_test(needs, patience_is_that_of_the_phase);
    suite_add_tcase(suite, needs);
    return suite;
}
