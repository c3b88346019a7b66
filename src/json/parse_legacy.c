/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_legacy.c -- forms of version 1, which option `legacy` asks for.
 *
 *   {"$date": 1356351330501}
 *   {"$binary": "base64", "$type": "05"}      either order
 *   {"$regex": "pattern", "$options": "i"}    either order
 *
 * Queries use $type, $regex and $options as operators, so anything but exactly these is left to be what it is without the option.
 */
#include "json/number.h"
#include "json/parse_wrapper.h"

bsni_token bsni_legacy_date(bsn_json_parser *j, const uint8_t **p)
{
    static const char detail[] = "a date was expected: text, integer or an object of $numberLong";
    const bsn_str text = {(const char *)*p, (size_t)(j->end - *p)};
    const uint8_t *at = *p;
    bsni_number number;
    const bsn_status status = bsni_number_take(text, &number);
    if (number.len == text.len) return bsni_parse_short(j, detail);
    if (status != BSN_OK || number.kind > BSNI_NUMBER_INT64) {
        return bsni_parse_fail(j, BSN_E_SYNTAX, at, detail);
    }
    *p += number.len;
    const bsni_token token = bsni_wrapper_expect(j, p, '}', "'}' was expected");
    if (token != TOKEN_OK) return token;
    bsn_store_i64(j->doc_cur, number.integer);
    bsni_set_type(j, BSN_TYPE_DATE);
    j->doc_cur += 8;
    return TOKEN_OK;
}

enum { LEGACY_NONE = -1, LEGACY_BINARY, LEGACY_TYPE, LEGACY_REGEX, LEGACY_OPTIONS };

static int legacy_key(bsn_str key)
{
    static const char names[][12] = {"$binary", "$type", "$regex", "$options"};
    for (int i = 0; i < 4; i++) {
        if (key.len == strlen(names[i]) && memcmp(key.ptr, names[i], key.len) == 0) return i;
    }
    return LEGACY_NONE;
}

/* A member with one of those keys and a string. False in *found when it is another one. */
static bsni_token take_legacy_member(bsn_json_parser *j, const uint8_t **p, int *id,
                                     bsni_slot *value)
{
    bsni_slot key;
    *id = LEGACY_NONE;
    bsni_token token = bsni_wrapper_key(j, p, "a key in double quotes was expected", &key);
    if (token == TOKEN_OK) token = bsni_wrapper_look(j, p, "a value was expected");
    if (token != TOKEN_OK || **p != '"') return token;
    *id = legacy_key(bsni_slot_text(j, &key));
    if (*id == LEGACY_NONE) return TOKEN_OK;
    return bsni_parse_slot(j, p, *id > LEGACY_TYPE ? TEXT_KEY : TEXT_ANY, value);
}

/* Takes both members and the end: *ids are LEGACY_NONE when it is another object. */
static bsni_token take_legacy_members(bsn_json_parser *j, const uint8_t **p, int ids[2],
                                      bsni_slot values[2])
{
    ids[1] = LEGACY_NONE;
    bsni_token token = take_legacy_member(j, p, &ids[0], &values[0]);
    if (token != TOKEN_OK || ids[0] == LEGACY_NONE) return token;
    token = bsni_wrapper_look(j, p, "',' or '}' was expected");
    if (token != TOKEN_OK || **p != ',') return token;
    ++*p;
    token = take_legacy_member(j, p, &ids[1], &values[1]);
    if (token != TOKEN_OK || ids[1] == LEGACY_NONE) return token;
    token = bsni_wrapper_look(j, p, "'}' was expected");
    if (token == TOKEN_OK && **p != '}') ids[1] = LEGACY_NONE;
    ++*p;
    return token;
}

bsni_object bsni_legacy_object(bsn_json_parser *j, const uint8_t *p)
{
    int ids[2];
    bsni_slot values[2];
    bsni_token token = take_legacy_members(j, &p, ids, values);
    if (token == TOKEN_MORE) return OBJECT_MORE;
    if (token == TOKEN_FAILED) {
        if (j->err.status == BSN_E_NOMEM) return OBJECT_FAILED;
        /* Whatever it is finds the same fault again, or finds that it is none. */
        j->err.status = BSN_OK;
        return OBJECT_DOCUMENT;
    }
    const bool swapped = ids[1] != LEGACY_NONE && ids[0] > ids[1];
    const int first = ids[swapped], second = ids[!swapped];
    if (first == LEGACY_BINARY && second == LEGACY_TYPE) {
        token = bsni_put_binary(j, &values[swapped], &values[!swapped]);
    } else if (first == LEGACY_REGEX && second == LEGACY_OPTIONS) {
        token = bsni_put_regex(j, &values[swapped], &values[!swapped]);
    } else {
        return OBJECT_DOCUMENT;
    }
    if (token == TOKEN_OK) j->cur = p;
    return token == TOKEN_OK ? OBJECT_WRAPPER : OBJECT_FAILED;
}
