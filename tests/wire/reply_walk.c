/* SPDX-License-Identifier: Apache-2.0
 *
 * reply_walk.c -- see reply_walk.h.
 */
#include "wire/reply_walk.h"

#include <check.h>

#include <stdlib.h>
#include <string.h>

/* Puts what is held and the next bytes of the message into a block of their own. */
static uint8_t *deliver(uint8_t *old, bsn_bytes *src, bsn_bytes message, size_t *taken, size_t len)
{
    const size_t left = message.len - *taken;
    if (len > left) len = left;
    uint8_t *const block = malloc(src->len + len + 1);
    ck_assert_ptr_nonnull(block);
    uint8_t *const start = block + 1; /* no alignment is relied on */
    if (src->len > 0) memcpy(start, src->ptr, src->len);
    if (len > 0) memcpy(start + src->len, message.ptr + *taken, len);
    *taken += len;
    src->ptr = start;
    src->len += len;
    free(old);
    return block;
}

static void note_end(walk *w, bsn_envelope *env, bsn_bytes src)
{
    bsn_doc reply;
    bsn_error err = {.offset = 0};
    bsn_doc none;
    w->status = bsn_envelope_error(env, &err);
    w->offset = err.offset;
    w->ok = env->ok;
    w->partial = env->partial;
    w->has_cursor = env->has_cursor;
    w->has_batch = env->has_batch;
    w->has_id = env->has_id;
    w->has_write_errors = env->has_write_errors;
    w->code = env->code;
    w->cursor_id = env->cursor_id;
    w->count = env->document_count;
    w->behind = src.len;
    memcpy(w->ns, env->ns, env->ns_len);
    w->has_reply = bsn_envelope_reply(env, &reply);
    if (w->has_reply) {
        memcpy(w->reply, reply.ptr, reply.len);
        w->reply_len = reply.len;
    }
    if (w->event == BSN_ENVELOPE_MORE) return;
    ck_assert_int_eq(bsn_envelope_next(env, &src, &none), w->event); /* it stays what it is */
    ck_assert_uint_eq(src.len, w->behind);
}

void walk_message(bsn_bytes message, const walk_how *how, walk *w)
{
    static uint8_t storage[WALK_STORAGE];
    const bsn_envelope_options options = {.size_max = how->size_max,
                                          .doc_size_max = how->doc_size_max,
                                          .response_to = 7,
                                          .any_response_to = how->any_response_to,
                                          .write_errors = how->write_errors,
                                          .storage = how->storage == 0 ? NULL : storage,
                                          .storage_size = how->storage};
    bsn_envelope env;
    bsn_bytes src = {NULL, 0};
    bsn_doc doc;
    size_t taken = 0;
    uint8_t *block = NULL;
    memset(w, 0, sizeof *w);
    bsn_envelope_init(&env, &options);
    if (how->first > 0) block = deliver(block, &src, message, &taken, how->first);
    for (;;) {
        w->event = bsn_envelope_next(&env, &src, &doc);
        if (w->event == BSN_ENVELOPE_DOC) {
            ck_assert(doc.ptr >= block && doc.ptr + doc.len <= src.ptr);
            ck_assert_uint_le(doc.len, sizeof w->docs - w->docs_len);
            memcpy(w->docs + w->docs_len, doc.ptr, doc.len);
            w->docs_len += doc.len;
            w->errors += env.in_write_errors;
            continue;
        }
        if (w->event != BSN_ENVELOPE_MORE) break;
        ck_assert_uint_gt(bsn_envelope_need(&env), src.len);
        if (env.offset > 0) {
            ck_assert_uint_eq(bsn_envelope_left(&env, src.len),
                              env.header.len - env.offset - src.len);
        }
        if (taken == message.len) break;
        block = deliver(block, &src, message, &taken, how->chunk);
    }
    w->behind = message.len - taken + src.len;
    note_end(w, &env, src);
    if (w->event != BSN_ENVELOPE_MORE) w->behind = message.len - taken + src.len;
    free(block);
}

void walk_check_same(const walk *a, const walk *b, const char *name, size_t cut)
{
    ck_assert_msg(a->event == b->event && a->status == b->status && a->offset == b->offset,
                  "%s, cut at %zu: event %d status %d offset %u, not %d %d %u", name, cut,
                  (int)b->event, (int)b->status, (unsigned)b->offset, (int)a->event, (int)a->status,
                  (unsigned)a->offset);
    ck_assert_msg(a->count == b->count && a->docs_len == b->docs_len &&
                      memcmp(a->docs, b->docs, a->docs_len) == 0,
                  "%s, cut at %zu: other documents", name, cut);
    ck_assert_msg(a->reply_len == b->reply_len && a->partial == b->partial &&
                      memcmp(a->reply, b->reply, a->reply_len) == 0,
                  "%s, cut at %zu: another reply", name, cut);
    ck_assert_msg(a->ok == b->ok && a->code == b->code && a->cursor_id == b->cursor_id &&
                      a->has_cursor == b->has_cursor && a->has_batch == b->has_batch &&
                      a->has_id == b->has_id && a->errors == b->errors &&
                      a->has_write_errors == b->has_write_errors && a->has_reply == b->has_reply &&
                      strcmp(a->ns, b->ns) == 0,
                  "%s, cut at %zu: other fields", name, cut);
    if (a->event != BSN_ENVELOPE_FAULT) ck_assert_uint_eq(a->behind, b->behind);
}
