/* SPDX-License-Identifier: Apache-2.0
 *
 * test_catalog.c -- which namespaces files and folders are served under, and what is refused.
 */
#include "suites.h"

#include "serve/fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t empty_document[] = {5, 0, 0, 0, 0};

static void put(fixture *f, const char *name)
{
    fixture_write(f, name, empty_document, sizeof empty_document);
}

static void expect_namespaces(const fixture *f, const char *const *names)
{
    size_t count = 0;
    while (names[count] != NULL) count++;
    ck_assert_uint_eq(f->state.catalog.count, count);
    for (size_t i = 0; i < count; i++) ck_assert_str_eq(f->state.catalog.items[i]->ns, names[i]);
}

START_TEST(file_is_served_under_its_name)
{
    static const char *const names[] = {"dump.a.b",       "dump.caf\xC3\xA9", "dump.plain",
                                        "dump.two words", "dump.x",           NULL};
    fixture f;
    fixture_open(&f);
    put(&f, "deep/er/x.bson");
    put(&f, "a.b.bson");
    put(&f, "caf%C3%A9.bson");
    put(&f, "two+words.bson");
    put(&f, "plain");
    ck_assert_int_eq(fixture_add(&f, "deep/er/x.bson"), BSN_OK);
    ck_assert_int_eq(fixture_add(&f, "two+words.bson"), BSN_OK);
    ck_assert_int_eq(fixture_add(&f, "a.b.bson"), BSN_OK);
    ck_assert_int_eq(fixture_add(&f, "plain"), BSN_OK);
    ck_assert_int_eq(fixture_add(&f, "caf%C3%A9.bson"), BSN_OK);
    expect_namespaces(&f, names);
    serve_collection *c = serve_catalog_find(&f.state.catalog, BSN_STR("dump"), BSN_STR("a.b"));
    ck_assert_ptr_nonnull(c);
    ck_assert(bsn_str_equal(serve_collection_db(c), BSN_STR("dump")));
    ck_assert(bsn_str_equal(serve_collection_name(c), BSN_STR("a.b")));
    ck_assert_ptr_null(serve_catalog_find(&f.state.catalog, BSN_STR("dump"), BSN_STR("a")));
    ck_assert_ptr_null(serve_catalog_find(&f.state.catalog, BSN_STR("dum"), BSN_STR("a.b")));
    fixture_close(&f);
}
END_TEST

START_TEST(folder_is_served_as_a_dump)
{
    static const char *const names[] = {"admin.system.users", "dump.oplog", "shop.a/b",
                                        "shop.orders", NULL};
    fixture f;
    fixture_open(&f);
    put(&f, "shop/orders.bson");
    put(&f, "shop/orders.metadata.json");
    put(&f, "shop/a%2Fb.bson");
    put(&f, "admin/system.users.bson");
    put(&f, "oplog.bson");
    put(&f, "prelude.json");
    ck_assert_int_eq(fixture_add(&f, ""), BSN_OK);
    expect_namespaces(&f, names);
    ck_assert_str_eq(f.told, ""); /* nothing is out of place */
    fixture_close(&f);
}
END_TEST

START_TEST(what_is_no_part_of_a_dump_is_told_and_passed_over)
{
    static const char *const strange[] = {"shop/notes.txt", "shop/deeper/x.bson", "shop/x.bson.gz",
                                          "not a db/x.bson", "README"};
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++) {
        fixture f;
        fixture_open(&f);
        put(&f, "shop/orders.bson");
        put(&f, strange[i]);
        ck_assert_int_eq(fixture_add(&f, ""), BSN_OK);
        ck_assert_uint_eq(f.state.catalog.count, 1);
        ck_assert_msg(strstr(f.told, "not served") != NULL, "%s: %s", strange[i], f.told);
        fixture_close(&f);
    }
}
END_TEST

START_TEST(one_namespace_twice_is_refused)
{
    fixture f;
    fixture_open(&f);
    put(&f, "one/x.bson");
    put(&f, "two/x.bson");
    ck_assert_int_eq(fixture_add(&f, "one/x.bson"), BSN_OK);
    ck_assert_int_eq(fixture_add(&f, "two/x.bson"), BSN_E_VALUE);
    ck_assert_str_eq(f.subject, "dump.x");
    ck_assert_str_eq(f.err.detail, "two files of this namespace");
    ck_assert_int_eq(fixture_add(&f, "one/x.bson"), BSN_E_VALUE);
    ck_assert_uint_eq(f.state.catalog.count, 1);
    fixture_close(&f);
}
END_TEST

START_TEST(file_and_folder_meet_in_one_namespace)
{
    fixture f;
    fixture_open(&f);
    put(&f, "top/dump/x.bson");
    put(&f, "top/x.bson");
    ck_assert_int_eq(fixture_add(&f, "top"), BSN_E_VALUE);
    fixture_close(&f);
}
END_TEST

START_TEST(names_that_are_none_are_refused)
{
    static const char *const bad[] = {"a%2.bson", "a%00.bson", ".bson", "x.bson.gz", "x.archive"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        fixture f;
        fixture_open(&f);
        put(&f, bad[i]);
        ck_assert_msg(fixture_add(&f, bad[i]) == BSN_E_VALUE, "%s", bad[i]);
        ck_assert_ptr_nonnull(f.err.detail);
        ck_assert_str_eq(f.subject, fixture_path(&f, bad[i]));
        ck_assert_uint_eq(f.state.catalog.count, 0);
        fixture_close(&f);
    }
}
END_TEST

START_TEST(what_is_not_there_or_no_file_is_a_system_error)
{
    fixture f;
    fixture_open(&f);
    ck_assert_int_eq(fixture_add(&f, "none.bson"), BSN_E_IO);
    ck_assert_int_ne(f.err.os_error, 0);
    ck_assert_int_eq(mkfifo(fixture_path(&f, "pipe.bson"), 0600), 0);
    ck_assert_int_eq(fixture_add(&f, "pipe.bson"), BSN_E_IO);
    ck_assert_ptr_nonnull(f.err.detail);
    fixture_close(&f);
}
END_TEST

START_TEST(many_collections_are_kept_in_order)
{
    fixture f;
    fixture_open(&f);
    for (unsigned i = 0; i < 200; i++) {
        char name[32];
        snprintf(name, sizeof name, "d%u/c%u.bson", i * 7 % 10, i * 31 % 200);
        put(&f, name);
    }
    ck_assert_int_eq(fixture_add(&f, ""), BSN_OK);
    ck_assert_uint_eq(f.state.catalog.count, 200);
    for (size_t i = 1; i < 200; i++) {
        ck_assert_int_lt(strcmp(f.state.catalog.items[i - 1]->ns, f.state.catalog.items[i]->ns), 0);
    }
    fixture_close(&f);
}
END_TEST

Suite *catalog_suite(void)
{
    Suite *suite = suite_create("catalog");
    TCase *tests = tcase_create("catalog");
    tcase_add_test(tests, file_is_served_under_its_name);
    tcase_add_test(tests, folder_is_served_as_a_dump);
    tcase_add_test(tests, what_is_no_part_of_a_dump_is_told_and_passed_over);
    tcase_add_test(tests, one_namespace_twice_is_refused);
    tcase_add_test(tests, file_and_folder_meet_in_one_namespace);
    tcase_add_test(tests, names_that_are_none_are_refused);
    tcase_add_test(tests, what_is_not_there_or_no_file_is_a_system_error);
    tcase_add_test(tests, many_collections_are_kept_in_order);
    suite_add_tcase(suite, tests);
    return suite;
}
