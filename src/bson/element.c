/* SPDX-License-Identifier: Apache-2.0
 *
 * element.c -- see element.h. Each function reads one kind of field in the order of its bytes, and its first `return` of a
 * fault is the first fault in byte order. Where a field's fault can be found only from what stands behind it (code with
 * scope, DBPointer), what stands behind it is looked at before anything between the two is judged.
 */
#include "bson/element.h"

#include "base/reader.h"
#include "simd/simd.h"

#define OID_SIZE 12

/* Code with scope: total, string length, the string's 0x00, an empty document. */
#define CODE_SCOPE_MIN 14

static bsn_status fault(bsni_element *element, bsn_status status, const uint8_t *at)
{
    element->fault = at;
    return status;
}

static bsn_status check_text(bsni_element *element, const uint8_t *text, size_t len)
{
    const size_t sound = bsni_utf8(text, len);
    return sound == len ? BSN_OK : fault(element, BSN_E_UTF8, text + sound);
}

/* A key or regex part, which lies at `text`, and *next one past its 0x00. The byte at `end` is the container's, not the
 * part's; when it is not even 0x00 that is the fault, the part's missing end following from it. */
static bsn_status read_cstring(bsni_element *element, const uint8_t *text, const uint8_t *end,
                               bool utf8, const uint8_t **next)
{
    const size_t room = (size_t)(end - text);
    const size_t len = bsni_cstring(text, room);
    if (utf8) {
        const bsn_status status = check_text(element, text, len);
        if (status != BSN_OK) return status;
    }
    if (len == room) return fault(element, *end == 0 ? BSN_E_CSTRING : BSN_E_TERMINATOR, end);
    *next = text + len + 1;
    return BSN_OK;
}

static bsn_status read_key(bsni_element *element, const uint8_t *at, const uint8_t *end, bool utf8)
{
    const bsn_status status = read_cstring(element, at + 1, end, utf8, &element->value);
    if (status != BSN_OK) return status;
    element->key_len = (uint32_t)(element->value - at - 2); /* below 2^31, as the document is */
    return BSN_OK;
}

static bsn_status read_fixed(bsni_element *element, const uint8_t *end, size_t size)
{
    if (size > (size_t)(end - element->value)) return fault(element, BSN_E_SHORT, element->value);
    element->next = element->value + size;
    return BSN_OK;
}

static bsn_status read_boolean(bsni_element *element, const uint8_t *end)
{
    const bsn_status status = read_fixed(element, end, 1);
    if (status != BSN_OK) return status;
    return *element->value <= 1 ? BSN_OK : fault(element, BSN_E_BOOLEAN, element->value);
}

/* The int32 length field at `field`, `room` bytes before the end: it must be there and say `least` or more. */
static bsn_status read_length(bsni_element *element, const uint8_t *field, size_t room,
                              int32_t least, size_t *len)
{
    if (room < 4) return fault(element, BSN_E_SHORT, field);
    if (!bsn_len_from_i32(bsn_load_i32(field), least, len))
        return fault(element, BSN_E_LENGTH, field);
    return BSN_OK;
}

/* The length of a string whose length field, text and 0x00 have `room` bytes. */
static bsn_status read_string_length(bsni_element *element, const uint8_t *field, size_t room,
                                     size_t *len)
{
    const bsn_status status = read_length(element, field, room, 1, len);
    if (status != BSN_OK) return status;
    return *len <= room - 4 ? BSN_OK : fault(element, BSN_E_LENGTH, field);
}

/* The text of a string of `len` bytes with its 0x00. */
static bsn_status check_string(bsni_element *element, const uint8_t *text, size_t len, bool utf8)
{
    if (utf8) {
        const bsn_status status = check_text(element, text, len - 1);
        if (status != BSN_OK) return status;
    }
    return text[len - 1] == 0 ? BSN_OK : fault(element, BSN_E_TERMINATOR, text + len - 1);
}

static bsn_status read_string(bsni_element *element, const uint8_t *end, bool utf8)
{
    const uint8_t *value = element->value;
    size_t len;
    const bsn_status status = read_string_length(element, value, (size_t)(end - value), &len);
    if (status != BSN_OK) return status;
    element->next = value + 4 + len;
    return check_string(element, value + 4, len, utf8);
}

/* The ObjectId behind the string cannot be blamed for its length, so a value too short for it is the value's fault. */
static bsn_status read_dbpointer(bsni_element *element, const uint8_t *end, bool utf8)
{
    const uint8_t *value = element->value;
    const size_t room = (size_t)(end - value);
    size_t len;
    const bsn_status status = read_string_length(element, value, room, &len);
    if (status != BSN_OK) return status;
    if (room - 4 - len < OID_SIZE) return fault(element, BSN_E_SHORT, value);
    element->next = value + 4 + len + OID_SIZE;
    return check_string(element, value + 4, len, utf8);
}

static bsn_status read_container(bsni_element *element, const uint8_t *end)
{
    const uint8_t *value = element->value;
    const size_t room = (size_t)(end - value);
    size_t len;
    const bsn_status status = read_length(element, value, room, BSN_DOC_SIZE_MIN, &len);
    if (status != BSN_OK) return status;
    if (len > room) return fault(element, BSN_E_LENGTH, value);
    element->container = value;
    element->next = value + len;
    return BSN_OK;
}

/* Subtype 02 is judged at its inner length where there is one, else at the outer one, which leaves no room for it. */
static bsn_status check_old_binary(bsni_element *element, size_t len)
{
    const uint8_t *inner = element->value + 5;
    if (len < 4) return fault(element, BSN_E_BINARY, element->value);
    const bool fits = bsn_load_u32(inner) == len - 4;
    return fits ? BSN_OK : fault(element, BSN_E_BINARY, inner);
}

/* A subtype that the document has no byte left for is counted as part of the length that does not fit. */
static bsn_status read_binary(bsni_element *element, const uint8_t *end)
{
    const uint8_t *value = element->value;
    const size_t room = (size_t)(end - value);
    size_t len;
    const bsn_status status = read_length(element, value, room, 0, &len);
    if (status != BSN_OK) return status;
    if (len >= room - 4) return fault(element, BSN_E_LENGTH, value);
    element->next = value + 5 + len;
    return value[4] == BSN_SUBTYPE_OLD_BINARY ? check_old_binary(element, len) : BSN_OK;
}

static bsn_status read_regex(bsni_element *element, const uint8_t *end, bool utf8)
{
    const uint8_t *options;
    const bsn_status status = read_cstring(element, element->value, end, utf8, &options);
    if (status != BSN_OK) return status;
    return read_cstring(element, options, end, utf8, &element->next);
}

/* | int32 total | int32 len | text ... 00 | int32 scope_len ... 00 |   total = 4 + 4 + len + scope_len
 * The least scope is 5 bytes, so where the sum is right scope_len is at least 5: it has no fault of its own. */
static bsn_status read_code_scope(bsni_element *element, const uint8_t *end, bool utf8)
{
    const uint8_t *value = element->value;
    const size_t room = (size_t)(end - value);
    size_t total, len;
    bsn_status status = read_length(element, value, room, CODE_SCOPE_MIN, &total);
    if (status != BSN_OK) return status;
    if (total > room) return fault(element, BSN_E_LENGTH, value);
    status = read_string_length(element, value + 4, total - 4 - BSN_DOC_SIZE_MIN, &len);
    if (status != BSN_OK) return status;
    const uint8_t *scope = value + 8 + len;
    if (bsn_load_u32(scope) != total - 8 - len) return fault(element, BSN_E_CODE_SCOPE, value);
    element->container = scope;
    element->next = value + total;
    return check_string(element, value + 8, len, utf8);
}

/* The value behind the key. One case a type. */
static bsn_status read_value(bsni_element *element, const uint8_t *end, bool utf8)
{
    switch ((bsn_type)element->type) {
    case BSN_TYPE_UNDEFINED:
    case BSN_TYPE_NULL:
    case BSN_TYPE_MAXKEY:
    case BSN_TYPE_MINKEY: return read_fixed(element, end, 0);
    case BSN_TYPE_INT32: return read_fixed(element, end, 4);
    case BSN_TYPE_DOUBLE:
    case BSN_TYPE_DATE:
    case BSN_TYPE_TIMESTAMP:
    case BSN_TYPE_INT64: return read_fixed(element, end, 8);
    case BSN_TYPE_OID: return read_fixed(element, end, OID_SIZE);
    case BSN_TYPE_DECIMAL128: return read_fixed(element, end, 16);
    case BSN_TYPE_BOOLEAN: return read_boolean(element, end);
    case BSN_TYPE_STRING:
    case BSN_TYPE_CODE:
    case BSN_TYPE_SYMBOL: return read_string(element, end, utf8);
    case BSN_TYPE_DOCUMENT:
    case BSN_TYPE_ARRAY: return read_container(element, end);
    case BSN_TYPE_BINARY: return read_binary(element, end);
    case BSN_TYPE_REGEX: return read_regex(element, end, utf8);
    case BSN_TYPE_DBPOINTER: return read_dbpointer(element, end, utf8);
    case BSN_TYPE_CODE_SCOPE: return read_code_scope(element, end, utf8);
    case BSN_TYPE_NONE: break;
    }
    return fault(element, BSN_E_TYPE, element->value);
}

bsn_status bsni_element_read(const uint8_t *at, const uint8_t *end, bool utf8,
                             bsni_element *element)
{
    if (!bsn_type_known(*at)) return fault(element, BSN_E_TYPE, at);
    element->type = *at;
    element->container = NULL;
    const bsn_status status = read_key(element, at, end, utf8);
    if (status != BSN_OK) return status;
    return read_value(element, end, utf8);
}

/* Two cstrings and nothing else. (read_regex wants the byte behind them to be there, as in a document.) */
static bool is_regex(bsn_bytes raw)
{
    const size_t pattern = bsni_cstring(raw.ptr, raw.len);
    if (pattern == raw.len) return false;
    const size_t rest = raw.len - pattern - 1;
    return rest != 0 && bsni_cstring(raw.ptr + pattern + 1, rest) == rest - 1;
}

bool bsni_value_is_sound(uint8_t type, bsn_bytes raw)
{
    static const uint8_t nothing[1];
    bsni_element element = {.value = raw.len == 0 ? nothing : raw.ptr, .type = type};
    if (type == BSN_TYPE_REGEX) return is_regex(raw);
    const uint8_t *end = element.value + raw.len;
    if (read_value(&element, end, false) != BSN_OK || element.next != end) return false;
    return element.container == NULL || end[-1] == 0;
}

const uint8_t *bsni_element_scope(const uint8_t *value)
{
    return value + 8 + bsn_load_u32(value + 4);
}
