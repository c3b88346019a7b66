/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_parse.c -- relaxed Extended JSON as documents: the set's own, printed by us once.
 *
 * Relaxed text does not tell an int64 from an int32 that fits, so what comes back may differ from the set; but both sides must make
 * the same bytes of each text.
 */
#include "codec/rows.h"

#include <bson/bson.h>

#include <stdlib.h>

typedef struct parse_work {
    bsn_buf text;   /* of all documents */
    bsn_str *texts; /* of each; the pointers are set when all is printed */
    bsn_buf buf;    /* the document that is made, used again for every one */
    bsn_out out;    /* to buf */
} parse_work;

static bool parse(parse_work *work, bsn_str text, bsn_bytes *made)
{
    bsn_out_clear(&work->out);
    return bsn_json_parse(text, NULL, &work->out, NULL) == BSN_OK && bsn_out_view(&work->out, made);
}

static uint64_t parse_ours(void *ctx)
{
    const bench_set *set = ctx;
    parse_work *work = set->prepared;
    uint64_t sum = 0;
    for (size_t i = 0; i < set->count; i++) {
        bsn_bytes made;
        if (!parse(work, work->texts[set->first + i], &made)) return 0;
        sum += made.len + made.ptr[made.len / 2];
    }
    return sum;
}

static uint64_t parse_libbson(void *ctx)
{
    const bench_set *set = ctx;
    const parse_work *work = set->prepared;
    uint64_t sum = 0;
    for (size_t i = 0; i < set->count; i++) {
        const bsn_str text = work->texts[set->first + i];
        bson_t made;
        if (!bson_init_from_json(&made, text.ptr, (ssize_t)text.len, NULL)) return 0;
        sum += made.len + bson_get_data(&made)[made.len / 2];
        bson_destroy(&made);
    }
    return sum;
}

/* ------------------------------------------------------------------ preparing */

static void print_texts(const bench_set *set, parse_work *work)
{
    bsn_out out;
    bsn_buf_init(&work->text, NULL);
    bsn_out_init_buf(&out, &work->text);
    work->texts = bench_alloc(set->count, sizeof *work->texts);
    for (size_t i = 0; i < set->count; i++) {
        const uint64_t start = bsn_out_len(&out);
        if (bsn_json_print(set->docs[i], NULL, &out, NULL) != BSN_OK) bench_fail(set, "print");
        work->texts[i].len = (size_t)(bsn_out_len(&out) - start);
    }
    bsn_out_free(&out);
    const char *text = (const char *)work->text.ptr;
    for (size_t i = 0; i < set->count; i++) {
        work->texts[i].ptr = text;
        text += work->texts[i].len;
    }
}

static void check_text(const bench_set *set, parse_work *work, bsn_str text)
{
    bson_t theirs;
    bsn_bytes ours;
    if (!parse(work, text, &ours)) bench_fail(set, "our parser refused a text");
    if (!bson_init_from_json(&theirs, text.ptr, (ssize_t)text.len, NULL))
        bench_fail(set, "libbson refused a text");
    if (ours.len != theirs.len || memcmp(ours.ptr, bson_get_data(&theirs), ours.len) != 0)
        bench_fail(set, "the documents of a text differ");
    bson_destroy(&theirs);
}

static size_t prepare_parse(bench_set *set, size_t *bytes)
{
    parse_work *work = bench_alloc(1, sizeof *work);
    print_texts(set, work);
    bsn_buf_init(&work->buf, NULL);
    bsn_out_init_buf(&work->out, &work->buf);
    for (size_t i = 0; i < set->count; i++) check_text(set, work, work->texts[i]);
    set->prepared = work;
    *bytes = set->bytes.len;
    return set->elements;
}

static void free_parse(bench_set *set)
{
    parse_work *work = set->prepared;
    bsn_out_free(&work->out);
    bsn_buf_free(&work->buf);
    bsn_buf_free(&work->text);
    free(work->texts);
    free(work);
}

const bench_job bench_text_in = {.name = "text in",
                                 .prepare = prepare_parse,
                                 .release = free_parse,
                                 .ours = parse_ours,
                                 .theirs = parse_libbson};
