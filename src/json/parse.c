/* SPDX-License-Identifier: Apache-2.0
 *
 * parse.c -- the machine: Extended JSON, token by token, to BSON that is written where it stays.
 *
 * Each state has a step that takes one token, wherever the window ends and whatever it is: together they are the parser. In front of them
 * runs the loop of parse_common.c, which leaves everything that is not common, faults too, to the steps.
 *
 *   between documents   START  FIRST  DOCUMENT             lines, or values one after another
 *                       FIRST_ITEM  NEXT_ITEM  ITEM_END    one array
 *                       REST
 *   in a document       FIRST_KEY  KEY  COLON  VALUE  AFTER
 *   in an array         FIRST_VALUE  NEXT_VALUE  (VALUE)  AFTER
 *   in a wrapper        SCOPE_END  SCOPE_CODE              all other wrappers are one token
 *
 * The type byte and the key are written when the key is read, the type when the value tells it.
 */
#include "bson/array_index.h"
#include "simd/simd.h"
#include "json/digits.h"
#include "json/number.h"
#include "json/parser.h"

/* ---- containers ---- */

static bool in_array(const bsn_json_parser *j)
{
    return j->frame->kind == IN_ARRAY;
}

/* One frame more, of memory when the parser's own are used up. */
static bsni_token grow_frames(bsn_json_parser *j, const uint8_t *at)
{
    const bool first = j->frames == j->own_frames;
    const size_t depth = (size_t)(j->frame - j->frames) + 1;
    const uint32_t cap = j->frame_cap < j->depth_max / 2 ? 2 * j->frame_cap : j->depth_max;
    const size_t old_len = j->frame_cap * sizeof *j->frames;
    if (depth >= j->depth_max)
        return bsni_parse_fail(j, BSN_E_DEPTH, at, "the limit of levels is reached");
    if (depth < j->frame_cap) return TOKEN_OK;
    bsn_json_frame *frames = bsn_alloc_resize(j->scratch.alloc, first ? NULL : j->frames,
                                              first ? 0 : old_len, cap * sizeof *j->frames);
    if (frames == NULL) return bsni_parse_fail(j, BSN_E_NOMEM, at, NULL);
    if (first) memcpy(frames, j->own_frames, old_len);
    j->frames = frames;
    j->frame = frames + depth - 1;
    j->frame_cap = cap;
    return TOKEN_OK;
}

bsni_token bsni_parse_push(bsn_json_parser *j, uint8_t kind, const uint8_t *at)
{
    const bsni_token token = grow_frames(j, at);
    if (token != TOKEN_OK) return token;
    j->frame->key = j->key;
    j->key = bsni_enter_shape(j, kind, j->key);
    bsni_open_frame(++j->frame, kind, bsni_doc_len(j));
    j->doc_cur += 4;
    return TOKEN_OK;
}

/* Writes the head of an array's next element. */
static void begin_item(bsn_json_parser *j)
{
    bsn_json_frame *frame = j->frame;
    j->type_at = bsni_doc_len(j);
    if (frame->digit_count != 0) {
        j->doc_cur = bsni_put_index(frame, j->doc_cur + 1);
        return;
    }
    uint8_t *to = j->doc_cur + 1;
    const size_t len = bsni_index_text(frame->index++, to);
    to[len] = 0;
    j->doc_cur += len + 2;
}

/* ---- between documents ---- */

static bsni_token take_start(bsn_json_parser *j)
{
    static const uint8_t mark[] = {0xEF, 0xBB, 0xBF};
    const size_t left = (size_t)(j->end - j->cur);
    const size_t n = left < sizeof mark ? left : sizeof mark;
    j->state = STATE_FIRST;
    if (memcmp(j->cur, mark, n) != 0) return TOKEN_OK;
    if (n == sizeof mark) {
        j->cur += n;
    } else if (!j->is_last) {
        j->state = STATE_START;
        return TOKEN_MORE;
    }
    return TOKEN_OK;
}

static bsni_token begin_document(bsn_json_parser *j, bsn_out *out)
{
    if (j->depth_max < 1)
        return bsni_parse_fail(j, BSN_E_DEPTH, j->cur, "the limit of levels is reached");
    bsni_parse_count_lines(j, j->cur);
    if (!bsni_doc_begin(j, out)) return TOKEN_FAILED;
    j->frame = j->frames;
    bsni_open_frame(j->frame, IN_DOCUMENT, 0);
    j->key = j->shape != NULL ? bsni_shape_begin(j->shape) : &bsni_shape_nowhere;
    j->doc_cur += 4;
    j->cur++;
    j->state = STATE_FIRST_KEY;
    return TOKEN_OK;
}

/* The window is used up between two documents. */
static bsni_token end_between(bsn_json_parser *j, const char *detail)
{
    if (!j->is_last) return TOKEN_MORE;
    const bool may_end = !j->is_single && (j->state == STATE_FIRST || j->state == STATE_DOCUMENT);
    if (may_end || j->state == STATE_REST) return TOKEN_END;
    return bsni_parse_fail(j, BSN_E_SHORT, j->end, detail);
}

static const char *expected_between(const bsn_json_parser *j)
{
    switch (j->state) {
    case STATE_FIRST:
        return j->is_single ? "a document was expected"
                            : "a document or an array of them was expected";
    case STATE_FIRST_ITEM: return "a document or ']' was expected";
    case STATE_ITEM_END: return "',' or ']' was expected";
    case STATE_REST: return "nothing more was expected";
    default: return "a document was expected";
    }
}

static bool opens_document(const bsn_json_parser *j, uint8_t byte)
{
    return byte == '{' && j->state != STATE_ITEM_END && j->state != STATE_REST;
}

/* The rest of a faulty line. */
static bsni_token skip_line(bsn_json_parser *j)
{
    const size_t left = (size_t)(j->end - j->cur);
    const uint8_t *feed = memchr(j->cur, '\n', left);
    j->has_newlines = true;
    j->cur = feed == NULL ? j->end : feed + 1;
    if (feed == NULL) return j->is_last ? TOKEN_END : TOKEN_MORE;
    j->state = STATE_DOCUMENT;
    return TOKEN_OK;
}

static bsni_token take_between(bsn_json_parser *j, bsn_out *out)
{
    j->cur = bsni_parse_blanks(j, j->cur);
    if (j->cur == j->end) return end_between(j, expected_between(j));
    const uint8_t byte = *j->cur;
    if (opens_document(j, byte)) return begin_document(j, out);
    if (byte == '[' && j->state == STATE_FIRST && !j->is_single) {
        j->is_array = true;
        j->state = STATE_FIRST_ITEM;
    } else if (byte == ',' && j->state == STATE_ITEM_END) {
        j->state = STATE_NEXT_ITEM;
    } else if (byte == ']' && (j->state == STATE_FIRST_ITEM || j->state == STATE_ITEM_END)) {
        j->state = STATE_REST;
    } else {
        const bool trailing = j->state == STATE_REST || j->state == STATE_DOCUMENT;
        return bsni_parse_fail(j, trailing ? BSN_E_TRAILING : BSN_E_SYNTAX, j->cur,
                               expected_between(j));
    }
    j->cur++;
    return TOKEN_OK;
}

static uint8_t state_between(const bsn_json_parser *j)
{
    if (j->is_single) return STATE_REST;
    return j->is_array ? STATE_ITEM_END : STATE_DOCUMENT;
}

/* ---- keys ---- */

/* The '}' or ']' at cur. */
static bsni_token take_end(bsn_json_parser *j)
{
    *j->doc_cur++ = 0;
    if (bsni_doc_len(j) > j->size_max) {
        return bsni_parse_fail(j, BSN_E_SIZE, j->cur, "the document is too large");
    }
    j->cur++;
    const bsn_json_frame *frame = j->frame;
    bsn_store_i32(j->doc + frame->start, (int32_t)(bsni_doc_len(j) - frame->start));
    if (frame == j->frames) {
        j->state = state_between(j);
        if (j->shape != NULL) bsni_shape_end(j->shape, bsni_doc_len(j));
        if (j->has_newlines) bsni_parse_count_lines(j, j->cur);
        return TOKEN_DOCUMENT;
    }
    if (frame->kind == IN_SCOPE) { /* the total length of code and scope */
        bsn_store_i32(j->doc + frame->index, (int32_t)(bsni_doc_len(j) - (size_t)frame->index));
    }
    j->state = frame->kind == IN_SCOPE         ? STATE_SCOPE_END
               : frame->kind == IN_FIRST_SCOPE ? STATE_SCOPE_CODE
                                               : STATE_AFTER;
    j->frame--;
    j->key = j->frame->key;
    return TOKEN_OK;
}

/* The key at cur. In an embedded document none may be a wrapper's: the first key would have made it one. */
static bsni_token step_key_text(bsn_json_parser *j)
{
    const bsni_token token = bsni_parse_rest_of_text(j, TEXT_KEY);
    if (token != TOKEN_OK) return token;
    const bsn_str key = {(const char *)j->doc + j->text_at, bsni_doc_len(j) - j->text_at};
    if (j->frame != j->frames && bsni_special_key(key) != SPECIAL_NONE) {
        return bsni_parse_fail_before(
            j, BSN_E_SYNTAX, j->text_offset,
            "this key makes an object a wrapper, in which no other may stand");
    }
    *j->doc_cur++ = 0;
    j->state = STATE_COLON;
    return TOKEN_OK;
}

static bsni_token take_key(bsn_json_parser *j)
{
    j->type_at = bsni_doc_len(j);
    j->doc_cur++;
    bsni_parse_open_text(j, STATE_KEY_TEXT);
    return step_key_text(j);
}

static bsni_token step_key(bsn_json_parser *j)
{
    const bool first = j->state == STATE_FIRST_KEY;
    const char *detail = first ? "a key in double quotes or '}' was expected"
                               : "a key in double quotes was expected";
    if (j->cur == j->end) return bsni_parse_short(j, detail);
    if (!bsni_doc_ready(j)) return TOKEN_FAILED;
    if (*j->cur == '"') return take_key(j);
    if (*j->cur == '}' && first) return take_end(j);
    return bsni_parse_fail(j, BSN_E_SYNTAX, j->cur, detail);
}

static bsni_token step_colon(bsn_json_parser *j)
{
    static const char detail[] = "':' was expected";
    if (j->cur == j->end) return bsni_parse_short(j, detail);
    if (*j->cur != ':') return bsni_parse_fail(j, BSN_E_SYNTAX, j->cur, detail);
    j->cur++;
    j->state = STATE_VALUE;
    return TOKEN_OK;
}

/* ---- values ---- */

static bsni_token step_string_text(bsn_json_parser *j)
{
    const bsni_token token = bsni_parse_rest_of_text(j, TEXT_ANY);
    if (token != TOKEN_OK) return token;
    *j->doc_cur++ = 0;
    bsn_store_i32(j->doc + j->text_at - 4, (int32_t)(bsni_doc_len(j) - j->text_at));
    bsni_set_type(j, BSN_TYPE_STRING);
    j->state = STATE_AFTER;
    return TOKEN_OK;
}

static bsni_token take_string(bsn_json_parser *j)
{
    j->doc_cur += 4;
    bsni_parse_open_text(j, STATE_STRING_TEXT);
    return step_string_text(j);
}

static bsni_token take_number(bsn_json_parser *j)
{
    const bsn_str text = {(const char *)j->cur, (size_t)(j->end - j->cur)};
    bsni_number number;
    const bsn_status status = bsni_number_take(text, &number);
    if (number.len == text.len) return bsni_parse_short(j, "the rest of a number");
    if (status == BSN_E_SYNTAX) {
        return bsni_parse_fail(j, status, j->cur + number.len, "a digit was expected");
    }
    if (status != BSN_OK) {
        return bsni_parse_fail(j, status, j->cur, "the number is larger than any double");
    }
    if (number.kind == BSNI_NUMBER_BEYOND && j->refuses_big_int) {
        return bsni_parse_fail(j, BSN_E_RANGE, j->cur, "the integer is larger than 64 bits hold");
    }
    size_t len;
    bsni_set_type(j, bsni_put_number(&number, j->doc_cur, &len));
    j->doc_cur += len;
    j->cur += number.len;
    j->state = STATE_AFTER;
    return TOKEN_OK;
}

typedef struct word_value {
    char text[8];
    uint8_t len;
    uint8_t type;
    uint8_t value_len;
    uint8_t value;
} word_value;

static const word_value words[] = {
    {"true", 4, BSN_TYPE_BOOLEAN, 1, 1},
    {"false", 5, BSN_TYPE_BOOLEAN, 1, 0},
    {"null", 4, BSN_TYPE_NULL, 0, 0},
};

static bsni_token take_word(bsn_json_parser *j, const word_value *word)
{
    const size_t left = (size_t)(j->end - j->cur);
    for (size_t i = 0; i < word->len; i++) {
        if (i == left) return bsni_parse_short(j, "the rest of true, false or null");
        if (j->cur[i] != (uint8_t)word->text[i]) {
            return bsni_parse_fail(j, BSN_E_SYNTAX, j->cur, "a value was expected");
        }
    }
    *j->doc_cur = word->value;
    j->doc_cur += word->value_len;
    j->doc[j->type_at] = word->type;
    j->cur += word->len;
    j->state = STATE_AFTER;
    return TOKEN_OK;
}

static bsni_token open_container(bsn_json_parser *j, bsn_type type, uint8_t kind, uint8_t state)
{
    const bsni_token token = bsni_parse_push(j, kind, j->cur);
    if (token != TOKEN_OK) return token;
    bsni_set_type(j, type);
    j->cur++;
    j->state = state;
    return TOKEN_OK;
}

static bsni_token take_object(bsn_json_parser *j)
{
    switch (bsni_parse_object(j)) {
    case OBJECT_WRAPPER: j->state = STATE_AFTER; return TOKEN_OK;
    case OBJECT_DOCUMENT: return open_container(j, BSN_TYPE_DOCUMENT, IN_DOCUMENT, STATE_FIRST_KEY);
    case OBJECT_SCOPE: return TOKEN_OK;
    case OBJECT_MORE: return TOKEN_MORE;
    default: return TOKEN_FAILED;
    }
}

/* What people write who have JavaScript in mind is told from what nobody means. */
static const char *expected_value(uint8_t byte)
{
    if (byte == '\'') return "a value was expected: strings have double quotes";
    if (byte >= 'A' && byte <= 'Z') return "a value was expected, of JSON and not of JavaScript";
    return "a value was expected";
}

static bsni_token step_value(bsn_json_parser *j)
{
    if (j->cur == j->end) return bsni_parse_short(j, "a value was expected");
    if (!bsni_doc_reserve(j, BSNI_DOC_MARGIN)) return TOKEN_FAILED;
    switch (*j->cur) {
    case '"': return take_string(j);
    case '{': return take_object(j);
    case '[': return open_container(j, BSN_TYPE_ARRAY, IN_ARRAY, STATE_FIRST_VALUE);
    case 't': return take_word(j, &words[0]);
    case 'f': return take_word(j, &words[1]);
    case 'n': return take_word(j, &words[2]);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return take_number(j);
    default: return bsni_parse_fail(j, BSN_E_SYNTAX, j->cur, expected_value(*j->cur));
    }
}

/* The first value of an array, or its end; or the one behind a comma. */
static bsni_token step_item(bsn_json_parser *j)
{
    const bool first = j->state == STATE_FIRST_VALUE;
    const char *detail = first ? "a value or ']' was expected" : "a value was expected";
    if (j->cur == j->end) return bsni_parse_short(j, detail);
    if (!bsni_doc_ready(j)) return TOKEN_FAILED;
    if (*j->cur == ']') {
        if (first) return take_end(j);
        return bsni_parse_fail(j, BSN_E_SYNTAX, j->cur, detail);
    }
    begin_item(j);
    j->state = STATE_VALUE;
    return TOKEN_OK;
}

static bsni_token step_after(bsn_json_parser *j)
{
    const char *detail = in_array(j) ? "',' or ']' was expected" : "',' or '}' was expected";
    if (j->cur == j->end) return bsni_parse_short(j, detail);
    if (*j->cur == ',') {
        j->state = in_array(j) ? STATE_NEXT_VALUE : STATE_KEY;
        j->cur++;
        return TOKEN_OK;
    }
    if (*j->cur != (in_array(j) ? ']' : '}')) {
        return bsni_parse_fail(j, BSN_E_SYNTAX, j->cur, detail);
    }
    return bsni_doc_ready(j) ? take_end(j) : TOKEN_FAILED;
}

static bsni_token step_scope_end(bsn_json_parser *j)
{
    static const char detail[] = "'}' was expected behind the scope";
    if (j->cur == j->end) return bsni_parse_short(j, detail);
    if (*j->cur != '}') return bsni_parse_fail(j, BSN_E_SYNTAX, j->cur, detail);
    j->cur++;
    j->state = STATE_AFTER;
    return TOKEN_OK;
}

/* ---- the loop ---- */

static bsni_token step(bsn_json_parser *j, bsn_out *out)
{
    if (j->state > STATE_SKIP) j->cur = bsni_parse_blanks(j, j->cur);
    switch (j->state) {
    case STATE_START: return take_start(j);
    case STATE_KEY_TEXT: return step_key_text(j);
    case STATE_STRING_TEXT: return step_string_text(j);
    case STATE_FIRST_KEY:
    case STATE_KEY: return step_key(j);
    case STATE_COLON: return step_colon(j);
    case STATE_VALUE: return step_value(j);
    case STATE_FIRST_VALUE:
    case STATE_NEXT_VALUE: return step_item(j);
    case STATE_AFTER: return step_after(j);
    case STATE_SCOPE_END: return step_scope_end(j);
    case STATE_SCOPE_CODE:
        if (j->cur == j->end)
            return bsni_parse_short(j, "\"$code\" was expected behind \"$scope\"");
        return bsni_parse_scope_code(j);
    case STATE_SKIP: return skip_line(j);
    default: return take_between(j, out);
    }
}

static void take_common(bsn_json_parser *j)
{
#ifdef BSONIC_HAS_WIDE
    if (bsni_kernels()->is_wide) {
        bsni_parse_common_wide(j);
        return;
    }
#endif
    bsni_parse_common(j);
}

bsni_token bsni_parse_run(bsn_json_parser *j, bsn_out *out)
{
    j->to_nearest = bsni_rounds_to_nearest();
    for (;;) {
        take_common(j);
        /* Memory that was refused once must not be there when a step asks again. */
        if (BSN_UNLIKELY(j->err.status != BSN_OK)) return TOKEN_FAILED;
        if (j->cur >= j->safe && j->is_last && j->window != j->tail) {
            bsni_parse_show_tail(j);
            continue;
        }
        const bsni_token token = step(j, out);
        if (token != TOKEN_OK) return token;
    }
}
