/* SPDX-License-Identifier: Apache-2.0
 *
 * style.c -- the forms of text: Extended JSON of version 2 and 1, and the shell's expressions.
 */
#include "json/style.h"

#include "json/date.h"

#define LITERAL(text)          \
    {                          \
        text, sizeof(text) - 1 \
    }
#define WRAP(open, close)             \
    {                                 \
        LITERAL(open), LITERAL(close) \
    }
#define WRAP2(open, middle, close)                     \
    {                                                  \
        LITERAL(open), LITERAL(middle), LITERAL(close) \
    }

/* What the forms of JSON have in common. */
#define JSON                                                                                 \
    .int32 = WRAP("{\"$numberInt\":\"", "\"}"), .int64 = WRAP("{\"$numberLong\":\"", "\"}"), \
    .real = WRAP("{\"$numberDouble\":\"", "\"}"),                                            \
    .decimal128 = WRAP("{\"$numberDecimal\":\"", "\"}"),                                     \
    .nan = LITERAL("{\"$numberDouble\":\"NaN\"}"),                                           \
    .infinity = LITERAL("{\"$numberDouble\":\"Infinity\"}"),                                 \
    .minus_infinity = LITERAL("{\"$numberDouble\":\"-Infinity\"}"),                          \
    .iso_date = WRAP("{\"$date\":\"", "\"}"), .oid = WRAP("{\"$oid\":\"", "\"}"),            \
    .symbol = WRAP("{\"$symbol\":\"", "\"}"), .code = WRAP("{\"$code\":\"", "\"}"),          \
    .timestamp = WRAP2("{\"$timestamp\":{\"t\":", ",\"i\":", "}}"),                          \
    .code_scope = WRAP2("{\"$code\":\"", "\",\"$scope\":", "}"),                             \
    .dbpointer = WRAP2("{\"$dbPointer\":{\"$ref\":\"", "\",\"$id\":{\"$oid\":\"", "\"}}}"),  \
    .undefined = LITERAL("{\"$undefined\":true}"), .minkey = LITERAL("{\"$minKey\":1}"),     \
    .maxkey = LITERAL("{\"$maxKey\":1}")

/* What version 2 says otherwise than version 1. */
#define VERSION_2                                                                      \
    JSON, .date = WRAP("{\"$date\":{\"$numberLong\":\"", "\"}}"),                      \
          .binary = WRAP2("{\"$binary\":{\"base64\":\"", "\",\"subType\":\"", "\"}}"), \
          .regex = WRAP2("{\"$regularExpression\":{\"pattern\":\"", "\",\"options\":\"", "\"}}")

/* Beyond it doubles have gaps: Number.MAX_SAFE_INTEGER. */
#define SAFE_GREATEST INT64_C(9007199254740991)

static const bsni_style canonical = {
    .plain_int64_least = INT64_MAX, /* an empty range */
    .plain_int64_greatest = INT64_MIN,
    .iso_date_least = INT64_MAX,
    .iso_date_greatest = INT64_MIN,
    VERSION_2,
};

static const bsni_style relaxed = {
    .plain_int32 = true,
    .plain_double = PLAIN_ALL,
    .plain_int64_least = INT64_MIN,
    .plain_int64_greatest = INT64_MAX,
    .iso_date_least = 0,
    .iso_date_greatest = BSNI_DATE_TEXT_GREATEST,
    VERSION_2,
};

static const bsni_style safe = {
    .plain_int32 = true,
    .plain_double = PLAIN_ALL,
    .plain_int64_least = -SAFE_GREATEST,
    .plain_int64_greatest = SAFE_GREATEST,
    .iso_date_least = 0,
    .iso_date_greatest = BSNI_DATE_TEXT_GREATEST,
    VERSION_2,
};

static const bsni_style legacy = {
    .is_legacy = true,
    .plain_int32 = true,
    .plain_double = PLAIN_ALL,
    .plain_int64_least = INT64_MAX,
    .plain_int64_greatest = INT64_MIN,
    .iso_date_least = INT64_MAX,
    .iso_date_greatest = INT64_MIN,
    .date = WRAP("{\"$date\":", "}"),
    .binary = WRAP2("{\"$binary\":\"", "\",\"$type\":\"", "\"}"),
    .regex = WRAP2("{\"$regex\":\"", "\",\"$options\":\"", "\"}"),
    JSON,
};

static const bsni_style shell = {
    .is_script = true,
    .plain_int32 = true,
    .plain_double = PLAIN_NO_INT32,
    .plain_int64_least = INT64_MAX,
    .plain_int64_greatest = INT64_MIN,
    .iso_date_least = 0,
    .iso_date_greatest = BSNI_DATE_TEXT_GREATEST,
    .int64 = WRAP("NumberLong(\"", "\")"),
    .real = WRAP("Double(", ")"),
    .decimal128 = WRAP("NumberDecimal(\"", "\")"),
    .nan = LITERAL("NaN"),
    .infinity = LITERAL("Infinity"),
    .minus_infinity = LITERAL("-Infinity"),
    .iso_date = WRAP("ISODate(\"", "\")"),
    .date = WRAP("new Date(", ")"),
    .oid = WRAP("ObjectId(\"", "\")"),
    .symbol = WRAP("BSONSymbol(\"", "\")"),
    .code = WRAP("Code(\"", "\")"),
    .binary = WRAP2("BinData(", ",\"", "\")"),
    .regex = WRAP2("BSONRegExp(\"", "\",\"", "\")"),
    .timestamp = WRAP2("Timestamp({t:", ",i:", "})"),
    .code_scope = WRAP2("Code(\"", "\",", ")"),
    .dbpointer = WRAP2("DBPointer(\"", "\",ObjectId(\"", "\"))"),
    .undefined = LITERAL("undefined"),
    .minkey = LITERAL("MinKey()"),
    .maxkey = LITERAL("MaxKey()"),
};

const bsni_style *bsni_style_of(bsn_json_form form)
{
    switch (form) {
    case BSN_JSON_RELAXED: return &relaxed;
    case BSN_JSON_CANONICAL: return &canonical;
    case BSN_JSON_SAFE: return &safe;
    case BSN_JSON_LEGACY: return &legacy;
    case BSN_JSON_SHELL: return &shell;
    }
    return &relaxed;
}
