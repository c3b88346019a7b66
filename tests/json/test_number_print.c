/* SPDX-License-Identifier: Apache-2.0
 *
 * test_number_print.c -- integers and doubles as text. The judge of the shortest digits is libc, in the C locale: its digits
 * of a double are exact to any number, and its strtod says which double a text means.
 */
#include "suites.h"

#include "support/expect.h"
#include "support/number_plain.h"
#include "support/random.h"
#include "json/number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOUBLE_TEXT_LONGEST 24
#define GUARD 16

static double double_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool is_untouched(const char guard[GUARD])
{
    for (size_t i = 0; i < GUARD; i++) {
        if ((uint8_t)guard[i] != 0xA5) return false;
    }
    return true;
}

typedef struct printed {
    char text[BSNI_DOUBLE_TEXT_MAX + GUARD];
    size_t len;
} printed;

/* Prints with a terminator behind the text, and fails if a byte behind the stated room was touched. */
static printed print_with(size_t (*to_text)(double, char *), double value)
{
    printed out;
    memset(out.text, 0xA5, sizeof out.text);
    out.len = to_text(value, out.text);
    EXPECT(is_untouched(out.text + BSNI_DOUBLE_TEXT_MAX), "%a: stored past the room", value);
    EXPECT(out.len <= DOUBLE_TEXT_LONGEST, "%a: length %zu", value, out.len);
    out.text[out.len] = '\0';
    return out;
}

static printed print_double(double value)
{
    const printed out = print_with(bsni_double_to_text, value);
    const printed plain = print_with(plain_double_to_text, value);
    EXPECT(strcmp(out.text, plain.text) == 0, "%a: %s, but plain %s", value, out.text, plain.text);
    return out;
}

typedef struct print_row {
    double value;
    const char *text;
} print_row;

static const print_row print_rows[] = {
    {0.0, "0.0"},
    {1.0, "1.0"},
    {1.0001220703125, "1.0001220703125"},
    {1.2345678921232E+18, "1.2345678921232E+18"},
    {0.1, "0.1"},
    {0.2, "0.2"},
    {0x1.3333333333334p-2,
     "0.30000000000000004"}, /* 0.1 + 0.2, where a double is computed as one */
    {0.5, "0.5"},
    {1.0 / 3.0, "0.3333333333333333"},
    {4.35, "4.35"},
    {123456.789, "123456.789"},
    {1234567.89012345, "1234567.89012345"},
    {12345678.9, "12345678.9"},
    {123456789.5, "123456789.5"},
    {1234567890123.5, "1234567890123.5"},
    {3.141592653589793, "3.141592653589793"},
    {2.718281828459045, "2.718281828459045"},
    /* both ends of plain notation */
    {0.0001, "0.0001"},
    {0.00010000000000000002, "0.00010000000000000002"},
    {9.999999999999999E-5, "9.999999999999999E-5"},
    {0.001, "0.001"},
    {0.012345678901234567, "0.012345678901234567"},
    {0.00012345678901234567, "0.00012345678901234567"},
    {1E-5, "1E-5"},
    {1.5E-5, "1.5E-5"},
    {999999999999999.9, "999999999999999.9"},
    {1000000000000000.1, "1000000000000000.1"},
    {4503599627370495.5, "4503599627370495.5"},
    {9999999999999998.0, "9999999999999998.0"},
    {1E+15, "1000000000000000.0"},
    {1E+16, "1E+16"},
    {10000000000000002.0, "1.0000000000000002E+16"},
    {1E+17, "1E+17"},
    {1E+21, "1E+21"},
    {1E+100, "1E+100"},
    {1E-100, "1E-100"},
    {1.5E+300, "1.5E+300"},
    /* around 2^53, where integers get gaps */
    {9007199254740991.0, "9007199254740991.0"},
    {9007199254740992.0, "9007199254740992.0"},
    {9007199254740994.0, "9007199254740994.0"},
    {4294967295.0, "4294967295.0"},
    {4294967296.0, "4294967296.0"},
    {99999999.0, "99999999.0"},
    {100000000.0, "100000000.0"},
    {10.0, "10.0"},
    {9223372036854775807.0, "9.223372036854776E+18"},
    {18446744073709551616.0, "1.8446744073709552E+19"},
    /* the ends of the range */
    {5E-324, "5E-324"},
    {1E-323, "1E-323"},
    {1.5E-323, "1.5E-323"},
    {2E-323, "2E-323"},
    {2.5E-323, "2.5E-323"},
    {4.940656E-318, "4.940656E-318"},
    {1.18575755E-316, "1.18575755E-316"},
    {2.989102097996E-312, "2.989102097996E-312"},
    {2.2250738585072009E-308, "2.225073858507201E-308"},
    {DBL_MIN, "2.2250738585072014E-308"},
    {DBL_MAX, "1.7976931348623157E+308"},
    {1.7976931348623155E+308, "1.7976931348623155E+308"},
    {1.2345678901234567E-308, "1.2345678901234567E-308"},
    /* powers of ten that are no doubles, and their neighbours */
    {1E+23, "1E+23"},
    {9.999999999999998E+22, "9.999999999999997E+22"},
    {1.0000000000000001E+23, "1.0000000000000001E+23"},
    {1E+22, "1E+22"},
    {1E+25, "1E+25"},
    /* ends of the interval that belong to it, or do not: large multiples of powers of five */
    {9.0608011534336E+15, "9060801153433600.0"},
    {2.109808898695963E+16, "2.109808898695963E+16"},
    {4.708356024711512E+18, "4.708356024711512E+18"},
    {9.409340012568248E+18, "9.409340012568248E+18"},
    {8.41E+21, "8.41E+21"},
    {2.0919495182368195E+19, "2.0919495182368195E+19"},
    {5.764607523034235E+39, "5.764607523034235E+39"},
    {1.152921504606847E+40, "1.152921504606847E+40"},
    {2.305843009213694E+40, "2.305843009213694E+40"},
    /* a tie between two nearest: the even digit */
    {2.98023223876953125E-8, "2.9802322387695312E-8"},
};

START_TEST(doubles_of_the_table_print_as_it_says)
{
    for (size_t i = 0; i < sizeof print_rows / sizeof print_rows[0]; i++) {
        const print_row *row = &print_rows[i];
        ck_assert_str_eq(print_double(row->value).text, row->text);
        const printed negative = print_double(-row->value);
        ck_assert_int_eq(negative.text[0], '-');
        ck_assert_str_eq(negative.text + 1, row->text);
    }
}
END_TEST

/* A decimal number: digits * 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
    int count; /* of digits */
} decimal;

/* Takes a text of bsni_double_to_text apart, checking its form; zeros at the end of the digits do not count. */
static decimal parse_printed(const printed *out)
{
    const char *p = out->text + (out->text[0] == '-');
    decimal value = {0, 0, 0};
    bool point = false;
    for (; *p != '\0' && *p != 'E'; p++) {
        if (*p == '.') {
            EXPECT(!point && p[1] >= '0' && p[1] <= '9', "%s", out->text);
            point = true;
            continue;
        }
        EXPECT(*p >= '0' && *p <= '9', "%s", out->text);
        value.digits = value.digits * 10 + (uint64_t)(*p - '0');
        value.exponent -= point;
    }
    EXPECT(point || *p == 'E', "%s: neither point nor exponent", out->text);
    if (*p == 'E') {
        EXPECT((p[1] == '+' || p[1] == '-') && p[2] >= '1' && p[2] <= '9', "%s", out->text);
        value.exponent += atoi(p + 1);
    }
    while (value.digits != 0 && value.digits % 10 == 0) {
        value.digits /= 10;
        value.exponent++;
    }
    for (uint64_t rest = value.digits; rest != 0; rest /= 10) value.count++;
    return value;
}

static bool reads_back(uint64_t digits, int exponent, double magnitude)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exponent);
    return strtod(text, NULL) == magnitude;
}

/* The first `count` digits of a positive double, cut off. */
static decimal cut(double magnitude, int count)
{
    char text[64];
    snprintf(text, sizeof text, "%.45e",
             magnitude); /* no double is so near to one with fewer digits that this rounds up */
    decimal value = {(uint64_t)(text[0] - '0'), atoi(strchr(text, 'e') + 1) - (count - 1), count};
    for (int i = 1; i < count; i++)
        value.digits = value.digits * 10 + (uint64_t)(text[1 + i] - '0');
    return value;
}

static uint64_t rounded(double magnitude, int count)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", count - 1, magnitude);
    uint64_t digits = 0;
    for (const char *p = text; *p != 'e'; p++) {
        if (*p != '.') digits = digits * 10 + (uint64_t)(*p - '0');
    }
    return digits;
}

/* Fails unless the text of a double reads back, no shorter one does, and no other of its length that does is nearer. */
static void check_shortest(double value)
{
    const printed out = print_double(value);
    EXPECT(bits_of_double(strtod(out.text, NULL)) == bits_of_double(value), "%s for %a", out.text,
           value);
    const double magnitude = fabs(value);
    const decimal got = parse_printed(&out);
    if (magnitude == 0) return;

    if (got.count > 1) {
        const decimal shorter = cut(magnitude, got.count - 1);
        EXPECT(!reads_back(shorter.digits, shorter.exponent, magnitude), "%s is too long",
               out.text);
        EXPECT(!reads_back(shorter.digits + 1, shorter.exponent, magnitude), "%s is too long",
               out.text);
    }
    const decimal below = cut(magnitude, got.count);
    const bool below_does = reads_back(below.digits, below.exponent, magnitude);
    const bool above_does = reads_back(below.digits + 1, below.exponent, magnitude);
    uint64_t best = below_does ? below.digits : below.digits + 1;
    if (below_does && above_does) {
        best = rounded(magnitude, got.count);
        if (best < below.digits) best *= 10; /* 9.99 became 1.00 */
    }
    while (best % 10 == 0) best /= 10;
    EXPECT(got.digits == best, "%s, but the nearest has the digits %" PRIu64, out.text, best);
}

START_TEST(doubles_around_every_power_of_two_are_shortest)
{
    for (int exponent = -1074; exponent <= 1023; exponent++) {
        const double power = ldexp(1.0, exponent);
        check_shortest(power);
        check_shortest(nextafter(power, 0));
        if (exponent < 1023) check_shortest(nextafter(power, DBL_MAX));
        check_shortest(power * 1.5);
    }
}
END_TEST

START_TEST(doubles_around_every_power_of_ten_are_shortest)
{
    for (int exponent = -323; exponent <= 308; exponent++) {
        for (int digit = 1; digit <= 9; digit++) {
            char text[32];
            snprintf(text, sizeof text, "%de%d", digit, exponent);
            const double power = strtod(text, NULL);
            if (isinf(power)) continue;
            check_shortest(power);
            if (digit != 1) continue;
            check_shortest(nextafter(power, 0));
            check_shortest(nextafter(power, DBL_MAX));
        }
    }
}
END_TEST

/* Integers of 53 to 70 bits, where the ends of the interval are integers too, and ties are met. */
START_TEST(large_integral_doubles_are_shortest)
{
    test_random random = {53};
    for (int i = 0; i < RANDOM_ROUNDS(200000); i++) {
        const double c = (double)(random_u64(&random) >> 11);
        check_shortest(ldexp(c, (int)(random_u64(&random) % 18)));
    }
}
END_TEST

START_TEST(random_doubles_are_shortest)
{
    test_random random = {1};
    for (int i = 0; i < RANDOM_ROUNDS(300000); i++) {
        const double value = double_from_bits(random_u64(&random));
        if (isfinite(value)) check_shortest(value);
    }
}
END_TEST

START_TEST(short_decimals_print_as_they_were_written)
{
    test_random random = {2};
    for (int i = 0; i < RANDOM_ROUNDS(500000); i++) {
        char text[64];
        const int decimals = 1 + (int)(random_u64(&random) % 6);
        const uint64_t fraction = random_u64(&random) % 1000000;
        const int len = snprintf(text, sizeof text, "%" PRIu64 ".%06" PRIu64,
                                 random_u64(&random) % 1000000, fraction);
        size_t end = (size_t)len - 6 + (size_t)decimals;
        while (text[end - 1] == '0' && text[end - 2] != '.') end--;
        text[end] = '\0';
        const double value = strtod(text, NULL);
        if (value != 0 && value < 0.0001) continue;
        const printed out = print_double(value);
        EXPECT(strcmp(out.text, text) == 0, "%s: printed as %s", text, out.text);
    }
}
END_TEST

/* Decimals of up to nine digits behind the point, around the edge of those that have a short way; and doubles beside them. */
START_TEST(doubles_beside_short_decimals_are_shortest)
{
    static const double units[] = {1e4, 1e7, 1e8, 1e9, 0x1p20, 0x1p27, 0x1p30};
    test_random random = {6};
    for (int i = 0; i < RANDOM_ROUNDS(300000); i++) {
        const uint64_t digits = random_of_any_size(&random) >> 11;
        double value = (double)digits / units[i % 7];
        if (value == 0) continue;
        check_shortest(value);
        for (int step = 0; step < i % 4; step++) value = nextafter(value, i % 2 == 0 ? 0 : DBL_MAX);
        check_shortest(value);
    }
}
END_TEST

START_TEST(random_doubles_come_back_as_the_same_bits)
{
    test_random random = {3};
    for (int i = 0; i < RANDOM_ROUNDS(3000000); i++) {
        const double value = double_from_bits(random_u64(&random));
        if (!isfinite(value)) continue;
        const printed out = print_double(value);
        double back = 0;
        const bsn_str text = {out.text, out.len};
        EXPECT(bsni_double_from_text(text, &back) == BSN_OK, "%s", out.text);
        EXPECT(bits_of_double(back) == bits_of_double(value), "%s for %a, read as %a", out.text,
               value, back);
    }
}
END_TEST

START_TEST(subnormal_doubles_come_back_as_the_same_bits)
{
    test_random random = {4};
    for (int i = 0; i < RANDOM_ROUNDS(500000); i++) {
        const double value = double_from_bits(random_of_any_size(&random) >> 12);
        const printed out = print_double(value);
        double back = 0;
        const bsn_str text = {out.text, out.len};
        EXPECT(bsni_double_from_text(text, &back) == BSN_OK, "%s", out.text);
        EXPECT(bits_of_double(back) == bits_of_double(value), "%s for %a, read as %a", out.text,
               value, back);
    }
}
END_TEST

static void check_int64(int64_t value)
{
    char expected[32];
    char text[BSNI_INTEGER_TEXT_MAX + GUARD];
    snprintf(expected, sizeof expected, "%" PRId64, value);
    memset(text, 0xA5, sizeof text);
    const size_t len = bsni_int64_to_text(value, text);
    EXPECT(is_untouched(text + BSNI_INTEGER_TEXT_MAX), "%s: stored past the room", expected);
    text[len] = '\0';
    EXPECT(strcmp(text, expected) == 0, "%s: printed as %s", expected, text);
    text[plain_int64_to_text(value, text)] = '\0';
    EXPECT(strcmp(text, expected) == 0, "%s: printed as %s", expected, text);
}

static void check_uint64(uint64_t value)
{
    char expected[32];
    char text[BSNI_INTEGER_TEXT_MAX + GUARD];
    snprintf(expected, sizeof expected, "%" PRIu64, value);
    memset(text, 0xA5, sizeof text);
    const size_t len = bsni_uint64_to_text(value, text);
    EXPECT(is_untouched(text + BSNI_INTEGER_TEXT_MAX), "%s: stored past the room", expected);
    text[len] = '\0';
    EXPECT(strcmp(text, expected) == 0, "%s: printed as %s", expected, text);
    text[plain_uint64_to_text(value, text)] = '\0';
    EXPECT(strcmp(text, expected) == 0, "%s: printed as %s", expected, text);
}

START_TEST(integers_around_every_power_of_ten_print_all_their_digits)
{
    uint64_t power = 1;
    for (int i = 0; i < 20; i++) {
        for (uint64_t near = power - 2; near != power + 3; near++) {
            check_uint64(near);
            int64_t value;
            memcpy(&value, &near, sizeof value);
            check_int64(value);
            if (value != INT64_MIN) check_int64(-value);
        }
        power *= 10;
    }
    check_int64(INT64_MIN);
    check_int64(INT64_MAX);
    check_int64(INT32_MIN);
    check_int64(INT32_MAX);
    check_uint64(UINT64_MAX);
    check_uint64(UINT32_MAX);
}
END_TEST

START_TEST(small_and_random_integers_print_all_their_digits)
{
    for (int64_t value = -10100; value <= 10100; value++) check_int64(value);
    test_random random = {5};
    for (int i = 0; i < RANDOM_ROUNDS(1000000); i++) {
        const uint64_t bits = random_of_any_size(&random);
        int64_t value;
        memcpy(&value, &bits, sizeof value);
        check_int64(value);
        check_uint64(bits);
    }
}
END_TEST

Suite *number_print_suite(void)
{
    Suite *suite = suite_create("number_print");
    TCase *tests = tcase_create("number_print");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, doubles_of_the_table_print_as_it_says);
    tcase_add_test(tests, doubles_around_every_power_of_two_are_shortest);
    tcase_add_test(tests, doubles_around_every_power_of_ten_are_shortest);
    tcase_add_test(tests, large_integral_doubles_are_shortest);
    tcase_add_test(tests, random_doubles_are_shortest);
    tcase_add_test(tests, short_decimals_print_as_they_were_written);
    tcase_add_test(tests, doubles_beside_short_decimals_are_shortest);
    tcase_add_test(tests, random_doubles_come_back_as_the_same_bits);
    tcase_add_test(tests, subnormal_doubles_come_back_as_the_same_bits);
    tcase_add_test(tests, integers_around_every_power_of_ten_print_all_their_digits);
    tcase_add_test(tests, small_and_random_integers_print_all_their_digits);
    suite_add_tcase(suite, tests);
    return suite;
}
