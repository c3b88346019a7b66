/* SPDX-License-Identifier: Apache-2.0
 *
 * call.c -- see call.h: refusals, and the reading of a command's fields.
 */
#include "serve/call.h"

#include <bsonic/get.h>
#include <bsonic/io.h>
#include <bsonic/validate.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ refusals */

/* Names come from outside: whatever they hold, the reply's text is UTF-8. */
static void make_utf8(char *text, size_t len)
{
    size_t at = 0;
    while (at < len) {
        const bsn_str rest = {text + at, len - at};
        size_t sound = 0;
        if (bsn_utf8_valid(rest, &sound)) return;
        at += sound;
        text[at++] = '?';
    }
}

bool serve_refuse(serve_call *call, serve_code code, const char *format, ...)
{
    va_list arguments;
    if (call->code != 0) return false;
    va_start(arguments, format);
    const int len = vsnprintf(call->text, sizeof call->text, format, arguments);
    va_end(arguments);
    call->code = code;
    call->text_len = len < 0 ? 0 : (size_t)len;
    if (call->text_len >= sizeof call->text) call->text_len = sizeof call->text - 1;
    make_utf8(call->text, call->text_len);
    return false;
}

bool serve_refuse_damage(serve_call *call, const serve_collection *c, serve_place place,
                         const bsn_error *err)
{
    char os_text[BSN_OS_TEXT_MAX], text[BSN_ERROR_TEXT_MAX];
    char number[sizeof "document 18446744073709551615"] = "a document";
    if (err->status == BSN_E_IO) {
        const char *why = err->detail != NULL ? err->detail : bsn_os_text(err->os_error, os_text);
        return serve_refuse(call, SERVE_INTERNAL, "%s: %s", c->ns, why);
    }
    if (err->status == BSN_E_TIMEOUT) {
        return serve_refuse(call, SERVE_TIME_EXPIRED, "operation exceeded time limit");
    }
    if (err->status == BSN_E_NOMEM) {
        return serve_refuse(call, SERVE_INTERNAL, "%s: %s", c->ns, bsn_status_text(err->status));
    }
    if (place.number != SERVE_NUMBER_UNKNOWN) {
        snprintf(number, sizeof number, "document %" PRIu64, place.number + 1);
    }
    return serve_refuse(call, SERVE_INTERNAL, "%s: %s at byte %" PRIu64 " is damaged: %s", c->ns,
                        number, place.offset + err->offset, bsn_error_text(err, text));
}

/* ------------------------------------------------------------------ fields */

bool serve_read_collection(serve_call *call, bsn_str *name)
{
    const serve_request *const request = call->request;
    if (request->value.type != BSN_TYPE_STRING) {
        return serve_refuse(call, SERVE_INVALID_NAMESPACE, "collection name has invalid type %s",
                            bsn_type_name((uint8_t)request->value.type));
    }
    *name = request->value.as.str;
    if (!serve_collection_name_sound(*name) || request->db.len + 1 + name->len > SERVE_NS_MAX) {
        return serve_refuse(call, SERVE_INVALID_NAMESPACE,
                            "Invalid namespace specified '%.*s.%.*s'", SERVE_TEXT(request->db),
                            SERVE_TEXT(*name));
    }
    return true;
}

static bool wrong_type(serve_call *call, const bsn_iter *it, const char *expected)
{
    const bsn_str key = bsn_iter_key(it);
    return serve_refuse(call, SERVE_TYPE_MISMATCH,
                        "BSON field '%.*s.%.*s' is the wrong type '%s', expected type '%s'",
                        SERVE_TEXT(call->request->name), SERVE_TEXT(key),
                        bsn_type_name((uint8_t)bsn_iter_type(it)), expected);
}

static bool not_implemented(serve_call *call, const bsn_iter *it)
{
    const bsn_str key = bsn_iter_key(it);
    return serve_refuse(call, SERVE_NOT_IMPLEMENTED, "'%.*s' is not implemented here",
                        SERVE_TEXT(key));
}

static bool read_integer(serve_call *call, const bsn_iter *it, bool negative_too, int64_t *number)
{
    const bsn_str key = bsn_iter_key(it);
    if (bsn_as_int64(it, number) != BSN_OK) {
        return wrong_type(call, it, "[long, int, decimal, double]");
    }
    if (*number < 0 && !negative_too) {
        return serve_refuse(call, SERVE_NEGATIVE,
                            "BSON field '%.*s' value must be >= 0, actual value '%" PRId64 "'",
                            SERVE_TEXT(key), *number);
    }
    return true;
}

/* {} or {locale: "simple"}: comparing byte by byte, as is done anyway. */
static bool is_simple_collation(bsn_doc collation)
{
    bsn_value locale;
    if (bsn_doc_is_empty(collation)) return true;
    return bsn_find_value(collation, BSN_STR("locale"), &locale, NULL) == BSN_OK &&
           locale.type == BSN_TYPE_STRING && bsn_str_equal(locale.as.str, BSN_STR("simple"));
}

/* {} and {$natural: 1} are the order that documents come in. */
static bool read_sort(serve_call *call, const bsn_iter *field, bsn_doc sort)
{
    bsn_iter it;
    bool natural = true;
    bsn_iter_init(&it, sort);
    while (bsn_iter_next(&it)) {
        int64_t direction = 0;
        if (bsn_iter_type(&it) != BSN_TYPE_DOCUMENT &&
            (bsn_as_int64(&it, &direction) != BSN_OK || (direction != 1 && direction != -1))) {
            return serve_refuse(
                call, SERVE_BAD_SORT,
                "$sort key ordering must be 1 (for ascending) or -1 (for descending)");
        }
        natural = natural && bsn_iter_key_is(&it, BSN_STR("$natural")) && direction == 1;
    }
    return natural || not_implemented(call, field);
}

static bool read_document(serve_call *call, const bsn_iter *it, serve_kind kind, bsn_doc doc)
{
    switch (kind) {
    case SERVE_SORT: return read_sort(call, it, doc);
    case SERVE_EMPTY: return bsn_doc_is_empty(doc) || not_implemented(call, it);
    case SERVE_COLLATION: return is_simple_collation(doc) || not_implemented(call, it);
    default: return true;
    }
}

/* Takes the field's value, which is to be of this kind. */
static bool read_value(serve_call *call, const bsn_iter *it, serve_kind kind, serve_given *given)
{
    const bsn_type type = bsn_iter_type(it);
    bool truth = false;
    given->given = true;
    given->value = bsn_iter_value(it);
    switch (kind) {
    case SERVE_ANY: return true;
    case SERVE_COUNT: return read_integer(call, it, false, &given->number);
    case SERVE_INTEGER: return read_integer(call, it, true, &given->number);
    case SERVE_INT64:
        return bsn_get_int64(it, &given->number) == BSN_OK || wrong_type(call, it, "long");
    case SERVE_BOOLEAN:
    case SERVE_FALSE:
        if (bsn_as_boolean(it, &truth) != BSN_OK) {
            return wrong_type(call, it, "[bool, long, int, decimal, double]");
        }
        given->number = truth;
        return kind == SERVE_BOOLEAN || !truth || not_implemented(call, it);
    case SERVE_STRING: return type == BSN_TYPE_STRING || wrong_type(call, it, "string");
    case SERVE_ARRAY: return type == BSN_TYPE_ARRAY || wrong_type(call, it, "array");
    case SERVE_DOCUMENT:
    case SERVE_EMPTY:
    case SERVE_COLLATION:
    case SERVE_SORT: break;
    }
    if (type != BSN_TYPE_DOCUMENT) return wrong_type(call, it, "object");
    return read_document(call, it, kind, given->value.as.doc);
}

/* maxTimeMS: reading files must have ended by then; 0 is no limit. */
static bool read_deadline(serve_call *call, const bsn_iter *it)
{
    serve_given given;
    if (!read_value(call, it, SERVE_COUNT, &given)) return false;
    const uint64_t now = bsn_clock_monotonic_ns(), limit = (uint64_t)given.number;
    if (limit > 0 && limit < (UINT64_MAX - now) / 1000000u) {
        call->state->window.deadline_ns = now + limit * 1000000u;
    }
    return true;
}

static bool read_api_version(serve_call *call, const bsn_iter *it)
{
    bsn_str version;
    if (bsn_get_string(it, &version) == BSN_OK && bsn_str_equal(version, BSN_STR("1"))) return true;
    return serve_refuse(call, SERVE_API_VERSION, "API version must be \"1\"");
}

/* Fields that every command takes: about sessions, where to read, how to confirm. None of them changes what is answered here. */
static bool read_common(serve_call *call, const bsn_iter *it)
{
    static const serve_field fields[] = {
        {"lsid", SERVE_DOCUMENT},
        {"txnNumber", SERVE_INT64},
        {"comment", SERVE_ANY},
        {"readConcern", SERVE_DOCUMENT},
        {"writeConcern", SERVE_DOCUMENT},
        {"apiStrict", SERVE_BOOLEAN},
        {"apiDeprecationErrors", SERVE_BOOLEAN},
        {"maxAwaitTimeMS", SERVE_COUNT},
    };
    const bsn_str key = bsn_iter_key(it);
    serve_given unused;
    if (key.len > 0 && key.ptr[0] == '$') return true;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (bsn_str_equal(bsn_str_from(fields[i].name), key)) {
            return read_value(call, it, fields[i].kind, &unused);
        }
    }
    if (bsn_str_equal(key, BSN_STR("maxTimeMS"))) return read_deadline(call, it);
    if (bsn_str_equal(key, BSN_STR("apiVersion"))) return read_api_version(call, it);
    if (bsn_str_equal(key, BSN_STR("startTransaction")) ||
        bsn_str_equal(key, BSN_STR("autocommit"))) {
        return serve_refuse(call, SERVE_NO_TRANSACTIONS, "there are no transactions here");
    }
    return serve_refuse(call, SERVE_FIELD_UNKNOWN, "BSON field '%.*s.%.*s' is an unknown field.",
                        SERVE_TEXT(call->request->name), SERVE_TEXT(key));
}

static bool read_field(serve_call *call, const bsn_iter *it, const serve_field *fields,
                       size_t count, serve_given *given)
{
    const bsn_str key = bsn_iter_key(it);
    for (size_t i = 0; i < count; i++) {
        if (!bsn_str_equal(bsn_str_from(fields[i].name), key)) continue;
        /* null stands for a field that is not there, as drivers send it */
        if (bsn_iter_type(it) == BSN_TYPE_NULL && fields[i].kind != SERVE_ANY) return true;
        return read_value(call, it, fields[i].kind, &given[i]);
    }
    return read_common(call, it);
}

bool serve_read_fields(serve_call *call, const serve_field *fields, size_t count,
                       serve_given *given)
{
    bsn_iter it;
    bsn_iter_init(&it, call->request->body);
    for (size_t i = 0; i < count; i++) given[i].given = false;
    if (!bsn_iter_next(&it)) return true; /* the command's name */
    while (bsn_iter_next(&it)) {
        if (!read_field(call, &it, fields, count, given)) return false;
    }
    return true; /* the request was walked before: there is no fault */
}
