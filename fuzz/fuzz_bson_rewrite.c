/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_bson_rewrite.c -- property: a document that is read element by element and written with the writer is the same document:
 * the same bytes, but for the names in arrays and the order of regex options where they are not what the writer makes of them.
 *   - whether values are decoded, copied raw, or containers appended whole; into a growing buffer, fixed storage of exactly that
 *     size, and pooled blocks that are sent piece by piece, it is the same bytes
 *   - storage that is too small counts the same size, and a rollback leaves nothing behind
 *   - what a walk finds wrong is what ends the rewriting
 *
 *     | a document | size |     of the pieces that are sent, less 1; of storage that is too small, in 256ths
 */
#include "support.h"

#include "support/rewrite.h"

#include <bsonic/bsonic.h>

/* ------------------------------------------------------------------ the same, but for names and options */

/* What a way to rewrite makes right. */
typedef struct changes {
    bool names;          /* those in arrays */
    bool options;        /* regex options of the outermost document */
    bool options_inside; /* and those further in */
} changes;

static const changes changes_of[REWRITE_WAYS] = {
    [REWRITE_VALUES] = {.names = true, .options = true, .options_inside = true},
    [REWRITE_RAW] = {.names = true},
    [REWRITE_WHOLE] = {.options = true},
};

static bool is_position(bsn_str key, size_t position)
{
    char text[32];
    const int len = snprintf(text, sizeof text, "%zu", position);
    return key.len == (size_t)len && memcmp(key.ptr, text, key.len) == 0;
}

/* True when `after` has the options of `before`, sorted if all of them are ASCII. */
static bool are_sorted(bsn_str before, bsn_str after)
{
    int balance[256] = {0};
    bool ascii = true;
    if (before.len != after.len) return false;
    for (size_t i = 0; i < before.len; i++) {
        balance[(uint8_t)before.ptr[i]]++;
        balance[(uint8_t)after.ptr[i]]--;
        ascii = ascii && (uint8_t)before.ptr[i] < 0x80;
    }
    if (!ascii) return bsn_str_equal(before, after);
    for (size_t i = 0; i < 256; i++) {
        if (balance[i] != 0) return false;
    }
    for (size_t i = 1; i < after.len; i++) {
        if (after.ptr[i - 1] > after.ptr[i]) return false;
    }
    return true;
}

static bool is_same_value(const bsn_iter *before, const bsn_iter *after, bool options)
{
    if (!options || bsn_iter_type(before) != BSN_TYPE_REGEX) {
        return bsn_bytes_equal(bsn_iter_raw(before), bsn_iter_raw(after));
    }
    const bsn_regex a = bsn_iter_value(before).as.regex, b = bsn_iter_value(after).as.regex;
    return bsn_str_equal(a.pattern, b.pattern) && are_sorted(a.options, b.options);
}

/* A document being compared, and how far it has been. */
typedef struct level {
    bsn_iter before, after;
    bool in_array;
    size_t position;
} level;

/* Enters both containers; false when they are none. The code of a scope must be the same. */
static bool enter(level *outer, level *inner)
{
    const bsn_type type = bsn_iter_type(&outer->before);
    if (type != BSN_TYPE_DOCUMENT && type != BSN_TYPE_ARRAY && type != BSN_TYPE_CODE_SCOPE) {
        return false;
    }
    if (type == BSN_TYPE_CODE_SCOPE) {
        MUST(bsn_str_equal(bsn_iter_value(&outer->before).as.code_scope.code,
                           bsn_iter_value(&outer->after).as.code_scope.code));
    }
    MUST(bsn_iter_enter(&outer->before, &inner->before));
    MUST(bsn_iter_enter(&outer->after, &inner->after));
    inner->in_array = type == BSN_TYPE_ARRAY;
    inner->position = 0;
    return true;
}

/* Sound documents, both. */
static void check_same(bsn_doc before, bsn_doc after, changes made)
{
    static level levels[BSN_DEPTH_DEFAULT + 1];
    size_t depth = 1;
    levels[0].in_array = false;
    bsn_iter_init(&levels[0].before, before);
    bsn_iter_init(&levels[0].after, after);
    while (depth > 0) {
        level *at = &levels[depth - 1];
        const bool more = bsn_iter_next(&at->before);
        MUST(bsn_iter_next(&at->after) == more);
        if (!more) {
            MUST(bsn_iter_error(&at->before, NULL) == BSN_OK);
            MUST(bsn_iter_error(&at->after, NULL) == BSN_OK);
            depth--;
            continue;
        }
        const bsn_str old_key = bsn_iter_key(&at->before), new_key = bsn_iter_key(&at->after);
        MUST(bsn_iter_type(&at->before) == bsn_iter_type(&at->after));
        MUST(at->in_array && made.names ? is_position(new_key, at->position++)
                                        : bsn_str_equal(old_key, new_key));
        if (enter(at, &levels[depth])) {
            depth++;
        } else {
            MUST(is_same_value(&at->before, &at->after,
                               depth == 1 ? made.options : made.options_inside));
        }
    }
}

/* ------------------------------------------------------------------ kinds of output */

/* Takes everything out of pooled output, `most` bytes at a time, while it is checked against what it should be. */
static void check_sent(bsn_out *out, bsn_bytes wanted, size_t most)
{
    bsn_iovec iov[3];
    MUST(bsn_out_unsent(out) == wanted.len);
    while (bsn_out_iovecs(out, iov, 3) > 0) {
        const size_t len = iov[0].len < most ? iov[0].len : most;
        MUST(len > 0 && len <= wanted.len && memcmp(iov[0].ptr, wanted.ptr, len) == 0);
        bsn_out_sent(out, len);
        wanted.ptr += len;
        wanted.len -= len;
    }
    MUST(wanted.len == 0 && bsn_out_unsent(out) == 0);
}

static void check_pooled(bsn_doc doc, rewrite_way way, bsn_bytes wanted, size_t most)
{
    bsn_pool pool;
    bsn_out out;
    bsn_writer w;
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, BSN_POOL_SIZE_MIN);
    for (int round = 0; round < 2; round++) { /* the second time in blocks that have been used */
        bsn_writer_init(&w, &out);
        MUST(rewrite_document(&w, doc, way) == BSN_OK);
        check_sent(&out, wanted, most);
    }
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}

static void check_fixed(bsn_doc doc, rewrite_way way, bsn_bytes wanted, size_t size)
{
    uint8_t *storage = malloc(size);
    MUST(storage != NULL || size == 0);
    bsn_out out;
    bsn_writer w;
    bsn_bytes view;
    bsn_out_init_fixed(&out, storage, size);
    bsn_writer_init(&w, &out);
    MUST(rewrite_document(&w, doc, way) == (size < wanted.len ? BSN_E_SPACE : BSN_OK));
    MUST(bsn_out_len(&out) == wanted.len);
    MUST(bsn_out_view(&out, &view) == (size >= wanted.len));
    MUST(size < wanted.len || bsn_bytes_equal(view, wanted));
    bsn_out_free(&out);
    free(storage);
}

/* ------------------------------------------------------------------ one way to rewrite */

static void check_sound(bsn_doc doc, bsn_doc written, rewrite_way way, size_t option)
{
    const bsn_bytes wanted = bsn_doc_bytes(written);
    MUST(bsn_validate(wanted, &(bsn_validate_options){.level = BSN_LEVEL_STRUCTURE}, NULL, NULL) ==
         BSN_OK);
    check_same(doc, written, changes_of[way]);
    check_pooled(doc, way, wanted, option + 1);
    check_fixed(doc, way, wanted, wanted.len);
    check_fixed(doc, way, wanted, wanted.len * option / 256);
    check_fixed(doc, way, wanted, 0);
}

/* Into a buffer, behind something that must stay, and a second time after a rollback. */
static void check_way(bsn_doc doc, bsn_status wanted, rewrite_way way, size_t option)
{
    static const bsn_doc first = {(const uint8_t *)"\5\0\0\0\0", 5};
    bsn_buf buf;
    bsn_out out;
    bsn_writer w;
    bsn_bytes view;
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    bsn_writer_init(&w, &out);
    bsn_writer_splice(&w, first);
    const bsn_writer_mark mark = bsn_writer_get_mark(&w);
    const bsn_status status = rewrite_document(&w, doc, way);
    MUST(status == wanted || way == REWRITE_WHOLE); /* which does not look into containers */
    bsn_writer_rollback(&w, mark);
    MUST(bsn_writer_status(&w) == BSN_OK && bsn_out_view(&out, &view));
    MUST(bsn_bytes_equal(view, bsn_doc_bytes(first)));
    if (wanted == BSN_OK) {
        MUST(status == BSN_OK && rewrite_document(&w, doc, way) == BSN_OK);
        MUST(bsn_out_view(&out, &view));
        const bsn_doc written = {view.ptr + first.len, view.len - first.len};
        check_sound(doc, written, way, option);
    }
    bsn_out_free(&out);
    bsn_buf_free(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const bsn_validate_options structure = {.level = BSN_LEVEL_STRUCTURE};
    fuzz_input input;
    bsn_doc doc;
    if (!fuzz_input_open(&input, data, size, 1)) return 0;
    if (bsn_doc_open(input.bytes, &doc, NULL) == BSN_OK) {
        const bsn_status wanted = bsn_validate(input.bytes, &structure, NULL, NULL);
        for (int way = 0; way < REWRITE_WAYS; way++) {
            check_way(doc, wanted, (rewrite_way)way, input.options[0]);
        }
    }
    fuzz_input_close(&input);
    return 0;
}
