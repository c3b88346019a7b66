/* SPDX-License-Identifier: Apache-2.0
 *
 * test_checksum.c -- CRC-32C against published values and against the division done bit by bit.
 */
#include "suites.h"

#include "support/guard_page.h"

#include <bsonic/wire.h>

#include <string.h>

typedef struct known_crc {
    const char *name;
    uint8_t first; /* bytes are first, first + step, .. */
    uint8_t step;
    size_t len;
    uint32_t crc;
} known_crc;

/* RFC 3720 B.4, and the check value of every catalogue of CRCs. */
static const known_crc known[] = {
    {"nothing", 0, 0, 0, 0x00000000},         {"32 zeros", 0, 0, 32, 0x8A9136AA},
    {"32 times FF", 0xFF, 0, 32, 0x62A8AB43}, {"00 to 1F", 0, 1, 32, 0x46DD794E},
    {"1F to 00", 31, 0xFF, 32, 0x113FDB5C},   {"digits 1 to 9", '1', 1, 9, 0xE3069283},
};

START_TEST(checksum_has_the_published_values)
{
    uint8_t bytes[32];
    const known_crc *row = &known[_i];
    for (size_t i = 0; i < row->len; i++) bytes[i] = (uint8_t)(row->first + i * row->step);
    const bsn_bytes span = {bytes, row->len};
    ck_assert_msg(bsn_crc32c(0, span) == row->crc, "%s", row->name);
}
END_TEST

static uint32_t crc_by_bits(bsn_bytes bytes)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < bytes.len; i++) {
        crc ^= bytes.ptr[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82F63B78u : crc >> 1;
    }
    return crc ^ 0xFFFFFFFFu;
}

START_TEST(each_byte_has_the_checksum_that_the_division_gives)
{
    for (unsigned value = 0; value <= 0xFF; value++) {
        const uint8_t byte = (uint8_t)value;
        const bsn_bytes span = {&byte, 1};
        ck_assert_uint_eq(bsn_crc32c(0, span), crc_by_bits(span));
    }
}
END_TEST

START_TEST(checksum_of_pieces_is_that_of_the_whole_at_every_cut)
{
    uint8_t bytes[67];
    guard_area area;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 37 + 11);
    guard_open(&area, sizeof bytes);
    for (size_t len = 0; len <= sizeof bytes; len++) {
        const bsn_bytes whole = {guard_at_end(&area, bytes, len), len};
        const uint32_t crc = crc_by_bits(whole);
        for (size_t cut = 0; cut <= len; cut++) {
            const bsn_bytes front = {whole.ptr, cut};
            const bsn_bytes back = {whole.ptr + cut, len - cut};
            ck_assert_uint_eq(bsn_crc32c(bsn_crc32c(0, front), back), crc);
        }
    }
    guard_close(&area);
}
END_TEST

Suite *checksum_suite(void)
{
    Suite *suite = suite_create("checksum");
    TCase *tests = tcase_create("checksum");
    tcase_add_loop_test(tests, checksum_has_the_published_values, 0,
                        (int)(sizeof known / sizeof known[0]));
    tcase_add_test(tests, each_byte_has_the_checksum_that_the_division_gives);
    tcase_add_test(tests, checksum_of_pieces_is_that_of_the_whole_at_every_cut);
    suite_add_tcase(suite, tests);
    return suite;
}
