/* SPDX-License-Identifier: Apache-2.0
 *
 * iter.c -- the iterator's full step, its faults, and the decoding of values.
 *
 * After the last element, and after a fault, `cur` is `end` and there is no current element: the common step then comes
 * here, and here the walk stays ended.
 */
#include "bson/iter.h"

#include "base/debug.h"
#include "bson/element.h"
#include "bson/validate.h"
#include "simd/simd.h"

/* How few bytes to a container's end are looked at one by one. */
enum { NEAR_END = 32 };

/* Ends the walk, with `value` at the byte that its end is about. */
static bool end_walk(bsn_iter *it, bsn_status status, const uint8_t *at)
{
    it->status = (uint8_t)status;
    it->value = at;
    it->cur = it->end;
    it->key_len = 0;
    it->type = BSN_TYPE_NONE;
    return false;
}

/* Judges the element at `cur`, the frame of a container included. */
static bsn_status read_element(const bsn_iter *it, bsni_element *element)
{
    const bsn_status status = bsni_element_read(it->cur, it->end, false, element);
    if (status != BSN_OK || element->container == NULL || element->next[-1] == 0) return status;
    return bsni_validate_unended(element->container, element->next, it->depth + 1u, it->depth_max,
                                 &element->fault);
}

bool bsni_iter_next_judged(bsn_iter *it)
{
    if (it->status != BSN_OK) return false;
    if (it->cur == it->end) return end_walk(it, BSN_OK, it->end);
    bsni_element element;
    const bsn_status status = read_element(it, &element);
    if (status != BSN_OK) return end_walk(it, status, element.fault);
    it->cur = element.next;
    it->value = element.value;
    it->key_len = element.key_len;
    it->type = element.type;
    return true;
}

/* Most elements that come here stand too near the end of the outermost document for a word, and are common otherwise. */
bool bsn_iter_next_slow(bsn_iter *it)
{
    const uint8_t *at = it->cur;
    const size_t left = (size_t)(it->end - at);
    if (left > 0 && left < NEAR_END) {
        const uint8_t *zero = at + 1;
        while (zero < it->end && *zero != 0) zero++;
        if (bsn_iter_pass(it, at, zero)) return true;
    }
    return bsni_iter_next_judged(it);
}

bool bsn_iter_step(bsn_iter *it)
{
    return bsn_iter_next(it);
}

bsn_status bsn_iter_error_slow(const bsn_iter *it, bsn_error *err)
{
    const bsn_status status = (bsn_status)it->status;
    if (status == BSN_OK) return BSN_OK;
    return bsn_error_set(err, status, (uint64_t)(it->value - it->base), NULL);
}

/* The length field of the container that the current element holds, or NULL. */
static const uint8_t *current_container(const bsn_iter *it)
{
    switch (it->type) {
    case BSN_TYPE_DOCUMENT:
    case BSN_TYPE_ARRAY: return it->value;
    case BSN_TYPE_CODE_SCOPE: return bsni_element_scope(it->value);
    default: return NULL;
    }
}

bool bsn_iter_enter_slow(bsn_iter *it, bsn_iter *child)
{
    BSN_ASSERT(it != child);
    const uint8_t *container = current_container(it);
    if (container == NULL) return false;
    if (it->depth >= it->depth_max) return end_walk(it, BSN_E_DEPTH, container);
    bsn_iter_put_inside(it, container, child);
    return true;
}

/* ------------------------------------------------------------------ values
 *
 * The step has judged the element. Sizes come from its span, not from its length fields again. */

static bsn_str text_at(const uint8_t *text, size_t len)
{
    const bsn_str str = {(const char *)text, len};
    return str;
}

static bsn_oid load_oid(const uint8_t *p)
{
    bsn_oid oid;
    memcpy(oid.bytes, p, sizeof oid.bytes);
    return oid;
}

static bsn_timestamp load_timestamp(const uint8_t *p)
{
    const bsn_timestamp timestamp = {.seconds = bsn_load_u32(p + 4), .increment = bsn_load_u32(p)};
    return timestamp;
}

static bsn_decimal128 load_decimal128(const uint8_t *p)
{
    const bsn_decimal128 decimal = {.high = bsn_load_u64(p + 8), .low = bsn_load_u64(p)};
    return decimal;
}

/* int32 n, n bytes of which the last is 0x00 */
static bsn_str load_string(bsn_bytes raw)
{
    return text_at(raw.ptr + 4, raw.len - 5);
}

/* int32 n, subtype, n bytes; of subtype 02 these are another int32 and the bytes */
static bsn_bytes load_binary(bsn_bytes raw)
{
    const size_t head = raw.ptr[4] == BSN_SUBTYPE_OLD_BINARY ? 9 : 5;
    const bsn_bytes binary = {raw.ptr + head, raw.len - head};
    return binary;
}

/* pattern, 0x00, options, 0x00 */
static bsn_regex load_regex(bsn_bytes raw)
{
    const size_t pattern_len = bsni_cstring(raw.ptr, raw.len);
    const bsn_regex regex = {text_at(raw.ptr, pattern_len),
                             text_at(raw.ptr + pattern_len + 1, raw.len - pattern_len - 2)};
    return regex;
}

/* string, ObjectId */
static bsn_dbpointer load_dbpointer(bsn_bytes raw)
{
    const size_t string_len = raw.len - sizeof(bsn_oid);
    const bsn_bytes string = {raw.ptr, string_len};
    const bsn_dbpointer dbpointer = {load_string(string), load_oid(raw.ptr + string_len)};
    return dbpointer;
}

/* int32 total, string, document */
static bsn_code_scope load_code_scope(bsn_bytes raw)
{
    const uint8_t *scope = bsni_element_scope(raw.ptr);
    const bsn_bytes string = {raw.ptr + 4, (size_t)(scope - raw.ptr - 4)};
    const bsn_code_scope code_scope = {load_string(string),
                                       {scope, (size_t)(raw.ptr + raw.len - scope)}};
    return code_scope;
}

/* One case a type. */
bsn_value bsn_iter_value(const bsn_iter *it)
{
    const bsn_bytes raw = bsn_iter_raw(it);
    const uint8_t *p = raw.ptr;
    bsn_value value = {.type = (bsn_type)it->type};
    switch (value.type) {
    case BSN_TYPE_DOUBLE: bsn_load_f64_to(p, &value.as.f64); break;
    case BSN_TYPE_STRING:
    case BSN_TYPE_CODE:
    case BSN_TYPE_SYMBOL: value.as.str = load_string(raw); break;
    case BSN_TYPE_DOCUMENT:
    case BSN_TYPE_ARRAY: value.as.doc.ptr = p, value.as.doc.len = raw.len; break;
    case BSN_TYPE_BINARY: value.subtype = p[4], value.as.binary = load_binary(raw); break;
    case BSN_TYPE_OID: value.as.oid = load_oid(p); break;
    case BSN_TYPE_BOOLEAN: value.as.boolean = *p != 0; break;
    case BSN_TYPE_DATE: value.as.date = bsn_load_i64(p); break;
    case BSN_TYPE_REGEX: value.as.regex = load_regex(raw); break;
    case BSN_TYPE_DBPOINTER: value.as.dbpointer = load_dbpointer(raw); break;
    case BSN_TYPE_CODE_SCOPE: value.as.code_scope = load_code_scope(raw); break;
    case BSN_TYPE_INT32: value.as.i32 = bsn_load_i32(p); break;
    case BSN_TYPE_TIMESTAMP: value.as.timestamp = load_timestamp(p); break;
    case BSN_TYPE_INT64: value.as.i64 = bsn_load_i64(p); break;
    case BSN_TYPE_DECIMAL128: value.as.decimal = load_decimal128(p); break;
    case BSN_TYPE_NONE:
    case BSN_TYPE_UNDEFINED:
    case BSN_TYPE_NULL:
    case BSN_TYPE_MAXKEY:
    case BSN_TYPE_MINKEY: break;
    }
    return value;
}
