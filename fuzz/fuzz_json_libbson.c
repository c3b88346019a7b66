/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_json_libbson.c -- text in and out against the packaged libbson, which shares no line with us:
 *   - a text that we take as a document libbson takes too, and makes the same bytes of
 *   - of a document that libbson takes, either side reads the other's canonical text as the same bytes
 *
 *     | text ... | options that fuzz_json_parse has there, not looked at |
 *                  4 bytes
 *
 * What libbson 1.23 is known to do otherwise (each found by a run of this target, or told in its issues) is passed by where the text
 * or the document has it; what libbson takes and we do not is not asked about, since we hold to the grammar and it does not:
 *
 *   keys with `$`      any embedded object with one is a wrapper for it: {"$type": 2} and operators are refused
 *   integers           beyond int64 it refuses; we make doubles, as the specification says
 *   $numberDecimal     more than 34 digits with zeros at the end, zeros with large exponents, exponents of many digits: refused,
 *                      or taken for NaN or another exponent
 *   nesting            100 levels are its limit
 *   U+0000             ends a $code, a $symbol and a key for it
 *   $code in an array  gets a name that is not its index; so does what has a key in front of it there
 *   $scope             wrappers inside of it stay documents
 *   $date              with an offset that has a colon is refused
 *   a byte order mark  is refused
 *   NaN                "-NaN" and the like are taken, and keep their sign
 *   regex options      other letters than those it knows it drops when it prints, and a letter that is there twice when it
 *                      reads too
 *   binary subtype 02  has another length for it
 */
#include "support.h"

#include <bson/bson.h>
#include <bsonic/bsonic.h>

enum { OPTION_COUNT = 4, DEPTH_MAX = 64 };

typedef struct made {
    bsn_buf buf;
    bsn_status status;
} made;

static void parse_ours(bsn_str text, bsn_json_big_int big_int, made *m)
{
    const bsn_json_parse_options options = {.big_int = big_int, .depth_max = DEPTH_MAX};
    bsn_out out;
    bsn_buf_init(&m->buf, NULL);
    bsn_out_init_buf(&out, &m->buf);
    m->status = bsn_json_parse(text, &options, &out, NULL);
    bsn_out_free(&out);
}

static bool has_nul(bsn_str text)
{
    return text.len != 0 && memchr(text.ptr, 0, text.len) != NULL;
}

/* Options that libbson does not keep: letters that it does not know, and, since options are sorted, the second of two. */
static bool has_lost_options(bsn_str options)
{
    for (size_t i = 0; i < options.len; i++) {
        if (strchr("ilmsux", options.ptr[i]) == NULL) return true;
        if (i > 0 && options.ptr[i] == options.ptr[i - 1]) return true;
    }
    return false;
}

static bool is_number(bsn_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        if (key.ptr[i] < '0' || key.ptr[i] > '9') return false;
    }
    return key.len != 0;
}

/* A NaN whose sign or payload text does not keep. */
static bool is_other_nan(bsn_bytes raw)
{
    const uint64_t bits = bsn_load_u64(raw.ptr), quiet = UINT64_C(0x7FF8000000000000);
    return (bits & UINT64_C(0x7FFFFFFFFFFFFFFF)) > UINT64_C(0x7FF0000000000000) && bits != quiet;
}

/* True when the element is one that libbson deals with otherwise. */
static bool is_deviant(const bsn_iter *it, bool in_array)
{
    const bsn_str key = bsn_iter_key(it);
    const bsn_value value = bsn_iter_value(it);
    if (key.len != 0 && key.ptr[0] == '$') return true;
    if (in_array && !is_number(key)) return true;
    switch (value.type) {
    case BSN_TYPE_DOUBLE: return is_other_nan(bsn_iter_raw(it));
    case BSN_TYPE_CODE: return in_array || has_nul(value.as.str);
    case BSN_TYPE_SYMBOL: return has_nul(value.as.str);
    case BSN_TYPE_CODE_SCOPE:
        return in_array || value.as.code_scope.scope.len > BSN_DOC_SIZE_MIN ||
               has_nul(value.as.code_scope.code);
    case BSN_TYPE_REGEX: return has_lost_options(value.as.regex.options);
    case BSN_TYPE_DBPOINTER: return true;
    case BSN_TYPE_BINARY: return value.subtype == BSN_SUBTYPE_OLD_BINARY;
    default: return false;
    }
}

static bool holds_deviants(bsn_doc doc)
{
    bsn_iter stack[DEPTH_MAX + 1];
    size_t depth = 0;
    bsn_iter_init(&stack[0], doc);
    for (;;) {
        if (!bsn_iter_next(&stack[depth])) {
            MUST(bsn_iter_error(&stack[depth], NULL) == BSN_OK);
            if (depth-- == 0) return false;
            continue;
        }
        const bool in_array = depth > 0 && bsn_iter_type(&stack[depth - 1]) == BSN_TYPE_ARRAY;
        if (is_deviant(&stack[depth], in_array)) return true;
        const bsn_type type = bsn_iter_type(&stack[depth]);
        if (type != BSN_TYPE_DOCUMENT && type != BSN_TYPE_ARRAY && type != BSN_TYPE_CODE_SCOPE)
            continue;
        if (depth == DEPTH_MAX) return true;
        MUST(bsn_iter_enter(&stack[depth], &stack[depth + 1]));
        depth++;
    }
}

static bool contains(bsn_str text, const char *word)
{
    const size_t len = strlen(word);
    for (size_t i = 0; i + len <= text.len; i++) {
        if (memcmp(text.ptr + i, word, len) == 0) return true;
    }
    return false;
}

/* True when libbson may refuse a text that is in order. */
static bool may_be_refused(bsn_str text)
{
    return contains(text, "$numberDecimal") || contains(text, "$date") ||
           contains(text, "\xEF\xBB\xBF");
}

/* True when digits, a point among them or not, follow each other in a number that may be too long for libbson's decimals. */
static bool has_long_number(bsn_str text)
{
    size_t digits = 0;
    bool in_exponent = false;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c >= '0' && c <= '9') {
            digits++;
        } else if (c != '.' && c != '+' && c != '-') {
            digits = 0;
            in_exponent = c == 'e' || c == 'E';
        }
        if (digits > (in_exponent ? 9 : 34)) return true;
    }
    return false;
}

static void check_taken(bsn_str text)
{
    made ours;
    bsn_doc doc;
    bson_t theirs;
    parse_ours(text, BSN_JSON_BIG_INT_ERROR, &ours);
    if (ours.status == BSN_OK) {
        MUST(bsn_doc_open(bsn_buf_view(&ours.buf), &doc, NULL) == BSN_OK);
        if (!holds_deviants(doc)) {
            if (bson_init_from_json(&theirs, text.ptr, (ssize_t)text.len, NULL)) {
                const bsn_bytes bytes = {bson_get_data(&theirs), theirs.len};
                MUST(bsn_bytes_equal(bytes, bsn_doc_bytes(doc)));
                bson_destroy(&theirs);
            } else {
                MUST(may_be_refused(text));
            }
        }
    }
    bsn_buf_free(&ours.buf);
}

static void check_our_text(bsn_doc doc)
{
    const bsn_json_options canonical = {.form = BSN_JSON_CANONICAL};
    bsn_buf text;
    bsn_out out;
    bson_t back;
    bsn_buf_init(&text, NULL);
    bsn_out_init_buf(&out, &text);
    MUST(bsn_json_print(doc, &canonical, &out, NULL) == BSN_OK);
    bsn_out_free(&out);
    MUST(bson_init_from_json(&back, (const char *)text.ptr, (ssize_t)text.len, NULL));
    const bsn_bytes bytes = {bson_get_data(&back), back.len};
    MUST(bsn_bytes_equal(bytes, bsn_doc_bytes(doc)));
    bson_destroy(&back);
    bsn_buf_free(&text);
}

static void check_their_text(const bson_t *document, bsn_doc doc)
{
    made back;
    size_t len;
    char *text = bson_as_canonical_extended_json(document, &len);
    MUST(text != NULL);
    parse_ours((bsn_str){text, len}, BSN_JSON_BIG_INT_DOUBLE, &back);
    MUST(back.status == BSN_OK);
    MUST(bsn_bytes_equal(bsn_buf_view(&back.buf), bsn_doc_bytes(doc)));
    bsn_buf_free(&back.buf);
    bson_free(text);
}

static void check_document(bsn_str text)
{
    const bsn_validate_options options = {.depth_max = DEPTH_MAX};
    bson_t theirs;
    bsn_doc doc;
    if (!bson_init_from_json(&theirs, text.ptr, (ssize_t)text.len, NULL)) return;
    const bsn_bytes bytes = {bson_get_data(&theirs), theirs.len};
    if (bsn_validate(bytes, &options, NULL, NULL) == BSN_OK &&
        bsn_doc_open(bytes, &doc, NULL) == BSN_OK && !holds_deviants(doc)) {
        check_our_text(doc);
        check_their_text(&theirs, doc);
    }
    bson_destroy(&theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= OPTION_COUNT) return 0;
    const bsn_str text = {(const char *)data, size - OPTION_COUNT};
    if (contains(text, "$numberDecimal") && has_long_number(text)) return 0;
    check_taken(text);
    check_document(text);
    return 0;
}
