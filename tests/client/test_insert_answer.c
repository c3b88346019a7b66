/* SPDX-License-Identifier: Apache-2.0
 *
 * test_insert_answer.c -- inserts of the connection machine: what is made of the answers, in pieces, cut short, and untrue.
 */
#include "client/insert_dialog.h"
#include "suites.h"
#include "support/counting_alloc.h"

#include <bsonic/wire.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what came of it */

static void expect_errors(const bsn_insert_result *result, const told_error *errors, size_t count)
{
    ck_assert_uint_eq(result->failed, count);
    ck_assert_uint_eq(result->error_count, count);
    for (size_t i = 0; i < count; i++) {
        char text[32];
        snprintf(text, sizeof text, "E%d", (int)errors[i].code);
        ck_assert_uint_eq(result->errors[i].index, (uint64_t)errors[i].index);
        ck_assert_int_eq(result->errors[i].code, errors[i].code);
        ck_assert_int_eq(result->errors[i].status, BSN_E_SERVER);
        ck_assert(bsn_str_equal(result->errors[i].message, bsn_str_from(text)));
    }
}

/* Ten documents in batches of four; the second batch's errors are at 1 (and 3) of it. */
START_TEST(errors_of_a_later_message_have_the_stream_s_indexes)
{
    static const server_limits fours = {0, 0, 4};
    static const told_error in_batch[] = {{1, 11000}, {3, 121}};
    static const told_error in_stream[] = {{15, 11000}, {17, 121}};
    for (int unordered = 0; unordered < 2; unordered++) {
        const bsn_insert_options options = {.unordered = unordered != 0};
        inserting *d = inserting_new(&fours);
        corpus *c = corpus_of(10, 40, true);
        for (int i = 0; i < 2; i++) inserting_answer(d, 4, NULL, 0);
        inserting_answer(d, 2, NULL, 0);
        ck_assert_int_eq(inserting_insert(d, c, &options),
                         BSN_CONN_DONE); /* indexes begin at 10 now */
        inserting_answer(d, 4, NULL, 0);
        inserting_answer(d, unordered ? 2 : 1, in_batch, unordered ? 2 : 1);
        inserting_answer(d, 2, NULL, 0);
        ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
        expect_errors(&d->result, in_stream, unordered ? 2 : 1);
        ck_assert_uint_eq(script_request_count(&d->host->peer), 1 + 3 + (unordered ? 3 : 2));
        ck_assert_uint_eq(d->result.documents, 20);
        ck_assert_uint_eq(d->result.inserted, 10 + (unordered ? 8 : 5));
        ck_assert(bsn_conn_usable(d->host->conn));
        free(c);
        inserting_free(d);
    }
}
END_TEST

START_TEST(duplicates_are_passed_by_when_asked_for)
{
    static const told_error errors[] = {{0, 11000}, {1, 11000}, {3, 121}, {4, 11000}};
    static const told_error left[] = {{3, 121}};
    const bsn_insert_options options = {.unordered = true, .ignore_duplicates = true};
    inserting *d = inserting_new(&generous);
    corpus *c = corpus_of(6, 40, true);
    inserting_answer(d, 6, errors, 4); /* a server that counts them all: as one does */
    ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
    expect_errors(&d->result, left, 1);
    ck_assert_uint_eq(d->result.duplicates, 3);
    ck_assert_uint_eq(d->result.inserted, 2);
    free(c);
    inserting_free(d);
}
END_TEST

START_TEST(errors_beyond_the_thousandth_are_counted)
{
    static build replies[12];
    static const server_limits hundreds = {0, 0, 100};
    const bsn_conn_options options = {.window_size = 1024}; /* lists longer than the window */
    const bsn_insert_options unordered = {.unordered = true};
    inserting *d = inserting_open(&options, &hundreds);
    corpus *c = corpus_of(1150, 40, true);
    for (int32_t batch = 0; batch < 12; batch++) {
        told_error errors[100];
        const size_t count = batch < 11 ? 100 : 50;
        for (size_t i = 0; i < count; i++) {
            errors[i].index = (int32_t)(count - 1 - i);
            errors[i].code = 100 + batch;
        }
        replies[batch].len = 0;
        script_reply(&d->host->peer, reply_insert(&replies[batch], 2 + batch, 0, errors, count));
    }
    d->host->peer.send_step = 4096;
    ck_assert_int_eq(inserting_insert(d, c, &unordered), BSN_CONN_DONE);
    ck_assert_uint_eq(d->result.failed, 1150);
    ck_assert_uint_eq(d->result.error_count, BSN_WRITE_ERRORS_MAX);
    ck_assert_uint_eq(d->result.inserted, 0);
    for (size_t i = 0; i < BSN_WRITE_ERRORS_MAX; i++) {
        ck_assert_uint_eq(d->result.errors[i].index, i / 100 * 100 + 99 - i % 100);
        ck_assert_int_eq(d->result.errors[i].code, 100 + (int)(i / 100));
    }
    free(c);
    inserting_free(d);
}
END_TEST

/* Texts of 700 bytes are cut at 512, at the end of a letter; when all room is used up, the rest has none. */
START_TEST(long_words_of_a_server_are_cut_and_bounded)
{
    static build replies[60];
    static char text[701];
    static const server_limits tens = {0, 0, 10};
    const bsn_insert_options unordered = {.unordered = true};
    inserting *d = inserting_new(&tens);
    corpus *c = corpus_of(600, 40, true);
    for (size_t i = 0; i < 700; i++)
        text[i] = i % 2 == 1 ? '\xC3' : '\xA9'; /* the first is a letter's end */
    text[0] = 'x';
    for (int32_t batch = 0; batch < 60; batch++) {
        build *b = &replies[batch];
        b->len = 0;
        const size_t message = build_header(b, 9, 2 + batch, BSN_OP_MSG);
        build_u32(b, 0);
        build_u8(b, 0);
        const size_t body = build_open(b);
        build_element(b, BSN_TYPE_DOUBLE, "n");
        build_f64(b, 0);
        build_element(b, BSN_TYPE_ARRAY, "writeErrors");
        const size_t list = build_open(b);
        for (int32_t i = 0; i < 10; i++) {
            build_element(b, BSN_TYPE_DOCUMENT, "0");
            const size_t error = build_open(b);
            build_element(b, BSN_TYPE_STRING, "errmsg");
            build_string(b, text);
            build_element(b, BSN_TYPE_DOUBLE, "index");
            build_f64(b, i);
            build_close(b, error);
        }
        build_close(b, list);
        build_element(b, BSN_TYPE_INT32, "ok");
        build_i32(b, 1);
        build_close(b, body);
        build_patch(b, message);
        script_reply(&d->host->peer, build_view(b));
    }
    ck_assert_int_eq(inserting_insert(d, c, &unordered), BSN_CONN_DONE);
    ck_assert_uint_eq(d->result.error_count, 600);
    size_t total = 0;
    for (size_t i = 0; i < 600; i++) {
        const bsn_str kept = d->result.errors[i].message;
        ck_assert_uint_eq(d->result.errors[i].index, i);
        if (i == 0) ck_assert_uint_eq(kept.len, 511);
        if (kept.len > 0) ck_assert_mem_eq(kept.ptr, text, kept.len);
        total += kept.len;
    }
    ck_assert_uint_le(total, 200 * 1024);
    ck_assert_uint_gt(total, 199 * 1024);
    ck_assert_uint_eq(d->result.errors[599].message.len, 0);
    free(c);
    inserting_free(d);
}
END_TEST

START_TEST(a_write_concern_that_fails_is_told_and_writing_goes_on)
{
    static const server_limits twos = {0, 0, 2};
    inserting *d = inserting_new(&twos);
    corpus *c = corpus_of(6, 40, true);
    script_reply(&d->host->peer, reply_insert(&d->host->bytes, 2, 2, NULL, 0));
    script_reply(&d->host->peer, reply_concern(&d->host->bytes, 3, 2, 64, "waiting timed out"));
    script_reply(&d->host->peer, reply_concern(&d->host->bytes, 4, 2, 79, "unknown mode"));
    ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_DONE);
    ck_assert_uint_eq(d->result.inserted, 6);
    ck_assert_uint_eq(d->result.failed, 0);
    ck_assert_uint_eq(d->result.concern_errors, 2);
    ck_assert_int_eq(d->result.concern_code, 64);
    ck_assert(bsn_str_equal(d->result.concern_message, BSN_STR("waiting timed out")));
    free(c);
    inserting_free(d);
}
END_TEST

/* The room for a reply's own fields holds 1 KiB: what does not fit is not passed over in silence. */
START_TEST(a_write_concern_error_that_cannot_be_kept_is_told_as_unknown)
{
    static char text[3000];
    const bsn_conn_options options = {.reply_max = 1024};
    inserting *d = inserting_open(&options, &generous);
    corpus *c = corpus_of(2, 40, true);
    memset(text, 'x', sizeof text - 1);
    script_reply(&d->host->peer, reply_concern(&d->host->bytes, 2, 2, 64, text));
    ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_DONE);
    ck_assert_uint_eq(d->result.inserted, 2);
    ck_assert_uint_eq(d->result.concern_errors, 1);
    ck_assert_int_eq(d->result.concern_code, 0);
    ck_assert_uint_gt(d->result.concern_message.len, 0);
    free(c);
    inserting_free(d);
}
END_TEST

START_TEST(a_command_that_is_refused_ends_the_insert_and_not_the_connection)
{
    static const server_limits twos = {0, 0, 2};
    for (int unordered = 0; unordered < 2; unordered++) {
        const bsn_insert_options options = {.unordered = unordered != 0};
        bsn_error err = {0};
        inserting *d = inserting_new(&twos);
        corpus *c = corpus_of(6, 40, true);
        inserting_answer(d, 2, NULL, 0);
        script_reply(&d->host->peer,
                     reply_error(&d->host->bytes, 3, "not primary", 10107, "NotWritablePrimary"));
        ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_FAILED);
        dialog_expect_failure(d->host, BSN_E_SERVER, true);
        ck_assert_int_eq(bsn_conn_error(d->host->conn, &err), BSN_E_SERVER);
        ck_assert_uint_eq(err.offset, 10107);
        ck_assert_uint_eq(d->result.inserted, 2);
        ck_assert_uint_eq(d->result.failed, 0);
        ck_assert_uint_eq(script_request_count(&d->host->peer), 3);
        inserting_answer(d, 2, NULL, 0);
        c->count = 2;
        ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
        ck_assert_uint_eq(d->result.inserted, 4);
        free(c);
        inserting_free(d);
    }
}
END_TEST

START_TEST(stopping_ends_the_insert_with_the_message_at_hand)
{
    static const server_limits twos = {0, 0, 2};
    inserting *d = inserting_new(&twos);
    corpus *c = corpus_of(6, 40, true);
    inserting_answer(d, 2, NULL, 0);
    inserting_answer(d, 2, NULL, 0);
    ck_assert_int_eq(bsn_conn_insert(d->host->conn, BSN_STR("db"), BSN_STR("c"), c->docs, c->count,
                                     NULL, &d->result),
                     BSN_OK);
    ck_assert_int_eq(bsn_conn_step(d->host->conn), BSN_CONN_SEND);
    bsn_conn_stop(d->host->conn);
    ck_assert_int_eq(dialog_run(d->host), BSN_CONN_DONE);
    ck_assert_uint_eq(script_request_count(&d->host->peer), 2);
    ck_assert_uint_eq(d->result.inserted, 2);
    c->count = 2;
    ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_DONE);
    ck_assert_uint_eq(d->result.inserted, 4);
    free(c);
    inserting_free(d);
}
END_TEST

/* ------------------------------------------------------------------ answers in pieces, cut short, untrue */

static const told_error some_errors[] = {{0, 11000}, {2, 121}};

START_TEST(answers_may_come_in_pieces_of_any_size)
{
    static const server_limits fours = {0, 0, 4};
    static const told_error expected[] = {{0, 11000}, {2, 121}, {4, 11000}, {6, 121}};
    const bsn_insert_options options = {.unordered = true};
    size_t longest = 2;
    for (size_t step = 1; step < longest; step++) {
        inserting *d = inserting_new(&fours);
        corpus *c = corpus_of(8, 40, true);
        d->host->peer.receive_step = step;
        inserting_answer(d, 2, some_errors, 2);
        inserting_answer(d, 2, some_errors, 2);
        longest = d->host->peer.replies[1].len + 1;
        ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
        expect_errors(&d->result, expected, 4);
        ck_assert_uint_eq(d->result.inserted, 4);
        free(c);
        inserting_free(d);
    }
}
END_TEST

START_TEST(an_answer_that_breaks_off_at_any_byte_fails_and_keeps_what_was_answered_before)
{
    static const server_limits fours = {0, 0, 4};
    const bsn_insert_options options = {.unordered = true};
    size_t len = 1;
    for (size_t cut = 0; cut < len; cut++) {
        inserting *d = inserting_new(&fours);
        corpus *c = corpus_of(8, 40, true);
        inserting_answer(d, 4, NULL, 0);
        inserting_answer(d, 2, some_errors, 2);
        len = d->host->peer.replies[2].len;
        d->host->peer.received_max = d->host->peer.received + d->host->peer.replies[1].len + cut;
        ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_FAILED);
        dialog_expect_failure(d->host, BSN_E_CLOSED, false);
        ck_assert_uint_eq(d->result.inserted, 4);
        ck_assert_uint_le(d->result.failed, 2);
        ck_assert_int_eq(bsn_conn_insert(d->host->conn, BSN_STR("db"), BSN_STR("c"), c->docs,
                                         c->count, &options, &d->result),
                         BSN_E_STATE);
        free(c);
        inserting_free(d);
    }
}
END_TEST

START_TEST(a_stream_that_breaks_while_sending_fails)
{
    size_t len = 1;
    for (size_t cut = 0; cut < len; cut += 7) {
        inserting *d = inserting_new(&generous);
        corpus *c = corpus_of(8, 40, true);
        inserting_answer(d, 8, NULL, 0);
        const size_t before = d->host->peer.sent_len;
        d->host->peer.sent_max = before + cut;
        ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_FAILED);
        dialog_expect_failure(d->host, BSN_E_CLOSED, false);
        ck_assert_uint_eq(d->result.inserted, 0);
        ck_assert_int_eq(bsn_conn_step(d->host->conn),
                         BSN_CONN_FAILED); /* and nothing more is to be sent */
        len = 8 * 40;
        free(c);
        inserting_free(d);
    }
}
END_TEST

#define ERROR(fields) "03 3000 " fields
#define LIST(len, errors) "04 77726974654572726F727300 " len "000000 " errors "00"
#define N(number) "10 6E00 " number "000000 "
#define OK_1 "10 6F6B00 01000000"
#define INDEX_0 "10000000 10 696E64657800 00000000 00"
#define INDEX_1 "10000000 10 696E64657800 01000000 00"

START_TEST(answers_that_cannot_be_are_refused)
{
    static const struct {
        const char *name;
        bool unordered;
        const char *elements; /* to an insert of two */
    } rows[] = {
        {"no count", false, OK_1},
        {"a count of no number", false, "0A 6E00 " OK_1},
        {"a count of half a document", false, "01 6E00 000000000000F83F " OK_1},
        {"a count below zero", false, "10 6E00 FFFFFFFF " OK_1},
        {"more than were sent", false, N("03") OK_1},
        {"fewer than were sent", false, N("01") OK_1},
        {"none, and no error", true, N("00") OK_1},
        {"one of two, and an error that says nothing of the other", true,
         N("00") LIST("18", ERROR(INDEX_1)) OK_1},
        {"an error without an index", false, N("00") LIST("0D", ERROR("05000000 00")) OK_1},
        {"an error of the third", false,
         N("02") LIST("18", ERROR("10000000 10 696E64657800 02000000 00")) OK_1},
        {"an error below zero", false,
         N("02") LIST("18", ERROR("10000000 10 696E64657800 FFFFFFFF 00")) OK_1},
        {"an error of half a document", false,
         N("02") LIST("1C", ERROR("14000000 01 696E64657800 000000000000E03F 00")) OK_1},
        {"an error of a huge index", false,
         N("02") LIST("1C", ERROR("14000000 12 696E64657800 FFFFFFFFFFFFFF7F 00")) OK_1},
        {"in order, but two errors", false, N("00") LIST("2B", ERROR(INDEX_0) ERROR(INDEX_1)) OK_1},
        {"in order, two errors and the count of both", false,
         N("02") LIST("2B", ERROR(INDEX_0) ERROR(INDEX_1)) OK_1},
        {"in order, and fewer than before the error", false,
         N("00") LIST("18", ERROR(INDEX_1)) OK_1},
        {"three errors of two", true,
         N("00") LIST("3E", ERROR(INDEX_0) ERROR(INDEX_1) ERROR(INDEX_1)) OK_1},
        {"a cursor", false,
         "03 637572736F7200 11000000 12 696400 0000000000000000 00" N("02") OK_1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bsn_insert_options options = {.unordered = rows[i].unordered};
        bsn_error err = {0};
        inserting *d = inserting_new(&generous);
        corpus *c = corpus_of(2, 40, true);
        script_reply(&d->host->peer, reply_of(&d->host->bytes, 2, 0, rows[i].elements));
        ck_assert_msg(inserting_insert(d, c, &options) == BSN_CONN_FAILED, "%s", rows[i].name);
        ck_assert_msg(bsn_conn_error(d->host->conn, &err) == BSN_E_PROTOCOL, "%s: %s (%s)",
                      rows[i].name, bsn_status_text(err.status),
                      err.detail != NULL ? err.detail : "");
        ck_assert(!bsn_conn_usable(d->host->conn));
        ck_assert_uint_eq(d->result.inserted, 0);
        free(c);
        inserting_free(d);
    }
}
END_TEST

START_TEST(an_unsound_write_error_fails_with_its_own_fault)
{
    inserting *d = inserting_new(&generous);
    corpus *c = corpus_of(2, 40, true);
    script_reply(&d->host->peer, reply_of(&d->host->bytes, 2, 0,
                                          N("00") LIST("10", ERROR("08000000 20 6100 00")) OK_1));
    ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_FAILED);
    dialog_expect_failure(d->host, BSN_E_TYPE, false);
    free(c);
    inserting_free(d);
}
END_TEST

/* ------------------------------------------------------------------ memory */

START_TEST(in_the_steady_state_nothing_is_allocated)
{
    static const server_limits twos = {0, 0, 2};
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_conn_options options = {.alloc = &counter.alloc};
    inserting *d = inserting_open(&options, &twos);
    corpus *c = corpus_of(8, 40, true);
    for (int i = 0; i < 4 * 5; i++) inserting_answer(d, 2, NULL, 0);
    ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_DONE);
    const size_t requests = counting_alloc_requests(&counter);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_DONE);
    ck_assert_uint_eq(counting_alloc_requests(&counter), requests);
    free(c);
    inserting_free(d);
    counting_alloc_finish(&counter);
}
END_TEST

Suite *insert_answer_suite(void)
{
    Suite *suite = suite_create("insert_answer");
    TCase *answered = tcase_create("answered");
    tcase_add_test(answered, errors_of_a_later_message_have_the_stream_s_indexes);
    tcase_add_test(answered, duplicates_are_passed_by_when_asked_for);
    tcase_add_test(answered, errors_beyond_the_thousandth_are_counted);
    tcase_add_test(answered, long_words_of_a_server_are_cut_and_bounded);
    tcase_add_test(answered, a_write_concern_that_fails_is_told_and_writing_goes_on);
    tcase_add_test(answered, a_write_concern_error_that_cannot_be_kept_is_told_as_unknown);
    tcase_add_test(answered, a_command_that_is_refused_ends_the_insert_and_not_the_connection);
    tcase_add_test(answered, stopping_ends_the_insert_with_the_message_at_hand);
    tcase_add_test(answered, answers_may_come_in_pieces_of_any_size);
    tcase_add_test(answered,
                   an_answer_that_breaks_off_at_any_byte_fails_and_keeps_what_was_answered_before);
    tcase_add_test(answered, a_stream_that_breaks_while_sending_fails);
    tcase_add_test(answered, answers_that_cannot_be_are_refused);
    tcase_add_test(answered, an_unsound_write_error_fails_with_its_own_fault);
    suite_add_tcase(suite, answered);
    TCase *memory = tcase_create("memory");
    tcase_add_test(memory, in_the_steady_state_nothing_is_allocated);
    suite_add_tcase(suite, memory);
    return suite;
}
