/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_json_parse.c -- properties of text as documents, in every tier:
 *   - a stream has one outcome, whatever it is cut into: bytes, count, and each error's status, place and words; so have the lines
 *     behind an error that is skipped
 *   - a shape that has seen the text, or half of it, changes nothing
 *   - a document parsed by itself is the stream's, into a buffer or into storage of exactly its size
 *   - what comes out is sound BSON; its canonical text becomes the same bytes again, its relaxed text a document with the same
 *     relaxed text
 *
 *     | text ... | flags | length of the first piece | length of the others, less 1 | limit |
 *                  1 byte  1                           1                              1: of depth or size, by the flags
 */
#include "support.h"

#include "simd/dispatch.h"
#include "support/digest.h"

#include <bsonic/bsonic.h>

/* One cut at every place is tried up to EVERY_CUT_MAX, one in CUT_STEP behind that; in one tier, which the input chooses. */
enum { OPTION_COUNT = 4, EVERY_CUT_MAX = 96, CUT_STEP = 61 };

enum {
    FLAG_LEGACY = 1,
    FLAG_FLOOR = 2,
    FLAG_BIG_INT = 4,
    FLAG_DEPTH = 8,
    FLAG_SIZE = 16,
    FLAG_SKIPS = 32
};

/* What a parser came to. */
typedef struct outcome {
    uint64_t documents; /* digest of their bytes */
    uint64_t count;
    uint64_t errors; /* digest of all of them, places too */
    uint64_t error_count;
    uint64_t offset; /* where it stood at the end, if there was no error */
} outcome;

/* The first piece, and all others. */
typedef struct cutting {
    size_t first;
    size_t step;
} cutting;

static void mix_error(outcome *o, const bsn_error *err)
{
    o->errors = digest_mix(o->errors, &err->status, sizeof err->status);
    o->errors = digest_mix(o->errors, &err->offset, sizeof err->offset);
    o->errors = digest_mix(o->errors, &err->line, sizeof err->line);
    o->errors = digest_mix(o->errors, &err->column, sizeof err->column);
    MUST(err->detail != NULL);
    o->errors = digest_mix(o->errors, err->detail, strlen(err->detail));
    o->error_count++;
}

static void check_document(outcome *o, bsn_bytes bytes)
{
    MUST(bsn_validate(bytes, &(bsn_validate_options){.depth_max = BSN_DEPTH_DEFAULT}, NULL, NULL) ==
         BSN_OK);
    o->documents = digest_mix(o->documents, bytes.ptr, bytes.len);
    o->count++;
}

/* The next document, in turn as a view and through an output of its own. */
static bool next(bsn_json_parser *parser, outcome *o)
{
    bsn_doc doc;
    if (o->count % 2 == 0) {
        if (!bsn_json_parser_next(parser, &doc)) return false;
        check_document(o, bsn_doc_bytes(doc));
        return true;
    }
    bsn_buf buf;
    bsn_out out;
    bsn_bytes view;
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    const bool is_there = bsn_json_parser_next_into(parser, &out);
    MUST(bsn_out_view(&out, &view) && is_there == (view.len != 0));
    if (is_there) check_document(o, view);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    return is_there;
}

/* Takes what the piece at hand gives. False when that was the last. */
static bool take_documents(bsn_json_parser *parser, outcome *o, bool skips)
{
    for (;;) {
        bsn_error err = {0};
        while (next(parser, o)) {
        }
        const bsn_status status = bsn_json_parser_status(parser, &err);
        if (status == BSN_OK) return true;
        MUST(err.status == status);
        mix_error(o, &err);
        if (!skips || !bsn_json_parser_skip_line(parser)) return false;
        MUST(bsn_json_parser_status(parser, NULL) == BSN_OK);
    }
}

static outcome parse(bsn_json_parser *parser, bsn_str text, cutting how, bool skips)
{
    outcome o = {.documents = 1, .errors = 1};
    size_t there = 0;
    bool goes_on = true;
    bsn_json_parser_reset(parser);
    for (size_t len = how.first; goes_on && there < text.len; len = how.step) {
        if (len > text.len - there) len = text.len - there;
        char *block = malloc(len);
        MUST(block != NULL || len == 0);
        if (len != 0) memcpy(block, text.ptr + there, len);
        bsn_json_parser_feed(parser, (bsn_str){block, len});
        goes_on = take_documents(parser, &o, skips);
        free(block);
        there += len;
    }
    if (goes_on) {
        bsn_json_parser_finish(parser);
        goes_on = take_documents(parser, &o, skips);
    }
    MUST(bsn_json_parser_count(parser) == o.count);
    MUST(o.error_count <= text.len + 1);
    if (goes_on) o.offset = bsn_json_parser_offset(parser);
    MUST(!goes_on || o.offset == text.len);
    return o;
}

static void check_same(const outcome *a, const outcome *b)
{
    MUST(a->count == b->count);
    MUST(a->documents == b->documents);
    MUST(a->error_count == b->error_count);
    MUST(a->errors == b->errors);
    MUST(a->offset == b->offset);
}

/* The text as one document: what the stream makes of it, when it has no other. */
static void check_single(bsn_str text, const bsn_json_parse_options *options, const outcome *stream)
{
    bsn_buf buf;
    bsn_out out;
    bsn_bytes view;
    bsn_error err = {0};
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    const bsn_status status = bsn_json_parse(text, options, &out, &err);
    MUST(bsn_out_view(&out, &view) && (status == BSN_OK) == (view.len != 0));
    MUST(status == BSN_OK || (err.status == status && err.offset <= text.len));
    if (status == BSN_OK) {
        outcome o = {.documents = 1};
        check_document(&o, view);
        MUST(stream->count == 1 && stream->error_count == 0 && stream->documents == o.documents);
        uint8_t *storage = malloc(view.len);
        MUST(storage != NULL);
        bsn_out fixed;
        bsn_bytes again;
        bsn_out_init_fixed(&fixed, storage, view.len);
        MUST(bsn_json_parse(text, options, &fixed, NULL) == BSN_OK);
        MUST(bsn_out_view(&fixed, &again) && bsn_bytes_equal(again, view));
        bsn_out_free(&fixed);
        free(storage);
    }
    bsn_out_free(&out);
    bsn_buf_free(&buf);
}

/* ------------------------------------------------------------------ round trips */

static void print(bsn_doc doc, bsn_json_form form, bsn_buf *text)
{
    const bsn_json_options options = {.form = form};
    bsn_out out;
    bsn_buf_init(text, NULL);
    bsn_out_init_buf(&out, text);
    MUST(bsn_json_print(doc, &options, &out, NULL) == BSN_OK);
    bsn_out_free(&out);
}

/* Reads the document's text again, and compares: bytes of the canonical form, text of the relaxed one. */
static void check_form(bsn_doc doc, bsn_json_form form)
{
    bsn_buf text, bytes, again;
    bsn_out out;
    bsn_doc back;
    print(doc, form, &text);
    bsn_buf_init(&bytes, NULL);
    bsn_out_init_buf(&out, &bytes);
    MUST(bsn_json_parse((bsn_str){(const char *)text.ptr, text.len}, NULL, &out, NULL) == BSN_OK);
    bsn_out_free(&out);
    MUST(bsn_doc_open(bsn_buf_view(&bytes), &back, NULL) == BSN_OK);
    if (form == BSN_JSON_CANONICAL) {
        MUST(bsn_bytes_equal(bsn_doc_bytes(back), bsn_doc_bytes(doc)));
    } else {
        print(back, form, &again);
        MUST(bsn_bytes_equal(bsn_buf_view(&again), bsn_buf_view(&text)));
        bsn_buf_free(&again);
    }
    bsn_buf_free(&bytes);
    bsn_buf_free(&text);
}

/* All documents in front of the first error. */
static void check_round_trips(bsn_json_parser *parser, bsn_str text)
{
    bsn_doc doc;
    bsn_json_parser_reset(parser);
    bsn_json_parser_feed(parser, text);
    for (int part = 0; part < 2; part++) {
        while (bsn_json_parser_next(parser, &doc)) {
            check_form(doc, BSN_JSON_CANONICAL);
            check_form(doc, BSN_JSON_RELAXED);
        }
        bsn_json_parser_finish(parser); /* may give the last one */
    }
}

/* ------------------------------------------------------------------ one input */

/* Returns what the whole text gives. */
static outcome check_cuts(bsn_json_parser *parser, bsn_str text, const uint8_t *options,
                          bool everywhere)
{
    const bool skips = (options[0] & FLAG_SKIPS) != 0;
    const outcome whole = parse(parser, text, (cutting){text.len, text.len}, skips);
    const outcome bytewise = parse(parser, text, (cutting){1, 1}, skips);
    const cutting chosen = {options[1], options[2] + (size_t)1};
    const outcome pieces = parse(parser, text, chosen, skips);
    check_same(&whole, &bytewise);
    check_same(&whole, &pieces);
    for (size_t at = 1; everywhere && at < text.len; at += at < EVERY_CUT_MAX ? 1 : CUT_STEP) {
        const outcome halves = parse(parser, text, (cutting){at, text.len}, skips);
        check_same(&whole, &halves);
    }
    return whole;
}

/* A shape learns from all of the text, and from the front of it. */
static void check_shape(bsn_json_parse_options options, bsn_str text, const uint8_t *given,
                        const outcome *plain)
{
    const cutting cuttings[] = {{text.len, text.len}, {given[1], given[2] + (size_t)1}};
    const bool skips = (given[0] & FLAG_SKIPS) != 0;
    bsn_shape shape;
    bsn_json_parser parser;
    bsn_shape_init(&shape, NULL);
    options.shape = &shape;
    bsn_json_parser_init(&parser, &options);
    for (size_t i = 0; i < 4; i++) {
        const outcome found = parse(&parser, text, cuttings[i % 2], skips);
        check_same(plain, &found);
        check_single(text, &options, &found);
        if (i == 1) bsn_shape_free(&shape);
        if (i == 1) (void)parse(&parser, (bsn_str){text.ptr, text.len / 2}, cuttings[0], skips);
    }
    bsn_json_parser_free(&parser);
    bsn_shape_free(&shape);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input;
    if (!fuzz_input_open(&input, data, size, OPTION_COUNT)) return 0;
    const uint8_t *const given = input.options;
    const bsn_json_parse_options options = {
        .legacy = (given[0] & FLAG_LEGACY) != 0,
        .sub_ms = (given[0] & FLAG_FLOOR) != 0 ? BSN_JSON_SUB_MS_FLOOR : BSN_JSON_SUB_MS_ERROR,
        .big_int =
            (given[0] & FLAG_BIG_INT) != 0 ? BSN_JSON_BIG_INT_ERROR : BSN_JSON_BIG_INT_DOUBLE,
        .depth_max = (given[0] & FLAG_DEPTH) != 0 ? given[3] % 8u + 1 : 0,
        .size_max = (given[0] & FLAG_SIZE) != 0 ? given[3] * 2u + 1 : 0,
    };
    const bsn_str text = {(const char *)input.bytes.ptr, input.bytes.len};
    bsn_json_parser parser;
    outcome plain = {.count = 0};
    bsn_json_parser_init(&parser, &options);
    for (size_t i = bsni_tier_count; i-- > 0;) { /* the scalar one is the last */
        if (!bsni_tiers[i].runs()) continue;
        MUST(bsni_tier_force(bsni_tiers[i].kernels->tier));
        const outcome found = check_cuts(&parser, text, given, i == given[2] % bsni_tier_count);
        if (i == bsni_tier_count - 1) plain = found;
        check_same(&plain, &found);
        check_single(text, &options, &found);
        check_shape(options, text, given, &plain);
    }
    check_round_trips(&parser, text);
    bsn_json_parser_free(&parser);
    fuzz_input_close(&input);
    return 0;
}
