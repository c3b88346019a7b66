/* SPDX-License-Identifier: Apache-2.0
 *
 * test_write_raw.c -- raw values and documents: sound ones come out as they went in, unsound ones are refused, and spans that
 * lie about their length are refused before they are read.
 */
#include "corpus/corpus.h"
#include "suites.h"
#include "support/exact_copy.h"
#include "support/hex.h"
#include "support/rewrite.h"
#include "support/skip.h"

#include <string.h>

typedef struct raw_row {
    const char *name;
    int type;
    const char *hex;
    bool sound;
} raw_row;

static const raw_row raw_rows[] = {
    {"double", 0x01, "000000000000F83F", true},
    {"double, short", 0x01, "000000000000F8", false},
    {"double, long", 0x01, "000000000000F83F00", false},
    {"string", 0x02, "02000000 7800", true},
    {"string of nothing", 0x02, "01000000 00", true},
    {"string, length 0", 0x02, "00000000", false},
    {"string, length too large", 0x02, "03000000 7800", false},
    {"string, length too small", 0x02, "01000000 7800", false},
    {"string, length negative", 0x02, "FFFFFFFF 7800", false},
    {"string without terminator", 0x02, "02000000 7878", false},
    {"string, no length", 0x02, "020000", false},
    {"string, nothing", 0x02, "", false},
    {"document", 0x03, "0500000000", true},
    {"document, all zero", 0x03, "0000000000", false},
    {"document, length 4", 0x03, "04000000", false},
    {"document, short", 0x03, "0600000000", false},
    {"document, long", 0x03, "050000000000", false},
    {"document without end", 0x03, "0500000001", false},
    {"document, nothing", 0x03, "", false},
    {"array", 0x04, "08000000 0A 3000 00", true},
    {"array, short", 0x04, "09000000 0A 3000 00", false},
    {"binary", 0x05, "02000000 00 0102", true},
    {"binary of nothing", 0x05, "00000000 00", true},
    {"binary without subtype", 0x05, "00000000", false},
    {"binary, length too small", 0x05, "01000000 00 0102", false},
    {"binary, length too large", 0x05, "03000000 00 0102", false},
    {"binary, length negative", 0x05, "FFFFFFFF 00 0102", false},
    {"old binary", 0x05, "05000000 02 01000000 FF", true},
    {"old binary, inner length wrong", 0x05, "05000000 02 02000000 FF", false},
    {"old binary, no inner length", 0x05, "03000000 02 010000", false},
    {"undefined", 0x06, "", true},
    {"undefined with a byte", 0x06, "00", false},
    {"oid", 0x07, "000102030405060708090A0B", true},
    {"oid, short", 0x07, "000102030405060708090A", false},
    {"oid, long", 0x07, "000102030405060708090A0B0C", false},
    {"false", 0x08, "00", true},
    {"true", 0x08, "01", true},
    {"boolean of another kind", 0x08, "02", false},
    {"boolean, nothing", 0x08, "", false},
    {"date", 0x09, "FFFFFFFFFFFFFFFF", true},
    {"null", 0x0A, "", true},
    {"null with a byte", 0x0A, "00", false},
    {"regex", 0x0B, "7000 6900", true},
    {"regex, unsorted options stay", 0x0B, "7000 786900", true},
    {"regex of nothing", 0x0B, "0000", true},
    {"regex without options", 0x0B, "7000", false},
    {"regex, options without end", 0x0B, "7000 69", false},
    {"regex without end", 0x0B, "7070", false},
    {"regex with three parts", 0x0B, "7000 6900 00", false},
    {"regex, nothing", 0x0B, "", false},
    {"dbpointer", 0x0C, "02000000 6E00 000102030405060708090A0B", true},
    {"dbpointer, short", 0x0C, "02000000 6E00 000102030405060708090A", false},
    {"dbpointer, long", 0x0C, "02000000 6E00 000102030405060708090A0B0C", false},
    {"dbpointer without terminator", 0x0C, "02000000 6E6E 000102030405060708090A0B", false},
    {"code", 0x0D, "02000000 6300", true},
    {"symbol", 0x0E, "02000000 7300", true},
    {"code with scope", 0x0F, "0F000000 02000000 6300 0500000000", true},
    {"code with scope, total too small", 0x0F, "0E000000 02000000 6300 0500000000", false},
    {"code with scope, total too large", 0x0F, "10000000 02000000 6300 0500000000", false},
    {"code with scope, code too long", 0x0F, "0F000000 03000000 6300 0500000000", false},
    {"code with scope, code negative", 0x0F, "0F000000 FEFFFFFF 6300 0500000000", false},
    {"code with scope, scope too long", 0x0F, "0F000000 02000000 6300 0600000000", false},
    {"code with scope, scope without end", 0x0F, "0F000000 02000000 6300 0500000001", false},
    {"code with scope, code without terminator", 0x0F, "0F000000 02000000 6363 0500000000", false},
    {"code with scope, 13 bytes", 0x0F, "0D000000 01000000 04000000 00", false},
    {"int32", 0x10, "01000000", true},
    {"int32, short", 0x10, "010000", false},
    {"timestamp", 0x11, "0100000002000000", true},
    {"int64", 0x12, "0100000000000000", true},
    {"decimal128", 0x13, "000102030405060708090A0B0C0D0E0F", true},
    {"decimal128, short", 0x13, "000102030405060708090A0B0C0D0E", false},
    {"maxkey", 0x7F, "", true},
    {"minkey", 0xFF, "", true},
    {"no type", 0x00, "", false},
    {"unknown type", 0x14, "", false},
    {"no byte at all", 0x101, "000000000000F83F", false},
};

START_TEST(sound_raw_values_are_copied_and_others_refused)
{
    const raw_row *row = &raw_rows[_i];
    hex_bytes raw = hex_read(row->hex);
    uint8_t storage[128];
    bsn_out out;
    bsn_writer w;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    bsn_writer_raw(&w, BSN_STR("k"), (bsn_type)row->type, hex_span(&raw));
    ck_assert_msg(bsn_writer_status(&w) == (row->sound ? BSN_OK : BSN_E_VALUE), "%s", row->name);
    ck_assert_uint_eq(bsn_out_len(&out), row->sound ? 7 + raw.len : 4);
    if (row->sound) {
        const uint8_t head[3] = {(uint8_t)row->type, 'k', 0};
        ck_assert_mem_eq(storage + 4, head, 3);
        ck_assert(raw.len == 0 || memcmp(storage + 7, raw.ptr, raw.len) == 0);
    }
    hex_free(&raw);
}
END_TEST

typedef struct doc_row {
    const char *hex;
    bool sound;
} doc_row;

static const doc_row doc_rows[] = {
    {"0500000000", true},  {"08000000 0A 6100 00", true},
    {"0000000000", false}, {"", false},
    {"00", false},         {"0600000000", false},
    {"0400000000", false}, {"0500000001", false},
    {"FBFFFFFF00", false},
};

/* Documents in a bsn_doc have been checked by whom made it, but nothing stops a caller from making one by hand. */
START_TEST(documents_of_unsound_frame_are_refused_everywhere)
{
    const doc_row *row = &doc_rows[_i];
    hex_bytes bytes = hex_read(row->hex);
    const bsn_doc doc = {bytes.ptr, bytes.len};
    for (int way = 0; way < 4; way++) {
        uint8_t storage[64];
        bsn_out out;
        bsn_writer w;
        bsn_out_init_fixed(&out, storage, sizeof storage);
        bsn_writer_init(&w, &out);
        if (way < 3) bsn_writer_begin(&w);
        if (way == 0) bsn_writer_document(&w, BSN_STR("k"), doc);
        if (way == 1) bsn_writer_array(&w, BSN_STR("k"), doc);
        if (way == 2) bsn_writer_code_scope(&w, BSN_STR("k"), BSN_STR("c"), doc);
        if (way == 3) bsn_writer_splice(&w, doc);
        ck_assert_int_eq(bsn_writer_status(&w), row->sound ? BSN_OK : BSN_E_VALUE);
        if (!row->sound) ck_assert_uint_eq(bsn_out_len(&out), way < 3 ? 4 : 0);
    }
    hex_free(&bytes);
}
END_TEST

/* ------------------------------------------------------------------ spans that lie */

enum {
    LIE_KEY,
    LIE_STRING,
    LIE_CODE,
    LIE_SYMBOL,
    LIE_BINARY,
    LIE_OLD_BINARY,
    LIE_PATTERN,
    LIE_OPTIONS,
    LIE_NAMESPACE,
    LIE_CODE_OF_SCOPE,
    LIE_SCOPE,
    LIE_BEGIN_SCOPE,
    LIE_BEGIN_DOCUMENT,
    LIE_DOCUMENT,
    LIE_ARRAY,
    LIE_RAW,
    LIE_WAYS
};

static const bsn_doc empty = {(const uint8_t *)"\5\0\0\0\0", 5};

/* One call with a span of `len` bytes of which none may be read. */
static void lie(bsn_writer *w, int way, const uint8_t *ptr, size_t len)
{
    static const bsn_oid oid;
    const bsn_str key = BSN_STR("k");
    const bsn_str text = {(const char *)ptr, len};
    const bsn_bytes bytes = {ptr, len};
    const bsn_doc doc = {ptr, len};
    switch (way) {
    case LIE_KEY: bsn_writer_null(w, text); return;
    case LIE_STRING: bsn_writer_string(w, key, text); return;
    case LIE_CODE: bsn_writer_code(w, key, text); return;
    case LIE_SYMBOL: bsn_writer_symbol(w, key, text); return;
    case LIE_BINARY: bsn_writer_binary(w, key, 0, bytes); return;
    case LIE_OLD_BINARY: bsn_writer_binary(w, key, BSN_SUBTYPE_OLD_BINARY, bytes); return;
    case LIE_PATTERN: bsn_writer_regex(w, key, text, key); return;
    case LIE_OPTIONS: bsn_writer_regex(w, key, key, text); return;
    case LIE_NAMESPACE: bsn_writer_dbpointer(w, key, text, &oid); return;
    case LIE_CODE_OF_SCOPE: bsn_writer_code_scope(w, key, text, empty); return;
    case LIE_SCOPE: bsn_writer_code_scope(w, key, key, doc); return;
    case LIE_BEGIN_SCOPE: bsn_writer_begin_code_scope(w, key, text); return;
    case LIE_BEGIN_DOCUMENT: bsn_writer_begin_document(w, text); return;
    case LIE_DOCUMENT: bsn_writer_document(w, key, doc); return;
    case LIE_ARRAY: bsn_writer_array(w, key, doc); return;
    default: bsn_writer_raw(w, key, BSN_TYPE_STRING, bytes); return;
    }
}

/* 2^31-1 bytes fit no document; the others do not even fit their length field, or wrap when something is added to them. */
static const size_t lies[] = {
    INT32_MAX,    (size_t)INT32_MAX + 1, (size_t)INT32_MAX + 2, UINT32_MAX,   SIZE_MAX - 20,
    SIZE_MAX - 6, SIZE_MAX - 5,          SIZE_MAX - 2,          SIZE_MAX - 1, SIZE_MAX};

START_TEST(sizes_over_the_limit_are_refused_before_a_byte_is_read)
{
    uint8_t *nothing =
        exact_copy(NULL, 0); /* a block without a byte: reading any is seen by a sanitizer */
    bsn_buf buf = {0};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        for (int in_buffer = 0; in_buffer < 2; in_buffer++) {
            bsn_out out;
            bsn_writer w;
            if (in_buffer) bsn_out_init_buf(&out, &buf);
            if (!in_buffer) bsn_out_init_fixed(&out, NULL, 0);
            bsn_writer_init(&w, &out);
            bsn_writer_begin(&w);
            lie(&w, _i, nothing, lies[i]);
            ck_assert_int_eq(bsn_writer_status(&w), BSN_E_SIZE);
            ck_assert_uint_eq(bsn_out_len(&out), 4); /* nothing of the element */
            bsn_writer_end(&w);
            ck_assert_int_eq(bsn_writer_status(&w), BSN_E_SIZE);
            bsn_out_clear(&out);
            bsn_out_free(&out);
        }
    }
    bsn_buf_free(&buf);
    free(nothing);
}
END_TEST

START_TEST(a_document_over_the_limit_is_not_spliced)
{
    uint8_t *nothing = exact_copy(NULL, 0);
    const bsn_doc doc = {nothing, (size_t)INT32_MAX + 1};
    bsn_out out;
    bsn_writer w;
    bsn_out_init_fixed(&out, NULL, 0);
    bsn_writer_init(&w, &out);
    bsn_writer_splice(&w, doc);
    ck_assert_int_eq(bsn_writer_status(&w), BSN_E_SIZE);
    free(nothing);
}
END_TEST

/* ------------------------------------------------------------------ splicing and rewriting */

START_TEST(documents_are_spliced_in_a_row)
{
    bsn_buf buf = {0};
    bsn_out out;
    bsn_writer w;
    bsn_bytes view;
    bsn_out_init_buf(&out, &buf);
    bsn_writer_init(&w, &out);
    bsn_writer_splice(&w, empty);
    bsn_writer_begin(&w);
    bsn_writer_null(&w, BSN_STR("a"));
    bsn_writer_end(&w);
    bsn_writer_splice(&w, empty);
    ck_assert_int_eq(bsn_writer_status(&w), BSN_OK);
    ck_assert(bsn_out_view(&out, &view));
    ck_assert_uint_eq(view.len, 18);
    ck_assert_mem_eq(view.ptr,
                     "\5\0\0\0\0"
                     "\x8\0\0\0\xA"
                     "a\0\0"
                     "\5\0\0\0\0",
                     18);
    bsn_writer_begin(&w);
    bsn_writer_splice(&w, empty);
    ck_assert_int_eq(bsn_writer_status(&w), BSN_E_STATE);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
}
END_TEST

START_TEST(a_large_document_is_spliced_by_reference)
{
    static uint8_t bytes[5000];
    const bsn_doc doc = {bytes, sizeof bytes};
    bsn_pool pool;
    bsn_out out;
    bsn_writer w;
    bsn_iovec iov[2];
    bsn_store_u32(bytes, sizeof bytes); /* the frame is right; inside nobody looks */
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 0);
    bsn_writer_init(&w, &out);
    bsn_writer_splice(&w, doc);
    ck_assert_int_eq(bsn_writer_status(&w), BSN_OK);
    ck_assert_uint_eq(bsn_out_iovecs(&out, iov, 2), 1);
    ck_assert_ptr_eq(iov[0].ptr, bytes);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}
END_TEST

static void check_rewrite(const corpus_valid *row, bsn_bytes bytes, rewrite_way way,
                          bsn_bytes expected)
{
    bsn_buf buf = {0};
    bsn_out out;
    bsn_writer w;
    bsn_doc doc, rewritten;
    char text[400];
    ck_assert_int_eq(bsn_doc_open(bytes, &doc, NULL), BSN_OK);
    bsn_out_init_buf(&out, &buf);
    bsn_writer_init(&w, &out);
    ck_assert_int_eq(rewrite_document(&w, doc, way), BSN_OK);
    ck_assert_int_eq(bsn_writer_doc(&w, &rewritten), BSN_OK);
    ck_assert_msg(bsn_bytes_equal(bsn_doc_bytes(rewritten), expected), "%s: %s: %s", row->file,
                  row->description, hex_print(bsn_doc_bytes(rewritten), text, sizeof text));
    bsn_out_clear(&out);
    bsn_out_free(&out);
    bsn_out_init_fixed(&out, NULL, 0); /* the size pass agrees */
    bsn_writer_init(&w, &out);
    ck_assert_int_eq(rewrite_document(&w, doc, way), BSN_E_SPACE);
    ck_assert_uint_eq(bsn_out_len(&out), expected.len);
    bsn_buf_free(&buf);
}

START_TEST(corpus_documents_are_rewritten_to_themselves)
{
    if (!corpus_present) {
        test_skip("corpus_documents_are_rewritten_to_themselves", "no corpus");
        return;
    }
    for (size_t i = 0; i < corpus_valid_count; i++) {
        const corpus_valid *row = &corpus_valids[i];
        for (int way = 0; way < REWRITE_WAYS; way++)
            check_rewrite(row, row->canonical_bson, (rewrite_way)way, row->canonical_bson);
        /* Wrong names in arrays and unsorted regex options come out right. */
        if (row->degenerate_bson.ptr != NULL)
            check_rewrite(row, row->degenerate_bson, REWRITE_VALUES, row->canonical_bson);
    }
}
END_TEST

Suite *write_raw_suite(void)
{
    Suite *suite = suite_create("write_raw");
    TCase *tests = tcase_create("write_raw");
    tcase_add_loop_test(tests, sound_raw_values_are_copied_and_others_refused, 0,
                        sizeof raw_rows / sizeof raw_rows[0]);
    tcase_add_loop_test(tests, documents_of_unsound_frame_are_refused_everywhere, 0,
                        sizeof doc_rows / sizeof doc_rows[0]);
    tcase_add_loop_test(tests, sizes_over_the_limit_are_refused_before_a_byte_is_read, 0, LIE_WAYS);
    tcase_add_test(tests, a_document_over_the_limit_is_not_spliced);
    tcase_add_test(tests, documents_are_spliced_in_a_row);
    tcase_add_test(tests, a_large_document_is_spliced_by_reference);
    tcase_add_test(tests, corpus_documents_are_rewritten_to_themselves);
    suite_add_tcase(suite, tests);
    return suite;
}
