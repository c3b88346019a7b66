/* SPDX-License-Identifier: Apache-2.0
 *
 * test_parse_stream.c -- streams of documents: their shapes, places of their faults, lines that are skipped, calls out of order, tokens
 * longer than any piece, and a steady state that allocates nothing.
 */
#include "suites.h"

#include "support/counting_alloc.h"
#include "support/parse_text.h"

#include <bsonic/bsonic.h>

#include <stdlib.h>
#include <string.h>

static bsn_json_parser parser;

static void open_parser(void)
{
    bsn_json_parser_init(&parser, NULL);
}

static void close_parser(void)
{
    bsn_json_parser_free(&parser);
}

typedef struct stream_row {
    const char *text;
    uint64_t count; /* documents in front of the fault */
    bsn_status status;
    uint64_t offset;
    uint32_t line, column;
} stream_row;

static const stream_row streams[] = {
    {"", 0, BSN_OK, 0, 0, 0},
    {" \r\n\t ", 0, BSN_OK, 0, 0, 0},
    {"\xEF\xBB\xBF", 0, BSN_OK, 0, 0, 0},
    {"{}", 1, BSN_OK, 0, 0, 0},
    {"{}{}{\"a\":1}", 3, BSN_OK, 0, 0, 0},
    {"{}\n{}\r\n\r\n{}\n", 3, BSN_OK, 0, 0, 0},
    {"\xEF\xBB\xBF{\n}\n{}", 2, BSN_OK, 0, 0, 0},
    {"[]", 0, BSN_OK, 0, 0, 0},
    {" [ ] ", 0, BSN_OK, 0, 0, 0},
    {"[{}]", 1, BSN_OK, 0, 0, 0},
    {"[{},{\"a\":{}},\n{}]\n", 3, BSN_OK, 0, 0, 0},
    {"[{\"$oid\":1}]", 1, BSN_OK, 0, 0, 0},
    /* faults between documents */
    {"{},{}", 1, BSN_E_TRAILING, 2, 1, 3},
    {"{}\n[{}]", 1, BSN_E_TRAILING, 3, 2, 1},
    {"{}\n{}\n x", 2, BSN_E_TRAILING, 7, 3, 2},
    {"{}\n\xEF\xBB\xBF{}", 1, BSN_E_TRAILING, 3, 2, 1},
    {"[", 0, BSN_E_SHORT, 1, 1, 2},
    {"[{}", 1, BSN_E_SHORT, 3, 1, 4},
    {"[{},", 1, BSN_E_SHORT, 4, 1, 5},
    {"[{},]", 1, BSN_E_SYNTAX, 4, 1, 5},
    {"[,]", 0, BSN_E_SYNTAX, 1, 1, 2},
    {"[{} {}]", 1, BSN_E_SYNTAX, 4, 1, 5},
    {"[1]", 0, BSN_E_SYNTAX, 1, 1, 2},
    {"[{}\n,[]]", 1, BSN_E_SYNTAX, 5, 2, 2},
    {"[{}]{}", 1, BSN_E_TRAILING, 4, 1, 5},
    {"[{}],", 1, BSN_E_TRAILING, 4, 1, 5},
    /* faults within them, on later lines */
    {"{}\n{\"a\":x}", 1, BSN_E_SYNTAX, 8, 2, 6},
    {"{\n\n\"a\" :\n x}", 0, BSN_E_SYNTAX, 10, 4, 2},
    {"{\"a\":\n{\n\"$oid\":\n\n \"x\"}}", 0, BSN_E_SYNTAX, 18, 5, 2},
    {"{\n}\n{\n}\r\n{\n\"a\"", 2, BSN_E_SHORT, 14, 6, 4},
    {"{\"b\":{\"a\":1,\n \"\\u0024oid\":1}}", 0, BSN_E_SYNTAX, 14, 2, 2},
    {"[{\n\"a\":1\n}\n,\n{\"b\":{\"c\":1,\n\"$oid\":1}}]", 1, BSN_E_SYNTAX, 26, 6, 1},
};

static void check_row(const stream_row *row, const parsed *p)
{
    ck_assert_msg(p->status == row->status, "%s: %s at %u: %s", row->text,
                  bsn_status_text(p->status), (unsigned)p->err.offset, p->err.detail);
    ck_assert_msg(p->count == row->count, "%s: %u documents", row->text, (unsigned)p->count);
    if (row->status == BSN_OK) return;
    ck_assert_msg(
        p->err.offset == row->offset && p->err.line == row->line && p->err.column == row->column,
        "%s: at %u, %u:%u", row->text, (unsigned)p->err.offset, p->err.line, p->err.column);
}

START_TEST(shapes_and_places)
{
    const stream_row *row = &streams[_i];
    const bsn_str text = bsn_str_from(row->text);
    for (size_t cut = 0; cut <= text.len; cut++) {
        parsed p = parse_cut(&parser, text, &cut, 1);
        check_row(row, &p);
        parsed_free(&p);
    }
    parsed p = parse_steps(&parser, text, 1);
    check_row(row, &p);
    parsed_free(&p);
}
END_TEST

/* ---- skipping ---- */

/* Documents found when faulty lines are skipped, one digit each: the first value of each. */
static void take_skipping(const char *text, size_t step, char *found, size_t *skipped)
{
    const size_t len = strlen(text);
    bsn_json_parser_reset(&parser);
    *skipped = 0;
    for (size_t from = 0; from <= len; from += step) {
        const size_t n = len - from < step ? len - from : step;
        bsn_doc doc;
        bsn_json_parser_feed(&parser, (bsn_str){text + from, n});
        if (n < step) bsn_json_parser_finish(&parser);
        do {
            while (bsn_json_parser_next(&parser, &doc)) *found++ = (char)('0' + doc.ptr[7]);
            if (bsn_json_parser_status(&parser, NULL) != BSN_OK) ++*skipped;
        } while (bsn_json_parser_status(&parser, NULL) != BSN_OK &&
                 bsn_json_parser_skip_line(&parser));
    }
    *found = '\0';
}

START_TEST(faulty_lines_can_be_skipped)
{
    static const char text[] =
        "{\"a\":1}\n{\"a\":}\n{\"a\":2}\nx\n\n{\"a\":3} {\"a\":{\"$oid\":\"\"}} "
        "{\"a\":9}\n{\"a\":\"\n{\"a\":4}\n{\"a\":5";
    for (size_t step = 1; step <= sizeof text; step++) {
        char found[20];
        size_t skipped;
        take_skipping(text, step, found, &skipped);
        ck_assert_str_eq(found, "1234");
        ck_assert_uint_eq(skipped, 5);
        ck_assert_uint_eq(bsn_json_parser_count(&parser), 4);
    }
}
END_TEST

START_TEST(a_place_behind_a_skipped_line_is_right)
{
    bsn_doc doc;
    bsn_error err;
    bsn_json_parser_feed(&parser, BSN_STR("{\"a\":x}\n\n{}\n  y"));
    ck_assert(!bsn_json_parser_next(&parser, &doc));
    ck_assert(bsn_json_parser_skip_line(&parser));
    ck_assert(bsn_json_parser_next(&parser, &doc));
    ck_assert(!bsn_json_parser_next(&parser, &doc));
    ck_assert_int_eq(bsn_json_parser_status(&parser, &err), BSN_E_TRAILING);
    ck_assert_uint_eq(err.line, 4);
    ck_assert_uint_eq(err.column, 3);
    ck_assert_uint_eq(err.offset, 14);
}
END_TEST

/* Else a line that begins with a bracket would swallow those behind it. */
START_TEST(no_array_begins_behind_a_skipped_line)
{
    static const char *const lines[] = {"x\n[{}]\n{}", "x\n\xEF\xBB\xBF{}\n{}"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        bsn_doc doc;
        bsn_error err;
        bsn_json_parser_reset(&parser);
        bsn_json_parser_feed(&parser, bsn_str_from(lines[i]));
        ck_assert(!bsn_json_parser_next(&parser, &doc));
        ck_assert(bsn_json_parser_skip_line(&parser));
        ck_assert(!bsn_json_parser_next(&parser, &doc));
        ck_assert_int_eq(bsn_json_parser_status(&parser, &err), BSN_E_TRAILING);
        ck_assert_uint_eq(err.offset, 2);
        ck_assert(bsn_json_parser_skip_line(&parser));
        ck_assert(bsn_json_parser_next(&parser, &doc));
        ck_assert_uint_eq(bsn_json_parser_count(&parser), 1);
    }
}
END_TEST

START_TEST(an_array_cannot_be_skipped_in)
{
    bsn_doc doc;
    ck_assert(!bsn_json_parser_skip_line(&parser));
    bsn_json_parser_feed(&parser, BSN_STR("[{},x"));
    ck_assert(bsn_json_parser_next(&parser, &doc));
    ck_assert(!bsn_json_parser_next(&parser, &doc));
    ck_assert(!bsn_json_parser_skip_line(&parser));
    ck_assert_int_eq(bsn_json_parser_status(&parser, NULL), BSN_E_SYNTAX);
}
END_TEST

/* ---- order of calls ---- */

START_TEST(a_piece_too_early_is_refused)
{
    bsn_doc doc;
    bsn_json_parser_feed(&parser, BSN_STR("{}{}"));
    ck_assert(bsn_json_parser_next(&parser, &doc));
    ck_assert_uint_eq(bsn_json_parser_offset(&parser), 2);
    bsn_json_parser_feed(&parser, BSN_STR("{}"));
    ck_assert_int_eq(bsn_json_parser_status(&parser, NULL), BSN_E_STATE);
    ck_assert(!bsn_json_parser_next(&parser, &doc));
    bsn_json_parser_reset(&parser);
    ck_assert_int_eq(bsn_json_parser_status(&parser, NULL), BSN_OK);
    bsn_json_parser_feed(&parser, BSN_STR("{}"));
    ck_assert(bsn_json_parser_next(&parser, &doc));
    ck_assert_uint_eq(bsn_json_parser_count(&parser), 1);
    ck_assert(!bsn_json_parser_next(&parser, &doc));
    bsn_json_parser_finish(&parser);
    ck_assert(!bsn_json_parser_next(&parser, &doc));
    ck_assert(!bsn_json_parser_next(&parser, &doc));
    ck_assert_int_eq(bsn_json_parser_status(&parser, NULL), BSN_OK);
    bsn_json_parser_feed(&parser, BSN_STR("{}"));
    ck_assert_int_eq(bsn_json_parser_status(&parser, NULL), BSN_E_STATE);
}
END_TEST

/* A document is handed out as soon as its last byte is there. */
START_TEST(documents_come_as_soon_as_they_are_whole)
{
    static const char text[] = "{\"a\":\"xyz\"}[]";
    bsn_doc doc;
    for (size_t i = 0; i < 11; i++) {
        bsn_json_parser_feed(&parser, (bsn_str){text + i, 1});
        ck_assert(bsn_json_parser_next(&parser, &doc) == (i == 10));
        ck_assert_uint_eq(bsn_json_parser_count(&parser), i == 10);
    }
    ck_assert_uint_eq(bsn_json_parser_offset(&parser), 11);
}
END_TEST

/* ---- long tokens, memory ---- */

/* Megabytes of one token, in small pieces: time grows with the length, not with its square. */
START_TEST(long_tokens_in_small_pieces)
{
    static const char *const heads[] = {"{\"a\":\"", "{\"", "{\"a\":{\"$symbol\":\"",
                                        "{\"a\":{\"$binary\":{\"subType\":\"00\",\"base64\":\"",
                                        "{\"a\":1"};
    static const char *const tails[] = {"\"}", "\":1}", "\"}}", "\"}}}", ".5}"};
    const size_t fill = 1 << 20;
    char *text = malloc(fill + 100);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < 5; i++) {
        const size_t head = strlen(heads[i]), tail = strlen(tails[i]);
        memcpy(text, heads[i], head);
        memset(text + head, '0', fill);
        memcpy(text + head + fill, tails[i], tail);
        const bsn_str all = {text, head + fill + tail};
        parsed one = parse_document(all, NULL), steps = parse_steps(&parser, all, 13);
        if (i == 4) {
            ck_assert_int_eq(one.status, BSN_E_RANGE);
        } else {
            ck_assert_int_eq(one.status, BSN_OK);
        }
        ck_assert_int_eq(one.status, steps.status);
        ck_assert(bsn_bytes_equal(one.bson, steps.bson));
        parsed_free(&one);
        parsed_free(&steps);
    }
    free(text);
}
END_TEST

START_TEST(keys_full_of_escapes_take_time_by_their_length)
{
    const size_t escapes = 1 << 21, len = 2 * escapes + 6;
    char *text = malloc(len);
    ck_assert_ptr_nonnull(text);
    memcpy(text, "{\"", 2);
    for (size_t i = 0; i < escapes; i++) memcpy(text + 2 + 2 * i, "\\n", 2);
    memcpy(text + len - 4, "\":1}", 4);
    parsed one = parse_document((bsn_str){text, len}, NULL);
    ck_assert_int_eq(one.status, BSN_OK);
    ck_assert_uint_eq(one.bson.len, 4 + 1 + escapes + 1 + 4 + 1);
    parsed_free(&one);
    free(text);
}
END_TEST

/* Six bytes of text for one of the document: what is kept is the document. */
START_TEST(a_string_of_escapes_in_pieces_takes_the_memory_of_its_document)
{
    const size_t escapes = 100000;
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_json_parse_options options = {.alloc = &counter.alloc};
    bsn_json_parser counted;
    bsn_doc doc;
    bsn_json_parser_init(&counted, &options);
    bsn_json_parser_feed(&counted, BSN_STR("{\"a\":\""));
    ck_assert(!bsn_json_parser_next(&counted, &doc));
    for (size_t i = 0; i < escapes; i++) {
        bsn_json_parser_feed(&counted, BSN_STR("01\\u0"));
        ck_assert(!bsn_json_parser_next(&counted, &doc));
        bsn_json_parser_feed(&counted, BSN_STR("0"));
        ck_assert(!bsn_json_parser_next(&counted, &doc));
    }
    ck_assert_int_eq(bsn_json_parser_status(&counted, NULL), BSN_OK);
    bsn_json_parser_feed(&counted, BSN_STR("01\"}"));
    ck_assert(bsn_json_parser_next(&counted, &doc));
    ck_assert_uint_eq(doc.len, 4 + 3 + 4 + 2 + escapes + 1 + 1);
    ck_assert_uint_le(counter.bytes_out_max, 3 * doc.len); /* a block and its half more */
    bsn_json_parser_free(&counted);
    counting_alloc_finish(&counter);
}
END_TEST

/* The place of the fault, the quote, has gone with an earlier piece. */
START_TEST(a_string_that_is_too_long_can_be_skipped)
{
    static const char text[] =
        "{\"a\":1}\n{\"a\":\"0123456789abcdefghijklmnopqrstuvwxyz\"}\n{\"a\":2}\n";
    const bsn_json_parse_options options = {.size_max = 20};
    for (size_t step = 1; step < sizeof text; step++) {
        bsn_json_parser limited;
        bsn_error err = {0};
        bsn_doc doc;
        size_t faults = 0;
        bsn_json_parser_init(&limited, &options);
        for (size_t from = 0; from < sizeof text - 1; from += step) {
            const size_t left = sizeof text - 1 - from;
            bsn_json_parser_feed(&limited, (bsn_str){text + from, left < step ? left : step});
            while (bsn_json_parser_next(&limited, &doc)) ck_assert_uint_eq(doc.len, 12);
            if (bsn_json_parser_status(&limited, &err) == BSN_OK) continue;
            ck_assert_int_eq(err.status, BSN_E_SIZE);
            ck_assert_uint_eq(err.offset, 13);
            ck_assert_uint_eq(err.line, 2);
            ck_assert_uint_eq(err.column, 6);
            faults++;
            ck_assert(bsn_json_parser_skip_line(&limited));
            while (bsn_json_parser_next(&limited, &doc)) ck_assert_uint_eq(doc.len, 12);
        }
        bsn_json_parser_finish(&limited);
        while (bsn_json_parser_next(&limited, &doc)) ck_assert_uint_eq(doc.len, 12);
        ck_assert_int_eq(bsn_json_parser_status(&limited, NULL), BSN_OK);
        ck_assert_uint_eq(bsn_json_parser_count(&limited), 2);
        ck_assert_uint_eq(faults, 1);
        bsn_json_parser_free(&limited);
    }
}
END_TEST

/* What is wrong is told long before the token's end. */
START_TEST(a_fault_in_a_long_wrapper_is_not_waited_for)
{
    bsn_doc doc;
    bsn_json_parser_feed(&parser, BSN_STR("{\"a\":{\"$oid\":\"0123456789abcdef\","));
    ck_assert(!bsn_json_parser_next(&parser, &doc));
    size_t fed = 0;
    for (; fed < 100 && bsn_json_parser_status(&parser, NULL) == BSN_OK; fed++) {
        bsn_json_parser_feed(&parser, BSN_STR("{{{{{{{{{{{{{{{{"));
        ck_assert(!bsn_json_parser_next(&parser, &doc));
    }
    ck_assert_uint_lt(fed, 20);
}
END_TEST

static void pass(bsn_json_parser *j, bsn_out *out, bsn_str text, size_t step)
{
    for (size_t from = 0; from < text.len; from += step) {
        bsn_json_parser_feed(
            j, (bsn_str){text.ptr + from, text.len - from < step ? text.len - from : step});
        while (bsn_json_parser_next_into(j, out)) bsn_out_sent(out, bsn_out_unsent(out));
    }
}

START_TEST(a_stream_soon_allocates_nothing)
{
    static const bsn_str text = {"{\"a\":\"0123456789\",\"b\":{\"$oid\":"
                                 "\"0123456789abcdefabcdef0\\u0031\"},\"c\":[1,2,3]}\n",
                                 75};
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_json_parse_options options = {.alloc = &counter.alloc};
    bsn_json_parser counted;
    bsn_pool pool;
    bsn_out out;
    bsn_json_parser_init(&counted, &options);
    bsn_pool_init(&pool, &counter.alloc, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    for (size_t step = 1; step < 80; step++) pass(&counted, &out, text, step);
    const size_t requests = counting_alloc_requests(&counter);
    for (size_t step = 1; step < 80; step++) pass(&counted, &out, text, step);
    ck_assert_uint_eq(counting_alloc_requests(&counter), requests);
    ck_assert_uint_eq(bsn_json_parser_count(&counted), 158);
    ck_assert_int_eq(bsn_json_parser_status(&counted, NULL), BSN_OK);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    bsn_json_parser_free(&counted);
    counting_alloc_finish(&counter);
}
END_TEST

Suite *parse_stream_suite(void)
{
    Suite *suite = suite_create("parse_stream");
    TCase *tests = tcase_create("parse_stream");
    tcase_add_checked_fixture(tests, open_parser, close_parser);
    tcase_add_loop_test(tests, shapes_and_places, 0, (int)(sizeof streams / sizeof streams[0]));
    tcase_add_test(tests, faulty_lines_can_be_skipped);
    tcase_add_test(tests, a_place_behind_a_skipped_line_is_right);
    tcase_add_test(tests, no_array_begins_behind_a_skipped_line);
    tcase_add_test(tests, an_array_cannot_be_skipped_in);
    tcase_add_test(tests, a_piece_too_early_is_refused);
    tcase_add_test(tests, documents_come_as_soon_as_they_are_whole);
    tcase_add_test(tests, long_tokens_in_small_pieces);
    tcase_add_test(tests, keys_full_of_escapes_take_time_by_their_length);
    tcase_add_test(tests, a_string_of_escapes_in_pieces_takes_the_memory_of_its_document);
    tcase_add_test(tests, a_string_that_is_too_long_can_be_skipped);
    tcase_add_test(tests, a_fault_in_a_long_wrapper_is_not_waited_for);
    tcase_add_test(tests, a_stream_soon_allocates_nothing);
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    return suite;
}
