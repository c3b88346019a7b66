/* SPDX-License-Identifier: Apache-2.0
 *
 * test_print.c -- documents as Extended JSON, to the letter; and what is refused, where, without reading past the document.
 */
#include "suites.h"

#include "support/expect.h"
#include "support/fill_doc.h"
#include "support/guard_page.h"
#include "support/hex.h"
#include "support/json_text.h"
#include "support/print_text.h"
#include "support/skip.h"
#include "json/print_rows.h"

#include <bsonic/validate.h>

#include <locale.h>
#include <string.h>

/* ---- texts ---- */

static void check_row(const text_row *row, bsn_json_form form, const char *expected)
{
    printed p = print_hex(row->hex, form);
    ck_assert_msg(p.status == BSN_OK, "%s: %s at %u", row->name, bsn_status_text(p.status),
                  (unsigned)p.err.offset);
    ck_assert_msg(bsn_str_equal(p.text, bsn_str_from(expected)), "%s: %.*s", row->name,
                  (int)p.text.len, p.text.ptr);
    ck_assert_msg(json_is_sound(p.text, NULL), "%s: not JSON", row->name);
    printed_free(&p);
}

static void check_rows(void)
{
    for (size_t i = 0; i < text_row_count; i++) {
        const text_row *row = &text_rows[i];
        check_row(row, BSN_JSON_CANONICAL, row->canonical);
        check_row(row, BSN_JSON_RELAXED, row->relaxed != NULL ? row->relaxed : row->canonical);
    }
}

START_TEST(each_value_prints_to_the_letter)
{
    check_rows();
}
END_TEST

/* Any locale whose decimal point is a comma; false when the system has none. */
static bool set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                        "fr_FR.UTF-8", "fr_FR.utf8", "fr_FR"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_ALL, names[i]) != NULL && strcmp(localeconv()->decimal_point, ",") == 0)
            return true;
    }
    return false;
}

START_TEST(the_locale_changes_nothing)
{
    if (set_comma_locale()) {
        check_rows();
    } else {
        test_skip("the_locale_changes_nothing", "no locale with a decimal comma is installed");
    }
    setlocale(LC_ALL, "C");
}
END_TEST

/* ---- input ---- */

typedef struct value_row {
    uint8_t type;
    const char *hex;
} value_row;

static const value_row value_rows[] = {
    {0x01, "000000000000f03f"},
    {0x02, "01000000 00"},
    {0x02, "04000000 616263 00"},
    {0x02, "0a000000 616263646566676869 00"},
    {0x02, "03000000 c3a9 00"},
    {0x03, "05000000 00"},
    {0x04, "08000000 0a3000 00"},
    {0x05, "00000000 00"},
    {0x05, "05000000 02 01000000 61"},
    {0x06, ""},
    {0x07, "000000000000000000000000"},
    {0x08, "01"},
    {0x09, "0000000000000000"},
    {0x0A, ""},
    {0x0B, "00 00"},
    {0x0B, "6100 6900"},
    {0x0C, "01000000 00 000000000000000000000000"},
    {0x0D, "01000000 00"},
    {0x0E, "02000000 61 00"},
    {0x0F, "0e000000 01000000 00 05000000 00"},
    {0x10, "01000000"},
    {0x11, "0100000002000000"},
    {0x12, "0100000000000000"},
    {0x13, "00000000000000000000000000000000"},
    {0x7F, ""},
    {0xFF, ""},
};

/* Every type behind keys of every length up to 50, as the last element before an unmapped page; and cut short by 1 to 20 bytes
 * in an array: then it is a fault, unless what is left is sound. */
static void check_last(guard_area *area, const value_row *row, size_t key_len, uint8_t outer,
                       size_t cut)
{
    uint8_t bytes[256];
    fill_doc b = {.ptr = bytes, .cap = sizeof bytes};
    hex_bytes value = hex_read(row->hex);
    const size_t start = fill_begin(&b);
    fill_bytes(&b, &outer, 1);
    fill_bytes(&b, "o", 2);
    const size_t inner = fill_begin(&b);
    fill_bytes(&b, &row->type, 1);
    fill_pattern(&b, "key", key_len);
    fill_bytes(&b, "", 1);
    fill_bytes(&b, value.ptr, value.len);
    hex_free(&value);
    if (cut > b.len - inner - 4) return;
    b.len -= cut;
    fill_end(&b, inner);
    fill_end(&b, start);
    const bsn_doc doc = {guard_at_end(area, b.ptr, b.len), b.len};
    bsn_error err = {0};
    const bsn_status status = bsn_validate(bsn_doc_bytes(doc), NULL, NULL, &err);
    EXPECT(cut != 0 || status == BSN_OK, "type %02x is not sound", row->type);
    printed p = print_document(doc, &forms[key_len % 2]);
    EXPECT(p.status == status && p.err.offset == err.offset,
           "type %02x, key of %zu, cut by %zu: %s at %u", row->type, key_len, cut,
           bsn_status_text(p.status), (unsigned)p.err.offset);
    EXPECT(status != BSN_OK || json_is_sound(p.text, NULL), "%.*s", (int)p.text.len, p.text.ptr);
    printed_free(&p);
}

START_TEST(nothing_behind_a_document_is_read)
{
    guard_area area;
    guard_open(&area, 256);
    for (size_t i = 0; i < sizeof value_rows / sizeof value_rows[0]; i++) {
        for (size_t key_len = 0; key_len <= 50; key_len++) {
            for (size_t cut = 0; cut <= 20; cut += cut < 4 ? 1 : 5) {
                check_last(&area, &value_rows[i], key_len,
                           cut % 2 == 0 ? BSN_TYPE_DOCUMENT : BSN_TYPE_ARRAY, cut);
            }
        }
    }
    guard_close(&area);
}
END_TEST

/* ---- errors ---- */

typedef struct error_row {
    const char *name;
    const char *hex;
    bsn_status status;
    uint64_t offset;
} error_row;

static const error_row error_rows[] = {
    {"an overlong NUL", "11000000027300050000000a0ac0800000", BSN_E_UTF8, 13},
    {"a sequence cut by the string's end", "0e00000002730002000000c60000", BSN_E_UTF8, 11},
    {"a key that is not UTF-8", "0c000000 10ff00 05000000 00", BSN_E_UTF8, 5},
    {"a key that is not UTF-8 before a value that is too long", "0e000000 02ff00 03000000 6100 00",
     BSN_E_UTF8, 5},
    {"a name in an array, not UTF-8", "10000000 046100 08000000 0aff00 00 00", BSN_E_UTF8, 12},
    {"a long name in an array, not UTF-8",
     "19000000 046100 11000000 0a313233343536373839ff00 00 00", BSN_E_UTF8, 21},
    {"code that is not UTF-8", "0e000000 0d6100 02000000 8000 00", BSN_E_UTF8, 11},
    {"a symbol that is not UTF-8", "0e000000 0e6100 02000000 8000 00", BSN_E_UTF8, 11},
    {"a pattern that is not UTF-8", "0b000000 0b6100 8000 00 00", BSN_E_UTF8, 7},
    {"options that are not UTF-8", "0d000000 0b6100 00 788069 00 00", BSN_E_UTF8, 9},
    {"a namespace that is not UTF-8", "1a000000 0c6100 02000000 ff00 56e1fc72e0c917e9c4714161 00",
     BSN_E_UTF8, 11},
    {"scope code that is not UTF-8", "17000000 0f6100 0f000000 02000000 ff00 05000000 00 00",
     BSN_E_UTF8, 15},
    {"a fault in an unended document comes before its end",
     "12000000 036100 0a000000 0a ff00 0a 6201 00", BSN_E_UTF8, 12},
    {"an unknown type", "10000000146400000000000000000000", BSN_E_TYPE, 4},
    {"a boolean of 2", "09000000 086100 02 00", BSN_E_BOOLEAN, 7},
};

START_TEST(faults_are_those_of_validation)
{
    for (size_t i = 0; i < sizeof error_rows / sizeof error_rows[0]; i++) {
        const error_row *row = &error_rows[i];
        bsn_error expected = {0};
        hex_bytes bytes = hex_read(row->hex);
        const bsn_status status = bsn_validate(hex_span(&bytes), NULL, NULL, &expected);
        printed p = print_hex(row->hex, i % 2 == 0 ? BSN_JSON_RELAXED : BSN_JSON_CANONICAL);
        ck_assert_msg(p.status == status && p.err.offset == expected.offset,
                      "%s: print %s at %u, validate %s at %u", row->name, bsn_status_text(p.status),
                      (unsigned)p.err.offset, bsn_status_text(status), (unsigned)expected.offset);
        ck_assert_msg(p.status == row->status && p.err.offset == row->offset, "%s: %s at %u",
                      row->name, bsn_status_text(p.status), (unsigned)p.err.offset);
        printed_free(&p);
        hex_free(&bytes);
    }
}
END_TEST

Suite *print_suite(void)
{
    Suite *suite = suite_create("print");
    TCase *tests = tcase_create("print");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, each_value_prints_to_the_letter);
    tcase_add_test(tests, the_locale_changes_nothing);
    tcase_add_test(tests, nothing_behind_a_document_is_read);
    tcase_add_test(tests, faults_are_those_of_validation);
    suite_add_tcase(suite, tests);
    return suite;
}
