/* SPDX-License-Identifier: Apache-2.0
 *
 * test_decimal128.c -- decimal128 as text and back: the public corpus, the edges of the format, and the packaged libbson
 * where the two mean to agree.
 */
#include "suites.h"

#include "corpus/corpus.h"
#include "support/expect.h"
#include "support/guard_page.h"
#include "support/random.h"
#include "support/skip.h"

#include <bsonic/detail/le.h>
#include <bsonic/types.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TESTS_WITH_LIBBSON
#include <bson/bson.h>
#endif

#define GUARD 16

typedef struct printed {
    char text[BSN_DECIMAL128_TEXT_MAX + GUARD];
    size_t len;
} printed;

/* Prints with a terminator behind the text, and fails if a byte behind the stated room was touched. */
static printed print_decimal(bsn_decimal128 value)
{
    printed out;
    memset(out.text, 0xA5, sizeof out.text);
    out.len = bsn_decimal128_to_text(value, out.text);
    EXPECT(out.len <= BSN_DECIMAL128_TEXT_MAX, "length %zu", out.len);
    for (size_t i = out.len < BSN_DECIMAL128_TEXT_MAX ? BSN_DECIMAL128_TEXT_MAX : out.len;
         i < sizeof out.text; i++) {
        EXPECT((uint8_t)out.text[i] == 0xA5, "byte %zu was touched", i);
    }
    out.text[out.len] = '\0';
    return out;
}

static bool same(bsn_decimal128 a, bsn_decimal128 b)
{
    return a.high == b.high && a.low == b.low;
}

/* The decimal128 in a corpus document, which holds nothing else. */
static bsn_decimal128 decimal_in(bsn_bytes document, const char *key)
{
    const uint8_t *bytes = document.ptr + 4 + 1 + strlen(key) + 1;
    const bsn_decimal128 value = {bsn_load_u64(bytes + 8), bsn_load_u64(bytes)};
    return value;
}

/* The string behind "$numberDecimal" in a corpus text; none of them has an escape. */
static bsn_str decimal_text_in(bsn_str json)
{
    static const char name[] = "$numberDecimal\"";
    size_t at = 0;
    while (memcmp(json.ptr + at, name, sizeof name - 1) != 0) at++;
    at += sizeof name - 1;
    while (json.ptr[at] != '"') at++;
    const size_t first = ++at;
    while (json.ptr[at] != '"') at++;
    const bsn_str text = {json.ptr + first, at - first};
    return text;
}

static void check_text_of_case(const corpus_valid *row, bsn_str json)
{
    const bsn_str text = decimal_text_in(json);
    bsn_decimal128 value = {7, 7};
    EXPECT(bsn_decimal128_from_text(text, &value) == BSN_OK, "%s: refused", row->description);
    const bool equal = same(value, decimal_in(row->canonical_bson, row->test_key));
    EXPECT(equal || row->lossy, "%s: other bits", row->description);
}

START_TEST(valid_cases_of_the_corpus_hold_both_ways)
{
    if (!corpus_present) {
        test_skip("valid_cases_of_the_corpus_hold_both_ways", "no corpus");
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < corpus_valid_count; i++) {
        const corpus_valid *row = &corpus_valids[i];
        if (row->type != BSN_TYPE_DECIMAL128) continue;
        count++;
        const printed out = print_decimal(decimal_in(row->canonical_bson, row->test_key));
        const bsn_str text = decimal_text_in(row->canonical_extjson);
        EXPECT(bsn_str_equal(text, (bsn_str){out.text, out.len}), "%s: %s", row->description,
               out.text);
        check_text_of_case(row, row->canonical_extjson);
        if (row->degenerate_extjson.ptr != NULL) check_text_of_case(row, row->degenerate_extjson);
    }
    ck_assert_uint_ge(count, 600);
}
END_TEST

START_TEST(parse_errors_of_the_corpus_are_refused)
{
    if (!corpus_present) {
        test_skip("parse_errors_of_the_corpus_are_refused", "no corpus");
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < corpus_parse_error_count; i++) {
        const corpus_parse_error *row = &corpus_parse_errors[i];
        if (row->type != BSN_TYPE_DECIMAL128) continue;
        count++;
        bsn_decimal128 value = {7, 7};
        EXPECT(bsn_decimal128_from_text(row->text, &value) != BSN_OK, "%s: %.*s", row->description,
               (int)row->text.len, row->text.ptr);
        EXPECT(value.high == 7 && value.low == 7, "%s: changed though refused", row->description);
    }
    ck_assert_uint_ge(count, 130);
}
END_TEST

#define NINES_34 "9999999999999999999999999999999999"
#define ZEROS_34 "0000000000000000000000000000000000"

typedef struct bits_row {
    bsn_decimal128 value;
    const char *text;
} bits_row;

static const bits_row bits_rows[] = {
    {{0x3040000000000000, 0}, "0"},
    {{0xB040000000000000, 0}, "-0"},
    {{0x303E000000000000, 0}, "0.0"},
    {{0x3046000000000000, 0}, "0E+3"},
    {{0x3034000000000000, 0}, "0.000000"},
    {{0x3032000000000000, 0}, "0E-7"},
    {{0x3040000000000000, 1}, "1"},
    {{0x3042000000000000, 1}, "1E+1"},
    {{0x3034000000000000, 1}, "0.000001"},
    {{0x3032000000000000, 1}, "1E-7"},
    {{0x3032000000000000, 12}, "0.0000012"},
    {{0x3030000000000000, 12}, "1.2E-7"},
    {{0x303C000000000000, 120}, "1.20"},
    {{0x303C000000000000, 12}, "0.12"},
    {{0x3044000000000000, 105}, "1.05E+4"},
    {{0x0000000000000000, 1}, "1E-6176"},
    {{0x8000000000000000, 0}, "-0E-6176"},
    {{0x5FFE000000000000, 0}, "0E+6111"},
    {{0x5FFE000000000000, 1}, "1E+6111"},
    /* 10^34 - 1 at both ends of the exponent, and without one: the longest texts */
    {{0xDFFFED09BEAD87C0, 0x378D8E63FFFFFFFF}, "-9.999999999999999999999999999999999E+6144"},
    {{0x8001ED09BEAD87C0, 0x378D8E63FFFFFFFF}, "-9.999999999999999999999999999999999E-6143"},
    {{0x3041ED09BEAD87C0, 0x378D8E63FFFFFFFF}, NINES_34},
    {{0xAFF3ED09BEAD87C0, 0x378D8E63FFFFFFFF}, "-0.00000" NINES_34},
    /* 10^34 and more: zero with that exponent */
    {{0x3041ED09BEAD87C0, 0x378D8E6400000000}, "0"},
    {{0x3041FFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF}, "0"},
    {{0xB041ED09BEAD87C0, 0x378D8E6400000000}, "-0"},
    {{0x2FF1FFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF}, "0E-40"},
    {{0x6C10000000000000, 0}, "0"},
    {{0xEC10000000000000, 0}, "-0"},
    {{0x6C11FFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF}, "0E+3"},
    {{0x7800000000000000, 0}, "Infinity"},
    {{0xF800000000000000, 0}, "-Infinity"},
    {{0x7BFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF}, "Infinity"},
    {{0x7C00000000000000, 0}, "NaN"},
    {{0xFC00000000000000, 0}, "NaN"},
    {{0x7E00000000000000, 0}, "NaN"},
    {{0xFE00000000000000, 12}, "NaN"},
    {{0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF}, "NaN"},
};

START_TEST(bits_of_the_table_print_as_it_says)
{
    for (size_t i = 0; i < sizeof bits_rows / sizeof bits_rows[0]; i++) {
        ck_assert_str_eq(print_decimal(bits_rows[i].value).text, bits_rows[i].text);
    }
}
END_TEST

typedef struct text_row {
    const char *text;
    bsn_status status;
    const char *printed; /* what the value prints as, if it is one */
} text_row;

static const text_row text_rows[] = {
    {"+1", BSN_OK, "1"},
    {"1.", BSN_OK, "1"},
    {".5", BSN_OK, "0.5"},
    {"-.5e3", BSN_OK, "-5E+2"},
    {"00012", BSN_OK, "12"},
    {"0.00012e+0007", BSN_OK, "1.2E+3"},
    {"1e0", BSN_OK, "1"},
    {"1E-0", BSN_OK, "1"},
    {"inf", BSN_OK, "Infinity"},
    {"+INFINITY", BSN_OK, "Infinity"},
    {"-iNfInItY", BSN_OK, "-Infinity"},
    {"-nan", BSN_OK, "NaN"},
    {"+NAN", BSN_OK, "NaN"},
    /* more than 34 digits: zeros in front do not count, zeros behind raise the exponent, nothing is rounded */
    {NINES_34, BSN_OK, NINES_34},
    {ZEROS_34 NINES_34, BSN_OK, NINES_34},
    {"0." ZEROS_34 NINES_34, BSN_OK, "9.999999999999999999999999999999999E-35"},
    {NINES_34 "0", BSN_OK, "9.999999999999999999999999999999999E+34"},
    {NINES_34 "." ZEROS_34, BSN_OK, NINES_34},
    {NINES_34 ".0", BSN_OK, NINES_34},
    {"1" ZEROS_34, BSN_OK, "1.000000000000000000000000000000000E+34"},
    {"1" ZEROS_34 ZEROS_34 "E-68", BSN_OK, "1.000000000000000000000000000000000"},
    {NINES_34 "9", BSN_E_INEXACT, NULL},
    {NINES_34 ".5", BSN_E_INEXACT, NULL},
    {"1" ZEROS_34 "1", BSN_E_INEXACT, NULL},
    {"1" ZEROS_34 "1x", BSN_E_SYNTAX, NULL},
    {"1" ZEROS_34 "1e9999", BSN_E_INEXACT, NULL},
    /* exponents above the largest: zeros are appended while there is room */
    {"1E6111", BSN_OK, "1E+6111"},
    {"1E6112", BSN_OK, "1.0E+6112"},
    {"1E6144", BSN_OK, "1.000000000000000000000000000000000E+6144"},
    {"1E6145", BSN_E_RANGE, NULL},
    {"-1E6145", BSN_E_RANGE, NULL},
    {"12E6143", BSN_OK, "1.200000000000000000000000000000000E+6144"},
    {"12E6144", BSN_E_RANGE, NULL},
    {NINES_34 "E6111", BSN_OK, "9.999999999999999999999999999999999E+6144"},
    {NINES_34 "E6112", BSN_E_RANGE, NULL},
    {"0.1E6112", BSN_OK, "1E+6111"},
    /* exponents below the least: zeros are dropped */
    {"1E-6176", BSN_OK, "1E-6176"},
    {"1E-6177", BSN_E_INEXACT, NULL},
    {"10E-6177", BSN_OK, "1E-6176"},
    {"100E-6177", BSN_OK, "1.0E-6175"},
    {"1000E-6178", BSN_OK, "1.0E-6175"},
    {"10E-6178", BSN_E_INEXACT, NULL},
    {"1" ZEROS_34 "E-6210", BSN_OK, "1E-6176"},
    {"1" ZEROS_34 "E-6211", BSN_E_INEXACT, NULL},
    {"1.0E-6176", BSN_OK, "1E-6176"},
    /* zero takes any exponent */
    {"0E+2147483647", BSN_OK, "0E+6111"},
    {"0E-2147483648", BSN_OK, "0E-6176"},
    {"0E+99999999999", BSN_OK, "0E+6111"},
    {"-0E-99999999999999999999999999999999", BSN_OK, "-0E-6176"},
    {"0.0E+18446744073709551616", BSN_OK, "0E+6111"},
    {"0E+9223372036854775808", BSN_OK, "0E+6111"},
    {"0000.0000E1", BSN_OK, "0.000"},
    {"1E+99999999999", BSN_E_RANGE, NULL},
    {"1E-99999999999", BSN_E_INEXACT, NULL},
    {"1E+18446744073709551616", BSN_E_RANGE, NULL},
    {"1E-18446744073709551616", BSN_E_INEXACT, NULL},
    {"1E4294967296", BSN_E_RANGE, NULL},
    /* not numbers */
    {"", BSN_E_SYNTAX, NULL},
    {"+", BSN_E_SYNTAX, NULL},
    {"-", BSN_E_SYNTAX, NULL},
    {".", BSN_E_SYNTAX, NULL},
    {"+.", BSN_E_SYNTAX, NULL},
    {"e5", BSN_E_SYNTAX, NULL},
    {"1e", BSN_E_SYNTAX, NULL},
    {"1e+", BSN_E_SYNTAX, NULL},
    {"1E 5", BSN_E_SYNTAX, NULL},
    {" 1", BSN_E_SYNTAX, NULL},
    {"1 ", BSN_E_SYNTAX, NULL},
    {"1\n", BSN_E_SYNTAX, NULL},
    {"--1", BSN_E_SYNTAX, NULL},
    {"1.2.3", BSN_E_SYNTAX, NULL},
    {"1,5", BSN_E_SYNTAX, NULL},
    {"0x10", BSN_E_SYNTAX, NULL},
    {"1e5.0", BSN_E_SYNTAX, NULL},
    {"Infi", BSN_E_SYNTAX, NULL},
    {"in", BSN_E_SYNTAX, NULL},
    {"infinityx", BSN_E_SYNTAX, NULL},
    {"NaN1", BSN_E_SYNTAX, NULL},
    {"sNaN", BSN_E_SYNTAX, NULL},
    {"1_000", BSN_E_SYNTAX, NULL},
    {"\xD9\xA1", BSN_E_SYNTAX, NULL}, /* a digit, but not of ASCII */
};

START_TEST(texts_of_the_table_read_as_it_says)
{
    for (size_t i = 0; i < sizeof text_rows / sizeof text_rows[0]; i++) {
        const text_row *row = &text_rows[i];
        bsn_decimal128 value = {7, 7};
        const bsn_status status = bsn_decimal128_from_text(bsn_str_from(row->text), &value);
        ck_assert_msg(status == row->status, "%s: %s", row->text, bsn_status_text(status));
        if (status == BSN_OK) {
            ck_assert_str_eq(print_decimal(value).text, row->printed);
        } else {
            ck_assert(value.high == 7 && value.low == 7);
        }
    }
    bsn_decimal128 value;
    ck_assert_int_eq(bsn_decimal128_from_text((bsn_str){NULL, 0}, &value), BSN_E_SYNTAX);
    ck_assert_int_eq(bsn_decimal128_from_text(BSN_STR("1\0"), &value), BSN_E_SYNTAX);
    ck_assert_int_eq(bsn_decimal128_from_text(BSN_STR("NaN\0"), &value), BSN_E_SYNTAX);
}
END_TEST

/* A coefficient of at most 34 digits and any exponent. */
static bsn_decimal128 random_decimal(test_random *random)
{
    static const uint64_t most_high = 0x1ED09BEAD87C0;
    bsn_decimal128 value;
    do {
        value.high = random_of_any_size(random) >> 15;
        value.low = value.high == 0 ? random_of_any_size(random) : random_u64(random);
        if (random_below(random, 4) == 0) value.high = 0;
    } while (value.high >= most_high);
    value.high |=
        (uint64_t)random_below(random, 12288) << 49 | (random_u64(random) & (uint64_t)1 << 63);
    if (random_below(random, 2) == 0) { /* near zero, where plain notation is */
        value.high &= ~((uint64_t)0x3FFF << 49);
        value.high |= (uint64_t)(6176 - 60 + random_below(random, 80)) << 49;
    }
    return value;
}

START_TEST(random_decimals_come_back_as_the_same_bits)
{
    test_random random = {13};
    for (int i = 0; i < RANDOM_ROUNDS(1000000); i++) {
        const bsn_decimal128 value = random_decimal(&random);
        const printed out = print_decimal(value);
        bsn_decimal128 back = {0, 0};
        EXPECT(bsn_decimal128_from_text((bsn_str){out.text, out.len}, &back) == BSN_OK, "%s",
               out.text);
        EXPECT(same(value, back), "%s: other bits", out.text);
    }
}
END_TEST

START_TEST(any_bits_print_as_something_that_reads)
{
    test_random random = {14};
    for (int i = 0; i < RANDOM_ROUNDS(1000000); i++) {
        const bsn_decimal128 value = {random_u64(&random), random_u64(&random)};
        const printed out = print_decimal(value);
        bsn_decimal128 back = {0, 0};
        EXPECT(bsn_decimal128_from_text((bsn_str){out.text, out.len}, &back) == BSN_OK, "%s",
               out.text);
        EXPECT(strcmp(print_decimal(back).text, out.text) == 0, "%s", out.text);
    }
}
END_TEST

START_TEST(random_decimals_print_as_libbson_prints_them)
{
#ifdef TESTS_WITH_LIBBSON
    test_random random = {15};
    for (int i = 0; i < RANDOM_ROUNDS(500000); i++) {
        const bsn_decimal128 value = random_decimal(&random);
        const printed out = print_decimal(value);
        bson_decimal128_t theirs;
        theirs.high = value.high;
        theirs.low = value.low;
        char expected[BSON_DECIMAL128_STRING];
        bson_decimal128_to_string(&theirs, expected);
        EXPECT(strcmp(out.text, expected) == 0, "%s, but libbson prints %s", out.text, expected);
    }
#else
    test_skip("random_decimals_print_as_libbson_prints_them", "no libbson");
#endif
}
END_TEST

/* Hostile texts must cost one pass over them: methods with backtracking would take hours. */
START_TEST(a_million_digits_take_one_pass)
{
    enum { MILLION = 1000000 };
    char *text = malloc(MILLION + 16);
    ck_assert_ptr_nonnull(text);
    bsn_decimal128 value;
    memset(text, '1', MILLION);
    text[MILLION] = 'x';
    ck_assert_int_eq(bsn_decimal128_from_text((bsn_str){text, MILLION + 1}, &value), BSN_E_SYNTAX);
    ck_assert_int_eq(bsn_decimal128_from_text((bsn_str){text, MILLION}, &value), BSN_E_INEXACT);
    memset(text, '0', MILLION);
    text[0] = '1';
    memcpy(text + MILLION, "e-999990", 8);
    ck_assert_int_eq(bsn_decimal128_from_text((bsn_str){text, MILLION + 8}, &value), BSN_OK);
    ck_assert_str_eq(print_decimal(value).text, "1000000000.000000000000000000000000");
    text[0] = '0';
    ck_assert_int_eq(bsn_decimal128_from_text((bsn_str){text, MILLION + 8}, &value), BSN_OK);
    ck_assert_str_eq(print_decimal(value).text, "0E-6176");
    memset(text + 1, '9', MILLION);
    text[0] = '1';
    text[1] = 'e';
    ck_assert_int_eq(bsn_decimal128_from_text((bsn_str){text, MILLION}, &value), BSN_E_RANGE);
    free(text);
}
END_TEST

START_TEST(nothing_is_read_past_the_end)
{
    guard_area area;
    guard_open(&area, 4096);
    for (size_t i = 0; i < sizeof text_rows / sizeof text_rows[0]; i++) {
        const size_t full = strlen(text_rows[i].text);
        for (size_t len = 0; len <= full; len++) {
            bsn_decimal128 value, again;
            const bsn_str text = {text_rows[i].text, len};
            const bsn_str at_end = {(const char *)guard_at_end(&area, text.ptr, len), len};
            const bsn_status status = bsn_decimal128_from_text(at_end, &value);
            EXPECT(status == bsn_decimal128_from_text(text, &again), "%.*s", (int)len, text.ptr);
            EXPECT(status != BSN_OK || same(value, again), "%.*s", (int)len, text.ptr);
        }
    }
    guard_close(&area);
}
END_TEST

Suite *decimal128_suite(void)
{
    Suite *suite = suite_create("decimal128");
    TCase *tests = tcase_create("decimal128");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, valid_cases_of_the_corpus_hold_both_ways);
    tcase_add_test(tests, parse_errors_of_the_corpus_are_refused);
    tcase_add_test(tests, bits_of_the_table_print_as_it_says);
    tcase_add_test(tests, texts_of_the_table_read_as_it_says);
    tcase_add_test(tests, random_decimals_come_back_as_the_same_bits);
    tcase_add_test(tests, any_bits_print_as_something_that_reads);
    tcase_add_test(tests, random_decimals_print_as_libbson_prints_them);
    tcase_add_test(tests, a_million_digits_take_one_pass);
    tcase_add_test(tests, nothing_is_read_past_the_end);
    suite_add_tcase(suite, tests);
    return suite;
}
