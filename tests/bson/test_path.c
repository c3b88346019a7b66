/* SPDX-License-Identifier: Apache-2.0
 *
 * test_path.c -- the dotted path of a byte, in sound and in damaged documents.
 */
#include "suites.h"
#include "support/guard_page.h"
#include "support/hex.h"

#include <bsonic/doc.h>

#include <string.h>

static void expect_path(bsn_bytes document, size_t offset, const char *wanted)
{
    char path[64];
    const size_t len = bsn_path_at(document, offset, path, sizeof path);
    ck_assert_msg(len == strlen(wanted) && memcmp(path, wanted, len) == 0,
                  "offset %zu: \"%.*s\" instead of \"%s\"", offset, (int)len, path, wanted);
}

/* {a: {b: [true, {c: 1}]}, d: ""}, with the offset of every part. */
static const char nested[] = "30000000 03 6100 20000000" /* 0: length, 4: a, 7: its document */
                             " 04 6200 18000000"         /* 11: b, 14: its array */
                             " 08 3000 01"               /* 18: element 0 */
                             " 03 3100 0C000000 10 6300 01000000 00" /* 22: element 1, 29: c */
                             " 00 00"               /* 37: end of array, 38: of a */
                             " 02 6400 01000000 00" /* 39: d */
                             " 00";

START_TEST(every_byte_of_a_document_has_the_path_of_its_element)
{
    static const struct {
        size_t from; /* up to the next row's */
        const char *path;
    } rows[] = {
        {0, ""},       {4, "a"},    {11, "a.b"}, {18, "a.b.0"}, {22, "a.b.1"}, {29, "a.b.1.c"},
        {36, "a.b.1"}, {37, "a.b"}, {38, "a"},   {39, "d"},     {47, ""},
    };
    hex_bytes bytes = hex_read(nested);
    const bsn_bytes document = hex_span(&bytes);
    const size_t count = sizeof rows / sizeof rows[0];
    for (size_t i = 0; i < count; i++) {
        const size_t end = i + 1 < count ? rows[i + 1].from : document.len;
        for (size_t at = rows[i].from; at < end; at++) expect_path(document, at, rows[i].path);
    }
    expect_path(document, document.len, "");
    expect_path(document, SIZE_MAX, "");
    hex_free(&bytes);
}
END_TEST

START_TEST(first_faults_lead_to_the_element_that_has_them)
{
    static const struct {
        const char *hex;
        size_t offset;
        const char *path;
    } rows[] = {
        {"", 0, ""},
        {"06000000", 0, ""},
        {"0600000000", 0, ""},
        {"0800000020 6100 00", 4, "a"},              /* no such type */
        {"09000000 08 6100 02 00", 7, "a"},          /* boolean 2 */
        {"0C000000 10 6100 01000000", 7, "a"},       /* cut short */
        {"09000000 10 6100 01 00", 7, "a"},          /* int32 of one byte */
        {"0D000000 02 6100 FFFFFFFF 00 00", 7, "a"}, /* negative length */
        {"0D000000 02 6100 00000080 00 00", 7, "a"}, /* INT_MIN */
        {"0D000000 03 6100 00000000 00 00", 7, "a"}, /* document of no bytes */
        {"0D000000 03 6100 7F000000 00 00", 7, "a"}, /* longer than its parent */
        {"07000000 0A 61 00", 6, "a"},               /* key takes the final 00 */
        {"07000000 0A 61 62", 5, ""},                /* key without an end */
        {"12000000 0A 6100 03 6200 07000000 0A 63 00 00", 16, "b.c"},
        {"10000000 03 6100 08000000 20 6200 00 00", 11, "a.b"},
        {"10000000 0B 6100 78 00 0A 6200 0A 6300 00", 9, "a"}, /* b is the regex's options */
        {"1A000000 0F 6100 12000000 01000000 00 09000000 08 7800 02 00 00", 23, "a.x"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hex_bytes bytes = hex_read(rows[i].hex);
        expect_path(hex_span(&bytes), rows[i].offset, rows[i].path);
        hex_free(&bytes);
    }
}
END_TEST

START_TEST(a_path_longer_than_its_room_is_cut_and_its_length_told)
{
    hex_bytes bytes = hex_read(nested);
    char room[8];
    for (size_t size = 0; size <= sizeof room; size++) {
        memset(room, '#', sizeof room);
        ck_assert_uint_eq(bsn_path_at(hex_span(&bytes), 29, room, size), strlen("a.b.1.c"));
        const size_t written = size < 7 ? size : 7;
        ck_assert_int_eq(memcmp(room, "a.b.1.c", written), 0);
        for (size_t i = written; i < sizeof room; i++) ck_assert_int_eq(room[i], '#');
    }
    hex_free(&bytes);
}
END_TEST

/* No read outside, whatever the bytes say: every cut, every byte replaced by values that matter, offsets
 * about there and at the end. */
START_TEST(hostile_documents_are_read_only_where_they_are)
{
    static const uint8_t evil[] = {0x00, 0x01, 0x03, 0x0F, 0x0B, 0x7F, 0x80, 0xFF};
    hex_bytes bytes = hex_read(nested);
    guard_area area;
    char path[16];
    guard_open(&area, bytes.len);
    for (size_t len = 0; len <= bytes.len; len++) {
        for (size_t at = 0; at < len; at++) {
            for (size_t e = 0; e < sizeof evil; e++) {
                uint8_t *copy = guard_at_end(&area, bytes.ptr, len);
                const bsn_bytes document = {.ptr = copy, .len = len};
                copy[at] = evil[e];
                const size_t offsets[] = {at, at + 1, at + 4, len - 1};
                for (size_t o = 0; o < sizeof offsets / sizeof offsets[0]; o++) {
                    const size_t path_len = bsn_path_at(document, offsets[o], path, sizeof path);
                    ck_assert_uint_le(path_len, 3 * len);
                }
            }
        }
    }
    guard_close(&area);
    hex_free(&bytes);
}
END_TEST

Suite *path_suite(void)
{
    Suite *suite = suite_create("path");
    TCase *tcase = tcase_create("path");
    tcase_add_test(tcase, every_byte_of_a_document_has_the_path_of_its_element);
    tcase_add_test(tcase, first_faults_lead_to_the_element_that_has_them);
    tcase_add_test(tcase, a_path_longer_than_its_room_is_cut_and_its_length_told);
    tcase_add_test(tcase, hostile_documents_are_read_only_where_they_are);
    suite_add_tcase(suite, tcase);
    return suite;
}
