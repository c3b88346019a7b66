/* SPDX-License-Identifier: Apache-2.0
 *
 * put.h -- appending with keys that are known beforehand: their length, and that they hold no U+0000, are found out once. The common
 * case of an element is inline; everything else is the function of write.h of the same type.
 *
 *   static const bsn_key name = BSN_KEY("name"), age = BSN_KEY("age");
 *
 *   bsn_writer_begin(&w);
 *   bsn_put_string(&w, &name, BSN_STR("Ada"));
 *   bsn_put_int32(&w, &age, 36);
 *   bsn_writer_end(&w);
 *
 * Bytes, errors and their order are those of write.h, of which this is the fast lane: both may be used on one document.
 * Threads  a key is constant once made: any number of threads may use it.
 * Cost     1 to 4 ns an element (figures: docs/benchmarks.md).
 */
#ifndef BSONIC_PUT_H
#define BSONIC_PUT_H

#include <bsonic/detail/copy.h>
#include <bsonic/detail/le.h>
#include <bsonic/write.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest key of a bsn_key, in bytes. Longer ones go by write.h. */
#define BSN_KEY_LEN_MAX 31

/* A key, with its 0x00: copied whole, whatever its length. */
typedef struct bsn_key {
    /* private */
    char text[BSN_KEY_LEN_MAX + 1]; /* the bytes behind the key are 0 */
    uint32_t len;
} bsn_key;

/* A bsn_key's initializer out of a string literal: static const bsn_key k = BSN_KEY("k"); too long a literal, or one that holds
 * "\0", does not compile (the latter with gcc and clang). */
#if defined(__GNUC__)
#define BSN_KEY_IS_SOUND(literal) \
    (sizeof(literal) <= BSN_KEY_LEN_MAX + 1 && __builtin_strlen(literal) == sizeof(literal) - 1)
#else
#define BSN_KEY_IS_SOUND(literal) (sizeof(literal) <= BSN_KEY_LEN_MAX + 1)
#endif
#define BSN_KEY(literal)                                                                              \
    {                                                                                                 \
        "" literal "", (uint32_t)(sizeof(literal) - sizeof(char[BSN_KEY_IS_SOUND(literal) ? 1 : -1])) \
    }

/* Makes a key of text known at run time, which it copies.
 *
 * Errors   BSN_E_KEY_NUL  text holds U+0000                     e.g. "a\0b"
 *          BSN_E_SIZE     text is longer than BSN_KEY_LEN_MAX
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_key_make(bsn_str text, bsn_key *key);

/* The key's text, which borrows from it. */
static inline bsn_str bsn_key_str(const bsn_key *key)
{
    bsn_str text;
    text.ptr = key->text;
    text.len = key->len;
    return text;
}

/* The common case: in a document that has not failed, with room for the element and for all of key->text. Writes type, key and 0x00,
 * and returns where the value of value_len bytes (below 2^31) goes. NULL, and nothing has happened, in every other case. */
static inline uint8_t *bsn_put_begin(bsn_writer *w, bsn_type type, const bsn_key *key, size_t value_len)
{
    uint8_t *cur = w->out->cur;
    const size_t room = (size_t)(w->out->end - cur);
    if (BSN_UNLIKELY(w->mode != BSN_WRITER_IN_DOCUMENT)) return NULL;
    if (BSN_UNLIKELY(room < value_len + 1 + sizeof key->text)) return NULL;
    *cur = (uint8_t)type;
    memcpy(cur + 1, key->text, sizeof key->text);
    return cur + 2 + key->len;
}

static inline void bsn_put_null(bsn_writer *w, const bsn_key *key)
{
    uint8_t *to = bsn_put_begin(w, BSN_TYPE_NULL, key, 0);
    if (BSN_LIKELY(to != NULL))
        w->out->cur = to;
    else
        bsn_writer_null(w, bsn_key_str(key));
}

static inline void bsn_put_boolean(bsn_writer *w, const bsn_key *key, bool value)
{
    uint8_t *to = bsn_put_begin(w, BSN_TYPE_BOOLEAN, key, 1);
    if (BSN_UNLIKELY(to == NULL)) {
        bsn_writer_boolean(w, bsn_key_str(key), value);
        return;
    }
    *to = value;
    w->out->cur = to + 1;
}

static inline void bsn_put_int32(bsn_writer *w, const bsn_key *key, int32_t value)
{
    uint8_t *to = bsn_put_begin(w, BSN_TYPE_INT32, key, 4);
    if (BSN_UNLIKELY(to == NULL)) {
        bsn_writer_int32(w, bsn_key_str(key), value);
        return;
    }
    bsn_store_u32(to, (uint32_t)value);
    w->out->cur = to + 4;
}

static inline void bsn_put_int64(bsn_writer *w, const bsn_key *key, int64_t value)
{
    uint8_t *to = bsn_put_begin(w, BSN_TYPE_INT64, key, 8);
    if (BSN_UNLIKELY(to == NULL)) {
        bsn_writer_int64(w, bsn_key_str(key), value);
        return;
    }
    bsn_store_u64(to, (uint64_t)value);
    w->out->cur = to + 8;
}

static inline void bsn_put_date(bsn_writer *w, const bsn_key *key, int64_t milliseconds)
{
    uint8_t *to = bsn_put_begin(w, BSN_TYPE_DATE, key, 8);
    if (BSN_UNLIKELY(to == NULL)) {
        bsn_writer_date(w, bsn_key_str(key), milliseconds);
        return;
    }
    bsn_store_u64(to, (uint64_t)milliseconds);
    w->out->cur = to + 8;
}

static inline void bsn_put_timestamp(bsn_writer *w, const bsn_key *key, bsn_timestamp value)
{
    uint8_t *to = bsn_put_begin(w, BSN_TYPE_TIMESTAMP, key, 8);
    if (BSN_UNLIKELY(to == NULL)) {
        bsn_writer_timestamp(w, bsn_key_str(key), value);
        return;
    }
    bsn_store_u32(to, value.increment);
    bsn_store_u32(to + 4, value.seconds);
    w->out->cur = to + 8;
}

static inline void bsn_put_double(bsn_writer *w, const bsn_key *key, double value)
{
    uint8_t *to = bsn_put_begin(w, BSN_TYPE_DOUBLE, key, 8);
    uint64_t bits;
    if (BSN_UNLIKELY(to == NULL)) {
        bsn_writer_double(w, bsn_key_str(key), value);
        return;
    }
    memcpy(&bits, &value, sizeof bits);
    bsn_store_u64(to, bits);
    w->out->cur = to + 8;
}

static inline void bsn_put_oid(bsn_writer *w, const bsn_key *key, const bsn_oid *value)
{
    uint8_t *to = bsn_put_begin(w, BSN_TYPE_OID, key, sizeof value->bytes);
    if (BSN_UNLIKELY(to == NULL)) {
        bsn_writer_oid(w, bsn_key_str(key), value);
        return;
    }
    memcpy(to, value->bytes, sizeof value->bytes);
    w->out->cur = to + sizeof value->bytes;
}

static inline void bsn_put_decimal128(bsn_writer *w, const bsn_key *key, bsn_decimal128 value)
{
    uint8_t *to = bsn_put_begin(w, BSN_TYPE_DECIMAL128, key, 16);
    if (BSN_UNLIKELY(to == NULL)) {
        bsn_writer_decimal128(w, bsn_key_str(key), value);
        return;
    }
    bsn_store_u64(to, value.low);
    bsn_store_u64(to + 8, value.high);
    w->out->cur = to + 16;
}

/* Inline up to BSN_COPY_SHORT_MAX bytes of text. */
static inline void bsn_put_string(bsn_writer *w, const bsn_key *key, bsn_str value)
{
    uint8_t *to = NULL;
    if (BSN_LIKELY(value.len <= BSN_COPY_SHORT_MAX)) to = bsn_put_begin(w, BSN_TYPE_STRING, key, 4 + value.len + 1);
    if (BSN_UNLIKELY(to == NULL)) {
        bsn_writer_string(w, bsn_key_str(key), value);
        return;
    }
    bsn_store_u32(to, (uint32_t)value.len + 1);
    bsn_copy_short(to + 4, (const uint8_t *)value.ptr, value.len);
    to[4 + value.len] = 0;
    w->out->cur = to + 4 + value.len + 1;
}

/* Containers, one call each: what is inside costs more. */
static inline void bsn_put_begin_document(bsn_writer *w, const bsn_key *key)
{
    bsn_writer_begin_document(w, bsn_key_str(key));
}

static inline void bsn_put_begin_array(bsn_writer *w, const bsn_key *key)
{
    bsn_writer_begin_array(w, bsn_key_str(key));
}

#ifdef __cplusplus
}
#endif
#endif
