/* SPDX-License-Identifier: Apache-2.0
 *
 * write_put.h -- what the files of the writer share: the common case of one element, inline, and the way to everything else.
 *
 *   out->cur                     ┌─ what the functions here return
 *   | type | key bytes | 00 | value ..
 *
 * The common case: inside a document or a short array, no error yet, and the output has room for the whole element in one piece.
 * One test each; bytes are moved in words and vectors, and the test for U+0000 is made on what is copied anyway. Everything else,
 * every fault too, is bsni_writer_begin_slow's: it starts again from the beginning and judges.
 */
#ifndef BSNI_WRITE_PUT_H
#define BSNI_WRITE_PUT_H

#include "bson/array_index.h"
#include "simd/short.h"

#include <bsonic/detail/copy.h>
#include <bsonic/detail/word.h>
#include <bsonic/write.h>

/* What elements are added to. The order matters: the common case handles the first two. */
enum {
    WRITER_IN_DOCUMENT = BSN_WRITER_IN_DOCUMENT,
    WRITER_IN_ARRAY,
    WRITER_IN_LONG_ARRAY, /* of 10^8 elements and more: frame->index is a number, not text */
    WRITER_OUTSIDE,       /* of any document */
    WRITER_FAILED
};

/* Values over this length take the slow way, where the size of the document is checked before they are read. */
#define WRITER_FAST_MAX 4096

/* The first error sticks. */
void bsni_writer_fail(bsn_writer *w, bsn_status status);

/* True when an element with such a key and value may come next: something is open, nothing has failed, and the document stays
 * below 2^31 bytes. Else the writer has failed. Nothing is read. */
bool bsni_writer_accepts(bsn_writer *w, bsn_str key, size_t value_len);

/* Writes type, key and 0x00, and returns room for the first head_len bytes of the value (up to BSN_OUT_RESERVE_MAX / 2), of which
 * tail_len more come later. NULL: the writer has failed. The caller sets out->cur behind the head. */
uint8_t *bsni_writer_begin_slow(bsn_writer *w, bsn_type type, bsn_str key, size_t head_len,
                                size_t tail_len);

/* Elements that are no common case of a document's: items of arrays, long text, and what the slow way is for. Each is called at the
 * very end of the common case, which so has no registers to save. The value is the low len bytes of `bits` (8 at most), or given. */
void bsni_writer_put_rest(bsn_writer *w, bsn_type type, bsn_str key, uint64_t bits, size_t len);
void bsni_writer_put_bytes_rest(bsn_writer *w, bsn_type type, bsn_str key, const uint8_t *bytes,
                                size_t len);
void bsni_writer_put_text_rest(bsn_writer *w, bsn_type type, bsn_str key, bsn_str text);

/* Makes the array's next index of one that ends in 9. */
void bsni_writer_carry(bsn_writer *w);

/* Keys are moved in words or vectors that may overlap: at the front, and at the end. Nothing outside the key is read. */

/* 1 to 3 bytes: first, middle and last are all of them. True when there is no 0x00 among them; so below. */
static inline bool put_1_to_3(uint8_t *to, const uint8_t *from, size_t n)
{
    const uint8_t first = from[0], middle = from[n / 2], last = from[n - 1];
    to[0] = first;
    to[n / 2] = middle;
    to[n - 1] = last;
    return first != 0 && middle != 0 && last != 0;
}

/* 4 to 8 bytes. */
static inline bool put_4_to_8(uint8_t *to, const uint8_t *from, size_t n)
{
    uint32_t first, last;
    memcpy(&first, from, 4);
    memcpy(&last, from + n - 4, 4);
    memcpy(to, &first, 4);
    memcpy(to + n - 4, &last, 4);
    return bsn_word_zeros((uint64_t)last << 32 | first) == 0;
}

/* Moves a word from one place to another; not 0 when there is a 0x00 in it. */
static inline uint64_t put_word(uint8_t *to, const uint8_t *from)
{
    uint64_t word;
    memcpy(&word, from, 8);
    memcpy(to, &word, 8);
    return bsn_word_zeros(word);
}

/* 8 to 16 bytes. */
static inline bool put_8_to_16(uint8_t *to, const uint8_t *from, size_t n)
{
    return (put_word(to, from) | put_word(to + n - 8, from + n - 8)) == 0;
}

/* 16 bytes; what bsni_short_any is asked about. */
static inline bsni_short put_16(uint8_t *to, const uint8_t *from)
{
    bsni_short zeros = {0};
    for (size_t i = 0; i < 16; i += BSNI_SHORT_BYTES) {
        const bsni_short bytes = bsni_short_load(from + i);
        bsni_short_store(to + i, bytes);
        zeros = bsni_short_or(zeros, bsni_short_zeros(bytes));
    }
    return zeros;
}

/* 16 to 32 bytes. */
static inline bool put_16_to_32(uint8_t *to, const uint8_t *from, size_t n)
{
    const bsni_short first = put_16(to, from);
    return !bsni_short_any(bsni_short_or(first, put_16(to + n - 16, from + n - 16)));
}

static inline bool put_over_32(uint8_t *to, const uint8_t *from, size_t n)
{
    bsni_short zeros = put_16(to + n - 16, from + n - 16);
    for (size_t i = 0; i < n - 16; i += 16) zeros = bsni_short_or(zeros, put_16(to + i, from + i));
    return !bsni_short_any(zeros);
}

/* Copies a key; false when there is a 0x00 in it. */
static inline bool put_key(uint8_t *to, bsn_str key)
{
    const uint8_t *from = (const uint8_t *)key.ptr;
    if (key.len > 32) return put_over_32(to, from, key.len);
    if (key.len >= 16) return put_16_to_32(to, from, key.len);
    if (key.len >= 8) return put_8_to_16(to, from, key.len);
    if (key.len >= 4) return put_4_to_8(to, from, key.len);
    return key.len == 0 || put_1_to_3(to, from, key.len);
}

/* Copies any number of bytes. */
static inline void put_bytes(uint8_t *to, const uint8_t *from, size_t n)
{
    if (n > BSN_COPY_SHORT_MAX) {
        memcpy(to, from, n);
    } else {
        bsn_copy_short(to, from, n);
    }
}

/* Writes the next index, up to 8 digits, and 0x00; returns what comes behind. */
static inline uint8_t *put_index(bsn_writer *w, uint8_t *to)
{
    bsn_writer_frame *frame = w->frame;
    to = bsni_index_put(frame->index, frame->digit_count, to);
    if (BSN_UNLIKELY(!bsni_index_next(&frame->index, frame->digit_count))) bsni_writer_carry(w);
    return to;
}

/* The common case of an element of a document, whose value has value_len bytes (below 2^31): writes type, key and 0x00, and
 * returns where the value goes. NULL, and nothing has happened, in every other case. */
static inline uint8_t *writer_begin_field(bsn_writer *w, bsn_type type, bsn_str key,
                                          size_t value_len)
{
    uint8_t *cur = w->out->cur;
    const size_t room = (size_t)(w->out->end - cur);
    if (BSN_UNLIKELY(w->mode != WRITER_IN_DOCUMENT)) return NULL;
    if (BSN_UNLIKELY(room < value_len + 2 || key.len > room - value_len - 2)) return NULL;
    if (BSN_UNLIKELY(!put_key(cur + 1, key))) return NULL;
    *cur = (uint8_t)type;
    cur[1 + key.len] = 0;
    return cur + 2 + key.len;
}

/* The same for an item of a short array. 8 bytes of index are stored, whatever its length. */
static inline uint8_t *writer_begin_item(bsn_writer *w, bsn_type type, size_t value_len)
{
    uint8_t *cur = w->out->cur;
    const size_t room = (size_t)(w->out->end - cur);
    if (w->mode != WRITER_IN_ARRAY || room < value_len + 2 + 8) return NULL;
    *cur = (uint8_t)type;
    return put_index(w, cur + 1);
}

/* Either of the two. */
static inline uint8_t *writer_begin_fast(bsn_writer *w, bsn_type type, bsn_str key,
                                         size_t value_len)
{
    uint8_t *value = writer_begin_field(w, type, key, value_len);
    return BSN_LIKELY(value != NULL) ? value : writer_begin_item(w, type, value_len);
}

static inline void writer_end_value(bsn_writer *w, uint8_t *end)
{
    w->out->cur = end;
}

#endif
