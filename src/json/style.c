/* SPDX-License-Identifier: Apache-2.0
 *
 * style.c -- the forms of Extended JSON, version 2: canonical and relaxed.
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

/* What both forms have in common. */
#define VERSION_2                                                                               \
    .int32 = WRAP("{\"$numberInt\":\"", "\"}"), .int64 = WRAP("{\"$numberLong\":\"", "\"}"),    \
    .real = WRAP("{\"$numberDouble\":\"", "\"}"),                                               \
    .decimal128 = WRAP("{\"$numberDecimal\":\"", "\"}"),                                        \
    .nan = LITERAL("{\"$numberDouble\":\"NaN\"}"),                                              \
    .infinity = LITERAL("{\"$numberDouble\":\"Infinity\"}"),                                    \
    .minus_infinity = LITERAL("{\"$numberDouble\":\"-Infinity\"}"),                             \
    .iso_date = WRAP("{\"$date\":\"", "\"}"),                                                   \
    .date = WRAP("{\"$date\":{\"$numberLong\":\"", "\"}}"), .oid = WRAP("{\"$oid\":\"", "\"}"), \
    .symbol = WRAP("{\"$symbol\":\"", "\"}"), .code = WRAP("{\"$code\":\"", "\"}"),             \
    .binary = WRAP2("{\"$binary\":{\"base64\":\"", "\",\"subType\":\"", "\"}}"),                \
    .regex = WRAP2("{\"$regularExpression\":{\"pattern\":\"", "\",\"options\":\"", "\"}}"),     \
    .timestamp = WRAP2("{\"$timestamp\":{\"t\":", ",\"i\":", "}}"),                             \
    .code_scope = WRAP2("{\"$code\":\"", "\",\"$scope\":", "}"),                                \
    .dbpointer = WRAP2("{\"$dbPointer\":{\"$ref\":\"", "\",\"$id\":{\"$oid\":\"", "\"}}}"),     \
    .undefined = LITERAL("{\"$undefined\":true}"), .minkey = LITERAL("{\"$minKey\":1}"),        \
    .maxkey = LITERAL("{\"$maxKey\":1}")

static const bsni_style canonical = {
    .plain_int64_least = INT64_MAX, /* an empty range */
    .plain_int64_greatest = INT64_MIN,
    .iso_date_least = INT64_MAX,
    .iso_date_greatest = INT64_MIN,
    VERSION_2,
};

static const bsni_style relaxed = {
    .plain_int32 = true,
    .plain_double = true,
    .plain_int64_least = INT64_MIN,
    .plain_int64_greatest = INT64_MAX,
    .iso_date_least = 0,
    .iso_date_greatest = BSNI_DATE_TEXT_GREATEST,
    VERSION_2,
};

const bsni_style *bsni_style_of(bsn_json_form form)
{
    switch (form) {
    case BSN_JSON_RELAXED: return &relaxed;
    case BSN_JSON_CANONICAL: return &canonical;
    }
    return &relaxed;
}
