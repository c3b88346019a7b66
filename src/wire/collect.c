/* SPDX-License-Identifier: Apache-2.0
 *
 * collect.c -- keeps a reply's own fields while the walker passes them by.
 *
 *   storage   int32 length | element | element ... | the one being collected | free ...      | for the 0x00
 *             0            4                       ^element_start            ^reply_len
 *
 * An element goes in as its bytes come by, and is dropped again when it turns out to be the cursor or to have no room. The last
 * byte stays free for the final 0x00, and the last half for the fields that tell success from failure, so that no large field
 * of another kind, standing in front, can push them out.
 */
#include "wire/collect.h"

#include <bsonic/detail/le.h>

#include <string.h>

#define STORAGE_MIN 64

bool bsni_key_is(const bsn_envelope *env, bsn_str name)
{
    return env->key_len == name.len && memcmp(env->key, name.ptr, name.len) == 0;
}

void bsni_collect_init(bsn_envelope *env)
{
    if (env->options.storage_size < STORAGE_MIN) env->options.storage = NULL;
    if (env->options.storage_size > BSN_DOC_SIZE_MAX) env->options.storage_size = BSN_DOC_SIZE_MAX;
    env->reply_len = 4;
}

/* As far as the element may go. */
static size_t limit(const bsn_envelope *env)
{
    return env->reserved ? env->options.storage_size - 1 : env->options.storage_size / 2;
}

void bsni_collect_begin(bsn_envelope *env, bool wanted)
{
    env->collecting = wanted && env->options.storage != NULL;
    env->element_start = env->reply_len;
    env->cut_start = 0;
    env->reserved = true; /* until its key is known */
}

static void drop(bsn_envelope *env)
{
    env->collecting = false;
    env->reply_len = env->element_start;
}

void bsni_collect(bsn_envelope *env, const uint8_t *bytes, size_t len)
{
    if (!env->collecting) return;
    const size_t left = limit(env) - env->reply_len;
    if (len > left && env->cut_start == 0) {
        env->partial = true;
        drop(env);
        return;
    }
    const size_t taken = len < left ? len : left;
    memcpy(env->options.storage + env->reply_len, bytes, taken);
    env->reply_len += taken;
}

/* The key is complete: what is handed out otherwise is not collected, and who may use the reserved half is known. */
void bsni_collect_key_done(bsn_envelope *env)
{
    static const bsn_str names[] = {
        {"ok", 2},           {"errmsg", 6}, {"code", 4}, {"codeName", 8},
        {"errorLabels", 11}, {"$err", 4},   {"n", 1},    {"writeConcernError", 17}};
    if (!env->collecting) return;
    env->reserved = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (bsni_key_is(env, names[i])) env->reserved = true;
    }
    if (bsni_key_is(env, BSN_STR("cursor")) ||
        (env->options.write_errors && bsni_key_is(env, BSN_STR("writeErrors")))) {
        drop(env);
    } else if (env->reply_len > limit(env)) {
        env->partial = true;
        drop(env);
    }
}

/* A value of `len` bytes comes: when it will not fit, a reserved text is cut and anything else dropped now, not halfway. */
void bsni_collect_value(bsn_envelope *env, size_t len)
{
    const size_t text_least = 4 + 1; /* length field and 0x00 of a text of nothing */
    if (!env->collecting) return;
    const size_t left = limit(env) - env->reply_len;
    if (len <= left) return;
    env->partial = true;
    if (env->reserved && env->type == BSN_TYPE_STRING && left >= text_least) {
        env->cut_start = env->reply_len;
    } else {
        drop(env);
    }
}

/* Bytes at the end of text[0..len) that begin a UTF-8 sequence and do not finish it. */
static size_t unfinished_sequence(const uint8_t *text, size_t len)
{
    for (size_t back = 1; back <= 3 && back <= len; back++) {
        const uint8_t byte = text[len - back];
        if ((byte & 0xC0) == 0x80) continue;
        const size_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return whole > back ? back : 0;
    }
    return 0;
}

/* The value is complete. Storage is full behind a cut text: its last byte makes room for the terminator. */
void bsni_collect_end(bsn_envelope *env)
{
    if (env->collecting && env->cut_start != 0) {
        uint8_t *const text = env->options.storage + env->cut_start + 4;
        size_t len = env->reply_len - (env->cut_start + 4) - 1;
        len -= unfinished_sequence(text, len);
        text[len] = 0;
        bsn_store_u32(text - 4, (uint32_t)len + 1);
        env->reply_len = env->cut_start + 4 + len + 1;
    }
    env->collecting = false;
}

void bsni_collect_finish(bsn_envelope *env)
{
    if (env->options.storage == NULL) return;
    env->options.storage[env->reply_len++] = 0;
    bsn_store_u32(env->options.storage, (uint32_t)env->reply_len);
}
