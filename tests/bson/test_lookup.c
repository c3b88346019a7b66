/* SPDX-License-Identifier: Apache-2.0
 *
 * test_lookup.c -- finding an element by its key.
 */
#include "suites.h"

#include "support/heap_doc.h"
#include "support/hex.h"

#include <bsonic/doc.h>

#include <stdlib.h>

/* {x: {"": "b"}, a: 1, b: true, a: 2, long key of 40 bytes: 3} */
static const char sample[] =
    "03 78 00 0D 00 00 00 02 00 02 00 00 00 62 00 00"
    "10 61 00 01 00 00 00"
    "08 62 00 01"
    "10 61 00 02 00 00 00"
    "10 6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B 00 03 00 "
    "00 00";
#define LONG_KEY "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"

static heap_doc doc_of_hex(const char *hex)
{
    hex_bytes elements = hex_read(hex);
    const heap_doc doc = heap_doc_of(elements.ptr, elements.len);
    hex_free(&elements);
    return doc;
}

static bsn_doc opened(heap_doc doc)
{
    bsn_doc view;
    ck_assert_int_eq(bsn_doc_open(heap_doc_span(doc), &view, NULL), BSN_OK);
    return view;
}

START_TEST(a_key_is_found_with_its_value)
{
    heap_doc doc = doc_of_hex(sample);
    bsn_value value;
    bsn_iter it;
    ck_assert_int_eq(bsn_find_value(opened(doc), BSN_STR("b"), &value, NULL), BSN_OK);
    ck_assert_int_eq(value.type, BSN_TYPE_BOOLEAN);
    ck_assert(value.as.boolean);
    ck_assert_int_eq(bsn_find(opened(doc), BSN_STR(LONG_KEY), &it, NULL), BSN_OK);
    ck_assert_int_eq(bsn_iter_value(&it).as.i32, 3);
    ck_assert(!bsn_iter_next(&it));
    free(doc.ptr);
}
END_TEST

START_TEST(the_first_of_equal_keys_is_found_and_the_walk_goes_on_from_there)
{
    heap_doc doc = doc_of_hex(sample);
    bsn_iter it;
    ck_assert_int_eq(bsn_find(opened(doc), BSN_STR("a"), &it, NULL), BSN_OK);
    ck_assert_int_eq(bsn_iter_value(&it).as.i32, 1);
    ck_assert_uint_eq(bsn_iter_offset(&it), 20);
    ck_assert(bsn_iter_next(&it));
    ck_assert(bsn_iter_key_is(&it, BSN_STR("b")));
    free(doc.ptr);
}
END_TEST

START_TEST(the_empty_key_is_a_key)
{
    heap_doc doc = doc_of_hex(sample);
    const bsn_str empty = {NULL, 0};
    bsn_value value;
    ck_assert_int_eq(bsn_find_value(opened(doc), BSN_STR(""), &value, NULL), BSN_E_NOT_FOUND);
    ck_assert_int_eq(bsn_find_value(opened(doc), BSN_STR("x"), &value, NULL), BSN_OK);
    const bsn_doc inner = value.as.doc;
    ck_assert_int_eq(bsn_find_value(inner, BSN_STR(""), &value, NULL), BSN_OK);
    ck_assert(bsn_str_equal(value.as.str, BSN_STR("b")));
    ck_assert_int_eq(bsn_find_value(inner, empty, &value, NULL), BSN_OK);
    free(doc.ptr);
}
END_TEST

START_TEST(a_key_that_is_not_there_is_not_found)
{
    static const bsn_str keys[] = {{"c", 1}, {"aa", 2},      {"a\0", 2},
                                   {"A", 1}, {LONG_KEY, 39}, {LONG_KEY "k", 41}};
    heap_doc doc = doc_of_hex(sample);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        bsn_value value = {.type = BSN_TYPE_MINKEY};
        bsn_error err;
        ck_assert_int_eq(bsn_find_value(opened(doc), keys[i], &value, &err), BSN_E_NOT_FOUND);
        ck_assert_int_eq(err.status, BSN_E_NOT_FOUND);
        ck_assert_int_eq(value.type, BSN_TYPE_MINKEY);
    }
    free(doc.ptr);
}
END_TEST

START_TEST(nothing_is_found_in_an_empty_document)
{
    heap_doc doc = heap_doc_of(NULL, 0);
    bsn_iter it;
    ck_assert_int_eq(bsn_find(opened(doc), BSN_STR(""), &it, NULL), BSN_E_NOT_FOUND);
    free(doc.ptr);
}
END_TEST

/* An ObjectId in front of the key asked for, found by stepping over exactly its 12 bytes. */
START_TEST(what_lies_before_the_key_is_stepped_over)
{
    hex_bytes bytes = hex_read(
        "1B 00 00 00 07 6F 00 5F 01 02 03 04 05 06 07 08 09 0A 0B 10 6E 00 01 00 00 00 00");
    bsn_doc doc;
    bsn_value value;
    ck_assert_int_eq(bsn_doc_open(hex_span(&bytes), &doc, NULL), BSN_OK);
    ck_assert_int_eq(bsn_find_value(doc, BSN_STR("n"), &value, NULL), BSN_OK);
    ck_assert_int_eq(value.as.i32, 1);
    hex_free(&bytes);
}
END_TEST

START_TEST(a_fault_before_the_key_is_reported_one_behind_it_is_not)
{
    heap_doc doc = doc_of_hex("10 61 00 01 00 00 00 08 62 00 02 10 63 00 01 00 00 00");
    bsn_value value = {.type = BSN_TYPE_MINKEY};
    bsn_error err;
    ck_assert_int_eq(bsn_find_value(opened(doc), BSN_STR("c"), &value, &err), BSN_E_BOOLEAN);
    ck_assert_uint_eq(err.offset, 14);
    ck_assert_int_eq(value.type, BSN_TYPE_MINKEY);
    ck_assert_int_eq(bsn_find_value(opened(doc), BSN_STR("b"), &value, &err), BSN_E_BOOLEAN);
    ck_assert_int_eq(bsn_find_value(opened(doc), BSN_STR("a"), &value, &err), BSN_OK);
    ck_assert_int_eq(value.as.i32, 1);
    free(doc.ptr);
}
END_TEST

Suite *lookup_suite(void)
{
    Suite *suite = suite_create("lookup");
    TCase *tests = tcase_create("lookup");
    tcase_add_test(tests, a_key_is_found_with_its_value);
    tcase_add_test(tests, the_first_of_equal_keys_is_found_and_the_walk_goes_on_from_there);
    tcase_add_test(tests, the_empty_key_is_a_key);
    tcase_add_test(tests, a_key_that_is_not_there_is_not_found);
    tcase_add_test(tests, nothing_is_found_in_an_empty_document);
    tcase_add_test(tests, what_lies_before_the_key_is_stepped_over);
    tcase_add_test(tests, a_fault_before_the_key_is_reported_one_behind_it_is_not);
    suite_add_tcase(suite, tests);
    return suite;
}
