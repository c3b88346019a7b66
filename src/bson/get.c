/* SPDX-License-Identifier: Apache-2.0
 *
 * get.c -- typed getters: the strict family reads one type, the coercing one whatever equals the value asked for.
 */
#include <bsonic/get.h>

#include "base/whole.h"

#include <bsonic/detail/le.h>

#include <string.h>

/* ------------------------------------------------------------------ strict */

static bool is(const bsn_iter *it, bsn_type type)
{
    return bsn_iter_type(it) == type;
}

bsn_status bsn_get_double(const bsn_iter *it, double *value)
{
    if (!is(it, BSN_TYPE_DOUBLE)) return BSN_E_MISMATCH;
    bsn_load_f64_to(it->value, value);
    return BSN_OK;
}

bsn_status bsn_get_int32(const bsn_iter *it, int32_t *value)
{
    if (!is(it, BSN_TYPE_INT32)) return BSN_E_MISMATCH;
    *value = bsn_load_i32(it->value);
    return BSN_OK;
}

static bsn_status get_eight(const bsn_iter *it, bsn_type type, int64_t *value)
{
    if (!is(it, type)) return BSN_E_MISMATCH;
    *value = bsn_load_i64(it->value);
    return BSN_OK;
}

bsn_status bsn_get_int64(const bsn_iter *it, int64_t *value)
{
    return get_eight(it, BSN_TYPE_INT64, value);
}

bsn_status bsn_get_date(const bsn_iter *it, int64_t *milliseconds)
{
    return get_eight(it, BSN_TYPE_DATE, milliseconds);
}

bsn_status bsn_get_boolean(const bsn_iter *it, bool *value)
{
    if (!is(it, BSN_TYPE_BOOLEAN)) return BSN_E_MISMATCH;
    *value = *it->value != 0;
    return BSN_OK;
}

static bsn_status get_text(const bsn_iter *it, bsn_type type, bsn_str *value)
{
    if (!is(it, type)) return BSN_E_MISMATCH;
    *value = bsn_iter_value(it).as.str;
    return BSN_OK;
}

bsn_status bsn_get_string(const bsn_iter *it, bsn_str *value)
{
    return get_text(it, BSN_TYPE_STRING, value);
}

bsn_status bsn_get_code(const bsn_iter *it, bsn_str *value)
{
    return get_text(it, BSN_TYPE_CODE, value);
}

bsn_status bsn_get_symbol(const bsn_iter *it, bsn_str *value)
{
    return get_text(it, BSN_TYPE_SYMBOL, value);
}

static bsn_status get_container(const bsn_iter *it, bsn_type type, bsn_doc *value)
{
    if (!is(it, type)) return BSN_E_MISMATCH;
    *value = bsn_iter_value(it).as.doc;
    return BSN_OK;
}

bsn_status bsn_get_document(const bsn_iter *it, bsn_doc *value)
{
    return get_container(it, BSN_TYPE_DOCUMENT, value);
}

bsn_status bsn_get_array(const bsn_iter *it, bsn_doc *value)
{
    return get_container(it, BSN_TYPE_ARRAY, value);
}

bsn_status bsn_get_binary(const bsn_iter *it, bsn_bytes *value, uint8_t *subtype)
{
    if (!is(it, BSN_TYPE_BINARY)) return BSN_E_MISMATCH;
    const bsn_value any = bsn_iter_value(it);
    *value = any.as.binary;
    if (subtype != NULL) *subtype = any.subtype;
    return BSN_OK;
}

bsn_status bsn_get_oid(const bsn_iter *it, bsn_oid *value)
{
    if (!is(it, BSN_TYPE_OID)) return BSN_E_MISMATCH;
    memcpy(value->bytes, it->value, sizeof value->bytes);
    return BSN_OK;
}

bsn_status bsn_get_regex(const bsn_iter *it, bsn_regex *value)
{
    if (!is(it, BSN_TYPE_REGEX)) return BSN_E_MISMATCH;
    *value = bsn_iter_value(it).as.regex;
    return BSN_OK;
}

bsn_status bsn_get_dbpointer(const bsn_iter *it, bsn_dbpointer *value)
{
    if (!is(it, BSN_TYPE_DBPOINTER)) return BSN_E_MISMATCH;
    *value = bsn_iter_value(it).as.dbpointer;
    return BSN_OK;
}

bsn_status bsn_get_code_scope(const bsn_iter *it, bsn_code_scope *value)
{
    if (!is(it, BSN_TYPE_CODE_SCOPE)) return BSN_E_MISMATCH;
    *value = bsn_iter_value(it).as.code_scope;
    return BSN_OK;
}

bsn_status bsn_get_timestamp(const bsn_iter *it, bsn_timestamp *value)
{
    if (!is(it, BSN_TYPE_TIMESTAMP)) return BSN_E_MISMATCH;
    *value = bsn_iter_value(it).as.timestamp;
    return BSN_OK;
}

bsn_status bsn_get_decimal128(const bsn_iter *it, bsn_decimal128 *value)
{
    if (!is(it, BSN_TYPE_DECIMAL128)) return BSN_E_MISMATCH;
    *value = bsn_iter_value(it).as.decimal;
    return BSN_OK;
}

/* ------------------------------------------------------------------ coercing */

/* One more digit, towards negative, where the range reaches one further. */
static bool push_digit(int64_t *negative, char digit)
{
    const int64_t units = digit - '0';
    if (*negative < (INT64_MIN + units) / 10) return false;
    *negative = *negative * 10 - units;
    return true;
}

/* The exponent behind an E: at most four digits, as bsn_decimal128_to_text writes it. */
static int text_exponent(const char *text, size_t len)
{
    int exponent = 0;
    for (size_t i = 1; i < len; i++) exponent = exponent * 10 + (text[i] - '0');
    return text[0] == '-' ? -exponent : exponent;
}

/* A decimal by its text: digits, of which those behind point and exponent must be zeros. */
static bsn_status whole_decimal(bsn_decimal128 decimal, int64_t *value)
{
    char text[BSN_DECIMAL128_TEXT_MAX];
    const size_t len = bsn_decimal128_to_text(decimal, text);
    const char *e = memchr(text, 'E', len);
    const size_t front = e != NULL ? (size_t)(e - text) : len;
    const char *point = memchr(text, '.', front);
    const size_t sign = text[0] == '-' ? 1 : 0;
    int places = (int)((point != NULL ? (size_t)(point - text) : front) -
                       sign); /* digits of the whole part */
    int64_t negative = 0;
    if (text[sign] < '0' || text[sign] > '9') return BSN_E_RANGE; /* NaN, Infinity */
    if (e != NULL) places += text_exponent(e + 1, len - front - 1);
    for (size_t i = sign; i < front; i++) {
        if (text[i] == '.') continue;
        if (places > 0 ? !push_digit(&negative, text[i]) : text[i] != '0') return BSN_E_RANGE;
        places--;
    }
    for (; places > 0 && negative != 0; places--) {
        if (!push_digit(&negative, '0')) return BSN_E_RANGE;
    }
    if (sign == 0 && negative == INT64_MIN) return BSN_E_RANGE;
    *value = sign == 0 ? -negative : negative;
    return BSN_OK;
}

bsn_status bsn_as_int64(const bsn_iter *it, int64_t *value)
{
    const bsn_value any = bsn_iter_value(it);
    switch (any.type) {
    case BSN_TYPE_INT32: *value = any.as.i32; return BSN_OK;
    case BSN_TYPE_INT64: *value = any.as.i64; return BSN_OK;
    case BSN_TYPE_DOUBLE: return bsni_whole_double(any.as.f64, value) ? BSN_OK : BSN_E_RANGE;
    case BSN_TYPE_DECIMAL128: return whole_decimal(any.as.decimal, value);
    default: return BSN_E_MISMATCH;
    }
}

bsn_status bsn_as_int32(const bsn_iter *it, int32_t *value)
{
    int64_t wide;
    const bsn_status status = bsn_as_int64(it, &wide);
    if (status != BSN_OK) return status;
    if (wide < INT32_MIN || wide > INT32_MAX) return BSN_E_RANGE;
    *value = (int32_t)wide;
    return BSN_OK;
}

bsn_status bsn_as_double(const bsn_iter *it, double *value)
{
    const bsn_value any = bsn_iter_value(it);
    int64_t back;
    switch (any.type) {
    case BSN_TYPE_DOUBLE:
        memcpy(value, &any.as.f64, sizeof *value);
        return BSN_OK; /* as le.h says */
    case BSN_TYPE_INT32: *value = any.as.i32; return BSN_OK;
    case BSN_TYPE_INT64:
        if (!bsni_whole_double((double)any.as.i64, &back) || back != any.as.i64) return BSN_E_RANGE;
        *value = (double)any.as.i64;
        return BSN_OK;
    default: return BSN_E_MISMATCH;
    }
}

/* A decimal is zero when its text has no other digit in front of its exponent; NaN and Infinity have none at all. */
static bool decimal_is_zero(bsn_decimal128 decimal)
{
    char text[BSN_DECIMAL128_TEXT_MAX];
    const size_t len = bsn_decimal128_to_text(decimal, text);
    for (size_t i = 0; i < len && text[i] != 'E'; i++) {
        if (text[i] != '0' && text[i] != '.' && text[i] != '-') return false;
    }
    return true;
}

bsn_status bsn_as_boolean(const bsn_iter *it, bool *value)
{
    const bsn_value any = bsn_iter_value(it);
    switch (any.type) {
    case BSN_TYPE_BOOLEAN: *value = any.as.boolean; return BSN_OK;
    case BSN_TYPE_INT32: *value = any.as.i32 != 0; return BSN_OK;
    case BSN_TYPE_INT64: *value = any.as.i64 != 0; return BSN_OK;
    case BSN_TYPE_DOUBLE: *value = any.as.f64 != 0; return BSN_OK;
    case BSN_TYPE_DECIMAL128: *value = !decimal_is_zero(any.as.decimal); return BSN_OK;
    case BSN_TYPE_NULL:
    case BSN_TYPE_UNDEFINED: *value = false; return BSN_OK;
    default: return BSN_E_MISMATCH;
    }
}

bsn_status bsn_as_text(const bsn_iter *it, bsn_str *value)
{
    switch (bsn_iter_type(it)) {
    case BSN_TYPE_STRING:
    case BSN_TYPE_SYMBOL:
    case BSN_TYPE_CODE: *value = bsn_iter_value(it).as.str; return BSN_OK;
    default: return BSN_E_MISMATCH;
    }
}
