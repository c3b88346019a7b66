/* SPDX-License-Identifier: Apache-2.0
 *
 * test_write_value.c -- every type byte for byte against documents written by hand, in every kind of output and in storage of
 * every size; keys and texts of every length; what may not hold U+0000.
 */
#include "suites.h"
#include "support/exact_copy.h"
#include "support/hex.h"

#include <bsonic/detail/le.h>
#include <bsonic/get.h>
#include <bsonic/write.h>

#include <string.h>

/* ------------------------------------------------------------------ the 21 types, by hand */

static const bsn_oid oid = {
    {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B}};
static const bsn_doc empty = {(const uint8_t *)"\5\0\0\0\0", 5};

static bsn_bytes span(const char *ptr, size_t len)
{
    const bsn_bytes bytes = {(const uint8_t *)ptr, len};
    return bytes;
}

typedef struct type_row {
    const char *name;
    const char *hex; /* of the document that holds the value under "a" */
    bsn_value value;
} type_row;

static type_row type_rows[] = {
    {"double", "10000000 01 6100 000000000000F83F 00", {.type = BSN_TYPE_DOUBLE, .as.f64 = 1.5}},
    {"double, minus zero",
     "10000000 01 6100 0000000000000080 00",
     {.type = BSN_TYPE_DOUBLE, .as.f64 = -0.0}},
    {"string", "0E000000 02 6100 02000000 7800 00", {.type = BSN_TYPE_STRING, .as.str = {"x", 1}}},
    {"string, empty",
     "0D000000 02 6100 01000000 00 00",
     {.type = BSN_TYPE_STRING, .as.str = {NULL, 0}}},
    {"string with U+0000",
     "10000000 02 6100 04000000 78007900 00",
     {.type = BSN_TYPE_STRING, .as.str = {"x\0y", 3}}},
    {"document", "0D000000 03 6100 0500000000 00", {.type = BSN_TYPE_DOCUMENT}},
    {"array", "0D000000 04 6100 0500000000 00", {.type = BSN_TYPE_ARRAY}},
    {"binary", "0F000000 05 6100 02000000 00 0102 00", {.type = BSN_TYPE_BINARY}},
    {"binary of nothing",
     "0D000000 05 6100 00000000 80 00",
     {.type = BSN_TYPE_BINARY, .subtype = 0x80}},
    {"binary, subtype 02",
     "13000000 05 6100 06000000 02 02000000 0102 00",
     {.type = BSN_TYPE_BINARY, .subtype = BSN_SUBTYPE_OLD_BINARY}},
    {"binary of nothing, subtype 02",
     "11000000 05 6100 04000000 02 00000000 00",
     {.type = BSN_TYPE_BINARY, .subtype = BSN_SUBTYPE_OLD_BINARY}},
    {"undefined", "08000000 06 6100 00", {.type = BSN_TYPE_UNDEFINED}},
    {"oid", "14000000 07 6100 000102030405060708090A0B 00", {.type = BSN_TYPE_OID}},
    {"true", "09000000 08 6100 01 00", {.type = BSN_TYPE_BOOLEAN, .as.boolean = true}},
    {"false", "09000000 08 6100 00 00", {.type = BSN_TYPE_BOOLEAN, .as.boolean = false}},
    {"date", "10000000 09 6100 FEFFFFFFFFFFFFFF 00", {.type = BSN_TYPE_DATE, .as.date = -2}},
    {"null", "08000000 0A 6100 00", {.type = BSN_TYPE_NULL}},
    {"regex",
     "0E000000 0B 6100 707100 696D00 00",
     {.type = BSN_TYPE_REGEX, .as.regex = {{"pq", 2}, {"mi", 2}}}},
    {"regex of nothing",
     "0A000000 0B 6100 00 00 00",
     {.type = BSN_TYPE_REGEX, .as.regex = {{NULL, 0}, {NULL, 0}}}},
    {"dbpointer",
     "1A000000 0C 6100 02000000 6E00 000102030405060708090A0B 00",
     {.type = BSN_TYPE_DBPOINTER}},
    {"code", "0E000000 0D 6100 02000000 6300 00", {.type = BSN_TYPE_CODE, .as.str = {"c", 1}}},
    {"symbol", "0E000000 0E 6100 02000000 7300 00", {.type = BSN_TYPE_SYMBOL, .as.str = {"s", 1}}},
    {"code with scope",
     "17000000 0F 6100 0F000000 02000000 6300 0500000000 00",
     {.type = BSN_TYPE_CODE_SCOPE}},
    {"int32", "0C000000 10 6100 FEFFFFFF 00", {.type = BSN_TYPE_INT32, .as.i32 = -2}},
    {"timestamp",
     "10000000 11 6100 02000000 010000FF 00",
     {.type = BSN_TYPE_TIMESTAMP, .as.timestamp = {0xFF000001u, 2}}},
    {"int64",
     "10000000 12 6100 0807060504030281 00",
     {.type = BSN_TYPE_INT64, .as.i64 = -0x7EFDFCFBFAF9F8F8}},
    {"decimal128",
     "18000000 13 6100 0807060504030201 1817161514131211 00",
     {.type = BSN_TYPE_DECIMAL128, .as.decimal = {0x1112131415161718u, 0x0102030405060708u}}},
    {"maxkey", "08000000 7F 6100 00", {.type = BSN_TYPE_MAXKEY}},
    {"minkey", "08000000 FF 6100 00", {.type = BSN_TYPE_MINKEY}},
};
enum { TYPE_ROWS = sizeof type_rows / sizeof type_rows[0] };

/* What cannot stand in a static initialiser of a union with structs of structs. */
static const type_row *type_row_at(int i)
{
    type_row *row = &type_rows[i];
    bsn_value *value = &row->value;
    if (value->type == BSN_TYPE_DOCUMENT || value->type == BSN_TYPE_ARRAY) value->as.doc = empty;
    if (value->type == BSN_TYPE_OID) value->as.oid = oid;
    if (value->type == BSN_TYPE_BINARY && strstr(row->name, "nothing") == NULL)
        value->as.binary = span("\1\2", 2);
    if (value->type == BSN_TYPE_DBPOINTER) {
        value->as.dbpointer.ns = BSN_STR("n");
        value->as.dbpointer.oid = oid;
    }
    if (value->type == BSN_TYPE_CODE_SCOPE) {
        value->as.code_scope.code = BSN_STR("c");
        value->as.code_scope.scope = empty;
    }
    return row;
}

static void check_bytes(const char *name, bsn_bytes got, bsn_bytes expected)
{
    char text[400];
    ck_assert_msg(bsn_bytes_equal(got, expected), "%s: %s", name,
                  hex_print(got, text, sizeof text));
}

static void write_document(bsn_writer *w, bsn_out *out, const bsn_value *value)
{
    bsn_writer_init(w, out);
    bsn_writer_begin(w);
    bsn_writer_value(w, BSN_STR("a"), value);
    bsn_writer_end(w);
}

START_TEST(every_type_is_written_byte_for_byte)
{
    const type_row *row = type_row_at(_i);
    hex_bytes expected = hex_read(row->hex);
    bsn_buf buf = {0};
    bsn_pool pool;
    bsn_out out;
    bsn_writer w;
    bsn_doc doc;
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    for (int kind = 0; kind < 2; kind++) {
        if (kind == 0) bsn_out_init_buf(&out, &buf);
        if (kind == 1) bsn_out_init_pool(&out, &pool, 0);
        for (int round = 0; round < 2;
             round++) { /* the output's first memory, then room that is there */
            bsn_out_clear(&out);
            write_document(&w, &out, &row->value);
            ck_assert_int_eq(bsn_writer_doc(&w, &doc), BSN_OK);
            check_bytes(row->name, span((const char *)doc.ptr, doc.len), hex_span(&expected));
        }
        bsn_out_free(&out);
    }
    bsn_buf_free(&buf);
    bsn_pool_free(&pool);
    hex_free(&expected);
}
END_TEST

START_TEST(storage_of_every_size_gets_what_fits_and_the_size_needed)
{
    const type_row *row = type_row_at(_i);
    hex_bytes expected = hex_read(row->hex);
    for (size_t cap = 0; cap <= expected.len + 40; cap++) {
        uint8_t *storage = malloc(cap); /* exactly that much: a sanitizer sees a byte too many */
        bsn_writer w;
        bsn_out out;
        bsn_bytes view;
        bsn_out_init_fixed(&out, cap == 0 ? NULL : storage, cap);
        write_document(&w, &out, &row->value);
        const bool fits = cap >= expected.len;
        ck_assert_int_eq(bsn_writer_status(&w), fits ? BSN_OK : BSN_E_SPACE);
        ck_assert_uint_eq(bsn_out_len(&out), expected.len);
        ck_assert(bsn_out_view(&out, &view) == fits);
        bsn_iovec iov;
        const size_t held = bsn_out_iovecs(&out, &iov, 1) == 1 ? iov.len : 0;
        ck_assert_uint_eq(held, fits ? expected.len : cap);
        ck_assert(held == 0 || memcmp(iov.ptr, expected.ptr, held) == 0);
        free(storage);
    }
    hex_free(&expected);
}
END_TEST

START_TEST(in_an_array_the_index_is_the_key)
{
    const type_row *row = type_row_at(_i);
    hex_bytes expected = hex_read(row->hex);
    bsn_buf buf = {0};
    bsn_out out;
    bsn_writer w;
    bsn_doc doc;
    const bsn_str ignored = {"\0 not a key", 11};
    bsn_out_init_buf(&out, &buf);
    for (int round = 0; round < 2; round++) {
        bsn_out_clear(&out);
        bsn_writer_init(&w, &out);
        bsn_writer_begin(&w);
        bsn_writer_begin_array(&w, BSN_STR(""));
        bsn_writer_value(&w, ignored, &row->value);
        bsn_writer_end(&w);
        bsn_writer_end(&w);
        ck_assert_int_eq(bsn_writer_doc(&w, &doc), BSN_OK);
        expected.ptr[5] = '0'; /* instead of "a" */
        ck_assert_uint_eq(doc.len, expected.len + 7);
        check_bytes(row->name, span((const char *)doc.ptr + 6, doc.len - 7), hex_span(&expected));
    }
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    hex_free(&expected);
}
END_TEST

/* An index is stored in a word: not past the end of the storage. */
START_TEST(arrays_go_into_storage_of_every_size)
{
    for (size_t cap = 0; cap <= 220; cap++) {
        uint8_t *storage = malloc(cap);
        uint8_t whole[220];
        bsn_out outs[2];
        for (int i = 0; i < 2; i++) {
            bsn_writer w;
            if (i == 0) bsn_out_init_fixed(&outs[i], whole, sizeof whole);
            if (i == 1) bsn_out_init_fixed(&outs[i], cap == 0 ? NULL : storage, cap);
            bsn_writer_init(&w, &outs[i]);
            bsn_writer_begin(&w);
            bsn_writer_begin_array(&w, BSN_STR("a"));
            for (int32_t j = 0; j < 13; j++) {
                bsn_writer_null(&w, BSN_STR(""));
                bsn_writer_int32(&w, BSN_STR(""), j);
            }
            bsn_writer_end(&w);
            bsn_writer_end(&w);
        }
        const size_t len = (size_t)bsn_out_len(&outs[0]);
        ck_assert_int_eq(bsn_out_status(&outs[0]), BSN_OK);
        ck_assert_int_eq(bsn_out_status(&outs[1]), cap >= len ? BSN_OK : BSN_E_SPACE);
        ck_assert_uint_eq(bsn_out_len(&outs[1]), len);
        const size_t held = (size_t)bsn_out_unsent(&outs[1]);
        ck_assert_uint_eq(held, cap < len ? cap : len);
        bsn_iovec iov;
        if (bsn_out_iovecs(&outs[1], &iov, 1) == 1) ck_assert_mem_eq(iov.ptr, whole, held);
        free(storage);
    }
}
END_TEST

/* ------------------------------------------------------------------ keys and texts of every length */

/* A document {<key>: 7}, made the plain way. */
static size_t expect_int32(uint8_t *to, const uint8_t *key, size_t len)
{
    bsn_store_u32(to, (uint32_t)(len + 11));
    to[4] = BSN_TYPE_INT32;
    memcpy(to + 5, key, len);
    to[5 + len] = 0;
    bsn_store_u32(to + 6 + len, 7);
    to[10 + len] = 0;
    return len + 11;
}

enum { KEY_MAX = 700 };

static void fill(uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) bytes[i] = (uint8_t)(1 + i % 255);
}

START_TEST(keys_of_every_length_are_written)
{
    static uint8_t bytes[KEY_MAX], expected[KEY_MAX + 11];
    bsn_pool pool;
    bsn_out out;
    bsn_writer w;
    bsn_doc doc;
    fill(bytes, KEY_MAX);
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    for (size_t len = 0; len < KEY_MAX; len++) {
        uint8_t *copy = exact_copy(bytes, len);
        const bsn_str key = {(const char *)copy, len};
        for (int round = 0; round < 2; round++) {
            bsn_out_clear(&out);
            bsn_writer_init(&w, &out);
            bsn_writer_begin(&w);
            bsn_writer_int32(&w, key, 7);
            bsn_writer_end(&w);
            ck_assert_int_eq(bsn_writer_doc(&w, &doc), BSN_OK);
            const size_t expected_len = expect_int32(expected, bytes, len);
            ck_assert_uint_eq(doc.len, expected_len);
            ck_assert_mem_eq(doc.ptr, expected, expected_len);
        }
        free(copy);
    }
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}
END_TEST

START_TEST(a_zero_anywhere_in_a_key_is_refused)
{
    static uint8_t bytes[300], storage[1000];
    bsn_out out;
    bsn_writer w;
    for (size_t len = 1; len <= 300; len += len < 70 ? 1 : 23) {
        for (size_t at = 0; at < len; at++) {
            fill(bytes, len);
            bytes[at] = 0;
            uint8_t *copy = exact_copy(bytes, len);
            const bsn_str key = {(const char *)copy, len};
            bsn_out_init_fixed(&out, storage, sizeof storage);
            bsn_writer_init(&w, &out);
            bsn_writer_begin(&w);
            bsn_writer_null(&w, key);
            ck_assert_int_eq(bsn_writer_status(&w), BSN_E_KEY_NUL);
            ck_assert_uint_eq(bsn_out_len(&out), 4); /* nothing of the element */
            free(copy);
        }
    }
}
END_TEST

/* 0x01 and 0x80 are the bytes that a word's test for zero could mistake. */
START_TEST(no_other_byte_in_a_key_is_taken_for_a_zero)
{
    uint8_t bytes[24], storage[64];
    for (size_t len = 1; len <= sizeof bytes; len++) {
        for (unsigned byte = 1; byte < 256; byte++) {
            bsn_out out;
            bsn_writer w;
            memset(bytes, (int)byte, len);
            const bsn_str key = {(const char *)bytes, len};
            bsn_out_init_fixed(&out, storage, sizeof storage);
            bsn_writer_init(&w, &out);
            bsn_writer_begin(&w);
            bsn_writer_null(&w, key);
            bsn_writer_end(&w);
            ck_assert_int_eq(bsn_writer_status(&w), BSN_OK);
            ck_assert_mem_eq(storage + 5, bytes, len);
        }
    }
}
END_TEST

static const size_t text_lens[] = {511,  512,  513,  1000, 1023, 1024,
                                   4085, 4095, 4096, 4097, 5000, 70000};

static void check_text(size_t len)
{
    static uint8_t bytes[70000];
    bsn_buf buf = {0};
    bsn_out out;
    bsn_writer w;
    bsn_doc doc;
    for (size_t i = 0; i < len; i++) bytes[i] = (uint8_t)(i % 251);
    uint8_t *copy = exact_copy(bytes, len);
    const bsn_str text = {(const char *)copy, len};
    bsn_out_init_buf(&out, &buf);
    for (int round = 0; round < 2; round++) {
        bsn_out_clear(&out);
        bsn_writer_init(&w, &out);
        bsn_writer_begin(&w);
        bsn_writer_string(&w, BSN_STR("k"), text);
        bsn_writer_binary(&w, BSN_STR("b"), 0, span((const char *)copy, len));
        bsn_writer_end(&w);
        ck_assert_int_eq(bsn_writer_doc(&w, &doc), BSN_OK);
        const uint8_t *p = doc.ptr + 4;
        ck_assert_uint_eq(doc.len, 4 + 3 + 4 + len + 1 + 3 + 5 + len + 1);
        ck_assert_mem_eq(p, "\2k", 3);
        ck_assert_uint_eq(bsn_load_u32(p + 3), len + 1);
        ck_assert(len == 0 || memcmp(p + 7, bytes, len) == 0);
        ck_assert_uint_eq(p[7 + len], 0);
        p += 8 + len;
        ck_assert_mem_eq(p, "\5b", 3);
        ck_assert_uint_eq(bsn_load_u32(p + 3), len);
        ck_assert_uint_eq(p[7], 0);
        ck_assert(len == 0 || memcmp(p + 8, bytes, len) == 0);
    }
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    free(copy);
}

START_TEST(texts_and_bytes_of_every_length_are_written)
{
    for (size_t len = 0; len < 300; len++) check_text(len);
    for (size_t i = 0; i < sizeof text_lens / sizeof text_lens[0]; i++) check_text(text_lens[i]);
}
END_TEST

/* ------------------------------------------------------------------ regular expressions */

typedef struct options_row {
    const char *given;
    const char *written;
} options_row;

static const options_row options_rows[] = {
    {"", ""},
    {"i", "i"},
    {"ilmsux", "ilmsux"},
    {"xusmli", "ilmsux"},
    {"iXi", "Xii"},
    {"\x7F\x01z", "\x01z\x7F"},
    {"x\xC3\xA9i", "x\xC3\xA9i"}, /* not ASCII: as it is */
};

START_TEST(options_of_a_regex_are_sorted)
{
    const options_row *row = &options_rows[_i];
    uint8_t storage[64];
    bsn_out out;
    bsn_writer w;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    bsn_writer_regex(&w, BSN_STR("r"), BSN_STR("zya"), bsn_str_from(row->given));
    bsn_writer_end(&w);
    ck_assert_int_eq(bsn_writer_status(&w), BSN_OK);
    ck_assert_mem_eq(storage + 4, "\x0Br\0zya", 7);
    ck_assert_str_eq((const char *)storage + 11, row->written);
}
END_TEST

typedef struct nul_row {
    const char *name;
    bsn_str pattern, options;
} nul_row;

static const nul_row nul_rows[] = {
    {"pattern", {"a\0b", 3}, {"i", 1}}, {"pattern's end", {"ab\0", 3}, {"i", 1}},
    {"options", {"ab", 2}, {"i\0", 2}}, {"nothing but it", {"ab", 2}, {"\0", 1}},
    {"both", {"\0", 1}, {"\0", 1}},
};

START_TEST(a_zero_in_a_regex_is_refused)
{
    uint8_t storage[64];
    bsn_out out;
    bsn_writer w;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    bsn_writer_regex(&w, BSN_STR("r"), nul_rows[_i].pattern, nul_rows[_i].options);
    ck_assert_msg(bsn_writer_status(&w) == BSN_E_KEY_NUL, "%s", nul_rows[_i].name);
    ck_assert_uint_eq(bsn_out_len(&out), 4);
}
END_TEST

START_TEST(a_value_of_no_type_is_refused)
{
    static const int types[] = {BSN_TYPE_NONE, 0x14, 0x7E, 0x80, 0xFE};
    uint8_t storage[64];
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        bsn_out out;
        bsn_writer w;
        bsn_value value = {.type = (bsn_type)types[i]};
        bsn_out_init_fixed(&out, storage, sizeof storage);
        write_document(&w, &out, &value);
        ck_assert_int_eq(bsn_writer_status(&w), BSN_E_VALUE);
    }
}
END_TEST

/* A signalling NaN becomes quiet where it passes through a register of x87, so values may not. */
START_TEST(doubles_come_back_as_the_same_bits)
{
    static const char *const hex[] = {
        "10000000 01 6100 010000000000F07F 00", /* a signalling NaN */
        "10000000 01 6100 EFBEADDE0000F4FF 00", /* with sign and payload */
        "10000000 01 6100 000000000000F87F 00", /* quiet */
        "10000000 01 6100 EFBEADDE0000FCFF 00",
        "10000000 01 6100 0100000000000080 00", /* the smallest there is, below zero */
    };
    for (size_t i = 0; i < sizeof hex / sizeof hex[0]; i++) {
        hex_bytes bytes = hex_read(hex[i]);
        uint8_t storage[64];
        double got = 0, coerced = 0;
        bsn_doc doc, back;
        bsn_iter it;
        bsn_out out;
        bsn_writer w;
        const bsn_bytes input = {bytes.ptr, bytes.len};
        ck_assert_int_eq(bsn_doc_open(input, &doc, NULL), BSN_OK);
        bsn_iter_init(&it, doc);
        ck_assert(bsn_iter_next(&it));
        ck_assert_int_eq(bsn_get_double(&it, &got), BSN_OK);
        ck_assert_mem_eq(&got, &(uint64_t){bsn_load_u64(bytes.ptr + 7)}, 8);
        ck_assert_int_eq(bsn_as_double(&it, &coerced), BSN_OK);
        ck_assert_mem_eq(&coerced, &got, 8);
        const bsn_value value = bsn_iter_value(&it);
        bsn_out_init_fixed(&out, storage, sizeof storage);
        bsn_writer_init(&w, &out);
        bsn_writer_begin(&w);
        bsn_writer_value(&w, BSN_STR("a"), &value);
        bsn_writer_end(&w);
        ck_assert_int_eq(bsn_writer_doc(&w, &back), BSN_OK);
        ck_assert_uint_eq(back.len, bytes.len);
        ck_assert_mem_eq(back.ptr, bytes.ptr, bytes.len);
        hex_free(&bytes);
    }
}
END_TEST

Suite *write_value_suite(void)
{
    Suite *suite = suite_create("write_value");
    TCase *tests = tcase_create("write_value");
    tcase_add_loop_test(tests, every_type_is_written_byte_for_byte, 0, TYPE_ROWS);
    tcase_add_loop_test(tests, storage_of_every_size_gets_what_fits_and_the_size_needed, 0,
                        TYPE_ROWS);
    tcase_add_loop_test(tests, in_an_array_the_index_is_the_key, 0, TYPE_ROWS);
    tcase_add_test(tests, arrays_go_into_storage_of_every_size);
    tcase_add_test(tests, keys_of_every_length_are_written);
    tcase_add_test(tests, a_zero_anywhere_in_a_key_is_refused);
    tcase_add_test(tests, no_other_byte_in_a_key_is_taken_for_a_zero);
    tcase_add_test(tests, texts_and_bytes_of_every_length_are_written);
    tcase_add_loop_test(tests, options_of_a_regex_are_sorted, 0,
                        sizeof options_rows / sizeof options_rows[0]);
    tcase_add_loop_test(tests, a_zero_in_a_regex_is_refused, 0,
                        sizeof nul_rows / sizeof nul_rows[0]);
    tcase_add_test(tests, a_value_of_no_type_is_refused);
    tcase_add_test(tests, doubles_come_back_as_the_same_bits);
    suite_add_tcase(suite, tests);
    return suite;
}
