/* SPDX-License-Identifier: Apache-2.0
 *
 * test_write.c -- containers, indexes, limits, the order of calls, marks.
 */
#include "suites.h"
#include "support/full_walk.h"
#include "support/hex.h"

#include <bsonic/write.h>

#include <stdio.h>
#include <string.h>

static const bsn_doc empty = {(const uint8_t *)"\5\0\0\0\0", 5};

static void check_hex(bsn_writer *w, const char *hex)
{
    hex_bytes expected = hex_read(hex);
    char text[600];
    bsn_doc doc;
    ck_assert_int_eq(bsn_writer_doc(w, &doc), BSN_OK);
    const bsn_bytes got = bsn_doc_bytes(doc);
    ck_assert_msg(bsn_bytes_equal(got, hex_span(&expected)), "%s",
                  hex_print(got, text, sizeof text));
    hex_free(&expected);
}

/* A writer over fixed storage that is large enough. */
typedef struct fixture {
    uint8_t storage[8192];
    bsn_out out;
    bsn_writer w;
} fixture;

static fixture fix;

static bsn_writer *fresh(void)
{
    bsn_out_init_fixed(&fix.out, fix.storage, sizeof fix.storage);
    bsn_writer_init(&fix.w, &fix.out);
    return &fix.w;
}

/* ------------------------------------------------------------------ containers */

START_TEST(containers_nest_and_their_lengths_are_patched)
{
    bsn_writer *w = fresh();
    bsn_writer_begin(w);
    bsn_writer_begin_document(w, BSN_STR("d"));
    bsn_writer_begin_array(w, BSN_STR("a"));
    bsn_writer_int32(w, BSN_STR("ignored"), 1);
    bsn_writer_begin_document(w, BSN_STR(""));
    bsn_writer_end(w);
    bsn_writer_begin_array(w, BSN_STR(""));
    bsn_writer_null(w, BSN_STR(""));
    bsn_writer_end(w);
    bsn_writer_null(w, BSN_STR(""));
    bsn_writer_end(w);
    bsn_writer_end(w);
    bsn_writer_null(w, BSN_STR("z"));
    bsn_writer_end(w);
    check_hex(w, "35000000"
                 "03 6400 2A000000"
                 "  04 6100 22000000"
                 "    10 3000 01000000"
                 "    03 3100 0500000000"
                 "    04 3200 08000000 0A 3000 00"
                 "    0A 3300"
                 "  00"
                 "00"
                 "0A 7A00"
                 "00");
}
END_TEST

START_TEST(code_with_scope_gets_both_lengths)
{
    bsn_writer *w = fresh();
    bsn_writer_begin(w);
    bsn_writer_begin_code_scope(w, BSN_STR("f"), BSN_STR("code"));
    bsn_writer_int32(w, BSN_STR("x"), 5);
    bsn_writer_begin_code_scope(w, BSN_STR("g"), BSN_STR(""));
    bsn_writer_end(w);
    bsn_writer_end(w);
    bsn_writer_end(w);
    check_hex(w, "32000000"
                 "0F 6600 2A000000 05000000 636F646500"
                 "  1D000000 10 7800 05000000"
                 "    0F 6700 0E000000 01000000 00 0500000000"
                 "  00"
                 "00");
}
END_TEST

START_TEST(one_output_takes_documents_one_after_another)
{
    bsn_writer *w = fresh();
    bsn_bytes view;
    for (int i = 0; i < 3; i++) {
        bsn_writer_begin(w);
        bsn_writer_int32(w, BSN_STR("i"), i);
        bsn_writer_end(w);
    }
    ck_assert_int_eq(bsn_writer_status(w), BSN_OK);
    ck_assert(bsn_out_view(&fix.out, &view));
    ck_assert_uint_eq(view.len, 3 * 12);
    for (size_t i = 0; i < 3; i++) ck_assert_uint_eq(bsn_load_u32(view.ptr + 12 * i + 7), i);
}
END_TEST

static void nest(bsn_writer *w, uint32_t levels, int kind)
{
    bsn_writer_begin(w);
    for (uint32_t i = 1; i < levels; i++) {
        if (kind == 0) bsn_writer_begin_document(w, BSN_STR(""));
        if (kind == 1) bsn_writer_begin_array(w, BSN_STR(""));
        if (kind == 2) bsn_writer_begin_code_scope(w, BSN_STR(""), BSN_STR(""));
    }
}

START_TEST(documents_nest_to_the_limit_and_no_further)
{
    for (int kind = 0; kind < 3; kind++) {
        bsn_doc doc;
        bsn_writer *w = fresh();
        nest(w, BSN_DEPTH_DEFAULT, kind);
        for (uint32_t i = 0; i < BSN_DEPTH_DEFAULT; i++) bsn_writer_end(w);
        ck_assert_int_eq(bsn_writer_doc(w, &doc), BSN_OK);
        ck_assert_int_eq(full_walk(doc, FULL_WALK_INLINE, BSN_DEPTH_DEFAULT, NULL, NULL), BSN_OK);
        ck_assert_int_eq(full_walk(doc, FULL_WALK_INLINE, BSN_DEPTH_DEFAULT - 1, NULL, NULL),
                         BSN_E_DEPTH);
        w = fresh();
        nest(w, BSN_DEPTH_DEFAULT + 1, kind);
        ck_assert_int_eq(bsn_writer_status(w), BSN_E_DEPTH);
    }
}
END_TEST

START_TEST(frames_of_the_caller_set_the_limit)
{
    static bsn_writer_frame frames[1000];
    static const uint32_t limits[] = {1, 3, 1000};
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t more = 0; more < 2; more++) {
            static uint8_t storage[20000];
            bsn_out out;
            bsn_doc doc;
            bsn_writer w;
            bsn_out_init_fixed(&out, storage, sizeof storage);
            bsn_writer_init(&w, &out);
            bsn_writer_use_frames(&w, frames, limits[i]);
            nest(&w, limits[i] + more, 1);
            for (uint32_t level = 0; level < limits[i] + more; level++) bsn_writer_end(&w);
            ck_assert_int_eq(bsn_writer_doc(&w, &doc), more ? BSN_E_DEPTH : BSN_OK);
        }
    }
}
END_TEST

/* ------------------------------------------------------------------ indexes */

/* The key of each element of a document, read the plain way. */
static void check_indexes(bsn_doc array, uint64_t first, size_t count)
{
    bsn_iter it;
    bsn_iter_init(&it, array);
    for (size_t i = 0; i < count; i++) {
        char text[24];
        snprintf(text, sizeof text, "%llu", (unsigned long long)(first + i));
        ck_assert(bsn_iter_next(&it));
        ck_assert_msg(bsn_iter_key_is(&it, bsn_str_from(text)), "%.*s is not %s",
                      (int)bsn_iter_key(&it).len, bsn_iter_key(&it).ptr, text);
    }
    ck_assert(!bsn_iter_next(&it));
    ck_assert_int_eq(bsn_iter_error(&it, NULL), BSN_OK);
}

START_TEST(indexes_count_in_decimal)
{
    enum { COUNT = 112000 };
    bsn_buf buf = {0};
    bsn_out out;
    bsn_writer w;
    bsn_value value;
    bsn_doc doc;
    bsn_out_init_buf(&out, &buf);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    bsn_writer_begin_array(&w, BSN_STR("a"));
    for (int i = 0; i < COUNT; i++) bsn_writer_null(&w, BSN_STR(""));
    bsn_writer_end(&w);
    bsn_writer_end(&w);
    ck_assert_int_eq(bsn_writer_doc(&w, &doc), BSN_OK);
    ck_assert_int_eq(bsn_find_value(doc, BSN_STR("a"), &value, NULL), BSN_OK);
    check_indexes(value.as.doc, 0, COUNT);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
}
END_TEST

/* To count to 10^8 takes a while, so the frame is set to an index shortly before each place where the text grows. */
START_TEST(indexes_grow_by_a_digit_at_each_power_of_ten)
{
    for (unsigned digits = 1; digits <= 8; digits++) {
        for (int roomy = 0; roomy < 2; roomy++) { /* in room that is there, and without any */
            char start[16];
            uint64_t first = 0;
            bsn_writer *w = fresh();
            bsn_value value;
            bsn_doc doc;
            memset(start, '9', digits);
            start[digits - 1] = '7';
            bsn_writer_begin(w);
            bsn_writer_begin_array(w, BSN_STR("a"));
            w->frame->index = 0;
            for (unsigned i = 0; i < digits; i++) {
                w->frame->index |= (uint64_t)(uint8_t)start[i] << (8 * i);
                first = first * 10 + (uint64_t)(start[i] - '0');
            }
            w->frame->digit_count = (uint8_t)digits;
            for (int i = 0; i < 25; i++) {
                if (roomy) {
                    bsn_writer_int32(w, BSN_STR(""), i);
                } else {
                    bsn_writer_regex(w, BSN_STR(""), BSN_STR("p"),
                                     BSN_STR("")); /* always the slow way */
                }
            }
            bsn_writer_end(w);
            bsn_writer_end(w);
            ck_assert_int_eq(bsn_writer_doc(w, &doc), BSN_OK);
            ck_assert_int_eq(bsn_find_value(doc, BSN_STR("a"), &value, NULL), BSN_OK);
            check_indexes(value.as.doc, first, 25);
        }
    }
}
END_TEST

/* ------------------------------------------------------------------ the order of calls */

typedef enum call { BEGIN, DOCUMENT, NULL_VALUE, SPLICE, RAW, REGEX, END } call;

typedef struct state_row {
    const char *name;
    call calls[8];
    size_t count;
    bsn_status status;
    bsn_status doc_status;
} state_row;

static const state_row state_rows[] = {
    {"nothing", {BEGIN}, 0, BSN_OK, BSN_E_STATE},
    {"an empty document", {BEGIN, END}, 2, BSN_OK, BSN_OK},
    {"a document that is open", {BEGIN}, 1, BSN_OK, BSN_E_STATE},
    {"an inner one that is open", {BEGIN, DOCUMENT, END}, 3, BSN_OK, BSN_E_STATE},
    {"two documents", {BEGIN, END, BEGIN, END}, 4, BSN_OK, BSN_E_STATE},
    {"one that is spliced", {SPLICE}, 1, BSN_OK, BSN_OK},
    {"an end without a begin", {END}, 1, BSN_E_STATE, BSN_E_STATE},
    {"one end too many", {BEGIN, END, END}, 3, BSN_E_STATE, BSN_E_STATE},
    {"a begin inside", {BEGIN, BEGIN}, 2, BSN_E_STATE, BSN_E_STATE},
    {"a splice inside", {BEGIN, SPLICE}, 2, BSN_E_STATE, BSN_E_STATE},
    {"a value outside", {NULL_VALUE}, 1, BSN_E_STATE, BSN_E_STATE},
    {"a raw value outside", {RAW}, 1, BSN_E_STATE, BSN_E_STATE},
    {"a regex outside", {REGEX}, 1, BSN_E_STATE, BSN_E_STATE},
    {"a container outside", {DOCUMENT}, 1, BSN_E_STATE, BSN_E_STATE},
    {"a value after the end", {BEGIN, END, NULL_VALUE}, 3, BSN_E_STATE, BSN_E_STATE},
};

static void make_call(bsn_writer *w, call made)
{
    switch (made) {
    case BEGIN: bsn_writer_begin(w); return;
    case DOCUMENT: bsn_writer_begin_document(w, BSN_STR("d")); return;
    case NULL_VALUE: bsn_writer_null(w, BSN_STR("n")); return;
    case SPLICE: bsn_writer_splice(w, empty); return;
    case RAW: bsn_writer_raw(w, BSN_STR("r"), BSN_TYPE_DOCUMENT, bsn_doc_bytes(empty)); return;
    case REGEX: bsn_writer_regex(w, BSN_STR("x"), BSN_STR(""), BSN_STR("")); return;
    case END: bsn_writer_end(w); return;
    }
}

START_TEST(calls_out_of_order_are_refused)
{
    const state_row *row = &state_rows[_i];
    bsn_writer *w = fresh();
    bsn_doc doc;
    for (size_t i = 0; i < row->count; i++) make_call(w, row->calls[i]);
    ck_assert_msg(bsn_writer_status(w) == row->status, "%s", row->name);
    ck_assert_msg(bsn_writer_doc(w, &doc) == row->doc_status, "%s", row->name);
}
END_TEST

START_TEST(the_first_error_sticks_and_later_calls_write_nothing)
{
    bsn_writer *w = fresh();
    bsn_doc doc;
    bsn_writer_begin(w);
    bsn_writer_null(w, BSN_STR("a\0b")); /* BSN_E_KEY_NUL */
    const uint64_t len = bsn_out_len(&fix.out);
    for (call made = BEGIN; made <= END; made++) make_call(w, made);
    bsn_writer_string(w, BSN_STR("k"), BSN_STR("text"));
    bsn_writer_begin_code_scope(w, BSN_STR("k"), BSN_STR("code"));
    for (int i = 0; i < 300; i++) bsn_writer_begin_array(w, BSN_STR("k"));
    ck_assert_int_eq(bsn_writer_status(w), BSN_E_KEY_NUL);
    ck_assert_int_eq(bsn_writer_doc(w, &doc), BSN_E_KEY_NUL);
    ck_assert_uint_eq(bsn_out_len(&fix.out), len);
}
END_TEST

START_TEST(a_hard_error_replaces_full_storage)
{
    uint8_t storage[3];
    bsn_out out;
    bsn_writer w;
    bsn_doc doc;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    ck_assert_int_eq(bsn_writer_status(&w), BSN_E_SPACE);
    bsn_writer_null(&w, BSN_STR("a"));
    bsn_writer_end(&w);
    ck_assert_int_eq(bsn_writer_status(&w), BSN_E_SPACE);
    ck_assert_int_eq(bsn_writer_doc(&w, &doc), BSN_E_SPACE);
    ck_assert_uint_eq(bsn_out_len(&out), 8);
    bsn_writer_end(&w);
    ck_assert_int_eq(bsn_writer_status(&w), BSN_E_STATE);
}
END_TEST

/* ------------------------------------------------------------------ the limit of 2^31-1 bytes */

/* A size pass does not read long texts, so a string may say that it has a gigabyte. */
static bsn_str huge(size_t len)
{
    static const char bytes[64];
    const bsn_str text = {bytes, len};
    return text;
}

/* { "": <huge string>, "d": { .. }, .. }: as much as fits before `rest` bytes, counted to the end of the document. */
static void fill_up_to(bsn_writer *w, size_t rest)
{
    bsn_writer_begin(w);
    bsn_writer_string(w, BSN_STR(""), huge((size_t)1 << 30));
    bsn_writer_string(w, BSN_STR(""), huge(INT32_MAX - ((size_t)1 << 30) - 4 - 2 * 7 - 1 - rest));
}

START_TEST(a_document_may_have_exactly_the_largest_size)
{
    bsn_out out;
    bsn_writer w;
    bsn_out_init_fixed(&out, NULL, 0);
    bsn_writer_init(&w, &out);
    fill_up_to(&w, 0);
    bsn_writer_end(&w);
    ck_assert_int_eq(bsn_writer_status(&w), BSN_E_SPACE);
    ck_assert_uint_eq(bsn_out_len(&out), INT32_MAX);
}
END_TEST

static bsn_str key_of(size_t len)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    const bsn_str key = {letters, len};
    return key;
}

/* An element of 20 + more bytes, the end of what it opens included. */
static void add_20(bsn_writer *w, int way, size_t more)
{
    const bsn_bytes bytes = {empty.ptr, 5};
    switch (way) {
    case 0: bsn_writer_string(w, BSN_STR(""), huge(13 + more)); return;
    case 1: bsn_writer_binary(w, key_of(8 + more), 0, bytes); return;
    case 2: bsn_writer_int32(w, key_of(14 + more), 1); return;
    case 3: bsn_writer_begin_document(w, key_of(13 + more)); return;
    default: bsn_writer_begin_code_scope(w, BSN_STR("k"), huge(3 + more)); return;
    }
}

START_TEST(one_byte_more_is_refused)
{
    for (int way = 0; way < 10; way++) {
        bsn_out out;
        bsn_writer w;
        bsn_out_init_fixed(&out, NULL, 0);
        bsn_writer_init(&w, &out);
        fill_up_to(&w, 20);
        add_20(&w, way / 2, (size_t)way % 2);
        while (w.depth > 0 && bsn_writer_status(&w) != BSN_E_SIZE) bsn_writer_end(&w);
        ck_assert_int_eq(bsn_writer_status(&w), way % 2 ? BSN_E_SIZE : BSN_E_SPACE);
        if (way % 2 == 0) ck_assert_uint_eq(bsn_out_len(&out), INT32_MAX);
    }
}
END_TEST

START_TEST(a_large_value_over_the_limit_is_refused_at_once)
{
    bsn_out out;
    bsn_writer w;
    bsn_out_init_fixed(&out, NULL, 0);
    bsn_writer_init(&w, &out);
    fill_up_to(&w, 5000);
    const uint64_t len = bsn_out_len(&out);
    bsn_writer_string(&w, BSN_STR(""), huge(5000 - 6));
    ck_assert_int_eq(bsn_writer_status(&w), BSN_E_SIZE);
    ck_assert_uint_eq(bsn_out_len(&out), len);
}
END_TEST

START_TEST(open_containers_count_their_ends)
{
    for (int over = 0; over < 2; over++) {
        bsn_out out;
        bsn_writer w;
        bsn_out_init_fixed(&out, NULL, 0);
        bsn_writer_init(&w, &out);
        fill_up_to(&w, 2 * 8 + 8 + 5000);
        bsn_writer_begin_document(&w, BSN_STR("d"));
        bsn_writer_begin_array(&w, BSN_STR("a"));
        bsn_writer_string(&w, BSN_STR(""), huge(5000 + (size_t)over));
        ck_assert_int_eq(bsn_writer_status(&w), over ? BSN_E_SIZE : BSN_E_SPACE);
        for (int i = 0; i < 3; i++) bsn_writer_end(&w);
        ck_assert_int_eq(bsn_writer_status(&w), over ? BSN_E_SIZE : BSN_E_SPACE);
        if (!over) ck_assert_uint_eq(bsn_out_len(&out), INT32_MAX);
    }
}
END_TEST

START_TEST(small_elements_over_the_limit_are_noticed_before_long)
{
    bsn_out out;
    bsn_writer w;
    size_t count = 0;
    bsn_out_init_fixed(&out, NULL, 0);
    bsn_writer_init(&w, &out);
    fill_up_to(&w, 20);
    while (bsn_writer_status(&w) == BSN_E_SPACE && count < 1000) {
        bsn_writer_int32(&w, BSN_STR("key"), 1);
        count++;
    }
    ck_assert_int_eq(bsn_writer_status(&w), BSN_E_SIZE);
}
END_TEST

/* ------------------------------------------------------------------ marks */

START_TEST(a_rollback_takes_back_elements_containers_and_errors)
{
    bsn_writer *w = fresh();
    bsn_writer_begin(w);
    bsn_writer_begin_array(w, BSN_STR("a"));
    bsn_writer_null(w, BSN_STR(""));
    const bsn_writer_mark mark = bsn_writer_get_mark(w);
    for (int round = 0; round < 3; round++) {
        bsn_writer_int32(w, BSN_STR(""), round);
        bsn_writer_begin_document(w, BSN_STR(""));
        bsn_writer_begin_code_scope(w, BSN_STR("c"), BSN_STR("code"));
        if (round == 1) bsn_writer_null(w, BSN_STR("a\0b"));
        if (round == 2) bsn_writer_end(w);
        ck_assert_int_eq(bsn_writer_status(w), round == 1 ? BSN_E_KEY_NUL : BSN_OK);
        bsn_writer_rollback(w, mark);
        ck_assert_int_eq(bsn_writer_status(w), BSN_OK);
    }
    bsn_writer_boolean(w, BSN_STR(""), true);
    bsn_writer_end(w);
    bsn_writer_end(w);
    check_hex(w, "14000000 04 6100 0C000000 0A 3000 08 3100 01 00 00");
}
END_TEST

START_TEST(a_rollback_between_documents_drops_the_one_that_failed)
{
    bsn_writer *w = fresh();
    bsn_writer_begin(w);
    bsn_writer_end(w);
    const bsn_writer_mark mark = bsn_writer_get_mark(w);
    bsn_writer_begin(w);
    nest(w, 10, 0); /* a begin inside: BSN_E_STATE */
    ck_assert_int_eq(bsn_writer_status(w), BSN_E_STATE);
    bsn_writer_rollback(w, mark);
    check_hex(w, "0500000000");
    bsn_writer_begin(w);
    bsn_writer_end(w);
    ck_assert_int_eq(bsn_writer_status(w), BSN_OK);
    ck_assert_uint_eq(bsn_out_len(&fix.out), 10);
}
END_TEST

START_TEST(an_error_from_before_the_mark_stays)
{
    bsn_writer *w = fresh();
    bsn_writer_end(w);
    const bsn_writer_mark mark = bsn_writer_get_mark(w);
    bsn_writer_begin(w);
    bsn_writer_rollback(w, mark);
    bsn_writer_begin(w);
    ck_assert_int_eq(bsn_writer_status(w), BSN_E_STATE);
    ck_assert_uint_eq(bsn_out_len(&fix.out), 0);
}
END_TEST

Suite *write_suite(void)
{
    Suite *suite = suite_create("write");
    TCase *tests = tcase_create("write");
    tcase_add_test(tests, containers_nest_and_their_lengths_are_patched);
    tcase_add_test(tests, code_with_scope_gets_both_lengths);
    tcase_add_test(tests, one_output_takes_documents_one_after_another);
    tcase_add_test(tests, documents_nest_to_the_limit_and_no_further);
    tcase_add_test(tests, frames_of_the_caller_set_the_limit);
    tcase_add_test(tests, indexes_count_in_decimal);
    tcase_add_test(tests, indexes_grow_by_a_digit_at_each_power_of_ten);
    tcase_add_loop_test(tests, calls_out_of_order_are_refused, 0,
                        sizeof state_rows / sizeof state_rows[0]);
    tcase_add_test(tests, the_first_error_sticks_and_later_calls_write_nothing);
    tcase_add_test(tests, a_hard_error_replaces_full_storage);
    tcase_add_test(tests, a_document_may_have_exactly_the_largest_size);
    tcase_add_test(tests, one_byte_more_is_refused);
    tcase_add_test(tests, a_large_value_over_the_limit_is_refused_at_once);
    tcase_add_test(tests, open_containers_count_their_ends);
    tcase_add_test(tests, small_elements_over_the_limit_are_noticed_before_long);
    tcase_add_test(tests, a_rollback_takes_back_elements_containers_and_errors);
    tcase_add_test(tests, a_rollback_between_documents_drops_the_one_that_failed);
    tcase_add_test(tests, an_error_from_before_the_mark_stays);
    suite_add_tcase(suite, tests);
    return suite;
}
