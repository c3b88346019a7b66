/* SPDX-License-Identifier: Apache-2.0
 *
 * test_conn_streams.c -- cursors from their first document to their end, in pieces of every size, and ended early.
 */
#include "client/dialog.h"
#include "suites.h"
#include "support/counting_alloc.h"

#include <bsonic/wire.h>

/* ------------------------------------------------------------------ streams */

START_TEST(a_cursor_is_followed_to_its_end_by_what_its_replies_say)
{
    dialog *d = dialog_new(NULL);
    dialog_script_stream(d);
    dialog_run_stream(d);
    ck_assert_uint_eq(script_request_count(&d->peer), 5);
    dialog_expect_int64_field(dialog_request_body(d, 2), "getMore", -9);
    dialog_expect_text_field(dialog_request_body(d, 2), "collection", "a.b");
    dialog_expect_text_field(dialog_request_body(d, 2), "$db", "db");
    dialog_expect_int64_field(dialog_request_body(d, 2), "batchSize", 3);
    dialog_expect_int64_field(dialog_request_body(d, 3), "getMore", -9);
    dialog_expect_int64_field(dialog_request_body(d, 4), "getMore", -9);
    dialog_expect_text_field(dialog_request_body(d, 4), "collection", "a.b");
    dialog_expect_text_field(dialog_request_body(d, 4), "$db", "db");
    bsn_doc reply;
    ck_assert(bsn_conn_reply(d->conn, &reply));
    ck_assert_int_eq(dialog_field(reply, "ok").type, BSN_TYPE_DOUBLE);
    ck_assert_int_eq(dialog_field(reply, "cursor").type, BSN_TYPE_NONE);
    const bsn_conn_stats stats = bsn_conn_get_stats(d->conn);
    ck_assert_uint_eq(stats.documents, 12);
    ck_assert_uint_eq(stats.replies, 5);
    ck_assert_uint_eq(stats.bytes_received, d->peer.received);
    ck_assert_uint_eq(stats.bytes_sent, d->peer.sent_len);
    dialog_free(d);
}
END_TEST

START_TEST(a_stream_is_the_same_in_pieces_of_every_size)
{
    for (size_t step = 1; step <= 1100; step += step < 64 ? 1 : 97) {
        const bsn_conn_options options = {.window_size = 1024};
        dialog *d = dialog_new(&options);
        dialog_script_stream(d);
        d->peer.receive_step = step;
        d->peer.send_step = step;
        dialog_run_stream(d);
        dialog_free(d);
    }
}
END_TEST

START_TEST(a_stream_that_ends_anywhere_gives_whole_documents_and_an_error)
{
    const bsn_conn_options small = {.window_size = 1024, .reply_max = 1024};
    dialog *whole = dialog_new(NULL);
    dialog_script_stream(whole);
    dialog_run_stream(whole);
    for (size_t len = 0; len < whole->peer.received; len++) {
        dialog *d = dialog_new(&small);
        dialog_script_stream(d);
        d->peer.received_max = len;
        ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
        bsn_conn_event event = dialog_run(d);
        if (event == BSN_CONN_DONE) {
            ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("v"), NULL), BSN_OK);
            event = dialog_run(d);
        }
        ck_assert_int_eq(event, BSN_CONN_FAILED);
        dialog_expect_failure(d, BSN_E_CLOSED, false);
        ck_assert_uint_le(d->count, 12);
        dialog_expect_docs(d, d->count); /* those that came are the first ones, in order */
        dialog_free(d);
    }
    dialog_free(whole);
}
END_TEST

START_TEST(sending_that_fails_anywhere_fails_the_operation)
{
    dialog *whole = dialog_greeted(NULL);
    for (size_t len = 0; len < whole->peer.sent_len; len++) {
        dialog *d = dialog_new(NULL);
        d->peer.sent_max = len;
        d->peer.failure = BSN_E_IO;
        ck_assert_int_eq(bsn_conn_hello(d->conn), BSN_OK);
        ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
        dialog_expect_failure(d, BSN_E_IO, false);
        dialog_free(d);
    }
    dialog_free(whole);
}
END_TEST

/* More documents in the window than one run holds. */
START_TEST(many_small_documents_come_in_runs_of_bounded_length)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 0, "db.c", 0, 600));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    dialog_expect_docs(d, 600);
    ck_assert_uint_eq(d->runs, 3);
    ck_assert_uint_eq(d->peer.receives, 2); /* the hello's, and one for all of them */
    dialog_free(d);
}
END_TEST

START_TEST(a_stream_in_its_steady_state_allocates_nothing)
{
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_conn_options options = {.window_size = 1024, .alloc = &counter.alloc};
    dialog *d = dialog_greeted(&options);
    for (int32_t i = 0; i < 50; i++) {
        script_reply(&d->peer, reply_batch(&d->bytes, 2 + i, i == 0 ? "firstBatch" : "nextBatch",
                                           i < 49 ? 5 : 0, "db.c", 2 * i, 2));
    }
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    const size_t before = counting_alloc_requests(&counter);
    d->peer.receive_step = 100;
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    dialog_expect_docs(d, 100);
    ck_assert_uint_eq(counting_alloc_requests(&counter), before);
    dialog_free(d);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(a_document_longer_than_the_window_is_put_together)
{
    static const size_t lengths[] = {900, 960, 1000, 1024, 2000, 10000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (size_t step = 1; step <= 1024; step *= 4) {
            const bsn_conn_options options = {.window_size = 1024};
            dialog *d = dialog_greeted(&options);
            script_reply(&d->peer, reply_long(&d->bytes, lengths[i]));
            d->peer.receive_step = step;
            ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
            ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
            dialog_expect_docs(d, 2);
            dialog_free(d);
        }
    }
}
END_TEST

START_TEST(a_document_that_only_says_it_is_long_costs_no_memory)
{
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_conn_options options = {.window_size = 1024, .alloc = &counter.alloc};
    dialog *d = dialog_greeted(&options);
    build *b = &d->bytes;
    const size_t start = b->len;
    const size_t message = build_header(b, 9, 2, BSN_OP_MSG);
    build_hex(b, "00000000 00 00FF0002"); /* the body: 33 MB */
    build_hex(b, "03 637572736F7200 00FE0002 04 666972737442617463 6800 00FD0002 03 3000 00000001");
    build_set(b, message, 48000000);
    const bsn_bytes reply = {.ptr = b->bytes + start, .len = b->len - start};
    script_reply(&d->peer, reply);
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    const size_t before = counter.bytes_out;
    ck_assert_int_eq(dialog_run(d), BSN_CONN_FAILED);
    dialog_expect_failure(d, BSN_E_TIMEOUT, false);
    ck_assert_uint_le(counter.bytes_out_max, before + 4096);
    dialog_free(d);
    counting_alloc_finish(&counter);
}
END_TEST

/* ------------------------------------------------------------------ ending early */

START_TEST(a_cursor_that_is_stopped_is_drained_and_killed)
{
    for (size_t step = 1; step < 400; step += 7) {
        dialog *d = dialog_greeted(NULL);
        script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 77, "db.c", 0, 30));
        script_reply(&d->peer, reply_ok(&d->bytes, 3));
        script_reply(&d->peer, reply_batch(&d->bytes, 4, "firstBatch", 0, "db.c", 0, 2));
        d->peer.receive_step = step;
        d->stop_after = 1;
        ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
        ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
        ck_assert_uint_ge(d->count, 1);
        ck_assert_uint_lt(d->count, 31);
        const bsn_doc kill = dialog_request_body(d, 2);
        dialog_expect_text_field(kill, "killCursors", "c");
        dialog_expect_int64_field(dialog_field(kill, "cursors").as.doc, "0", 77);
        /* And the connection is good for the next operation. */
        d->count = 0;
        d->stop_after = SIZE_MAX;
        ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
        ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
        dialog_expect_docs(d, 2);
        dialog_free(d);
    }
}
END_TEST

START_TEST(the_outcome_of_a_kill_does_not_matter)
{
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 77, "db.c", 0, 3));
    script_reply(&d->peer, reply_error(&d->bytes, 3, "no", 59, "CommandNotFound"));
    d->stop_after = 1;
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), NULL), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    ck_assert_int_eq(bsn_conn_error(d->conn, NULL), BSN_OK);
    ck_assert(bsn_conn_usable(d->conn));
    dialog_free(d);
}
END_TEST

START_TEST(a_cursor_left_open_at_the_limit_is_killed)
{
    const bsn_find_options options = {.limit = 5, .batch_size = 3};
    dialog *d = dialog_greeted(NULL);
    script_reply(&d->peer, reply_batch(&d->bytes, 2, "firstBatch", 8, "db.c", 0, 3));
    script_reply(&d->peer,
                 reply_batch(&d->bytes, 3, "nextBatch", 8, "db.c", 3, 4)); /* two too many */
    script_reply(&d->peer, reply_ok(&d->bytes, 4));
    ck_assert_int_eq(bsn_conn_find(d->conn, BSN_STR("db"), BSN_STR("c"), &options), BSN_OK);
    ck_assert_int_eq(dialog_run(d), BSN_CONN_DONE);
    dialog_expect_docs(d, 5);
    dialog_expect_int64_field(dialog_request_body(d, 2), "batchSize", 2);
    ck_assert(bsn_str_equal(dialog_first_key(dialog_request_body(d, 3)), BSN_STR("killCursors")));
    dialog_free(d);
}
END_TEST

Suite *conn_streams_suite(void)
{
    Suite *suite = suite_create("conn_streams");
    TCase *streams = tcase_create("streams");
    tcase_add_test(streams, a_cursor_is_followed_to_its_end_by_what_its_replies_say);
    tcase_add_test(streams, a_stream_is_the_same_in_pieces_of_every_size);
    tcase_add_test(streams, a_stream_that_ends_anywhere_gives_whole_documents_and_an_error);
    tcase_add_test(streams, sending_that_fails_anywhere_fails_the_operation);
    tcase_add_test(streams, many_small_documents_come_in_runs_of_bounded_length);
    tcase_add_test(streams, a_stream_in_its_steady_state_allocates_nothing);
    tcase_add_test(streams, a_document_longer_than_the_window_is_put_together);
    tcase_add_test(streams, a_document_that_only_says_it_is_long_costs_no_memory);
    suite_add_tcase(suite, streams);
    TCase *ending = tcase_create("ending early");
    tcase_add_test(ending, a_cursor_that_is_stopped_is_drained_and_killed);
    tcase_add_test(ending, the_outcome_of_a_kill_does_not_matter);
    tcase_add_test(ending, a_cursor_left_open_at_the_limit_is_killed);
    suite_add_tcase(suite, ending);
    return suite;
}
