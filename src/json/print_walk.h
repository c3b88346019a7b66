/* SPDX-License-Identifier: Apache-2.0
 *
 * print_walk.h -- the printer's walk over the elements: an explicit stack for what is open, no tree.
 *
 *   element   separator  "key":  value           the separator of the first element is the bracket that opens its container;
 *             { [ or ,                           no element: the bracket is put by the end
 *
 * It is compiled three times: plain and shaped for every machine (print.c), plain for wide vectors (print_wide.c).
 */
#ifndef BSNI_PRINT_WALK_H
#define BSNI_PRINT_WALK_H

#include "json/date.h"
#include "json/digits.h"
#include "json/number.h"
#include "json/printer.h"

#include "base/debug.h"
#include "bson/element.h"
#include "simd/simd.h"
#if defined(BSNI_SHORT_WIDE)
#define VEC_BYTES 32
#include "simd/k_utf8.h"
#endif

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define OUT_OF_LINE __attribute__((noinline))
#else
#define ALWAYS_INLINE static inline
#define OUT_OF_LINE
#endif

/* What the containers in which an element can stand are; a lookalike is a document or scope that was counted as one. */
enum { IN_DOCUMENT = 0, IN_ARRAY = 1, IN_SCOPE = 2, IS_LOOKALIKE = 4 };

/* ---- nesting ---- */

/* Remembers the container at hand, which is `depth` deep, while another one in it is printed. False at the limits of depth and
 * memory. */
static inline bool push(bsni_printer *p, uint32_t depth, const uint8_t *end, uint32_t kind)
{
    if (BSN_UNLIKELY(depth >= p->depth_max)) return false;
    if (BSN_UNLIKELY(depth > p->frame_cap) && !bsni_print_grow(p)) return false;
    p->frames[depth - 1].end = (uint32_t)(end - p->base);
    p->frames[depth - 1].kind = kind;
    return true;
}

/* ---- values ---- */

#if defined(BSNI_SHORT_WIDE)
/* Text is copied and judged 64 bytes in a decision: how long a string is nobody can foresee. */
#define WIDE_RUN 64
#define WIDE_STRING_MAX (2 * WIDE_RUN)

/* The lowest `count` bits, up to 64. */
static inline uint64_t lowest_bits(uint64_t bits, size_t count)
{
#if defined(__x86_64__)
    return _bzhi_u64(bits, (unsigned)count);
#else
    return count < 64 ? bits & (((uint64_t)1 << count) - 1) : bits;
#endif
}

/* What is not sound UTF-8 of p[-3..64), of which the first three are ASCII or were looked at before: a bit for each byte of p[0..64). */
static inline uint64_t utf8_faults_64(const uint8_t *p)
{
    const utf8_rules rules = utf8_load_rules();
    const vec zero = vec_splat(0);
    const uint64_t low = vec_high_bits(vec_eq(utf8_errors_at(&rules, p), zero));
    const uint64_t high = vec_high_bits(vec_eq(utf8_errors_at(&rules, p + VEC_BYTES), zero));
    return ~(low | high << VEC_BYTES);
}

/* The rest of a string of less than 64 bytes in which `marks` are marked and which has been copied. It is judged where it lies: in front of
 * it are zeros, the upper bytes of its length, and behind it is another one, in which a sequence that is cut short is at fault. */
static OUT_OF_LINE uint8_t *put_marked_string(bsni_printer *p, uint8_t *dst, const uint8_t *src,
                                              size_t len, uint64_t marks)
{
    const uint64_t not_ascii = vec_high_bits(vec_load(src)) |
                               (uint64_t)vec_high_bits(vec_load(src + VEC_BYTES)) << VEC_BYTES;
    const uint64_t counted = ((uint64_t)2 << len) - 1; /* of the text and the zero */
    const uint64_t escaped = marks & ~not_ascii;
    if ((utf8_faults_64(src) & counted) != 0) return bsni_put_text(p, dst, src, len);
    if (escaped == 0) return dst + len;
    if (bsni_sink_room(&p->sink, dst) <
        len * BSNI_ESCAPE_GROWTH + BSNI_AFTER_TEXT + BSNI_ESCAPE_SLACK)
        return bsni_put_text(p, dst, src, len);
    const size_t at = bsni_short_first(escaped);
    return dst + at + bsni_json_escape(src + at, len - at, dst + at);
}

/* The inside of a string. In front of its element there was room, or BSNI_AFTER_TEXT behind its key. */
ALWAYS_INLINE uint8_t *put_wide_string(bsni_printer *p, uint8_t *dst, const uint8_t *src,
                                       size_t len)
{
    const size_t readable = (size_t)(p->readable_end - src);
    if (BSN_UNLIKELY(readable < WIDE_RUN)) return bsni_put_text(p, dst, src, len);
    uint64_t marks = bsni_short_copy_64(src, dst);
    if (len < WIDE_RUN) {
        marks = lowest_bits(marks, len);
        return BSN_LIKELY(marks == 0) ? dst + len : put_marked_string(p, dst, src, len, marks);
    }
    if (BSN_UNLIKELY((len > WIDE_STRING_MAX) | (readable < WIDE_STRING_MAX) | (marks != 0)))
        return bsni_put_text(p, dst, src, len);
    marks = bsni_short_copy_64(src + WIDE_RUN, dst + WIDE_RUN);
    marks = lowest_bits(marks, len - WIDE_RUN);
    return BSN_LIKELY(marks == 0) ? dst + len : bsni_put_text(p, dst, src, len);
}
#else
#define put_wide_string bsni_put_text
#endif

static inline uint8_t *put_string(bsni_printer *p, uint8_t *dst, const uint8_t *value)
{
    *dst++ = '"';
    dst = put_wide_string(p, dst, value + 4, bsn_load_u32(value) - 1);
    if (BSN_LIKELY(dst != NULL)) *dst++ = '"';
    return dst;
}

static inline uint8_t *put_integer(uint8_t *dst, int64_t value)
{
    return dst + bsni_int64_to_text_short(value, (char *)dst);
}

static inline uint8_t *put_wrapped_integer(uint8_t *dst, int64_t value, const bsni_wrap *wrap)
{
    dst = bsni_put_literal(dst, &wrap->open);
    dst = put_integer(dst, value);
    return bsni_put_literal(dst, &wrap->close);
}

static inline uint8_t *put_int32(const bsni_style *style, uint8_t *dst, int32_t value)
{
    if (style->plain_int32) return put_integer(dst, value);
    return put_wrapped_integer(dst, value, &style->int32);
}

static inline uint8_t *put_int64(const bsni_style *style, uint8_t *dst, int64_t value)
{
    if (value >= style->plain_int64_least && value <= style->plain_int64_greatest) {
        return put_integer(dst, value);
    }
    return put_wrapped_integer(dst, value, &style->int64);
}

static inline bool is_int32(double value)
{
    return value >= INT32_MIN && value <= INT32_MAX && value == (double)(int32_t)value;
}

static inline uint8_t *put_double(const bsni_style *style, uint8_t *dst, const uint8_t *value)
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

static inline uint8_t *put_boolean(uint8_t *dst, bool value)
{
    memcpy(dst, value ? "true" : "fals", 4);
    dst[4] = 'e';
    return dst + (value ? 4 : 5);
}

static inline uint8_t *put_null(uint8_t *dst)
{
    memcpy(dst, "null", 4);
    return dst + 4;
}

static inline uint8_t *put_date(const bsni_style *style, uint8_t *dst, int64_t milliseconds)
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
#if defined(BSNI_SHORT_WIDE)
    if (BSN_LIKELY(readable >= 32 + FIXED_VALUE_MAX)) {
        const uint32_t marks = bsni_short_copy_32_marks(key, dst);
        if (BSN_UNLIKELY(marks == 0)) return SHORT_KEY_MAX + 1;
        const size_t len = bsni_short_first(marks);
        return key[len] == 0 ? len : SHORT_KEY_MAX + 1;
    }
#endif
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
static inline uint8_t *put_long_key(bsni_printer *p, uint8_t *dst, bsn_str key, uint32_t kind)
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
    size_t readable = (size_t)(p->readable_end - w->at) - 1;
    bsn_prefetch_ahead(w->at);
    if (!shaped && BSN_UNLIKELY(readable + 1 <= BSNI_PRINT_TAIL)) {
        const size_t end_left = (size_t)(p->readable_end - w->end);
        bsni_print_move(p, w->depth);
        const uint8_t *end = p->readable_end - BSNI_PRINT_TAIL;
        w->end = end - end_left;
        w->at = end - readable - 1;
        readable += BSNI_PRINT_TAIL;
    }
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

/* The same of a binary, but for the subtype that has a second length, which is not looked at here. */
static inline bool plain_binary_fits(const uint8_t *value, const uint8_t *end)
{
    const ptrdiff_t left = end - value;
    return left >= 5 && bsn_load_u32(value) <= (size_t)left - 5 &&
           value[4] != BSN_SUBTYPE_OLD_BINARY;
}

/* Puts a value of a rarer type, whose size is known. */
static inline uint8_t *put_sized(bsni_printer *p, walk *w, uint8_t *dst, const uint8_t *value,
                                 size_t size)
{
    const bsn_bytes raw = {value, size};
    const uint8_t type = *w->at;
    w->at = value + size;
    return bsni_put_value(p, dst, type, raw);
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
    case BSN_TYPE_MINKEY:
    case BSN_TYPE_MAXKEY:
    case BSN_TYPE_UNDEFINED: return put_sized(p, w, dst, value, 0);
    case BSN_TYPE_TIMESTAMP: return put_sized(p, w, dst, value, 8);
    case BSN_TYPE_DECIMAL128: return put_sized(p, w, dst, value, 16);
    case BSN_TYPE_CODE:
    case BSN_TYPE_SYMBOL:
        if (BSN_UNLIKELY(!string_fits(value, w->end))) return NULL;
        return put_sized(p, w, dst, value, 4 + bsn_load_u32(value));
    case BSN_TYPE_BINARY:
        if (BSN_LIKELY(plain_binary_fits(value, w->end)))
            return put_sized(p, w, dst, value, 5 + (size_t)bsn_load_u32(value));
        break;
    default: break;
    }
    if (!bsni_print_step(p, w->at, w->end, it)) return NULL;
    w->at = it->cur;
    dst = bsni_put_value(p, dst, type, bsn_iter_raw(it));
    if (dst == NULL || type != BSN_TYPE_CODE_SCOPE) return dst;
    return enter(p, w, bsni_element_scope(it->value), it->cur - 1, IN_SCOPE) ? dst : NULL;
}

/* True for types of which all values but some not finite are put plain. */
static inline bool is_plain_number(const bsni_style *style, uint8_t type)
{
    return (type == BSN_TYPE_INT32 || type == BSN_TYPE_DOUBLE) && style->plain_int32 &&
           style->plain_double == PLAIN_ALL;
}

/* Where a run of elements has ended, in the document and in the text. */
typedef struct put_run {
    const uint8_t *at;
    uint8_t *dst;
} put_run;

/* Puts numbers that follow one another in an array, behind the first, in a form that has them plain; stops at anything else, and at what
 * may be a fault. */
static OUT_OF_LINE put_run put_numbers(const bsni_printer *p, const uint8_t *at, const uint8_t *end,
                                       uint8_t *dst)
{
    const uint8_t *limit = p->sink.limit;
    while (end - at > 8 + FIXED_VALUE_MAX && dst <= limit) {
        const uint8_t type = *at;
        const uint64_t word = bsn_load_u64(at + 1);
        const uint64_t ends = (bsn_word_zeros(word) | word) & BSNI_EACH_BYTE(0x80);
        if (BSN_UNLIKELY(ends == 0)) break;
        const uint8_t *zero = at + 1 + bsn_word_first(ends);
        if (BSN_UNLIKELY(*zero != 0)) break;
        *dst = ',';
        if (type == BSN_TYPE_INT32) {
            at = zero + 5;
            dst = put_integer(dst + 1, bsn_load_i32(zero + 1));
        } else if (type == BSN_TYPE_DOUBLE) {
            const double value = bsn_load_f64(zero + 1);
            size_t len = bsni_short_double_to_text(value, (char *)dst + 1);
            if (BSN_UNLIKELY(len == 0)) {
                if (value - value != 0) break;
                len = bsni_double_to_text(value, (char *)dst + 1);
            }
            at = zero + 9;
            dst += 1 + len;
        } else {
            break;
        }
    }
    const put_run run = {at, dst};
    return run;
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
        if (!shaped && w.kind == IN_ARRAY && w.separator == ',' &&
            is_plain_number(p->style, *w.at)) {
            const put_run run = put_numbers(p, w.at, w.end, dst);
            if (run.at != w.at) {
                w.at = run.at;
                dst = run.dst;
                continue;
            }
        }
        dst = put_key(p, &w, dst, &it, &value, shaped);
        if (BSN_UNLIKELY(dst == NULL)) return NULL;
        dst = put_value(p, &w, dst, value, &it);
        if (BSN_UNLIKELY(dst == NULL || w.at > w.end)) return NULL;
    }
}

#endif
