/* SPDX-License-Identifier: Apache-2.0
 *
 * test_parse.c -- Extended JSON as documents: every rule by its smallest texts, every fault with its place; each text also as a stream,
 * cut in two at every byte and byte by byte, with the same outcome.
 */
#include "suites.h"

#include "support/failing_alloc.h"
#include "support/hex.h"
#include "support/parse_text.h"
#include "support/print_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- running a text in every way ---- */

static bsn_str span(const char *text, size_t len)
{
    const bsn_str str = {text, len == 0 ? strlen(text) : len};
    return str;
}

/* The stream's outcome, with a shape that has seen it before or not. */
static void check_shapes(bsn_str text, const bsn_json_parse_options *options, const parsed *plain)
{
    bsn_json_parse_options shaped = {0};
    bsn_shape shape;
    bsn_json_parser parser;
    if (options != NULL) shaped = *options;
    bsn_shape_init(&shape, NULL);
    shaped.shape = &shape;
    bsn_json_parser_init(&parser, &shaped);
    for (size_t cut = 0; cut <= text.len; cut++) {
        parsed two = parse_cut(&parser, text, &cut, 1);
        check_same_parse(plain, &two, text, "cut in two, with a shape");
        parsed_free(&two);
    }
    bsn_json_parser_free(&parser);
    bsn_shape_free(&shape);
}

/* The stream's outcome, however it is cut. */
static parsed parse_every_cut(bsn_str text, const bsn_json_parse_options *options)
{
    bsn_json_parser parser;
    bsn_json_parser_init(&parser, options);
    parsed whole = parse_cut(&parser, text, NULL, 0);
    for (size_t cut = 0; cut <= text.len; cut++) {
        parsed two = parse_cut(&parser, text, &cut, 1);
        check_same_parse(&whole, &two, text, "cut in two");
        parsed_free(&two);
    }
    for (size_t step = 1; step <= 3; step++) {
        parsed steps = parse_steps(&parser, text, step);
        check_same_parse(&whole, &steps, text, "steps");
        parsed_free(&steps);
    }
    bsn_json_parser_free(&parser);
    check_shapes(text, options, &whole);
    return whole;
}

/* One document by itself; as a stream it has the same outcome, but for what stands in front of it and behind. */
static parsed parse_both(bsn_str text, const bsn_json_parse_options *options)
{
    parsed one = parse_document(text, options), stream = parse_every_cut(text, options);
    if (one.status == BSN_OK || (one.err.offset != 0 && one.status != BSN_E_TRAILING))
        check_same_parse(&one, &stream, text, "as a stream");
    parsed_free(&stream);
    return one;
}

/* ---- sound texts ---- */

/* A value in an embedded place, and its canonical text. */
typedef struct value_row {
    const char *text;
    const char *canonical;
} value_row;

static void check_value(const char *text, const char *canonical,
                        const bsn_json_parse_options *options)
{
    char document[800], expected[800];
    snprintf(document, sizeof document, "{\"a\":%s,\"b\":[%s]}", text, text);
    snprintf(expected, sizeof expected, "{\"a\":%s,\"b\":[%s]}", canonical, canonical);
    parsed p = parse_both(span(document, 0), options);
    ck_assert_msg(p.status == BSN_OK, "%s: %s at %u: %s", document, bsn_status_text(p.status),
                  (unsigned)p.err.offset, p.err.detail);
    printed back = print_bytes(p.bson, BSN_JSON_CANONICAL);
    ck_assert_msg(back.status == BSN_OK && back.text.len == strlen(expected) &&
                      memcmp(back.text.ptr, expected, back.text.len) == 0,
                  "%s: %.*s", document, (int)back.text.len, back.text.ptr);
    printed_free(&back);
    parsed_free(&p);
}

static const value_row values[] = {
    {"0", "{\"$numberInt\":\"0\"}"},
    {"-0", "{\"$numberInt\":\"0\"}"},
    {"-0.0", "{\"$numberDouble\":\"-0.0\"}"},
    {"7", "{\"$numberInt\":\"7\"}"},
    {"-12", "{\"$numberInt\":\"-12\"}"},
    {"1234567", "{\"$numberInt\":\"1234567\"}"},
    {"-12345678", "{\"$numberInt\":\"-12345678\"}"},
    {"2147483647", "{\"$numberInt\":\"2147483647\"}"},
    {"-2147483648", "{\"$numberInt\":\"-2147483648\"}"},
    {"2147483648", "{\"$numberLong\":\"2147483648\"}"},
    {"-2147483649", "{\"$numberLong\":\"-2147483649\"}"},
    {"9223372036854775807", "{\"$numberLong\":\"9223372036854775807\"}"},
    {"-9223372036854775808", "{\"$numberLong\":\"-9223372036854775808\"}"},
    {"9223372036854775808", "{\"$numberDouble\":\"9.223372036854776E+18\"}"},
    {"1e2", "{\"$numberDouble\":\"100.0\"}"},
    {"1E+2", "{\"$numberDouble\":\"100.0\"}"},
    {"5e-324", "{\"$numberDouble\":\"5E-324\"}"},
    {"0.1", "{\"$numberDouble\":\"0.1\"}"},
    {"true", "true"},
    {"false", "false"},
    {"null", "null"},
    {"\"\"", "\"\""},
    {"\"a\\u0000b\"", "\"a\\u0000b\""},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
    {"\"\\u00e9\\u20AC\\ud83d\\ude00\"", "\"é€😀\""},
    {"\"é€😀\"", "\"é€😀\""},
    {"\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"",
     "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\""},
    {"{}", "{}"},
    {"[]", "[]"},
    {" { } ", "{}"},
    {" [ ] ", "[]"},
    {"[ 1 , [ ] , { \"x\" : [ null ] } ]", "[{\"$numberInt\":\"1\"},[],{\"x\":[null]}]"},
    {"[\n\t1,\r\n2]", "[{\"$numberInt\":\"1\"},{\"$numberInt\":\"2\"}]"},
    /* wrappers, any order and blanks */
    {"{\"$numberInt\":\"5\"}", "{\"$numberInt\":\"5\"}"},
    {" { \"$numberInt\" : \"-2147483648\" } ", "{\"$numberInt\":\"-2147483648\"}"},
    {"{\"\\u0024numberInt\":\"5\"}", "{\"$numberInt\":\"5\"}"},
    {"{\"$number\\u0049nt\":\"\\u0035\"}", "{\"$numberInt\":\"5\"}"},
    {"{\"$numberLong\":\"5\"}", "{\"$numberLong\":\"5\"}"},
    {"{\"$numberDouble\":\"1\"}", "{\"$numberDouble\":\"1.0\"}"},
    {"{\"$numberDouble\":\"-0\"}", "{\"$numberDouble\":\"-0.0\"}"},
    {"{\"$numberDouble\":\"NaN\"}", "{\"$numberDouble\":\"NaN\"}"},
    {"{\"$numberDouble\":\"-Infinity\"}", "{\"$numberDouble\":\"-Infinity\"}"},
    {"{\"$numberDecimal\":\"1E6112\"}", "{\"$numberDecimal\":\"1.0E+6112\"}"},
    {"{\"$oid\":\"0123456789ABCDEFabcdef01\"}", "{\"$oid\":\"0123456789abcdefabcdef01\"}"},
    {"{\"$binary\":{\"base64\":\"AQID\",\"subType\":\"0\"}}",
     "{\"$binary\":{\"base64\":\"AQID\",\"subType\":\"00\"}}"},
    {"{\"$binary\":{\"subType\":\"fF\",\"base64\":\"\"}}",
     "{\"$binary\":{\"base64\":\"\",\"subType\":\"ff\"}}"},
    {"{ \"$binary\" : { \"subType\" : \"2\" , \"base64\" : \"\\/\\/\\/\\/\" } }",
     "{\"$binary\":{\"base64\":\"////\",\"subType\":\"02\"}}"},
    {"{\"$uuid\":\"73ffd264-44b3-4c69-90e8-e7d1dfc035d4\"}",
     "{\"$binary\":{\"base64\":\"c//SZESzTGmQ6OfR38A11A==\",\"subType\":\"04\"}}"},
    {"{\"$uuid\":\"73FFD26444B34C6990E8E7D1DFC035D4\"}",
     "{\"$binary\":{\"base64\":\"c//SZESzTGmQ6OfR38A11A==\",\"subType\":\"04\"}}"},
    {"{\"$date\":\"1970-01-01T00:00:00Z\"}", "{\"$date\":{\"$numberLong\":\"0\"}}"},
    {"{\"$date\":\"1969-12-31T23:59:59.999Z\"}", "{\"$date\":{\"$numberLong\":\"-1\"}}"},
    {"{\"$date\":\"2012-12-24T13:15:30.501+01:00\"}",
     "{\"$date\":{\"$numberLong\":\"1356351330501\"}}"},
    {"{\"$date\":\"2012-12-24T12:15:30.501000Z\"}",
     "{\"$date\":{\"$numberLong\":\"1356351330501\"}}"},
    {"{\"$date\":\"+10000-01-01T00:00:00Z\"}", "{\"$date\":{\"$numberLong\":\"253402300800000\"}}"},
    {"{\"$date\": {\"$numberLong\" :\"-9223372036854775808\"} }",
     "{\"$date\":{\"$numberLong\":\"-9223372036854775808\"}}"},
    {"{\"$regularExpression\":{\"pattern\":\"a/b\",\"options\":\"xi\"}}",
     "{\"$regularExpression\":{\"pattern\":\"a/b\",\"options\":\"ix\"}}"},
    {"{\"$regularExpression\":{\"options\":\"\",\"pattern\":\"\\\"\\u00e9\"}}",
     "{\"$regularExpression\":{\"pattern\":\"\\\"é\",\"options\":\"\"}}"},
    {"{\"$timestamp\":{\"t\":4294967295,\"i\":1}}", "{\"$timestamp\":{\"t\":4294967295,\"i\":1}}"},
    {"{\"$timestamp\":{\"i\":4294967295 ,\"t\":0}}", "{\"$timestamp\":{\"t\":0,\"i\":4294967295}}"},
    {"{\"$symbol\":\"\\u0000x\"}", "{\"$symbol\":\"\\u0000x\"}"},
    {"{\"$code\":\"\\u0000x\"}", "{\"$code\":\"\\u0000x\"}"},
    {"{ \"$code\" : \"f\" , \"$scope\" : { } }", "{\"$code\":\"f\",\"$scope\":{}}"},
    {"{ \"$scope\" : { } , \"$code\" : \"f\\n\" }", "{\"$code\":\"f\\n\",\"$scope\":{}}"},
    {"{\"$scope\":{\"x\":[{\"$oid\":\"0123456789abcdefabcdef01\"}],\"y\":{\"$scope\":{},\"$code\":"
     "\"\"}},\"$code\":\"f\"}",
     "{\"$code\":\"f\",\"$scope\":{\"x\":[{\"$oid\":\"0123456789abcdefabcdef01\"}],\"y\":{\"$"
     "code\":\"\",\"$scope\":{}}}}"},
    {"{\"$code\":\"f\",\"\\u0024scope\":{\"x\":{\"$code\":\"g\",\"$scope\":{\"y\":null}}}}",
     "{\"$code\":\"f\",\"$scope\":{\"x\":{\"$code\":\"g\",\"$scope\":{\"y\":null}}}}"},
    {"{\"$undefined\":true}", "{\"$undefined\":true}"},
    {"{\"$minKey\":1}", "{\"$minKey\":1}"},
    {"{ \"$maxKey\" : 1 }", "{\"$maxKey\":1}"},
    {"{\"$dbPointer\":{\"$ref\":\"a.b\",\"$id\":{\"$oid\":\"0123456789abcdefabcdef01\"}}}",
     "{\"$dbPointer\":{\"$ref\":\"a.b\",\"$id\":{\"$oid\":\"0123456789abcdefabcdef01\"}}}"},
    {"{\"$dbPointer\":{\"$id\":{\"$oid\":\"0123456789abcdefabcdef01\"},\"$ref\":\"\\u00e9\"}}",
     "{\"$dbPointer\":{\"$ref\":\"é\",\"$id\":{\"$oid\":\"0123456789abcdefabcdef01\"}}}"},
    /* no wrappers */
    {"{\"$gt\":1}", "{\"$gt\":{\"$numberInt\":\"1\"}}"},
    {"{\"$\":\"\"}", "{\"$\":\"\"}"},
    {"{\"\\\\\":\"\"}", "{\"\\\\\":\"\"}"},
    {"{\"$type\":\"string\"}", "{\"$type\":\"string\"}"},
    {"{\"$type\":{\"$numberInt\":\"2\"}}", "{\"$type\":{\"$numberInt\":\"2\"}}"},
    {"{\"$regex\":\"p\",\"$options\":\"i\"}", "{\"$regex\":\"p\",\"$options\":\"i\"}"},
    {"{\"$ref\":\"c\"}", "{\"$ref\":\"c\"}"},
    {"{\"$id\":null,\"$ref\":true,\"x\":[]}", "{\"$id\":null,\"$ref\":true,\"x\":[]}"},
    {"{\"$ref\":\"c\",\"$id\":{\"$oid\":\"0123456789abcdefabcdef01\"},\"$db\":\"d\"}",
     "{\"$ref\":\"c\",\"$id\":{\"$oid\":\"0123456789abcdefabcdef01\"},\"$db\":\"d\"}"},
    {"{\"base64\":\"\",\"subType\":\"\",\"\":\"\",\"\":\"\"}",
     "{\"base64\":\"\",\"subType\":\"\",\"\":\"\",\"\":\"\"}"},
};

START_TEST(values_become_what_the_specification_says)
{
    check_value(values[_i].text, values[_i].canonical, NULL);
}
END_TEST

/* The outermost object is a document whatever its keys are. */
START_TEST(the_outermost_object_is_no_wrapper)
{
    static const value_row rows[] = {
        {"{\"$oid\":\"x\"}", "{\"$oid\":\"x\"}"},
        {"{\"$numberLong\":\"1\",\"$scope\":null}", "{\"$numberLong\":\"1\",\"$scope\":null}"},
        {"{\"a\":true,\"$code\":\"\"}", "{\"a\":true,\"$code\":\"\"}"},
        {"{\"$ref\":\"a\",\"$id\":\"b\"}", "{\"$ref\":\"a\",\"$id\":\"b\"}"},
        {"{\"$date\":{\"$numberLong\":\"1\"}}", "{\"$date\":{\"$numberLong\":\"1\"}}"},
        {"\xEF\xBB\xBF {\"a\" : \"b\" , \"a\":\"c\"}\r\n", "{\"a\":\"b\",\"a\":\"c\"}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        parsed p = parse_both(span(rows[i].text, 0), NULL);
        ck_assert_msg(p.status == BSN_OK, "%s", rows[i].text);
        printed back = print_bytes(p.bson, BSN_JSON_CANONICAL);
        ck_assert_uint_eq(back.text.len, strlen(rows[i].canonical));
        ck_assert_mem_eq(back.text.ptr, rows[i].canonical, back.text.len);
        printed_free(&back);
        parsed_free(&p);
    }
}
END_TEST

/* ---- options ---- */

START_TEST(legacy_forms_are_taken_on_request)
{
    static const value_row rows[] = {
        {"{\"$date\": 1356351330501}", "{\"$date\":{\"$numberLong\":\"1356351330501\"}}"},
        {"{\"$date\":-1}", "{\"$date\":{\"$numberLong\":\"-1\"}}"},
        {"{\"$date\":\"2012-12-24T13:15:30.501+0100\"}",
         "{\"$date\":{\"$numberLong\":\"1356351330501\"}}"},
        {"{\"$date\":\"2012-12-24T12:15Z\"}", "{\"$date\":{\"$numberLong\":\"1356351300000\"}}"},
        {"{\"$binary\":\"AQID\",\"$type\":\"05\"}",
         "{\"$binary\":{\"base64\":\"AQID\",\"subType\":\"05\"}}"},
        {"{ \"$type\" : \"5\" , \"$binary\" : \"\" }",
         "{\"$binary\":{\"base64\":\"\",\"subType\":\"05\"}}"},
        {"{\"$regex\":\"p\",\"$options\":\"xi\"}",
         "{\"$regularExpression\":{\"pattern\":\"p\",\"options\":\"ix\"}}"},
        {"{\"$options\":\"\",\"$regex\":\"\\\\.\"}",
         "{\"$regularExpression\":{\"pattern\":\"\\\\.\",\"options\":\"\"}}"},
        /* operators */
        {"{\"$regex\":\"p\"}", "{\"$regex\":\"p\"}"},
        {"{\"$regex\":\"p\",\"$options\":\"i\",\"x\":\"\"}",
         "{\"$regex\":\"p\",\"$options\":\"i\",\"x\":\"\"}"},
        {"{\"$regex\":{\"$regularExpression\":{\"pattern\":\"p\",\"options\":\"\"}},\"$options\":"
         "\"ix\"}",
         "{\"$regex\":{\"$regularExpression\":{\"pattern\":\"p\",\"options\":\"\"}},\"$options\":"
         "\"ix\"}"},
        {"{\"$options\":\"ix\",\"$regex\":{}}", "{\"$options\":\"ix\",\"$regex\":{}}"},
        {"{\"$type\":\"string\"}", "{\"$type\":\"string\"}"},
        {"{\"$type\":true}", "{\"$type\":true}"},
        {"{\"$type\":\"a\",\"$options\":\"b\"}", "{\"$type\":\"a\",\"$options\":\"b\"}"},
        {"{\"$ref\":\"ns\",\"$id\":\"hex\"}", "{\"$ref\":\"ns\",\"$id\":\"hex\"}"},
    };
    const bsn_json_parse_options options = {.legacy = true};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_value(rows[i].text, rows[i].canonical, &options);
    }
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strstr(values[i].text, "$regex\"") == NULL) {
            check_value(values[i].text, values[i].canonical, &options);
        }
    }
}
END_TEST

START_TEST(dates_are_cut_to_milliseconds_on_request)
{
    const bsn_json_parse_options options = {.sub_ms = BSN_JSON_SUB_MS_FLOOR};
    check_value("{\"$date\":\"1970-01-01T00:00:00.0019Z\"}", "{\"$date\":{\"$numberLong\":\"1\"}}",
                &options);
    check_value("{\"$date\":\"1969-12-31T23:59:59.9999Z\"}", "{\"$date\":{\"$numberLong\":\"-1\"}}",
                &options);
}
END_TEST

/* ---- faults ---- */

typedef struct fault_row {
    const char *text;
    size_t len; /* 0: up to its 0x00 */
    bsn_status status;
    uint64_t offset;
} fault_row;

static const fault_row faults[] = {
    /* ends too early */
    {"{", 0, BSN_E_SHORT, 1},
    {"{\"", 0, BSN_E_SHORT, 2},
    {"{\"a", 0, BSN_E_SHORT, 3},
    {"{\"a\"", 0, BSN_E_SHORT, 4},
    {"{\"a\":", 0, BSN_E_SHORT, 5},
    {"{\"a\":1", 0, BSN_E_SHORT, 6},
    {"{\"a\":-", 0, BSN_E_SHORT, 6},
    {"{\"a\":{\"b\":4000000000,\"c\":400000", 0, BSN_E_SHORT, 31},
    {"{\"a\" : {\"b\" : 4000000000, \"c\" :  400000", 0, BSN_E_SHORT, 39},
    {"{\"a\":1.", 0, BSN_E_SHORT, 7},
    {"{\"a\":1e", 0, BSN_E_SHORT, 7},
    {"{\"a\":tr", 0, BSN_E_SHORT, 7},
    {"{\"a\":[", 0, BSN_E_SHORT, 6},
    {"{\"a\":[1", 0, BSN_E_SHORT, 7},
    {"{\"a\":[1,", 0, BSN_E_SHORT, 8},
    {"{\"a\":1,", 0, BSN_E_SHORT, 7},
    {"{\"a\":{", 0, BSN_E_SHORT, 6},
    {"{\"a\":{\"$", 0, BSN_E_SHORT, 8},
    {"{\"a\":{\"$oid\"", 0, BSN_E_SHORT, 12},
    {"{\"a\":{\"$oid\":\"", 0, BSN_E_SHORT, 14},
    {"{\"a\":{\"$code\":\"\"", 0, BSN_E_SHORT, 16},
    {"{\"a\":{\"$code\":\"\",\"$scope\":{}", 0, BSN_E_SHORT, 28},
    {"{\"a\":{\"$scope\":{}", 0, BSN_E_SHORT, 17},
    {"{\"a\":{\"$scope\":{},", 0, BSN_E_SHORT, 18},
    {"{\"a\":\"\\u12", 0, BSN_E_SHORT, 10},
    {"{\"a\":\"\\", 0, BSN_E_SHORT, 7},
    {"{\"a\":\"\\ud83d\\u", 0, BSN_E_SHORT, 14},
    /* not JSON */
    {"[]", 0, BSN_E_SYNTAX, 0},
    {"x", 0, BSN_E_SYNTAX, 0},
    {"{x", 0, BSN_E_SYNTAX, 1},
    {"{,", 0, BSN_E_SYNTAX, 1},
    {"{\"a\" 1", 0, BSN_E_SYNTAX, 5},
    {"{\"a\"=1", 0, BSN_E_SYNTAX, 4},
    {"{\"a\":}", 0, BSN_E_SYNTAX, 5},
    {"{\"a\":x", 0, BSN_E_SYNTAX, 5},
    {"{\"a\":'x'}", 0, BSN_E_SYNTAX, 5},
    {"{\"a\":truE}", 0, BSN_E_SYNTAX, 5},
    {"{\"a\":nul}", 0, BSN_E_SYNTAX, 5},
    {"{\"a\":NaN}", 0, BSN_E_SYNTAX, 5},
    {"{\"a\":Infinity}", 0, BSN_E_SYNTAX, 5},
    {"{\"a\":01}", 0, BSN_E_SYNTAX, 6},
    {"{\"a\":-x}", 0, BSN_E_SYNTAX, 6},
    {"{\"a\":1.}", 0, BSN_E_SYNTAX, 7},
    {"{\"a\":1.e1}", 0, BSN_E_SYNTAX, 7},
    {"{\"a\":.5}", 0, BSN_E_SYNTAX, 5},
    {"{\"a\":+1}", 0, BSN_E_SYNTAX, 5},
    {"{\"a\":1e}", 0, BSN_E_SYNTAX, 7},
    {"{\"a\":1x}", 0, BSN_E_SYNTAX, 6},
    {"{\"a\":0x10}", 0, BSN_E_SYNTAX, 6},
    {"{\"a\":1 2}", 0, BSN_E_SYNTAX, 7},
    {"{\"a\":1]", 0, BSN_E_SYNTAX, 6},
    {"{\"a\":1,}", 0, BSN_E_SYNTAX, 7},
    {"{\"a\":[1,]}", 0, BSN_E_SYNTAX, 8},
    {"{\"a\":[,]}", 0, BSN_E_SYNTAX, 6},
    {"{\"a\":[1}", 0, BSN_E_SYNTAX, 7},
    {"{\"a\":[1 2]}", 0, BSN_E_SYNTAX, 8},
    {"{\"a\":\"\t\"}", 0, BSN_E_SYNTAX, 6},
    {"{\"a\":\"x\0\"}", 10, BSN_E_SYNTAX, 7},
    {"{\"a\n\":1}", 0, BSN_E_SYNTAX, 3},
    {"{\"a\":\"it\\'s\"}", 0, BSN_E_SYNTAX, 9},
    {"{\"a\":\"\\u12g4\"}", 0, BSN_E_SYNTAX, 10},
    {"{\"a\":\"\\u12\"}", 0, BSN_E_SYNTAX, 10},
    {"{\"a\":\"\\ud83d\\ux\"}", 0, BSN_E_SYNTAX, 14},
    {"{\"a\":1}\0", 8, BSN_E_TRAILING, 7},
    {"{\"a\":1\0}", 8, BSN_E_SYNTAX, 6},
    {"{/**/}", 0, BSN_E_SYNTAX, 1},
    {"\xEF\xBB{}", 0, BSN_E_SYNTAX, 0},
    {"{}\xEF\xBB\xBF", 0, BSN_E_TRAILING, 2},
    {"{\"a\":1} x", 0, BSN_E_TRAILING, 8},
    {"{}]", 0, BSN_E_TRAILING, 2},
    /* not UTF-8 */
    {"{\"\xFF\":1}", 0, BSN_E_UTF8, 2},
    {"{\"a\":\"\xC0\x80\"}", 0, BSN_E_UTF8, 6},
    {"{\"a\":\"x\xED\xA0\x80\"}", 0, BSN_E_UTF8, 7},
    {"{\"a\":\"\xF4\x90\x80\x80\"}", 0, BSN_E_UTF8, 6},
    {"{\"a\":\"\xE2\x82\"}", 0, BSN_E_UTF8, 6},
    {"{\"a\":\"\xE2\x82", 0, BSN_E_UTF8, 6},
    {"{\"a\":\"\x80\"}", 0, BSN_E_UTF8, 6},
    {"{\"a\":\"\xE2\\u00e9\"}", 0, BSN_E_UTF8, 6},
    {"{\"a\":{\"$oid\":\"\xFF\"}}", 0, BSN_E_UTF8, 14},
    {"{\"a\":{\"$\xFF\":1}}", 0, BSN_E_UTF8, 8},
    {"{\"a\":\"0123456789012345678901234567890123456789\xFF\"}", 0, BSN_E_UTF8, 46},
    {"{\"a\":\"\\ud800\"}", 0, BSN_E_UTF8, 6},
    {"{\"a\":\"\\udc00\"}", 0, BSN_E_UTF8, 6},
    {"{\"a\":\"\\ud83d\\n\"}", 0, BSN_E_UTF8, 6},
    {"{\"a\":\"\\ud83dx\"}", 0, BSN_E_UTF8, 6},
    {"{\"a\":\"\\ud83d\\ud83d\"}", 0, BSN_E_UTF8, 6},
    /* U+0000 */
    {"{\"\\u0000\":1}", 0, BSN_E_KEY_NUL, 2},
    {"{\"ab\\u0000\":1}", 0, BSN_E_KEY_NUL, 4},
    {"{\"a\":{\"$\\u0000\":1}}", 0, BSN_E_KEY_NUL, 8},
    {"{\"a\":{\"$regularExpression\":{\"pattern\":\"a\\u0000\",\"options\":\"\"}}}", 0,
     BSN_E_KEY_NUL, 40},
    {"{\"a\":{\"$regularExpression\":{\"pattern\":\"a\",\"options\":\"\\u0000\"}}}", 0,
     BSN_E_KEY_NUL, 53},
    /* values that do not fit */
    {"{\"a\":1e309}", 0, BSN_E_RANGE, 5},
    {"{\"a\":{\"$numberInt\":\"2147483648\"}}", 0, BSN_E_RANGE, 19},
    {"{\"a\":{\"$numberLong\":\"9223372036854775808\"}}", 0, BSN_E_RANGE, 20},
    {"{\"a\":{\"$numberDecimal\":\"1E6145\"}}", 0, BSN_E_RANGE, 23},
    {"{\"a\":{\"$numberDecimal\":\"1E-6177\"}}", 0, BSN_E_INEXACT, 23},
    {"{\"a\":{\"$date\":\"2100-02-29T00:00:00Z\"}}", 0, BSN_E_RANGE, 14},
    {"{\"a\":{\"$date\":\"1970-01-01T00:00:00.0001Z\"}}", 0, BSN_E_INEXACT, 14},
    /* wrappers of other kinds */
    {"{\"a\":{\"$numberInt\":5}}", 0, BSN_E_SYNTAX, 19},
    {"{\"a\":{\"$numberInt\":\"\"}}", 0, BSN_E_SYNTAX, 19},
    {"{\"a\":{\"$numberInt\":\" 5\"}}", 0, BSN_E_SYNTAX, 19},
    {"{\"a\":{\"$numberInt\":\"5\\u0000\"}}", 0, BSN_E_SYNTAX, 19},
    {"{\"a\":{\"$numberLong\":\"1.0\"}}", 0, BSN_E_SYNTAX, 20},
    {"{\"a\":{\"$numberDouble\":\"1.5x\"}}", 0, BSN_E_SYNTAX, 22},
    {"{\"a\":{\"$numberDouble\":\"nan\"}}", 0, BSN_E_SYNTAX, 22},
    {"{\"a\":{\"$numberDecimal\":\"Infi\"}}", 0, BSN_E_SYNTAX, 23},
    {"{\"a\":{\"$oid\":\"0123456789abcdefabcdef0\"}}", 0, BSN_E_SYNTAX, 13},
    {"{\"a\":{\"$oid\":\"0123456789abcdefabcdef0g\"}}", 0, BSN_E_SYNTAX, 13},
    {"{\"a\":{\"$oid\":\"0123456789abcdefabcdef01\",\"x\":1}}", 0, BSN_E_SYNTAX, 39},
    {"{\"a\":{\"x\":1,\"$oid\":\"0123456789abcdefabcdef01\"}}", 0, BSN_E_SYNTAX, 12},
    {"{\"a\":{\"x\":1,\"\\u0024oid\":\"0123456789abcdefabcdef01\"}}", 0, BSN_E_SYNTAX, 12},
    {"{\"a\":{\"$gt\":1,\"$uuid\":\"\"}}", 0, BSN_E_SYNTAX, 14},
    {"{\"a\":{\"$scope\":{}}}", 0, BSN_E_SYNTAX, 17},
    {"{\"a\":{\"$scope\":1}}", 0, BSN_E_SYNTAX, 15},
    {"{\"a\":{\"$scope\":{},\"$cod\":\"\"}}", 0, BSN_E_SYNTAX, 18},
    {"{\"a\":{\"$scope\":{},\"$code\":{}}}", 0, BSN_E_SYNTAX, 26},
    {"{\"a\":{\"$code\":\"\",\"$scope\":[]}}", 0, BSN_E_SYNTAX, 26},
    {"{\"a\":{\"$code\":\"\",\"$scope\":{},\"x\":1}}", 0, BSN_E_SYNTAX, 28},
    {"{\"a\":{\"$code\":\"\",\"x\":1}}", 0, BSN_E_SYNTAX, 17},
    {"{\"a\":{\"$code\":1}}", 0, BSN_E_SYNTAX, 14},
    {"{\"a\":{\"$symbol\":1}}", 0, BSN_E_SYNTAX, 16},
    {"{\"a\":{\"$binary\":\"\"}}", 0, BSN_E_SYNTAX, 16},
    {"{\"a\":{\"$binary\":{\"base64\":\"\"}}}", 0, BSN_E_SYNTAX, 28},
    {"{\"a\":{\"$binary\":{\"base64\":\"\",\"base64\":\"\"}}}", 0, BSN_E_SYNTAX, 29},
    {"{\"a\":{\"$binary\":{\"base64\":\"====\",\"subType\":\"00\"}}}", 0, BSN_E_SYNTAX, 26},
    {"{\"a\":{\"$binary\":{\"base64\":\"AA\",\"subType\":\"00\"}}}", 0, BSN_E_SYNTAX, 26},
    {"{\"a\":{\"$binary\":{\"base64\":\"\",\"subType\":\"000\"}}}", 0, BSN_E_SYNTAX, 39},
    {"{\"a\":{\"$binary\":{\"base64\":\"\",\"subType\":\"\"}}}", 0, BSN_E_SYNTAX, 39},
    {"{\"a\":{\"$binary\":{\"base64\":\"\",\"subType\":\"g\"}}}", 0, BSN_E_SYNTAX, 39},
    {"{\"a\":{\"$binary\":{\"base64\":\"\",\"subType\":0}}}", 0, BSN_E_SYNTAX, 39},
    {"{\"a\":{\"$binary\":{\"base64\":\"\",\"subType\":\"0\",\"x\":1}}}", 0, BSN_E_SYNTAX, 42},
    {"{\"a\":{\"$binary\":\"\",\"$type\":\"00\"}}", 0, BSN_E_SYNTAX, 16},
    {"{\"a\":{\"$uuid\":\"73ffd264-44b3-4c69-90e8-e7d1dfc035d\"}}", 0, BSN_E_SYNTAX, 14},
    {"{\"a\":{\"$uuid\":\"73ffd26-444b3-4c69-90e8-e7d1dfc035d4\"}}", 0, BSN_E_SYNTAX, 14},
    {"{\"a\":{\"$date\":1}}", 0, BSN_E_SYNTAX, 14},
    {"{\"a\":{\"$date\":{\"$numberInt\":\"1\"}}}", 0, BSN_E_SYNTAX, 15},
    {"{\"a\":{\"$date\":{\"$numberLong\":1}}}", 0, BSN_E_SYNTAX, 29},
    {"{\"a\":{\"$date\":\"2012-12-24T12:15Z\"}}", 0, BSN_E_SYNTAX, 14},
    {"{\"a\":{\"$timestamp\":{\"t\":1}}}", 0, BSN_E_SYNTAX, 25},
    {"{\"a\":{\"$timestamp\":{\"t\":-1,\"i\":1}}}", 0, BSN_E_SYNTAX, 24},
    {"{\"a\":{\"$timestamp\":{\"t\":1,\"i\":4294967296}}}", 0, BSN_E_SYNTAX, 30},
    {"{\"a\":{\"$timestamp\":{\"t\":\"1\",\"i\":1}}}", 0, BSN_E_SYNTAX, 24},
    {"{\"a\":{\"$timestamp\":{\"t\":1.0,\"i\":1}}}", 0, BSN_E_SYNTAX, 24},
    {"{\"a\":{\"$minKey\":0}}", 0, BSN_E_SYNTAX, 16},
    {"{\"a\":{\"$minKey\":true}}", 0, BSN_E_SYNTAX, 16},
    {"{\"a\":{\"$maxKey\":1.0}}", 0, BSN_E_SYNTAX, 16},
    {"{\"a\":{\"$maxKey\":{\"$numberInt\":\"1\"}}}", 0, BSN_E_SYNTAX, 16},
    {"{\"a\":{\"$undefined\":false}}", 0, BSN_E_SYNTAX, 19},
    {"{\"a\":{\"$undefined\":1}}", 0, BSN_E_SYNTAX, 19},
    {"{\"a\":{\"$regularExpression\":{\"pattern\":\"\"}}}", 0, BSN_E_SYNTAX, 40},
    {"{\"a\":{\"$regularExpression\":{\"pattern\":1,\"options\":\"\"}}}", 0, BSN_E_SYNTAX, 38},
    {"{\"a\":{\"$regularExpression\":\"\"}}", 0, BSN_E_SYNTAX, 27},
    {"{\"a\":{\"$dbPointer\":{\"$ref\":\"a\"}}}", 0, BSN_E_SYNTAX, 30},
    {"{\"a\":{\"$dbPointer\":{\"$ref\":1,\"$id\":{}}}}", 0, BSN_E_SYNTAX, 27},
    {"{\"a\":{\"$dbPointer\":{\"$ref\":\"\",\"$id\":\"0123456789abcdefabcdef01\"}}}", 0,
     BSN_E_SYNTAX, 36},
};

START_TEST(faults_are_told_with_their_place)
{
    const fault_row *row = &faults[_i];
    const bsn_str text = span(row->text, row->len);
    parsed p = parse_both(text, NULL);
    ck_assert_msg(p.status == row->status && p.err.status == row->status, "%s: %s at %u: %s",
                  row->text, bsn_status_text(p.status), (unsigned)p.err.offset, p.err.detail);
    ck_assert_msg(p.err.offset == row->offset, "%s: %s at %u: %s", row->text,
                  bsn_status_text(p.status), (unsigned)p.err.offset, p.err.detail);
    ck_assert_msg(p.err.detail != NULL, "%s", row->text);
    ck_assert_msg(strstr(bsn_status_text(p.status), p.err.detail) == NULL,
                  "%s: \"%s\" says nothing new", row->text, p.err.detail);
    ck_assert_uint_eq(p.bson.len, 0);
    parsed_free(&p);
}
END_TEST

START_TEST(a_text_without_a_document_is_cut_short)
{
    parsed p = parse_document(span(" ", 1), NULL);
    ck_assert_int_eq(p.status, BSN_E_SHORT);
    ck_assert_uint_eq(p.err.offset, 1);
    parsed_free(&p);
    const bsn_str nothing = {NULL, 0};
    p = parse_document(nothing, NULL);
    ck_assert_int_eq(p.status, BSN_E_SHORT);
    parsed_free(&p);
    p = parse_document(span("{} {}", 0), NULL);
    ck_assert_int_eq(p.status, BSN_E_TRAILING);
    ck_assert_uint_eq(p.err.offset, 3);
    parsed_free(&p);
}
END_TEST

START_TEST(large_integers_are_refused_on_request)
{
    const bsn_json_parse_options options = {.big_int = BSN_JSON_BIG_INT_ERROR};
    parsed p = parse_both(span("{\"a\":9223372036854775808}", 0), &options);
    ck_assert_int_eq(p.status, BSN_E_RANGE);
    ck_assert_uint_eq(p.err.offset, 5);
    parsed_free(&p);
    check_value("9223372036854775807", "{\"$numberLong\":\"9223372036854775807\"}", &options);
    check_value("1e30", "{\"$numberDouble\":\"1E+30\"}", &options);
}
END_TEST

/* ---- limits ---- */

static char *nested(size_t depth, const char *open, const char *close, bsn_str *text)
{
    const size_t open_len = strlen(open), close_len = strlen(close);
    text->len = 1 + (depth - 1) * (open_len + close_len) + 1;
    char *all = malloc(text->len + 1), *to = all;
    ck_assert_ptr_nonnull(all);
    *to++ = '{';
    for (size_t i = 1; i < depth; i++, to += open_len) memcpy(to, open, open_len);
    for (size_t i = 1; i < depth; i++, to += close_len) memcpy(to, close, close_len);
    *to = '}';
    text->ptr = all;
    return all;
}

static void check_depth(size_t depth, const char *open, const char *close,
                        const bsn_json_parse_options *options, bool fits)
{
    bsn_str text;
    char *storage = nested(depth, open, close, &text);
    parsed p = parse_document(text, options);
    ck_assert_msg(p.status == (fits ? BSN_OK : BSN_E_DEPTH), "%zu deep of %s: %s", depth, open,
                  bsn_status_text(p.status));
    parsed_free(&p);
    bsn_json_parser parser;
    bsn_json_parser_init(&parser, options);
    p = parse_steps(&parser, text, 7);
    ck_assert_int_eq(p.status, fits ? BSN_OK : BSN_E_DEPTH);
    parsed_free(&p);
    bsn_json_parser_free(&parser);
    free(storage);
}

START_TEST(depth_has_a_limit_and_wrappers_do_not_count)
{
    const bsn_json_parse_options three = {.depth_max = 3}, thousand = {.depth_max = 1000};
    static const char *const opens[] = {"\"a\":{", "\"a\":{\"$code\":\"\",\"$scope\":{",
                                        "\"a\":{\"$scope\":{"};
    static const char *const closes[] = {"}", "}}", "},\"$code\":\"\"}"};
    for (size_t i = 0; i < 3; i++) {
        check_depth(200, opens[i], closes[i], NULL, true);
        check_depth(201, opens[i], closes[i], NULL, false);
        check_depth(3, opens[i], closes[i], &three, true);
        check_depth(4, opens[i], closes[i], &three, false);
        check_depth(1000, opens[i], closes[i], &thousand, true);
        check_depth(1001, opens[i], closes[i], &thousand, false);
    }
    parsed p = parse_both(span("{\"a\":[[{\"$date\":{\"$numberLong\":\"1\"}}]]}", 0), &three);
    ck_assert_int_eq(p.status, BSN_OK);
    parsed_free(&p);
    p = parse_both(span("{\"a\":[[[]]]}", 0), &three);
    ck_assert_int_eq(p.status, BSN_E_DEPTH);
    ck_assert_uint_eq(p.err.offset, 7);
    parsed_free(&p);
}
END_TEST

/* A document of exactly the limit passes, whatever it ends in; one byte less does not, cut or not. */
START_TEST(size_has_a_limit)
{
    static const char *const texts[] = {
        "{\"a\":{\"$numberInt\":\"5\"},\"b\":{\"$oid\":\"0123456789abcdefabcdef01\"},"
        "\"c\":{\"$date\":\"1970-01-01T00:00:00Z\"},\"d\":{\"$numberLong\":\"1\"},\"e\":[1,2,3]}",
        "{\"a\":1}", "{\"abc\":\"0123456789012345678901234567890123456789\"}",
        "{\"a\":[1,2,3,[4,{\"b\":\"xyz\"}]]}",
        "{\"a\":{\"$binary\":{\"base64\":\"AQIDBAUGBwgJ\",\"subType\":\"0\"}}}",
        /* Text of wrappers that is longer than the document it makes. */
        "{\"a\":{\"$binary\":{\"base64\":"
        "\"AQIDBAUGBwgJAQIDBAUGBwgJAQIDBAUGBwgJAQIDBAUGBwgJAQIDBAUGBwgJAQID"
        "BAUGBwgJAQIDBAUGBwgJ\",\"subType\":\"0\"}}}",
        "{\"\":{\"$date\":\"2012-12-24T12:15:30.501Z\"}}",
        "{\"\":{\"$numberDouble\":\"1.00000000000000000000000000000000000000000000000001\"}}",
        "{\"a\":{\"$scope\":{\"x\":1},\"$code\":\"long enough to matter\"},\"b\":2}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        parsed p = parse_both(span(texts[i], 0), NULL);
        ck_assert_int_eq(p.status, BSN_OK);
        const size_t len = p.bson.len;
        parsed_free(&p);
        for (size_t size_max = 1; size_max <= len + 1; size_max++) {
            const bsn_json_parse_options options = {.size_max = (uint32_t)size_max};
            p = parse_both(span(texts[i], 0), &options);
            ck_assert_msg(p.status == (size_max >= len ? BSN_OK : BSN_E_SIZE), "%s: %zu: %s",
                          texts[i], size_max, bsn_status_text(p.status));
            parsed_free(&p);
        }
    }
}
END_TEST

/* ---- output ---- */

START_TEST(fixed_storage_goes_on_counting)
{
    const bsn_str text =
        span("{\"a\":\"0123456789\",\"b\":[1,2,3],\"c\":{\"$scope\":{},\"$code\":\"\"}}", 0);
    parsed whole = parse_document(text, NULL);
    uint8_t storage[200];
    for (size_t cap = 0; cap <= whole.bson.len + 3; cap++) {
        bsn_out out;
        bsn_error err = {0};
        bsn_out_init_fixed(&out, storage, cap);
        const bsn_status status = bsn_json_parse(text, NULL, &out, &err);
        ck_assert_int_eq(status, cap < whole.bson.len ? BSN_E_SPACE : BSN_OK);
        ck_assert_uint_eq(bsn_out_len(&out), whole.bson.len);
        bsn_bytes view;
        if (status == BSN_OK) {
            ck_assert(bsn_out_view(&out, &view));
            ck_assert(bsn_bytes_equal(view, whole.bson));
        }
        bsn_out_free(&out);
    }
    parsed_free(&whole);
}
END_TEST

/* A fault leaves what stood in the output, and nothing more. */
START_TEST(a_fault_leaves_the_output_alone)
{
    bsn_pool pool;
    bsn_out out;
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    bsn_out_append(&out, "front", 5);
    ck_assert_int_eq(bsn_json_parse(span("{\"a\":[1,2,3,x", 0), NULL, &out, NULL), BSN_E_SYNTAX);
    ck_assert_uint_eq(bsn_out_len(&out), 5);
    ck_assert_int_eq(bsn_json_parse(span("{}", 0), NULL, &out, NULL), BSN_OK);
    bsn_bytes view;
    ck_assert(bsn_out_view(&out, &view));
    ck_assert_uint_eq(view.len, 10);
    ck_assert_mem_eq(view.ptr, "front\5\0\0\0", 10);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}
END_TEST

/* ---- memory ---- */

/* Larger than any first block, with escapes in a wrapper, and deep. */
static bsn_status parse_with(const bsn_alloc *alloc, bool stream)
{
    static char text[3000];
    const bsn_json_parse_options options = {.depth_max = 500, .alloc = alloc};
    memset(text, 'x', sizeof text);
    memcpy(text, "{\"a\":{\"$symbol\":\"", 17);
    static const char middle[] = "\"},\"b\":{\"$oid\":\"0123456789abcdefabcdef0\\u0031\"},\"c\":";
    char *to = text + 1500;
    memcpy(to, middle, sizeof middle - 1);
    to += sizeof middle - 1;
    memset(to, '[', 250);
    memset(to + 250, ']', 250);
    to[500] = '}';
    const bsn_str all = {text, (size_t)(to - text) + 501};
    bsn_status status;
    bsn_buf buf;
    bsn_out out;
    bsn_buf_init(&buf, alloc);
    bsn_out_init_buf(&out, &buf);
    if (stream) {
        bsn_json_parser parser;
        bsn_json_parser_init(&parser, &options);
        for (size_t from = 0; from < all.len && bsn_json_parser_status(&parser, NULL) == BSN_OK;
             from += 300) {
            const bsn_str piece = {text + from, all.len - from < 300 ? all.len - from : 300};
            bsn_json_parser_feed(&parser, piece);
            (void)bsn_json_parser_next_into(&parser, &out);
        }
        bsn_json_parser_finish(&parser);
        (void)bsn_json_parser_next_into(&parser, &out);
        status = bsn_json_parser_status(&parser, NULL);
        bsn_json_parser_free(&parser);
    } else {
        status = bsn_json_parse(all, &options, &out, NULL);
    }
    if (status == BSN_OK) status = bsn_out_status(&out);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    return status;
}

START_TEST(every_request_for_memory_may_be_refused)
{
    for (int stream = 0; stream < 2; stream++) {
        failing_alloc failing;
        failing_alloc_init(&failing);
        do {
            const bsn_status status = parse_with(&failing.alloc, stream != 0);
            ck_assert_int_eq(status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
        } while (failing_alloc_again(&failing));
    }
}
END_TEST

Suite *parse_suite(void)
{
    Suite *suite = suite_create("parse");
    TCase *tests = tcase_create("parse");
    tcase_add_loop_test(tests, values_become_what_the_specification_says, 0,
                        (int)(sizeof values / sizeof values[0]));
    tcase_add_test(tests, the_outermost_object_is_no_wrapper);
    tcase_add_test(tests, legacy_forms_are_taken_on_request);
    tcase_add_test(tests, dates_are_cut_to_milliseconds_on_request);
    tcase_add_loop_test(tests, faults_are_told_with_their_place, 0,
                        (int)(sizeof faults / sizeof faults[0]));
    tcase_add_test(tests, a_text_without_a_document_is_cut_short);
    tcase_add_test(tests, large_integers_are_refused_on_request);
    tcase_add_test(tests, depth_has_a_limit_and_wrappers_do_not_count);
    tcase_add_test(tests, size_has_a_limit);
    tcase_add_test(tests, fixed_storage_goes_on_counting);
    tcase_add_test(tests, a_fault_leaves_the_output_alone);
    tcase_add_test(tests, every_request_for_memory_may_be_refused);
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    return suite;
}
