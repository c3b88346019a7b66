/* SPDX-License-Identifier: Apache-2.0
 *
 * print.c -- BSON to text: one pass over the elements, an explicit stack for what is open, no tree.
 *
 *   element   separator  "key":  value           the separator of the first element is the bracket that opens its container;
 *             { [ or ,                           no element: the bracket is put by the end
 *
 * There is one walk, compiled twice: plain, and shaped, where lines, limits of length and scripts are asked for.
 *
 * An element begins with room for everything of it but long text, so nothing within it asks for room byte by byte; long text
 * makes room for itself piece by piece.
 *
 * Faults are found but not judged here: an embedded document is judged by its frame before its text is read, so the first
 * fault met need not be the first one in byte order. Whatever is found, bsn_validate then says what it is.
 */
#include "json/date.h"
#include "json/number.h"
#include "json/printer.h"

#include "base/debug.h"
#include "bson/element.h"
#include "simd/simd.h"

#include <bsonic/validate.h>

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

/* What the containers in which an element can stand are; a lookalike is a document or scope that was counted as one. */
enum { IN_DOCUMENT = 0, IN_ARRAY = 1, IN_SCOPE = 2, IS_LOOKALIKE = 4 };

/* ---- nesting ---- */

/* Room for more frames, when the first ones are used up: the limit is above BSN_DEPTH_DEFAULT, and there is an allocator. */
static bool grow_frames(bsni_printer *p)
{
    const size_t old_len = p->frame_cap * sizeof *p->frames;
    const bool first = p->frames == p->first_frames;
    bsni_print_frame *frames =
        bsn_alloc_resize(p->alloc, first ? NULL : p->frames, first ? 0 : old_len, 2 * old_len);
    if (frames == NULL) {
        p->out_of_memory = true;
        return false;
    }
    if (first) memcpy(frames, p->first_frames, old_len);
    p->frames = frames;
    p->frame_cap *= 2;
    return true;
}

static void free_frames(bsni_printer *p)
{
    if (p->frames == p->first_frames) return;
    bsn_alloc_resize(p->alloc, p->frames, p->frame_cap * sizeof *p->frames, 0);
}

/* Remembers the container at hand, which is `depth` deep, while another one in it is printed. False at the limits of depth and
 * memory. */
static bool push(bsni_printer *p, uint32_t depth, const uint8_t *end, uint32_t kind)
{
    if (BSN_UNLIKELY(depth >= p->depth_max)) return false;
    if (BSN_UNLIKELY(depth > p->frame_cap) && !grow_frames(p)) return false;
    p->frames[depth - 1].end = (uint32_t)(end - p->base);
    p->frames[depth - 1].kind = kind;
    return true;
}

/* ---- draining ---- */

#define DRAIN_DEFAULT ((size_t)256 * 1024)

static bsn_status validate(bsn_doc doc, const bsn_json_options *options, bsn_error *err)
{
    const bsn_validate_options as = {
        .level = options->utf8 == BSN_JSON_UTF8_ERROR ? BSN_LEVEL_UTF8 : BSN_LEVEL_STRUCTURE,
        .depth_max = options->depth_max,
        .alloc = options->alloc};
    return bsn_validate(bsn_doc_bytes(doc), &as, NULL, err);
}

/* Has the output drained; before the first time the document must be known to be sound. */
static bool drain(bsni_printer *p)
{
    const bsn_json_options *o = p->options;
    if (!p->sound) {
        p->wants_proof = bsni_seeks_lookalikes(p) && o->reversible;
        if (p->wants_proof) return false;
        if (validate(p->doc, o, &p->drain_err) != BSN_OK) return false;
        p->sound = true;
    }
    const bsn_status status = o->drain(o->drain_ctx, p->sink.out, &p->drain_err);
    if (status == BSN_OK) return true;
    p->drain_err.status = status;
    return false;
}

/* Looks where the text will have to be cut, in the room that there is from dst on. Returns dst. */
static uint8_t *aim(bsni_printer *p, uint8_t *dst)
{
    const size_t room = bsni_sink_room(&p->sink, dst);
    p->cut_at = p->length_left < room ? dst + p->length_left : p->sink.room_end;
    return dst;
}

uint8_t *bsni_print_turn(bsni_printer *p, const uint8_t *dst)
{
    const bsn_json_options *o = p->options;
    if (BSN_UNLIKELY(dst > p->cut_at)) {
        bsni_print_cut(p);
        return NULL;
    }
    p->length_left -= (size_t)(dst - p->sink.start);
    bsni_sink_close(&p->sink, dst);
    if (o->drain != NULL && !bsni_sink_failed(&p->sink)) {
        const size_t least = o->drain_min != 0 ? o->drain_min : DRAIN_DEFAULT;
        if (bsn_out_unsent(p->sink.out) >= least && !drain(p)) {
            bsni_sink_reserve(&p->sink);
            return NULL;
        }
    }
    uint8_t *fresh = aim(p, bsni_sink_reserve(&p->sink));
    return bsni_sink_failed(&p->sink) ? NULL : fresh;
}

/* Takes back what has been printed since the mark and has not been drained. */
static void take_back(bsn_out *out, bsn_out_mark mark)
{
    if (mark.total < out->total_sent) mark.total = out->total_sent;
    bsn_out_rollback(out, mark);
}

/* ---- values ---- */

static uint8_t *put_string(bsni_printer *p, uint8_t *dst, const uint8_t *value)
{
    *dst++ = '"';
    dst = bsni_put_text(p, dst, value + 4, bsn_load_u32(value) - 1);
    if (BSN_LIKELY(dst != NULL)) *dst++ = '"';
    return dst;
}

static uint8_t *put_integer(uint8_t *dst, int64_t value)
{
    return dst + bsni_int64_to_text(value, (char *)dst);
}

static uint8_t *put_wrapped_integer(uint8_t *dst, int64_t value, const bsni_wrap *wrap)
{
    dst = bsni_put_literal(dst, &wrap->open);
    dst = put_integer(dst, value);
    return bsni_put_literal(dst, &wrap->close);
}

static uint8_t *put_int32(const bsni_style *style, uint8_t *dst, int32_t value)
{
    if (style->plain_int32) return put_integer(dst, value);
    return put_wrapped_integer(dst, value, &style->int32);
}

static uint8_t *put_int64(const bsni_style *style, uint8_t *dst, int64_t value)
{
    if (value >= style->plain_int64_least && value <= style->plain_int64_greatest) {
        return put_integer(dst, value);
    }
    return put_wrapped_integer(dst, value, &style->int64);
}

static bool is_int32(double value)
{
    return value >= INT32_MIN && value <= INT32_MAX && value == (double)(int32_t)value;
}

static uint8_t *put_double(const bsni_style *style, uint8_t *dst, const uint8_t *value)
{
    const uint64_t infinity = 0x7FF0000000000000u, sign = 0x8000000000000000u;
    const uint64_t bits = bsn_load_u64(value);
    if (BSN_UNLIKELY((bits & infinity) == infinity)) {
        if ((bits & ~sign) != infinity) return bsni_put_literal(dst, &style->nan);
        return bsni_put_literal(dst, bits == infinity ? &style->infinity : &style->minus_infinity);
    }
    const bool plain = style->plain_double == PLAIN_ALL ||
                       (style->plain_double == PLAIN_NO_INT32 && !is_int32(bsn_load_f64(value)));
    if (plain) return dst + bsni_double_to_text(bsn_load_f64(value), (char *)dst);
    dst = bsni_put_literal(dst, &style->real.open);
    dst += bsni_double_to_text(bsn_load_f64(value), (char *)dst);
    return bsni_put_literal(dst, &style->real.close);
}

static uint8_t *put_boolean(uint8_t *dst, bool value)
{
    memcpy(dst, value ? "true" : "fals", 4);
    dst[4] = 'e';
    return dst + (value ? 4 : 5);
}

static uint8_t *put_null(uint8_t *dst)
{
    memcpy(dst, "null", 4);
    return dst + 4;
}

static uint8_t *put_date(const bsni_style *style, uint8_t *dst, int64_t milliseconds)
{
    if (milliseconds < style->iso_date_least || milliseconds > style->iso_date_greatest) {
        return put_wrapped_integer(dst, milliseconds, &style->date);
    }
    dst = bsni_put_literal(dst, &style->iso_date.open);
    dst += bsni_date_to_text(milliseconds, (char *)dst);
    return bsni_put_literal(dst, &style->iso_date.close);
}

/* ---- elements, the short way ---- */

/* The longest key that goes the short way, and the longest value of fixed size. */
#define SHORT_KEY_MAX 31
#define FIXED_VALUE_MAX 16

/* Copies the key at `key` to dst and finds its end on the way: among bytes that cannot simply be copied the final 0x00 is one.
 * Returns its length; more than SHORT_KEY_MAX when it is longer, not plain ASCII, or when less than a value of fixed size may be
 * read behind it: key[0..readable) may. All that may reach past the container, which is for the caller to see. Stores 32
 * bytes. */
static inline size_t copy_short_key(const uint8_t *key, size_t readable, uint8_t *dst)
{
    const size_t needed =
        BSNI_SHORT_BYTES + FIXED_VALUE_MAX; /* the 0x00 is one of the short bytes */
    for (size_t len = 0; len <= SHORT_KEY_MAX && readable >= len + needed;
         len += BSNI_SHORT_BYTES) {
        const bsni_short v = bsni_short_load(key + len);
        const bsni_short_mask marks = bsni_short_json_marks(v);
        bsni_short_store(dst + len, v);
        if (marks == 0) continue;
        len += bsni_short_first(marks);
        return key[len] == 0 ? len : SHORT_KEY_MAX + 1;
    }
    return SHORT_KEY_MAX + 1;
}

/* ---- elements, the long way ---- */

/* Any key. Of array elements the names are not printed, but they are text, and faults in them are faults. */
static uint8_t *put_long_key(bsni_printer *p, uint8_t *dst, bsn_str key, uint32_t kind)
{
    const uint8_t *bytes = (const uint8_t *)key.ptr;
    if (kind == IN_ARRAY) {
        return p->is_tolerant || bsni_utf8(bytes, key.len) == key.len ? dst : NULL;
    }
    *dst++ = '"';
    dst = bsni_put_text(p, dst, bytes, key.len);
    if (dst == NULL) return NULL;
    dst[0] = '"';
    dst[1] = ':';
    return dst + 2;
}

/* ---- the walk ---- */

ALWAYS_INLINE uint8_t *put_end(bsni_printer *p, uint8_t *dst, uint8_t separator, uint32_t kind,
                               uint32_t depth, bool shaped)
{
    if (separator != ',') {
        *dst++ = separator;
    } else if (shaped && p->options->indent != 0) {
        dst = bsni_put_line(p, dst, depth - 1);
        if (dst == NULL) return NULL;
    }
    *dst++ = kind == IN_ARRAY ? ']' : '}';
    return (kind & IN_SCOPE) != 0 ? bsni_put_literal(dst, &p->style->code_scope.close) : dst;
}

/* True when a string, its length field included, stands at `value` and ends before `end`. */
static inline bool string_fits(const uint8_t *value, const uint8_t *end)
{
    const ptrdiff_t left = end - value;
    if (left < 5) return false;
    const uint32_t len = bsn_load_u32(value);
    return len - 1 < (size_t)left - 4 && value[3 + (size_t)len] == 0;
}

/* The same of a document. */
static inline bool document_fits(const uint8_t *value, const uint8_t *end)
{
    const ptrdiff_t left = end - value;
    if (left < BSN_DOC_SIZE_MIN) return false;
    const uint32_t len = bsn_load_u32(value);
    return len >= BSN_DOC_SIZE_MIN && len <= (size_t)left && value[(size_t)len - 1] == 0;
}

/* Where printing stands. It lives in registers: all that takes its address is inlined. */
typedef struct walk {
    const uint8_t *at;  /* the next element's type byte */
    const uint8_t *end; /* the container's final 0x00 */
    uint32_t kind;
    uint32_t depth;
    uint8_t separator;
} walk;

/* Goes into the container at `inner`, which ends at inner_end. False at the limits of depth and memory. */
ALWAYS_INLINE bool enter(bsni_printer *p, walk *w, const uint8_t *inner, const uint8_t *inner_end,
                         uint32_t kind)
{
    if (BSN_UNLIKELY(!push(p, w->depth, w->end, w->kind))) return false;
    w->depth++;
    w->at = inner + 4;
    w->end = inner_end;
    w->kind = kind;
    w->separator = kind == IN_ARRAY ? '[' : '{';
    return true;
}

/* Goes on behind the container at its end. False behind the outermost. */
ALWAYS_INLINE bool leave(const bsni_printer *p, walk *w)
{
    if (--w->depth == 0) return false;
    w->at = w->end + 1;
    w->end = p->base + p->frames[w->depth - 1].end;
    w->kind = p->frames[w->depth - 1].kind;
    w->separator = ',';
    return true;
}

/* Looks at the element at hand, whose key begins with '$'. False when it makes its document one that is refused. */
ALWAYS_INLINE bool see_dollar(bsni_printer *p, walk *w)
{
    if (w->depth == 1 || (w->kind & (IN_ARRAY | IS_LOOKALIKE)) != 0) return true;
    if (!bsni_makes_lookalike(p, w->at, w->end, w->separator == '{')) return true;
    w->kind |= IS_LOOKALIKE;
    return bsni_note_lookalike(p, w->at);
}

/* Puts separator and key of the element at hand, and says where its value is: *value. NULL at a fault. */
ALWAYS_INLINE uint8_t *put_key(bsni_printer *p, walk *w, uint8_t *dst, bsn_iter *it,
                               const uint8_t **value, const bool shaped)
{
    const size_t readable = (size_t)(p->readable_end - w->at) - 1;
    if (BSN_UNLIKELY(w->at[1] == '$') && !see_dollar(p, w)) return NULL;
    if (shaped) {
        dst = bsni_put_front(p, dst, w->separator, w->depth);
        if (dst == NULL) return NULL;
        dst--; /* the byte in front of the key is there */
    }
    const size_t key_len = copy_short_key(w->at + 1, readable, dst + 2);
    if (!shaped) *dst = w->separator;
    dst++;
    w->separator = ',';
    uint8_t *start = dst;
    if (BSN_UNLIKELY(key_len > SHORT_KEY_MAX)) {
        if (!bsni_print_step(p, w->at, w->end, it)) return NULL;
        *value = it->value;
        dst = put_long_key(p, dst, bsn_iter_key(it), w->kind);
        if (dst == NULL || w->kind == IN_ARRAY) return dst;
    } else {
        *value = w->at + 2 + key_len;
        if (w->kind == IN_ARRAY) return dst;
        dst[0] = '"';
        dst[key_len + 1] = '"';
        dst[key_len + 2] = ':';
        dst += key_len + 3;
    }
    return shaped ? bsni_put_colon(p, start, dst) : dst;
}

/* Puts the value of the element at hand, or goes into it. NULL at a fault.
 *
 * The values that documents are made of are put here; the iterator looks at the others. A value of fixed size may have been read
 * past the end of its container (never past the document): then w->at is past w->end, and all is taken back. */
ALWAYS_INLINE uint8_t *put_value(bsni_printer *p, walk *w, uint8_t *dst, const uint8_t *value,
                                 bsn_iter *it)
{
    const bsni_style *style = p->style;
    const uint8_t type = *w->at;
    switch (type) {
    case BSN_TYPE_STRING:
        if (BSN_UNLIKELY(!string_fits(value, w->end))) return NULL;
        w->at = value + 4 + bsn_load_u32(value);
        return put_string(p, dst, value);
    case BSN_TYPE_DOCUMENT:
    case BSN_TYPE_ARRAY:
        if (BSN_UNLIKELY(!document_fits(value, w->end))) return NULL;
        return enter(p, w, value, value + bsn_load_u32(value) - 1,
                     type == BSN_TYPE_ARRAY ? IN_ARRAY : IN_DOCUMENT)
                   ? dst
                   : NULL;
    case BSN_TYPE_INT32: w->at = value + 4; return put_int32(style, dst, bsn_load_i32(value));
    case BSN_TYPE_INT64: w->at = value + 8; return put_int64(style, dst, bsn_load_i64(value));
    case BSN_TYPE_DOUBLE: w->at = value + 8; return put_double(style, dst, value);
    case BSN_TYPE_DATE: w->at = value + 8; return put_date(style, dst, bsn_load_i64(value));
    case BSN_TYPE_OID: w->at = value + 12; return bsni_put_oid(style, dst, value);
    case BSN_TYPE_BOOLEAN:
        if (BSN_UNLIKELY(*value > 1)) return NULL;
        w->at = value + 1;
        return put_boolean(dst, *value != 0);
    case BSN_TYPE_NULL: w->at = value; return put_null(dst);
    default:
        if (!bsni_print_step(p, w->at, w->end, it)) return NULL;
        w->at = it->cur;
        dst = bsni_put_value(p, dst, type, bsn_iter_raw(it));
        if (dst == NULL || type != BSN_TYPE_CODE_SCOPE) return dst;
        return enter(p, w, bsni_element_scope(it->value), it->cur - 1, IN_SCOPE) ? dst : NULL;
    }
}

/* Everything from the opening bracket of the document to its closing one. NULL: a fault, or the output fails. */
ALWAYS_INLINE uint8_t *put_elements(bsni_printer *p, bsn_doc doc, uint8_t *dst, const bool shaped)
{
    walk w = {.at = doc.ptr + 4,
              .end = doc.ptr + doc.len - 1,
              .kind = IN_DOCUMENT,
              .depth = 1,
              .separator = '{'};
    bsn_iter it; /* the long way's */
    for (;;) {
        const uint8_t *value;
        if (BSN_UNLIKELY(dst > p->sink.limit) || (shaped && dst > p->cut_at)) {
            dst = bsni_print_turn(p, dst);
            if (dst == NULL) return NULL;
        }
        if (shaped) p->element = w.at;
        if (w.at == w.end) {
            dst = put_end(p, dst, w.separator, w.kind, w.depth, shaped);
            if ((shaped && dst == NULL) || !leave(p, &w)) return dst;
            continue;
        }
        dst = put_key(p, &w, dst, &it, &value, shaped);
        if (BSN_UNLIKELY(dst == NULL)) return NULL;
        dst = put_value(p, &w, dst, value, &it);
        if (BSN_UNLIKELY(dst == NULL || w.at > w.end)) return NULL;
    }
}

static uint8_t *put_plain(bsni_printer *p, bsn_doc doc, uint8_t *dst)
{
    return put_elements(p, doc, dst, false);
}

static uint8_t *put_shaped(bsni_printer *p, bsn_doc doc, uint8_t *dst)
{
    return put_elements(p, doc, dst, true);
}

/* Opens the sink, prints, and closes it. False: a fault, the output fails, or the text is cut. */
static bool put_document(bsni_printer *p, bsn_out *out)
{
    const bsn_json_options *o = p->options;
    uint8_t *dst = aim(p, bsni_sink_open(&p->sink, out));
    const bool shaped = o->indent != 0 || o->length_max != 0 || p->style->is_script;
    dst = shaped ? put_shaped(p, p->doc, dst) : put_plain(p, p->doc, dst);
    free_frames(p);
    if (dst == NULL) return false;
    if (dst > p->cut_at) {
        bsni_print_cut(p);
        return false;
    }
    bsni_sink_close(&p->sink, dst);
    return true;
}

/* ---- the call ---- */

static uint32_t depth_limit(const bsn_json_options *options)
{
    BSN_ASSERT(options->depth_max <= UINT16_MAX);
    if (options->depth_max == 0) return BSN_DEPTH_DEFAULT;
    if (options->depth_max > BSN_DEPTH_DEFAULT && options->alloc == NULL) return BSN_DEPTH_DEFAULT;
    return options->depth_max;
}

static void open_printer(bsni_printer *p, bsn_doc doc, const bsn_json_options *options)
{
    p->style = bsni_style_of(options->form);
    p->base = doc.ptr;
    p->readable_end = doc.ptr + doc.len;
    p->frames = p->first_frames;
    p->frame_cap = BSN_DEPTH_DEFAULT;
    p->alloc = options->alloc;
    p->out_of_memory = false;
    p->options = options;
    p->doc = doc;
    p->sound = false;
    p->is_tolerant = options->utf8 != BSN_JSON_UTF8_ERROR;
    p->is_cut = false;
    p->wants_proof = false;
    p->lookalike = NULL;
    p->lookalikes = 0;
    p->length_left = options->length_max != 0 ? options->length_max : UINT64_MAX;
    p->element = doc.ptr;
    p->drain_err.status = BSN_OK;
    p->depth_max = depth_limit(options);
}

/* What is wrong with a document in which a fault was found. */
static bsn_status judge(const bsni_printer *p, bsn_error *err)
{
    const bsn_status status = validate(p->doc, p->options, err);
    BSN_ASSERT(status != BSN_OK || p->lookalike != NULL);
    if (status != BSN_OK) return status;
    if (p->lookalike == NULL) return bsn_error_set(err, BSN_E_VALUE, 0, NULL);
    return bsn_error_set(err, BSN_E_LOOKALIKE, (uint64_t)(p->lookalike - p->base),
                         "a key of a wrapper");
}

/* Prints into nothing, to see whether a document is sound and reversible before any of its text is drained. */
static bool is_proven(bsni_printer *p)
{
    const bsn_json_options *options = p->options;
    const bsn_json_options o = {.form = options->form,
                                .utf8 = options->utf8,
                                .depth_max = options->depth_max,
                                .reversible = true,
                                .alloc = options->alloc};
    bsn_out nothing, *out = p->sink.out;
    bsn_out_init_fixed(&nothing, NULL, 0);
    open_printer(p, p->doc, &o);
    const bool proven = put_document(p, &nothing);
    bsn_out_free(&nothing);
    p->sink.out = out;
    p->options = options;
    return proven;
}

/* Tells of the text, if there is any. What did not fit its storage is printed again: then its lookalikes count. */
static void fill_report(const bsni_printer *p, bsn_status status)
{
    bsn_json_report *report = p->options->report;
    if (report == NULL) return;
    const bool cut = p->is_cut && (status == BSN_OK || status == BSN_E_SPACE);
    if (status == BSN_OK) report->lookalikes += p->lookalikes;
    report->is_cut = cut;
    report->cut_offset = cut ? (uint64_t)(p->element - p->base) : 0;
}

/* Why there is no text. */
static bsn_status reason(const bsni_printer *p, bool out_failed, bsn_error *err)
{
    if (p->drain_err.status != BSN_OK) {
        if (err != NULL) *err = p->drain_err;
        return p->drain_err.status;
    }
    if (out_failed) return bsn_error_set(err, bsn_out_status(p->sink.out), 0, NULL);
    if (p->out_of_memory) return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
    return judge(p, err);
}

/* Judges what a cut has left unread: a document is refused or not whatever becomes of its text. */
static bool is_sound_behind_cut(bsni_printer *p)
{
    const uint8_t *element = p->element;
    if (p->sound) return true;
    if (!p->options->reversible || !bsni_seeks_lookalikes(p)) {
        return validate(p->doc, p->options, &p->drain_err) == BSN_OK;
    }
    if (!is_proven(p)) return false;
    p->is_cut = true;
    p->element = element;
    return true;
}

/* True when the text is there: whole, or cut and of a document that is sound as a whole. */
static bool is_printed(bsni_printer *p, bsn_out *out, bsn_out_mark mark)
{
    bool whole = put_document(p, out);
    if (p->wants_proof) {
        const bsn_json_options *options = p->options;
        take_back(out, mark);
        if (!is_proven(p)) return false;
        open_printer(p, p->doc, options);
        p->sound = true;
        whole = put_document(p, out);
    }
    return whole || (p->is_cut && is_sound_behind_cut(p));
}

bsn_status bsn_json_print(bsn_doc doc, const bsn_json_options *options, bsn_out *out,
                          bsn_error *err)
{
    static const bsn_json_options defaults = {.form = BSN_JSON_RELAXED};
    const bsn_out_mark mark = bsn_out_get_mark(out);
    bsni_printer p;
    open_printer(&p, doc, options != NULL ? options : &defaults);
    const bool printed = is_printed(&p, out, mark);
    const bool out_failed = bsni_sink_failed(&p.sink);
    if (printed && !out_failed) {
        const bsn_status status = bsn_out_status(out);
        fill_report(&p, status);
        return status == BSN_OK ? BSN_OK : bsn_error_set(err, status, 0, NULL);
    }
    take_back(out, mark);
    const bsn_status status = reason(&p, out_failed, err);
    fill_report(&p, status);
    return status;
}
