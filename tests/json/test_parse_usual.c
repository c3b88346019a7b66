/* SPDX-License-Identifier: Apache-2.0
 *
 * test_parse_usual.c -- wrappers as printers write them, which are read in a way of their own: with one blank more they go the general
 * way, and both come to the same bytes or the same status.
 */
#include "suites.h"

#include "support/expect.h"
#include "support/parse_text.h"
#include "support/random.h"

#include <stdio.h>
#include <string.h>

static char usual[2048], general[2048];

/* {"a": VALUE}, where VALUE has a blank behind its bracket in `general`. */
static void put_both(const char *value)
{
    ck_assert_int_lt(snprintf(usual, sizeof usual, "{\"a\":%s,\"b\":1}", value), sizeof usual);
    ck_assert_int_lt(snprintf(general, sizeof general, "{\"a\":{ %s,\"b\":1}", value + 1),
                     sizeof general);
}

static void check_both(const char *value, const bsn_json_parse_options *options)
{
    put_both(value);
    parsed a = parse_document((bsn_str){usual, strlen(usual)}, options);
    parsed b = parse_document((bsn_str){general, strlen(general)}, options);
    EXPECT(a.status == b.status, "%s: %s, %s", value, bsn_status_text(a.status),
           bsn_status_text(b.status));
    EXPECT(bsn_bytes_equal(a.bson, b.bson), "%s: other bytes", value);
    if (a.status != BSN_OK)
        EXPECT(a.err.offset + 1 == b.err.offset && a.err.detail == b.err.detail,
               "%s: %s at %u, %s at %u", value, a.err.detail, (unsigned)a.err.offset, b.err.detail,
               (unsigned)b.err.offset);
    parsed_free(&a);
    parsed_free(&b);
}

static const char *const numbers[] = {
    "0",
    "1",
    "-1",
    "-0",
    "00",
    "01",
    "-01",
    "",
    "-",
    "+1",
    "9",
    "12345678",
    "123456789",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "999999999999999999",
    "-999999999999999999",
    "1000000000000000000",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "12345678901234567890123",
    "1.0",
    "1e2",
    "1.5E+300",
    "-1.7976931348623157E+308",
    "1E400",
    "NaN",
    "Infinity",
    "-Infinity",
    "1 ",
    " 1",
    "0x1",
    "1\\u0030",
    "123456789012345678901234567890123",
    "1234567890123456789012345678901234",
    "5E-324",
    "0.1",
    ".1",
    "1.",
    "1E+6145",
    "9.999999999999999999999999999999999E+6144",
};

START_TEST(numbers_in_quotes)
{
    static const char *const heads[] = {"Int", "Long", "Double", "Decimal", "Bogus", "Intx"};
    char value[256];
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            (void)snprintf(value, sizeof value, "{\"$number%s\":\"%s\"}", heads[h], numbers[i]);
            check_both(value, NULL);
        }
    }
}
END_TEST

START_TEST(dates_by_number_and_timestamps)
{
    char value[256];
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        (void)snprintf(value, sizeof value, "{\"$date\":{\"$numberLong\":\"%s\"}}", numbers[i]);
        check_both(value, NULL);
        (void)snprintf(value, sizeof value, "{\"$timestamp\":{\"t\":%s,\"i\":4294967295}}",
                       numbers[i]);
        check_both(value, NULL);
        (void)snprintf(value, sizeof value, "{\"$timestamp\":{\"t\":4294967296,\"i\":%s}}",
                       numbers[i]);
        check_both(value, NULL);
    }
}
END_TEST

START_TEST(other_wrappers_and_what_is_nearly_one)
{
    static const char *const values[] = {
        "{\"$oid\":\"0123456789abcdef01234567\"}",
        "{\"$oid\":\"0123456789ABCDEF01234567\"}",
        "{\"$oid\":\"0123456789abcdef0123456\"}",
        "{\"$oid\":\"0123456789abcdef012345678\"}",
        "{\"$oid\":\"0123456789abcdef0123456g\"}",
        "{\"$oid\":\"0123456789abcdef01234567\",\"x\":1}",
        "{\"$date\":\"2012-12-24T12:15:30.501Z\"}",
        "{\"$date\":\"2012-12-24T12:15:30.501+01:00\"}",
        "{\"$date\":\"2012-13-24T12:15:30.501Z\"}",
        "{\"$date\":\"2012-12-24T12:15:30.5019Z\"}",
        "{\"$date\":{\"$numberLong\":\"5\",\"x\":1}}",
        "{\"$binary\":{\"base64\":\"\",\"subType\":\"00\"}}",
        "{\"$binary\":{\"base64\":\"//8=\",\"subType\":\"02\"}}",
        "{\"$binary\":{\"base64\":\"//8=\",\"subType\":\"ff\"}}",
        "{\"$binary\":{\"base64\":\"//8=\",\"subType\":\"0g\"}}",
        "{\"$binary\":{\"base64\":\"//8=\",\"subType\":\"0\"}}",
        "{\"$binary\":{\"base64\":\"//8\",\"subType\":\"00\"}}",
        "{\"$binary\":{\"base64\":\"//9=\",\"subType\":\"00\"}}",
        "{\"$binary\":{\"subType\":\"00\",\"base64\":\"//8=\"}}",
        "{\"$code\":\"\"}",
        "{\"$code\":\"f()\"}",
        "{\"$code\":\"\\u0000\"}",
        "{\"$code\":\"\xC3\xA9\"}",
        "{\"$code\":\"\xC3\"}",
        "{\"$code\":\"f()\",\"$scope\":{}}",
        "{\"$code\":\"f()\",\"$scope\":{\"x\":1}}",
        "{\"$code\":\"f()\",\"$scope\":{},\"x\":1}",
        "{\"$code\":\"f()\",\"$scope\":[]}",
        "{\"$code\":\"f()\",\"x\":{}}",
        "{\"$minKey\":1}",
        "{\"$maxKey\":1}",
        "{\"$minKey\":2}",
        "{\"$minKey\":1,\"x\":1}",
        "{\"$maxKey\":\"1\"}",
        "{\"$nothing\":1}",
        "{\"$\":1}",
        "{\"$number\":1}",
    };
    static const bsn_json_parse_options floors = {.sub_ms = BSN_JSON_SUB_MS_FLOOR};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        check_both(values[i], NULL);
        check_both(values[i], &floors);
    }
}
END_TEST

START_TEST(text_of_every_length_up_to_the_margin_and_over)
{
    char text[401], value[512];
    for (size_t len = 0; len < sizeof text; len++) {
        memset(text, 'x', len);
        text[len] = '\0';
        (void)snprintf(value, sizeof value, "{\"$code\":\"%s\"}", text);
        check_both(value, NULL);
        (void)snprintf(value, sizeof value, "{\"$code\":\"%s\",\"$scope\":{}}", text);
        check_both(value, NULL);
        (void)snprintf(value, sizeof value, "{\"$binary\":{\"base64\":\"%s\",\"subType\":\"80\"}}",
                       text);
        check_both(value, NULL);
        memset(text, '1', len);
        (void)snprintf(value, sizeof value, "{\"$numberDecimal\":\"%s\"}", text);
        check_both(value, NULL);
    }
}
END_TEST

/* Documents without content are no deeper than others. */
/* The first letter of a key may be an escape, and that one which there is not. */
START_TEST(an_escape_is_no_dollar)
{
    static const char *const values[] = {"{\"\\oid\":\"0123456789abcdef01234567\"}",
                                         "{\"\\numberLong\":\"5\"}", "{\"\\minKey\":1}",
                                         "{\"\\u0024oid\":\"0123456789abcdef01234567\"}"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        check_both(values[i], NULL);
        parsed p = parse_document((bsn_str){usual, strlen(usual)}, NULL);
        ck_assert((i == 0 || i == 2) <= (p.status == BSN_E_SYNTAX));
        parsed_free(&p);
    }
}
END_TEST

START_TEST(the_limit_of_levels_counts_empty_containers)
{
    static const char *const values[] = {"{}", "[]", "{\"$code\":\"\",\"$scope\":{}}"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        for (uint32_t depth = 1; depth <= 3; depth++) {
            const bsn_json_parse_options options = {.depth_max = depth};
            (void)snprintf(usual, sizeof usual, "{\"a\":{\"b\":%s}}", values[i]);
            parsed p = parse_document((bsn_str){usual, strlen(usual)}, &options);
            EXPECT(p.status == (depth < 3 ? BSN_E_DEPTH : BSN_OK), "%s, %u: %s", usual,
                   (unsigned)depth, bsn_status_text(p.status));
            parsed_free(&p);
        }
    }
}
END_TEST

/* Every document in the last margin of a text, too, where nothing stands behind it. */
START_TEST(ends_of_texts_are_where_they_are)
{
    static const char text[] =
        "{\"a\":{\"$numberInt\":\"1\"},\"b\":{},\"c\":[],\"d\":12345678901,"
        "\"e\":{\"$minKey\":1},\"f\":{\"$oid\":\"0123456789abcdef01234567\"}}";
    for (size_t len = 0; len < sizeof text; len++) {
        parsed p = parse_document((bsn_str){text, len}, NULL);
        ck_assert_int_eq(p.status, len == sizeof text - 1 ? BSN_OK : BSN_E_SHORT);
        if (len < sizeof text - 1) ck_assert_uint_eq(p.err.offset, len);
        parsed_free(&p);
        if (len == sizeof text - 1) break;
    }
}
END_TEST

/* A number, or nearly one: up to `max` digits and a point among them. */
static void random_number(test_random *random, char *text, size_t max)
{
    static const char odd[] = "-+.eE0 ,x";
    const size_t count = 1 + random_size_below(random, max);
    const size_t point = random_size_below(random, 2 * count);
    size_t len = 0;
    if (random_one_in(random, 3)) text[len++] = '-';
    for (size_t i = 0; i < count; i++) {
        if (i == point && i != 0) text[len++] = '.';
        text[len++] = random_one_in(random, 4) ? '0' : (char)('0' + random_below(random, 10));
    }
    if (random_one_in(random, 8))
        len += (size_t)sprintf(text + len, "E%d", (int)random_below(random, 40) - 20);
    if (random_one_in(random, 10))
        text[random_size_below(random, len)] = odd[random_size_below(random, sizeof odd - 1)];
    text[len] = '\0';
}

/* Pieces of one byte are read by the careful way alone. */
START_TEST(numbers_of_few_digits_are_what_the_careful_way_reads)
{
    test_random random = {6};
    bsn_json_parser parser;
    size_t sound = 0;
    bsn_json_parser_init(&parser, NULL);
    for (size_t i = 0; i < RANDOM_ROUNDS(100000); i++) {
        char number[64], other[64];
        random_number(&random, number, 20);
        random_number(&random, other, 8);
        const int len = snprintf(usual, sizeof usual, "{\"a\":[%s,%s]}", number, other);
        const bsn_str text = {usual, (size_t)len};
        parsed whole = parse_cut(&parser, text, NULL, 0);
        parsed bytes = parse_steps(&parser, text, 1);
        check_same_parse(&whole, &bytes, text, "byte by byte");
        sound += whole.status == BSN_OK;
        parsed_free(&whole);
        parsed_free(&bytes);
    }
    ck_assert_uint_gt(sound, RANDOM_ROUNDS(100000) / 5);
    bsn_json_parser_free(&parser);
}
END_TEST

Suite *parse_usual_suite(void)
{
    Suite *suite = suite_create("parse_usual");
    TCase *tests = tcase_create("parse_usual");
    tcase_add_test(tests, numbers_in_quotes);
    tcase_add_test(tests, dates_by_number_and_timestamps);
    tcase_add_test(tests, other_wrappers_and_what_is_nearly_one);
    tcase_add_test(tests, text_of_every_length_up_to_the_margin_and_over);
    tcase_add_test(tests, an_escape_is_no_dollar);
    tcase_add_test(tests, the_limit_of_levels_counts_empty_containers);
    tcase_add_test(tests, numbers_of_few_digits_are_what_the_careful_way_reads);
    tcase_add_test(tests, ends_of_texts_are_where_they_are);
    suite_add_tcase(suite, tests);
    return suite;
}
