/* SPDX-License-Identifier: Apache-2.0
 *
 * test_names.c -- names of collections out of file names, and which names of databases are none.
 */
#include "suites.h"

#include "serve/names.h"

#include <string.h>

typedef struct name_row {
    const char *file;
    const char *name; /* NULL: refused */
} name_row;

/* The pairs of the dump tools, and what they never write. */
static const name_row name_rows[] = {
    {"plain", "plain"},
    {"a%2Fb", "a/b"},
    {"a%25b", "a%b"},
    {"a%2Bb", "a+b"},
    {"a%24b", "a$b"},
    {"%2Ax", "*x"},
    {"caf%C3%A9s", "caf\xC3\xA9s"},
    {"two+words", "two words"},
    {"a-b_c.d~e", "a-b_c.d~e"},
    {"a%2fb", "a/b"},
    {"system.buckets.x", "system.buckets.x"},
    {"%0a", "\n"},
    {"", NULL},
    {"a%", NULL},
    {"a%2", NULL},
    {"a%2G", NULL},
    {"a%G2", NULL},
    {"a%%41", NULL},
    {"a%00b", NULL},
};

START_TEST(collection_name_is_read_back_from_its_file_name)
{
    const name_row *row = &name_rows[_i];
    char name[64];
    size_t len = 0;
    const char *fault = serve_name_from_file(bsn_str_from(row->file), name, &len);
    ck_assert_msg((fault == NULL) == (row->name != NULL), "%s: %s", row->file,
                  fault == NULL ? "taken" : fault);
    if (row->name == NULL) return;
    ck_assert_uint_eq(len, strlen(row->name));
    ck_assert_mem_eq(name, row->name, len);
}
END_TEST

START_TEST(shortened_name_is_not_guessed)
{
    char file[239], name[239];
    size_t len;
    memset(file, 'a', sizeof file);
    memcpy(file + 208, "%24", 3);
    for (size_t size = 237; size <= 239; size++) {
        const bsn_str text = {file, size};
        ck_assert((serve_name_from_file(text, name, &len) == NULL) == (size != 238));
    }
    file[209] = '3'; /* as long, but another escape */
    const bsn_str text = {file, 238};
    ck_assert_ptr_null(serve_name_from_file(text, name, &len));
}
END_TEST

START_TEST(names_of_databases_are_checked)
{
    static const char *const bad[] = {"", "a/b", "a\\b", "a.b", "a\"b", "a$b", "a b"};
    char text[65];
    ck_assert_ptr_null(serve_db_name_fault(BSN_STR("admin")));
    ck_assert_ptr_null(serve_db_name_fault(BSN_STR("a-b_c")));
    ck_assert_ptr_nonnull(serve_db_name_fault(BSN_STR("a\0b")));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(serve_db_name_fault(bsn_str_from(bad[i])) != NULL, "%s", bad[i]);
    }
    memset(text, 'x', sizeof text);
    const bsn_str longest = {text, SERVE_DB_MAX}, longer = {text, SERVE_DB_MAX + 1};
    ck_assert_ptr_null(serve_db_name_fault(longest));
    ck_assert_ptr_nonnull(serve_db_name_fault(longer));
}
END_TEST

START_TEST(namespace_is_database_dot_collection)
{
    char ns[SERVE_NS_MAX + 1];
    const bsn_str joined = serve_join_ns(ns, BSN_STR("db"), BSN_STR("a.b"));
    ck_assert(bsn_str_equal(joined, BSN_STR("db.a.b")));
    ck_assert_str_eq(ns, "db.a.b");
    ck_assert(serve_collection_name_sound(BSN_STR("a.b")));
    ck_assert(!serve_collection_name_sound(BSN_STR("")));
    ck_assert(!serve_collection_name_sound(BSN_STR(".a")));
    ck_assert(!serve_collection_name_sound(BSN_STR("a\0b")));
}
END_TEST

Suite *names_suite(void)
{
    Suite *suite = suite_create("names");
    TCase *tests = tcase_create("names");
    tcase_add_loop_test(tests, collection_name_is_read_back_from_its_file_name, 0,
                        (int)(sizeof name_rows / sizeof name_rows[0]));
    tcase_add_test(tests, shortened_name_is_not_guessed);
    tcase_add_test(tests, names_of_databases_are_checked);
    tcase_add_test(tests, namespace_is_database_dot_collection);
    suite_add_tcase(suite, tests);
    return suite;
}
