/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_usual.c -- wrappers as printers write them: no blanks, members in the specification's order, plain text that is not long. Anything
 * else, and every fault, is left to parse_wrapper.c.
 *
 * Each function looks at the text from p on, within the margin that the parser vouches for. One that returns true has written the value;
 * one that returns false has written nothing that counts.
 */
#include "json/date.h"
#include "json/digits.h"
#include "json/parser.h"

#include "simd/short.h"
#include "simd/simd.h"

/* The longest key in front, head and end, and what is copied at once, are within the margin of the window. */
_Static_assert(BSNI_COPY_TEXT_MAX + 40 + 64 <= BSNI_WINDOW_MARGIN,
               "a wrapper goes beyond the margin");

static inline bool begins(const uint8_t *p, const char *text, size_t len)
{
    return memcmp(p, text, len) == 0;
}

/* Moves *p behind a literal that stands there. */
static inline bool skip(const uint8_t **p, const char *text, size_t len)
{
    if (!begins(*p, text, len)) return false;
    *p += len;
    return true;
}

/* A value of `len` bytes is written, and the wrapper ends in front of p. */
static inline bool finish(bsn_json_parser *j, const uint8_t *p, bsn_type type, size_t len)
{
    bsni_set_type(j, type);
    j->doc_cur += len;
    j->cur = p;
    return true;
}

/* ---- numbers ---- */

static bool take_int32(bsn_json_parser *j, const uint8_t *p)
{
    int64_t value;
    const size_t len = bsni_read_integer(p, &value);
    if (len == 0 || !begins(p + len, "\"}", 2) || value != (int32_t)value) return false;
    bsn_store_i32(j->doc_cur, (int32_t)value);
    return finish(j, p + len + 2, BSN_TYPE_INT32, 4);
}

/* The text of 64-bit integers may have a digit more than is read at once. */
static bool read_int64(const uint8_t **p, int64_t *value)
{
    size_t len = bsni_read_integer(*p, value);
    if (len == 0) {
        uint8_t unused[32];
        if (!bsni_short_copy_32(*p, unused, &len)) return false;
        const bsn_str text = {(const char *)*p, len};
        if (bsni_int64_from_text(text, value) != BSN_OK) return false;
    }
    *p += len;
    return skip(p, "\"}", 2);
}

static bool take_int64(bsn_json_parser *j, const uint8_t *p)
{
    int64_t value;
    if (!read_int64(&p, &value)) return false;
    bsn_store_i64(j->doc_cur, value);
    return finish(j, p, BSN_TYPE_INT64, 8);
}

static bool take_double(bsn_json_parser *j, const uint8_t *p)
{
    uint8_t unused[32];
    size_t len;
    double value;
    if (!bsni_short_copy_32(p, unused, &len) || !begins(p + len, "\"}", 2)) return false;
    const bsn_str text = {(const char *)p, len};
    if (bsni_double_from_text(text, &value) != BSN_OK) return false;
    bsn_store_f64(j->doc_cur, value);
    return finish(j, p + len + 2, BSN_TYPE_DOUBLE, 8);
}

static bool take_decimal(bsn_json_parser *j, const uint8_t *p)
{
    uint8_t unused[BSNI_COPY_TEXT_MAX];
    size_t len;
    bsn_decimal128 value;
    if (!bsni_copy_text(p, unused, &len) || p[len + 1] != '}') return false;
    const bsn_str text = {(const char *)p, len};
    if (bsn_decimal128_from_text(text, &value) != BSN_OK) return false;
    bsn_store_u64(j->doc_cur, value.low);
    bsn_store_u64(j->doc_cur + 8, value.high);
    return finish(j, p + len + 2, BSN_TYPE_DECIMAL128, 16);
}

/* Behind `{"$n`. */
static bool take_number(bsn_json_parser *j, const uint8_t *p)
{
    if (!skip(&p, "umber", 5)) return false;
    if (skip(&p, "Int\":\"", 6)) return take_int32(j, p);
    if (skip(&p, "Long\":\"", 7)) return take_int64(j, p);
    if (skip(&p, "Double\":\"", 9)) return take_double(j, p);
    return skip(&p, "Decimal\":\"", 10) && take_decimal(j, p);
}

/* ---- the others ---- */

static bool take_oid(bsn_json_parser *j, const uint8_t *p)
{
    if (!skip(&p, "id\":\"", 5) || !begins(p + 24, "\"}", 2)) return false;
    return bsni_hex_decode(p, 12, j->doc_cur) && finish(j, p + 26, BSN_TYPE_OID, 12);
}

static bool take_date(bsn_json_parser *j, const uint8_t *p)
{
    uint8_t unused[32];
    size_t len;
    int64_t ms;
    if (!skip(&p, "ate\":", 5)) return false;
    if (skip(&p, "{\"$numberLong\":\"", 16)) {
        if (!read_int64(&p, &ms) || *p != '}') return false;
        p++;
    } else {
        if (*p++ != '"' || !bsni_short_copy_32(p, unused, &len) || !begins(p + len, "\"}", 2))
            return false;
        const bsn_str text = {(const char *)p, len};
        if (bsni_date_from_text(text, j->date_flags, &ms) != BSN_OK) return false;
        p += len + 2;
    }
    bsn_store_i64(j->doc_cur, ms);
    return finish(j, p, BSN_TYPE_DATE, 8);
}

/* The old subtype, which has another form, is not usual. */
static bool take_binary(bsn_json_parser *j, const uint8_t *p)
{
    uint8_t unused[BSNI_COPY_TEXT_MAX], *to = j->doc_cur;
    size_t text_len, len;
    if (!skip(&p, "inary\":{\"base64\":\"", 18) || !bsni_copy_text(p, unused, &text_len))
        return false;
    const uint8_t *end = p + text_len;
    if (!skip(&end, "\",\"subType\":\"", 13) || !begins(end + 2, "\"}}", 3)) return false;
    if (!bsni_hex_decode(end, 1, to + 4) || to[4] == BSN_SUBTYPE_OLD_BINARY) return false;
    if (!bsni_base64_decode(p, text_len, to + 5, &len)) return false;
    bsn_store_i32(to, (int32_t)len);
    return finish(j, end + 5, BSN_TYPE_BINARY, len + 5);
}

static bool read_uint32(const uint8_t **p, uint32_t *value)
{
    int64_t wide;
    const size_t len = bsni_read_integer(*p, &wide);
    if (len == 0 || **p == '-' || wide > UINT32_MAX) return false;
    *value = (uint32_t)wide;
    *p += len;
    return true;
}

static bool take_timestamp(bsn_json_parser *j, const uint8_t *p)
{
    uint32_t seconds, increment;
    if (!skip(&p, "imestamp\":{\"t\":", 15) || !read_uint32(&p, &seconds)) return false;
    if (!skip(&p, ",\"i\":", 5) || !read_uint32(&p, &increment) || !skip(&p, "}}", 2)) return false;
    bsn_store_u32(j->doc_cur, increment);
    bsn_store_u32(j->doc_cur + 4, seconds);
    return finish(j, p, BSN_TYPE_TIMESTAMP, 8);
}

/* Code alone, or with an empty scope: a total length in front then, and five bytes behind. */
static bool take_code(bsn_json_parser *j, const uint8_t *p)
{
    uint8_t *to = j->doc_cur;
    size_t len;
    if (!skip(&p, "ode\":\"", 6) || !bsni_copy_text(p, to + 8, &len)) return false;
    p += len + 1;
    if (*p == '}') {
        memmove(to + 4, to + 8, len);
        bsn_store_i32(to, (int32_t)(len + 1));
        to[4 + len] = 0;
        return finish(j, p + 1, BSN_TYPE_CODE, len + 5);
    }
    if (!bsni_has_frame(j, j->frame) || !skip(&p, ",\"$scope\":{}}", 13)) return false;
    bsn_store_i32(to, (int32_t)(len + 14));
    bsn_store_i32(to + 4, (int32_t)(len + 1));
    to[8 + len] = 0;
    bsn_store_i32(to + 9 + len, BSN_DOC_SIZE_MIN);
    to[13 + len] = 0;
    return finish(j, p, BSN_TYPE_CODE_SCOPE, len + 14);
}

static bool take_key_limit(bsn_json_parser *j, const uint8_t *p)
{
    if (skip(&p, "inKey\":1}", 9)) return finish(j, p, BSN_TYPE_MINKEY, 0);
    return skip(&p, "axKey\":1}", 9) && finish(j, p, BSN_TYPE_MAXKEY, 0);
}

bool bsni_parse_usual(bsn_json_parser *j)
{
    const uint8_t *p = j->cur + 4;
    if (p[-2] != '$') return false; /* an escape, of which $ is one perhaps */
    switch (p[-1]) {
    case 'n': return take_number(j, p);
    case 'o': return take_oid(j, p);
    case 'd': return take_date(j, p);
    case 'b': return take_binary(j, p);
    case 't': return take_timestamp(j, p);
    case 'c': return take_code(j, p);
    case 'm': return take_key_limit(j, p);
    default: return false;
    }
}
