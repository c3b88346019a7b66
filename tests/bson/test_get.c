/* SPDX-License-Identifier: Apache-2.0
 *
 * test_get.c -- typed getters: the strict ones take their own type and no other, the coercing ones whatever is equal.
 */
#include "suites.h"

#include <bsonic/get.h>
#include <bsonic/write.h>

#include <math.h>
#include <string.h>

/* A document with one element of every type, keyed by its name, and the numbers at the edges. */
static uint8_t storage[2048];
static bsn_doc sample;

static bsn_decimal128 decimal(const char *text)
{
    bsn_decimal128 value;
    ck_assert_int_eq(bsn_decimal128_from_text(bsn_str_from(text), &value), BSN_OK);
    return value;
}

static void write_every_type(bsn_writer *w)
{
    const bsn_oid oid = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
    const bsn_timestamp time = {4294967295u, 7};
    const uint8_t empty_bytes[] = {5, 0, 0, 0, 0};
    const bsn_doc empty = {empty_bytes, sizeof empty_bytes};
    bsn_writer_double(w, BSN_STR("double"), 1.5);
    bsn_writer_string(w, BSN_STR("string"), BSN_STR("a\0b"));
    bsn_writer_document(w, BSN_STR("document"), empty);
    bsn_writer_array(w, BSN_STR("array"), empty);
    bsn_writer_binary(w, BSN_STR("binary"), BSN_SUBTYPE_OLD_BINARY, (bsn_bytes){oid.bytes, 3});
    bsn_writer_undefined(w, BSN_STR("undefined"));
    bsn_writer_oid(w, BSN_STR("oid"), &oid);
    bsn_writer_boolean(w, BSN_STR("boolean"), true);
    bsn_writer_date(w, BSN_STR("date"), -5);
    bsn_writer_null(w, BSN_STR("null"));
    bsn_writer_regex(w, BSN_STR("regex"), BSN_STR("p"), BSN_STR("i"));
    bsn_writer_dbpointer(w, BSN_STR("dbpointer"), BSN_STR("d.c"), &oid);
    bsn_writer_code(w, BSN_STR("code"), BSN_STR("f()"));
    bsn_writer_symbol(w, BSN_STR("symbol"), BSN_STR("s"));
    bsn_writer_code_scope(w, BSN_STR("code_scope"), BSN_STR("g()"), empty);
    bsn_writer_int32(w, BSN_STR("int32"), -7);
    bsn_writer_timestamp(w, BSN_STR("timestamp"), time);
    bsn_writer_int64(w, BSN_STR("int64"), INT64_MIN);
    bsn_writer_decimal128(w, BSN_STR("decimal128"), decimal("1.20"));
    bsn_writer_minkey(w, BSN_STR("minkey"));
    bsn_writer_maxkey(w, BSN_STR("maxkey"));
}

static void make_sample(void)
{
    bsn_out out;
    bsn_writer w;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    write_every_type(&w);
    bsn_writer_end(&w);
    ck_assert_int_eq(bsn_writer_doc(&w, &sample), BSN_OK);
    bsn_out_free(&out);
}

static bsn_iter at(const char *key)
{
    bsn_iter it;
    ck_assert_int_eq(bsn_find(sample, bsn_str_from(key), &it, NULL), BSN_OK);
    return it;
}

static void check_text(bsn_str text, const char *expected, size_t len)
{
    ck_assert_uint_eq(text.len, len);
    ck_assert_mem_eq(text.ptr, expected, len);
}

/* ------------------------------------------------------------------ strict */

START_TEST(strict_getters_read_numbers_and_times)
{
    double number;
    bool truth;
    int64_t wide;
    int32_t narrow;
    bsn_timestamp time;
    bsn_decimal128 exact;
    bsn_iter it = at("double");
    ck_assert_int_eq(bsn_get_double(&it, &number), BSN_OK);
    ck_assert(number == 1.5);
    it = at("boolean");
    ck_assert_int_eq(bsn_get_boolean(&it, &truth), BSN_OK);
    ck_assert(truth);
    it = at("date");
    ck_assert_int_eq(bsn_get_date(&it, &wide), BSN_OK);
    ck_assert_int_eq(wide, -5);
    it = at("int32");
    ck_assert_int_eq(bsn_get_int32(&it, &narrow), BSN_OK);
    ck_assert_int_eq(narrow, -7);
    it = at("timestamp");
    ck_assert_int_eq(bsn_get_timestamp(&it, &time), BSN_OK);
    ck_assert_uint_eq(time.seconds, 4294967295u);
    ck_assert_uint_eq(time.increment, 7);
    it = at("int64");
    ck_assert_int_eq(bsn_get_int64(&it, &wide), BSN_OK);
    ck_assert_int_eq(wide, INT64_MIN);
    it = at("decimal128");
    ck_assert_int_eq(bsn_get_decimal128(&it, &exact), BSN_OK);
    ck_assert_uint_eq(exact.low, decimal("1.20").low);
}
END_TEST

START_TEST(strict_getters_read_text)
{
    static const struct {
        const char *key;
        bsn_status (*get)(const bsn_iter *it, bsn_str *value);
        const char *text;
        size_t len;
    } rows[] = {
        {"string", bsn_get_string, "a\0b", 3},
        {"code", bsn_get_code, "f()", 3},
        {"symbol", bsn_get_symbol, "s", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bsn_iter it = at(rows[i].key);
        bsn_str text;
        ck_assert_int_eq(rows[i].get(&it, &text), BSN_OK);
        check_text(text, rows[i].text, rows[i].len);
    }
}
END_TEST

START_TEST(strict_getters_read_values_of_several_parts)
{
    bsn_doc doc;
    bsn_bytes bytes;
    uint8_t subtype;
    bsn_oid oid;
    bsn_regex regex;
    bsn_dbpointer pointer;
    bsn_code_scope scope;
    bsn_iter it = at("document");
    ck_assert_int_eq(bsn_get_document(&it, &doc), BSN_OK);
    ck_assert(bsn_doc_is_empty(doc));
    it = at("array");
    ck_assert_int_eq(bsn_get_array(&it, &doc), BSN_OK);
    ck_assert(bsn_doc_is_empty(doc));
    it = at("binary");
    ck_assert_int_eq(bsn_get_binary(&it, &bytes, &subtype), BSN_OK);
    ck_assert_uint_eq(subtype, BSN_SUBTYPE_OLD_BINARY);
    ck_assert_uint_eq(bytes.len, 3);
    ck_assert_mem_eq(bytes.ptr, "\1\2\3", 3);
    ck_assert_int_eq(bsn_get_binary(&it, &bytes, NULL), BSN_OK);
    it = at("oid");
    ck_assert_int_eq(bsn_get_oid(&it, &oid), BSN_OK);
    ck_assert_uint_eq(oid.bytes[11], 12);
    it = at("regex");
    ck_assert_int_eq(bsn_get_regex(&it, &regex), BSN_OK);
    check_text(regex.pattern, "p", 1);
    check_text(regex.options, "i", 1);
    it = at("dbpointer");
    ck_assert_int_eq(bsn_get_dbpointer(&it, &pointer), BSN_OK);
    check_text(pointer.ns, "d.c", 3);
    it = at("code_scope");
    ck_assert_int_eq(bsn_get_code_scope(&it, &scope), BSN_OK);
    check_text(scope.code, "g()", 3);
}
END_TEST

/* How many strict getters take the element. */
static unsigned takers(const bsn_iter *it)
{
    union {
        double number;
        bsn_str text;
        bsn_doc doc;
        bsn_bytes bytes;
        bsn_oid oid;
        bool truth;
        int64_t wide;
        int32_t narrow;
        bsn_regex regex;
        bsn_dbpointer pointer;
        bsn_code_scope scope;
        bsn_timestamp time;
        bsn_decimal128 exact;
    } any;
    const bsn_status answers[] = {
        bsn_get_double(it, &any.number),      bsn_get_string(it, &any.text),
        bsn_get_document(it, &any.doc),       bsn_get_array(it, &any.doc),
        bsn_get_binary(it, &any.bytes, NULL), bsn_get_oid(it, &any.oid),
        bsn_get_boolean(it, &any.truth),      bsn_get_date(it, &any.wide),
        bsn_get_regex(it, &any.regex),        bsn_get_dbpointer(it, &any.pointer),
        bsn_get_code(it, &any.text),          bsn_get_symbol(it, &any.text),
        bsn_get_code_scope(it, &any.scope),   bsn_get_int32(it, &any.narrow),
        bsn_get_timestamp(it, &any.time),     bsn_get_int64(it, &any.wide),
        bsn_get_decimal128(it, &any.exact),
    };
    unsigned count = 0;
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        if (answers[i] == BSN_OK)
            count++;
        else
            ck_assert_int_eq(answers[i], BSN_E_MISMATCH);
    }
    return count;
}

START_TEST(every_element_is_taken_by_one_strict_getter_or_carries_no_value)
{
    bsn_iter it;
    bsn_iter_init(&it, sample);
    ck_assert_uint_eq(takers(&it), 0);
    while (bsn_iter_next(&it)) {
        const bsn_type type = bsn_iter_type(&it);
        const bool valueless = type == BSN_TYPE_UNDEFINED || type == BSN_TYPE_NULL ||
                               type == BSN_TYPE_MINKEY || type == BSN_TYPE_MAXKEY;
        ck_assert_uint_eq(takers(&it), valueless ? 0 : 1);
    }
    ck_assert_uint_eq(takers(&it), 0);
}
END_TEST

/* ------------------------------------------------------------------ coercing */

/* Stands on the only element of a document made of one value. */
static bsn_iter on_value(const bsn_value *value)
{
    static uint8_t room[256];
    bsn_out out;
    bsn_writer w;
    bsn_doc doc;
    bsn_iter it;
    bsn_out_init_fixed(&out, room, sizeof room);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    bsn_writer_value(&w, BSN_STR("v"), value);
    bsn_writer_end(&w);
    ck_assert_int_eq(bsn_writer_doc(&w, &doc), BSN_OK);
    bsn_iter_init(&it, doc);
    ck_assert(bsn_iter_next(&it));
    return it;
}

typedef struct whole_row {
    double number; /* a double, unless decimal is set */
    const char *decimal;
    bsn_status status;
    int64_t whole;
} whole_row;

static const whole_row whole_rows[] = {
    {11000.0, NULL, BSN_OK, 11000},
    {-0.0, NULL, BSN_OK, 0},
    {-0x1p63, NULL, BSN_OK, INT64_MIN},
    {0x1.fffffffffffffp62, NULL, BSN_OK, 9223372036854774784},
    {0x1p63, NULL, BSN_E_RANGE, 0},
    {-0x1.0000000000001p63, NULL, BSN_E_RANGE, 0},
    {5.5, NULL, BSN_E_RANGE, 0},
    {5e-324, NULL, BSN_E_RANGE, 0},
    {(double)INFINITY, NULL, BSN_E_RANGE, 0},
    {(double)NAN, NULL, BSN_E_RANGE, 0},
    {0, "5", BSN_OK, 5},
    {0, "-5.00", BSN_OK, -5},
    {0, "5.01", BSN_E_RANGE, 0},
    {0, "0.5", BSN_E_RANGE, 0},
    {0, "-0.000", BSN_OK, 0},
    {0, "0E+6111", BSN_OK, 0},
    {0, "0E-6176", BSN_OK, 0},
    {0, "1E+3", BSN_OK, 1000},
    {0, "1.23E+4", BSN_OK, 12300},
    {0, "1.23E+1", BSN_E_RANGE, 0},
    {0, "10E-1", BSN_OK, 1},
    {0, "1E-7", BSN_E_RANGE, 0},
    {0, "1E+18", BSN_OK, 1000000000000000000},
    {0, "1E+19", BSN_E_RANGE, 0},
    {0, "1E+6144", BSN_E_RANGE, 0},
    {0, "9223372036854775807", BSN_OK, INT64_MAX},
    {0, "9223372036854775807.000", BSN_OK, INT64_MAX},
    {0, "9223372036854775808", BSN_E_RANGE, 0},
    {0, "-9223372036854775808", BSN_OK, INT64_MIN},
    {0, "-9223372036854775809", BSN_E_RANGE, 0},
    {0, "9999999999999999999999999999999999", BSN_E_RANGE, 0},
    {0, "NaN", BSN_E_RANGE, 0},
    {0, "-Infinity", BSN_E_RANGE, 0},
};

static bsn_value value_of_row(const whole_row *row)
{
    bsn_value value = {.type = BSN_TYPE_DOUBLE, .as.f64 = row->number};
    if (row->decimal == NULL) return value;
    value.type = BSN_TYPE_DECIMAL128;
    value.as.decimal = decimal(row->decimal);
    return value;
}

START_TEST(whole_numbers_of_any_type_are_integers_and_others_are_out_of_range)
{
    for (size_t i = 0; i < sizeof whole_rows / sizeof whole_rows[0]; i++) {
        const whole_row *row = &whole_rows[i];
        const bsn_value value = value_of_row(row);
        const bsn_iter it = on_value(&value);
        int64_t whole = 77;
        const bsn_status status = bsn_as_int64(&it, &whole);
        ck_assert_msg(status == row->status, "row %zu", i);
        ck_assert_msg(whole == (status == BSN_OK ? row->whole : 77), "row %zu", i);
    }
}
END_TEST

START_TEST(an_integer_too_wide_is_a_range_error_for_that_value_alone)
{
    int32_t narrow = 3;
    int64_t wide;
    bsn_value value = {.type = BSN_TYPE_INT64, .as.i64 = (int64_t)1 << 40};
    bsn_iter it = on_value(&value);
    ck_assert_int_eq(bsn_as_int32(&it, &narrow), BSN_E_RANGE);
    ck_assert_int_eq(narrow, 3);
    ck_assert_int_eq(bsn_as_int64(&it, &wide), BSN_OK);
    ck_assert_int_eq(bsn_get_int32(&it, &narrow), BSN_E_MISMATCH);
    value.as.i64 = INT32_MIN;
    it = on_value(&value);
    ck_assert_int_eq(bsn_as_int32(&it, &narrow), BSN_OK);
    ck_assert_int_eq(narrow, INT32_MIN);
    ck_assert(!bsn_iter_next(&it));
    ck_assert_int_eq(bsn_iter_error(&it, NULL), BSN_OK);
}
END_TEST

START_TEST(an_integer_is_a_double_only_when_one_equals_it)
{
    static const struct {
        int64_t whole;
        bsn_status status;
    } rows[] = {{5, BSN_OK},
                {9007199254740992, BSN_OK},
                {9007199254740993, BSN_E_RANGE},
                {INT64_MIN, BSN_OK},
                {INT64_MAX, BSN_E_RANGE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bsn_value value = {.type = BSN_TYPE_INT64, .as.i64 = rows[i].whole};
        const bsn_iter it = on_value(&value);
        double number = 0.25;
        ck_assert_int_eq(bsn_as_double(&it, &number), rows[i].status);
        ck_assert(number == (rows[i].status == BSN_OK ? (double)rows[i].whole : 0.25));
    }
    const bsn_value exact = {.type = BSN_TYPE_DECIMAL128, .as.decimal = decimal("5")};
    const bsn_iter it = on_value(&exact);
    double number;
    ck_assert_int_eq(bsn_as_double(&it, &number), BSN_E_MISMATCH);
}
END_TEST

START_TEST(truth_is_what_a_server_takes_for_it)
{
    static const struct {
        const char *key;
        bsn_status status;
        bool truth;
    } rows[] = {{"boolean", BSN_OK, true},      {"double", BSN_OK, true},
                {"int32", BSN_OK, true},        {"int64", BSN_OK, true},
                {"decimal128", BSN_OK, true},   {"null", BSN_OK, false},
                {"undefined", BSN_OK, false},   {"string", BSN_E_MISMATCH, false},
                {"date", BSN_E_MISMATCH, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bsn_iter it = at(rows[i].key);
        bool truth = !rows[i].truth;
        ck_assert_int_eq(bsn_as_boolean(&it, &truth), rows[i].status);
        ck_assert(truth == (rows[i].status == BSN_OK ? rows[i].truth : !rows[i].truth));
    }
    static const struct {
        const char *text;
        bool truth;
    } decimals[] = {{"0", false},    {"-0.00", false}, {"0E+3", false},
                    {"0.001", true}, {"NaN", true},    {"1E+3", true}};
    for (size_t i = 0; i < sizeof decimals / sizeof decimals[0]; i++) {
        const bsn_value value = {.type = BSN_TYPE_DECIMAL128,
                                 .as.decimal = decimal(decimals[i].text)};
        const bsn_iter it = on_value(&value);
        bool truth;
        ck_assert_int_eq(bsn_as_boolean(&it, &truth), BSN_OK);
        ck_assert_msg(truth == decimals[i].truth, "%s", decimals[i].text);
    }
}
END_TEST

START_TEST(text_is_a_string_a_symbol_or_code)
{
    static const char *const keys[] = {"string", "symbol", "code"};
    static const size_t lens[] = {3, 1, 3};
    bsn_str text;
    for (size_t i = 0; i < 3; i++) {
        const bsn_iter it = at(keys[i]);
        ck_assert_int_eq(bsn_as_text(&it, &text), BSN_OK);
        ck_assert_uint_eq(text.len, lens[i]);
    }
    const bsn_iter it = at("code_scope");
    ck_assert_int_eq(bsn_as_text(&it, &text), BSN_E_MISMATCH);
}
END_TEST

Suite *get_suite(void)
{
    Suite *suite = suite_create("get");
    TCase *tests = tcase_create("get");
    tcase_add_checked_fixture(tests, make_sample, NULL);
    tcase_add_test(tests, strict_getters_read_numbers_and_times);
    tcase_add_test(tests, strict_getters_read_text);
    tcase_add_test(tests, strict_getters_read_values_of_several_parts);
    tcase_add_test(tests, every_element_is_taken_by_one_strict_getter_or_carries_no_value);
    tcase_add_test(tests, whole_numbers_of_any_type_are_integers_and_others_are_out_of_range);
    tcase_add_test(tests, an_integer_too_wide_is_a_range_error_for_that_value_alone);
    tcase_add_test(tests, an_integer_is_a_double_only_when_one_equals_it);
    tcase_add_test(tests, truth_is_what_a_server_takes_for_it);
    tcase_add_test(tests, text_is_a_string_a_symbol_or_code);
    suite_add_tcase(suite, tests);
    return suite;
}
