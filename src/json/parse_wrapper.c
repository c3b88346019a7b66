/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_wrapper.c -- {"$oid": ".."} and its like, each as one token: its members are taken first, where they lie in the window, and then
 * one value is written. The functions move a cursor of their own; the parser's moves when all is well.
 *
 * A wrapper's first key tells which one it is, so an object with another first key costs no more than a look at two bytes. Then its
 * keys must be exactly those of the wrapper, in any order.        [Extended JSON v2, "Parsing", and "Special Rules"]
 */
#include "json/parse_wrapper.h"

#include "base/digit.h"
#include "simd/simd.h"
#include "json/date.h"
#include "json/number.h"

#define STRING_EXPECTED "a string was expected"

/* ---- punctuation ---- */

bsni_token bsni_wrapper_look(bsn_json_parser *j, const uint8_t **p, const char *detail)
{
    if (BSN_LIKELY(*p<j->end &&* * p> ' ')) return TOKEN_OK;
    *p = bsni_parse_blanks(j, *p);
    return *p < j->end ? TOKEN_OK : bsni_parse_short(j, detail);
}

bsni_token bsni_wrapper_expect(bsn_json_parser *j, const uint8_t **p, uint8_t byte,
                               const char *detail)
{
    const bsni_token token = bsni_wrapper_look(j, p, detail);
    if (token != TOKEN_OK) return token;
    if (**p != byte) return bsni_parse_fail(j, BSN_E_SYNTAX, *p, detail);
    ++*p;
    return TOKEN_OK;
}

bsni_token bsni_wrapper_string(bsn_json_parser *j, const uint8_t **p, bsni_text_kind kind,
                               bsni_slot *slot)
{
    const bsni_token token = bsni_wrapper_look(j, p, STRING_EXPECTED);
    if (token != TOKEN_OK) return token;
    if (**p != '"') return bsni_parse_fail(j, BSN_E_SYNTAX, *p, STRING_EXPECTED);
    return bsni_parse_slot(j, p, kind, slot);
}

bsni_token bsni_wrapper_key(bsn_json_parser *j, const uint8_t **p, const char *detail,
                            bsni_slot *key)
{
    bsni_token token = bsni_wrapper_look(j, p, detail);
    if (token != TOKEN_OK) return token;
    if (**p != '"') return bsni_parse_fail(j, BSN_E_SYNTAX, *p, detail);
    token = bsni_parse_slot(j, p, TEXT_KEY, key);
    if (token != TOKEN_OK) return token;
    return bsni_wrapper_expect(j, p, ':', "':' was expected");
}

static bool key_is(const bsn_json_parser *j, const bsni_slot *key, bsn_str name)
{
    const bsn_str text = bsni_slot_text(j, key);
    return text.len == name.len && memcmp(text.ptr, name.ptr, name.len) == 0;
}

static bsni_token end_wrapper(bsn_json_parser *j, const uint8_t **p)
{
    return bsni_wrapper_expect(j, p, '}', "'}' was expected: nothing else stands in this wrapper");
}

/* ---- objects of one or two members ---- */

/* A member of a wrapper's inner object, and how its value is taken. */
typedef struct member {
    bsn_str name;
    bsni_token (*take)(bsn_json_parser *j, const uint8_t **p, void *value);
    void *value;
    bool is_there;
} member;

static member *find_member(const bsn_json_parser *j, member *members, size_t count,
                           const bsni_slot *key)
{
    for (size_t i = 0; i < count; i++) {
        if (!members[i].is_there && key_is(j, key, members[i].name)) return &members[i];
    }
    return NULL;
}

/* An object with exactly these members, in any order. */
static bsni_token take_members(bsn_json_parser *j, const uint8_t **p, member *members, size_t count,
                               const char *detail)
{
    bsni_token token = bsni_wrapper_expect(j, p, '{', detail);
    for (size_t i = 0; i < count && token == TOKEN_OK; i++) {
        bsni_slot key;
        if (i != 0) {
            token = bsni_wrapper_expect(j, p, ',', detail);
            if (token != TOKEN_OK) break;
        }
        token = bsni_wrapper_key(j, p, detail, &key);
        if (token != TOKEN_OK) break;
        member *found = find_member(j, members, count, &key);
        if (found == NULL) return bsni_parse_fail(j, BSN_E_SYNTAX, key.at, detail);
        found->is_there = true;
        token = found->take(j, p, found->value);
    }
    return token == TOKEN_OK ? bsni_wrapper_expect(j, p, '}', detail) : token;
}

static bsni_token take_any_string(bsn_json_parser *j, const uint8_t **p, void *slot)
{
    return bsni_wrapper_string(j, p, TEXT_ANY, slot);
}

static bsni_token take_cstring(bsn_json_parser *j, const uint8_t **p, void *slot)
{
    return bsni_wrapper_string(j, p, TEXT_KEY, slot);
}

/* ---- writing ---- */

static uint8_t *put_type(bsn_json_parser *j, bsn_type type)
{
    bsni_set_type(j, type);
    return j->doc_cur;
}

/* A string: its length, the text, 0x00. */
static bsni_token put_string(bsn_json_parser *j, bsn_str text)
{
    if (!bsni_doc_reserve(j, text.len + BSNI_DOC_MARGIN)) return TOKEN_FAILED;
    bsn_store_i32(j->doc_cur, (int32_t)(text.len + 1));
    if (text.len != 0) memcpy(j->doc_cur + 4, text.ptr, text.len);
    j->doc_cur[4 + text.len] = 0;
    j->doc_cur += text.len + 5;
    return TOKEN_OK;
}

static bsni_token put_cstring(bsn_json_parser *j, bsn_str text)
{
    if (!bsni_doc_reserve(j, text.len + BSNI_DOC_MARGIN)) return TOKEN_FAILED;
    if (text.len != 0) memcpy(j->doc_cur, text.ptr, text.len);
    j->doc_cur[text.len] = 0;
    j->doc_cur += text.len + 1;
    return TOKEN_OK;
}

/* ---- wrappers of one string ---- */

static bsni_token fail_text(bsn_json_parser *j, bsn_status status, const bsni_slot *slot,
                            const char *detail)
{
    return bsni_parse_fail(j, status, slot->at, detail);
}

static bsni_token put_int32(bsn_json_parser *j, const bsni_slot *slot)
{
    int32_t value;
    const bsn_status status = bsni_int32_from_text(bsni_slot_text(j, slot), &value);
    if (status != BSN_OK) return fail_text(j, status, slot, "a 32-bit integer was expected");
    bsn_store_i32(put_type(j, BSN_TYPE_INT32), value);
    j->doc_cur += 4;
    return TOKEN_OK;
}

static bsni_token put_int64(bsn_json_parser *j, const bsni_slot *slot)
{
    int64_t value;
    const bsn_status status = bsni_int64_from_text(bsni_slot_text(j, slot), &value);
    if (status != BSN_OK) return fail_text(j, status, slot, "a 64-bit integer was expected");
    bsn_store_i64(put_type(j, BSN_TYPE_INT64), value);
    j->doc_cur += 8;
    return TOKEN_OK;
}

static bsni_token put_double(bsn_json_parser *j, const bsni_slot *slot)
{
    double value;
    const bsn_status status = bsni_double_from_text(bsni_slot_text(j, slot), &value);
    if (status != BSN_OK)
        return fail_text(j, status, slot, "a number, NaN or Infinity was expected");
    bsn_store_f64(put_type(j, BSN_TYPE_DOUBLE), value);
    j->doc_cur += 8;
    return TOKEN_OK;
}

static bsni_token put_decimal(bsn_json_parser *j, const bsni_slot *slot)
{
    bsn_decimal128 value;
    const bsn_status status = bsn_decimal128_from_text(bsni_slot_text(j, slot), &value);
    if (status != BSN_OK) return fail_text(j, status, slot, "a decimal128 was expected");
    uint8_t *to = put_type(j, BSN_TYPE_DECIMAL128);
    bsn_store_u64(to, value.low);
    bsn_store_u64(to + 8, value.high);
    j->doc_cur += 16;
    return TOKEN_OK;
}

static bsni_token put_oid(bsn_json_parser *j, const bsni_slot *slot)
{
    const bsn_str text = bsni_slot_text(j, slot);
    if (text.len != BSN_OID_TEXT_LEN ||
        !bsni_hex_decode((const uint8_t *)text.ptr, sizeof(bsn_oid), j->doc_cur)) {
        return fail_text(j, BSN_E_SYNTAX, slot, "24 hex digits were expected");
    }
    bsni_set_type(j, BSN_TYPE_OID);
    j->doc_cur += sizeof(bsn_oid);
    return TOKEN_OK;
}

/* 8-4-4-4-12 digits, or all without a hyphen. */
static bool uuid_digits(bsn_str text, uint8_t digits[32])
{
    static const uint8_t runs[] = {8, 4, 4, 4, 12};
    const bool has_hyphens = text.len == 36;
    const char *from = text.ptr;
    if (!has_hyphens && text.len != 32) return false;
    for (size_t i = 0; i < sizeof runs; i++) {
        if (i != 0 && has_hyphens && *from++ != '-') return false;
        memcpy(digits, from, runs[i]);
        digits += runs[i];
        from += runs[i];
    }
    return true;
}

static bsni_token put_uuid(bsn_json_parser *j, const bsni_slot *slot)
{
    uint8_t digits[32], *to = put_type(j, BSN_TYPE_BINARY);
    bsn_store_i32(to, 16);
    to[4] = BSN_SUBTYPE_UUID;
    if (!uuid_digits(bsni_slot_text(j, slot), digits) || !bsni_hex_decode(digits, 16, to + 5)) {
        return fail_text(j, BSN_E_SYNTAX, slot, "a UUID was expected: 8-4-4-4-12 hex digits");
    }
    j->doc_cur += 21;
    return TOKEN_OK;
}

static bsni_token put_iso_date(bsn_json_parser *j, const bsni_slot *slot)
{
    int64_t ms;
    const bsn_status status = bsni_date_from_text(bsni_slot_text(j, slot), j->date_flags, &ms);
    if (status != BSN_OK) {
        const char *detail = status == BSN_E_INEXACT ? "a date has milliseconds and nothing below"
                                                     : "an ISO 8601 date was expected";
        return fail_text(j, status, slot, detail);
    }
    bsn_store_i64(put_type(j, BSN_TYPE_DATE), ms);
    j->doc_cur += 8;
    return TOKEN_OK;
}

typedef bsni_token put_function(bsn_json_parser *j, const bsni_slot *slot);

static bsni_token take_one_string(bsn_json_parser *j, const uint8_t **p, put_function *put)
{
    bsni_slot slot;
    bsni_token token = bsni_wrapper_string(j, p, TEXT_ANY, &slot);
    if (token != TOKEN_OK) return token;
    const size_t len = bsni_doc_len(j);
    token = put(j, &slot);
    if (token == TOKEN_OK) token = end_wrapper(j, p);
    if (token != TOKEN_OK) j->doc_cur = j->doc + len;
    return token;
}

/* Code and symbols may be long: they go where they belong at once. */
static bsni_token take_long_string(bsn_json_parser *j, const uint8_t **p)
{
    const size_t start = bsni_doc_len(j);
    const uint8_t *cur = j->cur;
    bsni_token token = bsni_wrapper_look(j, p, STRING_EXPECTED);
    if (token != TOKEN_OK) return token;
    if (**p != '"') return bsni_parse_fail(j, BSN_E_SYNTAX, *p, STRING_EXPECTED);
    j->cur = *p;
    j->doc_cur += 4;
    token = bsni_parse_text(j, TEXT_ANY);
    *p = j->cur;
    j->cur = cur;
    if (token != TOKEN_OK) {
        j->doc_cur = j->doc + start;
        return token;
    }
    *j->doc_cur++ = 0;
    bsn_store_i32(j->doc + start, (int32_t)(bsni_doc_len(j) - start - 4));
    return TOKEN_OK;
}

static bsni_token take_symbol(bsn_json_parser *j, const uint8_t **p)
{
    const size_t start = bsni_doc_len(j);
    bsni_token token = take_long_string(j, p);
    if (token != TOKEN_OK) return token;
    token = end_wrapper(j, p);
    if (token == TOKEN_OK) {
        bsni_set_type(j, BSN_TYPE_SYMBOL);
    } else {
        j->doc_cur = j->doc + start;
    }
    return token;
}

/* ---- binary ---- */

bsni_token bsni_put_binary(bsn_json_parser *j, const bsni_slot *base64, const bsni_slot *subtype)
{
    const bsn_str text = bsni_slot_text(j, base64), digits = bsni_slot_text(j, subtype);
    uint8_t pair[2] = {'0', '0'}, type;
    if (digits.len == 0 || digits.len > 2) {
        return fail_text(j, BSN_E_SYNTAX, subtype, "one or two hex digits were expected");
    }
    memcpy(pair + 2 - digits.len, digits.ptr, digits.len);
    if (!bsni_hex_decode(pair, 1, &type)) {
        return fail_text(j, BSN_E_SYNTAX, subtype, "one or two hex digits were expected");
    }
    if (!bsni_doc_reserve(j, bsni_base64_bytes_max(text.len) + BSNI_DOC_MARGIN))
        return TOKEN_FAILED;
    const size_t inner = type == BSN_SUBTYPE_OLD_BINARY ? 4 : 0;
    uint8_t *to = j->doc_cur;
    size_t len;
    if (!bsni_base64_decode((const uint8_t *)text.ptr, text.len, to + 5 + inner, &len)) {
        return fail_text(j, BSN_E_SYNTAX, base64, "base64 was expected, with its padding");
    }
    bsn_store_i32(to, (int32_t)(len + inner));
    to[4] = type;
    if (inner != 0) bsn_store_i32(to + 5, (int32_t)len);
    bsni_set_type(j, BSN_TYPE_BINARY);
    j->doc_cur += 5 + inner + len;
    return TOKEN_OK;
}

static bsni_token take_binary(bsn_json_parser *j, const uint8_t **p)
{
    static const char detail[] = "an object of base64 and subType was expected";
    bsni_slot base64, subtype;
    member members[] = {{BSN_STR("base64"), take_any_string, &base64, false},
                        {BSN_STR("subType"), take_any_string, &subtype, false}};
    bsni_token token = take_members(j, p, members, 2, detail);
    if (token == TOKEN_OK) token = end_wrapper(j, p);
    return token == TOKEN_OK ? bsni_put_binary(j, &base64, &subtype) : token;
}

/* ---- dates ---- */

static bsni_token take_date_number(bsn_json_parser *j, const uint8_t **p)
{
    bsni_slot slot;
    member members[] = {{BSN_STR("$numberLong"), take_any_string, &slot, false}};
    bsni_token token = take_members(j, p, members, 1, "an object of $numberLong was expected");
    if (token == TOKEN_OK) token = end_wrapper(j, p);
    if (token == TOKEN_OK) token = put_int64(j, &slot);
    if (token == TOKEN_OK) bsni_set_type(j, BSN_TYPE_DATE);
    return token;
}

static bsni_token take_date(bsn_json_parser *j, const uint8_t **p)
{
    const char *detail = "an ISO 8601 date or an object of $numberLong was expected";
    const bsni_token token = bsni_wrapper_look(j, p, detail);
    if (token != TOKEN_OK) return token;
    if (**p == '"') return take_one_string(j, p, put_iso_date);
    if (**p == '{') return take_date_number(j, p);
    if (j->legacy) return bsni_legacy_date(j, p);
    if (bsni_is_digit((char)**p) || **p == '-')
        detail =
            "a date by its number is a form of version 1, which the option for legacy forms takes";
    return bsni_parse_fail(j, BSN_E_SYNTAX, *p, detail);
}

/* ---- regular expressions ---- */

/* Options in alphabetical order, if all are ASCII. */
static void sort_options(uint8_t *options, size_t len)
{
    size_t counts[128] = {0}, at = 0;
    for (size_t i = 0; i < len; i++) {
        if (options[i] > 0x7F) return;
        counts[options[i]]++;
    }
    for (size_t byte = 0; byte < 128; byte++) {
        memset(options + at, (int)byte, counts[byte]);
        at += counts[byte];
    }
}

bsni_token bsni_put_regex(bsn_json_parser *j, const bsni_slot *pattern, const bsni_slot *options)
{
    const size_t start = bsni_doc_len(j);
    const bsn_str letters = bsni_slot_text(j, options);
    if (put_cstring(j, bsni_slot_text(j, pattern)) != TOKEN_OK ||
        put_cstring(j, letters) != TOKEN_OK) {
        j->doc_cur = j->doc + start;
        return TOKEN_FAILED;
    }
    if (letters.len > 1) sort_options(j->doc_cur - letters.len - 1, letters.len);
    bsni_set_type(j, BSN_TYPE_REGEX);
    return TOKEN_OK;
}

static bsni_token take_regex(bsn_json_parser *j, const uint8_t **p)
{
    static const char detail[] = "an object of pattern and options was expected";
    bsni_slot pattern, options;
    member members[] = {{BSN_STR("pattern"), take_cstring, &pattern, false},
                        {BSN_STR("options"), take_cstring, &options, false}};
    bsni_token token = take_members(j, p, members, 2, detail);
    if (token == TOKEN_OK) token = end_wrapper(j, p);
    return token == TOKEN_OK ? bsni_put_regex(j, &pattern, &options) : token;
}

/* ---- timestamps and wrappers of one word ---- */

/* A JSON integer 0 .. greatest. */
static bsni_token take_unsigned(bsn_json_parser *j, const uint8_t **p, uint32_t greatest,
                                const char *detail, uint32_t *value)
{
    bsni_number number;
    const bsni_token token = bsni_wrapper_look(j, p, detail);
    if (token != TOKEN_OK) return token;
    const bsn_str text = {(const char *)*p, (size_t)(j->end - *p)};
    const bsn_status status = bsni_number_take(text, &number);
    if (number.len == text.len) return bsni_parse_short(j, detail);
    const bool fits = status == BSN_OK && number.kind <= BSNI_NUMBER_INT64 && **p != '-' &&
                      number.integer <= (int64_t)greatest;
    if (!fits) return bsni_parse_fail(j, BSN_E_SYNTAX, *p, detail);
    *value = (uint32_t)number.integer;
    *p += number.len;
    return TOKEN_OK;
}

static bsni_token take_uint32(bsn_json_parser *j, const uint8_t **p, void *value)
{
    return take_unsigned(j, p, UINT32_MAX, "an integer from 0 to 4294967295 was expected", value);
}

static bsni_token take_timestamp(bsn_json_parser *j, const uint8_t **p)
{
    static const char detail[] = "an object of t and i was expected";
    uint32_t seconds = 0, increment = 0;
    member members[] = {{BSN_STR("t"), take_uint32, &seconds, false},
                        {BSN_STR("i"), take_uint32, &increment, false}};
    bsni_token token = take_members(j, p, members, 2, detail);
    if (token == TOKEN_OK) token = end_wrapper(j, p);
    if (token != TOKEN_OK) return token;
    uint8_t *to = put_type(j, BSN_TYPE_TIMESTAMP);
    bsn_store_u32(to, increment);
    bsn_store_u32(to + 4, seconds);
    j->doc_cur += 8;
    return TOKEN_OK;
}

static bsni_token take_one(bsn_json_parser *j, const uint8_t **p, bsn_type type)
{
    static const char detail[] = "the integer 1 was expected";
    const uint8_t *at = *p = bsni_parse_blanks(j, *p);
    uint32_t value = 0;
    bsni_token token = take_unsigned(j, p, 1, detail, &value);
    if (token == TOKEN_OK && value != 1) token = bsni_parse_fail(j, BSN_E_SYNTAX, at, detail);
    if (token == TOKEN_OK) token = end_wrapper(j, p);
    if (token == TOKEN_OK) bsni_set_type(j, type);
    return token;
}

static bsni_token take_undefined(bsn_json_parser *j, const uint8_t **p)
{
    static const char detail[] = "true was expected", word[] = {'t', 'r', 'u', 'e'};
    bsni_token token = bsni_wrapper_look(j, p, detail);
    if (token != TOKEN_OK) return token;
    const uint8_t *at = *p;
    for (size_t i = 0; i < sizeof word; i++) {
        if (*p == j->end) return bsni_parse_short(j, detail);
        if (*(*p)++ != (uint8_t)word[i]) return bsni_parse_fail(j, BSN_E_SYNTAX, at, detail);
    }
    token = end_wrapper(j, p);
    if (token == TOKEN_OK) bsni_set_type(j, BSN_TYPE_UNDEFINED);
    return token;
}

/* ---- DBPointer ---- */

static bsni_token take_oid_wrapper(bsn_json_parser *j, const uint8_t **p, void *slot)
{
    member members[] = {{BSN_STR("$oid"), take_any_string, slot, false}};
    return take_members(j, p, members, 1, "an object of $oid was expected");
}

static bsni_token take_dbpointer(bsn_json_parser *j, const uint8_t **p)
{
    static const char detail[] = "an object of $ref and $id was expected";
    bsni_slot ref, id;
    member members[] = {{BSN_STR("$ref"), take_any_string, &ref, false},
                        {BSN_STR("$id"), take_oid_wrapper, &id, false}};
    bsni_token token = take_members(j, p, members, 2, detail);
    if (token == TOKEN_OK) token = end_wrapper(j, p);
    if (token != TOKEN_OK) return token;
    const size_t start = bsni_doc_len(j);
    token = put_string(j, bsni_slot_text(j, &ref));
    if (token == TOKEN_OK) token = put_oid(j, &id);
    if (token == TOKEN_OK) {
        bsni_set_type(j, BSN_TYPE_DBPOINTER);
    } else {
        j->doc_cur = j->doc + start;
    }
    return token;
}

/* ---- code and scope ---- */

/* The scope of code, its '{' at *p: opens the document. The value begins at `start`. */
static bsni_object open_scope(bsn_json_parser *j, const uint8_t **p, uint8_t kind, size_t start)
{
    static const char detail[] = "a document was expected as the scope";
    const bsni_token token = bsni_wrapper_expect(j, p, '{', detail);
    if (token != TOKEN_OK) return token == TOKEN_MORE ? OBJECT_MORE : OBJECT_FAILED;
    if (bsni_parse_push(j, kind, *p - 1) != TOKEN_OK) return OBJECT_FAILED;
    j->frame->index = start;
    bsni_set_type(j, BSN_TYPE_CODE_SCOPE);
    j->cur = *p;
    j->state = STATE_FIRST_KEY;
    return OBJECT_SCOPE;
}

/* {"$code": ..} or {"$code": .., "$scope": {     the code is written behind room for the total length, which plain code then takes
 * back. */
static bsni_object take_code(bsn_json_parser *j, const uint8_t **p)
{
    static const char detail[] = "\"$scope\" or '}' was expected";
    const size_t start = bsni_doc_len(j);
    bsni_slot key;
    j->doc_cur += 4;
    bsni_token token = take_long_string(j, p);
    if (token == TOKEN_OK) token = bsni_wrapper_look(j, p, detail);
    if (token == TOKEN_OK && **p == '}') {
        const size_t len = bsni_doc_len(j) - start - 4;
        memmove(j->doc + start, j->doc + start + 4, len);
        j->doc_cur -= 4;
        bsni_set_type(j, BSN_TYPE_CODE);
        j->cur = ++*p;
        return OBJECT_WRAPPER;
    }
    bsni_object object = OBJECT_FAILED;
    if (token == TOKEN_OK) token = bsni_wrapper_expect(j, p, ',', detail);
    if (token == TOKEN_OK) token = bsni_wrapper_key(j, p, detail, &key);
    if (token == TOKEN_OK) {
        if (key_is(j, &key, BSN_STR("$scope"))) {
            object = open_scope(j, p, IN_SCOPE, start);
            if (object == OBJECT_SCOPE) return object;
        } else {
            bsni_parse_fail(j, BSN_E_SYNTAX, key.at, detail);
        }
    }
    j->doc_cur = j->doc + start;
    return token == TOKEN_MORE ? OBJECT_MORE : object;
}

/* {"$scope": {    the scope is written behind room for the total length; the code moves it. */
static bsni_object take_scope(bsn_json_parser *j, const uint8_t **p)
{
    const size_t start = bsni_doc_len(j);
    j->doc_cur += 4;
    const bsni_object object = open_scope(j, p, IN_FIRST_SCOPE, start);
    if (object != OBJECT_SCOPE) j->doc_cur = j->doc + start;
    return object;
}

/* `scope` is where the scope begins, behind room for the total length. */
static bsni_token insert_code(bsn_json_parser *j, size_t scope, bsn_str code)
{
    const size_t scope_len = bsni_doc_len(j) - scope;
    if (!bsni_doc_reserve(j, code.len + BSNI_DOC_MARGIN)) return TOKEN_FAILED;
    uint8_t *at = j->doc + scope;
    memmove(at + code.len + 5, at, scope_len);
    bsn_store_i32(at, (int32_t)(code.len + 1));
    if (code.len != 0) memcpy(at + 4, code.ptr, code.len);
    at[4 + code.len] = 0;
    j->doc_cur += code.len + 5;
    bsn_store_i32(at - 4, (int32_t)(code.len + 9 + scope_len));
    return TOKEN_OK;
}

bsni_token bsni_parse_scope_code(bsn_json_parser *j)
{
    static const char detail[] = "\"$code\" was expected behind \"$scope\"";
    const uint8_t *p = j->cur;
    bsni_slot key, code;
    j->unescaped.len = 0;
    bsni_token token = bsni_wrapper_expect(j, &p, ',', detail);
    if (token == TOKEN_OK) token = bsni_wrapper_key(j, &p, detail, &key);
    if (token == TOKEN_OK && !key_is(j, &key, BSN_STR("$code"))) {
        token = bsni_parse_fail(j, BSN_E_SYNTAX, key.at, detail);
    }
    if (token == TOKEN_OK) token = bsni_wrapper_string(j, &p, TEXT_ANY, &code);
    if (token == TOKEN_OK) token = end_wrapper(j, &p);
    if (token == TOKEN_OK) token = insert_code(j, j->frame[1].start, bsni_slot_text(j, &code));
    if (token == TOKEN_OK) {
        j->cur = p;
        j->state = STATE_AFTER;
    }
    return token;
}

/* ---- the choice ---- */

static bsni_token take_wrapper(bsn_json_parser *j, const uint8_t **p, bsni_special id)
{
    switch (id) {
    case SPECIAL_INT: return take_one_string(j, p, put_int32);
    case SPECIAL_LONG: return take_one_string(j, p, put_int64);
    case SPECIAL_DOUBLE: return take_one_string(j, p, put_double);
    case SPECIAL_DECIMAL: return take_one_string(j, p, put_decimal);
    case SPECIAL_OID: return take_one_string(j, p, put_oid);
    case SPECIAL_UUID: return take_one_string(j, p, put_uuid);
    case SPECIAL_SYMBOL: return take_symbol(j, p);
    case SPECIAL_BINARY: return take_binary(j, p);
    case SPECIAL_DATE: return take_date(j, p);
    case SPECIAL_REGEX: return take_regex(j, p);
    case SPECIAL_TIMESTAMP: return take_timestamp(j, p);
    case SPECIAL_UNDEFINED: return take_undefined(j, p);
    case SPECIAL_DBPOINTER: return take_dbpointer(j, p);
    case SPECIAL_MINKEY: return take_one(j, p, BSN_TYPE_MINKEY);
    default: return take_one(j, p, BSN_TYPE_MAXKEY);
    }
}

static bsni_object object_of(bsni_token token)
{
    return token == TOKEN_OK ? OBJECT_WRAPPER : token == TOKEN_MORE ? OBJECT_MORE : OBJECT_FAILED;
}

/* A key that may make a wrapper. The text's faults are left to whoever reads it as a document's. */
static bool may_be_special(const uint8_t *p)
{
    return *p == '$' || *p == '\\';
}

bsni_object bsni_parse_object(bsn_json_parser *j)
{
    static const char detail[] = "a key in double quotes or '}' was expected";
    const uint8_t *p = j->cur + 1;
    bsni_slot key;
    bsni_token token = bsni_wrapper_look(j, &p, detail);
    if (token != TOKEN_OK) return object_of(token);
    if (*p != '"') return OBJECT_DOCUMENT;
    if (p + 1 == j->end) return object_of(bsni_parse_short(j, "the rest of a string"));
    if (!may_be_special(p + 1)) return OBJECT_DOCUMENT;
    j->unescaped.len = 0;
    const uint8_t *first = p;
    token = bsni_parse_slot(j, &p, TEXT_KEY, &key);
    if (token != TOKEN_OK) return object_of(token);
    const bsni_special id = bsni_special_key(bsni_slot_text(j, &key));
    if (j->legacy) {
        const bsni_object legacy = bsni_legacy_object(j, first);
        if (legacy != OBJECT_DOCUMENT) return legacy;
    }
    if (id == SPECIAL_NONE) return OBJECT_DOCUMENT;
    token = bsni_wrapper_expect(j, &p, ':', "':' was expected");
    if (token != TOKEN_OK) return object_of(token);
    if (id == SPECIAL_CODE) return take_code(j, &p);
    if (id == SPECIAL_SCOPE) return take_scope(j, &p);
    token = take_wrapper(j, &p, id);
    if (token == TOKEN_OK) j->cur = p;
    return object_of(token);
}
