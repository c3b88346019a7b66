/* SPDX-License-Identifier: Apache-2.0
 *
 * test_find_path.c -- finding an element by a dotted path, and by steps.
 */
#include "suites.h"

#include <bsonic/get.h>
#include <bsonic/write.h>

static uint8_t storage[4096];

/* {a: {b: [{c: 1}, 2, [3]], "0": 4, "": 5}, "a.b": 6, a: 7, f: code with scope {x: 8}, s: "t"} */
static bsn_doc make_sample(void)
{
    bsn_out out;
    bsn_writer w;
    bsn_doc doc;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    bsn_writer_begin_document(&w, BSN_STR("a"));
    bsn_writer_begin_array(&w, BSN_STR("b"));
    bsn_writer_begin_document(&w, BSN_STR(""));
    bsn_writer_int32(&w, BSN_STR("c"), 1);
    bsn_writer_end(&w);
    bsn_writer_int32(&w, BSN_STR(""), 2);
    bsn_writer_begin_array(&w, BSN_STR(""));
    bsn_writer_int32(&w, BSN_STR(""), 3);
    bsn_writer_end(&w);
    bsn_writer_end(&w);
    bsn_writer_int32(&w, BSN_STR("0"), 4);
    bsn_writer_int32(&w, BSN_STR(""), 5);
    bsn_writer_end(&w);
    bsn_writer_int32(&w, BSN_STR("a.b"), 6);
    bsn_writer_int32(&w, BSN_STR("a"), 7);
    bsn_writer_begin_code_scope(&w, BSN_STR("f"), BSN_STR("g()"));
    bsn_writer_int32(&w, BSN_STR("x"), 8);
    bsn_writer_end(&w);
    bsn_writer_string(&w, BSN_STR("s"), BSN_STR("t"));
    bsn_writer_end(&w);
    ck_assert_int_eq(bsn_writer_doc(&w, &doc), BSN_OK);
    return doc;
}

START_TEST(paths_lead_to_their_elements)
{
    static const struct {
        const char *path;
        int32_t value;
    } rows[] = {{"a.b.0.c", 1}, {"a.b.1", 2}, {"a.b.2.0", 3}, {"a.0", 4}, {"a.", 5}, {"f.x", 8}};
    const bsn_doc doc = make_sample();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bsn_iter it;
        int32_t value = 0;
        ck_assert_msg(bsn_find_path(doc, bsn_str_from(rows[i].path), &it, NULL) == BSN_OK, "%s",
                      rows[i].path);
        ck_assert_int_eq(bsn_get_int32(&it, &value), BSN_OK);
        ck_assert_int_eq(value, rows[i].value);
        char path[64];
        const size_t len = bsn_path_at(bsn_doc_bytes(doc), bsn_iter_offset(&it), path, sizeof path);
        ck_assert_uint_eq(len, bsn_str_from(rows[i].path).len);
        ck_assert_mem_eq(path, rows[i].path, len);
    }
}
END_TEST

START_TEST(paths_that_lead_nowhere_are_not_found)
{
    static const char *const paths[] = {
        "b",       "a.c", "a.b.3", "a.b.00", "a.b.01",          "a.b.-1",   "a.b.x",
        "a.b.1.c", "s.t", "",      "a.b.",   "a.b.99999999999", "a.b.0.c.d"};
    const bsn_doc doc = make_sample();
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        bsn_iter it;
        bsn_error err;
        ck_assert_msg(bsn_find_path(doc, bsn_str_from(paths[i]), &it, &err) == BSN_E_NOT_FOUND,
                      "%s", paths[i]);
        ck_assert_int_eq(err.status, BSN_E_NOT_FOUND);
        ck_assert_uint_lt(err.offset, doc.len);
    }
}
END_TEST

START_TEST(steps_reach_keys_that_hold_dots)
{
    const bsn_doc doc = make_sample();
    const bsn_str dotted[] = {BSN_STR("a.b")};
    const bsn_str nested[] = {BSN_STR("a"), BSN_STR("b"), BSN_STR("2"), BSN_STR("0")};
    bsn_iter it;
    int32_t value;
    ck_assert_int_eq(bsn_find_steps(doc, dotted, 1, &it, NULL), BSN_OK);
    ck_assert_int_eq(bsn_get_int32(&it, &value), BSN_OK);
    ck_assert_int_eq(value, 6);
    ck_assert_int_eq(bsn_find_steps(doc, nested, 4, &it, NULL), BSN_OK);
    ck_assert_int_eq(bsn_get_int32(&it, &value), BSN_OK);
    ck_assert_int_eq(value, 3);
}
END_TEST

/* Positions count, whatever an array's own keys say. */
START_TEST(arrays_go_by_position)
{
    static const uint8_t bytes[] = {
        0x1B, 0, 0, 0, 0x04, 'l', 0, 0x13, 0, 0, 0, 0x10, '7', 0,
        1,    0, 0, 0, 0x10, '0', 0, 2,    0, 0, 0, 0,    0,
    };
    bsn_doc doc;
    bsn_iter it;
    int32_t value;
    ck_assert_int_eq(bsn_doc_open((bsn_bytes){bytes, sizeof bytes}, &doc, NULL), BSN_OK);
    ck_assert_int_eq(bsn_find_path(doc, BSN_STR("l.0"), &it, NULL), BSN_OK);
    ck_assert_int_eq(bsn_get_int32(&it, &value), BSN_OK);
    ck_assert_int_eq(value, 1);
    ck_assert_int_eq(bsn_find_path(doc, BSN_STR("l.7"), &it, NULL), BSN_E_NOT_FOUND);
}
END_TEST

START_TEST(a_fault_on_the_way_is_reported_with_its_place_and_one_behind_is_not)
{
    /* {a: {b: 1, ?: unknown type}} */
    static const uint8_t bytes[] = {
        0x16, 0, 0, 0, 0x03, 'a', 0, 0x0E, 0, 0, 0, 0x08, 'b', 0, 1, 0x20, 'c', 0, 0, 0, 0, 0,
    };
    bsn_doc doc;
    bsn_iter it;
    bsn_error err;
    ck_assert_int_eq(bsn_doc_open((bsn_bytes){bytes, sizeof bytes}, &doc, NULL), BSN_OK);
    ck_assert_int_eq(bsn_find_path(doc, BSN_STR("a.b"), &it, &err), BSN_OK);
    ck_assert_int_eq(bsn_find_path(doc, BSN_STR("a.z"), &it, &err), BSN_E_TYPE);
    ck_assert_uint_eq(err.offset, 15);
}
END_TEST

/* A path may go as deep as documents may be nested. */
START_TEST(a_path_deeper_than_the_limit_is_refused)
{
    static uint8_t deep[64 * 1024];
    bsn_out out;
    bsn_writer w;
    bsn_writer_frame frames[BSN_DEPTH_DEFAULT + 1];
    bsn_doc doc;
    bsn_iter it;
    char path[2 * BSN_DEPTH_DEFAULT + 2];
    bsn_out_init_fixed(&out, deep, sizeof deep);
    bsn_writer_init(&w, &out);
    bsn_writer_use_frames(&w, frames, BSN_DEPTH_DEFAULT + 1);
    bsn_writer_begin(&w);
    for (size_t i = 0; i < BSN_DEPTH_DEFAULT; i++) bsn_writer_begin_document(&w, BSN_STR("a"));
    bsn_writer_null(&w, BSN_STR("a"));
    for (size_t i = 0; i <= BSN_DEPTH_DEFAULT; i++) bsn_writer_end(&w);
    ck_assert_int_eq(bsn_writer_doc(&w, &doc), BSN_OK);
    for (size_t i = 0; i < sizeof path; i++) path[i] = i % 2 == 0 ? 'a' : '.';
    ck_assert_int_eq(bsn_find_path(doc, (bsn_str){path, 2 * BSN_DEPTH_DEFAULT - 1}, &it, NULL),
                     BSN_OK);
    ck_assert_int_eq(bsn_find_path(doc, (bsn_str){path, 2 * BSN_DEPTH_DEFAULT + 1}, &it, NULL),
                     BSN_E_DEPTH);
}
END_TEST

Suite *find_path_suite(void)
{
    Suite *suite = suite_create("find_path");
    TCase *tests = tcase_create("find_path");
    tcase_add_test(tests, paths_lead_to_their_elements);
    tcase_add_test(tests, paths_that_lead_nowhere_are_not_found);
    tcase_add_test(tests, steps_reach_keys_that_hold_dots);
    tcase_add_test(tests, arrays_go_by_position);
    tcase_add_test(tests, a_fault_on_the_way_is_reported_with_its_place_and_one_behind_is_not);
    tcase_add_test(tests, a_path_deeper_than_the_limit_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
