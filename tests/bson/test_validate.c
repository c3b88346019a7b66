/* SPDX-License-Identifier: Apache-2.0
 *
 * test_validate.c -- each level's verdict and place, the order of faults, depth, and what a deep document costs.
 */
#include "suites.h"

#include "bson/fault_rows.h"
#include "support/check_verdict.h"
#include "support/counting_alloc.h"
#include "support/exact_copy.h"
#include "support/failing_alloc.h"
#include "support/heap_doc.h"
#include "support/hex.h"

#include <bsonic/validate.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ faults */

static heap_doc row_doc(const fault_row *row)
{
    hex_bytes elements = hex_read(row->hex);
    const heap_doc doc = heap_doc_of(elements.ptr, elements.len);
    hex_free(&elements);
    return doc;
}

static verdict structure_verdict(const fault_row *row, size_t before)
{
    const verdict expected = {row->status, row->status == BSN_OK ? 0 : before + row->offset};
    return expected;
}

static verdict utf8_verdict(const fault_row *row, size_t before)
{
    const bsn_status status = fault_row_utf8_status(row);
    const verdict expected = {status, status == BSN_OK ? 0 : before + fault_row_utf8_offset(row)};
    return expected;
}

static void check_levels(heap_doc doc, verdict structure, verdict utf8, const char *name)
{
    const bsn_bytes bytes = heap_doc_span(doc);
    check_verdict(verdict_of_validation(bytes, BSN_LEVEL_STRUCTURE, 0), structure, name,
                  "structure");
    check_verdict(verdict_of_validation(bytes, BSN_LEVEL_UTF8, 0), utf8, name, "utf8");
    check_verdict(verdict_of_validation(bytes, (bsn_level)0, 0), utf8, name, "the default level");
}

START_TEST(each_fault_has_its_status_and_place_at_each_level)
{
    static const verdict none = {BSN_OK, 0};
    for (size_t i = 0; i < FAULT_ROW_COUNT; i++) {
        const fault_row *row = &fault_rows[i];
        heap_doc doc = row_doc(row);
        check_levels(doc, structure_verdict(row, 4), utf8_verdict(row, 4), row->name);
        check_verdict(oracle_judge(heap_doc_span(doc), true, BSN_DEPTH_DEFAULT),
                      utf8_verdict(row, 4), row->name, "the oracle");
        check_verdict(verdict_of_validation(heap_doc_span(doc), BSN_LEVEL_FRAME, 0), none,
                      row->name, "frame");
        free(doc.ptr);
    }
}
END_TEST

static const uint8_t container_types[] = {BSN_TYPE_DOCUMENT, BSN_TYPE_ARRAY, BSN_TYPE_CODE_SCOPE};

START_TEST(each_fault_is_the_same_at_every_depth)
{
    static const size_t depths[] = {1, 2, 50, 190};
    for (size_t i = 0; i < FAULT_ROW_COUNT; i++) {
        const fault_row *row = &fault_rows[i];
        for (size_t type = 0; type < sizeof container_types; type++) {
            for (size_t d = 0; d < sizeof depths / sizeof depths[0]; d++) {
                heap_doc doc = row_doc(row);
                for (size_t n = 0; n < depths[d]; n++)
                    doc = heap_doc_around(container_types[type], doc);
                const size_t before = depths[d] * heap_doc_around_offset(container_types[type]) + 4;
                check_levels(doc, structure_verdict(row, before), utf8_verdict(row, before),
                             row->name);
                free(doc.ptr);
            }
        }
    }
}
END_TEST

START_TEST(each_fault_comes_before_the_missing_end_of_what_is_around_it)
{
    for (size_t i = 0; i < FAULT_ROW_COUNT; i++) {
        const fault_row *row = &fault_rows[i];
        heap_doc doc = row_doc(row);
        const size_t before = 2 * heap_doc_around_offset(BSN_TYPE_ARRAY) + 4;
        const verdict unended = {BSN_E_TERMINATOR, before - 4 + doc.len};
        doc = heap_doc_around(BSN_TYPE_ARRAY, heap_doc_around(BSN_TYPE_ARRAY, doc));
        doc.ptr[unended.offset] = 0x01;
        const verdict structure = structure_verdict(row, before);
        const verdict utf8 = utf8_verdict(row, before);
        check_levels(doc, structure.status != BSN_OK ? structure : unended,
                     utf8.status != BSN_OK ? utf8 : unended, row->name);
        free(doc.ptr);
    }
}
END_TEST

/* The outermost frame is looked at before anything inside, its last byte too. */
START_TEST(the_outermost_frame_comes_first)
{
    for (size_t i = 0; i < FAULT_ROW_COUNT; i++) {
        heap_doc doc = row_doc(&fault_rows[i]);
        doc.ptr[doc.len - 1] = 0x01;
        const verdict unended = {BSN_E_TERMINATOR, doc.len - 1};
        check_levels(doc, unended, unended, fault_rows[i].name);
        check_verdict(verdict_of_validation(heap_doc_span(doc), BSN_LEVEL_FRAME, 0), unended,
                      fault_rows[i].name, "frame");
        free(doc.ptr);
    }
}
END_TEST

/* Whole documents that other readers were met with. */
typedef struct report_row {
    const char *name;
    const char *hex;
    bsn_status status;
    size_t offset;
} report_row;

static const report_row report_rows[] = {
    {"code with scope, negative string length", "170000000f63001e000000ffffffff6100050000000000",
     BSN_E_LENGTH, 7},
    {"code with scope, string length wraps 32 bits",
     "170000000f630014000000f4ffffff6100050000000000", BSN_E_LENGTH, 7},
    {"negative length in a file", "f6ffffff0000", BSN_E_LENGTH, 0},
    {"a length of zero", "0000000000", BSN_E_LENGTH, 0},
    {"a length of zero before a sound document", "000000000500000000", BSN_E_LENGTH, 0},
    {"old binary, inner length not outer - 4", "16000000057800090000000202000000616263646500",
     BSN_E_BINARY, 12},
    {"string of length 0", "0c0000000273000000000000", BSN_E_LENGTH, 7},
    {"document of length -5", "0d000000046100fbffffff0000", BSN_E_LENGTH, 7},
    {"array length that overflows a 32-bit count", "11000000046100ffffff7f083000010000",
     BSN_E_LENGTH, 7},
    {"document of length 4", "0c0000000364000400000000", BSN_E_LENGTH, 7},
    {"string with C0 80", "11000000027300050000000a0ac0800000", BSN_E_UTF8, 13},
    {"string that ends inside a sequence", "0e00000002730002000000c60000", BSN_E_UTF8, 11},
    {"type 14", "10000000146400000000000000000000", BSN_E_TYPE, 4},
    {"code and symbol that are no text", "190000000d63000400000061ff62000e730002000000c30000",
     BSN_E_UTF8, 12},
    {"an ObjectId before the key of interest",
     "1b000000076f005f0102030405060708090a0b106e000100000000", BSN_OK, 0},
    {"an empty key in a document", "150000000378000d00000002000200000062000000", BSN_OK, 0},
    {"a date beyond every calendar", "170000000964000000000000000040106e000100000000", BSN_OK, 0},
    {"a decimal128 beyond 34 digits", "18000000136400fffffffffffffffffffffffffffff12f00", BSN_OK,
     0},
};

START_TEST(documents_that_other_readers_stumbled_on_get_their_verdict)
{
    for (size_t i = 0; i < sizeof report_rows / sizeof report_rows[0]; i++) {
        const report_row *row = &report_rows[i];
        hex_bytes bytes = hex_read(row->hex);
        const verdict expected = {row->status, row->offset};
        check_verdict(verdict_of_validation(hex_span(&bytes), BSN_LEVEL_UTF8, 0), expected,
                      row->name, "validation");
        hex_free(&bytes);
    }
}
END_TEST

/* ------------------------------------------------------------------ prefixes */

static const char two_hundred_bytes[] =
    "C8 00 00 00"
    "02 62 00 05 00 00 00 74 65 78 74 00"
    "03 63 00 0C 00 00 00 10 69 00 07 00 00 00 00"
    "04 64 00 0C 00 00 00 0A 30 00 08 31 00 01 00"
    "05 65 00 03 00 00 00 80 78 79 7A"
    "07 67 00 01 02 03 04 05 06 07 08 09 0A 0B 0C"
    "09 69 00 FF FF FF FF FF FF FF FF"
    "0B 6B 00 5E 61 2B 00 69 6D 00"
    "0C 6C 00 05 00 00 00 64 62 2E 63 00 01 02 03 04 05 06 07 08 09 0A 0B 0C"
    "0D 6D 00 04 00 00 00 66 28 29 00"
    "0F 6F 00 16 00 00 00 02 00 00 00 78 00 0C 00 00 00 10 78 00 01 00 00 00 00"
    "12 72 00 00 00 00 00 00 01 00 00"
    "13 73 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"
    "01 61 00 00 00 00 00 00 00 F8 3F"
    "0A 00 0A 7A 00 00";

START_TEST(every_prefix_of_a_document_is_short)
{
    hex_bytes bytes = hex_read(two_hundred_bytes);
    const verdict cut = {BSN_E_SHORT, 0}, sound = {BSN_OK, 0};
    ck_assert_uint_eq(bytes.len, 200);
    for (size_t len = 0; len <= bytes.len; len++) {
        uint8_t *block = exact_copy(bytes.ptr, len);
        const bsn_bytes prefix = {block, len};
        const verdict expected = len < bytes.len ? cut : sound;
        check_verdict(verdict_of_validation(prefix, BSN_LEVEL_FRAME, 0), expected, "prefix",
                      "frame");
        check_verdict(verdict_of_validation(prefix, BSN_LEVEL_STRUCTURE, 0), expected, "prefix",
                      "structure");
        check_verdict(verdict_of_validation(prefix, BSN_LEVEL_UTF8, 0), expected, "prefix", "utf8");
        check_verdict(verdict_of_walk(prefix, FULL_WALK_INLINE, BSN_DEPTH_DEFAULT), expected,
                      "prefix", "the walk");
        free(block);
    }
    hex_free(&bytes);
}
END_TEST

/* The same with a length that claims just what is there, and with an end: never sound but between two elements. */
START_TEST(every_prefix_that_calls_itself_whole_gets_one_verdict)
{
    hex_bytes bytes = hex_read(two_hundred_bytes);
    size_t sound = 0;
    for (size_t len = 4; len < bytes.len; len++) {
        heap_doc doc = heap_doc_of(bytes.ptr + 4, len - 4);
        const verdict expected = oracle_judge(heap_doc_span(doc), false, BSN_DEPTH_DEFAULT);
        sound += expected.status == BSN_OK;
        check_verdict(verdict_of_validation(heap_doc_span(doc), BSN_LEVEL_STRUCTURE, 0), expected,
                      "prefix", "structure");
        for (int way = 0; way < FULL_WALK_WAYS; way++) {
            check_verdict(
                verdict_of_walk(heap_doc_span(doc), (full_walk_way)way, BSN_DEPTH_DEFAULT),
                expected, "prefix", "the walk");
        }
        free(doc.ptr);
    }
    ck_assert_uint_eq(sound, 16); /* before and after each of 15 elements; "0A 00" is the 14th */
    hex_free(&bytes);
}
END_TEST

/* ------------------------------------------------------------------ depth */

static bsn_status validate_nested(size_t levels, uint8_t type, const bsn_validate_options *options,
                                  bsn_error *err)
{
    heap_doc doc = heap_doc_nested(type, levels);
    const bsn_status status = bsn_validate(heap_doc_span(doc), options, NULL, err);
    free(doc.ptr);
    return status;
}

typedef struct depth_row {
    size_t levels;
    uint32_t depth_max;
    bool alloc;
    size_t fault_level; /* 0: sound */
} depth_row;

static const depth_row depth_rows[] = {
    {1, 1, false, 0},
    {2, 1, false, 2},
    {3, 2, false, 3},
    {200, 0, false, 0},
    {201, 0, false, 201},
    {201, 0, true, 201},
    {201, 200, true, 201},
    {201, 201, true, 0},
    {201, 201, false, 201},
    {3000, 0, false, 201},
    {3000, 65535, false, 201},
    {3000, 65535, true, 0},
    {3000, 2999, true, 3000},
    {8192, 0, false, 201},
    {8192, 8192, true, 0},
    {65535, 65535, true, 0},
    {65536, 65535, true, 65536},
};

START_TEST(documents_may_nest_to_the_limit_and_no_deeper)
{
    for (size_t i = 0; i < sizeof depth_rows / sizeof depth_rows[0]; i++) {
        const depth_row *row = &depth_rows[i];
        for (size_t type = 0; type < sizeof container_types; type++) {
            counting_alloc counter;
            counting_alloc_init(&counter);
            bsn_validate_options options = {.level = BSN_LEVEL_UTF8, .depth_max = row->depth_max};
            if (row->alloc) options.alloc = &counter.alloc;
            bsn_error err = {.status = BSN_OK};
            const bsn_status status =
                validate_nested(row->levels, container_types[type], &options, &err);
            ck_assert_msg(status == (row->fault_level == 0 ? BSN_OK : BSN_E_DEPTH), "row %zu: %s",
                          i, bsn_status_text(status));
            if (row->fault_level != 0) {
                ck_assert_uint_eq(err.offset, (row->fault_level - 1) *
                                                  heap_doc_around_offset(container_types[type]));
            }
            if (row->levels <= BSN_DEPTH_DEFAULT)
                ck_assert_uint_eq(counting_alloc_requests(&counter), 0);
            ck_assert_uint_le(counter.bytes_out_max, 2 * 2 * 8 * row->levels);
            counting_alloc_finish(&counter);
        }
    }
}
END_TEST

START_TEST(a_limit_beyond_the_greatest_is_the_greatest)
{
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_validate_options options = {.depth_max = UINT32_MAX, .alloc = &counter.alloc};
    bsn_error err;
    ck_assert_int_eq(validate_nested(65535, BSN_TYPE_DOCUMENT, &options, &err), BSN_OK);
    ck_assert_int_eq(validate_nested(65536, BSN_TYPE_DOCUMENT, &options, &err), BSN_E_DEPTH);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(an_allocator_that_refuses_is_reported)
{
    failing_alloc failing;
    failing_alloc_init(&failing);
    bsn_status status;
    do {
        const bsn_validate_options options = {.depth_max = 65535, .alloc = &failing.alloc};
        status = validate_nested(3000, BSN_TYPE_DOCUMENT, &options, NULL);
        ck_assert_int_eq(status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
    } while (failing_alloc_again(&failing));
}
END_TEST

START_TEST(siblings_do_not_add_to_depth)
{
    enum { SIBLINGS = 300, SIZE = 8 };
    uint8_t elements[SIBLINGS * SIZE];
    for (size_t i = 0; i < SIBLINGS; i++)
        memcpy(elements + i * SIZE,
               "\x03"
               "a\0\5\0\0\0",
               SIZE);
    heap_doc doc = heap_doc_of(elements, sizeof elements);
    const bsn_validate_options options = {.depth_max = 2};
    ck_assert_int_eq(bsn_validate(heap_doc_span(doc), &options, NULL, NULL), BSN_OK);
    free(doc.ptr);
}
END_TEST

/* Every entry point on 3000 levels, on a stack of 256 KiB. */
static void *visit_deep(void *argument)
{
    bsn_status *statuses = argument;
    heap_doc nested = heap_doc_nested(BSN_TYPE_DOCUMENT, 3000);
    const bsn_bytes bytes = heap_doc_span(nested);
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_validate_options deep = {.depth_max = 65535, .alloc = &counter.alloc};
    bsn_doc doc;
    bsn_value value;
    char path[64];
    statuses[0] = bsn_doc_open(bytes, &doc, NULL);
    statuses[1] = bsn_validate(bytes, NULL, NULL, NULL);
    statuses[2] = bsn_validate(bytes, &deep, NULL, NULL);
    statuses[3] = full_walk(doc, FULL_WALK_INLINE, BSN_DEPTH_DEFAULT, NULL, NULL);
    statuses[4] = full_walk(doc, FULL_WALK_INLINE, 65535, NULL, NULL);
    statuses[5] = bsn_find_value(doc, BSN_STR("a"), &value, NULL);
    const size_t innermost = 2999 * heap_doc_around_offset(BSN_TYPE_DOCUMENT);
    const size_t path_len = bsn_path_at(bytes, innermost, path, sizeof path);
    statuses[6] = path_len == 2 * 2999 - 1 ? BSN_OK : BSN_E_RANGE;
    nested.ptr[nested.len - 2] = 1; /* the walk looks down by itself */
    statuses[7] = full_walk(doc, FULL_WALK_INLINE, 65535, NULL, NULL);
    free(nested.ptr);
    return NULL;
}

START_TEST(three_thousand_levels_fit_a_small_stack)
{
    static const bsn_status expected[] = {BSN_OK, BSN_E_DEPTH, BSN_OK, BSN_E_DEPTH,
                                          BSN_OK, BSN_OK,      BSN_OK, BSN_E_DEPTH};
    enum { COUNT = sizeof expected / sizeof expected[0] };
    bsn_status statuses[COUNT];
    pthread_attr_t attributes;
    pthread_t thread;
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, (size_t)256 << 10), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, visit_deep, statuses), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(pthread_attr_destroy(&attributes), 0);
    for (size_t i = 0; i < COUNT; i++) ck_assert_msg(statuses[i] == expected[i], "entry %zu", i);
}
END_TEST

/* ------------------------------------------------------------------ results */

START_TEST(a_passed_document_is_handed_out_with_its_level)
{
    static const bsn_level levels[] = {BSN_LEVEL_FRAME, BSN_LEVEL_STRUCTURE, BSN_LEVEL_UTF8};
    heap_doc doc = heap_doc_of("\x0A"
                               "\xFF",
                               3);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        const bsn_validate_options options = {.level = levels[i]};
        bsn_valid_doc valid = {{NULL, 77}, BSN_LEVEL_FRAME};
        const bsn_status status = bsn_validate(heap_doc_span(doc), &options, &valid, NULL);
        if (levels[i] == BSN_LEVEL_UTF8) {
            ck_assert_int_eq(status, BSN_E_UTF8);
            ck_assert_uint_eq(valid.doc.len, 77);
        } else {
            ck_assert_int_eq(status, BSN_OK);
            ck_assert_ptr_eq(valid.doc.ptr, doc.ptr);
            ck_assert_uint_eq(valid.doc.len, doc.len);
            ck_assert_int_eq(valid.level, levels[i]);
        }
    }
    free(doc.ptr);
}
END_TEST

typedef struct text_row {
    const char *text;
    size_t len;
    size_t sound;
} text_row;

static const text_row text_rows[] = {
    {"", 0, 0},
    {"\xC3\xA9", 2, 2},
    {"a\0b", 3, 3},
    {"\xC6", 1, 0},
    {"a\xE2\x82"
     "A",
     4, 1},
    {"abc\xC0\x80", 5, 3},
    {"\xF4\x8F\xBF\xBF\xF4\x90\x80\x80", 8, 4},
};

START_TEST(text_is_checked_in_a_block_of_its_size)
{
    for (size_t i = 0; i < sizeof text_rows / sizeof text_rows[0]; i++) {
        uint8_t *block = exact_copy(text_rows[i].text, text_rows[i].len);
        const bsn_str text = {(const char *)block, text_rows[i].len};
        size_t sound = 77;
        ck_assert_msg(bsn_utf8_valid(text, &sound) == (text_rows[i].sound == text.len), "row %zu",
                      i);
        ck_assert_uint_eq(sound, text_rows[i].sound);
        ck_assert(bsn_utf8_valid(text, NULL) == (text_rows[i].sound == text.len));
        free(block);
    }
    const bsn_str nothing = {NULL, 0};
    ck_assert(bsn_utf8_valid(nothing, NULL));
}
END_TEST

Suite *validate_suite(void)
{
    Suite *suite = suite_create("validate");
    TCase *faults = tcase_create("faults");
    tcase_add_test(faults, each_fault_has_its_status_and_place_at_each_level);
    tcase_add_test(faults, each_fault_is_the_same_at_every_depth);
    tcase_add_test(faults, each_fault_comes_before_the_missing_end_of_what_is_around_it);
    tcase_add_test(faults, the_outermost_frame_comes_first);
    tcase_add_test(faults, documents_that_other_readers_stumbled_on_get_their_verdict);
    tcase_add_test(faults, every_prefix_of_a_document_is_short);
    tcase_add_test(faults, every_prefix_that_calls_itself_whole_gets_one_verdict);
    tcase_set_timeout(faults, 60);
    suite_add_tcase(suite, faults);
    TCase *depth = tcase_create("depth");
    tcase_add_test(depth, documents_may_nest_to_the_limit_and_no_deeper);
    tcase_add_test(depth, a_limit_beyond_the_greatest_is_the_greatest);
    tcase_add_test(depth, an_allocator_that_refuses_is_reported);
    tcase_add_test(depth, siblings_do_not_add_to_depth);
    tcase_add_test(depth, three_thousand_levels_fit_a_small_stack);
    tcase_set_timeout(depth, 60);
    suite_add_tcase(suite, depth);
    TCase *results = tcase_create("results");
    tcase_add_test(results, a_passed_document_is_handed_out_with_its_level);
    tcase_add_test(results, text_is_checked_in_a_block_of_its_size);
    suite_add_tcase(suite, results);
    return suite;
}
