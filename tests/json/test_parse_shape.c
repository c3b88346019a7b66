/* SPDX-License-Identifier: Apache-2.0
 *
 * test_parse_shape.c -- keys that a shape foresees: what it knows, what it does where documents differ, and that it never changes an
 * answer.
 */
#include "suites.h"

#include "support/counting_alloc.h"
#include "support/expect.h"
#include "support/failing_alloc.h"
#include "support/parse_text.h"
#include "support/random.h"

#include "bson/shape.h"

#include <bsonic/doc.h>

#include <stdio.h>
#include <string.h>

static bsn_shape shape;

static void open_shape(void)
{
    bsn_shape_init(&shape, NULL);
}

static void close_shape(void)
{
    bsn_shape_free(&shape);
}

/* Enough blanks behind a text that the quick way reads all of it. */
#define BLANKS_BEHIND 400

/* Parses a document with the shape and without: the same. Returns the keys that the shape did not foresee. */
static uint32_t misses_of(const char *text)
{
    static const bsn_json_parse_options plain;
    const bsn_json_parse_options shaped = {.shape = &shape};
    char padded[4096];
    const int len = snprintf(padded, sizeof padded, "%s%*s", text, BLANKS_BEHIND, "");
    ck_assert(len > 0 && (size_t)len < sizeof padded);
    const bsn_str str = {padded, (size_t)len};
    parsed without = parse_document(str, &plain), with = parse_document(str, &shaped);
    check_same_parse(&without, &with, str, "with a shape");
    parsed_free(&without);
    parsed_free(&with);
    return shape.misses;
}

START_TEST(keys_in_the_same_order_are_foreseen)
{
    static const char doc[] = "{\"_id\":1,\"name\":\"x\",\"at\":{\"street\":\"s\",\"city\":\"c\"},"
                              "\"tags\":[{\"k\":1,\"v\":[2,3]},{\"k\":3,\"v\":4}],\"end\":null}";
    ck_assert_uint_eq(misses_of(doc), 9); /* k and v once: items are alike */
    for (size_t i = 0; i < 5; i++) ck_assert_uint_eq(misses_of(doc), 0);
}
END_TEST

START_TEST(blanks_behind_colons_and_commas_are_part_of_the_habit)
{
    static const char doc[] = "{\"a\": 1, \"b\": {\"c\": 2, \"d\": 3}, \"e\": 4}";
    ck_assert_uint_eq(misses_of(doc), 5);
    ck_assert_uint_eq(misses_of(doc), 0);
}
END_TEST

START_TEST(fields_left_out_put_in_and_moved_cost_themselves)
{
    (void)misses_of("{\"a\":1,\"b\":2,\"c\":3,\"d\":4}");
    ck_assert_uint_eq(misses_of("{\"a\":1,\"d\":4}"), 1);
    ck_assert_uint_eq(misses_of("{\"a\":1,\"b\":2,\"c\":3,\"d\":4}"), 0);
    ck_assert_uint_eq(misses_of("{\"a\":1,\"new\":0,\"b\":2,\"c\":3,\"d\":4}"), 1);
    ck_assert_uint_eq(misses_of("{\"a\":1,\"new\":0,\"b\":2,\"c\":3,\"d\":4}"), 0);
    ck_assert_uint_eq(misses_of("{\"d\":1,\"a\":2}"), 2);
}
END_TEST

START_TEST(a_key_that_begins_like_the_foreseen_one_is_another)
{
    (void)misses_of("{\"name\":1,\"n\":2}");
    ck_assert_uint_gt(misses_of("{\"names\":1,\"n\":2}"), 0);
    ck_assert_uint_gt(misses_of("{\"nam\":1,\"name\\u0041\":2}"), 0);
    ck_assert_uint_eq(misses_of("{\"name\":1,\"n\":2}"), 0);
}
END_TEST

/* What is not kept: keys that are not short plain text, and those that could be a wrapper's. */
START_TEST(odd_keys_are_read_anew)
{
    static const char doc[] = "{\"$a\":1,\"\\u0062\":2,\"caf\xC3\xA9\":3,\"\":4,"
                              "\"a key that is longer than its image may be\":5,\"f\":6}";
    (void)misses_of(doc);
    (void)misses_of(doc);
    ck_assert_uint_eq(shape.node_count, 3); /* the root, "" and f */
}
END_TEST

START_TEST(faults_are_the_same_behind_foreseen_keys)
{
    static const char *const faults[] = {
        "{\"a\":1,\"b\":}",
        "{\"a\":1,\"b\":{\"c\":tru}}",
        "{\"a\":1,\"b\":{\"c\":1]}",
        "{\"a\":1,\"b\":{\"c\"}}",
        "{\"a\":1,\"b\":{\"$oid\":1}}",
        "{\"a\":1,,\"b\":1}",
        "{\"a\":1,\"b\":{\"c\":1,\"$oid\":\"0123\"}}",
        "{\"a\":1\"b\":{}}",
        "{\"a\":1,\"b\"",
    };
    (void)misses_of("{\"a\":1,\"b\":{\"c\":1}}");
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) (void)misses_of(faults[i]);
    ck_assert_uint_eq(misses_of("{\"a\":1,\"b\":{\"c\":1}}"), 0);
}
END_TEST

/* A document of `count` keys that no other has. */
static void unlike(test_random *random, char *text, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += (size_t)sprintf(text + len, "%c\"%08x\":%u", i == 0 ? '{' : ',',
                               (unsigned)random_below(random, UINT32_MAX), (unsigned)i);
    (void)sprintf(text + len, "}");
}

START_TEST(documents_that_have_nothing_in_common_are_given_up)
{
    test_random random = {4};
    char text[2048];
    uint32_t looked = 0;
    for (size_t i = 0; i < 1000; i++) {
        unlike(&random, text, 20);
        looked += misses_of(text) != 0;
    }
    /* three, and two behind each rest of 32, 64, 128 and 256 */
    ck_assert_uint_eq(looked, 3 + 2 * 4);
    for (size_t i = 0; i < 2 * 1024; i++) (void)misses_of("{\"a\":1}");
    ck_assert_uint_eq(misses_of("{\"a\":1}"), 0);
    ck_assert(shape.is_on);
    ck_assert_uint_eq(shape.next_rest, 32);
}
END_TEST

START_TEST(a_full_shape_soon_begins_anew)
{
    test_random random = {5};
    static char text[64 * 4096];
    static const char known[] = "{\"a\":1,\"b\":{\"c\":2}}";
    const bsn_json_parse_options shaped = {.shape = &shape};
    unlike(&random, text, 4000);
    parsed p = parse_document((bsn_str){text, strlen(text)}, &shaped);
    ck_assert_int_eq(p.status, BSN_OK);
    parsed_free(&p);
    const uint32_t full = shape.node_count;
    ck_assert_uint_gt(full, 500);
    ck_assert_uint_eq(misses_of(known), 2); /* c is not looked for where nothing can be learnt */
    ck_assert_uint_eq(shape.node_count, full);
    for (size_t i = 0; i < 3 + 32 + 1; i++) (void)misses_of(known);
    ck_assert_uint_eq(misses_of(known), 0);
    ck_assert(shape.is_on);
    ck_assert_uint_eq(shape.node_count, 5); /* two rings and three keys */
}
END_TEST

START_TEST(one_block_is_all_its_memory)
{
    counting_alloc counter;
    counting_alloc_init(&counter);
    bsn_shape_init(&shape, &counter.alloc);
    ck_assert_uint_eq(counting_alloc_requests(&counter), 0);
    for (size_t i = 0; i < 100; i++) (void)misses_of("{\"a\":{\"b\":[{\"c\":1}]}}");
    ck_assert_uint_eq(counting_alloc_requests(&counter), 1);
    ck_assert_uint_le(counter.bytes_out, 64 * 1024);
    bsn_shape_free(&shape);
    (void)misses_of("{\"a\":1}");
    ck_assert_uint_eq(counting_alloc_requests(&counter), 2);
    bsn_shape_free(&shape);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(refused_memory_is_no_error)
{
    failing_alloc failing;
    failing_alloc_init(&failing);
    do {
        bsn_shape_init(&shape, &failing.alloc);
        (void)misses_of("{\"a\":{\"b\":1}}");
        (void)misses_of("{\"a\":{\"b\":1}}");
        bsn_shape_free(&shape);
    } while (failing_alloc_again(&failing));
}
END_TEST

/* The slow way opens and closes containers too, where texts are cut. */
START_TEST(streams_cut_anywhere_keep_their_place)
{
    static const char doc[] =
        "{\"a\":{\"b\":{\"c\":1},\"d\":[{\"e\":1},[{\"e\":2}]]},\"f\":{\"$code\":\"x\",\"$scope\":"
        "{\"g\":1,\"h\":2}},\"i\":{\"j\":1}}";
    const bsn_json_parse_options shaped = {.shape = &shape};
    char text[4 * sizeof doc + BLANKS_BEHIND];
    const int len =
        snprintf(text, sizeof text, "%s\n%s\n%s\n%*s", doc, doc, doc, BLANKS_BEHIND, "");
    const bsn_str str = {text, (size_t)len};
    bsn_json_parser parser;
    bsn_json_parser_init(&parser, NULL);
    parsed plain = parse_cut(&parser, str, NULL, 0);
    bsn_json_parser_free(&parser);
    ck_assert_int_eq(plain.status, BSN_OK);
    bsn_json_parser_init(&parser, &shaped);
    for (size_t cut = 0; cut <= str.len; cut++) {
        parsed two = parse_cut(&parser, str, &cut, 1);
        check_same_parse(&plain, &two, str, "cut in two");
        parsed_free(&two);
    }
    parsed whole = parse_cut(&parser, str, NULL, 0);
    ck_assert_uint_eq(shape.misses, 0);
    parsed_free(&whole);
    parsed_free(&plain);
    bsn_json_parser_free(&parser);
}
END_TEST

/* A document whose keys are learnt and foreseen, wherever it is cut: behind each comma are more blanks than the slow way needs. */
static size_t put_spaced(char *text)
{
    static const char doc[] =
        "{\"a\":{\"b\":{\"c\":1,\"d\":[{\"e\":1},{\"f\":{}}]},\"g\":2},\"h\":{\"i\":{}},\"j\":3}";
    size_t len = 0;
    for (const char *p = doc; *p != 0; p++) {
        text[len++] = *p;
        if (*p != ',') continue;
        memset(text + len, ' ', BLANKS_BEHIND);
        len += BLANKS_BEHIND;
    }
    return len;
}

/* Other documents that are read while this one is open make the shape forget what its reader stands at. */
START_TEST(readers_may_take_turns_in_the_middle_of_documents)
{
    const bsn_json_parse_options shaped = {.shape = &shape};
    char text[8 * BLANKS_BEHIND], other[2048];
    const bsn_str str = {text, put_spaced(text)};
    parsed plain = parse_document(str, NULL);
    test_random random = {6};
    for (size_t cut = 1; cut < str.len; cut += 7) {
        bsn_json_parser parser;
        bsn_doc seen;
        bsn_shape_free(&shape);
        bsn_json_parser_init(&parser, &shaped);
        bsn_json_parser_feed(&parser, (bsn_str){text, cut});
        ck_assert(!bsn_json_parser_next(&parser, &seen));
        for (size_t i = 0; i < 3; i++) {
            unlike(&random, other, 20);
            (void)misses_of(other);
        }
        ck_assert_uint_eq(shape.node_count, 0);
        bsn_json_parser_feed(&parser, (bsn_str){text + cut, str.len - cut});
        ck_assert(bsn_json_parser_next(&parser, &seen));
        ck_assert(bsn_bytes_equal(bsn_doc_bytes(seen), plain.bson));
        bsn_json_parser_free(&parser);
    }
    parsed_free(&plain);
}
END_TEST

Suite *parse_shape_suite(void)
{
    Suite *suite = suite_create("parse_shape");
    TCase *tests = tcase_create("parse_shape");
    tcase_add_checked_fixture(tests, open_shape, close_shape);
    tcase_add_test(tests, keys_in_the_same_order_are_foreseen);
    tcase_add_test(tests, blanks_behind_colons_and_commas_are_part_of_the_habit);
    tcase_add_test(tests, fields_left_out_put_in_and_moved_cost_themselves);
    tcase_add_test(tests, a_key_that_begins_like_the_foreseen_one_is_another);
    tcase_add_test(tests, odd_keys_are_read_anew);
    tcase_add_test(tests, faults_are_the_same_behind_foreseen_keys);
    tcase_add_test(tests, documents_that_have_nothing_in_common_are_given_up);
    tcase_add_test(tests, a_full_shape_soon_begins_anew);
    tcase_add_test(tests, one_block_is_all_its_memory);
    tcase_add_test(tests, refused_memory_is_no_error);
    tcase_add_test(tests, streams_cut_anywhere_keep_their_place);
    tcase_add_test(tests, readers_may_take_turns_in_the_middle_of_documents);
    suite_add_tcase(suite, tests);
    return suite;
}
