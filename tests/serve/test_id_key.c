/* SPDX-License-Identifier: Apache-2.0
 *
 * test_id_key.c -- equal values have one key, others have different ones: every pair of a table of classes.
 */
#include "suites.h"

#include "serve/id_key.h"
#include "support/hex.h"

#include <bsonic/detail/le.h>
#include <bsonic/types.h>

#include <string.h>

typedef struct value_row {
    int group; /* values of one group are equal, of different groups are not */
    bsn_type type;
    const char *text; /* of a number: its text; of others: hex */
} value_row;

#define I32 BSN_TYPE_INT32
#define I64 BSN_TYPE_INT64
#define F64 BSN_TYPE_DOUBLE
#define DEC BSN_TYPE_DECIMAL128

static const value_row value_rows[] = {
    {1, I32, "0100000000000000"},
    {1, I64, "0100000000000000"},
    {1, F64, "000000000000F03F"},
    {1, DEC, "1"},
    {1, DEC, "1.000"},
    {1, DEC, "10E-1"},
    {2, I32, "0000000000000000"},
    {2, F64, "0000000000000080"}, /* -0.0 */
    {2, DEC, "0"},
    {2, DEC, "-0E+10"},
    {2, DEC, "0E-6176"},
    {3, I32, "FFFFFFFF"},
    {3, I64, "FFFFFFFFFFFFFFFF"},
    {3, DEC, "-1"},
    {4, F64, "000000000000E03F"}, /* 0.5 */
    {4, DEC, "0.5"},
    {4, DEC, "0.50"},
    {5, DEC, "0.1"},
    {5, DEC, "0.10"},
    {6, F64, "9A9999999999B93F"}, /* 0.1 as a double is not 0.1 */
    {7, F64, "000000000000F87F"}, /* NaN */
    {7, F64, "010000000000F8FF"},
    {7, DEC, "NaN"},
    {8, F64, "000000000000F07F"},
    {8, DEC, "Infinity"},
    {9, F64, "000000000000F0FF"},
    {9, DEC, "-Infinity"},
    {10, I64, "FFFFFFFFFFFFFF7F"}, /* 2^63 - 1 */
    {10, DEC, "9223372036854775807"},
    {11, F64, "000000000000E043"}, /* 2^63 */
    {11, DEC, "9223372036854775808"},
    {12, I64, "0000000000000080"}, /* -2^63 */
    {12, F64, "000000000000E0C3"},
    {12, DEC, "-9223372036854775808"},
    {13, DEC, "-9223372036854775809"},
    {15, F64, "408CB5781DAF1544"}, /* 1e20 */
    {15, DEC, "1E+20"},
    {15, DEC, "100000000000000000000"},
    {16, DEC, "1E+6144"},
    {17, DEC, "1E-6176"},
    {18, DEC, "9999999999999999999999999999999999"},
    {19, DEC, "0.0000000000000000000000000000000001"},
    {20, F64, "0000000000004043"}, /* 2^53 */
    {20, I64, "0000000000002000"},
    {20, DEC, "9007199254740992"},
    {21, I64, "0100000000002000"}, /* 2^53 + 1 */
    {21, DEC, "9007199254740993"},
    {22, DEC, "-0.5"},
    {23, F64, "182D4454FB210940"}, /* a double with many digits */
    {24, BSN_TYPE_STRING, "02000000 31 00"},
    {25, BSN_TYPE_SYMBOL, "02000000 31 00"},
    {26, BSN_TYPE_NULL, ""},
    {27, BSN_TYPE_MINKEY, ""},
    {28, BSN_TYPE_MAXKEY, ""},
    {29, BSN_TYPE_BOOLEAN, "01"},
    {30, BSN_TYPE_BOOLEAN, "00"},
    {31, BSN_TYPE_DATE, "0100000000000000"},
    {32, BSN_TYPE_TIMESTAMP, "0100000000000000"},
    {33, BSN_TYPE_OID, "000102030405060708090A0B"},
    {34, BSN_TYPE_OID, "000102030405060708090A0C"},
    {35, BSN_TYPE_DOCUMENT, "0C000000 10 6100 01000000 00"},
    {36, BSN_TYPE_DOCUMENT, "10000000 12 6100 0100000000000000 00"}, /* inside, types count */
    {37, BSN_TYPE_BINARY, "01000000 00 FF"},
    {38, BSN_TYPE_BINARY, "01000000 04 FF"},
    {39, F64, "0000000000000040"}, /* 2 */
    {39, DEC, "2E0"},
    {40, F64, "0000000000C05E40"}, /* 123 */
    {40, DEC, "1.23E+2"},
    {41, F64, "0000000000003043"}, /* 2^52 */
    {42, DEC, "1E+22"},
    {43, DEC, "1E+23"},
};
static const size_t value_count = sizeof value_rows / sizeof value_rows[0];

static hex_bytes raw_of(const value_row *row)
{
    if (row->type != BSN_TYPE_DECIMAL128) {
        hex_bytes bytes = hex_read(row->text);
        if (row->type == BSN_TYPE_INT32) bytes.len = 4;
        return bytes;
    }
    bsn_decimal128 decimal;
    hex_bytes bytes = hex_read("00000000000000000000000000000000");
    ck_assert_int_eq(bsn_decimal128_from_text(bsn_str_from(row->text), &decimal), BSN_OK);
    bsn_store_u64(bytes.ptr, decimal.low);
    bsn_store_u64(bytes.ptr + 8, decimal.high);
    return bytes;
}

START_TEST(values_have_one_key_exactly_when_they_are_equal)
{
    for (size_t i = 0; i < value_count; i++) {
        hex_bytes one = raw_of(&value_rows[i]);
        serve_id_key a;
        serve_id_key_make(&a, value_rows[i].type, hex_span(&one));
        for (size_t j = 0; j < value_count; j++) {
            hex_bytes other = raw_of(&value_rows[j]);
            serve_id_key b;
            serve_id_key_make(&b, value_rows[j].type, hex_span(&other));
            const bool equal = value_rows[i].group == value_rows[j].group;
            ck_assert_msg(serve_id_key_equal(&a, &b) == equal, "%s and %s", value_rows[i].text,
                          value_rows[j].text);
            if (equal) ck_assert_uint_eq(serve_id_key_hash(&a), serve_id_key_hash(&b));
            hex_free(&other);
        }
        hex_free(&one);
    }
}
END_TEST

/* 1e22 is the last power of ten that a double holds exactly: its decimal is the same number, that of 1e23 is not. */
START_TEST(powers_of_ten_meet_their_doubles_as_far_as_those_are_exact)
{
    double power = 1.0;
    for (int exponent = 0; exponent <= 22; exponent++, power *= 10.0) {
        char text[8] = {'1', 'E', '+', (char)('0' + exponent / 10), (char)('0' + exponent % 10)};
        const value_row row = {0, DEC, text};
        hex_bytes raw = raw_of(&row);
        uint8_t bytes[8];
        serve_id_key a, b;
        bsn_store_f64(bytes, power);
        const bsn_bytes span = {bytes, 8};
        serve_id_key_make(&a, DEC, hex_span(&raw));
        serve_id_key_make(&b, F64, span);
        ck_assert_msg(serve_id_key_equal(&a, &b), "%s", text);
        hex_free(&raw);
    }
    uint8_t bytes[8];
    serve_id_key a, b;
    const value_row row = {0, DEC, "1E+23"};
    hex_bytes raw = raw_of(&row);
    bsn_store_f64(bytes, 1e23);
    const bsn_bytes span = {bytes, 8};
    serve_id_key_make(&a, DEC, hex_span(&raw));
    serve_id_key_make(&b, F64, span);
    ck_assert(!serve_id_key_equal(&a, &b));
    hex_free(&raw);
}
END_TEST

/* Coefficients beyond 10^34 - 1, in either encoding, read as 0. */
START_TEST(decimal_that_is_no_number_reads_as_zero)
{
    static const char *const raws[] = {
        "00000000648E8D37C087ADBE09ED4130", /* 10^34 */
        "FFFFFFFFFFFFFFFFFFFFFFFFFFFF4130", /* all bits of the coefficient */
        "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFF6F", /* the large-coefficient form */
        "00000000000000000000000000000060",
    };
    hex_bytes zero = hex_read("00000000");
    serve_id_key wanted;
    serve_id_key_make(&wanted, I32, hex_span(&zero));
    for (size_t i = 0; i < sizeof raws / sizeof raws[0]; i++) {
        hex_bytes raw = hex_read(raws[i]);
        serve_id_key key;
        serve_id_key_make(&key, DEC, hex_span(&raw));
        ck_assert_msg(serve_id_key_equal(&key, &wanted), "%s", raws[i]);
        hex_free(&raw);
    }
    hex_free(&zero);
}
END_TEST

START_TEST(hashes_differ_in_all_their_bits)
{
    uint64_t ever_set = 0, ever_clear = 0;
    for (int32_t i = 0; i < 1000; i++) {
        uint8_t bytes[4];
        const bsn_bytes span = {bytes, 4};
        serve_id_key key;
        bsn_store_i32(bytes, i);
        serve_id_key_make(&key, I32, span);
        const uint64_t hash = serve_id_key_hash(&key);
        ever_set |= hash;
        ever_clear |= ~hash;
    }
    ck_assert_uint_eq(ever_set & ever_clear, UINT64_MAX);
}
END_TEST

Suite *id_key_suite(void)
{
    Suite *suite = suite_create("id_key");
    TCase *tests = tcase_create("keys");
    tcase_add_test(tests, values_have_one_key_exactly_when_they_are_equal);
    tcase_add_test(tests, powers_of_ten_meet_their_doubles_as_far_as_those_are_exact);
    tcase_add_test(tests, decimal_that_is_no_number_reads_as_zero);
    tcase_add_test(tests, hashes_differ_in_all_their_bits);
    suite_add_tcase(suite, tests);
    return suite;
}
