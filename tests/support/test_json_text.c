/* SPDX-License-Identifier: Apache-2.0
 *
 * test_json_text.c -- the tests' own reader of JSON: what it takes for JSON, and for the same.
 */
#include "suites.h"

#include "support/json_text.h"

typedef struct sound_row {
    const char *text;
    bool sound;
} sound_row;

static const sound_row sound_rows[] = {
    {"{}", true},
    {" [ ] ", true},
    {"\"\"", true},
    {"-0", true},
    {"[1,-2.5,1e9,1E+9,0.1e-9,true,false,null]", true},
    {"{\"a\":{\"b\":[{},[],\"\\u0041\\ud83d\\ude00\\n\"]},\"a\":1}", true},
    {"", false},
    {"{", false},
    {"}", false},
    {"{]", false},
    {"[1,]", false},
    {"[,1]", false},
    {"[1 2]", false},
    {"{\"a\"}", false},
    {"{\"a\":}", false},
    {"{\"a\":1,}", false},
    {"{a:1}", false},
    {"{} {}", false},
    {"01", false},
    {"1.", false},
    {".5", false},
    {"1e", false},
    {"+1", false},
    {"NaN", false},
    {"tru", false},
    {"\"", false},
    {"\"\\x\"", false},
    {"\"\\u12\"", false},
    {"\"\\ud800\"", false},
    {"\"\\udc00\"", false},
    {"\"\n\"", false},
    {"\"\xFF\"", false},
};

START_TEST(json_is_told_from_what_is_not)
{
    for (size_t i = 0; i < sizeof sound_rows / sizeof sound_rows[0]; i++) {
        const sound_row *row = &sound_rows[i];
        ck_assert_msg(json_is_sound(bsn_str_from(row->text), NULL) == row->sound, "%s", row->text);
    }
}
END_TEST

typedef struct same_row {
    const char *a;
    const char *b;
    bool same;
} same_row;

static const same_row same_rows[] = {
    {"{\"a\":1}", " { \"a\" : 1 } ", true},
    {"\"\\u0041\\n\\/\"", "\"A\\u000a/\"", true},
    {"\"\\ud83d\\ude00\"", "\"\xF0\x9F\x98\x80\"", true},
    {"1500.0", "1.5e3", true},
    {"0.1", "0.1000000000000000055511151231257827", true},
    {"{\"d\":{\"$numberDouble\":\"1E+3\"}}", "{\"d\":{\"$numberDouble\":\"1000.0\"}}", true},
    {"{\"$numberDouble\":\"NaN\"}", "{\"$numberDouble\":\"NaN\"}", true},
    {"{\"$numberDouble\":\"NaN\"}", "{\"$numberDouble\":\"Infinity\"}", false},
    {"{\"$numberDecimal\":\"1E+3\"}", "{\"$numberDecimal\":\"1000\"}", false},
    {"{\"$numberDouble\":\"1.0\",\"x\":\"1.0\"}", "{\"$numberDouble\":\"1.00\",\"x\":\"1.00\"}",
     false},
    {"1", "1.0", false},
    {"0.0", "-0.0", false},
    {"1", "2", false},
    {"1", "\"1\"", false},
    {"true", "false", false},
    {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", false},
    {"{\"a\":1,\"a\":2}", "{\"a\":2}", false},
    {"[1]", "[1,1]", false},
    {"[]", "{}", false},
    {"[[]]", "[]", false},
    {"\"a\"", "\"ab\"", false},
    {"\"ab\"", "\"a\"", false},
    {"{", "{", false},
};

START_TEST(texts_that_say_the_same_are_told_from_others)
{
    for (size_t i = 0; i < sizeof same_rows / sizeof same_rows[0]; i++) {
        const same_row *row = &same_rows[i];
        char why[600];
        ck_assert_msg(json_same(bsn_str_from(row->a), bsn_str_from(row->b), why, sizeof why) ==
                          row->same,
                      "%s and %s", row->a, row->b);
    }
}
END_TEST

Suite *json_text_suite(void)
{
    Suite *suite = suite_create("json_text");
    TCase *tests = tcase_create("json_text");
    tcase_add_test(tests, json_is_told_from_what_is_not);
    tcase_add_test(tests, texts_that_say_the_same_are_told_from_others);
    suite_add_tcase(suite, tests);
    return suite;
}
