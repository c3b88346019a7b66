/* SPDX-License-Identifier: Apache-2.0
 *
 * test_parse_random.c -- documents of all types at random: their canonical text becomes the same bytes again, their relaxed text a
 * document that prints as the same text, however it is cut; and whatever damage is done to a text, all ways to parse it find one
 * verdict at one place.
 *
 * BSONIC_TEST_ROUNDS says how many documents; a million take a few minutes.
 */
#include "suites.h"

#include "support/expect.h"
#include "support/parse_text.h"
#include "support/random_doc.h"

#include <bsonic/bsonic.h>

#include <stdlib.h>
#include <string.h>

static bsn_shape shape;
static bsn_json_parser parser, legacy_parser, shaped_parser;
static bsn_buf bson, text, again;

static void open_all(void)
{
    const bsn_json_parse_options legacy = {.legacy = true, .sub_ms = BSN_JSON_SUB_MS_FLOOR};
    bsn_json_parser_init(&parser, NULL);
    bsn_json_parser_init(&legacy_parser, &legacy);
    bsn_shape_init(&shape, NULL);
    const bsn_json_parse_options shaped = {.shape = &shape};
    bsn_json_parser_init(&shaped_parser, &shaped);
    bsn_buf_init(&bson, NULL);
    bsn_buf_init(&text, NULL);
    bsn_buf_init(&again, NULL);
}

static void close_all(void)
{
    bsn_json_parser_free(&parser);
    bsn_json_parser_free(&legacy_parser);
    bsn_json_parser_free(&shaped_parser);
    bsn_shape_free(&shape);
    bsn_buf_free(&bson);
    bsn_buf_free(&text);
    bsn_buf_free(&again);
}

static size_t rounds(size_t standard)
{
    const char *asked = getenv("BSONIC_TEST_ROUNDS");
    return asked == NULL ? RANDOM_ROUNDS(standard) : (size_t)strtoull(asked, NULL, 10);
}

static bsn_doc make_doc(test_random *random)
{
    bsn_out out;
    bsn_doc doc = {NULL, 0};
    bson.len = 0;
    bsn_out_init_buf(&out, &bson);
    random_doc_write(random, &out);
    bsn_out_free(&out);
    EXPECT(bsn_doc_open(bsn_buf_view(&bson), &doc, NULL) == BSN_OK, "unsound");
    return doc;
}

/* Appends the text of a document to `to`. */
static bsn_str print_to(bsn_buf *to, bsn_doc doc, bsn_json_form form)
{
    const bsn_json_options options = {.form = form, .depth_max = 1000};
    const size_t from = to->len;
    bsn_error err = {0};
    bsn_out out;
    bsn_out_init_buf(&out, to);
    const bsn_status status = bsn_json_print(doc, &options, &out, &err);
    EXPECT(status == BSN_OK, "%s at %u", bsn_status_text(status), (unsigned)err.offset);
    bsn_out_free(&out);
    const bsn_str str = {(const char *)to->ptr + from, to->len - from};
    return str;
}

static size_t random_cuts(test_random *random, size_t len, size_t cuts[], size_t max)
{
    const size_t count = random_size_below(random, max + 1);
    for (size_t i = 0; i < count; i++) {
        const size_t from = i == 0 ? 0 : cuts[i - 1];
        cuts[i] = from + random_size_below(random, len - from + 1);
    }
    return count;
}

static bsn_bytes parse_checked(parsed *p, bsn_str str)
{
    EXPECT(p->status == BSN_OK, "%s at %u: %s: %.*s", bsn_status_text(p->status),
           (unsigned)p->err.offset, p->err.detail, (int)str.len, str.ptr);
    return p->bson;
}

START_TEST(canonical_text_becomes_the_same_bytes)
{
    test_random random = {1};
    const size_t count = rounds(20000);
    for (size_t i = 0; i < count; i++) {
        size_t cuts[4];
        const bsn_doc doc = make_doc(&random);
        text.len = 0;
        const bsn_str str = print_to(&text, doc, BSN_JSON_CANONICAL);
        parsed p = parse_document(str, NULL);
        EXPECT(bsn_bytes_equal(parse_checked(&p, str), bsn_doc_bytes(doc)), "%.*s", (int)str.len,
               str.ptr);
        parsed_free(&p);
        p = parse_cut(i % 2 == 0 ? &parser : &shaped_parser, str, cuts,
                      random_cuts(&random, str.len, cuts, 4));
        EXPECT(bsn_bytes_equal(parse_checked(&p, str), bsn_doc_bytes(doc)), "cut: %.*s",
               (int)str.len, str.ptr);
        parsed_free(&p);
    }
}
END_TEST

START_TEST(relaxed_text_becomes_an_equal_document)
{
    test_random random = {2};
    const size_t count = rounds(20000);
    for (size_t i = 0; i < count; i++) {
        bsn_doc read;
        const bsn_doc doc = make_doc(&random);
        text.len = 0;
        again.len = 0;
        const bsn_str str = print_to(&text, doc, BSN_JSON_RELAXED);
        parsed p = parse_steps(&parser, str, 1 + random_size_below(&random, 100));
        EXPECT(bsn_doc_open(parse_checked(&p, str), &read, NULL) == BSN_OK, "unsound");
        const bsn_str back = print_to(&again, read, BSN_JSON_RELAXED);
        EXPECT(bsn_str_equal(str, back), "%.*s\n%.*s", (int)str.len, str.ptr, (int)back.len,
               back.ptr);
        parsed_free(&p);
    }
}
END_TEST

/* ---- damage ---- */

static const char edges[] = "\"\\{}[],:.-+eEtfn0919 $\n\x1F\x7F\x80\xBF\xC2\xE2\xED\xF0\xFF/u";

/* Texts of several documents: lines, an array, or nothing between them. */
static bsn_str make_stream(test_random *random)
{
    const uint32_t count = random_below(random, 3) + 1, layout = random_below(random, 3);
    bsn_buf *to = &text;
    to->len = 0;
    if (layout == 0)
        ck_assert_int_eq(bsn_buf_append(to, (bsn_bytes){(const uint8_t *)"[", 1}), BSN_OK);
    for (uint32_t i = 0; i < count; i++) {
        const char *between = layout == 0 ? "," : layout == 1 ? "\r\n" : "";
        const bsn_bytes bytes = {(const uint8_t *)between, i == 0 ? 0 : strlen(between)};
        if (bytes.len != 0) ck_assert_int_eq(bsn_buf_append(to, bytes), BSN_OK);
        (void)print_to(to, make_doc(random),
                       random_one_in(random, 2) ? BSN_JSON_CANONICAL : BSN_JSON_RELAXED);
    }
    if (layout == 0)
        ck_assert_int_eq(bsn_buf_append(to, (bsn_bytes){(const uint8_t *)"]", 1}), BSN_OK);
    const bsn_str str = {(const char *)to->ptr, to->len};
    return str;
}

static void damage(test_random *random, uint8_t *bytes, size_t *len)
{
    const size_t at = random_size_below(random, *len), other = random_size_below(random, *len);
    const size_t left = *len - (at > other ? at : other);
    const size_t n = random_size_below(random, left < 20 ? left + 1 : 20);
    switch (random_below(random, 6)) {
    case 0: *len = at + 1; return;
    case 1: memmove(bytes + at, bytes + other, n); return;
    case 2:
        memmove(bytes + at, bytes + at + 1, *len - at - 1);
        *len = *len > 1 ? *len - 1 : 1;
        return;
    case 3: bytes[at] = (uint8_t)(random_below(random, 256)); return;
    default: bytes[at] = (uint8_t)edges[random_size_below(random, sizeof edges - 1)]; return;
    }
}

static void check_verdicts(test_random *random, bsn_json_parser *j, bsn_str str)
{
    size_t cuts[6];
    parsed whole = parse_cut(j, str, NULL, 0);
    parsed cut = parse_cut(j, str, cuts, random_cuts(random, str.len, cuts, 6));
    check_same_parse(&whole, &cut, str, "cut");
    parsed_free(&cut);
    cut = parse_steps(j, str, 1 + random_size_below(random, 16));
    check_same_parse(&whole, &cut, str, "steps");
    parsed_free(&cut);
    parsed_free(&whole);
}

START_TEST(damaged_texts_have_one_verdict)
{
    test_random random = {3};
    const size_t count = rounds(50000);
    size_t sound = 0;
    for (size_t i = 0; i < count; i++) {
        const bsn_str str = make_stream(&random);
        size_t len = str.len;
        for (uint32_t n = random_below(&random, 3) + 1; n > 0; n--) damage(&random, text.ptr, &len);
        const bsn_str damaged = {str.ptr, len};
        check_verdicts(&random, random_one_in(&random, 2) ? &parser : &legacy_parser, damaged);
        parsed p = parse_cut(&parser, damaged, NULL, 0);
        sound += p.status == BSN_OK;
        for (size_t twice = 0; twice < 2; twice++) {
            parsed shaped = parse_cut(&shaped_parser, damaged, NULL, 0);
            check_same_parse(&p, &shaped, damaged, "with a shape");
            parsed_free(&shaped);
        }
        parsed_free(&p);
    }
    ck_assert_uint_lt(sound, count);
    ck_assert_uint_gt(sound, 0);
}
END_TEST

Suite *parse_random_suite(void)
{
    Suite *suite = suite_create("parse_random");
    TCase *tests = tcase_create("parse_random");
    tcase_add_checked_fixture(tests, open_all, close_all);
    tcase_add_test(tests, canonical_text_becomes_the_same_bytes);
    tcase_add_test(tests, relaxed_text_becomes_an_equal_document);
    tcase_add_test(tests, damaged_texts_have_one_verdict);
    tcase_set_timeout(tests, 3600);
    suite_add_tcase(suite, tests);
    return suite;
}
