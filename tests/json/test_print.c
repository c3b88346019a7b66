/* SPDX-License-Identifier: Apache-2.0
 *
 * test_print.c -- documents as Extended JSON, to the letter; and how output, depth and memory come to their ends.
 */
#include "suites.h"

#include "support/counting_alloc.h"
#include "support/expect.h"
#include "support/failing_alloc.h"
#include "support/guard_page.h"
#include "support/hex.h"
#include "support/json_text.h"
#include "support/print_text.h"
#include "support/skip.h"

#include <bsonic/validate.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

typedef struct text_row {
    const char *name;
    const char *hex;
    const char *canonical;
    const char *relaxed; /* NULL: the same */
} text_row;

static const text_row text_rows[] = {
    {"an empty document", "05000000 00", "{}", NULL},
    {"an empty key in a document", "150000000378000d00000002000200000062000000",
     "{\"x\":{\"\":\"b\"}}", NULL},
    {"minus zero", "10000000016100000000000000008000", "{\"a\":{\"$numberDouble\":\"-0.0\"}}",
     "{\"a\":-0.0}"},
    {"infinities and NaN",
     "26000000 016100 000000000000f07f 016200 000000000000f0ff 016300 000000000000f87f 00",
     "{\"a\":{\"$numberDouble\":\"Infinity\"},\"b\":{\"$numberDouble\":\"-Infinity\"},"
     "\"c\":{\"$numberDouble\":\"NaN\"}}",
     NULL},
    {"NaN of any sign and payload", "1b000000 016100 010000000000f0ff 016200 ffffffffffffff7f 00",
     "{\"a\":{\"$numberDouble\":\"NaN\"},\"b\":{\"$numberDouble\":\"NaN\"}}", NULL},
    {"doubles keep a fraction or an exponent",
     "26000000 016100 000000000000f03f 016200 000000205fa00242 016300 0100000000000000 00",
     "{\"a\":{\"$numberDouble\":\"1.0\"},\"b\":{\"$numberDouble\":\"10000000000.0\"},"
     "\"c\":{\"$numberDouble\":\"5E-324\"}}",
     "{\"a\":1.0,\"b\":10000000000.0,\"c\":5E-324}"},
    {"negative int64", "1b000000 126100fbffffffffffffff 12620000000000ffffffff 00",
     "{\"a\":{\"$numberLong\":\"-5\"},\"b\":{\"$numberLong\":\"-4294967296\"}}",
     "{\"a\":-5,\"b\":-4294967296}"},
    {"the ends of int64", "1b000000 126100ffffffffffffff7f 1262000000000000000080 00",
     "{\"a\":{\"$numberLong\":\"9223372036854775807\"},\"b\":{\"$numberLong\":\"-"
     "9223372036854775808\"}}",
     "{\"a\":9223372036854775807,\"b\":-9223372036854775808}"},
    {"the ends of int32", "13000000 106100ffffff7f 10620000000080 00",
     "{\"a\":{\"$numberInt\":\"2147483647\"},\"b\":{\"$numberInt\":\"-2147483648\"}}",
     "{\"a\":2147483647,\"b\":-2147483648}"},
    {"a coefficient above 10^34 - 1 is zero", "18000000136400fffffffffffffffffffffffffffff12f00",
     "{\"d\":{\"$numberDecimal\":\"0E-40\"}}", NULL},
    {"a date of the year 10000", "1000000009640000dc1fd277e6000000",
     "{\"d\":{\"$date\":{\"$numberLong\":\"253402300800000\"}}}", NULL},
    {"the last date of the year 9999", "10000000096400ffdb1fd277e6000000",
     "{\"d\":{\"$date\":{\"$numberLong\":\"253402300799999\"}}}",
     "{\"d\":{\"$date\":\"9999-12-31T23:59:59.999Z\"}}"},
    {"the date before 1970", "10000000096400ffffffffffffffff00",
     "{\"d\":{\"$date\":{\"$numberLong\":\"-1\"}}}", NULL},
    {"dates with and without milliseconds",
     "26000000 096100 0000000000000000 096200 0100000000000000 096300 c5d8d6cc3b010000 00",
     "{\"a\":{\"$date\":{\"$numberLong\":\"0\"}},\"b\":{\"$date\":{\"$numberLong\":\"1\"}},"
     "\"c\":{\"$date\":{\"$numberLong\":\"1356351330501\"}}}",
     "{\"a\":{\"$date\":\"1970-01-01T00:00:00Z\"},\"b\":{\"$date\":\"1970-01-01T00:00:00.001Z\"},"
     "\"c\":{\"$date\":\"2012-12-24T12:15:30.501Z\"}}"},
    {"a date far out does not harm its neighbours",
     "170000000964000000000000000040106e000100000000",
     "{\"d\":{\"$date\":{\"$numberLong\":\"4611686018427387904\"}},\"n\":{\"$numberInt\":\"1\"}}",
     "{\"d\":{\"$date\":{\"$numberLong\":\"4611686018427387904\"}},\"n\":1}"},
    {"a timestamp's seconds come first", "10000000117400010000000200000000",
     "{\"t\":{\"$timestamp\":{\"t\":2,\"i\":1}}}", NULL},
    {"times after 2038 and 2106",
     "1f000000 076f00ffffffff0000000000000000 1174000100000000000080 00",
     "{\"o\":{\"$oid\":\"ffffffff0000000000000000\"},\"t\":{\"$timestamp\":{\"t\":2147483648,\"i\":"
     "1}}}",
     NULL},
    {"the largest timestamp", "10000000117400ffffffffffffffff00",
     "{\"t\":{\"$timestamp\":{\"t\":4294967295,\"i\":4294967295}}}", NULL},
    {"a UUID stays a binary", "1d000000 057500 10000000 04 000102030405060708090a0b0c0d0e0f 00",
     "{\"u\":{\"$binary\":{\"base64\":\"AAECAwQFBgcICQoLDA0ODw==\",\"subType\":\"04\"}}}", NULL},
    {"an empty binary, and a user's subtype",
     "16000000 056100 00000000 00 056200 01000000 ff 00 00",
     "{\"a\":{\"$binary\":{\"base64\":\"\",\"subType\":\"00\"}},\"b\":{\"$binary\":{\"base64\":"
     "\"AA==\",\"subType\":\"ff\"}}}",
     NULL},
    {"the old binary without its inner length", "13000000 057800 06000000 02 02000000 ffff 00",
     "{\"x\":{\"$binary\":{\"base64\":\"//8=\",\"subType\":\"02\"}}}", NULL},
    {"keys stay in their order", "1a000000107a000100000010610002000000106d000300000000",
     "{\"z\":{\"$numberInt\":\"1\"},\"a\":{\"$numberInt\":\"2\"},\"m\":{\"$numberInt\":\"3\"}}",
     "{\"z\":1,\"a\":2,\"m\":3}"},
    {"duplicate keys stay", "13000000106b0001000000106b000200000000",
     "{\"k\":{\"$numberInt\":\"1\"},\"k\":{\"$numberInt\":\"2\"}}", "{\"k\":1,\"k\":2}"},
    {"names of array elements are not printed",
     "1b000000 046100 13000000 0a 7800 08 00 01 0a 3000 0a 666f6f00 00 00",
     "{\"a\":[null,true,null,null]}", NULL},
    {"empty containers", "15000000 036100 05000000 00 046200 05000000 00 00", "{\"a\":{},\"b\":[]}",
     NULL},
    {"containers in containers",
     "24000000 046100 19000000 033000 05000000 00 043100 09000000 083000 01 00 00 0a6200 00",
     "{\"a\":[{},[true]],\"b\":null}", NULL},
    {"booleans and null", "10000000 086100 00 086200 01 0a6300 00",
     "{\"a\":false,\"b\":true,\"c\":null}", NULL},
    {"a regular expression with its options sorted", "10000000 0b6100 612f6200 78736900 00",
     "{\"a\":{\"$regularExpression\":{\"pattern\":\"a/b\",\"options\":\"isx\"}}}", NULL},
    {"options repeat, and are text", "10000000 0b6100 00 78c3a922786900 00",
     "{\"a\":{\"$regularExpression\":{\"pattern\":\"\",\"options\":\"\\\"ixx\xC3\xA9\"}}}", NULL},
    {"code and symbol", "18000000 0d6100 02000000 6200 0e6300 03000000 220a00 00",
     "{\"a\":{\"$code\":\"b\"},\"c\":{\"$symbol\":\"\\\"\\n\"}}", NULL},
    {"code with an empty scope", "16000000 0f6100 0e000000 01000000 00 05000000 00 00",
     "{\"a\":{\"$code\":\"\",\"$scope\":{}}}", NULL},
    {"code with a scope, and what comes behind it",
     "25000000 0f6100 1a000000 02000000 6200 10000000 037300 05000000 00 0a7400 00 0a6300 00",
     "{\"a\":{\"$code\":\"b\",\"$scope\":{\"s\":{},\"t\":null}},\"c\":null}", NULL},
    {"a DBPointer", "1a000000 0c6100 02000000 6200 56e1fc72e0c917e9c4714161 00",
     "{\"a\":{\"$dbPointer\":{\"$ref\":\"b\",\"$id\":{\"$oid\":\"56e1fc72e0c917e9c4714161\"}}}}",
     NULL},
    {"undefined, MinKey and MaxKey", "0e000000 066100 ff6200 7f6300 00",
     "{\"a\":{\"$undefined\":true},\"b\":{\"$minKey\":1},\"c\":{\"$maxKey\":1}}", NULL},
    {"escapes in keys and strings", "16000000 02 22095c00 08000000 0022c3a90a1f7f00 00",
     "{\"\\\"\\t\\\\\":\"\\u0000\\\"\xC3\xA9\\n\\u001f\x7F\"}", NULL},
    {"documents that look like wrappers", "170000000361000f00000010246f696400050000000000",
     "{\"a\":{\"$oid\":{\"$numberInt\":\"5\"}}}", "{\"a\":{\"$oid\":5}}"},
};

static void check_row(const text_row *row, bsn_json_form form, const char *expected)
{
    printed p = print_hex(row->hex, form);
    ck_assert_msg(p.status == BSN_OK, "%s: %s at %u", row->name, bsn_status_text(p.status),
                  (unsigned)p.err.offset);
    ck_assert_msg(bsn_str_equal(p.text, bsn_str_from(expected)), "%s: %.*s", row->name,
                  (int)p.text.len, p.text.ptr);
    ck_assert_msg(json_is_sound(p.text, NULL), "%s: not JSON", row->name);
    printed_free(&p);
}

static void check_rows(void)
{
    for (size_t i = 0; i < sizeof text_rows / sizeof text_rows[0]; i++) {
        const text_row *row = &text_rows[i];
        check_row(row, BSN_JSON_CANONICAL, row->canonical);
        check_row(row, BSN_JSON_RELAXED, row->relaxed != NULL ? row->relaxed : row->canonical);
    }
}

START_TEST(each_value_prints_to_the_letter)
{
    check_rows();
}
END_TEST

/* Any locale whose decimal point is a comma; false when the system has none. */
static bool set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                        "fr_FR.UTF-8", "fr_FR.utf8", "fr_FR"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_ALL, names[i]) != NULL && strcmp(localeconv()->decimal_point, ",") == 0)
            return true;
    }
    return false;
}

START_TEST(the_locale_changes_nothing)
{
    if (set_comma_locale()) {
        check_rows();
    } else {
        test_skip("the_locale_changes_nothing", "no locale with a decimal comma is installed");
    }
    setlocale(LC_ALL, "C");
}
END_TEST

/* ---- a document that has everything, of some size ---- */

typedef struct builder {
    uint8_t *ptr;
    size_t len, cap;
} builder;

static void add(builder *b, const void *bytes, size_t len)
{
    EXPECT(b->len + len <= b->cap, "the builder is full");
    if (len != 0) memcpy(b->ptr + b->len, bytes, len);
    b->len += len;
}

static void add_fill(builder *b, const char *fill, size_t len)
{
    for (size_t i = 0; i < len; i++) add(b, fill + i % strlen(fill), 1);
}

static void add_i32(builder *b, size_t value)
{
    uint8_t bytes[4];
    bsn_store_u32(bytes, (uint32_t)value);
    add(b, bytes, sizeof bytes);
}

static size_t begin(builder *b)
{
    const size_t start = b->len;
    add_i32(b, 0);
    return start;
}

static void end(builder *b, size_t start)
{
    add(b, "", 1);
    bsn_store_u32(b->ptr + start, (uint32_t)(b->len - start));
}

static void add_text(builder *b, const char *head, size_t head_len, const char *fill, size_t len)
{
    add(b, head, head_len);
    add_i32(b, len + 1);
    add_fill(b, fill, len);
    add(b, "", 1);
}

/* Every row of the table as an embedded document, and between them keys, strings and binaries of growing lengths with
 * escapes and without. */
static bsn_doc build_everything(builder *b)
{
    b->cap = 1 << 20;
    b->ptr = malloc(b->cap);
    b->len = 0;
    ck_assert_ptr_nonnull(b->ptr);
    const size_t start = begin(b);
    for (size_t i = 0; i < sizeof text_rows / sizeof text_rows[0]; i++) {
        hex_bytes row = hex_read(text_rows[i].hex);
        add(b, "\x03r", 3);
        add(b, row.ptr, row.len);
        hex_free(&row);
        add_text(b, "\x02p", 3, "plain ascii ", 23 * i);
        add_text(b, "\x02m\xC3\xA9", 5, "\xE2\x82\xAC\"\n", i * 5);
        add_text(b, "\015c", 3, "\x01", i * 17);
        add(b, "\x05z", 3);
        add_i32(b, i * 31);
        add(b, "\x80", 1);
        add_fill(b, "\xFF\x10x", i * 31);
        add(b, "\x0A", 1);
        add_fill(b, "key\\", i * 11);
        add(b, "", 1);
    }
    end(b, start);
    const bsn_doc doc = {b->ptr, b->len};
    return doc;
}

static const bsn_json_options forms[] = {{.form = BSN_JSON_RELAXED}, {.form = BSN_JSON_CANONICAL}};

/* ---- storage ---- */

START_TEST(pooled_output_is_what_buffered_output_is)
{
    static const size_t block_sizes[] = {1024, 2048, 4096, 65536};
    builder b;
    const bsn_doc doc = build_everything(&b);
    for (size_t i = 0; i < 2 * sizeof block_sizes / sizeof block_sizes[0]; i++) {
        printed expected = print_document(doc, &forms[i % 2]);
        ck_assert_int_eq(expected.status, BSN_OK);
        ck_assert_msg(json_is_sound(expected.text, NULL), "not JSON");
        bsn_pool pool;
        bsn_out out;
        bsn_iovec iov[4096];
        bsn_pool_init(&pool, NULL, SIZE_MAX);
        bsn_out_init_pool(&out, &pool, block_sizes[i / 2]);
        ck_assert_int_eq(bsn_json_print(doc, &forms[i % 2], &out, NULL), BSN_OK);
        ck_assert_uint_eq(bsn_out_len(&out), expected.text.len);
        const size_t count = bsn_out_iovecs(&out, iov, sizeof iov / sizeof iov[0]);
        size_t offset = 0;
        for (size_t at = 0; at < count; at++) {
            ck_assert_uint_le(iov[at].len, expected.text.len - offset);
            ck_assert_mem_eq(iov[at].ptr, expected.text.ptr + offset, iov[at].len);
            offset += iov[at].len;
        }
        ck_assert_uint_eq(offset, expected.text.len);
        bsn_out_free(&out);
        bsn_pool_free(&pool);
        printed_free(&expected);
    }
    free(b.ptr);
}
END_TEST

#define FAR_DATE "\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"

/* Elements that meet the end of a block in different ways: texts that fit and that do not, and behind them the longest things
 * for which there must still be room; and many elements without any text. Returns false when there is no such one. */
static bool add_sweep_element(builder *b, size_t which)
{
    switch (which) {
    case 0:
        add_text(b, "\014p", 3, "\x01", 30);
        add(b, "\x56\xE1\xFC\x72\xE0\xC9\x17\xE9\xC4\x71\x41\x61", 12);
        return true;
    case 1: add_text(b, "\x02s", 3, "0123456789", 70); return true;
    case 2:
        add(b, "\x09", 1);
        add_fill(b, "a key of forty bytes, neither long nor short", 40);
        add(b, FAR_DATE, 9);
        return true;
    case 3:
        add(b, "\x09", 1);
        add_fill(b, "\x01", 77);
        add(b, FAR_DATE, 9);
        return true;
    case 4:
        add(b, "\x05z", 3);
        add_i32(b, 100);
        add(b, "\x80", 1);
        add_fill(b, "\xFF\x10x", 100);
        return true;
    case 5:
        add(b, "\x0Br\0", 3);
        add_fill(b, "\"", 60);
        add(b, "\0xi\xC3\xA9x\0", 7);
        return true;
    case 6:
        add(b, "\x0Bo\0", 3);
        add_fill(b, "\x01", 40);
        add(b, "\0", 1);
        add_fill(b, "\x01", 100);
        add(b, "", 1);
        return true;
    case 7:
        for (int i = 0; i < 30; i++) add(b, "\x13n\0 one decimal128 ", 19);
        return true;
    case 8:
        for (int i = 0; i < 30; i++) add(b, "\x12n\0-a long-", 11);
        return true;
    case 9:
        for (int i = 0; i < 60; i++) add(b, "\x0An", 3);
        return true;
    case 10: add_text(b, "\015c", 3, "\xF0\x9F\x98\x80", 300); return true;
    default: return false;
    }
}

/* One of them, and a text at the end. */
static bool build_sweep(builder *b, size_t which)
{
    b->len = 0;
    const size_t start = begin(b);
    if (!add_sweep_element(b, which)) return false;
    add_text(b, "\016y", 3, "last", 4);
    end(b, start);
    return true;
}

static void check_behind(bsn_doc doc, const bsn_json_options *options, size_t before,
                         const printed *expected)
{
    static const uint8_t filler[2048];
    uint8_t joined[1 << 13];
    bsn_iovec iov[64];
    bsn_pool pool;
    bsn_out out;
    bsn_error err = {0};
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    bsn_out_append(&out, filler, before);
    const bsn_status status = bsn_json_print(doc, options, &out, &err);
    EXPECT(status == expected->status && err.offset == expected->err.offset,
           "behind %zu bytes: %s at %u", before, bsn_status_text(status), (unsigned)err.offset);
    const size_t count = bsn_out_iovecs(&out, iov, 64);
    size_t len = 0;
    for (size_t at = 0; at < count; at++) {
        EXPECT(iov[at].len <= sizeof joined - len, "too much text");
        memcpy(joined + len, iov[at].ptr, iov[at].len);
        len += iov[at].len;
    }
    EXPECT(len == before + expected->text.len &&
               memcmp(joined + before, expected->text.ptr, expected->text.len) == 0,
           "behind %zu bytes: another text", before);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}

/* Behind every number of bytes up to more than a block; sound, and with the last byte of the last text at fault. */
START_TEST(blocks_may_end_anywhere)
{
    uint8_t bytes[1024];
    builder b = {.ptr = bytes, .cap = sizeof bytes};
    for (size_t which = 0; build_sweep(&b, which); which++) {
        const bsn_doc doc = {b.ptr, b.len};
        for (size_t i = 0; i < 3; i++) {
            if (i == 2) b.ptr[b.len - 3] = 0xFF;
            printed expected = print_document(doc, &forms[i % 2]);
            ck_assert_int_eq(expected.status, i < 2 ? BSN_OK : BSN_E_UTF8);
            for (size_t before = 0; before < 1100; before++) {
                check_behind(doc, &forms[i % 2], before, &expected);
            }
            printed_free(&expected);
        }
    }
}
END_TEST

static void check_fixed(bsn_doc doc, const bsn_json_options *options, const printed *expected,
                        size_t cap)
{
    uint8_t *storage = malloc(cap);
    bsn_out out;
    bsn_error err = {0};
    EXPECT(storage != NULL || cap == 0, "no memory");
    bsn_out_init_fixed(&out, storage, cap);
    const bsn_status status = bsn_json_print(doc, options, &out, &err);
    const bool enough = cap >= expected->text.len;
    EXPECT(status == (enough ? BSN_OK : BSN_E_SPACE), "%zu bytes: %s", cap,
           bsn_status_text(status));
    EXPECT(bsn_out_status(&out) == status && err.status == status, "another status");
    EXPECT(bsn_out_len(&out) == expected->text.len, "%zu bytes: counted %u", cap,
           (unsigned)bsn_out_len(&out));
    bsn_iovec held = {NULL, 0};
    const size_t count = bsn_out_iovecs(&out, &held, 1), len = enough ? expected->text.len : cap;
    EXPECT(count == (len != 0) && held.len == len, "%zu bytes: holds %zu", cap, held.len);
    EXPECT(len == 0 || memcmp(held.ptr, expected->text.ptr, len) == 0, "%zu bytes: another text",
           cap);
    bsn_out_free(&out);
    free(storage);
}

START_TEST(fixed_storage_of_every_size_counts_exactly)
{
    for (size_t i = 0; i < 2 * sizeof text_rows / sizeof text_rows[0]; i++) {
        hex_bytes bytes = hex_read(text_rows[i / 2].hex);
        const bsn_doc doc = {bytes.ptr, bytes.len};
        printed expected = print_document(doc, &forms[i % 2]);
        for (size_t cap = 0; cap <= expected.text.len + 2; cap++) {
            check_fixed(doc, &forms[i % 2], &expected, cap);
        }
        printed_free(&expected);
        hex_free(&bytes);
    }
}
END_TEST

START_TEST(fixed_storage_counts_large_documents_exactly)
{
    builder b;
    const bsn_doc doc = build_everything(&b);
    printed expected = print_document(doc, NULL);
    for (size_t cap = 0; cap < expected.text.len; cap += 997)
        check_fixed(doc, NULL, &expected, cap);
    for (size_t less = 0; less <= 1100; less += 11)
        check_fixed(doc, NULL, &expected, expected.text.len - less);
    check_fixed(doc, NULL, &expected, expected.text.len - 1);
    check_fixed(doc, NULL, &expected, expected.text.len + 1);
    check_fixed(doc, NULL, &expected, expected.text.len + 600);
    printed_free(&expected);
    free(b.ptr);
}
END_TEST

START_TEST(documents_follow_one_another_in_one_output)
{
    hex_bytes bytes = hex_read("0c000000 106100 05000000 00");
    const bsn_doc doc = {bytes.ptr, bytes.len};
    bsn_buf buf;
    bsn_out out;
    bsn_bytes view;
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(bsn_json_print(doc, NULL, &out, NULL), BSN_OK);
        bsn_out_append(&out, "\n", 1);
    }
    ck_assert(bsn_out_view(&out, &view));
    ck_assert_uint_eq(view.len, 800);
    for (size_t i = 0; i < 100; i++) ck_assert_mem_eq(view.ptr + 8 * i, "{\"a\":5}\n", 8);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    hex_free(&bytes);
}
END_TEST

/* ---- input ---- */

typedef struct value_row {
    uint8_t type;
    const char *hex;
} value_row;

static const value_row value_rows[] = {
    {0x01, "000000000000f03f"},
    {0x02, "01000000 00"},
    {0x02, "04000000 616263 00"},
    {0x02, "0a000000 616263646566676869 00"},
    {0x02, "03000000 c3a9 00"},
    {0x03, "05000000 00"},
    {0x04, "08000000 0a3000 00"},
    {0x05, "00000000 00"},
    {0x05, "05000000 02 01000000 61"},
    {0x06, ""},
    {0x07, "000000000000000000000000"},
    {0x08, "01"},
    {0x09, "0000000000000000"},
    {0x0A, ""},
    {0x0B, "00 00"},
    {0x0B, "6100 6900"},
    {0x0C, "01000000 00 000000000000000000000000"},
    {0x0D, "01000000 00"},
    {0x0E, "02000000 61 00"},
    {0x0F, "0e000000 01000000 00 05000000 00"},
    {0x10, "01000000"},
    {0x11, "0100000002000000"},
    {0x12, "0100000000000000"},
    {0x13, "00000000000000000000000000000000"},
    {0x7F, ""},
    {0xFF, ""},
};

/* Every type behind keys of every length up to 50, as the last element before an unmapped page; and cut short by 1 to 20 bytes
 * in an array: then it is a fault, unless what is left is sound. */
static void check_last(guard_area *area, const value_row *row, size_t key_len, uint8_t outer,
                       size_t cut)
{
    uint8_t bytes[256];
    builder b = {.ptr = bytes, .cap = sizeof bytes};
    hex_bytes value = hex_read(row->hex);
    const size_t start = begin(&b);
    add(&b, &outer, 1);
    add(&b, "o", 2);
    const size_t inner = begin(&b);
    add(&b, &row->type, 1);
    add_fill(&b, "key", key_len);
    add(&b, "", 1);
    add(&b, value.ptr, value.len);
    hex_free(&value);
    if (cut > b.len - inner - 4) return;
    b.len -= cut;
    end(&b, inner);
    end(&b, start);
    const bsn_doc doc = {guard_at_end(area, b.ptr, b.len), b.len};
    bsn_error err = {0};
    const bsn_status status = bsn_validate(bsn_doc_bytes(doc), NULL, NULL, &err);
    EXPECT(cut != 0 || status == BSN_OK, "type %02x is not sound", row->type);
    printed p = print_document(doc, &forms[key_len % 2]);
    EXPECT(p.status == status && p.err.offset == err.offset,
           "type %02x, key of %zu, cut by %zu: %s at %u", row->type, key_len, cut,
           bsn_status_text(p.status), (unsigned)p.err.offset);
    EXPECT(status != BSN_OK || json_is_sound(p.text, NULL), "%.*s", (int)p.text.len, p.text.ptr);
    printed_free(&p);
}

START_TEST(nothing_behind_a_document_is_read)
{
    guard_area area;
    guard_open(&area, 256);
    for (size_t i = 0; i < sizeof value_rows / sizeof value_rows[0]; i++) {
        for (size_t key_len = 0; key_len <= 50; key_len++) {
            for (size_t cut = 0; cut <= 20; cut++) {
                check_last(&area, &value_rows[i], key_len,
                           cut % 2 == 0 ? BSN_TYPE_DOCUMENT : BSN_TYPE_ARRAY, cut);
            }
        }
    }
    guard_close(&area);
}
END_TEST

/* ---- errors ---- */

typedef struct error_row {
    const char *name;
    const char *hex;
    bsn_status status;
    uint64_t offset;
} error_row;

static const error_row error_rows[] = {
    {"an overlong NUL", "11000000027300050000000a0ac0800000", BSN_E_UTF8, 13},
    {"a sequence cut by the string's end", "0e00000002730002000000c60000", BSN_E_UTF8, 11},
    {"a key that is not UTF-8", "0c000000 10ff00 05000000 00", BSN_E_UTF8, 5},
    {"a key that is not UTF-8 before a value that is too long", "0e000000 02ff00 03000000 6100 00",
     BSN_E_UTF8, 5},
    {"a name in an array, not UTF-8", "10000000 046100 08000000 0aff00 00 00", BSN_E_UTF8, 12},
    {"a long name in an array, not UTF-8",
     "19000000 046100 11000000 0a313233343536373839ff00 00 00", BSN_E_UTF8, 21},
    {"code that is not UTF-8", "0e000000 0d6100 02000000 8000 00", BSN_E_UTF8, 11},
    {"a symbol that is not UTF-8", "0e000000 0e6100 02000000 8000 00", BSN_E_UTF8, 11},
    {"a pattern that is not UTF-8", "0b000000 0b6100 8000 00 00", BSN_E_UTF8, 7},
    {"options that are not UTF-8", "0d000000 0b6100 00 788069 00 00", BSN_E_UTF8, 9},
    {"a namespace that is not UTF-8", "1a000000 0c6100 02000000 ff00 56e1fc72e0c917e9c4714161 00",
     BSN_E_UTF8, 11},
    {"scope code that is not UTF-8", "17000000 0f6100 0f000000 02000000 ff00 05000000 00 00",
     BSN_E_UTF8, 15},
    {"a fault in an unended document comes before its end",
     "12000000 036100 0a000000 0a ff00 0a 6201 00", BSN_E_UTF8, 12},
    {"an unknown type", "10000000146400000000000000000000", BSN_E_TYPE, 4},
    {"a boolean of 2", "09000000 086100 02 00", BSN_E_BOOLEAN, 7},
};

START_TEST(faults_are_those_of_validation)
{
    for (size_t i = 0; i < sizeof error_rows / sizeof error_rows[0]; i++) {
        const error_row *row = &error_rows[i];
        bsn_error expected = {0};
        hex_bytes bytes = hex_read(row->hex);
        const bsn_status status = bsn_validate(hex_span(&bytes), NULL, NULL, &expected);
        printed p = print_hex(row->hex, i % 2 == 0 ? BSN_JSON_RELAXED : BSN_JSON_CANONICAL);
        ck_assert_msg(p.status == status && p.err.offset == expected.offset,
                      "%s: print %s at %u, validate %s at %u", row->name, bsn_status_text(p.status),
                      (unsigned)p.err.offset, bsn_status_text(status), (unsigned)expected.offset);
        ck_assert_msg(p.status == row->status && p.err.offset == row->offset, "%s: %s at %u",
                      row->name, bsn_status_text(p.status), (unsigned)p.err.offset);
        printed_free(&p);
        hex_free(&bytes);
    }
}
END_TEST

/* The fault stands last, behind more text than any room holds. */
START_TEST(a_fault_takes_back_all_of_the_document_and_nothing_else)
{
    builder b;
    build_everything(&b);
    b.len--;
    add_text(&b, "\x02z", 3, "\xFF", 1);
    end(&b, 0);
    const bsn_doc doc = {b.ptr, b.len};
    for (int kind = 0; kind < 3; kind++) {
        bsn_pool pool;
        bsn_buf buf;
        bsn_out out;
        bsn_bytes view;
        bsn_error err = {0};
        uint8_t storage[8];
        bsn_pool_init(&pool, NULL, SIZE_MAX);
        bsn_buf_init(&buf, NULL);
        if (kind == 0) bsn_out_init_pool(&out, &pool, 1024);
        if (kind == 1) bsn_out_init_buf(&out, &buf);
        if (kind == 2) bsn_out_init_fixed(&out, storage, sizeof storage);
        bsn_out_append(&out, "before", 6);
        ck_assert_int_eq(bsn_json_print(doc, NULL, &out, &err), BSN_E_UTF8);
        ck_assert_int_eq(err.status, BSN_E_UTF8);
        ck_assert_uint_eq(err.offset, doc.len - 3);
        ck_assert_int_eq(bsn_out_status(&out), BSN_OK);
        bsn_out_append(&out, "!", 1);
        ck_assert(bsn_out_view(&out, &view));
        ck_assert_uint_eq(view.len, 7);
        ck_assert_mem_eq(view.ptr, "before!", 7);
        bsn_out_free(&out);
        bsn_buf_free(&buf);
        bsn_pool_free(&pool);
    }
    free(b.ptr);
}
END_TEST

/* ---- depth ---- */

/* Arrays and documents by turns, nested `depth` deep. */
static bsn_doc build_nest(builder *b, size_t depth)
{
    b->cap = depth * 8 + 16;
    b->ptr = malloc(b->cap);
    b->len = 0;
    ck_assert_ptr_nonnull(b->ptr);
    size_t *starts = malloc(depth * sizeof *starts);
    ck_assert_ptr_nonnull(starts);
    for (size_t level = 0; level < depth; level++) {
        if (level != 0) add(b, level % 2 == 0 ? "\0030" : "\004d", 3);
        starts[level] = begin(b);
    }
    for (size_t level = depth; level-- > 0;) end(b, starts[level]);
    free(starts);
    const bsn_doc doc = {b->ptr, b->len};
    return doc;
}

static void check_nest(size_t depth, const bsn_json_options *options, bsn_status expected)
{
    builder b;
    const bsn_doc doc = build_nest(&b, depth);
    const bsn_validate_options as = {.depth_max = options->depth_max, .alloc = options->alloc};
    bsn_error err = {0};
    const bsn_bytes bytes = bsn_doc_bytes(doc);
    ck_assert_int_eq(bsn_validate(bytes, &as, NULL, &err), expected);
    printed p = print_document(doc, options);
    ck_assert_int_eq(p.status, expected);
    if (expected == BSN_OK) {
        /* {"d":[ .. ]} : an object takes 6 bytes beside what is in it, an array 2; the innermost has no key. */
        const size_t arrays = depth / 2, objects = depth - arrays;
        ck_assert_uint_eq(p.text.len, 6 * objects + 2 * arrays - (depth % 2 == 1 ? 4 : 0));
        ck_assert_msg(json_is_sound(p.text, NULL), "not JSON at depth %zu", depth);
    } else {
        ck_assert_uint_eq(p.err.offset, err.offset);
    }
    printed_free(&p);
    free(b.ptr);
}

START_TEST(nesting_goes_to_the_limit_and_no_further)
{
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_json_options few = {.depth_max = 3}, one = {.depth_max = 1},
                           many = {.depth_max = 1000},
                           deep = {.depth_max = 65535, .alloc = &counter.alloc};
    const bsn_json_options by_default = {.form = BSN_JSON_CANONICAL};
    check_nest(1, &one, BSN_OK);
    check_nest(2, &one, BSN_E_DEPTH);
    check_nest(3, &few, BSN_OK);
    check_nest(4, &few, BSN_E_DEPTH);
    check_nest(200, &by_default, BSN_OK);
    check_nest(201, &by_default, BSN_E_DEPTH);
    check_nest(200, &many, BSN_OK);
    check_nest(201, &many, BSN_E_DEPTH); /* no memory was given for more */
    check_nest(200, &deep, BSN_OK);
    check_nest(201, &deep, BSN_OK);
    check_nest(202, &deep, BSN_OK);
    check_nest(3001, &deep, BSN_OK);
    check_nest(65535, &deep, BSN_OK);
    check_nest(65536, &deep, BSN_E_DEPTH);
    counting_alloc_finish(&counter);
}
END_TEST

/* ---- memory ---- */

START_TEST(memory_that_is_refused_for_nesting_is_an_error)
{
    builder b;
    const bsn_doc doc = build_nest(&b, 2000);
    failing_alloc failing;
    failing_alloc_init(&failing);
    const bsn_json_options options = {.depth_max = 5000, .alloc = &failing.alloc};
    do {
        printed p = print_document(doc, &options);
        ck_assert_int_eq(p.status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
        printed_free(&p);
    } while (failing_alloc_again(&failing));
    free(b.ptr);
}
END_TEST

/* Once with a buffer, once with a pool: what is printed must come out whole or not at all. */
static bsn_status print_with(bsn_doc doc, const bsn_alloc *alloc, bool pooled)
{
    bsn_pool pool;
    bsn_buf buf;
    bsn_out out;
    bsn_error err = {0};
    bsn_pool_init(&pool, alloc, SIZE_MAX);
    bsn_buf_init(&buf, alloc);
    if (pooled) {
        bsn_out_init_pool(&out, &pool, 16384);
    } else {
        bsn_out_init_buf(&out, &buf);
    }
    const bsn_status status = bsn_json_print(doc, NULL, &out, &err);
    ck_assert_int_eq(err.status, status);
    ck_assert_int_eq(bsn_out_status(&out), status);
    if (status != BSN_OK) ck_assert_uint_eq(bsn_out_len(&out), 0);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    bsn_pool_free(&pool);
    return status;
}

START_TEST(memory_that_is_refused_for_output_is_an_error)
{
    builder b;
    const bsn_doc doc = build_everything(&b);
    for (int pooled = 0; pooled < 2; pooled++) {
        failing_alloc failing;
        failing_alloc_init(&failing);
        do {
            const bsn_status status = print_with(doc, &failing.alloc, pooled != 0);
            ck_assert_int_eq(status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
        } while (failing_alloc_again(&failing));
    }
    free(b.ptr);
}
END_TEST

START_TEST(a_warm_pool_asks_for_nothing)
{
    builder b;
    const bsn_doc doc = build_everything(&b);
    counting_alloc counter;
    counting_alloc_init(&counter);
    bsn_pool pool;
    bsn_out out;
    bsn_pool_init(&pool, &counter.alloc, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 0);
    size_t warm = 0;
    for (int round = 0; round < 5; round++) {
        ck_assert_int_eq(bsn_json_print(doc, NULL, &out, NULL), BSN_OK);
        bsn_out_sent(&out, bsn_out_unsent(&out));
        if (round == 0) warm = counting_alloc_requests(&counter);
    }
    ck_assert_uint_eq(counting_alloc_requests(&counter), warm);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    counting_alloc_finish(&counter);
    free(b.ptr);
}
END_TEST

/* ---- size ---- */

/* Six bytes of text for one of BSON. The text is only counted: nothing may grow with it. */
START_TEST(a_huge_string_of_controls_streams)
{
#if defined(BSONIC_ASSERT)
    const size_t len = 8u << 20;
#else
    const size_t len = 400u << 20;
#endif
    const size_t front = 4 + 3 + 4;
    uint8_t *bytes = calloc(front + len + 2, 1);
    ck_assert_ptr_nonnull(bytes);
    bsn_store_u32(bytes, (uint32_t)(front + len + 2));
    memcpy(bytes + 4, "\x02s", 3);
    bsn_store_u32(bytes + 7, (uint32_t)len + 1);
    const bsn_doc doc = {bytes, front + len + 2};
    bsn_out out;
    bsn_out_init_fixed(&out, NULL, 0);
    ck_assert_int_eq(bsn_json_print(doc, NULL, &out, NULL), BSN_E_SPACE);
    ck_assert_uint_eq(bsn_out_len(&out), strlen("{\"s\":\"\"}") + 6 * (uint64_t)len);
    bsn_out_free(&out);
    free(bytes);
}
END_TEST

Suite *print_suite(void)
{
    Suite *suite = suite_create("print");
    TCase *tests = tcase_create("print");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, each_value_prints_to_the_letter);
    tcase_add_test(tests, the_locale_changes_nothing);
    tcase_add_test(tests, pooled_output_is_what_buffered_output_is);
    tcase_add_test(tests, blocks_may_end_anywhere);
    tcase_add_test(tests, fixed_storage_of_every_size_counts_exactly);
    tcase_add_test(tests, fixed_storage_counts_large_documents_exactly);
    tcase_add_test(tests, documents_follow_one_another_in_one_output);
    tcase_add_test(tests, nothing_behind_a_document_is_read);
    tcase_add_test(tests, faults_are_those_of_validation);
    tcase_add_test(tests, a_fault_takes_back_all_of_the_document_and_nothing_else);
    tcase_add_test(tests, nesting_goes_to_the_limit_and_no_further);
    tcase_add_test(tests, memory_that_is_refused_for_nesting_is_an_error);
    tcase_add_test(tests, memory_that_is_refused_for_output_is_an_error);
    tcase_add_test(tests, a_warm_pool_asks_for_nothing);
    tcase_add_test(tests, a_huge_string_of_controls_streams);
    suite_add_tcase(suite, tests);
    return suite;
}
