/* SPDX-License-Identifier: Apache-2.0
 *
 * print_rows.h -- documents and the texts that they print as, to the letter: every type, and values that other tools got wrong.
 */
#ifndef TESTS_JSON_PRINT_ROWS_H
#define TESTS_JSON_PRINT_ROWS_H

#include "support/fill_doc.h"
#include "support/hex.h"

#include <bsonic/json.h>

typedef struct text_row {
    const char *name;
    const char *hex;
    const char *canonical;
    const char *relaxed; /* NULL: the same */
} text_row;

static const text_row text_rows[] = {
    {"an empty document", "05000000 00", "{}", NULL},
    {"an empty key in a document", "150000000378000d00000002000200000062000000",
     "{\"x\":{\"\":\"b\"}}", NULL},
    {"minus zero", "10000000016100000000000000008000", "{\"a\":{\"$numberDouble\":\"-0.0\"}}",
     "{\"a\":-0.0}"},
    {"infinities and NaN",
     "26000000 016100 000000000000f07f 016200 000000000000f0ff 016300 000000000000f87f 00",
     "{\"a\":{\"$numberDouble\":\"Infinity\"},\"b\":{\"$numberDouble\":\"-Infinity\"},"
     "\"c\":{\"$numberDouble\":\"NaN\"}}",
     NULL},
    {"NaN of any sign and payload", "1b000000 016100 010000000000f0ff 016200 ffffffffffffff7f 00",
     "{\"a\":{\"$numberDouble\":\"NaN\"},\"b\":{\"$numberDouble\":\"NaN\"}}", NULL},
    {"doubles keep a fraction or an exponent",
     "26000000 016100 000000000000f03f 016200 000000205fa00242 016300 0100000000000000 00",
     "{\"a\":{\"$numberDouble\":\"1.0\"},\"b\":{\"$numberDouble\":\"10000000000.0\"},"
     "\"c\":{\"$numberDouble\":\"5E-324\"}}",
     "{\"a\":1.0,\"b\":10000000000.0,\"c\":5E-324}"},
    {"negative int64", "1b000000 126100fbffffffffffffff 12620000000000ffffffff 00",
     "{\"a\":{\"$numberLong\":\"-5\"},\"b\":{\"$numberLong\":\"-4294967296\"}}",
     "{\"a\":-5,\"b\":-4294967296}"},
    {"the ends of int64", "1b000000 126100ffffffffffffff7f 1262000000000000000080 00",
     "{\"a\":{\"$numberLong\":\"9223372036854775807\"},\"b\":{\"$numberLong\":\"-"
     "9223372036854775808\"}}",
     "{\"a\":9223372036854775807,\"b\":-9223372036854775808}"},
    {"the ends of int32", "13000000 106100ffffff7f 10620000000080 00",
     "{\"a\":{\"$numberInt\":\"2147483647\"},\"b\":{\"$numberInt\":\"-2147483648\"}}",
     "{\"a\":2147483647,\"b\":-2147483648}"},
    {"a coefficient above 10^34 - 1 is zero", "18000000136400fffffffffffffffffffffffffffff12f00",
     "{\"d\":{\"$numberDecimal\":\"0E-40\"}}", NULL},
    {"a date of the year 10000", "1000000009640000dc1fd277e6000000",
     "{\"d\":{\"$date\":{\"$numberLong\":\"253402300800000\"}}}", NULL},
    {"the last date of the year 9999", "10000000096400ffdb1fd277e6000000",
     "{\"d\":{\"$date\":{\"$numberLong\":\"253402300799999\"}}}",
     "{\"d\":{\"$date\":\"9999-12-31T23:59:59.999Z\"}}"},
    {"the date before 1970", "10000000096400ffffffffffffffff00",
     "{\"d\":{\"$date\":{\"$numberLong\":\"-1\"}}}", NULL},
    {"dates with and without milliseconds",
     "26000000 096100 0000000000000000 096200 0100000000000000 096300 c5d8d6cc3b010000 00",
     "{\"a\":{\"$date\":{\"$numberLong\":\"0\"}},\"b\":{\"$date\":{\"$numberLong\":\"1\"}},"
     "\"c\":{\"$date\":{\"$numberLong\":\"1356351330501\"}}}",
     "{\"a\":{\"$date\":\"1970-01-01T00:00:00Z\"},\"b\":{\"$date\":\"1970-01-01T00:00:00.001Z\"},"
     "\"c\":{\"$date\":\"2012-12-24T12:15:30.501Z\"}}"},
    {"a date far out does not harm its neighbours",
     "170000000964000000000000000040106e000100000000",
     "{\"d\":{\"$date\":{\"$numberLong\":\"4611686018427387904\"}},\"n\":{\"$numberInt\":\"1\"}}",
     "{\"d\":{\"$date\":{\"$numberLong\":\"4611686018427387904\"}},\"n\":1}"},
    {"a timestamp's seconds come first", "10000000117400010000000200000000",
     "{\"t\":{\"$timestamp\":{\"t\":2,\"i\":1}}}", NULL},
    {"times after 2038 and 2106",
     "1f000000 076f00ffffffff0000000000000000 1174000100000000000080 00",
     "{\"o\":{\"$oid\":\"ffffffff0000000000000000\"},\"t\":{\"$timestamp\":{\"t\":2147483648,\"i\":"
     "1}}}",
     NULL},
    {"the largest timestamp", "10000000117400ffffffffffffffff00",
     "{\"t\":{\"$timestamp\":{\"t\":4294967295,\"i\":4294967295}}}", NULL},
    {"a UUID stays a binary", "1d000000 057500 10000000 04 000102030405060708090a0b0c0d0e0f 00",
     "{\"u\":{\"$binary\":{\"base64\":\"AAECAwQFBgcICQoLDA0ODw==\",\"subType\":\"04\"}}}", NULL},
    {"an empty binary, and a user's subtype",
     "16000000 056100 00000000 00 056200 01000000 ff 00 00",
     "{\"a\":{\"$binary\":{\"base64\":\"\",\"subType\":\"00\"}},\"b\":{\"$binary\":{\"base64\":"
     "\"AA==\",\"subType\":\"ff\"}}}",
     NULL},
    {"the old binary without its inner length", "13000000 057800 06000000 02 02000000 ffff 00",
     "{\"x\":{\"$binary\":{\"base64\":\"//8=\",\"subType\":\"02\"}}}", NULL},
    {"keys stay in their order", "1a000000107a000100000010610002000000106d000300000000",
     "{\"z\":{\"$numberInt\":\"1\"},\"a\":{\"$numberInt\":\"2\"},\"m\":{\"$numberInt\":\"3\"}}",
     "{\"z\":1,\"a\":2,\"m\":3}"},
    {"duplicate keys stay, with the same value too, where elements are printed the short way",
     "4b000000106b0000000000106b0000000000106b0001000000106b0001000000106b0002000000106b00020000001"
     "06b0003000000106b0003000000106b0004000000106b000400000000",
     "{\"k\":{\"$numberInt\":\"0\"},\"k\":{\"$numberInt\":\"0\"},\"k\":{\"$numberInt\":\"1\"},"
     "\"k\":{\"$numberInt\":\"1\"},\"k\":{\"$numberInt\":\"2\"},\"k\":{\"$numberInt\":\"2\"},\"k\":"
     "{\"$numberInt\":\"3\"},\"k\":{\"$numberInt\":\"3\"},\"k\":{\"$numberInt\":\"4\"},\"k\":{\"$"
     "numberInt\":\"4\"}}",
     "{\"k\":0,\"k\":0,\"k\":1,\"k\":1,\"k\":2,\"k\":2,\"k\":3,\"k\":3,\"k\":4,\"k\":4}"},
    {"duplicate keys stay", "13000000106b0001000000106b000200000000",
     "{\"k\":{\"$numberInt\":\"1\"},\"k\":{\"$numberInt\":\"2\"}}", "{\"k\":1,\"k\":2}"},
    {"names of array elements are not printed",
     "1b000000 046100 13000000 0a 7800 08 00 01 0a 3000 0a 666f6f00 00 00",
     "{\"a\":[null,true,null,null]}", NULL},
    {"empty containers", "15000000 036100 05000000 00 046200 05000000 00 00", "{\"a\":{},\"b\":[]}",
     NULL},
    {"containers in containers",
     "24000000 046100 19000000 033000 05000000 00 043100 09000000 083000 01 00 00 0a6200 00",
     "{\"a\":[{},[true]],\"b\":null}", NULL},
    {"booleans and null", "10000000 086100 00 086200 01 0a6300 00",
     "{\"a\":false,\"b\":true,\"c\":null}", NULL},
    {"a regular expression with its options sorted", "10000000 0b6100 612f6200 78736900 00",
     "{\"a\":{\"$regularExpression\":{\"pattern\":\"a/b\",\"options\":\"isx\"}}}", NULL},
    {"options repeat, and are text", "0e000000 0b6100 00 7822786900 00",
     "{\"a\":{\"$regularExpression\":{\"pattern\":\"\",\"options\":\"\\\"ixx\"}}}", NULL},
    {"options beyond ASCII stay as they are", "0e000000 0b6100 00 78c3a96900 00",
     "{\"a\":{\"$regularExpression\":{\"pattern\":\"\",\"options\":\"x\xC3\xA9i\"}}}", NULL},
    {"code and symbol", "18000000 0d6100 02000000 6200 0e6300 03000000 220a00 00",
     "{\"a\":{\"$code\":\"b\"},\"c\":{\"$symbol\":\"\\\"\\n\"}}", NULL},
    {"code with an empty scope", "16000000 0f6100 0e000000 01000000 00 05000000 00 00",
     "{\"a\":{\"$code\":\"\",\"$scope\":{}}}", NULL},
    {"code with a scope, and what comes behind it",
     "25000000 0f6100 1a000000 02000000 6200 10000000 037300 05000000 00 0a7400 00 0a6300 00",
     "{\"a\":{\"$code\":\"b\",\"$scope\":{\"s\":{},\"t\":null}},\"c\":null}", NULL},
    {"a DBPointer", "1a000000 0c6100 02000000 6200 56e1fc72e0c917e9c4714161 00",
     "{\"a\":{\"$dbPointer\":{\"$ref\":\"b\",\"$id\":{\"$oid\":\"56e1fc72e0c917e9c4714161\"}}}}",
     NULL},
    {"undefined, MinKey and MaxKey", "0e000000 066100 ff6200 7f6300 00",
     "{\"a\":{\"$undefined\":true},\"b\":{\"$minKey\":1},\"c\":{\"$maxKey\":1}}", NULL},
    {"escapes in keys and strings", "16000000 02 22095c00 08000000 0022c3a90a1f7f00 00",
     "{\"\\\"\\t\\\\\":\"\\u0000\\\"\xC3\xA9\\n\\u001f\x7F\"}", NULL},
    {"documents that look like wrappers", "170000000361000f00000010246f696400050000000000",
     "{\"a\":{\"$oid\":{\"$numberInt\":\"5\"}}}", "{\"a\":{\"$oid\":5}}"},
};
static const size_t text_row_count = sizeof text_rows / sizeof text_rows[0];

static const bsn_json_options forms[] = {{.form = BSN_JSON_RELAXED}, {.form = BSN_JSON_CANONICAL}};

/* Every row of the table as an embedded document, and between them keys, strings and binaries of growing lengths with
 * escapes and without. */
static inline bsn_doc build_everything(fill_doc *b)
{
    fill_open(b, 1 << 20);
    const size_t start = fill_begin(b);
    for (size_t i = 0; i < text_row_count; i++) {
        hex_bytes row = hex_read(text_rows[i].hex);
        fill_bytes(b, "\x03r", 3);
        fill_bytes(b, row.ptr, row.len);
        hex_free(&row);
        fill_text(b, "\x02p", 3, "plain ascii ", 23 * i);
        fill_text(b, "\x02m\xC3\xA9", 5, "\xE2\x82\xAC\"\n", i * 5);
        fill_text(b, "\015c", 3, "\x01", i * 17);
        fill_bytes(b, "\x05z", 3);
        fill_i32(b, i * 31);
        fill_bytes(b, "\x80", 1);
        fill_pattern(b, "\xFF\x10x", i * 31);
        fill_bytes(b, "\x0A", 1);
        fill_pattern(b, "key\\", i * 11);
        fill_bytes(b, "", 1);
    }
    fill_end(b, start);
    return fill_view(b);
}

#endif
