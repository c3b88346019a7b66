/* SPDX-License-Identifier: Apache-2.0
 *
 * test_oid.c -- ObjectIds as text and back.
 */
#include "suites.h"

#include "support/expect.h"
#include "support/guard_page.h"
#include "support/random.h"

#include <bsonic/types.h>

#include <stdio.h>
#include <string.h>

START_TEST(ids_print_as_lower_case_hex)
{
    static const struct {
        bsn_oid oid;
        const char *text;
        uint32_t seconds;
    } rows[] = {
        {{{0}}, "000000000000000000000000", 0},
        {{{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}},
         "ffffffffffffffffffffffff",
         UINT32_MAX},
        {{{0x56, 0xE1, 0xFC, 0x72, 0xE0, 0xC9, 0x17, 0xE9, 0xC4, 0x71, 0x41, 0x61}},
         "56e1fc72e0c917e9c4714161",
         1457650802},
        {{{0x80, 0, 0, 0, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF}},
         "800000000123456789abcdef",
         2147483648},
        {{{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}}, "000000010000000000000000", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[BSN_OID_TEXT_LEN];
        bsn_oid_to_text(&rows[i].oid, text);
        ck_assert_mem_eq(text, rows[i].text, sizeof text);
        bsn_oid back;
        ck_assert(bsn_oid_from_text(bsn_str_from(rows[i].text), &back));
        ck_assert_mem_eq(back.bytes, rows[i].oid.bytes, sizeof back.bytes);
        ck_assert_uint_eq(bsn_oid_seconds(&back), rows[i].seconds);
    }
}
END_TEST

START_TEST(every_byte_at_every_place_prints_and_reads)
{
    for (size_t place = 0; place < 12; place++) {
        for (unsigned value = 0; value < 256; value++) {
            bsn_oid oid = {
                {0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0x0F, 0x5A, 0xA5, 0x99}};
            oid.bytes[place] = (uint8_t)value;
            char expected[32], text[BSN_OID_TEXT_LEN + 1];
            for (size_t i = 0; i < 12; i++) snprintf(expected + 2 * i, 3, "%02x", oid.bytes[i]);
            bsn_oid_to_text(&oid, text);
            text[BSN_OID_TEXT_LEN] = '\0';
            EXPECT(strcmp(text, expected) == 0, "%s, not %s", text, expected);

            for (size_t i = 0; i < 12; i++)
                snprintf(expected + 2 * i, 3, i % 2 == 0 ? "%02X" : "%02x", oid.bytes[i]);
            bsn_oid back = {{0}};
            EXPECT(bsn_oid_from_text(bsn_str_from(expected), &back), "%s", expected);
            EXPECT(memcmp(&back, &oid, sizeof back) == 0, "%s", expected);
        }
    }
}
END_TEST

static bool is_hex_digit(unsigned c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

START_TEST(a_byte_that_is_no_hex_digit_is_refused_wherever_it_stands)
{
    test_random random = {12};
    for (size_t place = 0; place < BSN_OID_TEXT_LEN; place++) {
        for (unsigned c = 0; c < 256; c++) {
            char text[BSN_OID_TEXT_LEN];
            for (size_t i = 0; i < sizeof text; i++)
                text[i] = "0123456789abcdefABCDEF"[random_below(&random, 22)];
            text[place] = (char)c;
            bsn_oid oid = {{7, 7, 7}};
            const bool read = bsn_oid_from_text((bsn_str){text, sizeof text}, &oid);
            EXPECT(read == is_hex_digit(c), "byte %02X at %zu", c, place);
            EXPECT(read || (oid.bytes[0] == 7 && oid.bytes[11] == 0), "changed though refused");
        }
    }
}
END_TEST

START_TEST(any_other_length_is_refused)
{
    const char digits[] = "0123456789abcdef0123456789abcdef0123456789abcdef";
    guard_area area;
    guard_open(&area, sizeof digits);
    for (size_t len = 0; len < sizeof digits; len++) {
        bsn_oid oid = {{7}};
        const bsn_str text = {(const char *)guard_at_end(&area, digits, len), len};
        EXPECT(bsn_oid_from_text(text, &oid) == (len == BSN_OID_TEXT_LEN), "length %zu", len);
        EXPECT(len == BSN_OID_TEXT_LEN || oid.bytes[0] == 7, "length %zu", len);
    }
    guard_close(&area);
    bsn_oid oid;
    ck_assert(!bsn_oid_from_text((bsn_str){NULL, 0}, &oid));
    ck_assert(!bsn_oid_from_text(BSN_STR("aaaaaaaaaaaa"), &oid)); /* twelve bytes are no id */
}
END_TEST

START_TEST(made_ids_carry_time_entropy_and_a_counter_that_wraps)
{
    static const uint8_t entropy[] = {0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xFF, 0xFF, 0xFE};
    static const char *const expected[] = {"65a1b2c3a1a2a3a4a5fffffe", "65a1b2c3a1a2a3a4a5ffffff",
                                           "65a1b2c4a1a2a3a4a5000000", "ffffffffa1a2a3a4a5000001"};
    static const uint32_t seconds[] = {0x65A1B2C3, 0x65A1B2C3, 0x65A1B2C4, 0xFFFFFFFF};
    bsn_oid_source source;
    bsn_oid_source_init(&source, entropy);
    for (size_t i = 0; i < 4; i++) {
        char text[BSN_OID_TEXT_LEN];
        bsn_oid oid;
        bsn_oid_make(&source, seconds[i], &oid);
        bsn_oid_to_text(&oid, text);
        ck_assert_mem_eq(text, expected[i], sizeof text);
        ck_assert_uint_eq(bsn_oid_seconds(&oid), seconds[i]);
    }
}
END_TEST

Suite *oid_suite(void)
{
    Suite *suite = suite_create("oid");
    TCase *tests = tcase_create("oid");
    tcase_add_test(tests, ids_print_as_lower_case_hex);
    tcase_add_test(tests, every_byte_at_every_place_prints_and_reads);
    tcase_add_test(tests, a_byte_that_is_no_hex_digit_is_refused_wherever_it_stands);
    tcase_add_test(tests, any_other_length_is_refused);
    tcase_add_test(tests, made_ids_carry_time_entropy_and_a_counter_that_wraps);
    suite_add_tcase(suite, tests);
    return suite;
}
