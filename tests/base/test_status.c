/* SPDX-License-Identifier: Apache-2.0
 *
 * test_status.c -- statuses, errors, and spans compared.
 */
#include "suites.h"

#include <bsonic/base.h>

#include <string.h>

static const bsn_status statuses[] = {
    BSN_OK,          BSN_E_NOMEM,    BSN_E_SPACE,      BSN_E_SIZE,     BSN_E_LIMIT,
    BSN_E_STATE,     BSN_E_SHORT,    BSN_E_LENGTH,     BSN_E_TRAILING, BSN_E_TERMINATOR,
    BSN_E_TYPE,      BSN_E_CSTRING,  BSN_E_BOOLEAN,    BSN_E_BINARY,   BSN_E_CODE_SCOPE,
    BSN_E_UTF8,      BSN_E_DEPTH,    BSN_E_NOT_FOUND,  BSN_E_MISMATCH, BSN_E_RANGE,
    BSN_E_KEY_NUL,   BSN_E_VALUE,    BSN_E_SYNTAX,     BSN_E_INEXACT,  BSN_E_LOOKALIKE,
    BSN_E_PROTOCOL,  BSN_E_CHECKSUM, BSN_E_COMPRESSED, BSN_E_IO,       BSN_E_TIMEOUT,
    BSN_E_CLOSED,    BSN_E_RESOLVE,  BSN_E_URI,        BSN_E_SERVER,   BSN_E_UNSUPPORTED,
    BSN_E_CANCELLED,
};
static const size_t status_count = sizeof statuses / sizeof statuses[0];

START_TEST(every_status_has_a_text_of_its_own)
{
    for (size_t i = 0; i < status_count; i++) {
        const char *text = bsn_status_text(statuses[i]);
        ck_assert_ptr_nonnull(text);
        ck_assert_str_ne(text, "");
        ck_assert_str_ne(text, "unknown status");
        for (size_t j = 0; j < i; j++) ck_assert_str_ne(text, bsn_status_text(statuses[j]));
    }
}
END_TEST

START_TEST(a_code_that_is_no_status_has_a_text_too)
{
    static const int codes[] = {-1, 6, 15, 27, 31, 42, 63, 88, 1000, INT32_MAX};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        ck_assert_str_eq(bsn_status_text((bsn_status)codes[i]), "unknown status");
    }
}
END_TEST

START_TEST(codes_keep_their_numbers)
{
    ck_assert_int_eq(BSN_OK, 0);
    ck_assert_int_eq(BSN_E_STATE, 5);
    ck_assert_int_eq(BSN_E_DEPTH, 26);
    ck_assert_int_eq(BSN_E_RANGE, 34);
    ck_assert_int_eq(BSN_E_VALUE, 41);
    ck_assert_int_eq(BSN_E_INEXACT, 49);
    ck_assert_int_eq(BSN_E_LOOKALIKE, 50);
    ck_assert_int_eq(BSN_E_COMPRESSED, 66);
    ck_assert_int_eq(BSN_E_CANCELLED, 87);
}
END_TEST

START_TEST(setting_an_error_fills_every_field)
{
    static const char detail[] = "why";
    bsn_error err;
    memset(&err, 0xA5, sizeof err);
    ck_assert_int_eq(bsn_error_set(&err, BSN_E_UTF8, UINT64_MAX, detail), BSN_E_UTF8);
    ck_assert_int_eq(err.status, BSN_E_UTF8);
    ck_assert_uint_eq(err.offset, UINT64_MAX);
    ck_assert_ptr_eq(err.detail, detail);
    ck_assert_uint_eq(err.line, 0);
    ck_assert_uint_eq(err.column, 0);
    ck_assert_int_eq(err.os_error, 0);
}
END_TEST

START_TEST(setting_no_error_returns_the_status)
{
    ck_assert_int_eq(bsn_error_set(NULL, BSN_E_SHORT, 7, NULL), BSN_E_SHORT);
}
END_TEST

START_TEST(an_error_in_words_is_its_status_and_its_detail)
{
    char text[BSN_ERROR_TEXT_MAX], long_detail[2 * BSN_ERROR_TEXT_MAX];
    bsn_error err = {.status = BSN_E_SYNTAX, .line = 2, .column = 9, .offset = 17};
    ck_assert_ptr_eq(bsn_error_text(&err, text), text);
    ck_assert_str_eq(text, "syntax error");
    err.detail = "a key was expected";
    ck_assert_str_eq(bsn_error_text(&err, text), "syntax error: a key was expected");
    memset(long_detail, 'x', sizeof long_detail);
    long_detail[sizeof long_detail - 1] = '\0';
    err.detail = long_detail;
    ck_assert_uint_eq(strlen(bsn_error_text(&err, text)), BSN_ERROR_TEXT_MAX - 1);
    ck_assert_int_eq(memcmp(text, "syntax error: xxx", 17), 0);
    for (size_t i = 0; i < status_count; i++) {
        const bsn_error bare = {.status = statuses[i]};
        ck_assert_str_eq(bsn_error_text(&bare, text), bsn_status_text(statuses[i]));
    }
}
END_TEST

typedef struct equal_row {
    const char *name;
    const char *a;
    size_t a_len;
    const char *b;
    size_t b_len;
    bool equal;
} equal_row;

static const equal_row equal_rows[] = {
    {"empty spans without a pointer", NULL, 0, NULL, 0, true},
    {"empty spans, one without a pointer", NULL, 0, "x", 0, true},
    {"the same text", "key", 3, "key", 3, true},
    {"the same up to the length", "key1", 3, "key2", 3, true},
    {"another last byte", "key1", 4, "key2", 4, false},
    {"a prefix", "key", 3, "keys", 4, false},
    {"nothing and something", NULL, 0, "k", 1, false},
    {"zero bytes inside, the same", "a\0b", 3, "a\0b", 3, true},
    {"zero bytes inside, another byte behind", "a\0b", 3, "a\0c", 3, false},
};

START_TEST(spans_are_equal_when_their_bytes_are)
{
    for (size_t i = 0; i < sizeof equal_rows / sizeof equal_rows[0]; i++) {
        const equal_row *row = &equal_rows[i];
        const bsn_str a = {row->a, row->a_len};
        const bsn_str b = {row->b, row->b_len};
        const bsn_bytes a_bytes = {(const uint8_t *)row->a, row->a_len};
        const bsn_bytes b_bytes = {(const uint8_t *)row->b, row->b_len};
        ck_assert_msg(bsn_str_equal(a, b) == row->equal, "%s", row->name);
        ck_assert_msg(bsn_str_equal(b, a) == row->equal, "%s, swapped", row->name);
        ck_assert_msg(bsn_bytes_equal(a_bytes, b_bytes) == row->equal, "%s, as bytes", row->name);
    }
}
END_TEST

START_TEST(text_of_a_literal_keeps_its_inner_zeros)
{
    const bsn_str literal = BSN_STR("a\0b");
    ck_assert_uint_eq(literal.len, 3);
    ck_assert_uint_eq(bsn_str_from("a\0b").len, 1);
    ck_assert_uint_eq(bsn_str_from("").len, 0);
}
END_TEST

Suite *status_suite(void)
{
    Suite *suite = suite_create("status");
    TCase *tests = tcase_create("status");
    tcase_add_test(tests, every_status_has_a_text_of_its_own);
    tcase_add_test(tests, a_code_that_is_no_status_has_a_text_too);
    tcase_add_test(tests, codes_keep_their_numbers);
    tcase_add_test(tests, setting_an_error_fills_every_field);
    tcase_add_test(tests, setting_no_error_returns_the_status);
    tcase_add_test(tests, an_error_in_words_is_its_status_and_its_detail);
    tcase_add_test(tests, spans_are_equal_when_their_bytes_are);
    tcase_add_test(tests, text_of_a_literal_keeps_its_inner_zeros);
    suite_add_tcase(suite, tests);
    return suite;
}
