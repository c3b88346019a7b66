/* SPDX-License-Identifier: Apache-2.0
 *
 * test_print_corpus.c -- the public BSON corpus as text: every sound document prints as the corpus has it, by value; every
 * unsound one is refused as validation refuses it.
 */
#include "suites.h"

#include "corpus/corpus.h"
#include "support/json_text.h"
#include "support/print_text.h"
#include "support/skip.h"

#include <bsonic/validate.h>

#include <string.h>

/* 1 when there was something to compare. */
static size_t check_text(const corpus_valid *row, bsn_bytes bson, bsn_json_form form,
                         bsn_str expected)
{
    if (bson.ptr == NULL || expected.ptr == NULL) return 0;
    char why[600] = "";
    printed p = print_bytes(bson, form);
    ck_assert_msg(p.status == BSN_OK, "%s: %s: %s", row->file, row->description,
                  bsn_status_text(p.status));
    ck_assert_msg(json_same(p.text, expected, why, sizeof why), "%s: %s: %s", row->file,
                  row->description, why);
    printed_free(&p);
    return 1;
}

/* True when the canonical text has nothing that relaxed says otherwise. */
static bool same_in_both_forms(bsn_str text)
{
    return strstr(text.ptr, "$numberInt") == NULL && strstr(text.ptr, "$numberLong") == NULL &&
           strstr(text.ptr, "$numberDouble") == NULL && strstr(text.ptr, "$date") == NULL;
}

static bsn_str relaxed_text(const corpus_valid *row)
{
    static const bsn_str none = {NULL, 0};
    if (row->relaxed_extjson.ptr != NULL) return row->relaxed_extjson;
    return same_in_both_forms(row->canonical_extjson) ? row->canonical_extjson : none;
}

START_TEST(sound_documents_print_as_the_corpus_says)
{
    if (!corpus_present) {
        test_skip("sound_documents_print_as_the_corpus_says", "no corpus");
        return;
    }
    size_t canonical = 0, relaxed = 0, degenerate = 0, converted = 0;
    for (size_t i = 0; i < corpus_valid_count; i++) {
        const corpus_valid *row = &corpus_valids[i];
        canonical +=
            check_text(row, row->canonical_bson, BSN_JSON_CANONICAL, row->canonical_extjson);
        relaxed += check_text(row, row->canonical_bson, BSN_JSON_RELAXED, relaxed_text(row));
        degenerate +=
            check_text(row, row->degenerate_bson, BSN_JSON_CANONICAL, row->canonical_extjson);
        converted +=
            check_text(row, row->converted_bson, BSN_JSON_CANONICAL, row->converted_extjson);
    }
    ck_assert_uint_ge(canonical, 700);
    ck_assert_uint_ge(relaxed, 700);
    ck_assert_uint_ge(degenerate, 2);
    ck_assert_uint_ge(converted, 10);
}
END_TEST

START_TEST(unsound_documents_are_refused_as_validation_does)
{
    if (!corpus_present) {
        test_skip("unsound_documents_are_refused_as_validation_does", "no corpus");
        return;
    }
    ck_assert_uint_ge(corpus_decode_error_count, 70);
    for (size_t i = 0; i < corpus_decode_error_count; i++) {
        const corpus_decode_error *row = &corpus_decode_errors[i];
        bsn_error expected = {0};
        const bsn_status status = bsn_validate(row->bson, NULL, NULL, &expected);
        printed p = print_bytes(row->bson, i % 2 == 0 ? BSN_JSON_RELAXED : BSN_JSON_CANONICAL);
        ck_assert_msg(p.status != BSN_OK && p.status == status && p.err.offset == expected.offset,
                      "%s: %s: print %s at %u, validate %s at %u", row->file, row->description,
                      bsn_status_text(p.status), (unsigned)p.err.offset, bsn_status_text(status),
                      (unsigned)expected.offset);
        printed_free(&p);
    }
}
END_TEST

Suite *print_corpus_suite(void)
{
    Suite *suite = suite_create("print_corpus");
    TCase *tests = tcase_create("print_corpus");
    tcase_add_test(tests, sound_documents_print_as_the_corpus_says);
    tcase_add_test(tests, unsound_documents_are_refused_as_validation_does);
    suite_add_tcase(suite, tests);
    return suite;
}
