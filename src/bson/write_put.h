/* SPDX-License-Identifier: Apache-2.0
 *
 * write_put.h -- what the files of the writer share: the common case of one element, inline, and the way to everything else.
 *
 *   out->cur                     ┌─ what the functions here return
 *   | type | key bytes | 00 | value ..
 *
 * The common case: inside a document or a short array, no error yet, and the output has room for the whole element in one piece.
 * One test each; bytes are moved in words, and the test for U+0000 is made on the words that are copied anyway. Everything else,
 * every fault too, is bsni_writer_begin_slow's: it starts again from the beginning and judges.
 */
#ifndef BSNI_WRITE_PUT_H
#define BSNI_WRITE_PUT_H

#include <bsonic/detail/word.h>
#include <bsonic/write.h>

/* What elements are added to. The order matters: the common case handles the first two. */
enum {
    WRITER_IN_DOCUMENT,
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

/* Makes the array's next index of one that ended in too many nines for the quick way. */
void bsni_writer_carry(bsn_writer *w);

/* Short runs are moved in four words that may overlap, at 0, 1, 2 words and at the end, none of them behind the end: that has no
 * branch on the length, and lengths are what a processor cannot foresee in documents. Nothing outside the run is read. */
static inline size_t word_at(size_t offset, size_t last)
{
    return offset < last ? offset : last;
}

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

/* 8 to 32 bytes. */
static inline bool put_8_to_32(uint8_t *to, const uint8_t *from, size_t n)
{
    const size_t at[4] = {0, word_at(8, n - 8), word_at(16, n - 8), n - 8};
    uint64_t words[4], zeros = 0;
    for (size_t i = 0; i < 4; i++) memcpy(&words[i], from + at[i], 8);
    for (size_t i = 0; i < 4; i++) memcpy(to + at[i], &words[i], 8);
    for (size_t i = 0; i < 4; i++) zeros |= bsn_word_zeros(words[i]);
    return zeros == 0;
}

static inline bool put_over_32(uint8_t *to, const uint8_t *from, size_t n)
{
    uint64_t zeros = 0;
    for (size_t i = 0; i < n - 8; i += 8) {
        uint64_t word;
        memcpy(&word, from + i, 8);
        memcpy(to + i, &word, 8);
        zeros |= bsn_word_zeros(word);
    }
    uint64_t last;
    memcpy(&last, from + n - 8, 8);
    memcpy(to + n - 8, &last, 8);
    return (zeros | bsn_word_zeros(last)) == 0;
}

/* Copies a key; false when there is a 0x00 in it. */
static inline bool put_key(uint8_t *to, bsn_str key)
{
    const uint8_t *from = (const uint8_t *)key.ptr;
    if (key.len > 32) return put_over_32(to, from, key.len);
    if (key.len >= 8) return put_8_to_32(to, from, key.len);
    if (key.len >= 4) return put_4_to_8(to, from, key.len);
    return key.len == 0 || put_1_to_3(to, from, key.len);
}

/* 16 to 64 bytes of any kind. */
static inline void put_16_to_64(uint8_t *to, const uint8_t *from, size_t n)
{
    const size_t at[4] = {0, word_at(16, n - 16), word_at(32, n - 16), n - 16};
    uint64_t words[4][2];
    for (size_t i = 0; i < 4; i++) memcpy(words[i], from + at[i], 16);
    for (size_t i = 0; i < 4; i++) memcpy(to + at[i], words[i], 16);
}

/* Copies up to WRITER_FAST_MAX bytes of any kind. */
static inline void put_bytes(uint8_t *to, const uint8_t *from, size_t n)
{
    if (n > 64) {
        memcpy(to, from, n);
    } else if (n >= 16) {
        put_16_to_64(to, from, n);
    } else if (n >= 8) {
        put_8_to_32(to, from, n);
    } else if (n >= 4) {
        put_4_to_8(to, from, n);
    } else if (n != 0) {
        put_1_to_3(to, from, n);
    }
}

/* Writes the next index, up to 8 digits, and 0x00; returns what comes behind. */
static inline uint8_t *put_index(bsn_writer *w, uint8_t *to)
{
    bsn_writer_frame *frame = w->frame;
    const unsigned shift = 8 * (frame->digit_count - 1u);
    bsn_store_u64(to, frame->index);
    to += frame->digit_count;
    *to = 0;
    if (BSN_LIKELY((frame->index >> shift & 0xFF) != '9')) {
        frame->index += (uint64_t)1 << shift;
    } else {
        bsni_writer_carry(w);
    }
    return to + 1;
}

/* The common case of an element whose value has value_len bytes (below 2^31): writes type, key and 0x00, and returns where the
 * value goes. NULL, and nothing has happened, in every other case. */
static inline uint8_t *writer_begin_fast(bsn_writer *w, bsn_type type, bsn_str key,
                                         size_t value_len)
{
    uint8_t *cur = w->out->cur;
    const size_t room = (size_t)(w->out->end - cur);
    if (BSN_LIKELY(w->mode == WRITER_IN_DOCUMENT)) {
        if (BSN_UNLIKELY(room < value_len + 2 || key.len > room - value_len - 2)) return NULL;
        if (BSN_UNLIKELY(!put_key(cur + 1, key))) return NULL;
        *cur = (uint8_t)type;
        cur[1 + key.len] = 0;
        return cur + 2 + key.len;
    }
    /* 8 bytes of index are stored, whatever its length. */
    if (w->mode != WRITER_IN_ARRAY || room < value_len + 2 + 8) return NULL;
    *cur = (uint8_t)type;
    return put_index(w, cur + 1);
}

/* An element whose value is of fixed size, up to 16 bytes: returns where it goes, NULL when the writer has failed.
 * writer_end_fixed follows. */
static inline uint8_t *writer_begin_fixed(bsn_writer *w, bsn_type type, bsn_str key,
                                          size_t value_len)
{
    uint8_t *value = writer_begin_fast(w, type, key, value_len);
    if (BSN_LIKELY(value != NULL)) return value;
    return bsni_writer_begin_slow(w, type, key, value_len, 0);
}

static inline void writer_end_value(bsn_writer *w, uint8_t *end)
{
    w->out->cur = end;
}

#endif
