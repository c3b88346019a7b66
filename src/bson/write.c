/* SPDX-License-Identifier: Apache-2.0
 *
 * write.c -- the writer's containers and its errors, and the element that is not the common case (write_put.h has that).
 *
 * An open container is a frame: where its length field is, and for an array the next index (array_index.h).
 */
#include "bson/write_put.h"

#include "base/debug.h"
#include "simd/simd.h"

#include <bsonic/detail/len.h>

/* ------------------------------------------------------------------ state */

void bsn_writer_init(bsn_writer *w, bsn_out *out)
{
    BSN_ASSERT(out != NULL);
    w->out = out;
    w->depth = 0;
    w->mode = WRITER_OUTSIDE;
    w->status = BSN_OK;
    bsn_writer_use_frames(w, w->own_frames, BSN_DEPTH_DEFAULT);
}

void bsn_writer_use_frames(bsn_writer *w, bsn_writer_frame *frames, uint32_t count)
{
    BSN_ASSERT(w->depth == 0);
    BSN_ASSERT(frames != NULL || count == 0);
    w->frame = frames;
    w->frames = frames;
    w->depth_max = count;
}

bsn_status bsn_writer_status(const bsn_writer *w)
{
    return w->status != BSN_OK ? w->status : bsn_out_status(w->out);
}

void bsni_writer_fail(bsn_writer *w, bsn_status status)
{
    if (w->mode == WRITER_FAILED) return;
    w->mode = WRITER_FAILED;
    w->status = status;
}

/* The innermost container after one was ended or taken back. */
static void resume(bsn_writer *w)
{
    w->frame = w->depth == 0 ? w->frames : &w->frames[w->depth - 1];
    w->mode = w->depth == 0 ? WRITER_OUTSIDE : w->frame->mode;
}

bsn_writer_mark bsn_writer_get_mark(const bsn_writer *w)
{
    bsn_writer_mark mark = {
        .out = bsn_out_get_mark(w->out), .depth = w->depth, .status = w->status};
    if (w->depth != 0) mark.frame = *w->frame;
    return mark;
}

void bsn_writer_rollback(bsn_writer *w, bsn_writer_mark mark)
{
    BSN_ASSERT(w->depth >= mark.depth);
    if (w->depth < mark.depth) {
        bsni_writer_fail(w, BSN_E_STATE);
        return;
    }
    bsn_out_rollback(w->out, mark.out);
    w->depth = mark.depth;
    if (mark.depth != 0) w->frames[mark.depth - 1] = mark.frame;
    resume(w);
    w->status = mark.status;
    if (mark.status != BSN_OK) w->mode = WRITER_FAILED;
}

/* ------------------------------------------------------------------ one element, the slow way */

/* True when `len` more bytes, and the final 0x00 of all open containers, leave the outermost document below 2^31. */
static bool fits_document(const bsn_writer *w, size_t len)
{
    const uint64_t used = bsn_out_len(w->out) - w->frames[0].start + w->depth;
    return used <= BSN_DOC_SIZE_MAX && len <= BSN_DOC_SIZE_MAX - used;
}

/* The key that is written for `key`: itself, or the array's next index in `storage`. */
static bsn_str real_key(const bsn_writer *w, bsn_str key, uint8_t storage[BSNI_INDEX_TEXT_MAX])
{
    bsn_str index = {(const char *)storage, 0};
    if (w->mode == WRITER_IN_ARRAY) {
        index.len = w->frame->digit_count;
        bsn_store_u64(storage, w->frame->index);
    } else if (w->mode == WRITER_IN_LONG_ARRAY) {
        index.len = bsni_index_text(w->frame->index, storage);
    } else {
        return key;
    }
    return index;
}

bool bsni_writer_accepts(bsn_writer *w, bsn_str key, size_t value_len)
{
    uint8_t storage[BSNI_INDEX_TEXT_MAX];
    size_t len;
    if (w->mode == WRITER_FAILED) return false;
    if (w->mode == WRITER_OUTSIDE) {
        bsni_writer_fail(w, BSN_E_STATE);
        return false;
    }
    if (!bsn_len_add(real_key(w, key, storage).len, value_len, &len) ||
        !bsn_len_add(len, 2, &len) || !fits_document(w, len)) {
        bsni_writer_fail(w, BSN_E_SIZE);
        return false;
    }
    return true;
}

void bsni_writer_carry(bsn_writer *w)
{
    bsn_writer_frame *frame = w->frame;
    bsni_index_carry(&frame->index, &frame->digit_count);
    if (frame->digit_count == 0) frame->mode = w->mode = WRITER_IN_LONG_ARRAY;
}

/* The array's next index is the one after. */
static void advance_index(bsn_writer *w)
{
    uint8_t unused[9];
    if (w->mode == WRITER_IN_LONG_ARRAY) {
        w->frame->index++;
    } else {
        put_index(w, unused);
    }
}

/* Type, key and 0x00 at `to`; returns what comes behind. */
static uint8_t *put_element_head(uint8_t *to, bsn_type type, bsn_str key)
{
    *to++ = (uint8_t)type;
    if (key.len != 0) memcpy(to, key.ptr, key.len);
    to[key.len] = 0;
    return to + key.len + 1;
}

/* A key that is too long to lie in one piece with its value. */
static void append_element_head(bsn_out *out, bsn_type type, bsn_str key)
{
    const uint8_t type_byte = (uint8_t)type;
    bsn_out_append(out, &type_byte, 1);
    bsn_out_append(out, key.ptr, key.len);
    bsn_out_append(out, "", 1);
}

uint8_t *bsni_writer_begin_slow(bsn_writer *w, bsn_type type, bsn_str key, size_t head_len,
                                size_t tail_len)
{
    uint8_t storage[BSNI_INDEX_TEXT_MAX];
    size_t value_len;
    BSN_ASSERT(head_len <= BSN_OUT_RESERVE_MAX / 2);
    if (!bsn_len_add(head_len, tail_len, &value_len)) value_len = SIZE_MAX; /* refused below */
    if (!bsni_writer_accepts(w, key, value_len)) return NULL;
    key = real_key(w, key, storage);
    if (w->mode != WRITER_IN_DOCUMENT) {
        advance_index(w);
    } else if (bsni_cstring((const uint8_t *)key.ptr, key.len) != key.len) {
        bsni_writer_fail(w, BSN_E_KEY_NUL);
        return NULL;
    }
    if (key.len <= BSN_OUT_RESERVE_MAX / 2 - 2) {
        return put_element_head(bsn_out_reserve(w->out, key.len + 2 + head_len), type, key);
    }
    append_element_head(w->out, type, key);
    return bsn_out_reserve(w->out, head_len);
}

/* ------------------------------------------------------------------ elements that are no common case of a document's */

void bsni_writer_put_rest(bsn_writer *w, bsn_type type, bsn_str key, uint64_t bits, size_t len)
{
    uint8_t bytes[8];
    uint8_t *item = writer_begin_item(w, type, sizeof bytes);
    if (BSN_LIKELY(item != NULL)) {
        bsn_store_u64(item, bits); /* there is room for 8 */
        writer_end_value(w, item + len);
        return;
    }
    bsn_store_u64(bytes, bits);
    bsni_writer_put_bytes_rest(w, type, key, bytes, len);
}

void bsni_writer_put_bytes_rest(bsn_writer *w, bsn_type type, bsn_str key, const uint8_t *bytes,
                                size_t len)
{
    uint8_t *to = writer_begin_item(w, type, len);
    if (to == NULL) to = bsni_writer_begin_slow(w, type, key, len, 0);
    if (to == NULL) return;
    if (len != 0) memcpy(to, bytes, len);
    writer_end_value(w, to + len);
}

/* Text of any length into output that may have to grow. The length fits, or the document would not. */
static void put_text_slow(bsn_writer *w, bsn_type type, bsn_str key, bsn_str text)
{
    size_t tail_len;
    if (!bsn_len_add(text.len, 1, &tail_len)) tail_len = SIZE_MAX;
    uint8_t *head = bsni_writer_begin_slow(w, type, key, 4, tail_len);
    if (head == NULL) return;
    bsn_store_u32(head, (uint32_t)text.len + 1);
    writer_end_value(w, head + 4);
    bsn_out_append(w->out, text.ptr, text.len);
    bsn_out_append(w->out, "", 1);
}

void bsni_writer_put_text_rest(bsn_writer *w, bsn_type type, bsn_str key, bsn_str text)
{
    uint8_t *to = NULL;
    if (BSN_LIKELY(text.len <= WRITER_FAST_MAX))
        to = writer_begin_fast(w, type, key, 4 + text.len + 1);
    if (BSN_UNLIKELY(to == NULL)) {
        put_text_slow(w, type, key, text);
        return;
    }
    bsn_store_u32(to, (uint32_t)text.len + 1);
    put_bytes(to + 4, (const uint8_t *)text.ptr, text.len);
    to[4 + text.len] = 0;
    writer_end_value(w, to + 4 + text.len + 1);
}

/* ------------------------------------------------------------------ containers */

/* Opens a container whose length field is about to be written at `length`, in the output's room. When the output has failed there
 * is no such place, and nothing in front of it to patch either: head_len counts bytes that were never written. */
static void push(bsn_writer *w, const uint8_t *length, uint8_t mode, uint32_t head_len)
{
    const bsn_out *out = w->out;
    const bool is_there = out->status == BSN_OK;
    bsn_writer_frame *frame = &w->frames[w->depth++];
    frame->start = out->total_before + (is_there ? (uint64_t)(length - out->base) : 0);
    frame->index = BSNI_INDEX_FIRST;
    frame->digit_count = BSNI_INDEX_FIRST_DIGITS;
    frame->head_len = is_there ? head_len : 0;
    frame->mode = mode;
    w->frame = frame;
    w->mode = mode;
}

/* True when one more level may be opened; else the writer has failed, of this or of something before. */
static bool may_nest(bsn_writer *w)
{
    if (w->depth == w->depth_max && w->mode != WRITER_FAILED) bsni_writer_fail(w, BSN_E_DEPTH);
    return w->mode != WRITER_FAILED;
}

/* Writes a length field of 0 at `length` and opens its container. */
static void begin_at(bsn_writer *w, uint8_t *length, uint8_t mode, uint32_t head_len)
{
    bsn_store_u32(length, 0);
    push(w, length, mode, head_len);
    w->out->cur = length + 4;
}

void bsn_writer_begin(bsn_writer *w)
{
    if (w->mode != WRITER_OUTSIDE) bsni_writer_fail(w, BSN_E_STATE);
    if (may_nest(w)) begin_at(w, bsn_out_reserve(w->out, 4), WRITER_IN_DOCUMENT, 0);
}

static void begin_container(bsn_writer *w, bsn_type type, bsn_str key, uint8_t mode)
{
    if (!may_nest(w)) return;
    uint8_t *length = writer_begin_fast(w, type, key, 4);
    if (length == NULL) length = bsni_writer_begin_slow(w, type, key, 4, 1);
    if (length != NULL) begin_at(w, length, mode, 0);
}

void bsn_writer_begin_document(bsn_writer *w, bsn_str key)
{
    begin_container(w, BSN_TYPE_DOCUMENT, key, WRITER_IN_DOCUMENT);
}

void bsn_writer_begin_array(bsn_writer *w, bsn_str key)
{
    begin_container(w, BSN_TYPE_ARRAY, key, WRITER_IN_ARRAY);
}

/* | total | int32 len | code .. 00 | scope's length | .. 00 |
 *  ^head                            ^the frame's length field */
void bsn_writer_begin_code_scope(bsn_writer *w, bsn_str key, bsn_str code)
{
    size_t tail_len;
    if (!may_nest(w)) return;
    if (!bsn_len_add(code.len, 1 + BSN_DOC_SIZE_MIN, &tail_len)) tail_len = SIZE_MAX;
    uint8_t *head = bsni_writer_begin_slow(w, BSN_TYPE_CODE_SCOPE, key, 8, tail_len);
    if (head == NULL) return;
    const uint32_t text_len = (uint32_t)code.len + 1; /* below 2^31, or the document would not be */
    bsn_store_u32(head, 0);
    bsn_store_u32(head + 4, text_len);
    w->out->cur = head + 8;
    bsn_out_append(w->out, code.ptr, code.len);
    bsn_out_append(w->out, "", 1);
    begin_at(w, bsn_out_reserve(w->out, 4), WRITER_IN_DOCUMENT, 8 + text_len);
}

/* Sets the lengths of the innermost container, which is complete. False: one is too large. */
static bool patch_lengths(bsn_writer *w)
{
    const bsn_writer_frame *frame = w->frame;
    const uint64_t len = bsn_out_len(w->out) - frame->start;
    if (len > BSN_DOC_SIZE_MAX - (uint64_t)frame->head_len) return false;
    bsn_out_mark slot = {frame->start};
    bsn_out_patch_i32(w->out, slot, (int32_t)len);
    if (frame->head_len == 0) return true;
    slot.total -= frame->head_len;
    bsn_out_patch_i32(w->out, slot, (int32_t)(len + frame->head_len));
    return true;
}

void bsn_writer_end(bsn_writer *w)
{
    if (w->mode == WRITER_FAILED) return;
    if (w->depth == 0) {
        bsni_writer_fail(w, BSN_E_STATE);
        return;
    }
    *bsn_out_reserve(w->out, 1) = 0;
    bsn_out_advance(w->out, 1);
    if (!patch_lengths(w)) {
        bsni_writer_fail(w, BSN_E_SIZE);
        return;
    }
    w->depth--;
    resume(w);
}

bsn_status bsn_writer_doc(bsn_writer *w, bsn_doc *doc)
{
    bsn_bytes view;
    const bsn_status status = bsn_writer_status(w);
    if (status != BSN_OK) return status;
    if (w->depth != 0 || !bsn_out_view(w->out, &view) || view.len < BSN_DOC_SIZE_MIN)
        return BSN_E_STATE;
    if (bsn_load_u32(view.ptr) != view.len || view.ptr[view.len - 1] != 0) return BSN_E_STATE;
    doc->ptr = view.ptr;
    doc->len = view.len;
    return BSN_OK;
}
