/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_json_parse.c -- properties of text as documents:
 *   - a stream has one outcome, whatever it is cut into: bytes, count, status, place, what was expected
 *   - a document parsed by itself is the stream's
 *   - what comes out is sound BSON, and its canonical text becomes the same bytes again
 *
 * The last four bytes of the input are options: flags, length of the first piece, length of the others, depth limit.
 */
#include "support.h"

#include <bsonic/bsonic.h>

typedef struct outcome {
    bsn_status status;
    bsn_error err;
    uint64_t count;
    bsn_buf buf;
} outcome;

static void take(bsn_json_parser *parser, outcome *o, bsn_out *out)
{
    bsn_doc doc;
    while (bsn_json_parser_count(parser) % 2 == 0 ? bsn_json_parser_next_into(parser, out)
                                                  : bsn_json_parser_next(parser, &doc)) {
        if (bsn_json_parser_count(parser) % 2 == 0) bsn_out_append(out, doc.ptr, doc.len);
    }
    o->status = bsn_json_parser_status(parser, &o->err);
    o->count = bsn_json_parser_count(parser);
}

/* Pieces lie in blocks of exactly their size, gone when they are used up. */
static outcome run(bsn_bytes text, const bsn_json_parse_options *options, size_t first, size_t step)
{
    outcome o = {.status = BSN_OK};
    bsn_json_parser parser;
    bsn_out out;
    bsn_buf_init(&o.buf, NULL);
    bsn_out_init_buf(&out, &o.buf);
    bsn_json_parser_init(&parser, options);
    for (size_t from = 0, n = first; from < text.len; from += n, n = step) {
        if (n > text.len - from) n = text.len - from;
        uint8_t *piece = malloc(n);
        MUST(piece != NULL || n == 0);
        if (n != 0) memcpy(piece, text.ptr + from, n);
        const bsn_str str = {(const char *)piece, n};
        bsn_json_parser_feed(&parser, str);
        take(&parser, &o, &out);
        free(piece);
    }
    bsn_json_parser_finish(&parser);
    take(&parser, &o, &out);
    bsn_json_parser_free(&parser);
    bsn_out_free(&out);
    return o;
}

static void check_same(const outcome *a, const outcome *b)
{
    MUST(a->status == b->status);
    MUST(a->count == b->count);
    MUST(bsn_bytes_equal(bsn_buf_view(&a->buf), bsn_buf_view(&b->buf)));
    if (a->status == BSN_OK) return;
    MUST(a->err.status == a->status && b->err.status == b->status);
    MUST(a->err.offset == b->err.offset);
    MUST(a->err.line == b->err.line && a->err.column == b->err.column);
    MUST(a->err.detail == b->err.detail || strcmp(a->err.detail, b->err.detail) == 0);
}

static bsn_status parse_one(bsn_str text, const bsn_json_parse_options *options, bsn_buf *buf,
                            bsn_error *err)
{
    bsn_out out;
    buf->len = 0;
    bsn_out_init_buf(&out, buf);
    const bsn_status status = bsn_json_parse(text, options, &out, err);
    MUST(status == BSN_OK || bsn_out_len(&out) == 0);
    bsn_out_free(&out);
    return status;
}

/* A document by itself against the stream of one. */
static void check_single(bsn_bytes text, const bsn_json_parse_options *options,
                         const outcome *stream)
{
    bsn_buf buf;
    bsn_error err = {0};
    bsn_buf_init(&buf, NULL);
    const bsn_str str = {(const char *)text.ptr, text.len};
    const bsn_status status = parse_one(str, options, &buf, &err);
    if (status == BSN_OK) {
        MUST(stream->status == BSN_OK && stream->count == 1);
        MUST(bsn_bytes_equal(bsn_buf_view(&buf), bsn_buf_view(&stream->buf)));
    } else {
        MUST(status == err.status);
        /* What a stream can do besides: an array. */
        MUST(stream->status != BSN_OK || stream->count != 1 || status == BSN_E_SYNTAX);
    }
    bsn_buf_free(&buf);
}

static void check_round_trip(bsn_bytes docs)
{
    bsn_buf text, back;
    bsn_doc doc;
    const bsn_json_options canonical = {.form = BSN_JSON_CANONICAL};
    const bsn_json_parse_options defaults = {.legacy = false};
    bsn_buf_init(&text, NULL);
    bsn_buf_init(&back, NULL);
    while (docs.len != 0) {
        bsn_out out;
        MUST(bsn_doc_take(&docs, &doc, NULL) == BSN_OK);
        MUST(bsn_validate(bsn_doc_bytes(doc), NULL, NULL, NULL) == BSN_OK);
        text.len = 0;
        bsn_out_init_buf(&out, &text);
        MUST(bsn_json_print(doc, &canonical, &out, NULL) == BSN_OK);
        bsn_out_free(&out);
        const bsn_str str = {(const char *)text.ptr, text.len};
        MUST(parse_one(str, &defaults, &back, NULL) == BSN_OK);
        MUST(bsn_bytes_equal(bsn_buf_view(&back), bsn_doc_bytes(doc)));
    }
    bsn_buf_free(&text);
    bsn_buf_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input;
    if (!fuzz_input_open(&input, data, size, 4)) return 0;
    const uint8_t flags = input.options[0];
    const bsn_json_parse_options options = {
        .legacy = (flags & 1) != 0,
        .sub_ms = (flags & 2) != 0 ? BSN_JSON_SUB_MS_FLOOR : BSN_JSON_SUB_MS_ERROR,
        .big_int = (flags & 4) != 0 ? BSN_JSON_BIG_INT_ERROR : BSN_JSON_BIG_INT_DOUBLE,
        .depth_max = (flags & 8) != 0 ? input.options[3] % 8u + 1 : 0,
        .size_max = (flags & 16) != 0 ? input.options[3] * 2u + 1 : 0,
    };
    outcome whole = run(input.bytes, &options, SIZE_MAX, SIZE_MAX);
    outcome cut = run(input.bytes, &options, input.options[1], input.options[2] + (size_t)1);
    check_same(&whole, &cut);
    check_single(input.bytes, &options, &whole);
    check_round_trip(bsn_buf_view(&whole.buf));
    bsn_buf_free(&whole.buf);
    bsn_buf_free(&cut.buf);
    fuzz_input_close(&input);
    return 0;
}
