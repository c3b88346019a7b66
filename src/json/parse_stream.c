/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_stream.c -- text in pieces. Nearly all of it is parsed where it lies: the window is the piece. When a token has no end in it, its
 * front is kept in the carry, and the next piece is added to it until the token is whole; then the window is the piece again.
 *
 *     piece 1                piece 2
 *     | ..... "abc           def", ........ |
 *              └── carry: "abc│def", .. ┘           `carry_old` bytes are of piece 1
 *
 * Whether the token is whole is asked of a scan that remembers where it was; the machine looks at the carry when that says so, and also
 * whenever the carry has doubled, so that what is wrong is not waited for: all in all each byte is looked at a bounded number of
 * times, however small the pieces are.
 */
#include "json/date.h"
#include "json/parser.h"

/* ---- one document ---- */

static uint32_t first_frames(const bsn_json_parser *j)
{
    return j->depth_max < BSN_DEPTH_DEFAULT ? j->depth_max : BSN_DEPTH_DEFAULT;
}

static void init(bsn_json_parser *j, const bsn_json_parse_options *options)
{
    static const bsn_json_parse_options none = {0};
    const bsn_json_parse_options *o = options == NULL ? &none : options;
    j->depth_max = o->depth_max == 0 ? BSN_DEPTH_DEFAULT : o->depth_max;
    j->size_max =
        o->size_max == 0 || o->size_max > BSN_DOC_SIZE_MAX ? BSN_DOC_SIZE_MAX : o->size_max;
    j->date_flags = (o->sub_ms == BSN_JSON_SUB_MS_FLOOR ? BSNI_DATE_FLOOR : 0u) |
                    (o->legacy ? BSNI_DATE_LEGACY : 0u);
    j->legacy = o->legacy;
    j->refuses_big_int = o->big_int == BSN_JSON_BIG_INT_ERROR;
    j->shape = o->shape;
    j->frames = j->own_frames;
    j->frame_cap = first_frames(j);
    bsn_buf_init(&j->scratch, o->alloc);
    bsn_buf_init(&j->unescaped, o->alloc);
    bsn_buf_init(&j->carry, o->alloc);
}

/* The start of a text. */
static void start_text(bsn_json_parser *j)
{
    bsni_parse_set_window(j, NULL, 0, 0);
    j->line_start = 0;
    j->line = 1;
    j->has_newlines = false;
    j->is_last = false;
    j->state = STATE_START;
    j->doc = j->doc_cur = j->doc_end = NULL;
    j->doc_safe = NULL;
    j->out = NULL;
    j->type_at = 0;
    j->text_at = 0;
    j->text_offset = 0;
    j->key = &bsni_shape_nowhere;
    j->frame = j->frames;
    j->is_single = false;
    j->is_array = false;
    j->is_finished = false;
    j->is_used_up = true;
    j->in_carry = false;
    j->needs_fill = false;
    j->piece.ptr = NULL;
    j->piece.len = 0;
    j->count = 0;
    j->err.status = BSN_OK;
}

void bsn_json_parser_init(bsn_json_parser *parser, const bsn_json_parse_options *options)
{
    init(parser, options);
    start_text(parser);
}

void bsn_json_parser_reset(bsn_json_parser *parser)
{
    start_text(parser);
}

void bsn_json_parser_free(bsn_json_parser *parser)
{
    if (parser->frames != parser->own_frames) {
        bsn_alloc_resize(parser->scratch.alloc, parser->frames,
                         parser->frame_cap * sizeof *parser->frames, 0);
        parser->frames = parser->own_frames;
        parser->frame_cap = first_frames(parser);
    }
    bsn_buf_free(&parser->scratch);
    bsn_buf_free(&parser->unescaped);
    bsn_buf_free(&parser->carry);
    start_text(parser);
}

/* Most documents need no memory of the parser's. */
static bool holds_memory(const bsn_json_parser *j)
{
    return j->scratch.ptr != NULL || j->unescaped.ptr != NULL || j->frames != j->own_frames;
}

/* Hands a finished document to the output. */
static void give(bsn_json_parser *j, bsn_out *out)
{
    if (j->out != NULL) {
        bsn_out_advance(out, bsni_doc_len(j));
    } else {
        bsn_out_append(out, j->doc, bsni_doc_len(j));
    }
    j->out = NULL;
}

static bsn_status report(const bsn_json_parser *j, bsn_error *err)
{
    if (j->err.status != BSN_OK && err != NULL) *err = j->err;
    return j->err.status;
}

bsn_status bsn_json_parse(bsn_str text, const bsn_json_parse_options *options, bsn_out *out,
                          bsn_error *err)
{
    bsn_json_parser parser;
    init(&parser, options);
    start_text(&parser);
    parser.is_single = true;
    parser.is_last = true;
    bsni_parse_set_window(&parser, (const uint8_t *)text.ptr, text.len, 0);
    const bsn_out_mark before = bsn_out_get_mark(out);
    bsn_status status;
    if (bsni_parse_run(&parser, out) == TOKEN_DOCUMENT &&
        bsni_parse_run(&parser, NULL) == TOKEN_END) {
        give(&parser, out);
        status = bsn_out_status(out);
        if (status != BSN_OK) bsn_error_set(err, status, 0, NULL);
        if (status != BSN_OK && status != BSN_E_SPACE) bsn_out_rollback(out, before);
    } else {
        status = report(&parser, err);
    }
    if (holds_memory(&parser)) bsn_json_parser_free(&parser);
    return status;
}

/* ---- the end of a token ---- */

enum { SCAN_NEW, SCAN_STRING, SCAN_WORD, SCAN_OPEN, SCAN_OBJECT, SCAN_OBJECT_STRING, SCAN_WHOLE };

static bool is_word_byte(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == '-' ||
           byte == '+' || byte == '.' || byte == 'E';
}

static uint8_t scan_kind(uint8_t first)
{
    if (first == '"') return SCAN_STRING;
    if (first == '{') return SCAN_OPEN;
    if (first == ',') return SCAN_OBJECT; /* the code behind a scope */
    return is_word_byte(first) ? SCAN_WORD : SCAN_WHOLE;
}

/* Moves *at behind the quote that ends a string; control characters end it too: they are at fault. False when it goes on. */
static bool scan_string(bsn_bytes text, size_t *at)
{
    while (*at < text.len) {
        const uint8_t byte = text.ptr[*at];
        if (byte == '\\') {
            if (text.len - *at < 2) return false;
            *at += 2;
            continue;
        }
        ++*at;
        if (byte == '"' || byte < 0x20) return true;
    }
    return false;
}

/* Brackets and strings within an object, until it ends. */
static bool scan_object(bsn_json_parser *j, bsn_bytes text)
{
    while (j->token_at < text.len) {
        if (j->token_state == SCAN_OBJECT_STRING) {
            if (!scan_string(text, &j->token_at)) return false;
            j->token_state = SCAN_OBJECT;
            continue;
        }
        const uint8_t byte = text.ptr[j->token_at++];
        if (byte == '"') j->token_state = SCAN_OBJECT_STRING;
        if (byte == '{') j->token_depth++;
        if (byte == '}' && --j->token_depth == 0) return true;
    }
    return false;
}

/* An object up to the end of its first key, which tells whether all of it is one token; anything but a key ends it too. */
static bool scan_open(bsn_json_parser *j, bsn_bytes text)
{
    while (j->token_depth == 0 && j->token_at < text.len) {
        const uint8_t byte = text.ptr[j->token_at++];
        if (byte == '"') j->token_depth = 1;
        if (byte > ' ' && byte != '"') return true;
    }
    return j->token_depth != 0 && scan_string(text, &j->token_at);
}

/* True when the token at the front of the carry is whole, or may be. */
static bool scan_token(bsn_json_parser *j, bsn_bytes text)
{
    if (text.len == 0) return false;
    if (j->token_state == SCAN_NEW) {
        j->token_state = scan_kind(text.ptr[0]);
        j->token_at = 1;
        j->token_depth = j->token_state == SCAN_OBJECT ? 1 : 0;
    }
    switch (j->token_state) {
    case SCAN_STRING: return scan_string(text, &j->token_at);
    case SCAN_WORD:
        while (j->token_at < text.len && is_word_byte(text.ptr[j->token_at])) j->token_at++;
        return j->token_at < text.len;
    case SCAN_OPEN:
        if (!scan_open(j, text)) return false;
        /* If the machine wants more, it is a wrapper. */
        j->token_state = SCAN_OBJECT;
        j->token_depth = 1;
        return true;
    case SCAN_OBJECT:
    case SCAN_OBJECT_STRING: return scan_object(j, text);
    default: return true;
    }
}

/* ---- windows ---- */

/* Bytes that are added to the carry at a time: enough for most tokens, little to copy. */
#define CARRY_STEP 64

static bool fail_memory(bsn_json_parser *j, bsn_status status)
{
    bsni_parse_set_error(j, status, j->cur, NULL);
    return false;
}

static void start_scan(bsn_json_parser *j, size_t old)
{
    j->carry_old = old;
    j->carry_tried = 0;
    j->token_state = SCAN_NEW;
}

/* What is left of the piece, the front of a token, becomes the carry. */
static bool keep_rest(bsn_json_parser *j)
{
    const bsn_bytes rest = {j->cur, (size_t)(j->end - j->cur)};
    const uint64_t offset = j->window_offset + (size_t)(j->cur - j->window);
    bsni_parse_count_lines(j, j->cur);
    j->carry.len = 0;
    if (rest.len != 0) {
        const bsn_status status = bsn_buf_append(&j->carry, rest);
        if (status != BSN_OK) return fail_memory(j, status);
    }
    j->in_carry = rest.len != 0;
    start_scan(j, rest.len);
    bsni_parse_set_window(j, j->carry.ptr, j->carry.len, offset);
    if (j->in_carry) (void)scan_token(j, bsn_buf_view(&j->carry));
    j->carry_tried = rest.len;
    return true;
}

/* The window is the carry; where the machine stood stays. */
static void show_carry(bsn_json_parser *j)
{
    bsni_parse_set_window(j, j->carry.ptr, j->carry.len, j->window_offset);
}

/* Behind the bytes of earlier pieces: the window is the piece, as much of it as was not looked at. */
static void back_to_piece(bsn_json_parser *j)
{
    const size_t left = (size_t)(j->end - j->cur);
    const uint64_t offset = j->window_offset + (size_t)(j->cur - j->window);
    bsni_parse_count_lines(j, j->cur);
    j->in_carry = false;
    j->carry.len = 0;
    bsni_parse_set_window(j, (const uint8_t *)j->piece.ptr - left, j->piece.len + left, offset);
    j->piece.len = 0;
}

/* Drops what the machine has taken of the carry. */
static void drop_front(bsn_json_parser *j)
{
    const size_t taken = (size_t)(j->cur - j->window);
    if (taken == 0) return;
    bsni_parse_count_lines(j, j->cur);
    j->carry.len -= taken;
    memmove(j->carry.ptr, j->carry.ptr + taken, j->carry.len);
    j->window_offset += taken;
    start_scan(j, j->carry_old - taken);
    show_carry(j);
}

/* Adds bytes of the piece to the carry until the token may be whole, and it is not what was tried before: true. False: the piece is
 * used up. */
static bool fill_carry(bsn_json_parser *j)
{
    while (!scan_token(j, bsn_buf_view(&j->carry)) || j->carry.len == j->carry_tried) {
        if (j->carry.len >= 2 * j->carry_tried && j->carry_tried >= CARRY_STEP) break;
        const size_t wanted = j->carry.len > CARRY_STEP ? j->carry.len : CARRY_STEP;
        const size_t n = j->piece.len < wanted ? j->piece.len : wanted;
        if (n == 0) return false;
        const bsn_bytes bytes = {(const uint8_t *)j->piece.ptr, n};
        const bsn_status status = bsn_buf_append(&j->carry, bytes);
        if (status != BSN_OK) return fail_memory(j, status);
        j->piece.ptr += n;
        j->piece.len -= n;
    }
    j->carry_tried = j->carry.len;
    return true;
}

/* After the machine has asked for more text than the window has: the next one. False: the piece is used up, or there is no memory. */
static bool next_window(bsn_json_parser *j)
{
    if (!bsni_doc_spill(j)) return false;
    if (!j->in_carry) {
        j->is_used_up = true;
        (void)keep_rest(j);
        return false;
    }
    if ((size_t)(j->cur - j->window) >= j->carry_old) {
        back_to_piece(j);
    } else {
        drop_front(j);
        j->needs_fill = true;
    }
    return true;
}

/* Makes the carry ready to be looked at. False: the piece is used up, or there is no memory. */
static bool ready_carry(bsn_json_parser *j)
{
    const bool is_whole = fill_carry(j);
    show_carry(j);
    if (j->err.status != BSN_OK) return false;
    if (!is_whole && !j->is_finished) {
        j->is_used_up = true;
        return false;
    }
    j->needs_fill = false;
    return true;
}

/* Goes on until a document is finished: true. */
static bool advance(bsn_json_parser *j, bsn_out *out)
{
    while (j->err.status == BSN_OK && !j->is_used_up) {
        if (j->needs_fill && !ready_carry(j)) return false;
        j->is_last = j->is_finished && j->piece.len == 0;
        const bsni_token token = bsni_parse_run(j, out);
        if (token == TOKEN_DOCUMENT) {
            j->count++;
            return true;
        }
        if (token != TOKEN_MORE || !next_window(j)) return false;
    }
    return false;
}

/* ---- the interface of streams ---- */

void bsn_json_parser_feed(bsn_json_parser *parser, bsn_str piece)
{
    if (parser->err.status != BSN_OK) return;
    if (!parser->is_used_up || parser->is_finished) {
        bsni_parse_set_error(parser, BSN_E_STATE, parser->cur,
                             "a piece before the last one was used up");
        return;
    }
    if (piece.len == 0) return;
    parser->is_used_up = false;
    if (!parser->in_carry) {
        const uint64_t offset = parser->window_offset + (size_t)(parser->cur - parser->window);
        bsni_parse_set_window(parser, (const uint8_t *)piece.ptr, piece.len, offset);
        return;
    }
    parser->carry_old = parser->carry.len;
    parser->piece = piece;
    parser->needs_fill = true;
}

void bsn_json_parser_finish(bsn_json_parser *parser)
{
    if (parser->is_used_up) parser->needs_fill = parser->in_carry;
    parser->is_finished = true;
    parser->is_used_up = false;
}

bool bsn_json_parser_next(bsn_json_parser *parser, bsn_doc *doc)
{
    if (!advance(parser, NULL)) return false;
    doc->ptr = parser->doc;
    doc->len = bsni_doc_len(parser);
    return true;
}

bool bsn_json_parser_next_into(bsn_json_parser *parser, bsn_out *out)
{
    if (!advance(parser, out)) return false;
    give(parser, out);
    return true;
}

bsn_status bsn_json_parser_status(const bsn_json_parser *parser, bsn_error *err)
{
    return report(parser, err);
}

bool bsn_json_parser_skip_line(bsn_json_parser *parser)
{
    const bsn_status status = parser->err.status;
    if (status == BSN_OK || status == BSN_E_NOMEM || status == BSN_E_STATE || parser->is_array) {
        return false;
    }
    parser->cur = parser->window;
    if (parser->err.offset > parser->window_offset) { /* else on the line at hand */
        parser->cur += (size_t)(parser->err.offset - parser->window_offset);
    }
    parser->err.status = BSN_OK;
    parser->state = STATE_SKIP;
    parser->frame = parser->frames;
    parser->out = NULL;
    return true;
}

uint64_t bsn_json_parser_count(const bsn_json_parser *parser)
{
    return parser->count;
}

uint64_t bsn_json_parser_offset(const bsn_json_parser *parser)
{
    return parser->window_offset + (size_t)(parser->cur - parser->window);
}
