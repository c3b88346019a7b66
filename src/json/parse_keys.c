/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_keys.c -- the keys that make an object a wrapper, found by their length.
 */
#include "json/parser.h"

typedef struct special_key {
    char text[20];
    bsni_special id;
} special_key;

/* In order of length. */
static const special_key keys[] = {
    {"$oid", SPECIAL_OID},
    {"$date", SPECIAL_DATE},
    {"$code", SPECIAL_CODE},
    {"$uuid", SPECIAL_UUID},
    {"$scope", SPECIAL_SCOPE},
    {"$binary", SPECIAL_BINARY},
    {"$symbol", SPECIAL_SYMBOL},
    {"$minKey", SPECIAL_MINKEY},
    {"$maxKey", SPECIAL_MAXKEY},
    {"$numberInt", SPECIAL_INT},
    {"$timestamp", SPECIAL_TIMESTAMP},
    {"$undefined", SPECIAL_UNDEFINED},
    {"$dbPointer", SPECIAL_DBPOINTER},
    {"$numberLong", SPECIAL_LONG},
    {"$numberDouble", SPECIAL_DOUBLE},
    {"$numberDecimal", SPECIAL_DECIMAL},
    {"$regularExpression", SPECIAL_REGEX},
};

/* Where the keys of a length begin; the next entry is where they end. */
static const uint8_t first_of_length[] = {0, 0,  0,  0,  0,  1,  4,  5,  9,  9,
                                          9, 13, 14, 14, 15, 16, 16, 16, 16, 17};

bsni_special bsni_special_key(bsn_str key)
{
    if (key.len + 1 >= sizeof first_of_length || key.len < 2 || key.ptr[0] != '$')
        return SPECIAL_NONE;
    for (size_t i = first_of_length[key.len]; i < first_of_length[key.len + 1]; i++) {
        if (keys[i].text[1] == key.ptr[1] && memcmp(keys[i].text, key.ptr, key.len) == 0)
            return keys[i].id;
    }
    return SPECIAL_NONE;
}
