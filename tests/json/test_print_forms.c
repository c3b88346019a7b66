/* SPDX-License-Identifier: Apache-2.0
 *
 * test_print_forms.c -- the forms beside canonical and relaxed, to the letter and read back; lines, lengths, text that is not UTF-8,
 * and documents that look like wrappers.
 */
#include "suites.h"

#include "corpus/corpus.h"
#include "support/expect.h"
#include "support/fill_doc.h"
#include "support/hex.h"
#include "support/json_text.h"
#include "support/parse_text.h"
#include "support/print_text.h"
#include "support/random.h"
#include "json/print_rows.h"

#include <bsonic/validate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

typedef struct form_row {
    const char *name;
    const char *hex;
    const char *safe, *legacy, *shell;
} form_row;

static const form_row rows[] = {
    {"int32", "0c000000 106100 05000000 00", "{\"a\":5}", "{\"a\":5}", "{\"a\":5}"},
    {"the last integers that are safe",
     "1b000000 126100 ffffffffffff1f00 126200 010000000000e0ff 00",
     "{\"a\":9007199254740991,\"b\":-9007199254740991}",
     "{\"a\":{\"$numberLong\":\"9007199254740991\"},\"b\":{\"$numberLong\":\"-9007199254740991\"}}",
     "{\"a\":NumberLong(\"9007199254740991\"),\"b\":NumberLong(\"-9007199254740991\")}"},
    {"the first integers that are not",
     "1b000000 126100 0000000000002000 126200 000000000000e0ff 00",
     "{\"a\":{\"$numberLong\":\"9007199254740992\"},\"b\":{\"$numberLong\":\"-9007199254740992\"}}",
     "{\"a\":{\"$numberLong\":\"9007199254740992\"},\"b\":{\"$numberLong\":\"-9007199254740992\"}}",
     "{\"a\":NumberLong(\"9007199254740992\"),\"b\":NumberLong(\"-9007199254740992\")}"},
    {"doubles that JavaScript takes for int32, and others",
     "31000000 016100 0000000000001440 016200 000000000000f83f 016300 000000205fa00242 016400 "
     "0000000000000080 00",
     "{\"a\":5.0,\"b\":1.5,\"c\":10000000000.0,\"d\":-0.0}",
     "{\"a\":5.0,\"b\":1.5,\"c\":10000000000.0,\"d\":-0.0}",
     "{\"a\":Double(5.0),\"b\":1.5,\"c\":10000000000.0,\"d\":Double(-0.0)}"},
    {"infinities and NaN",
     "26000000 016100 000000000000f07f 016200 000000000000f0ff 016300 000000000000f87f 00",
     "{\"a\":{\"$numberDouble\":\"Infinity\"},\"b\":{\"$numberDouble\":\"-Infinity\"},"
     "\"c\":{\"$numberDouble\":\"NaN\"}}",
     "{\"a\":{\"$numberDouble\":\"Infinity\"},\"b\":{\"$numberDouble\":\"-Infinity\"},"
     "\"c\":{\"$numberDouble\":\"NaN\"}}",
     "{\"a\":Infinity,\"b\":-Infinity,\"c\":NaN}"},
    {"dates", "1b000000 096100 c5d8d6cc3b010000 096200 ffffffffffffffff 00",
     "{\"a\":{\"$date\":\"2012-12-24T12:15:30.501Z\"},\"b\":{\"$date\":{\"$numberLong\":\"-1\"}}}",
     "{\"a\":{\"$date\":1356351330501},\"b\":{\"$date\":-1}}",
     "{\"a\":ISODate(\"2012-12-24T12:15:30.501Z\"),\"b\":new Date(-1)}"},
    {"binary", "1c000000 056100 01000000 80 ff 057800 06000000 02 02000000 ffff 00",
     "{\"a\":{\"$binary\":{\"base64\":\"/w==\",\"subType\":\"80\"}},"
     "\"x\":{\"$binary\":{\"base64\":\"//8=\",\"subType\":\"02\"}}}",
     "{\"a\":{\"$binary\":\"/w==\",\"$type\":\"80\"},\"x\":{\"$binary\":\"//"
     "8=\",\"$type\":\"02\"}}",
     "{\"a\":BinData(128,\"/w==\"),\"x\":BinData(2,\"//8=\")}"},
    {"a regex that a script has as it is", "10000000 0b6100 5e612e2a00 6d6900 00",
     "{\"a\":{\"$regularExpression\":{\"pattern\":\"^a.*\",\"options\":\"im\"}}}",
     "{\"a\":{\"$regex\":\"^a.*\",\"$options\":\"im\"}}", "{\"a\":/^a.*/im}"},
    {"regexes that it has not: a slash, nothing, another option, a group, nothing to repeat",
     "2c000000 0b6100 612f6200 00 0b6200 00 00 0b6300 6100 7800 0b6400 28612900 00 0b6500 2b00 00 "
     "00",
     "{\"a\":{\"$regularExpression\":{\"pattern\":\"a/b\",\"options\":\"\"}},"
     "\"b\":{\"$regularExpression\":{\"pattern\":\"\",\"options\":\"\"}},"
     "\"c\":{\"$regularExpression\":{\"pattern\":\"a\",\"options\":\"x\"}},"
     "\"d\":{\"$regularExpression\":{\"pattern\":\"(a)\",\"options\":\"\"}},"
     "\"e\":{\"$regularExpression\":{\"pattern\":\"+\",\"options\":\"\"}}}",
     "{\"a\":{\"$regex\":\"a/b\",\"$options\":\"\"},\"b\":{\"$regex\":\"\",\"$options\":\"\"},"
     "\"c\":{\"$regex\":\"a\",\"$options\":\"x\"},\"d\":{\"$regex\":\"(a)\",\"$options\":\"\"},"
     "\"e\":{\"$regex\":\"+\",\"$options\":\"\"}}",
     "{\"a\":BSONRegExp(\"a/b\",\"\"),\"b\":BSONRegExp(\"\",\"\"),\"c\":BSONRegExp(\"a\",\"x\"),"
     "\"d\":BSONRegExp(\"(a)\",\"\"),\"e\":BSONRegExp(\"+\",\"\")}"},
    {"backslashes in a regex", "1b000000 0b6100 5c642b5c2e00 00 0b6200 5c7a00 00 0b6300 5c00 00 00",
     "{\"a\":{\"$regularExpression\":{\"pattern\":\"\\\\d+\\\\.\",\"options\":\"\"}},"
     "\"b\":{\"$regularExpression\":{\"pattern\":\"\\\\z\",\"options\":\"\"}},"
     "\"c\":{\"$regularExpression\":{\"pattern\":\"\\\\\",\"options\":\"\"}}}",
     "{\"a\":{\"$regex\":\"\\\\d+\\\\.\",\"$options\":\"\"},\"b\":{\"$regex\":\"\\\\z\",\"$"
     "options\":\"\"},"
     "\"c\":{\"$regex\":\"\\\\\",\"$options\":\"\"}}",
     "{\"a\":/\\d+\\./,\"b\":BSONRegExp(\"\\\\z\",\"\"),\"c\":BSONRegExp(\"\\\\\",\"\")}"},
    {"ObjectId and timestamp",
     "1d000000 076f00 56e1fc72e0c917e9c4714161 117400 0100000002000000 00",
     "{\"o\":{\"$oid\":\"56e1fc72e0c917e9c4714161\"},\"t\":{\"$timestamp\":{\"t\":2,\"i\":1}}}",
     "{\"o\":{\"$oid\":\"56e1fc72e0c917e9c4714161\"},\"t\":{\"$timestamp\":{\"t\":2,\"i\":1}}}",
     "{\"o\":ObjectId(\"56e1fc72e0c917e9c4714161\"),\"t\":Timestamp({t:2,i:1})}"},
    {"decimal128", "18000000 136400 78000000000000000000000000003c30 00",
     "{\"d\":{\"$numberDecimal\":\"1.20\"}}", "{\"d\":{\"$numberDecimal\":\"1.20\"}}",
     "{\"d\":NumberDecimal(\"1.20\")}"},
    {"code and symbol", "18000000 0d6100 02000000 6200 0e6300 03000000 220a00 00",
     "{\"a\":{\"$code\":\"b\"},\"c\":{\"$symbol\":\"\\\"\\n\"}}",
     "{\"a\":{\"$code\":\"b\"},\"c\":{\"$symbol\":\"\\\"\\n\"}}",
     "{\"a\":Code(\"b\"),\"c\":BSONSymbol(\"\\\"\\n\")}"},
    {"code with a scope, and what comes behind it",
     "25000000 0f6100 1a000000 02000000 6200 10000000 037300 05000000 00 0a7400 00 0a6300 00",
     "{\"a\":{\"$code\":\"b\",\"$scope\":{\"s\":{},\"t\":null}},\"c\":null}",
     "{\"a\":{\"$code\":\"b\",\"$scope\":{\"s\":{},\"t\":null}},\"c\":null}",
     "{\"a\":Code(\"b\",{\"s\":{},\"t\":null}),\"c\":null}"},
    {"a DBPointer", "1a000000 0c6100 02000000 6200 56e1fc72e0c917e9c4714161 00",
     "{\"a\":{\"$dbPointer\":{\"$ref\":\"b\",\"$id\":{\"$oid\":\"56e1fc72e0c917e9c4714161\"}}}}",
     "{\"a\":{\"$dbPointer\":{\"$ref\":\"b\",\"$id\":{\"$oid\":\"56e1fc72e0c917e9c4714161\"}}}}",
     "{\"a\":DBPointer(\"b\",ObjectId(\"56e1fc72e0c917e9c4714161\"))}"},
    {"undefined, MinKey and MaxKey", "0e000000 066100 ff6200 7f6300 00",
     "{\"a\":{\"$undefined\":true},\"b\":{\"$minKey\":1},\"c\":{\"$maxKey\":1}}",
     "{\"a\":{\"$undefined\":true},\"b\":{\"$minKey\":1},\"c\":{\"$maxKey\":1}}",
     "{\"a\":undefined,\"b\":MinKey(),\"c\":MaxKey()}"},
    {"the key that sets a prototype, by either way, and one like it",
     "2c000000 0a 5f5f70726f746f5f5f00 0a 5f5f70726f746f5f7800 0a 5f5f70726f746f5f5f00 0a6100 "
     "0a6200 00",
     "{\"__proto__\":null,\"__proto_x\":null,\"__proto__\":null,\"a\":null,\"b\":null}",
     "{\"__proto__\":null,\"__proto_x\":null,\"__proto__\":null,\"a\":null,\"b\":null}",
     "{[\"__proto__\"]:null,\"__proto_x\":null,[\"__proto__\"]:null,\"a\":null,\"b\":null}"},
};

static void check_text(const char *name, const char *hex, const bsn_json_options *options,
                       const char *expected)
{
    hex_bytes bytes = hex_read(hex);
    const bsn_doc doc = {bytes.ptr, bytes.len};
    printed p = print_document(doc, options);
    ck_assert_msg(p.status == BSN_OK, "%s: %s at %u", name, bsn_status_text(p.status),
                  (unsigned)p.err.offset);
    ck_assert_msg(bsn_str_equal(p.text, bsn_str_from(expected)), "%s: %.*s", name, (int)p.text.len,
                  p.text.ptr);
    printed_free(&p);
    hex_free(&bytes);
}

START_TEST(each_value_prints_to_the_letter_in_every_form)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bsn_json_options safe = {.form = BSN_JSON_SAFE}, legacy = {.form = BSN_JSON_LEGACY},
                               shell = {.form = BSN_JSON_SHELL};
        check_text(rows[i].name, rows[i].hex, &safe, rows[i].safe);
        check_text(rows[i].name, rows[i].hex, &legacy, rows[i].legacy);
        check_text(rows[i].name, rows[i].hex, &shell, rows[i].shell);
    }
}
END_TEST

/* ---- lines ---- */

/* {"e":{},"f":[],"o":ObjectId,"d":{"n":[1,{"x":null}]},"s":code with {"t":null}} */
#define LINES                                                                                   \
    "5e000000 036500 05000000 00 046600 05000000 00 076f00 56e1fc72e0c917e9c4714161 036400 "    \
    "1f000000 "                                                                                 \
    "046e00 17000000 103000 01000000 033100 08000000 0a7800 00 00 00 0f7300 12000000 02000000 " \
    "6200 "                                                                                     \
    "08000000 0a7400 00 0a7a00 00"

START_TEST(lines_open_documents_and_leave_wrappers_closed)
{
    const bsn_json_options two = {.indent = 2};
    const bsn_json_options tab = {.indent = BSN_JSON_INDENT_TAB, .form = BSN_JSON_SHELL};
    check_text(
        "two spaces", LINES, &two,
        "{\n  \"e\": {},\n  \"f\": [],\n  \"o\": {\"$oid\":\"56e1fc72e0c917e9c4714161\"},\n"
        "  \"d\": {\n    \"n\": [\n      1,\n      {\n        \"x\": null\n      }\n    ]\n  },\n"
        "  \"s\": {\"$code\":\"b\",\"$scope\":{\n    \"t\": null\n  }},\n  \"z\": null\n}");
    check_text(
        "tabs", LINES, &tab,
        "{\n\t\"e\": {},\n\t\"f\": [],\n\t\"o\": ObjectId(\"56e1fc72e0c917e9c4714161\"),\n"
        "\t\"d\": {\n\t\t\"n\": [\n\t\t\t1,\n\t\t\t{\n\t\t\t\t\"x\": null\n\t\t\t}\n\t\t]\n\t},\n"
        "\t\"s\": Code(\"b\",{\n\t\t\"t\": null\n\t}),\n\t\"z\": null\n}");
    check_text("nothing in it", "05000000 00", &two, "{}");
}
END_TEST

/* Takes out what stands between tokens. */
static size_t without_blanks(bsn_str text, char *to)
{
    size_t len = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (quoted && c == '\\') {
            to[len++] = c;
            to[len++] = text.ptr[++i];
            continue;
        }
        if (c == '"') quoted = !quoted;
        if (quoted || (c != ' ' && c != '\n' && c != '\t')) to[len++] = c;
    }
    return len;
}

START_TEST(lines_differ_from_one_line_in_blanks_only)
{
    fill_doc b;
    const bsn_doc doc = build_everything(&b);
    for (int form = BSN_JSON_RELAXED; form <= BSN_JSON_LEGACY; form++) {
        bsn_json_options options = {.form = (bsn_json_form)form};
        printed flat = print_document(doc, &options);
        options.indent = (uint32_t)(form % BSN_JSON_INDENT_TAB) + 1;
        printed lines = print_document(doc, &options);
        ck_assert_int_eq(lines.status, BSN_OK);
        ck_assert(json_is_sound(lines.text, NULL));
        char *bare = malloc(lines.text.len);
        ck_assert_ptr_nonnull(bare);
        const size_t len = without_blanks(lines.text, bare);
        ck_assert_uint_eq(len, flat.text.len);
        ck_assert_mem_eq(bare, flat.text.ptr, len);
        free(bare);
        printed_free(&lines);
        printed_free(&flat);
    }
    free(b.ptr);
}
END_TEST

/* ---- lengths ---- */

/* True when the text ends with a whole escape. */
static bool ends_whole(bsn_str text)
{
    size_t i = 0;
    while (i < text.len)
        i += text.ptr[i] != '\\' ? 1 : i + 1 < text.len && text.ptr[i + 1] == 'u' ? 6 : 2;
    return i == text.len;
}

/* A text cut at every length is the front of the whole one, as much of it as is whole. */
static void check_cuts(bsn_doc doc, bsn_json_options options)
{
    printed whole = print_document(doc, &options);
    bsn_json_report report = {.lookalikes = 0};
    options.report = &report;
    for (uint64_t most = 1; most <= whole.text.len + 1; most++) {
        options.length_max = most;
        printed p = print_document(doc, &options);
        EXPECT(p.status == BSN_OK, "%s", bsn_status_text(p.status));
        EXPECT(report.is_cut == (most < whole.text.len), "cut at %u", (unsigned)most);
        const size_t wanted = most < whole.text.len ? (size_t)most : whole.text.len;
        EXPECT(p.text.len <= wanted && p.text.len + 6 > wanted, "%u of %u", (unsigned)p.text.len,
               (unsigned)wanted);
        EXPECT(p.text.len == 0 || memcmp(p.text.ptr, whole.text.ptr, p.text.len) == 0,
               "other text");
        EXPECT(bsn_utf8_valid(p.text, NULL) && ends_whole(p.text), "half a character at %u: %.*s",
               (unsigned)most, (int)p.text.len, p.text.ptr);
        EXPECT(!report.is_cut || report.cut_offset < doc.len, "where");
        printed_free(&p);
    }
    printed_free(&whole);
}

START_TEST(text_is_cut_between_characters_and_escapes)
{
    static const char *const patterns[] = {"\xC3\xA9",
                                           ("\xE2\x82\xAC"
                                            "a"),
                                           "\xF0\x9F\x98\x80",
                                           "\x01",
                                           "\\",
                                           "\\u",
                                           "\"\n\\\\\x1Fu",
                                           "plain"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        fill_doc b;
        fill_open(&b, 4096);
        const size_t start = fill_begin(&b);
        fill_text(&b, "\x02k\xC3\xA9", 5, patterns[i], strlen(patterns[i]) * (i < 2 ? 400 : 20));
        fill_text(&b, "\015c", 3, patterns[i], strlen(patterns[i]) * 3);
        fill_bytes(&b, "\x0Az", 3);
        fill_end(&b, start);
        const bsn_json_options options = {.form = (bsn_json_form)(i % 5),
                                          .indent = i % 3 == 0 ? 1 : 0};
        check_cuts(fill_view(&b), options);
        free(b.ptr);
    }
}
END_TEST

START_TEST(what_is_cut_off_is_judged_too)
{
    const bsn_json_options options = {.length_max = 3};
    hex_bytes bytes = hex_read("0f000000 0a6100 0a6200 086400 02 00");
    const bsn_doc doc = {bytes.ptr, bytes.len};
    printed p = print_document(doc, &options);
    ck_assert_int_eq(p.status, BSN_E_BOOLEAN);
    ck_assert_uint_eq(p.err.offset, 13);
    printed_free(&p);
    hex_free(&bytes);
}
END_TEST

START_TEST(the_place_of_the_cut_is_told)
{
    static const char hex[] = "13000000 106100 05000000 106200 07000000 00";
    bsn_json_report report = {.is_cut = true};
    bsn_json_options options = {.report = &report};
    check_text("whole", hex, &options, "{\"a\":5,\"b\":7}");
    ck_assert(!report.is_cut);
    options.length_max = 10;
    for (size_t i = 0; i < 2; i++) {
        options.reversible = i == 1; /* looks at the document once more */
        check_text("cut", hex, &options, "{\"a\":5,\"b\"");
        ck_assert(report.is_cut);
        ck_assert_uint_eq(report.cut_offset, 11);
    }
}
END_TEST

/* The report is of the last call, also when that gave no text. */
START_TEST(a_refused_document_is_not_cut)
{
    bsn_json_report report = {.is_cut = false};
    const bsn_json_options options = {.length_max = 3, .report = &report};
    check_text("cut", "0c000000 106100 05000000 00", &options, "{\"a");
    ck_assert(report.is_cut);
    hex_bytes bytes = hex_read("09000000 086100 02 00");
    printed p = print_document((bsn_doc){bytes.ptr, bytes.len}, &options);
    ck_assert_int_eq(p.status, BSN_E_BOOLEAN);
    ck_assert(!report.is_cut && report.cut_offset == 0);
    printed_free(&p);
    hex_free(&bytes);
}
END_TEST

/* ---- text that is not UTF-8 ---- */

typedef struct utf8_row {
    const char *hex; /* of the text */
    const char *replaced, *escaped;
} utf8_row;

/* The first is the example of The Unicode Standard 15, table 3-11; others are of tables 3-8 to 3-10. */
static const utf8_row utf8_rows[] = {
    {"e180e2f09192f1bf41", "\\ufffd\\ufffd\\ufffd\\ufffdA",
     "\\u00e1\\u0080\\u00e2\\u00f0\\u0091\\u0092\\u00f1\\u00bfA"},
    {"c0aff08080bff0818241", "\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffdA",
     "\\u00c0\\u00af\\u00f0\\u0080\\u0080\\u00bf\\u00f0\\u0081\\u0082A"},
    {"eda080edbfbfedaf41", "\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffdA",
     "\\u00ed\\u00a0\\u0080\\u00ed\\u00bf\\u00bf\\u00ed\\u00afA"},
    {"f4919293ff4180bf42", "\\ufffd\\ufffd\\ufffd\\ufffd\\ufffdA\\ufffd\\ufffdB",
     "\\u00f4\\u0091\\u0092\\u0093\\u00ffA\\u0080\\u00bfB"},
    {"61ff62", "a\\ufffdb", "a\\u00ffb"},
    {"c3", "\\ufffd", "\\u00c3"},
    {"e282", "\\ufffd", "\\u00e2\\u0082"},
    {"f09f98", "\\ufffd", "\\u00f0\\u009f\\u0098"},
    {"c3a922ff", "\xC3\xA9\\\"\\ufffd", "\xC3\xA9\\\"\\u00ff"},
    {"efbfbd", "\xEF\xBF\xBD", "\xEF\xBF\xBD"},
};

/* {<key>: "text", "c": code, "r": regex} of a text, with it as the key too. */
static bsn_doc build_text(fill_doc *b, const hex_bytes *text)
{
    fill_open(b, 1024);
    const size_t start = fill_begin(b);
    fill_bytes(b, "\x0A", 1);
    fill_bytes(b, text->ptr, text->len);
    fill_bytes(b, "\0\015c", 4);
    fill_i32(b, text->len + 1);
    fill_bytes(b, text->ptr, text->len);
    fill_bytes(b, "\0\x0Br", 4);
    fill_bytes(b, text->ptr, text->len);
    fill_bytes(b, "\0\0", 2);
    fill_end(b, start);
    return fill_view(b);
}

START_TEST(text_that_is_not_utf8_is_replaced_or_escaped)
{
    for (size_t i = 0; i < sizeof utf8_rows / sizeof utf8_rows[0]; i++) {
        for (int way = 1; way <= 2; way++) {
            char expected[600];
            hex_bytes text = hex_read(utf8_rows[i].hex);
            fill_doc b;
            const bsn_doc doc = build_text(&b, &text);
            const char *shown = way == 1 ? utf8_rows[i].replaced : utf8_rows[i].escaped;
            const bsn_json_options options = {.utf8 = (bsn_json_utf8)way};
            snprintf(expected, sizeof expected,
                     "{\"%s\":null,\"c\":{\"$code\":\"%s\"},"
                     "\"r\":{\"$regularExpression\":{\"pattern\":\"%s\",\"options\":\"\"}}}",
                     shown, shown, shown);
            printed p = print_document(doc, &options);
            ck_assert_msg(p.status == BSN_OK && bsn_str_equal(p.text, bsn_str_from(expected)),
                          "%s: %.*s", utf8_rows[i].hex, (int)p.text.len, p.text.ptr);
            printed_free(&p);
            free(b.ptr);
            hex_free(&text);
        }
    }
}
END_TEST

START_TEST(long_faulty_text_is_replaced_in_pieces)
{
    const bsn_json_options options = {.utf8 = BSN_JSON_UTF8_REPLACE};
    const size_t len = 5000;
    fill_doc b;
    fill_open(&b, len + 100);
    const size_t start = fill_begin(&b);
    fill_text(&b, "\x02s", 3, "\xFF", len);
    fill_bytes(&b, "\x0Az", 3);
    fill_end(&b, start);
    bsn_pool pool;
    bsn_out out;
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, BSN_POOL_SIZE_MIN);
    ck_assert_int_eq(bsn_json_print(fill_view(&b), &options, &out, NULL), BSN_OK);
    ck_assert_uint_eq(bsn_out_len(&out), strlen("{\"s\":\"\",\"z\":null}") + 6 * len);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    free(b.ptr);
}
END_TEST

/* ---- documents that look like wrappers ---- */

typedef struct lookalike_row {
    const char *hex;
    uint64_t count, count_legacy;
    uint64_t offset, offset_legacy;
} lookalike_row;

static const lookalike_row lookalike_rows[] = {
    {"170000000361000f00000010246f696400050000000000", 1, 1, 11, 11},     /* {a: {$oid: 5}} */
    {"0f000000 10246f696400 05000000 00", 0, 0, 0, 0},                    /* {$oid: 5} */
    {"17000000 046100 0f000000 10246f696400 05000000 00 00", 0, 0, 0, 0}, /* names in an array */
    {"16000000 036100 0e000000 1024677400 05000000 00 00", 0, 0, 0, 0},   /* {a: {$gt: 5}} */
    /* {a: {$regex: "x", $options: "i"}}, which is a wrapper of version 1 */
    {"2b000000 036100 23000000 02 247265676578 00 02000000 7800 02 246f7074696f6e73 00 02000000 "
     "6900 00 00",
     0, 1, 0, 11},
    /* two of them in one document, and one in that */
    {"2d000000 036100 25000000 03 246f696400 0f000000 10 246f696400 05000000 00 10 24636f646500 "
     "05000000 00 00",
     2, 2, 11, 11},
};

START_TEST(documents_that_look_like_wrappers_are_counted_or_refused)
{
    for (size_t i = 0; i < 2 * sizeof lookalike_rows / sizeof lookalike_rows[0]; i++) {
        const lookalike_row *row = &lookalike_rows[i / 2];
        const bool legacy = i % 2 == 1;
        const uint64_t count = legacy ? row->count_legacy : row->count;
        bsn_json_report report = {.lookalikes = 10};
        hex_bytes bytes = hex_read(row->hex);
        const bsn_doc doc = {bytes.ptr, bytes.len};
        bsn_json_options options = {.form = legacy ? BSN_JSON_LEGACY : BSN_JSON_CANONICAL,
                                    .report = &report};
        ck_assert_int_eq(bsn_validate(bsn_doc_bytes(doc), NULL, NULL, NULL), BSN_OK);
        printed p = print_document(doc, &options);
        ck_assert_int_eq(p.status, BSN_OK);
        ck_assert_msg(report.lookalikes == 10 + count, "%s: %u", row->hex,
                      (unsigned)report.lookalikes - 10);
        printed_free(&p);
        options.reversible = true;
        p = print_document(doc, &options);
        ck_assert_int_eq(p.status, count > 0 ? BSN_E_LOOKALIKE : BSN_OK);
        if (count > 0) ck_assert_uint_eq(p.err.offset, legacy ? row->offset_legacy : row->offset);
        printed_free(&p);
        options.form = BSN_JSON_SHELL;
        p = print_document(doc, &options);
        ck_assert_int_eq(p.status, BSN_OK);
        printed_free(&p);
        hex_free(&bytes);
    }
}
END_TEST

static bsn_status collect(void *ctx, bsn_out *out, bsn_error *err)
{
    size_t *calls = ctx;
    (void)err;
    ++*calls;
    bsn_out_sent(out, bsn_out_unsent(out));
    return BSN_OK;
}

/* Nothing of an irreversible document is drained, wherever in it the lookalike is; all of another one is. */
START_TEST(of_an_irreversible_document_nothing_is_drained)
{
    for (int faulty = 0; faulty < 2; faulty++) {
        size_t calls = 0;
        fill_doc b;
        bsn_pool pool;
        bsn_out out;
        bsn_error err = {0};
        fill_open(&b, 30000);
        const size_t start = fill_begin(&b);
        fill_text(&b, "\x02s", 3, "0123456789", 20000);
        fill_bytes(&b, "\x03o", 3);
        const size_t inner = fill_begin(&b);
        fill_bytes(&b, faulty ? "\x0A$oid" : "\x0A$oix", 6);
        fill_end(&b, inner);
        fill_end(&b, start);
        bsn_pool_init(&pool, NULL, SIZE_MAX);
        bsn_out_init_pool(&out, &pool, BSN_POOL_SIZE_MIN);
        const bsn_json_options options = {
            .reversible = true, .drain = collect, .drain_ctx = &calls, .drain_min = 2000};
        const bsn_status status = bsn_json_print(fill_view(&b), &options, &out, &err);
        ck_assert_int_eq(status, faulty ? BSN_E_LOOKALIKE : BSN_OK);
        ck_assert(faulty ? calls == 0 && bsn_out_len(&out) == 0 : calls > 5);
        if (faulty) ck_assert_uint_eq(err.offset, inner + 4);
        bsn_out_free(&out);
        bsn_pool_free(&pool);
        free(b.ptr);
    }
}
END_TEST

/* A cut in front of a lookalike hides it from the text, not from the verdict, drained or not. */
START_TEST(a_lookalike_behind_the_cut_is_refused)
{
    static const char hex[] =
        "23000000 0261000500000061616161 00 036200 0f000000 10246f696400 05000000 00 00";
    for (uint64_t most = 1; most < 40; most++) {
        bsn_json_report report = {.lookalikes = 10, .is_cut = true};
        hex_bytes bytes = hex_read(hex);
        const bsn_doc doc = {bytes.ptr, bytes.len};
        bsn_json_options options = {.length_max = most, .reversible = true, .report = &report};
        ck_assert_int_eq(bsn_validate(bsn_doc_bytes(doc), NULL, NULL, NULL), BSN_OK);
        printed p = print_document(doc, &options);
        ck_assert_int_eq(p.status, BSN_E_LOOKALIKE);
        ck_assert_uint_eq(p.err.offset, 23);
        ck_assert(report.lookalikes == 10 && !report.is_cut && report.cut_offset == 0);
        printed_free(&p);
        options.form = BSN_JSON_SHELL;
        p = print_document(doc, &options);
        ck_assert_int_eq(p.status, BSN_OK);
        printed_free(&p);
        bytes.ptr[24] = 'x';
        options.form = BSN_JSON_RELAXED;
        p = print_document(doc, &options);
        ck_assert_int_eq(p.status, BSN_OK);
        ck_assert_int_eq(report.is_cut, most < 27);
        ck_assert_uint_eq(p.text.len, most < 27 ? most : 27);
        printed_free(&p);
        hex_free(&bytes);
    }
}
END_TEST

/* A size pass and the printing after it count once. */
START_TEST(what_does_not_fit_is_not_counted)
{
    bsn_json_report report = {.lookalikes = 10};
    const bsn_json_options options = {.report = &report};
    hex_bytes bytes = hex_read(lookalike_rows[0].hex);
    const bsn_doc doc = {bytes.ptr, bytes.len};
    char room[1024];
    bsn_out out;
    for (size_t cap = 0; cap <= sizeof room; cap += sizeof room) {
        bsn_out_init_fixed(&out, room, cap);
        ck_assert_int_eq(bsn_json_print(doc, &options, &out, NULL),
                         cap == 0 ? BSN_E_SPACE : BSN_OK);
        ck_assert_uint_eq(report.lookalikes, cap == 0 ? 10 : 11);
        bsn_out_free(&out);
    }
    hex_free(&bytes);
}
END_TEST

/* ---- reading back ---- */

/* A random document: keys of which some are those of wrappers, values of the types that make one. */
static void add_random(fill_doc *b, test_random *random, int depth)
{
    static const char *const keys[] = {
        "a",     "b",   "$oid",  "$regex", "$options", "$binary",
        "$type", "$gt", "$date", "$code",  "$scope",   "long key that is over the short way"};
    const size_t count = random_below(random, 4);
    for (size_t i = 0; i < count; i++) {
        static const uint8_t types[] = {2, 2, 2, 3, 3, 4, 16, 18, 1, 9, 11, 5, 14, 10};
        const uint8_t type = types[random_below(random, depth < 4 ? sizeof types : 3)];
        const char *key = keys[random_below(random, sizeof keys / sizeof keys[0])];
        fill_bytes(b, &type, 1);
        fill_bytes(b, key, strlen(key) + 1);
        const uint64_t bits = random_of_any_size(random);
        size_t start;
        switch (type) {
        case 2:
        case 14: fill_text(b, "", 0, "x\"", random_below(random, 3)); break;
        case 3:
            start = fill_begin(b);
            add_random(b, random, depth + 1);
            fill_end(b, start);
            break;
        case 4:
            start = fill_begin(b);
            fill_bytes(b,
                       "\x0A"
                       "0\0\x08"
                       "1\0\1",
                       7);
            fill_end(b, start);
            break;
        case 16: fill_i32(b, (size_t)(bits & INT32_MAX)); break;
        case 1: fill_bytes(b, "\0\0\0\0\0\0\xF0\x3F", 8); break;
        case 18:
        case 9: fill_bytes(b, &bits, 8); break;
        case 11: fill_bytes(b, "p/\0i", 5); break;
        case 5: fill_bytes(b, "\2\0\0\0\5xy", 7); break;
        default: break;
        }
    }
}

START_TEST(text_reads_back_unless_a_document_looks_like_a_wrapper)
{
    test_random random = {5};
    size_t lookalikes = 0, others = 0;
    for (int i = 0; i < RANDOM_ROUNDS(400000); i++) {
        fill_doc b;
        bsn_json_report report = {.lookalikes = 0};
        const bool legacy = i % 2 == 1;
        const bsn_json_options options = {.form = legacy ? BSN_JSON_LEGACY : BSN_JSON_CANONICAL,
                                          .indent = (uint32_t)i % 3,
                                          .report = &report};
        const bsn_json_parse_options reading = {.legacy = legacy};
        fill_open(&b, 8192);
        const size_t start = fill_begin(&b);
        add_random(&b, &random, 0);
        fill_end(&b, start);
        printed p = print_document(fill_view(&b), &options);
        EXPECT(p.status == BSN_OK, "%s", bsn_status_text(p.status));
        parsed back = parse_document(p.text, &reading);
        const bsn_bytes bytes = {b.ptr, b.len};
        const bool same = back.status == BSN_OK && bsn_bytes_equal(back.bson, bytes);
        EXPECT(same == (report.lookalikes == 0), "%u lookalikes, %s: %.*s",
               (unsigned)report.lookalikes, same ? "same" : bsn_status_text(back.status),
               (int)p.text.len, p.text.ptr);
        lookalikes += report.lookalikes > 0;
        others += report.lookalikes == 0;
        parsed_free(&back);
        printed_free(&p);
        free(b.ptr);
    }
    ck_assert_uint_ge(lookalikes, RANDOM_ROUNDS(400000) / 20);
    ck_assert_uint_ge(others, RANDOM_ROUNDS(400000) / 4);
}
END_TEST

/* Canonical and legacy text become the bytes again; safe text is relaxed text by value. */
START_TEST(the_corpus_reads_back_from_every_form)
{
    char why[600];
    for (size_t i = 0; i < corpus_valid_count; i++) {
        const corpus_valid *row = &corpus_valids[i];
        for (int form = BSN_JSON_CANONICAL; form <= BSN_JSON_LEGACY; form++) {
            bsn_json_report report = {.lookalikes = 0};
            const bsn_doc doc = {row->canonical_bson.ptr, row->canonical_bson.len};
            const bsn_json_options options = {.form = (bsn_json_form)form, .report = &report};
            const bsn_json_parse_options reading = {.legacy = form == BSN_JSON_LEGACY};
            printed p = print_document(doc, &options);
            parsed back = parse_document(p.text, &reading);
            ck_assert_msg(p.status == BSN_OK && back.status == BSN_OK, "%s: %s: %.*s", row->file,
                          row->description, (int)p.text.len, p.text.ptr);
            if (form == BSN_JSON_SAFE) {
                printed relaxed = print_bytes(row->canonical_bson, BSN_JSON_RELAXED);
                printed again = print_bytes(back.bson, BSN_JSON_RELAXED);
                ck_assert_msg(json_same(again.text, relaxed.text, why, sizeof why), "%s: %s: %s",
                              row->file, row->description, why);
                printed_free(&again);
                printed_free(&relaxed);
            } else {
                ck_assert_msg(row->lossy || bsn_bytes_equal(back.bson, row->canonical_bson),
                              "%s: %s: %.*s", row->file, row->description, (int)p.text.len,
                              p.text.ptr);
            }
            parsed_free(&back);
            printed_free(&p);
        }
    }
}
END_TEST

Suite *print_forms_suite(void)
{
    Suite *suite = suite_create("print_forms");
    TCase *tests = tcase_create("print_forms");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, each_value_prints_to_the_letter_in_every_form);
    tcase_add_test(tests, lines_open_documents_and_leave_wrappers_closed);
    tcase_add_test(tests, lines_differ_from_one_line_in_blanks_only);
    tcase_add_test(tests, text_is_cut_between_characters_and_escapes);
    tcase_add_test(tests, what_is_cut_off_is_judged_too);
    tcase_add_test(tests, the_place_of_the_cut_is_told);
    tcase_add_test(tests, a_refused_document_is_not_cut);
    tcase_add_test(tests, text_that_is_not_utf8_is_replaced_or_escaped);
    tcase_add_test(tests, long_faulty_text_is_replaced_in_pieces);
    tcase_add_test(tests, documents_that_look_like_wrappers_are_counted_or_refused);
    tcase_add_test(tests, of_an_irreversible_document_nothing_is_drained);
    tcase_add_test(tests, a_lookalike_behind_the_cut_is_refused);
    tcase_add_test(tests, what_does_not_fit_is_not_counted);
    tcase_add_test(tests, text_reads_back_unless_a_document_looks_like_a_wrapper);
    tcase_add_test(tests, the_corpus_reads_back_from_every_form);
    suite_add_tcase(suite, tests);
    return suite;
}
