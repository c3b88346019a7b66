/* SPDX-License-Identifier: Apache-2.0
 *
 * test_types.c -- which bytes are types, and their names.
 */
#include "suites.h"

#include <bsonic/types.h>

typedef struct type_row {
    uint8_t type;
    const char *name;
} type_row;

static const type_row type_rows[] = {
    {0x01, "double"},     {0x02, "string"},    {0x03, "object"},
    {0x04, "array"},      {0x05, "binData"},   {0x06, "undefined"},
    {0x07, "objectId"},   {0x08, "bool"},      {0x09, "date"},
    {0x0A, "null"},       {0x0B, "regex"},     {0x0C, "dbPointer"},
    {0x0D, "javascript"}, {0x0E, "symbol"},    {0x0F, "javascriptWithScope"},
    {0x10, "int"},        {0x11, "timestamp"}, {0x12, "long"},
    {0x13, "decimal"},    {0x7F, "maxKey"},    {0xFF, "minKey"},
};
static const size_t type_row_count = sizeof type_rows / sizeof type_rows[0];

static const char *expected_name(unsigned byte)
{
    for (size_t i = 0; i < type_row_count; i++) {
        if (type_rows[i].type == byte) return type_rows[i].name;
    }
    return NULL;
}

START_TEST(each_byte_is_a_type_or_not)
{
    for (unsigned byte = 0; byte <= 0xFF; byte++) {
        ck_assert_msg(bsn_type_known((uint8_t)byte) == (expected_name(byte) != NULL), "byte %02x",
                      byte);
    }
}
END_TEST

START_TEST(each_type_has_the_servers_name)
{
    for (unsigned byte = 0; byte <= 0xFF; byte++) {
        const char *expected = expected_name(byte);
        ck_assert_str_eq(bsn_type_name((uint8_t)byte), expected != NULL ? expected : "unknown");
    }
}
END_TEST

Suite *types_suite(void)
{
    Suite *suite = suite_create("types");
    TCase *tests = tcase_create("types");
    tcase_add_test(tests, each_byte_is_a_type_or_not);
    tcase_add_test(tests, each_type_has_the_servers_name);
    suite_add_tcase(suite, tests);
    return suite;
}
