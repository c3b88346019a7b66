/* SPDX-License-Identifier: Apache-2.0
 *
 * write_raw.c -- what was BSON before: documents, raw values, and values of any type. Sizes are judged before the bytes are looked
 * at, and frames before the bytes are copied: a caller's span may be wrong in either.
 */
#include "bson/element.h"
#include "bson/write_put.h"

#include <bsonic/detail/len.h>

/* An element of bytes that are ready, which are at most 2^31-1. */
static void put_ready(bsn_writer *w, bsn_type type, bsn_str key, bsn_bytes bytes)
{
    uint8_t *to = NULL;
    if (bytes.len <= WRITER_FAST_MAX) to = writer_begin_fast(w, type, key, bytes.len);
    if (BSN_LIKELY(to != NULL)) {
        put_bytes(to, bytes.ptr, bytes.len);
        writer_end_value(w, to + bytes.len);
        return;
    }
    to = bsni_writer_begin_slow(w, type, key, 0, bytes.len);
    if (to == NULL) return;
    writer_end_value(w, to);
    bsn_out_append(w->out, bytes.ptr, bytes.len);
}

void bsn_writer_raw(bsn_writer *w, bsn_str key, bsn_type type, bsn_bytes raw)
{
    if (!bsni_writer_accepts(w, key, raw.len)) return;
    if (type != (uint8_t)type || !bsni_value_is_sound((uint8_t)type, raw)) {
        bsni_writer_fail(w, BSN_E_VALUE);
        return;
    }
    put_ready(w, type, key, raw);
}

static bsn_bytes bytes_of(bsn_doc doc)
{
    const bsn_bytes bytes = {doc.ptr, doc.len};
    return bytes;
}

void bsn_writer_document(bsn_writer *w, bsn_str key, bsn_doc value)
{
    bsn_writer_raw(w, key, BSN_TYPE_DOCUMENT, bytes_of(value));
}

void bsn_writer_array(bsn_writer *w, bsn_str key, bsn_doc value)
{
    bsn_writer_raw(w, key, BSN_TYPE_ARRAY, bytes_of(value));
}

void bsn_writer_code_scope(bsn_writer *w, bsn_str key, bsn_str code, bsn_doc scope)
{
    size_t tail_len;
    if (!bsn_len_add(code.len, scope.len, &tail_len) || !bsn_len_add(tail_len, 1, &tail_len))
        tail_len = SIZE_MAX;
    if (!bsni_writer_accepts(w, key, tail_len)) return;
    if (!bsni_value_is_sound(BSN_TYPE_DOCUMENT, bytes_of(scope))) {
        bsni_writer_fail(w, BSN_E_VALUE);
        return;
    }
    uint8_t *head = bsni_writer_begin_slow(w, BSN_TYPE_CODE_SCOPE, key, 8, tail_len);
    if (head == NULL) return;
    bsn_store_u32(head, (uint32_t)(8 + tail_len));
    bsn_store_u32(head + 4, (uint32_t)code.len + 1);
    writer_end_value(w, head + 8);
    bsn_out_append(w->out, code.ptr, code.len);
    bsn_out_append(w->out, "", 1);
    bsn_out_append(w->out, scope.ptr, scope.len);
}

void bsn_writer_splice(bsn_writer *w, bsn_doc doc)
{
    if (w->mode != WRITER_OUTSIDE) {
        bsni_writer_fail(w, BSN_E_STATE);
    } else if (doc.len > BSN_DOC_SIZE_MAX) {
        bsni_writer_fail(w, BSN_E_SIZE);
    } else if (!bsni_value_is_sound(BSN_TYPE_DOCUMENT, bytes_of(doc))) {
        bsni_writer_fail(w, BSN_E_VALUE);
    } else {
        bsn_out_append_ref(w->out, bytes_of(doc));
    }
}

/* By its bits: a register of x87 would make a signalling NaN quiet. */
static void append_double(bsn_writer *w, bsn_str key, const double *value)
{
    uint8_t bytes[8];
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    bsn_store_u64(bytes, bits);
    bsn_writer_raw(w, key, BSN_TYPE_DOUBLE, (bsn_bytes){bytes, sizeof bytes});
}

/* One case a type. */
void bsn_writer_value(bsn_writer *w, bsn_str key, const bsn_value *value)
{
    switch (value->type) {
    case BSN_TYPE_DOUBLE: append_double(w, key, &value->as.f64); return;
    case BSN_TYPE_STRING: bsn_writer_string(w, key, value->as.str); return;
    case BSN_TYPE_DOCUMENT: bsn_writer_document(w, key, value->as.doc); return;
    case BSN_TYPE_ARRAY: bsn_writer_array(w, key, value->as.doc); return;
    case BSN_TYPE_BINARY: bsn_writer_binary(w, key, value->subtype, value->as.binary); return;
    case BSN_TYPE_UNDEFINED: bsn_writer_undefined(w, key); return;
    case BSN_TYPE_OID: bsn_writer_oid(w, key, &value->as.oid); return;
    case BSN_TYPE_BOOLEAN: bsn_writer_boolean(w, key, value->as.boolean); return;
    case BSN_TYPE_DATE: bsn_writer_date(w, key, value->as.date); return;
    case BSN_TYPE_NULL: bsn_writer_null(w, key); return;
    case BSN_TYPE_REGEX:
        bsn_writer_regex(w, key, value->as.regex.pattern, value->as.regex.options);
        return;
    case BSN_TYPE_DBPOINTER:
        bsn_writer_dbpointer(w, key, value->as.dbpointer.ns, &value->as.dbpointer.oid);
        return;
    case BSN_TYPE_CODE: bsn_writer_code(w, key, value->as.str); return;
    case BSN_TYPE_SYMBOL: bsn_writer_symbol(w, key, value->as.str); return;
    case BSN_TYPE_CODE_SCOPE:
        bsn_writer_code_scope(w, key, value->as.code_scope.code, value->as.code_scope.scope);
        return;
    case BSN_TYPE_INT32: bsn_writer_int32(w, key, value->as.i32); return;
    case BSN_TYPE_TIMESTAMP: bsn_writer_timestamp(w, key, value->as.timestamp); return;
    case BSN_TYPE_INT64: bsn_writer_int64(w, key, value->as.i64); return;
    case BSN_TYPE_DECIMAL128: bsn_writer_decimal128(w, key, value->as.decimal); return;
    case BSN_TYPE_MAXKEY: bsn_writer_maxkey(w, key); return;
    case BSN_TYPE_MINKEY: bsn_writer_minkey(w, key); return;
    case BSN_TYPE_NONE: break;
    }
    bsni_writer_fail(w, BSN_E_VALUE);
}
