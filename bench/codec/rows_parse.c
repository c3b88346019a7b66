/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_parse.c -- Extended JSON as documents: lines of relaxed text, as a stream with a shape and one by one without, and canonical
 * text as the public driver benchmark's tasks encode it.
 */
#include "codec/rows.h"

#include <bson/bson.h>

#include <stdlib.h>
#include <string.h>

typedef struct parse_work {
    bsn_buf text;   /* a line a document */
    size_t *starts; /* of the lines, and the end of the last */
    bsn_pool pool;
    bsn_out out; /* used again by every pass */
    bsn_shape shape;
    bsn_json_parse_options options;
    bsn_json_parser parser;
} parse_work;

/* The text of a document of the slice. */
static bsn_str line_of(const bench_set *set, size_t i)
{
    const parse_work *work = set->prepared;
    const size_t *start = &work->starts[set->first + i];
    return (bsn_str){(const char *)work->text.ptr + start[0], start[1] - start[0]};
}

/* A stream into pooled blocks that are reused. */
static uint64_t stream_ours(void *ctx)
{
    const bench_set *set = ctx;
    parse_work *work = set->prepared;
    bsn_json_parser *parser = &work->parser;
    bsn_json_parser_reset(parser);
    bsn_json_parser_feed(
        parser, (bsn_str){(const char *)work->text.ptr + work->starts[set->first],
                          work->starts[set->first + set->count] - work->starts[set->first]});
    bsn_json_parser_finish(parser);
    while (bsn_json_parser_next_into(parser, &work->out)) {
        if (bsn_out_unsent(&work->out) >= (size_t)32 * 1024)
            bsn_out_sent(&work->out, bsn_out_unsent(&work->out));
    }
    const uint64_t total = bsn_out_len(&work->out);
    bsn_out_clear(&work->out);
    return bsn_json_parser_status(parser, NULL) == BSN_OK ? total : 0;
}

/* Each document by itself. */
static uint64_t single_ours(void *ctx)
{
    const bench_set *set = ctx;
    parse_work *work = set->prepared;
    for (size_t i = 0; i < set->count; i++) {
        if (bsn_json_parse(line_of(set, i), &work->options, &work->out, NULL) != BSN_OK) return 0;
        if (bsn_out_unsent(&work->out) >= (size_t)32 * 1024)
            bsn_out_sent(&work->out, bsn_out_unsent(&work->out));
    }
    const uint64_t total = bsn_out_len(&work->out);
    bsn_out_clear(&work->out);
    return total;
}

static uint64_t parse_libbson(void *ctx)
{
    const bench_set *set = ctx;
    uint64_t total = 0;
    for (size_t i = 0; i < set->count; i++) {
        bson_t doc;
        const bsn_str line = line_of(set, i);
        if (!bson_init_from_json(&doc, line.ptr, (ssize_t)line.len, NULL)) return 0;
        total += doc.len;
        bson_destroy(&doc);
    }
    return total;
}

/* ------------------------------------------------------------------ prepare and check */

static void print_lines(bench_set *set, parse_work *work, bsn_json_form form)
{
    const bsn_json_options options = {.form = form};
    bsn_out out;
    bsn_buf_init(&work->text, NULL);
    bsn_out_init_buf(&out, &work->text);
    work->starts = bench_alloc(set->count + 1, sizeof *work->starts);
    for (size_t i = 0; i < set->count; i++) {
        work->starts[i] = (size_t)bsn_out_len(&out);
        if (bsn_json_print(set->docs[i], &options, &out, NULL) != BSN_OK) bench_fail(set, "print");
        bsn_out_append(&out, "\n", 1);
    }
    work->starts[set->count] = (size_t)bsn_out_len(&out);
    bsn_out_free(&out);
}

/* Both sides make the same bytes, of canonical text those it was printed from. Of the large sets a thousand are looked at. */
static void check_lines(const bench_set *set, bsn_json_form form)
{
    bsn_buf buf;
    bsn_out out;
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    for (size_t i = 0; i < set->count; i += 1 + set->count / 1000) {
        const bsn_str line = line_of(set, i);
        bson_t theirs;
        bsn_bytes ours;
        bsn_out_clear(&out);
        if (bsn_json_parse(line, NULL, &out, NULL) != BSN_OK || !bsn_out_view(&out, &ours))
            bench_fail(set, "parse");
        if (!bson_init_from_json(&theirs, line.ptr, (ssize_t)line.len, NULL))
            bench_fail(set, "libbson does not parse the text");
        const bsn_bytes bytes = {bson_get_data(&theirs), theirs.len};
        if (!bsn_bytes_equal(ours, bytes)) bench_fail(set, "documents differ");
        if (form == BSN_JSON_CANONICAL && !bsn_bytes_equal(ours, bsn_doc_bytes(set->docs[i])))
            bench_fail(set, "not the document that was printed");
        bson_destroy(&theirs);
    }
    bsn_out_free(&out);
    bsn_buf_free(&buf);
}

static size_t prepare(bench_set *set, bsn_json_form form, bool shaped, size_t *bytes)
{
    parse_work *work = bench_alloc(1, sizeof *work);
    set->prepared = work;
    print_lines(set, work, form);
    check_lines(set, form);
    bsn_pool_init(&work->pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&work->out, &work->pool, 64 * 1024);
    bsn_shape_init(&work->shape, NULL);
    if (shaped) work->options.shape = &work->shape;
    bsn_json_parser_init(&work->parser, &work->options);
    *bytes = set->bytes.len;
    return set->elements;
}

static size_t prepare_relaxed(bench_set *set, size_t *bytes)
{
    return prepare(set, BSN_JSON_RELAXED, true, bytes);
}

/* Nothing is known of other documents. */
static size_t prepare_single(bench_set *set, size_t *bytes)
{
    return prepare(set, BSN_JSON_RELAXED, false, bytes);
}

static size_t prepare_canonical(bench_set *set, size_t *bytes)
{
    return prepare(set, BSN_JSON_CANONICAL, true, bytes);
}

static void free_lines(bench_set *set)
{
    parse_work *work = set->prepared;
    bsn_json_parser_free(&work->parser);
    bsn_shape_free(&work->shape);
    bsn_out_free(&work->out);
    bsn_pool_free(&work->pool);
    bsn_buf_free(&work->text);
    free(work->starts);
    free(work);
}

const bench_job bench_text_in = {.name = "text in",
                                 .prepare = prepare_relaxed,
                                 .release = free_lines,
                                 .ours = stream_ours,
                                 .theirs = parse_libbson};
const bench_job bench_text_in_one = {.name = "text in, one",
                                     .prepare = prepare_single,
                                     .release = free_lines,
                                     .ours = single_ours,
                                     .theirs = parse_libbson};
const bench_job bench_task_encode = {.name = "task encode",
                                     .prepare = prepare_canonical,
                                     .release = free_lines,
                                     .ours = single_ours,
                                     .theirs = parse_libbson};
