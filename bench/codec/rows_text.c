/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_text.c -- documents as Extended JSON: relaxed, and canonical as the public driver benchmark's tasks decode them.
 */
#include "codec/rows.h"

#include <bson/bson.h>

#include <stdlib.h>

typedef char *print_function(const bson_t *bson, size_t *len);

typedef struct text_work {
    bsn_json_options options;
    print_function *print; /* libbson's for the same form */
    bsn_pool pool;
    bsn_out out; /* used again by every print */
} text_work;

/* Prints every document into pooled blocks that are reused, as a stream does. */
static uint64_t text_ours(void *ctx)
{
    const bench_set *set = ctx;
    text_work *work = set->prepared;
    for (size_t i = 0; i < set->count; i++) {
        if (bsn_json_print(set->docs[i], &work->options, &work->out, NULL) != BSN_OK) return 0;
        if (bsn_out_unsent(&work->out) >= (size_t)32 * 1024)
            bsn_out_sent(&work->out, bsn_out_unsent(&work->out));
    }
    const uint64_t total = bsn_out_len(&work->out);
    bsn_out_clear(&work->out);
    return total;
}

static uint64_t text_libbson(void *ctx)
{
    const bench_set *set = ctx;
    const text_work *work = set->prepared;
    uint64_t total = 0;
    for (size_t i = 0; i < set->count; i++) {
        bson_t view;
        size_t len = 0;
        if (!bson_init_static(&view, set->docs[i].ptr, set->docs[i].len)) return 0;
        char *text = work->print(&view, &len);
        if (text == NULL) return 0;
        total += len;
        bson_free(text);
    }
    return total;
}

/* ------------------------------------------------------------------ check */

static bool same_document(bsn_str ours, const char *theirs)
{
    bson_t *a = bson_new_from_json((const uint8_t *)ours.ptr, (ssize_t)ours.len, NULL);
    bson_t *b = bson_new_from_json((const uint8_t *)theirs, -1, NULL);
    bool same = a != NULL && b != NULL && bson_equal(a, b);
    bson_destroy(a);
    bson_destroy(b);
    return same;
}

static void check_text(const bench_set *set, const text_work *work, bsn_doc doc, bsn_out *out)
{
    bson_t view;
    bsn_bytes text;
    bsn_out_clear(out);
    if (bsn_json_print(doc, &work->options, out, NULL) != BSN_OK || !bsn_out_view(out, &text))
        bench_fail(set, "print");
    if (!bson_init_static(&view, doc.ptr, doc.len)) bench_fail(set, "libbson refuses the document");
    char *theirs = work->print(&view, NULL);
    if (theirs == NULL || !same_document((bsn_str){(const char *)text.ptr, text.len}, theirs))
        bench_fail(set, "texts differ");
    bson_free(theirs);
}

/* The texts differ by blanks; read back by libbson they are the same documents. Of the large sets a thousand are looked at. */
static size_t prepare_form(bench_set *set, bsn_json_form form, print_function *print, size_t *bytes)
{
    bsn_buf buf;
    bsn_out out;
    text_work *work = bench_alloc(1, sizeof *work);
    *work = (text_work){.options = {.form = form}, .print = print};
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    for (size_t i = 0; i < set->count; i += 1 + set->count / 1000)
        check_text(set, work, set->docs[i], &out);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    bsn_pool_init(&work->pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&work->out, &work->pool, 64 * 1024);
    set->prepared = work;
    *bytes = set->bytes.len;
    return set->elements;
}

static size_t prepare_relaxed(bench_set *set, size_t *bytes)
{
    return prepare_form(set, BSN_JSON_RELAXED, bson_as_relaxed_extended_json, bytes);
}

static size_t prepare_canonical(bench_set *set, size_t *bytes)
{
    return prepare_form(set, BSN_JSON_CANONICAL, bson_as_canonical_extended_json, bytes);
}

static void free_text(bench_set *set)
{
    text_work *work = set->prepared;
    bsn_out_free(&work->out);
    bsn_pool_free(&work->pool);
    free(work);
}

const bench_job bench_text_out = {.name = "text out",
                                  .prepare = prepare_relaxed,
                                  .release = free_text,
                                  .ours = text_ours,
                                  .theirs = text_libbson,
                                  .sums_differ = true};
const bench_job bench_task_decode = {.name = "task decode",
                                     .prepare = prepare_canonical,
                                     .release = free_text,
                                     .ours = text_ours,
                                     .theirs = text_libbson,
                                     .sums_differ = true};
