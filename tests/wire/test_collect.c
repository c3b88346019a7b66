/* SPDX-License-Identifier: Apache-2.0
 *
 * test_collect.c -- a reply's own fields: which are kept, and which find room when there is little.
 */
#include "suites.h"

#include "wire/reply_samples.h"
#include "wire/reply_walk.h"

#include <bsonic/doc.h>

START_TEST(own_fields_are_collected_without_the_cursor)
{
    build b = {.len = 0}, expected = {.len = 0};
    static walk w;
    sample_batch_last(&b);
    const size_t doc = build_open(&expected);
    build_element(&expected, 0x10, "ok");
    build_i32(&expected, 1);
    build_element(&expected, 0x03, "$clusterTime");
    build_number_document(&expected, 5);
    build_close(&expected, doc);
    walk_message(build_view(&b), &walk_whole, &w);
    ck_assert_uint_eq(w.reply_len, expected.len);
    ck_assert_mem_eq(w.reply, expected.bytes, expected.len);
}
END_TEST

START_TEST(write_errors_are_handed_out_or_collected)
{
    build b = {.len = 0}, expected = {.len = 0};
    static walk w;
    bsn_iter it;
    sample_write_errors(&b);
    const size_t doc = build_open(&expected);
    build_element(&expected, 0x10, "n");
    build_i32(&expected, 2);
    build_element(&expected, 0x03, "opTime");
    build_number_document(&expected, 5);
    build_ok(&expected, 1.0);
    build_close(&expected, doc);
    walk_message(build_view(&b), &walk_whole, &w);
    ck_assert(w.has_write_errors && !w.partial);
    ck_assert_uint_eq(w.errors, 2);
    ck_assert_uint_eq(w.reply_len, expected.len);
    ck_assert_mem_eq(w.reply, expected.bytes, expected.len);

    walk_how how = walk_whole;
    how.write_errors = false;
    walk_message(build_view(&b), &how, &w);
    ck_assert(!w.has_write_errors);
    ck_assert_uint_eq(w.count, 0);
    const bsn_doc reply = {w.reply, w.reply_len};
    ck_assert_int_eq(bsn_find(reply, BSN_STR("writeErrors"), &it, NULL), BSN_OK);
}
END_TEST

/* However long the list, what tells how many were written is not pushed out. */
START_TEST(write_concern_error_finds_room_behind_noise)
{
    build b = {.len = 0};
    static walk w;
    walk_how how = walk_whole;
    bsn_iter it;
    size_t body;
    const size_t message = sample_begin(&b, 0, &body);
    build_element(&b, 0x05, "noise");
    build_i32(&b, 100);
    for (size_t i = 0; i < 101; i++) build_u8(&b, 0);
    build_element(&b, 0x10, "n");
    build_i32(&b, 2);
    build_element(&b, 0x03, "writeConcernError");
    build_number_document(&b, 64);
    build_element(&b, 0x03, "writeConcernErrors"); /* another key: no room for it */
    build_number_document(&b, 64);
    build_ok(&b, 1.0);
    sample_end(&b, message, body);
    how.storage = 240;
    walk_message(build_view(&b), &how, &w);
    const bsn_doc reply = {w.reply, w.reply_len};
    ck_assert(w.partial);
    ck_assert_int_eq(bsn_find(reply, BSN_STR("noise"), &it, NULL), BSN_OK);
    ck_assert_int_eq(bsn_find(reply, BSN_STR("n"), &it, NULL), BSN_OK);
    ck_assert_int_eq(bsn_find(reply, BSN_STR("writeConcernError"), &it, NULL), BSN_OK);
    ck_assert_int_eq(bsn_find(reply, BSN_STR("writeConcernErrors"), &it, NULL), BSN_E_NOT_FOUND);
}
END_TEST

START_TEST(without_storage_nothing_is_collected)
{
    build b = {.len = 0};
    static walk w;
    walk_how how = walk_whole;
    sample_server_error(&b);
    for (how.storage = 0; how.storage < 64; how.storage += 63) {
        walk_message(build_view(&b), &how, &w);
        ck_assert_int_eq(w.event, BSN_ENVELOPE_END);
        ck_assert(!w.has_reply);
        ck_assert_int_eq(w.code, 43);
    }
}
END_TEST

/* {noise, errmsg, code, ok}: text of errmsg is `len` bytes of "é", cut in the middle of none. */
static void error_behind_noise(build *b, size_t noise, size_t len)
{
    static char text[BUILD_MAX];
    size_t body;
    const size_t message = sample_begin(b, 0, &body);
    build_element(b, 0x05, "noise");
    build_i32(b, (int32_t)noise);
    build_u8(b, 0);
    for (size_t i = 0; i < noise; i++) build_u8(b, 0xEE);
    for (size_t i = 0; i < len; i++) text[i] = i % 2 == 0 ? '\xC3' : '\xA9';
    text[len] = 0;
    build_element(b, 0x10, "code");
    build_i32(b, 13);
    build_element(b, 0x02, "errmsg");
    build_string(b, text);
    build_ok(b, 0.0);
    sample_end(b, message, body);
}

START_TEST(error_text_finds_room_whatever_stands_before_it)
{
    static walk expected, w;
    for (size_t storage = 64; storage < 400; storage += 7) {
        for (size_t noise = 0; noise < 300; noise += 59) {
            build b = {.len = 0};
            walk_how how = walk_whole;
            bsn_iter it;
            how.storage = storage;
            error_behind_noise(&b, noise, 600);
            walk_message(build_view(&b), &how, &expected);
            ck_assert_int_eq(expected.event, BSN_ENVELOPE_END);
            ck_assert(expected.has_reply && expected.partial);
            ck_assert_uint_le(expected.reply_len, storage);
            const bsn_bytes span = {expected.reply, expected.reply_len};
            bsn_doc reply;
            ck_assert_int_eq(bsn_doc_open(span, &reply, NULL), BSN_OK);
            bsn_iter_init(&it, reply);
            size_t seen = 0;
            while (bsn_iter_next(&it)) {
                if (!bsn_iter_key_is(&it, BSN_STR("errmsg"))) continue;
                const bsn_value value = bsn_iter_value(&it);
                seen = value.as.str.len;
                ck_assert_uint_eq(seen % 2, 0); /* no half of a letter */
            }
            ck_assert_int_eq(bsn_iter_error(&it, NULL), BSN_OK);
            /* A quarter of the storage at least: half is reserved, code and the key take some. */
            ck_assert_uint_ge(seen + 40, storage / 2);
            how.chunk = 5 + noise % 7;
            walk_message(build_view(&b), &how, &w);
            walk_check_same(&expected, &w, "error behind noise", storage);
        }
    }
}
END_TEST

START_TEST(field_that_does_not_fit_is_left_out_whole)
{
    build b = {.len = 0};
    static walk w;
    walk_how how = walk_whole;
    bsn_iter it;
    error_behind_noise(&b, 1000, 10);
    how.storage = 512;
    for (how.chunk = 1; how.chunk < 100; how.chunk += 9) {
        walk_message(build_view(&b), &how, &w);
        const bsn_doc reply = {w.reply, w.reply_len};
        ck_assert(w.partial);
        ck_assert_int_eq(bsn_find(reply, BSN_STR("noise"), &it, NULL), BSN_E_NOT_FOUND);
        ck_assert_int_eq(bsn_find(reply, BSN_STR("errmsg"), &it, NULL), BSN_OK);
        ck_assert_int_eq(bsn_find(reply, BSN_STR("ok"), &it, NULL), BSN_OK);
    }
}
END_TEST

Suite *collect_suite(void)
{
    Suite *suite = suite_create("collect");
    TCase *tcase = tcase_create("collect");
    tcase_add_test(tcase, own_fields_are_collected_without_the_cursor);
    tcase_add_test(tcase, write_errors_are_handed_out_or_collected);
    tcase_add_test(tcase, write_concern_error_finds_room_behind_noise);
    tcase_add_test(tcase, without_storage_nothing_is_collected);
    tcase_add_test(tcase, error_text_finds_room_whatever_stands_before_it);
    tcase_add_test(tcase, field_that_does_not_fit_is_left_out_whole);
    suite_add_tcase(suite, tcase);
    return suite;
}
