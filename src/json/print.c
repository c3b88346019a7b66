/* SPDX-License-Identifier: Apache-2.0
 *
 * print.c -- BSON to Extended JSON: one pass over the elements, an explicit stack for what is open, no tree.
 *
 *   element   separator  "key":  value           the separator of the first element is the bracket that opens its container;
 *             { [ or ,                           no element: the bracket is put by the end
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

/* What the containers in which an element can stand are. */
enum { IN_DOCUMENT, IN_ARRAY, IN_SCOPE };

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

static uint8_t *put_end(const bsni_printer *p, uint8_t *dst, uint8_t separator, uint32_t kind)
{
    if (separator != ',') *dst++ = separator;
    *dst++ = kind == IN_ARRAY ? ']' : '}';
    return kind == IN_SCOPE ? bsni_put_literal(dst, &p->style->code_scope.close) : dst;
}

/* ---- draining ---- */

#define DRAIN_DEFAULT ((size_t)256 * 1024)

static bsn_status validate(bsn_doc doc, const bsn_json_options *options, bsn_error *err)
{
    const bsn_validate_options as = {
        .level = BSN_LEVEL_UTF8, .depth_max = options->depth_max, .alloc = options->alloc};
    return bsn_validate(bsn_doc_bytes(doc), &as, NULL, err);
}

/* Has the output drained; before the first time the document must be known to be sound. */
static bool drain(bsni_printer *p)
{
    const bsn_json_options *o = p->options;
    if (!p->sound) {
        if (validate(p->doc, o, &p->drain_err) != BSN_OK) return false;
        p->sound = true;
    }
    const bsn_status status = o->drain(o->drain_ctx, p->sink.out, &p->drain_err);
    if (status == BSN_OK) return true;
    p->drain_err.status = status;
    return false;
}

uint8_t *bsni_print_turn(bsni_printer *p, const uint8_t *dst)
{
    const bsn_json_options *o = p->options;
    bsni_sink_close(&p->sink, dst);
    if (o->drain != NULL && !bsni_sink_failed(&p->sink)) {
        const size_t least = o->drain_min != 0 ? o->drain_min : DRAIN_DEFAULT;
        if (bsn_out_unsent(p->sink.out) >= least && !drain(p)) {
            bsni_sink_reserve(&p->sink);
            return NULL;
        }
    }
    uint8_t *fresh = bsni_sink_reserve(&p->sink);
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

static uint8_t *put_double(const bsni_style *style, uint8_t *dst, const uint8_t *value)
{
    const uint64_t infinity = 0x7FF0000000000000u, sign = 0x8000000000000000u;
    const uint64_t bits = bsn_load_u64(value);
    if (BSN_UNLIKELY((bits & infinity) == infinity)) {
        if ((bits & ~sign) != infinity) return bsni_put_literal(dst, &style->nan);
        return bsni_put_literal(dst, bits == infinity ? &style->infinity : &style->minus_infinity);
    }
    if (style->plain_double) return dst + bsni_double_to_text(bsn_load_f64(value), (char *)dst);
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

/* Lets the iterator judge the element at `at`; false at a fault. */
static bool step(const bsni_printer *p, const uint8_t *at, const uint8_t *end, bsn_iter *it)
{
    it->cur = at;
    it->end = end;
    it->value = at;
    it->base = p->base;
    it->key_len = 0;
    it->type = BSN_TYPE_NONE;
    it->status = BSN_OK;
    it->depth = 1; /* asked for only to enter a container */
    it->depth_max = 1;
    it->beyond = 1;
    return bsn_iter_next_slow(it);
}

/* Any key. Of array elements the names are not printed, but they are text, and faults in them are faults. */
static uint8_t *put_long_key(bsni_printer *p, uint8_t *dst, bsn_str key, uint32_t kind)
{
    const uint8_t *bytes = (const uint8_t *)key.ptr;
    if (kind == IN_ARRAY) return bsni_utf8(bytes, key.len) == key.len ? dst : NULL;
    *dst++ = '"';
    dst = bsni_put_text(p, dst, bytes, key.len);
    if (dst == NULL) return NULL;
    dst[0] = '"';
    dst[1] = ':';
    return dst + 2;
}

/* ---- the walk ---- */

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
static inline bool enter(bsni_printer *p, walk *w, const uint8_t *inner, const uint8_t *inner_end,
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
static inline bool leave(const bsni_printer *p, walk *w)
{
    if (--w->depth == 0) return false;
    w->at = w->end + 1;
    w->end = p->base + p->frames[w->depth - 1].end;
    w->kind = p->frames[w->depth - 1].kind;
    w->separator = ',';
    return true;
}

/* Puts separator and key of the element at hand, and says where its value is: *value. NULL at a fault. */
static inline uint8_t *put_key(bsni_printer *p, walk *w, uint8_t *dst, bsn_iter *it,
                               const uint8_t **value)
{
    const size_t readable = (size_t)(p->readable_end - w->at) - 1;
    const size_t key_len = copy_short_key(w->at + 1, readable, dst + 2);
    *dst++ = w->separator;
    w->separator = ',';
    if (BSN_UNLIKELY(key_len > SHORT_KEY_MAX)) {
        if (!step(p, w->at, w->end, it)) return NULL;
        *value = it->value;
        return put_long_key(p, dst, bsn_iter_key(it), w->kind);
    }
    *value = w->at + 2 + key_len;
    if (w->kind == IN_ARRAY) return dst;
    dst[0] = '"';
    dst[key_len + 1] = '"';
    dst[key_len + 2] = ':';
    return dst + key_len + 3;
}

/* Puts the value of the element at hand, or goes into it. NULL at a fault.
 *
 * The values that documents are made of are put here; the iterator looks at the others. A value of fixed size may have been read
 * past the end of its container (never past the document): then w->at is past w->end, and all is taken back. */
static inline uint8_t *put_value(bsni_printer *p, walk *w, uint8_t *dst, const uint8_t *value,
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
        if (!step(p, w->at, w->end, it)) return NULL;
        w->at = it->cur;
        dst = bsni_put_value(p, dst, type, bsn_iter_raw(it));
        if (dst == NULL || type != BSN_TYPE_CODE_SCOPE) return dst;
        return enter(p, w, bsni_element_scope(it->value), it->cur - 1, IN_SCOPE) ? dst : NULL;
    }
}

/* Everything from the opening bracket of the document to its closing one. NULL: a fault, or the output fails. */
static uint8_t *put_elements(bsni_printer *p, bsn_doc doc, uint8_t *dst)
{
    walk w = {.at = doc.ptr + 4,
              .end = doc.ptr + doc.len - 1,
              .kind = IN_DOCUMENT,
              .depth = 1,
              .separator = '{'};
    bsn_iter it; /* the long way's */
    for (;;) {
        const uint8_t *value;
        if (BSN_UNLIKELY(dst > p->sink.limit)) {
            dst = bsni_print_turn(p, dst);
            if (dst == NULL) return NULL;
        }
        if (w.at == w.end) {
            dst = put_end(p, dst, w.separator, w.kind);
            if (!leave(p, &w)) return dst;
            continue;
        }
        dst = put_key(p, &w, dst, &it, &value);
        if (BSN_UNLIKELY(dst == NULL)) return NULL;
        dst = put_value(p, &w, dst, value, &it);
        if (BSN_UNLIKELY(dst == NULL || w.at > w.end)) return NULL;
    }
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
    p->drain_err.status = BSN_OK;
    p->depth_max = depth_limit(options);
}

/* What is wrong with a document in which a fault was found. */
static bsn_status judge(bsn_doc doc, const bsn_json_options *options, bsn_error *err)
{
    const bsn_status status = validate(doc, options, err);
    BSN_ASSERT(status != BSN_OK);
    return status != BSN_OK ? status : bsn_error_set(err, BSN_E_VALUE, 0, NULL);
}

bsn_status bsn_json_print(bsn_doc doc, const bsn_json_options *options, bsn_out *out,
                          bsn_error *err)
{
    static const bsn_json_options defaults = {.form = BSN_JSON_RELAXED};
    if (options == NULL) options = &defaults;
    const bsn_out_mark mark = bsn_out_get_mark(out);
    bsni_printer p;
    open_printer(&p, doc, options);
    uint8_t *dst = put_elements(&p, doc, bsni_sink_open(&p.sink, out));
    if (dst != NULL) bsni_sink_close(&p.sink, dst);
    free_frames(&p);
    const bool out_failed = bsni_sink_failed(&p.sink);
    if (dst != NULL && !out_failed) {
        const bsn_status status = bsn_out_status(out);
        return status == BSN_OK ? BSN_OK : bsn_error_set(err, status, 0, NULL);
    }
    take_back(out, mark);
    if (p.drain_err.status != BSN_OK) {
        if (err != NULL) *err = p.drain_err;
        return p.drain_err.status;
    }
    if (out_failed) return bsn_error_set(err, bsn_out_status(out), 0, NULL);
    if (p.out_of_memory) return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
    return judge(doc, options, err);
}
