/* SPDX-License-Identifier: Apache-2.0
 *
 * test_escape.c -- text as the inside of a JSON string: each byte, each length, each place, and text that is not UTF-8.
 */
#include "suites.h"

#include "support/expect.h"
#include "support/fill_doc.h"
#include "support/guard_page.h"
#include "support/hex.h"
#include "support/random.h"
#include "json/escape.h"

#include <bsonic/json.h>
#include <bsonic/validate.h>

#include <stdlib.h>
#include <string.h>

#define LEN_MAX 80
#define OUTPUT_MAX (LEN_MAX * BSNI_ESCAPE_GROWTH + BSNI_ESCAPE_SLACK)
#define CANARY 0x5A

/* The plain truth, byte by byte. */
static size_t escape_plainly(const uint8_t *text, size_t len, uint8_t *out)
{
    static const char digits[] = "0123456789abcdef", names[] = "\b\t\n\f\r\"\\",
                      letters[] = "btnfr\"\\";
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        const char *name = text[i] == 0 ? NULL : strchr(names, text[i]);
        if (name != NULL) {
            out[used++] = '\\';
            out[used++] = (uint8_t)letters[name - names];
        } else if (text[i] < 0x20) {
            memcpy(out + used, "\\u00", 4);
            out[used + 4] = (uint8_t)digits[text[i] >> 4];
            out[used + 5] = (uint8_t)digits[text[i] & 15];
            used += 6;
        } else {
            out[used++] = text[i];
        }
    }
    return used;
}

/* Escapes in both ways and with every number of bytes that may be read behind the text that makes a difference; all must give
 * what the plain way gives, and stay within the promised room. */
static void check_escape(const uint8_t *text, size_t len)
{
    uint8_t expected[OUTPUT_MAX], output[OUTPUT_MAX + 1];
    uint8_t area[LEN_MAX + 16];
    const size_t expected_len = escape_plainly(text, len, expected);
    const size_t promised = len * BSNI_ESCAPE_GROWTH + BSNI_ESCAPE_SLACK;
    memcpy(area, text, len);
    memset(area + len, '"', 16); /* what stands behind the text must not matter */
    for (size_t behind = 0; behind <= 10; behind++) {
        memset(output, CANARY, sizeof output);
        const uint8_t *end = behind == 10 ? bsni_escape(output, text, len)
                                          : bsni_escape_inside(output, area, len, len + behind);
        EXPECT(end == output + expected_len, "%zu bytes, %zu behind: another length", len, behind);
        EXPECT(memcmp(output, expected, expected_len) == 0, "%zu bytes: another text", len);
        EXPECT(output[promised] == CANARY, "%zu bytes: written beyond the room", len);
    }
}

START_TEST(every_byte)
{
    uint8_t text[12];
    for (size_t at = 0; at < sizeof text; at++) {
        for (unsigned byte = 0; byte < 0x80; byte++) {
            memset(text, 'a', sizeof text);
            text[at] = (uint8_t)byte;
            check_escape(text, sizeof text);
        }
    }
}
END_TEST

/* On both sides of what must be escaped. */
static const uint8_t edges[] = {0x00, 0x01, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F};

START_TEST(every_place_of_every_length)
{
    uint8_t text[LEN_MAX];
    memset(text, 'a', sizeof text);
    for (size_t len = 0; len <= 40; len++) {
        check_escape(text, len);
        for (size_t at = 0; at < len; at++) {
            for (size_t i = 0; i < sizeof edges; i++) {
                text[at] = edges[i];
                check_escape(text, len);
            }
            text[at] = 'a';
        }
    }
}
END_TEST

START_TEST(neighbours_in_a_word_do_not_disturb_each_other)
{
    uint8_t text[16];
    memset(text, 'a', sizeof text);
    for (size_t at = 0; at < 9; at++) {
        for (size_t i = 0; i < sizeof edges * sizeof edges; i++) {
            text[at] = edges[i % sizeof edges];
            text[at + 1] = edges[i / sizeof edges];
            check_escape(text, 12);
        }
        text[at] = 'a';
        text[at + 1] = 'a';
    }
}
END_TEST

START_TEST(text_beyond_ascii_stays_as_it_is)
{
    static const char *const texts[] = {
        "\xC3\xA9",
        "\xE2\x82\xAC",
        "\xF0\x9F\x98\x80",
        "\xF4\x8F\xBF\xBF",
        "\xED\x9F\xBF\xEE\x80\x80",
        "\xE2\x80\xA8\xE2\x80\xA9", /* line and paragraph separator: legal in JSON */
        "a\xC3\xA9\"\n\xE2\x82\xAC\\b\x01\xF0\x9F\x98\x80 and on, past a word or two \x7F\xC2\x80",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const size_t text_len = strlen(texts[i]);
        for (size_t before = 0; before <= 20; before++) {
            uint8_t text[LEN_MAX];
            ck_assert_uint_le(before + text_len, sizeof text);
            memset(text, 'x', before);
            memcpy(text + before, texts[i], text_len);
            check_escape(text, before + text_len);
        }
    }
}
END_TEST

START_TEST(text_that_is_not_utf8_is_refused_at_every_place)
{
    static const char *const faults[] = {
        "80",          "BF",       "C0 80",       "C1 BF",    "C3",       "C3 28",
        "E0 9F BF",    "E2 82",    "E2 28 A1",    "ED A0 80", "ED BF BF", "F0 8F BF BF",
        "F4 90 80 80", "F0 9F 98", "F5 80 80 80", "FE",       "FF",
    };
    uint8_t output[OUTPUT_MAX];
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        hex_bytes fault = hex_read(faults[i]);
        for (size_t place = 0; place < 20 * 20; place++) {
            const size_t before = place / 20, after = place % 20, len = before + fault.len + after;
            uint8_t text[LEN_MAX];
            memset(text, before % 3 == 2 ? '\n' : 'x', sizeof text);
            memcpy(text + before, fault.ptr, fault.len);
            EXPECT(bsni_escape(output, text, len) == NULL, "%s passed", faults[i]);
            EXPECT(bsni_escape_inside(output, text, len, sizeof text) == NULL, "%s passed",
                   faults[i]);
        }
        hex_free(&fault);
    }
}
END_TEST

START_TEST(nothing_outside_the_text_is_read_and_nothing_outside_the_room_written)
{
    guard_area input, room;
    guard_open(&input, LEN_MAX);
    guard_open(&room, OUTPUT_MAX);
    static const char *const fills[] = {"a", "\x01", "\"a\\", "\xC3\xA9", "abcdefg\xE2\x82\xAC"};
    for (size_t i = 0; i < sizeof fills / sizeof fills[0]; i++) {
        const size_t fill_len = strlen(fills[i]);
        for (size_t count = 0; count * fill_len <= LEN_MAX; count++) {
            uint8_t text[LEN_MAX];
            const size_t len = count * fill_len;
            for (size_t at = 0; at < len; at++) text[at] = (uint8_t)fills[i][at % fill_len];
            uint8_t *dst = guard_at_end(&room, NULL, len * BSNI_ESCAPE_GROWTH + BSNI_ESCAPE_SLACK);
            ck_assert_ptr_nonnull(bsni_escape(dst, guard_at_end(&input, text, len), len));
            ck_assert_ptr_nonnull(
                bsni_escape_inside(dst, guard_at_end(&input, text, len), len, len));
            ck_assert_ptr_nonnull(bsni_escape(dst, guard_at_start(&input, text, len), len));
        }
    }
    guard_close(&input);
    guard_close(&room);
}
END_TEST

/* ---- long text ---- */

#define LONG_MAX 50000

/* Runs of one kind: plain, to be escaped, of two to four bytes a character, and, one time in `faulty` of them, no UTF-8. */
static size_t random_text(test_random *random, uint8_t *text, size_t len, size_t faulty)
{
    static const char *const fills[] = {"a",        "x y z",        "\n\x01\"\\",
                                        "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    size_t at = 0;
    while (at < len) {
        const char *fill = fills[random_below(random, 6)];
        const size_t fill_len = strlen(fill);
        size_t run = random_size_below(random, (size_t)1 << random_below(random, 16));
        if (*fill == '\n') run %= 40;
        for (; run > 0 && at + fill_len <= len; run--, at += fill_len)
            memcpy(text + at, fill, fill_len);
        if (at + fill_len > len) {
            if (faulty == 0 || random_one_in(random, 2)) break;
            memcpy(text + at, fill, len - at); /* a character that is cut short */
            return len;
        }
        if (faulty != 0 && random_one_in(random, faulty)) {
            if (fill_len > 2 && fill_len <= at) at--;
            text[at++] = (uint8_t)(0x80 + random_below(random, 0x80));
        }
    }
    return at;
}

/* Prints {"s": text, "t": as many x as are behind} into blocks, and compares with what the plain way gives. */
static void check_printed(bsn_doc doc, size_t len, size_t behind, size_t block_size,
                          uint8_t *expected)
{
    bsn_pool pool;
    bsn_out out;
    bsn_iovec iov[512];
    bsn_error err, validated;
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, block_size);
    const bsn_validate_options utf8 = {.level = BSN_LEVEL_UTF8};
    const bsn_status sound = bsn_validate(bsn_doc_bytes(doc), &utf8, NULL, &validated);
    const bsn_status status = bsn_json_print(doc, NULL, &out, &err);
    EXPECT(status == sound, "%zu bytes: %s", len, bsn_status_text(status));
    EXPECT(status == BSN_OK || err.offset == validated.offset, "%zu bytes: another place", len);
    memcpy(expected, "{\"s\":\"", 6);
    size_t expected_len = 6 + escape_plainly(doc.ptr + 11, len, expected + 6), offset = 0;
    if (behind != 0) {
        memcpy(expected + expected_len, "\",\"t\":\"", 7);
        memset(expected + expected_len + 7, 'x', behind);
        expected_len += 7 + behind;
    }
    memcpy(expected + expected_len, "\"}", 2);
    expected_len += 2;
    const size_t count = bsn_out_iovecs(&out, iov, 512);
    EXPECT(status == BSN_OK || count == 0, "%zu bytes: text of a faulty document", len);
    for (size_t i = 0; i < count; i++) {
        EXPECT(iov[i].len <= expected_len - offset &&
                   memcmp(iov[i].ptr, expected + offset, iov[i].len) == 0,
               "%zu bytes: another text", len);
        offset += iov[i].len;
    }
    EXPECT(status != BSN_OK || offset == expected_len, "%zu bytes: another length", len);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}

START_TEST(text_in_a_document_is_escaped_and_judged_in_every_block)
{
    static const size_t blocks[] = {1024, 4096, 16384, 65536};
    test_random random = {7};
    uint8_t *text = malloc(LONG_MAX), *expected = malloc(LONG_MAX * BSNI_ESCAPE_GROWTH + 500);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(expected);
    for (size_t round = 0; round < RANDOM_ROUNDS(60000); round++) {
        static const size_t lens[] = {LONG_MAX, 2000, 140, 70, 70, 30};
        const size_t most = 1 + random_size_below(&random, lens[round % 6]);
        const size_t behind = round % 8 < 2 ? 0 : 20 * (round % 8);
        const size_t len = random_text(&random, text, most, round % 4 == 0 ? 0 : 20);
        fill_doc b;
        fill_open(&b, len + behind + 40);
        fill_begin(&b);
        fill_bytes(&b, "\x02s", 3);
        fill_i32(&b, len + 1);
        fill_bytes(&b, text, len);
        fill_bytes(&b, "", 1);
        if (behind != 0) fill_text(&b, "\x02t", 3, "x", behind);
        fill_end(&b, 0);
        check_printed(fill_view(&b), len, behind, blocks[random_below(&random, 4)], expected);
        free(b.ptr);
    }
    free(expected);
    free(text);
}
END_TEST

Suite *escape_suite(void)
{
    Suite *suite = suite_create("escape");
    TCase *tests = tcase_create("escape");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, every_byte);
    tcase_add_test(tests, every_place_of_every_length);
    tcase_add_test(tests, neighbours_in_a_word_do_not_disturb_each_other);
    tcase_add_test(tests, text_beyond_ascii_stays_as_it_is);
    tcase_add_test(tests, text_that_is_not_utf8_is_refused_at_every_place);
    tcase_add_test(tests, nothing_outside_the_text_is_read_and_nothing_outside_the_room_written);
    tcase_add_test(tests, text_in_a_document_is_escaped_and_judged_in_every_block);
    suite_add_tcase(suite, tests);
    return suite;
}
