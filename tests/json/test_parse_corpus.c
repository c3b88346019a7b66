/* SPDX-License-Identifier: Apache-2.0
 *
 * test_parse_corpus.c -- the public BSON corpus as input: every text becomes the bytes that the corpus has beside it, cut into
 * any two pieces and byte by byte too; what must not parse is refused.
 */
#include "suites.h"

#include "corpus/corpus.h"
#include "support/json_text.h"
#include "support/parse_text.h"
#include "support/print_text.h"
#include "support/skip.h"

#include <stdio.h>

static bsn_json_parser parser;

/* Every way to cut a text in two, and bytes, give what one piece gives. */
static void check_cuts(bsn_str text)
{
    parsed whole = parse_cut(&parser, text, NULL, 0);
    for (size_t cut = 0; cut <= text.len; cut++) {
        parsed two = parse_cut(&parser, text, &cut, 1);
        check_same_parse(&whole, &two, text, "cut in two");
        parsed_free(&two);
    }
    parsed bytes = parse_steps(&parser, text, 1);
    check_same_parse(&whole, &bytes, text, "byte by byte");
    parsed_free(&bytes);
    parsed_free(&whole);
}

/* 1 when there was something to compare. */
static size_t check_bytes(const corpus_valid *row, bsn_str text, bsn_bytes expected)
{
    if (text.ptr == NULL || expected.ptr == NULL) return 0;
    parsed p = parse_document(text, NULL);
    ck_assert_msg(p.status == BSN_OK, "%s: %s: %s (%s)", row->file, row->description,
                  bsn_status_text(p.status), p.err.detail);
    ck_assert_msg(bsn_bytes_equal(p.bson, expected), "%s: %s: other bytes", row->file,
                  row->description);
    parsed_free(&p);
    check_cuts(text);
    return 1;
}

/* Relaxed text loses types, and prints as itself. */
static size_t check_relaxed(const corpus_valid *row)
{
    if (row->relaxed_extjson.ptr == NULL) return 0;
    char why[600] = "";
    parsed p = parse_document(row->relaxed_extjson, NULL);
    ck_assert_msg(p.status == BSN_OK, "%s: %s", row->file, row->description);
    printed text = print_bytes(p.bson, BSN_JSON_RELAXED);
    ck_assert_msg(text.status == BSN_OK &&
                      json_same(text.text, row->relaxed_extjson, why, sizeof why),
                  "%s: %s: %s", row->file, row->description, why);
    printed_free(&text);
    parsed_free(&p);
    check_cuts(row->relaxed_extjson);
    return 1;
}

START_TEST(texts_become_the_bytes_that_the_corpus_has)
{
    if (!corpus_present) {
        test_skip("texts_become_the_bytes_that_the_corpus_has", "no corpus");
        return;
    }
    size_t canonical = 0, degenerate = 0, relaxed = 0, converted = 0;
    for (size_t i = 0; i < corpus_valid_count; i++) {
        const corpus_valid *row = &corpus_valids[i];
        if (!row->lossy) {
            canonical += check_bytes(row, row->canonical_extjson, row->canonical_bson);
            degenerate += check_bytes(row, row->degenerate_extjson, row->canonical_bson);
        }
        relaxed += check_relaxed(row);
        converted += check_bytes(row, row->converted_extjson, row->converted_bson);
    }
    ck_assert_uint_ge(canonical, 600);
    ck_assert_uint_ge(degenerate, 10);
    ck_assert_uint_ge(relaxed, 25);
    ck_assert_uint_ge(converted, 10);
}
END_TEST

/* The texts of decimal128 are strings, not documents. */
static parsed parse_error_row(const corpus_parse_error *row)
{
    if (row->type != BSN_TYPE_DECIMAL128) return parse_document(row->text, NULL);
    char text[400];
    const int len = snprintf(text, sizeof text, "{\"d\":{\"$numberDecimal\":\"%.*s\"}}",
                             (int)row->text.len, row->text.ptr);
    ck_assert_int_lt(len, (int)sizeof text);
    const bsn_str document = {text, (size_t)len};
    return parse_document(document, NULL);
}

START_TEST(what_the_corpus_calls_an_error_is_refused)
{
    if (!corpus_present) {
        test_skip("what_the_corpus_calls_an_error_is_refused", "no corpus");
        return;
    }
    ck_assert_uint_ge(corpus_parse_error_count, 100);
    for (size_t i = 0; i < corpus_parse_error_count; i++) {
        const corpus_parse_error *row = &corpus_parse_errors[i];
        parsed p = parse_error_row(row);
        ck_assert_msg(p.status != BSN_OK && p.bson.len == 0, "%s: %s: parsed", row->file,
                      row->description);
        ck_assert_msg(p.err.status == p.status && p.err.detail != NULL, "%s: %s", row->file,
                      row->description);
        parsed_free(&p);
        check_cuts(row->text);
    }
}
END_TEST

static void open_parser(void)
{
    bsn_json_parser_init(&parser, NULL);
}

static void close_parser(void)
{
    bsn_json_parser_free(&parser);
}

Suite *parse_corpus_suite(void)
{
    Suite *suite = suite_create("parse_corpus");
    TCase *tests = tcase_create("parse_corpus");
    tcase_add_checked_fixture(tests, open_parser, close_parser);
    tcase_add_test(tests, texts_become_the_bytes_that_the_corpus_has);
    tcase_add_test(tests, what_the_corpus_calls_an_error_is_refused);
    tcase_set_timeout(tests, 120);
    suite_add_tcase(suite, tests);
    return suite;
}
