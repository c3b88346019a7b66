/* SPDX-License-Identifier: Apache-2.0
 *
 * test_doc.c -- opening the frame of a document, and cutting documents off a stream.
 */
#include "suites.h"

#include "support/hex.h"

#include <bsonic/doc.h>
#include <bsonic/validate.h>

#include <string.h>

typedef struct frame_row {
    const char *name;
    const char *hex;
    bsn_status open;
    size_t open_offset;
    bsn_status take;
    size_t take_offset;
} frame_row;

static const frame_row frame_rows[] = {
    {"nothing", "", BSN_E_SHORT, 0, BSN_E_SHORT, 0},
    {"one byte", "05", BSN_E_SHORT, 0, BSN_E_SHORT, 0},
    {"three bytes", "05 00 00", BSN_E_SHORT, 0, BSN_E_SHORT, 0},
    {"a length and nothing else", "05 00 00 00", BSN_E_SHORT, 0, BSN_E_SHORT, 0},
    {"the empty document", "05 00 00 00 00", BSN_OK, 0, BSN_OK, 0},
    {"one element", "0C 00 00 00 10 61 00 01 00 00 00 00", BSN_OK, 0, BSN_OK, 0},
    {"elements are not looked at", "08 00 00 00 20 61 00 00", BSN_OK, 0, BSN_OK, 0},
    {"length 0", "00 00 00 00 00", BSN_E_LENGTH, 0, BSN_E_LENGTH, 0},
    {"length 4", "04 00 00 00 00", BSN_E_LENGTH, 0, BSN_E_LENGTH, 0},
    {"length 4 in four bytes", "04 00 00 00", BSN_E_LENGTH, 0, BSN_E_LENGTH, 0},
    {"length -1", "FF FF FF FF 00", BSN_E_LENGTH, 0, BSN_E_LENGTH, 0},
    {"length -10 in a file", "F6 FF FF FF 00 00", BSN_E_LENGTH, 0, BSN_E_LENGTH, 0},
    {"the least length", "00 00 00 80 00", BSN_E_LENGTH, 0, BSN_E_LENGTH, 0},
    {"the greatest length", "FF FF FF 7F 00", BSN_E_SHORT, 0, BSN_E_SHORT, 0},
    {"one byte too few", "06 00 00 00 00", BSN_E_SHORT, 0, BSN_E_SHORT, 0},
    {"one byte too many", "05 00 00 00 00 00", BSN_E_TRAILING, 5, BSN_OK, 0},
    {"text behind it", "05 00 00 00 00 DE AD BE EF", BSN_E_TRAILING, 5, BSN_OK, 0},
    {"last byte 01", "05 00 00 00 01", BSN_E_TERMINATOR, 4, BSN_E_TERMINATOR, 4},
    {"last byte FF", "06 00 00 00 00 FF", BSN_E_TERMINATOR, 5, BSN_E_TERMINATOR, 5},
    {"last byte 01 and bytes behind it", "05 00 00 00 01 00", BSN_E_TERMINATOR, 4, BSN_E_TERMINATOR,
     4},
    {"a document of no length before a sound one", "00 00 00 00 05 00 00 00 00", BSN_E_LENGTH, 0,
     BSN_E_LENGTH, 0},
};
enum { FRAME_ROW_COUNT = sizeof frame_rows / sizeof frame_rows[0] };

static const uint8_t marker[] = {0};
static const bsn_doc untouched = {marker, 77};

static void check_untouched(bsn_doc doc)
{
    ck_assert_ptr_eq(doc.ptr, untouched.ptr);
    ck_assert_uint_eq(doc.len, untouched.len);
}

START_TEST(open_wants_exactly_one_document)
{
    for (size_t i = 0; i < FRAME_ROW_COUNT; i++) {
        const frame_row *row = &frame_rows[i];
        hex_bytes bytes = hex_read(row->hex);
        bsn_doc doc = untouched;
        bsn_error err = {.status = BSN_OK};
        const bsn_status status = bsn_doc_open(hex_span(&bytes), &doc, &err);
        ck_assert_msg(status == row->open && err.status == row->open, "%s: %s", row->name,
                      bsn_status_text(status));
        ck_assert_msg(err.offset == row->open_offset, "%s: at %u", row->name, (unsigned)err.offset);
        ck_assert_int_eq(bsn_doc_open(hex_span(&bytes), &doc, NULL), status);
        if (status == BSN_OK) {
            ck_assert_ptr_eq(doc.ptr, bytes.ptr);
            ck_assert_uint_eq(doc.len, bytes.len);
            ck_assert(bsn_bytes_equal(bsn_doc_bytes(doc), hex_span(&bytes)));
        } else {
            check_untouched(doc);
        }
        hex_free(&bytes);
    }
}
END_TEST

START_TEST(take_cuts_a_document_off_the_front)
{
    for (size_t i = 0; i < FRAME_ROW_COUNT; i++) {
        const frame_row *row = &frame_rows[i];
        hex_bytes bytes = hex_read(row->hex);
        bsn_bytes src = hex_span(&bytes);
        bsn_doc doc = untouched;
        bsn_error err = {.status = BSN_OK};
        const bsn_status status = bsn_doc_take(&src, &doc, &err);
        ck_assert_msg(status == row->take && err.status == row->take, "%s: %s", row->name,
                      bsn_status_text(status));
        ck_assert_msg(err.offset == row->take_offset, "%s: at %u", row->name, (unsigned)err.offset);
        if (status == BSN_OK) {
            ck_assert_ptr_eq(doc.ptr, bytes.ptr);
            ck_assert_ptr_eq(src.ptr, doc.ptr + doc.len);
            ck_assert_uint_eq(src.len, bytes.len - doc.len);
        } else {
            check_untouched(doc);
            ck_assert_ptr_eq(src.ptr, bytes.ptr);
            ck_assert_uint_eq(src.len, bytes.len);
        }
        hex_free(&bytes);
    }
}
END_TEST

START_TEST(documents_back_to_back_are_taken_one_after_another)
{
    hex_bytes bytes = hex_read("05 00 00 00 00  08 00 00 00 0A 61 00 00  05 00 00 00 00  05 00 00");
    static const size_t lens[] = {5, 8, 5};
    bsn_bytes src = hex_span(&bytes);
    bsn_doc doc;
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        ck_assert_int_eq(bsn_doc_take(&src, &doc, NULL), BSN_OK);
        ck_assert_uint_eq(doc.len, lens[i]);
        ck_assert(bsn_doc_is_empty(doc) == (lens[i] == 5));
    }
    bsn_error err;
    ck_assert_int_eq(bsn_doc_take(&src, &doc, &err), BSN_E_SHORT);
    ck_assert_uint_eq(err.offset, 0);
    ck_assert_uint_eq(src.len, 3);
    hex_free(&bytes);
}
END_TEST

START_TEST(taking_the_last_document_leaves_nothing)
{
    hex_bytes bytes = hex_read("05 00 00 00 00");
    bsn_bytes src = hex_span(&bytes);
    bsn_doc doc;
    ck_assert_int_eq(bsn_doc_take(&src, &doc, NULL), BSN_OK);
    ck_assert_uint_eq(src.len, 0);
    ck_assert_int_eq(bsn_doc_take(&src, &doc, NULL), BSN_E_SHORT);
    hex_free(&bytes);
}
END_TEST

typedef struct peek_row {
    const char *hex;
    bsn_status status;
    size_t len;
} peek_row;

static const peek_row peek_rows[] = {
    {"", BSN_E_SHORT, 77},
    {"05", BSN_E_SHORT, 77},
    {"05 00 00", BSN_E_SHORT, 77},
    {"05 00 00 00", BSN_OK, 5},
    {"00 01 00 00", BSN_OK, 256},
    {"FF FF FF 7F", BSN_OK, INT32_MAX},
    {"04 00 00 00", BSN_E_LENGTH, 77},
    {"00 00 00 00", BSN_E_LENGTH, 77},
    {"FF FF FF FF", BSN_E_LENGTH, 77},
    {"00 00 00 80", BSN_E_LENGTH, 77},
    {"05 00 00 00 FF", BSN_OK, 5},
};

START_TEST(peek_reads_the_length_alone)
{
    for (size_t i = 0; i < sizeof peek_rows / sizeof peek_rows[0]; i++) {
        hex_bytes bytes = hex_read(peek_rows[i].hex);
        size_t len = 77;
        ck_assert_msg(bsn_doc_peek_len(hex_span(&bytes), &len) == peek_rows[i].status, "%s",
                      peek_rows[i].hex);
        ck_assert_msg(len == peek_rows[i].len, "%s: %zu", peek_rows[i].hex, len);
        hex_free(&bytes);
    }
}
END_TEST

START_TEST(nothing_without_a_pointer_is_short)
{
    bsn_bytes nothing = {NULL, 0};
    bsn_doc doc;
    size_t len;
    ck_assert_int_eq(bsn_doc_open(nothing, &doc, NULL), BSN_E_SHORT);
    ck_assert_int_eq(bsn_doc_take(&nothing, &doc, NULL), BSN_E_SHORT);
    ck_assert_int_eq(bsn_doc_peek_len(nothing, &len), BSN_E_SHORT);
    ck_assert_int_eq(bsn_validate(nothing, NULL, NULL, NULL), BSN_E_SHORT);
}
END_TEST

/* Helpers that take a length minus 5 for granted walk far on this one. */
START_TEST(every_entry_refuses_a_length_of_four)
{
    static const bsn_level levels[] = {BSN_LEVEL_FRAME, BSN_LEVEL_STRUCTURE, BSN_LEVEL_UTF8};
    hex_bytes bytes = hex_read("04 00 00 00 00");
    const bsn_bytes span = hex_span(&bytes);
    bsn_bytes src = span;
    bsn_doc doc = untouched;
    bsn_valid_doc valid = {untouched, BSN_LEVEL_FRAME};
    size_t len = 77;
    char path[8];
    ck_assert_int_eq(bsn_doc_open(span, &doc, NULL), BSN_E_LENGTH);
    ck_assert_int_eq(bsn_doc_take(&src, &doc, NULL), BSN_E_LENGTH);
    ck_assert_uint_eq(src.len, 5);
    ck_assert_int_eq(bsn_doc_peek_len(span, &len), BSN_E_LENGTH);
    ck_assert_uint_eq(len, 77);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        const bsn_validate_options options = {.level = levels[i]};
        ck_assert_int_eq(bsn_validate(span, &options, &valid, NULL), BSN_E_LENGTH);
    }
    ck_assert_uint_eq(bsn_path_at(span, 4, path, sizeof path), 0);
    check_untouched(doc);
    check_untouched(valid.doc);
    hex_free(&bytes);
}
END_TEST

Suite *doc_suite(void)
{
    Suite *suite = suite_create("doc");
    TCase *tests = tcase_create("doc");
    tcase_add_test(tests, open_wants_exactly_one_document);
    tcase_add_test(tests, take_cuts_a_document_off_the_front);
    tcase_add_test(tests, documents_back_to_back_are_taken_one_after_another);
    tcase_add_test(tests, taking_the_last_document_leaves_nothing);
    tcase_add_test(tests, peek_reads_the_length_alone);
    tcase_add_test(tests, nothing_without_a_pointer_is_short);
    tcase_add_test(tests, every_entry_refuses_a_length_of_four);
    suite_add_tcase(suite, tests);
    return suite;
}
