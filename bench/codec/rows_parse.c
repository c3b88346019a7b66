/* SPDX-License-Identifier: Apache-2.0
 *
<<<<<<< HEAD
 * rows_parse.c -- relaxed Extended JSON as documents: the set's own, printed by us once.
 *
 * Relaxed text does not tell an int64 from an int32 that fits, so what comes back may differ from the set; but both sides must make
 * the same bytes of each text.
=======
 * rows_parse.c -- Extended JSON as documents: lines of relaxed and of canonical text.
>>>>>>> 65b912f (Bench text in beside libbson)
 */
#include "codec/rows.h"

#include <bson/bson.h>

#include <stdlib.h>
<<<<<<< HEAD

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
=======
#include <string.h>

typedef struct parse_work {
    bsn_buf text;   /* a line a document */
    size_t *starts; /* of the lines, and the end of the last */
    bsn_pool pool;
    bsn_out out; /* used again by every pass */
    bsn_json_parser parser;
} parse_work;

/* A stream into pooled blocks that are reused. */
static uint64_t stream_ours(void *ctx)
{
    const bench_set *set = ctx;
    parse_work *work = set->prepared;
    bsn_json_parser *parser = &work->parser;
    bsn_json_parser_reset(parser);
    bsn_json_parser_feed(parser, (bsn_str){(const char *)work->text.ptr, work->text.len});
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
        const bsn_str line = {(const char *)work->text.ptr + work->starts[i],
                              work->starts[i + 1] - work->starts[i]};
        if (bsn_json_parse(line, NULL, &work->out, NULL) != BSN_OK) return 0;
        if (bsn_out_unsent(&work->out) >= (size_t)32 * 1024)
            bsn_out_sent(&work->out, bsn_out_unsent(&work->out));
    }
    const uint64_t total = bsn_out_len(&work->out);
    bsn_out_clear(&work->out);
    return total;
>>>>>>> 65b912f (Bench text in beside libbson)
}

static uint64_t parse_libbson(void *ctx)
{
    const bench_set *set = ctx;
    const parse_work *work = set->prepared;
<<<<<<< HEAD
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
=======
    uint64_t total = 0;
    for (size_t i = 0; i < set->count; i++) {
        bson_t doc;
        const size_t len = work->starts[i + 1] - work->starts[i];
        const char *line = (const char *)work->text.ptr + work->starts[i];
        if (!bson_init_from_json(&doc, line, (ssize_t)len, NULL)) return 0;
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
static void check_lines(const bench_set *set, parse_work *work, bsn_json_form form)
{
    bsn_buf buf;
    bsn_out out;
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    for (size_t i = 0; i < set->count; i += 1 + set->count / 1000) {
        const bsn_str line = {(const char *)work->text.ptr + work->starts[i],
                              work->starts[i + 1] - work->starts[i]};
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

static size_t prepare(bench_set *set, bsn_json_form form, size_t *bytes)
{
    parse_work *work = bench_alloc(1, sizeof *work);
    print_lines(set, work, form);
    check_lines(set, work, form);
    bsn_pool_init(&work->pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&work->out, &work->pool, 64 * 1024);
    bsn_json_parser_init(&work->parser, NULL);
>>>>>>> 65b912f (Bench text in beside libbson)
    set->prepared = work;
    *bytes = set->bytes.len;
    return set->elements;
}

<<<<<<< HEAD
static void free_parse(bench_set *set)
{
    parse_work *work = set->prepared;
    bsn_out_free(&work->out);
    bsn_buf_free(&work->buf);
    bsn_buf_free(&work->text);
    free(work->texts);
=======
static size_t prepare_relaxed(bench_set *set, size_t *bytes)
{
    return prepare(set, BSN_JSON_RELAXED, bytes);
}

static size_t prepare_canonical(bench_set *set, size_t *bytes)
{
    return prepare(set, BSN_JSON_CANONICAL, bytes);
}

static void free_lines(bench_set *set)
{
    parse_work *work = set->prepared;
    bsn_json_parser_free(&work->parser);
    bsn_out_free(&work->out);
    bsn_pool_free(&work->pool);
    bsn_buf_free(&work->text);
    free(work->starts);
>>>>>>> 65b912f (Bench text in beside libbson)
    free(work);
}

const bench_job bench_text_in = {.name = "text in",
<<<<<<< HEAD
                                 .prepare = prepare_parse,
                                 .release = free_parse,
                                 .ours = parse_ours,
                                 .theirs = parse_libbson};
=======
                                 .prepare = prepare_relaxed,
                                 .release = free_lines,
                                 .ours = stream_ours,
                                 .theirs = parse_libbson};
const bench_job bench_text_in_one = {.name = "text in, one",
                                     .prepare = prepare_relaxed,
                                     .release = free_lines,
                                     .ours = single_ours,
                                     .theirs = parse_libbson};
const bench_job bench_text_in_canonical = {.name = "canonical in",
                                           .prepare = prepare_canonical,
                                           .release = free_lines,
                                           .ours = stream_ours,
                                           .theirs = parse_libbson};
>>>>>>> 65b912f (Bench text in beside libbson)
