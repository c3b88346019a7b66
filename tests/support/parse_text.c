/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_text.c -- see parse_text.h.
 */
#include "support/parse_text.h"

#include "support/exact_copy.h"
#include "support/expect.h"

static void finish(parsed *p, bsn_out *out)
{
    ck_assert(bsn_out_status(out) == BSN_OK || p->status != BSN_OK);
    bsn_bytes view = {NULL, 0};
    if (bsn_out_view(out, &view)) p->bson.len = view.len;
    bsn_out_free(out);
    p->bson.ptr = p->buf.ptr;
}

parsed parse_document(bsn_str text, const bsn_json_parse_options *options)
{
    parsed p = {0};
    bsn_out out;
    uint8_t *copy = exact_copy(text.ptr, text.len);
    const bsn_str exact = {(const char *)copy, text.len};
    bsn_buf_init(&p.buf, NULL);
    bsn_out_init_buf(&out, &p.buf);
    p.status = bsn_json_parse(exact, options, &out, &p.err);
    p.count = p.status == BSN_OK;
    finish(&p, &out);
    free(copy);
    return p;
}

/* Takes all documents that are whole, every second one as a view. */
static void take_documents(bsn_json_parser *parser, bsn_out *out)
{
    bsn_doc doc;
    for (;;) {
        if (bsn_json_parser_count(parser) % 2 == 0) {
            if (!bsn_json_parser_next_into(parser, out)) return;
        } else {
            if (!bsn_json_parser_next(parser, &doc)) return;
            bsn_out_append(out, doc.ptr, doc.len);
        }
    }
}

static void feed_piece(bsn_json_parser *parser, bsn_out *out, const char *ptr, size_t len)
{
    uint8_t *copy = exact_copy(ptr, len);
    const bsn_str piece = {(const char *)copy, len};
    bsn_json_parser_feed(parser, piece);
    take_documents(parser, out);
    free(copy);
}

parsed parse_cut(bsn_json_parser *parser, bsn_str text, const size_t *cuts, size_t cut_count)
{
    parsed p = {0};
    bsn_out out;
    size_t from = 0;
    bsn_buf_init(&p.buf, NULL);
    bsn_out_init_buf(&out, &p.buf);
    bsn_json_parser_reset(parser);
    for (size_t i = 0; i <= cut_count; i++) {
        const size_t to = i == cut_count ? text.len : cuts[i];
        feed_piece(parser, &out, text.ptr + from, to - from);
        from = to;
    }
    bsn_json_parser_finish(parser);
    take_documents(parser, &out);
    p.status = bsn_json_parser_status(parser, &p.err);
    p.count = bsn_json_parser_count(parser);
    if (p.status == BSN_OK) ck_assert_uint_eq(bsn_json_parser_offset(parser), text.len);
    finish(&p, &out);
    return p;
}

parsed parse_steps(bsn_json_parser *parser, bsn_str text, size_t step)
{
    const size_t count = text.len / step;
    size_t *cuts = malloc((count + 1) * sizeof *cuts);
    ck_assert_ptr_nonnull(cuts);
    for (size_t i = 0; i < count; i++) cuts[i] = (i + 1) * step;
    const parsed p = parse_cut(parser, text, cuts, count);
    free(cuts);
    return p;
}

static bool same_detail(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

void check_same_parse(const parsed *a, const parsed *b, bsn_str text, const char *what)
{
    EXPECT(a->status == b->status, "%s: %s, %s: %.*s", what, bsn_status_text(a->status),
           bsn_status_text(b->status), (int)text.len, text.ptr);
    if (a->status != BSN_OK) {
        EXPECT(a->err.offset == b->err.offset && a->err.line == b->err.line &&
                   a->err.column == b->err.column,
               "%s: at %u (%u:%u), at %u (%u:%u): %.*s", what, (unsigned)a->err.offset, a->err.line,
               a->err.column, (unsigned)b->err.offset, b->err.line, b->err.column, (int)text.len,
               text.ptr);
        EXPECT(same_detail(a->err.detail, b->err.detail), "%s: %s, %s: %.*s", what, a->err.detail,
               b->err.detail, (int)text.len, text.ptr);
    }
    EXPECT(a->count == b->count, "%s: %u and %u documents: %.*s", what, (unsigned)a->count,
           (unsigned)b->count, (int)text.len, text.ptr);
    EXPECT(bsn_bytes_equal(a->bson, b->bson), "%s: other bytes: %.*s", what, (int)text.len,
           text.ptr);
}

void parsed_free(parsed *p)
{
    bsn_buf_free(&p->buf);
}
