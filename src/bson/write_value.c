/* SPDX-License-Identifier: Apache-2.0
 *
 * write_value.c -- one function for each type of element. The helpers that values of one shape share stand in front of them.
 */
#include "bson/write_put.h"

#include "simd/simd.h"

#include <bsonic/detail/len.h>

/* ------------------------------------------------------------------ fixed size */

/* The low `len` bytes of a word, len <= 8: a constant, so that this is one store. */
static inline void put_bits(bsn_writer *w, bsn_type type, bsn_str key, uint64_t bits, size_t len)
{
    uint8_t bytes[8];
    uint8_t *to = writer_begin_field(w, type, key, len);
    if (BSN_UNLIKELY(to == NULL)) {
        bsni_writer_put_rest(w, type, key, bits, len);
        return;
    }
    bsn_store_u64(bytes, bits);
    memcpy(to, bytes, len);
    writer_end_value(w, to + len);
}

static inline void put_block(bsn_writer *w, bsn_type type, bsn_str key, const uint8_t *bytes,
                             size_t len)
{
    uint8_t *to = writer_begin_field(w, type, key, len);
    if (BSN_UNLIKELY(to == NULL)) {
        bsni_writer_put_bytes_rest(w, type, key, bytes, len);
        return;
    }
    memcpy(to, bytes, len);
    writer_end_value(w, to + len);
}

void bsn_writer_undefined(bsn_writer *w, bsn_str key)
{
    put_bits(w, BSN_TYPE_UNDEFINED, key, 0, 0);
}

void bsn_writer_null(bsn_writer *w, bsn_str key)
{
    put_bits(w, BSN_TYPE_NULL, key, 0, 0);
}

void bsn_writer_minkey(bsn_writer *w, bsn_str key)
{
    put_bits(w, BSN_TYPE_MINKEY, key, 0, 0);
}

void bsn_writer_maxkey(bsn_writer *w, bsn_str key)
{
    put_bits(w, BSN_TYPE_MAXKEY, key, 0, 0);
}

void bsn_writer_boolean(bsn_writer *w, bsn_str key, bool value)
{
    put_bits(w, BSN_TYPE_BOOLEAN, key, value, 1);
}

void bsn_writer_int32(bsn_writer *w, bsn_str key, int32_t value)
{
    put_bits(w, BSN_TYPE_INT32, key, (uint32_t)value, 4);
}

void bsn_writer_int64(bsn_writer *w, bsn_str key, int64_t value)
{
    put_bits(w, BSN_TYPE_INT64, key, (uint64_t)value, 8);
}

void bsn_writer_date(bsn_writer *w, bsn_str key, int64_t milliseconds)
{
    put_bits(w, BSN_TYPE_DATE, key, (uint64_t)milliseconds, 8);
}

void bsn_writer_double(bsn_writer *w, bsn_str key, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_bits(w, BSN_TYPE_DOUBLE, key, bits, 8);
}

void bsn_writer_timestamp(bsn_writer *w, bsn_str key, bsn_timestamp value)
{
    put_bits(w, BSN_TYPE_TIMESTAMP, key, (uint64_t)value.seconds << 32 | value.increment, 8);
}

void bsn_writer_oid(bsn_writer *w, bsn_str key, const bsn_oid *value)
{
    put_block(w, BSN_TYPE_OID, key, value->bytes, sizeof value->bytes);
}

void bsn_writer_decimal128(bsn_writer *w, bsn_str key, bsn_decimal128 value)
{
    uint8_t bytes[16];
    bsn_store_u64(bytes, value.low);
    bsn_store_u64(bytes + 8, value.high);
    put_block(w, BSN_TYPE_DECIMAL128, key, bytes, sizeof bytes);
}

/* ------------------------------------------------------------------ text */

/* The length of a string with its 0x00, and of what stands beside it in the value. SIZE_MAX: more than there can be. */
static size_t text_and(size_t len, size_t more)
{
    size_t sum;
    return bsn_len_add(len, more, &sum) ? sum : SIZE_MAX;
}

static void append_text(bsn_out *out, bsn_str text)
{
    bsn_out_append(out, text.ptr, text.len);
    bsn_out_append(out, "", 1);
}

static inline void put_text(bsn_writer *w, bsn_type type, bsn_str key, bsn_str text)
{
    uint8_t *to = NULL;
    if (BSN_LIKELY(text.len <= BSN_COPY_SHORT_MAX))
        to = writer_begin_field(w, type, key, 4 + text.len + 1);
    if (BSN_UNLIKELY(to == NULL)) {
        bsni_writer_put_text_rest(w, type, key, text);
        return;
    }
    bsn_store_u32(to, (uint32_t)text.len + 1);
    bsn_copy_short(to + 4, (const uint8_t *)text.ptr, text.len);
    to[4 + text.len] = 0;
    writer_end_value(w, to + 4 + text.len + 1);
}

void bsn_writer_string(bsn_writer *w, bsn_str key, bsn_str value)
{
    put_text(w, BSN_TYPE_STRING, key, value);
}

void bsn_writer_code(bsn_writer *w, bsn_str key, bsn_str value)
{
    put_text(w, BSN_TYPE_CODE, key, value);
}

void bsn_writer_symbol(bsn_writer *w, bsn_str key, bsn_str value)
{
    put_text(w, BSN_TYPE_SYMBOL, key, value);
}

void bsn_writer_dbpointer(bsn_writer *w, bsn_str key, bsn_str ns, const bsn_oid *oid)
{
    const size_t tail_len = text_and(ns.len, 1 + sizeof oid->bytes);
    uint8_t *head = bsni_writer_begin_slow(w, BSN_TYPE_DBPOINTER, key, 4, tail_len);
    if (head == NULL) return;
    bsn_store_u32(head, (uint32_t)ns.len + 1);
    writer_end_value(w, head + 4);
    append_text(w->out, ns);
    bsn_out_append(w->out, oid->bytes, sizeof oid->bytes);
}

/* ------------------------------------------------------------------ regular expressions */

static bool has_nul(bsn_str text)
{
    return bsni_cstring((const uint8_t *)text.ptr, text.len) != text.len;
}

/* Appends the options in the order of their bytes, by counting them: any number of options in constant memory. */
static void append_sorted(bsn_out *out, bsn_str options)
{
    size_t counts[128] = {0};
    for (size_t i = 0; i < options.len; i++) counts[(uint8_t)options.ptr[i]]++;
    for (unsigned byte = 0; byte < 128; byte++) {
        const char letter = (char)byte;
        for (size_t i = 0; i < counts[byte]; i++) bsn_out_append(out, &letter, 1);
    }
}

static bool is_ascii(bsn_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((uint8_t)text.ptr[i] > 0x7F) return false;
    }
    return true;
}

void bsn_writer_regex(bsn_writer *w, bsn_str key, bsn_str pattern, bsn_str options)
{
    const size_t value_len = text_and(text_and(pattern.len, options.len), 2);
    if (!bsni_writer_accepts(w, key, value_len)) return;
    if (has_nul(pattern) || has_nul(options)) {
        bsni_writer_fail(w, BSN_E_KEY_NUL);
        return;
    }
    uint8_t *value = bsni_writer_begin_slow(w, BSN_TYPE_REGEX, key, 0, value_len);
    if (value == NULL) return;
    writer_end_value(w, value);
    append_text(w->out, pattern);
    if (options.len > 1 && is_ascii(options)) {
        append_sorted(w->out, options);
        options.len = 0;
    }
    append_text(w->out, options);
}

/* ------------------------------------------------------------------ binary */

/* int32 length, subtype, bytes; subtype 02 has its length once more in front of the bytes. */
static uint8_t *put_binary_head(uint8_t *to, uint8_t subtype, size_t len)
{
    const bool is_old = subtype == BSN_SUBTYPE_OLD_BINARY;
    bsn_store_u32(to, (uint32_t)len + (is_old ? 4 : 0));
    to[4] = subtype;
    if (!is_old) return to + 5;
    bsn_store_u32(to + 5, (uint32_t)len);
    return to + 9;
}

void bsn_writer_binary(bsn_writer *w, bsn_str key, uint8_t subtype, bsn_bytes value)
{
    const size_t head_len = subtype == BSN_SUBTYPE_OLD_BINARY ? 9 : 5;
    uint8_t *to = NULL;
    if (value.len <= WRITER_FAST_MAX)
        to = writer_begin_fast(w, BSN_TYPE_BINARY, key, head_len + value.len);
    if (BSN_LIKELY(to != NULL)) {
        to = put_binary_head(to, subtype, value.len);
        put_bytes(to, value.ptr, value.len);
        writer_end_value(w, to + value.len);
        return;
    }
    to = bsni_writer_begin_slow(w, BSN_TYPE_BINARY, key, head_len, value.len);
    if (to == NULL) return;
    writer_end_value(w, put_binary_head(to, subtype, value.len));
    bsn_out_append(w->out, value.ptr, value.len);
}
