/* SPDX-License-Identifier: Apache-2.0
 *
 * test_insert.c -- inserts of the connection machine: how documents are cut into messages, and how they get there.
 */
#include "client/insert_dialog.h"
#include "suites.h"

#include <bsonic/wire.h>

#include <stdlib.h>
#include <string.h>

/* Bytes of an insert's message that are not its documents. */
static size_t head_len(void)
{
    inserting *d = inserting_new(&generous);
    corpus *c = corpus_of(1, 100, false);
    inserting_answer(d, 1, NULL, 0);
    ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_DONE);
    const size_t len = script_request(&d->host->peer, 1).len - 100;
    free(c);
    inserting_free(d);
    return len;
}

/* ------------------------------------------------------------------ what is sent */

START_TEST(an_insert_says_where_how_and_what)
{
    static const uint8_t majority[] = {0x15, 0,   0,   0,   0x02, 'w', 0,   9,   0, 0, 0,
                                       'm',  'a', 'j', 'o', 'r',  'i', 't', 'y', 0, 0};
    inserting *d = inserting_new(&generous);
    corpus *c = corpus_of(3, 40, true);
    bsn_insert_options options = {.unordered = true, .write_concern = {majority, sizeof majority}};
    bsn_doc body, reply;
    bsn_value value;
    inserting_answer(d, 3, NULL, 0);
    inserting_answer(d, 3, NULL, 0);
    ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
    inserting_expect_request(d, 1, c, 0, 3);
    inserting_documents(d, 1, &body);
    bsn_iter it;
    bsn_iter_init(&it, body);
    ck_assert(bsn_iter_next(&it) && bsn_iter_key_is(&it, BSN_STR("insert")));
    ck_assert(bsn_str_equal(bsn_iter_value(&it).as.str, BSN_STR("c")));
    ck_assert(bsn_iter_next(&it) && bsn_iter_key_is(&it, BSN_STR("ordered")));
    ck_assert(!bsn_iter_value(&it).as.boolean);
    ck_assert(bsn_iter_next(&it) && bsn_iter_key_is(&it, BSN_STR("writeConcern")));
    ck_assert_uint_eq(bsn_iter_value(&it).as.doc.len, sizeof majority);
    ck_assert(bsn_iter_next(&it) && bsn_iter_key_is(&it, BSN_STR("$db")));
    ck_assert(bsn_str_equal(bsn_iter_value(&it).as.str, BSN_STR("db")));
    ck_assert(!bsn_iter_next(&it));
    ck_assert(bsn_conn_reply(d->host->conn, &reply));
    ck_assert_int_eq(bsn_find_value(reply, BSN_STR("n"), &value, NULL), BSN_OK);

    ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_DONE); /* the defaults */
    inserting_documents(d, 2, &body);
    ck_assert_int_eq(bsn_find_value(body, BSN_STR("ordered"), &value, NULL), BSN_OK);
    ck_assert(value.as.boolean);
    ck_assert_int_eq(bsn_find_value(body, BSN_STR("writeConcern"), &value, NULL), BSN_E_NOT_FOUND);
    ck_assert_uint_eq(d->result.documents, 6);
    ck_assert_uint_eq(d->result.inserted, 6);
    ck_assert_uint_eq(d->result.batches, 2);
    ck_assert_uint_eq(d->result.failed, 0);
    free(c);
    inserting_free(d);
}
END_TEST

START_TEST(what_cannot_be_inserted_is_refused_before_anything_is_sent)
{
    static const uint8_t zero[] = {12, 0, 0, 0, 0x10, 'w', 0, 0, 0, 0, 0, 0};
    static const uint8_t zero_double[] = {16, 0, 0, 0, 0x01, 'w', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const bsn_insert_options none = {0}, w0 = {.write_concern = {zero, sizeof zero}},
                             w0_double = {.write_concern = {zero_double, sizeof zero_double}},
                             skip_in_order = {.ignore_duplicates = true};
    const struct {
        const char *db, *collection;
        const bsn_insert_options *options;
        bsn_status status;
    } rows[] = {
        {"", "c", &none, BSN_E_VALUE},
        {"db", "", &none, BSN_E_VALUE},
        {"db", "c", &w0, BSN_E_UNSUPPORTED},
        {"db", "c", &w0_double, BSN_E_UNSUPPORTED},
        {"db", "c", &skip_in_order, BSN_E_VALUE},
    };
    inserting *d = inserting_new(&generous);
    corpus *c = corpus_of(1, 40, true);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_int_eq(bsn_conn_insert(d->host->conn, bsn_str_from(rows[i].db),
                                         bsn_str_from(rows[i].collection), c->docs, 1,
                                         rows[i].options, &d->result),
                         rows[i].status);
        ck_assert_uint_eq(d->result.documents, 0);
    }
    ck_assert_uint_eq(script_request_count(&d->host->peer), 1);
    inserting_answer(d, 1, NULL, 0);
    ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_DONE);
    free(c);
    inserting_free(d);
}
END_TEST

START_TEST(a_collection_s_name_longer_than_a_message_is_refused)
{
    static const server_limits small = {0, 1024, 0};
    static char name[2000];
    inserting *d = inserting_new(&small);
    corpus *c = corpus_of(1, 40, true);
    memset(name, 'x', sizeof name);
    const bsn_str collection = {.ptr = name, .len = sizeof name};
    ck_assert_int_eq(
        bsn_conn_insert(d->host->conn, BSN_STR("db"), collection, c->docs, 1, NULL, &d->result),
        BSN_E_SIZE);
    inserting_answer(d, 1, NULL, 0);
    ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_DONE);
    free(c);
    inserting_free(d);
}
END_TEST

START_TEST(no_documents_are_no_message)
{
    inserting *d = inserting_new(&generous);
    corpus *c = corpus_new();
    ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_DONE);
    ck_assert_uint_eq(script_request_count(&d->host->peer), 1);
    ck_assert_uint_eq(d->result.batches, 0);
    free(c);
    inserting_free(d);
}
END_TEST

/* Whatever the documents' lengths and places are: copied, described, joined, and every mixture; in sends of every size. */
START_TEST(documents_arrive_byte_for_byte_in_sends_of_any_size)
{
    static const size_t lens[] = {31, 4095, 4096, 4097, 1000, 40, 31, 33, 600, 24};
    static const size_t steps[] = {1, 3, 100, 4095, 4096, SIZE_MAX};
    for (unsigned scatter = 0; scatter < 8; scatter++) {
        corpus *c = corpus_new();
        for (size_t i = 0; i < 30; i++) {
            corpus_add(c, true, lens[i % (sizeof lens / sizeof lens[0])]);
            if ((scatter >> (i % 3) & 1) != 0) c->len++;
        }
        /* Small steps take long: with one of the mixtures. */
        for (size_t i = scatter == 5 ? 0 : 2; i < sizeof steps / sizeof steps[0]; i++) {
            inserting *d = inserting_new(&generous);
            d->host->peer.send_step = steps[i];
            inserting_answer(d, 30, NULL, 0);
            ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_DONE);
            inserting_expect_request(d, 1, c, 0, 30);
            ck_assert_uint_eq(d->result.inserted, 30);
            ck_assert_uint_eq(bsn_conn_get_stats(d->host->conn).bytes_sent, d->host->peer.sent_len);
            inserting_free(d);
        }
        free(c);
    }
}
END_TEST

START_TEST(neighbours_are_one_piece_where_they_lie)
{
    inserting *d = inserting_new(&generous);
    corpus *c = corpus_of(500, 40, false);
    bsn_iovec iov[8];
    inserting_answer(d, 500, NULL, 0);
    ck_assert_int_eq(bsn_conn_insert(d->host->conn, BSN_STR("db"), BSN_STR("c"), c->docs, c->count,
                                     NULL, &d->result),
                     BSN_OK);
    ck_assert_int_eq(bsn_conn_step(d->host->conn), BSN_CONN_SEND);
    ck_assert_uint_eq(bsn_conn_output(d->host->conn, iov, 8), 2);
    ck_assert_ptr_eq(iov[1].ptr, c->bytes);
    ck_assert_uint_eq(iov[1].len, c->len);
    ck_assert_uint_eq(bsn_conn_output(d->host->conn, iov, 1), 1);
    ck_assert_int_eq(dialog_run(d->host), BSN_CONN_DONE);
    inserting_expect_request(d, 1, c, 0, 500);
    free(c);
    inserting_free(d);
}
END_TEST

/* More than the machine lays out at once, in both measures: bytes that are copied, and pieces. */
START_TEST(what_is_laid_out_in_several_goes_arrives_byte_for_byte)
{
    static uint8_t sent[600 * 1024];
    static const struct {
        size_t count, lens[2];
    } rows[] = {{1000, {300, 400}}, {100, {4096, 4200}}, {150, {4097, 30}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        inserting *d = inserting_new(&generous);
        corpus *c = corpus_new();
        bsn_msg msg;
        bsn_bytes documents;
        for (size_t k = 0; k < rows[i].count; k++) {
            corpus_add(c, true, rows[i].lens[k % 2]);
            c->len++;
        }
        ck_assert_int_eq(bsn_conn_insert(d->host->conn, BSN_STR("db"), BSN_STR("c"), c->docs,
                                         c->count, NULL, &d->result),
                         BSN_OK);
        size_t len = 0, goes = 0;
        for (; bsn_conn_step(d->host->conn) == BSN_CONN_SEND; goes++) {
            bsn_iovec iov[128];
            const size_t count = bsn_conn_output(d->host->conn, iov, 128);
            ck_assert_uint_gt(count, 0);
            const size_t before = len;
            for (size_t k = 0; k < count; k++) {
                ck_assert_uint_le(iov[k].len, sizeof sent - len);
                memcpy(sent + len, iov[k].ptr, iov[k].len);
                len += iov[k].len;
            }
            bsn_conn_sent(d->host->conn, len - before);
        }
        ck_assert_uint_gt(goes, 1);
        const bsn_bytes message = {sent, len};
        ck_assert_int_eq(bsn_msg_open(message, &msg, NULL), BSN_OK);
        ck_assert(bsn_msg_find_sequence(&msg, BSN_STR("documents"), &documents));
        for (size_t k = 0; k < c->count; k++) {
            bsn_doc doc;
            ck_assert_int_eq(bsn_doc_take(&documents, &doc, NULL), BSN_OK);
            ck_assert(bsn_bytes_equal(bsn_doc_bytes(doc), bsn_doc_bytes(c->docs[k])));
        }
        ck_assert_uint_eq(documents.len, 0);
        free(c);
        inserting_free(d);
    }
}
END_TEST

/* ------------------------------------------------------------------ limits */

START_TEST(messages_hold_as_many_documents_as_the_server_takes)
{
    static const struct {
        int32_t server;
        uint32_t wanted, most;
    } rows[] = {{1, 0, 1}, {7, 0, 7}, {7, 8, 7}, {7, 7, 7}, {7, 3, 3}, {100000, 5, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t count = 1; count <= 2 * rows[i].most + 1; count++) {
            const server_limits told_limits = {0, 0, rows[i].server};
            const bsn_insert_options options = {.batch_max = rows[i].wanted};
            inserting *d = inserting_new(&told_limits);
            corpus *c = corpus_of(count, 40, true);
            for (size_t left = count; left > 0;) {
                const size_t part = left < rows[i].most ? left : rows[i].most;
                inserting_answer(d, (int32_t)part, NULL, 0);
                left -= part;
            }
            ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
            const size_t requests = (count + rows[i].most - 1) / rows[i].most;
            ck_assert_uint_eq(script_request_count(&d->host->peer), 1 + requests);
            for (size_t r = 0; r < requests; r++) {
                const size_t first = r * rows[i].most;
                const size_t part = count - first < rows[i].most ? count - first : rows[i].most;
                inserting_expect_request(d, 1 + r, c, first, part);
            }
            ck_assert_uint_eq(d->result.inserted, count);
            ck_assert_uint_eq(d->result.batches, requests);
            free(c);
            inserting_free(d);
        }
    }
}
END_TEST

/* Ten documents of 530 bytes: nine fit a message to the byte, header and body counted; a byte less, and eight do. */
START_TEST(messages_are_as_long_as_the_server_takes_and_not_a_byte_longer)
{
    const size_t head = head_len();
    for (int difference = -1; difference <= 1; difference++) {
        const size_t exact = head + 9 * 530;
        const server_limits told_limits = {0, (int32_t)((int)exact + difference), 0};
        const size_t in_first = difference < 0 ? 8 : 9;
        inserting *d = inserting_new(&told_limits);
        corpus *c = corpus_of(10, 530, true);
        inserting_answer(d, (int32_t)in_first, NULL, 0);
        inserting_answer(d, (int32_t)(10 - in_first), NULL, 0);
        ck_assert_int_eq(inserting_insert(d, c, NULL), BSN_CONN_DONE);
        ck_assert_uint_eq(script_request_count(&d->host->peer), 3);
        inserting_expect_request(d, 1, c, 0, in_first);
        inserting_expect_request(d, 2, c, in_first, 10 - in_first);
        ck_assert_uint_eq(script_request(&d->host->peer, 1).len, head + in_first * 530);
        free(c);
        inserting_free(d);
    }
}
END_TEST

/* An _id that is added counts: for the document's limit and for the message's. */
START_TEST(documents_too_long_fail_by_themselves_at_the_exact_byte)
{
    static const uint8_t entropy[BSN_OID_ENTROPY_LEN] = {1, 2, 3, 4, 5, 0, 0, 0};
    for (int with_id = 0; with_id < 2; with_id++) {
        for (size_t over = 0; over < 2; over++) {
            for (int unordered = 0; unordered < 2; unordered++) {
                const server_limits told_limits = {2000, 48000000, 0};
                const size_t len = 2000 + over - (with_id ? 0 : ID_BYTES);
                bsn_oid_source ids;
                bsn_oid_source_init(&ids, entropy);
                const bsn_insert_options options = {.unordered = unordered != 0, .ids = &ids};
                inserting *d = inserting_new(&told_limits);
                corpus *c = corpus_of(2, 40, true);
                corpus_add(c, with_id != 0, len);
                corpus_add(c, true, 40);
                inserting_answer(d, over ? 2 : 4, NULL, 0);
                inserting_answer(d, 1, NULL, 0);
                ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
                const size_t requests = over ? (unordered ? 2 : 1) : 1;
                ck_assert_uint_eq(script_request_count(&d->host->peer), 1 + requests);
                ck_assert_uint_eq(d->result.failed, over);
                ck_assert_uint_eq(d->result.inserted, over ? (unordered ? 3 : 2) : 4);
                if (over) {
                    const bsn_write_error *error = &d->result.errors[0];
                    ck_assert_uint_eq(error->index, 2);
                    ck_assert_int_eq(error->status, BSN_E_SIZE);
                    ck_assert_int_eq(error->code, 0);
                    ck_assert_uint_gt(error->message.len, 0);
                    inserting_expect_request(d, 1, c, 0, 2);
                    if (unordered) inserting_expect_request(d, 2, c, 3, 1);
                }
                free(c);
                inserting_free(d);
            }
        }
    }
}
END_TEST

START_TEST(a_document_as_long_as_a_message_can_be_is_sent_alone)
{
    const size_t head = head_len();
    for (size_t over = 0; over < 2; over++) {
        const server_limits told_limits = {0, 3000, 0};
        const bsn_insert_options options = {.unordered = true};
        inserting *d = inserting_new(&told_limits);
        corpus *c = corpus_of(1, 40, true);
        corpus_add(c, true, 3000 - head + over);
        corpus_add(c, true, 40);
        for (int i = 0; i < 3; i++) inserting_answer(d, 1, NULL, 0);
        ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
        ck_assert_uint_eq(script_request_count(&d->host->peer), over ? 3 : 4);
        if (!over) ck_assert_uint_eq(script_request(&d->host->peer, 2).len, 3000);
        ck_assert_uint_eq(d->result.failed, over);
        ck_assert_uint_eq(d->result.inserted, 3 - over);
        free(c);
        inserting_free(d);
    }
}
END_TEST

START_TEST(documents_that_are_all_too_long_are_all_told_and_nothing_is_sent)
{
    static const server_limits told_limits = {1024, 0, 0};
    const bsn_insert_options options = {.unordered = true};
    inserting *d = inserting_new(&told_limits);
    corpus *c = corpus_of(20, 1025, true);
    ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
    ck_assert_uint_eq(script_request_count(&d->host->peer), 1);
    ck_assert_uint_eq(d->result.failed, 20);
    for (size_t i = 0; i < 20; i++) ck_assert_uint_eq(d->result.errors[i].index, i);
    inserting_answer(d, 20, NULL, 0);
    free(c);
    c = corpus_of(20, 40, true);
    ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
    ck_assert_uint_eq(d->result.inserted, 20);
    free(c);
    inserting_free(d);
}
END_TEST

/* ------------------------------------------------------------------ _id */

/* Takes a document with a new _id apart, and compares the rest. */
static void expect_new_id(bsn_doc doc, bsn_doc original, bsn_oid *id)
{
    bsn_iter it;
    ck_assert_uint_eq(doc.len, original.len + ID_BYTES);
    bsn_iter_init(&it, doc);
    ck_assert(bsn_iter_next(&it));
    ck_assert(bsn_iter_key_is(&it, BSN_STR("_id")));
    ck_assert_int_eq(bsn_iter_type(&it), BSN_TYPE_OID);
    *id = bsn_iter_value(&it).as.oid;
    ck_assert_mem_eq(doc.ptr + 4 + ID_BYTES, original.ptr + 4, original.len - 4);
}

START_TEST(documents_without_an_id_get_one_in_front)
{
    static const uint8_t entropy[BSN_OID_ENTROPY_LEN] = {1, 2, 3, 4, 5, 0xFF, 0xFF, 0xFE};
    static const size_t lens[] = {15, 20, 500, 4099, 4100, 4101};
    static const size_t steps[] = {1, 5, 300, SIZE_MAX};
    for (size_t step = 0; step < 4; step++) {
        bsn_oid_source ids;
        bsn_oid_source_init(&ids, entropy);
        const bsn_insert_options options = {.ids = &ids, .seconds = 0x01020304};
        inserting *d = inserting_new(&generous);
        corpus *c = corpus_new();
        d->host->peer.send_step = steps[step];
        for (size_t i = 0; i < 24; i++) {
            corpus_add(c, i % 5 == 0, i % 5 == 0 ? 40 : lens[i % 6 == 5 && i > 12 ? 0 : i % 6]);
            if (i % 7 == 0) c->len++;
        }
        inserting_answer(d, 24, NULL, 0);
        ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
        bsn_doc body, doc;
        bsn_bytes documents = inserting_documents(d, 1, &body);
        uint32_t counter = 0xFFFFFE;
        for (size_t i = 0; i < 24; i++) {
            bsn_oid id;
            ck_assert_int_eq(bsn_doc_take(&documents, &doc, NULL), BSN_OK);
            if (i % 5 == 0) {
                ck_assert_mem_eq(doc.ptr, c->docs[i].ptr, doc.len);
                continue;
            }
            expect_new_id(doc, c->docs[i], &id);
            const uint8_t expected[] = {1,
                                        2,
                                        3,
                                        4,
                                        1,
                                        2,
                                        3,
                                        4,
                                        5,
                                        (uint8_t)(counter >> 16),
                                        (uint8_t)(counter >> 8),
                                        (uint8_t)counter};
            ck_assert_mem_eq(id.bytes, expected, sizeof expected);
            counter = (counter + 1) & 0xFFFFFF;
        }
        ck_assert_uint_eq(documents.len, 0);
        free(c);
        inserting_free(d);
    }
}
END_TEST

START_TEST(an_id_that_is_not_the_first_field_or_not_wanted_changes_nothing)
{
    static const uint8_t entropy[BSN_OID_ENTROPY_LEN] = {0};
    static const uint8_t late[] = {22, 0, 0,    0,   0x10, '_', 'i', 'x',  0,   1, 0,
                                   0,  0, 0x0A, '_', 'i',  'd', 0,   0x0A, 'a', 0, 0};
    static const uint8_t empty[] = {5, 0, 0, 0, 0};
    bsn_oid_source ids;
    bsn_oid_source_init(&ids, entropy);
    for (int wanted = 0; wanted < 2; wanted++) {
        const bsn_insert_options options = {.ids = wanted ? &ids : NULL};
        inserting *d = inserting_new(&generous);
        corpus *c = corpus_new();
        const bsn_doc docs[] = {{late, sizeof late}, {empty, sizeof empty}};
        memcpy(c->docs, docs, sizeof docs);
        c->count = wanted ? 1 : 2;
        inserting_answer(d, (int32_t)c->count, NULL, 0);
        ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
        inserting_expect_request(d, 1, c, 0, c->count);
        free(c);
        inserting_free(d);
    }
}
END_TEST

START_TEST(a_damaged_document_without_an_id_fails_by_itself)
{
    static const uint8_t damaged[] = {8, 0, 0, 0, 0x20, 'a', 0, 0};
    static const uint8_t entropy[BSN_OID_ENTROPY_LEN] = {0};
    bsn_oid_source ids;
    bsn_oid_source_init(&ids, entropy);
    const bsn_insert_options options = {.ids = &ids};
    inserting *d = inserting_new(&generous);
    corpus *c = corpus_of(3, 40, true);
    const bsn_doc doc = {damaged, sizeof damaged};
    c->docs[1] = doc;
    inserting_answer(d, 1, NULL, 0);
    ck_assert_int_eq(inserting_insert(d, c, &options), BSN_CONN_DONE);
    inserting_expect_request(d, 1, c, 0, 1);
    ck_assert_uint_eq(d->result.failed, 1);
    ck_assert_uint_eq(d->result.errors[0].index, 1);
    ck_assert_int_eq(d->result.errors[0].status, BSN_E_TYPE);
    free(c);
    inserting_free(d);
}
END_TEST

Suite *insert_suite(void)
{
    Suite *suite = suite_create("insert");
    TCase *sent = tcase_create("sent");
    tcase_add_test(sent, an_insert_says_where_how_and_what);
    tcase_add_test(sent, what_cannot_be_inserted_is_refused_before_anything_is_sent);
    tcase_add_test(sent, a_collection_s_name_longer_than_a_message_is_refused);
    tcase_add_test(sent, no_documents_are_no_message);
    tcase_add_test(sent, documents_arrive_byte_for_byte_in_sends_of_any_size);
    tcase_add_test(sent, neighbours_are_one_piece_where_they_lie);
    tcase_add_test(sent, what_is_laid_out_in_several_goes_arrives_byte_for_byte);
    tcase_add_test(sent, messages_hold_as_many_documents_as_the_server_takes);
    tcase_add_test(sent, messages_are_as_long_as_the_server_takes_and_not_a_byte_longer);
    tcase_add_test(sent, documents_too_long_fail_by_themselves_at_the_exact_byte);
    tcase_add_test(sent, a_document_as_long_as_a_message_can_be_is_sent_alone);
    tcase_add_test(sent, documents_that_are_all_too_long_are_all_told_and_nothing_is_sent);
    suite_add_tcase(suite, sent);
    TCase *ids = tcase_create("ids");
    tcase_add_test(ids, documents_without_an_id_get_one_in_front);
    tcase_add_test(ids, an_id_that_is_not_the_first_field_or_not_wanted_changes_nothing);
    tcase_add_test(ids, a_damaged_document_without_an_id_fails_by_itself);
    suite_add_tcase(suite, ids);
    return suite;
}
