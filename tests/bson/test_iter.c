/* SPDX-License-Identifier: Apache-2.0
 *
 * test_iter.c -- the walk: what it shows of each type, its faults by each way of stepping, entering, and its end.
 */
#include "suites.h"

#include "bson/fault_rows.h"
#include "bson/iter.h"
#include "support/check_verdict.h"
#include "support/heap_doc.h"
#include "support/hex.h"

#include <bsonic/doc.h>

#include <stdlib.h>
#include <string.h>

static const char *const way_names[] = {"the inline step", "the step out of line", "the slow step",
                                        "the judge"};

/* ------------------------------------------------------------------ values */

/* The elements of one document of all types, and its last byte. */
static const char all_types[] =
    "FE 00 00 00"
    "01 61 00 00 00 00 00 00 00 F8 3F"
    "02 62 00 05 00 00 00 74 65 78 74 00"
    "03 63 00 0C 00 00 00 10 69 00 07 00 00 00 00"
    "04 64 00 0C 00 00 00 0A 30 00 08 31 00 01 00"
    "05 65 00 03 00 00 00 80 78 79 7A"
    "06 66 00"
    "07 67 00 01 02 03 04 05 06 07 08 09 0A 0B 0C"
    "08 68 00 00"
    "09 69 00 FF FF FF FF FF FF FF FF"
    "0A 6A 00"
    "0B 6B 00 5E 61 2B 00 69 6D 00"
    "0C 6C 00 05 00 00 00 64 62 2E 63 00 01 02 03 04 05 06 07 08 09 0A 0B 0C"
    "0D 6D 00 04 00 00 00 66 28 29 00"
    "0E 6E 00 04 00 00 00 73 79 6D 00"
    "0F 6F 00 16 00 00 00 02 00 00 00 78 00 0C 00 00 00 10 78 00 01 00 00 00 00"
    "10 70 00 FE FF FF FF"
    "11 71 00 05 00 00 00 FF FF FF FF"
    "12 72 00 00 00 00 00 00 01 00 00"
    "13 73 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"
    "FF 74 00"
    "7F 75 00"
    "05 76 00 06 00 00 00 02 02 00 00 00 7A 7A"
    "00";

static bsn_doc open_doc(const hex_bytes *bytes)
{
    bsn_doc doc;
    ck_assert_int_eq(bsn_doc_open(hex_span(bytes), &doc, NULL), BSN_OK);
    return doc;
}

static bool step(bsn_iter *it, int way)
{
    switch (way) {
    case FULL_WALK_OUT_OF_LINE: return bsn_iter_step(it);
    case FULL_WALK_SLOW: return bsn_iter_next_slow(it);
    case FULL_WALK_JUDGED: return bsni_iter_next_judged(it);
    default: return bsn_iter_next(it);
    }
}

/* Goes on to the element with this key, which must be the next one. */
static bsn_value expect(bsn_iter *it, int way, const char *key, bsn_type type)
{
    ck_assert(step(it, way));
    ck_assert(bsn_iter_key_is(it, bsn_str_from(key)));
    ck_assert(bsn_str_equal(bsn_iter_key(it), bsn_str_from(key)));
    ck_assert_int_eq(bsn_iter_type(it), type);
    const bsn_value value = bsn_iter_value(it);
    ck_assert_int_eq(value.type, type);
    return value;
}

static void expect_text(bsn_str text, const char *expected)
{
    ck_assert(bsn_str_equal(text, bsn_str_from(expected)));
}

static void expect_oid(const bsn_oid *oid)
{
    for (uint8_t i = 0; i < sizeof oid->bytes; i++) ck_assert_uint_eq(oid->bytes[i], i + 1u);
}

static void check_values(bsn_iter *it, int way)
{
    ck_assert(expect(it, way, "a", BSN_TYPE_DOUBLE).as.f64 == 1.5);
    expect_text(expect(it, way, "b", BSN_TYPE_STRING).as.str, "text");
    ck_assert_uint_eq(expect(it, way, "c", BSN_TYPE_DOCUMENT).as.doc.len, 12);
    ck_assert_uint_eq(expect(it, way, "d", BSN_TYPE_ARRAY).as.doc.len, 12);
    bsn_value value = expect(it, way, "e", BSN_TYPE_BINARY);
    ck_assert_uint_eq(value.subtype, 0x80);
    ck_assert_uint_eq(value.as.binary.len, 3);
    ck_assert_mem_eq(value.as.binary.ptr, "xyz", 3);
    expect(it, way, "f", BSN_TYPE_UNDEFINED);
    value = expect(it, way, "g", BSN_TYPE_OID);
    expect_oid(&value.as.oid);
    ck_assert(!expect(it, way, "h", BSN_TYPE_BOOLEAN).as.boolean);
    ck_assert_int_eq(expect(it, way, "i", BSN_TYPE_DATE).as.date, -1);
    expect(it, way, "j", BSN_TYPE_NULL);
    value = expect(it, way, "k", BSN_TYPE_REGEX);
    expect_text(value.as.regex.pattern, "^a+");
    expect_text(value.as.regex.options, "im");
    value = expect(it, way, "l", BSN_TYPE_DBPOINTER);
    expect_text(value.as.dbpointer.ns, "db.c");
    expect_oid(&value.as.dbpointer.oid);
    expect_text(expect(it, way, "m", BSN_TYPE_CODE).as.str, "f()");
    expect_text(expect(it, way, "n", BSN_TYPE_SYMBOL).as.str, "sym");
    value = expect(it, way, "o", BSN_TYPE_CODE_SCOPE);
    expect_text(value.as.code_scope.code, "x");
    ck_assert_uint_eq(value.as.code_scope.scope.len, 12);
    ck_assert_int_eq(bsn_find_value(value.as.code_scope.scope, BSN_STR("x"), &value, NULL), BSN_OK);
    ck_assert_int_eq(value.as.i32, 1);
    ck_assert_int_eq(expect(it, way, "p", BSN_TYPE_INT32).as.i32, -2);
    value = expect(it, way, "q", BSN_TYPE_TIMESTAMP);
    ck_assert_uint_eq(value.as.timestamp.increment, 5);
    ck_assert_uint_eq(value.as.timestamp.seconds, UINT32_MAX);
    ck_assert_int_eq(expect(it, way, "r", BSN_TYPE_INT64).as.i64, (int64_t)1 << 40);
    value = expect(it, way, "s", BSN_TYPE_DECIMAL128);
    ck_assert_uint_eq(value.as.decimal.low, 0x0706050403020100u);
    ck_assert_uint_eq(value.as.decimal.high, 0x0F0E0D0C0B0A0908u);
    expect(it, way, "t", BSN_TYPE_MINKEY);
    expect(it, way, "u", BSN_TYPE_MAXKEY);
    value = expect(it, way, "v", BSN_TYPE_BINARY);
    ck_assert_uint_eq(value.subtype, BSN_SUBTYPE_OLD_BINARY);
    ck_assert_uint_eq(value.as.binary.len, 2);
    ck_assert_mem_eq(value.as.binary.ptr, "zz", 2);
    ck_assert(!step(it, way));
    ck_assert_int_eq(bsn_iter_error(it, NULL), BSN_OK);
}

START_TEST(each_type_shows_its_value)
{
    hex_bytes bytes = hex_read(all_types);
    for (int way = 0; way < FULL_WALK_WAYS; way++) {
        bsn_iter it;
        bsn_iter_init(&it, open_doc(&bytes));
        check_values(&it, way);
    }
    hex_free(&bytes);
}
END_TEST

/* Also a check of widths: an element that is stepped over by too few or too many bytes leaves a gap. */
START_TEST(elements_cover_the_document_without_a_gap)
{
    hex_bytes bytes = hex_read(all_types);
    const bsn_doc doc = open_doc(&bytes);
    for (int way = 0; way < FULL_WALK_WAYS; way++) {
        bsn_iter it;
        size_t at = 4;
        bsn_iter_init(&it, doc);
        while (step(&it, way)) {
            const bsn_bytes element = bsn_iter_element(&it);
            const bsn_bytes raw = bsn_iter_raw(&it);
            ck_assert_uint_eq(bsn_iter_offset(&it), at);
            ck_assert_ptr_eq(element.ptr, doc.ptr + at);
            ck_assert_ptr_eq(raw.ptr, element.ptr + 2 + bsn_iter_key(&it).len);
            ck_assert_ptr_eq(raw.ptr + raw.len, element.ptr + element.len);
            at += element.len;
        }
        ck_assert_uint_eq(at, doc.len - 1);
    }
    hex_free(&bytes);
}
END_TEST

START_TEST(keys_of_every_length_are_found_by_every_way)
{
    enum { KEY_MAX = 80 };
    for (size_t key_len = 0; key_len <= KEY_MAX; key_len++) {
        uint8_t elements[3 + KEY_MAX + 3];
        memset(elements, 0x80, sizeof elements);
        elements[0] = BSN_TYPE_BOOLEAN;
        elements[key_len + 1] = 0;
        elements[key_len + 2] = 1;
        memcpy(elements + key_len + 3,
               "\x0A"
               "b",
               3);
        heap_doc doc = heap_doc_of(elements, key_len + 6);
        for (int way = 0; way < FULL_WALK_WAYS; way++) {
            bsn_iter it;
            bsn_doc opened;
            ck_assert_int_eq(bsn_doc_open(heap_doc_span(doc), &opened, NULL), BSN_OK);
            bsn_iter_init(&it, opened);
            ck_assert(step(&it, way));
            ck_assert_uint_eq(bsn_iter_key(&it).len, key_len);
            ck_assert_ptr_eq(bsn_iter_key(&it).ptr, (const char *)doc.ptr + 5);
            ck_assert(bsn_iter_value(&it).as.boolean);
            ck_assert(step(&it, way));
            ck_assert(bsn_iter_key_is(&it, BSN_STR("b")));
            ck_assert(!step(&it, way));
        }
        free(doc.ptr);
    }
}
END_TEST

/* ------------------------------------------------------------------ faults */

static heap_doc row_doc(const fault_row *row)
{
    hex_bytes elements = hex_read(row->hex);
    const heap_doc doc = heap_doc_of(elements.ptr, elements.len);
    hex_free(&elements);
    return doc;
}

static verdict row_verdict(const fault_row *row, size_t before)
{
    const verdict expected = {row->status, row->status == BSN_OK ? 0 : before + row->offset};
    return expected;
}

static void check_walks(heap_doc doc, verdict expected, const char *name)
{
    for (int way = 0; way < FULL_WALK_WAYS; way++) {
        check_verdict(verdict_of_walk(heap_doc_span(doc), (full_walk_way)way, BSN_DEPTH_DEFAULT),
                      expected, name, way_names[way]);
    }
}

START_TEST(each_fault_has_its_status_and_place)
{
    for (size_t i = 0; i < FAULT_ROW_COUNT; i++) {
        const fault_row *row = &fault_rows[i];
        heap_doc doc = row_doc(row);
        check_walks(doc, row_verdict(row, 4), row->name);
        check_verdict(oracle_judge(heap_doc_span(doc), false, BSN_DEPTH_DEFAULT),
                      row_verdict(row, 4), row->name, "the oracle");
        free(doc.ptr);
    }
}
END_TEST

/* The common step and the slow one meet a fault in short documents and in long ones: here bytes follow. */
START_TEST(each_fault_is_the_same_before_more_elements)
{
    static const char tail[] =
        "\x0A"
        "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    for (size_t i = 0; i < FAULT_ROW_COUNT; i++) {
        hex_bytes elements = hex_read(fault_rows[i].hex);
        uint8_t *longer = malloc(elements.len + sizeof tail);
        ck_assert_ptr_nonnull(longer);
        memcpy(longer, elements.ptr, elements.len);
        memcpy(longer + elements.len, tail, sizeof tail);
        heap_doc doc = heap_doc_of(longer, elements.len + sizeof tail);
        check_walks(doc, oracle_judge(heap_doc_span(doc), false, BSN_DEPTH_DEFAULT),
                    fault_rows[i].name);
        free(doc.ptr);
        free(longer);
        hex_free(&elements);
    }
}
END_TEST

static const uint8_t container_types[] = {BSN_TYPE_DOCUMENT, BSN_TYPE_ARRAY, BSN_TYPE_CODE_SCOPE};

START_TEST(each_fault_is_the_same_at_every_depth)
{
    static const size_t depths[] = {1, 2, 3, 50};
    for (size_t i = 0; i < FAULT_ROW_COUNT; i++) {
        for (size_t type = 0; type < sizeof container_types; type++) {
            for (size_t d = 0; d < sizeof depths / sizeof depths[0]; d++) {
                heap_doc doc = row_doc(&fault_rows[i]);
                for (size_t n = 0; n < depths[d]; n++)
                    doc = heap_doc_around(container_types[type], doc);
                const size_t before = depths[d] * heap_doc_around_offset(container_types[type]) + 4;
                check_walks(doc, row_verdict(&fault_rows[i], before), fault_rows[i].name);
                free(doc.ptr);
            }
        }
    }
}
END_TEST

/* Around each row two containers without their 0x00: what is inside comes first, else the inner one's end. */
START_TEST(each_fault_comes_before_the_missing_end_of_what_is_around_it)
{
    for (size_t i = 0; i < FAULT_ROW_COUNT; i++) {
        for (size_t type = 0; type < sizeof container_types; type++) {
            const size_t head = heap_doc_around_offset(container_types[type]);
            heap_doc doc = row_doc(&fault_rows[i]);
            const size_t row_len = doc.len;
            for (size_t n = 0; n < 3; n++) doc = heap_doc_around(container_types[type], doc);
            const size_t inner_end = 3 * head + row_len;
            doc.ptr[inner_end] = 0xEE;
            doc.ptr[inner_end + 1] = 0xEE;
            verdict expected = row_verdict(&fault_rows[i], 3 * head + 4);
            if (expected.status == BSN_OK) expected = (verdict){BSN_E_TERMINATOR, inner_end};
            check_walks(doc, expected, fault_rows[i].name);
            free(doc.ptr);
        }
    }
}
END_TEST

/* The tables have an example of each. */
START_TEST(each_status_of_elements_has_a_row)
{
    static const bsn_status statuses[] = {BSN_E_SHORT,  BSN_E_LENGTH,     BSN_E_TERMINATOR,
                                          BSN_E_TYPE,   BSN_E_CSTRING,    BSN_E_BOOLEAN,
                                          BSN_E_BINARY, BSN_E_CODE_SCOPE, BSN_E_UTF8};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        size_t rows = 0;
        for (size_t r = 0; r < FAULT_ROW_COUNT; r++) {
            rows += fault_rows[r].status == statuses[i] || fault_rows[r].utf8_status == statuses[i];
        }
        ck_assert_msg(rows > 0, "%s", bsn_status_text(statuses[i]));
    }
}
END_TEST

START_TEST(a_walk_that_does_not_enter_looks_at_frames_only)
{
    hex_bytes bytes =
        hex_read("17 00 00 00 03 61 00 08 00 00 00 15 62 00 00 10 63 00 07 00 00 00 00");
    bsn_iter it, child;
    bsn_error err;
    bsn_iter_init(&it, open_doc(&bytes));
    ck_assert(bsn_iter_next(&it));
    ck_assert(bsn_iter_enter(&it, &child));
    ck_assert(bsn_iter_next(&it));
    ck_assert_int_eq(bsn_iter_value(&it).as.i32, 7);
    ck_assert(!bsn_iter_next(&it));
    ck_assert_int_eq(bsn_iter_error(&it, NULL), BSN_OK);
    ck_assert(!bsn_iter_next(&child));
    ck_assert_int_eq(bsn_iter_error(&child, &err), BSN_E_TYPE);
    ck_assert_uint_eq(err.offset, 11);
    hex_free(&bytes);
}
END_TEST

/* ------------------------------------------------------------------ entering and ending */

START_TEST(only_containers_can_be_entered)
{
    hex_bytes bytes = hex_read(all_types);
    bsn_iter it, child;
    size_t entered = 0;
    bsn_iter_init(&it, open_doc(&bytes));
    ck_assert(!bsn_iter_enter(&it, &child));
    while (bsn_iter_next(&it)) {
        const bsn_type type = bsn_iter_type(&it);
        const bool container =
            type == BSN_TYPE_DOCUMENT || type == BSN_TYPE_ARRAY || type == BSN_TYPE_CODE_SCOPE;
        const size_t offset = bsn_iter_offset(&it);
        const uint8_t *raw = bsn_iter_raw(&it).ptr;
        ck_assert(bsn_iter_enter(&it, &child) == container);
        ck_assert_int_eq(bsn_iter_type(&it), type);
        ck_assert_uint_eq(bsn_iter_offset(&it), offset);
        ck_assert_ptr_eq(bsn_iter_raw(&it).ptr, raw);
        if (!container) continue;
        entered++;
        ck_assert_int_eq(bsn_iter_type(&child), BSN_TYPE_NONE);
        const size_t outer = bsn_iter_offset(&it);
        ck_assert(bsn_iter_next(&child));
        ck_assert_uint_eq(bsn_iter_offset(&child), outer + (type == BSN_TYPE_CODE_SCOPE ? 17 : 7));
    }
    ck_assert_uint_eq(entered, 3);
    ck_assert(!bsn_iter_enter(&it, &child));
    hex_free(&bytes);
}
END_TEST

START_TEST(a_new_iterator_has_no_element)
{
    hex_bytes bytes = hex_read(all_types);
    bsn_iter it;
    bsn_iter_init(&it, open_doc(&bytes));
    ck_assert_int_eq(bsn_iter_type(&it), BSN_TYPE_NONE);
    ck_assert_int_eq(bsn_iter_value(&it).type, BSN_TYPE_NONE);
    ck_assert_uint_eq(bsn_iter_key(&it).len, 0);
    ck_assert_uint_eq(bsn_iter_raw(&it).len, 0);
    ck_assert_int_eq(bsn_iter_error(&it, NULL), BSN_OK);
    hex_free(&bytes);
}
END_TEST

START_TEST(a_fault_ends_the_walk_for_good)
{
    hex_bytes bytes =
        hex_read("1A 00 00 00 10 61 00 01 00 00 00 08 62 00 02 10 63 00 01 00 00 00 0A 64 00 00");
    for (int way = 0; way < FULL_WALK_WAYS; way++) {
        bsn_iter it, child;
        bsn_error err;
        bsn_iter_init(&it, open_doc(&bytes));
        ck_assert(step(&it, way));
        for (size_t again = 0; again < 3; again++) {
            ck_assert(!step(&it, way));
            ck_assert_int_eq(bsn_iter_error(&it, &err), BSN_E_BOOLEAN);
            ck_assert_uint_eq(err.offset, 14);
            ck_assert_int_eq(bsn_iter_value(&it).type, BSN_TYPE_NONE);
            ck_assert(!bsn_iter_enter(&it, &child));
        }
    }
    hex_free(&bytes);
}
END_TEST

START_TEST(an_iterator_is_small)
{
    ck_assert_uint_le(sizeof(bsn_iter), 48);
    ck_assert_uint_le(sizeof(bsn_doc), 48);
    ck_assert_uint_le(sizeof(bsn_value), 48);
}
END_TEST

/* ------------------------------------------------------------------ depth */

/* Steps down to the given level, which must be reachable; *it then stands in it, before its first element. */
static void descend(bsn_doc doc, uint16_t depth_max, size_t level, bsn_iter *it)
{
    bsn_iter_init(it, doc);
    if (depth_max != 0) bsn_iter_set_depth_max(it, depth_max);
    for (size_t at = 1; at < level; at++) {
        bsn_iter child;
        ck_assert(bsn_iter_next(it));
        ck_assert_msg(bsn_iter_enter(it, &child), "level %zu", at);
        *it = child;
    }
}

START_TEST(entering_stops_at_the_limit)
{
    for (size_t type = 0; type < sizeof container_types; type++) {
        const size_t head = heap_doc_around_offset(container_types[type]);
        heap_doc nested = heap_doc_nested(container_types[type], BSN_DEPTH_DEFAULT + 1);
        const bsn_doc doc = {nested.ptr, nested.len};
        static const uint16_t limits[] = {0, 1, 2, 7, BSN_DEPTH_DEFAULT};
        for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
            const size_t level = limits[i] == 0 ? BSN_DEPTH_DEFAULT : limits[i];
            bsn_iter it, child;
            bsn_error err;
            descend(doc, limits[i], level, &it);
            ck_assert(bsn_iter_next(&it));
            ck_assert(!bsn_iter_enter(&it, &child));
            ck_assert_int_eq(bsn_iter_error(&it, &err), BSN_E_DEPTH);
            ck_assert_uint_eq(err.offset, level * head);
            ck_assert(!bsn_iter_next(&it));
        }
        bsn_iter it;
        descend(doc, BSN_DEPTH_DEFAULT + 1, BSN_DEPTH_DEFAULT + 1, &it);
        ck_assert(!bsn_iter_next(&it));
        ck_assert_int_eq(bsn_iter_error(&it, NULL), BSN_OK);
        free(nested.ptr);
    }
}
END_TEST

/* A container that is one level too deep and has another fault of its own: its length comes first, its end does not. */
START_TEST(a_bad_length_wins_over_depth_and_depth_over_a_missing_end)
{
    for (int end = 0; end <= 1; end++) {
        heap_doc doc = heap_doc_nested(BSN_TYPE_DOCUMENT, 3);
        const size_t length_at = 2 * heap_doc_around_offset(BSN_TYPE_DOCUMENT);
        doc.ptr[end == 0 ? length_at : length_at + 4] = 0x7F;
        const verdict expected = {end == 0 ? BSN_E_LENGTH : BSN_E_DEPTH, length_at};
        for (int way = 0; way < FULL_WALK_WAYS; way++) {
            check_verdict(verdict_of_walk(heap_doc_span(doc), (full_walk_way)way, 2), expected,
                          "third level", way_names[way]);
        }
        check_verdict(verdict_of_validation(heap_doc_span(doc), BSN_LEVEL_STRUCTURE, 2), expected,
                      "third level", "validation");
        free(doc.ptr);
    }
}
END_TEST

/* Below a container without its 0x00 the walk looks down itself, with the limit that entering would have had. */
START_TEST(the_limit_holds_below_a_container_without_its_end)
{
    for (size_t limit = 2; limit <= 12; limit++) {
        heap_doc doc = heap_doc_nested(BSN_TYPE_ARRAY, 10);
        const size_t head = heap_doc_around_offset(BSN_TYPE_ARRAY);
        doc.ptr[doc.len - 2] = 0x55;
        const verdict too_deep = {BSN_E_DEPTH, limit * head};
        const verdict unended = {BSN_E_TERMINATOR, doc.len - 2};
        const verdict expected = limit < 10 ? too_deep : unended;
        for (int way = 0; way < FULL_WALK_WAYS; way++) {
            check_verdict(verdict_of_walk(heap_doc_span(doc), (full_walk_way)way, limit), expected,
                          "ten levels", way_names[way]);
        }
        check_verdict(verdict_of_validation(heap_doc_span(doc), BSN_LEVEL_STRUCTURE, limit),
                      expected, "ten levels", "validation");
        free(doc.ptr);
    }
}
END_TEST

/* With a higher limit the walk has no memory to look down for ever: then depth is what it reports. */
START_TEST(a_container_without_its_end_is_looked_into_for_200_levels)
{
    static const size_t levels[] = {BSN_DEPTH_DEFAULT, BSN_DEPTH_DEFAULT + 2, BSN_DEPTH_DEFAULT + 3,
                                    3000};
    const size_t head = heap_doc_around_offset(BSN_TYPE_DOCUMENT);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        heap_doc doc = heap_doc_nested(BSN_TYPE_DOCUMENT, levels[i]);
        doc.ptr[doc.len - 2] = 0x55;
        const bool seen = levels[i] <= BSN_DEPTH_DEFAULT + 2;
        const verdict unended = {BSN_E_TERMINATOR, doc.len - 2};
        const verdict too_deep = {BSN_E_DEPTH, (BSN_DEPTH_DEFAULT + 2) * head};
        check_verdict(verdict_of_walk(heap_doc_span(doc), FULL_WALK_INLINE, 65535),
                      seen ? unended : too_deep, "many levels", "the walk");
        free(doc.ptr);
    }
}
END_TEST

Suite *iter_suite(void)
{
    Suite *suite = suite_create("iter");
    TCase *values = tcase_create("values");
    tcase_add_test(values, each_type_shows_its_value);
    tcase_add_test(values, elements_cover_the_document_without_a_gap);
    tcase_add_test(values, keys_of_every_length_are_found_by_every_way);
    suite_add_tcase(suite, values);
    TCase *faults = tcase_create("faults");
    tcase_add_test(faults, each_fault_has_its_status_and_place);
    tcase_add_test(faults, each_fault_is_the_same_before_more_elements);
    tcase_add_test(faults, each_fault_is_the_same_at_every_depth);
    tcase_add_test(faults, each_fault_comes_before_the_missing_end_of_what_is_around_it);
    tcase_add_test(faults, each_status_of_elements_has_a_row);
    tcase_add_test(faults, a_walk_that_does_not_enter_looks_at_frames_only);
    suite_add_tcase(suite, faults);
    TCase *nesting = tcase_create("nesting");
    tcase_add_test(nesting, only_containers_can_be_entered);
    tcase_add_test(nesting, a_new_iterator_has_no_element);
    tcase_add_test(nesting, a_fault_ends_the_walk_for_good);
    tcase_add_test(nesting, an_iterator_is_small);
    tcase_add_test(nesting, entering_stops_at_the_limit);
    tcase_add_test(nesting, a_bad_length_wins_over_depth_and_depth_over_a_missing_end);
    tcase_add_test(nesting, the_limit_holds_below_a_container_without_its_end);
    tcase_add_test(nesting, a_container_without_its_end_is_looked_into_for_200_levels);
    suite_add_tcase(suite, nesting);
    return suite;
}
