/* SPDX-License-Identifier: Apache-2.0
 *
 * test_number_read.c -- text as integers and doubles. Judges are tables, and libc's strtod in the C locale.
 */
#include "suites.h"

#include "support/expect.h"
#include "support/guard_page.h"
#include "support/number_check.h"
#include "support/random.h"
#include "json/number.h"

#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct read_row {
    const char *text;
    double value;
} read_row;

static const read_row read_rows[] = {
    {"0.0", 0.0},
    {"-0.0", -0.0},
    {"-0", -0.0},
    {"0e0", 0.0},
    {"0E+999999999999999999999", 0.0},
    {"-0.000e-5", -0.0},
    {"1.0", 1.0},
    {"1e0", 1.0},
    {"1E+00", 1.0},
    {"1e-00", 1.0},
    {"0.1", 0.1},
    {"0.30000000000000004", 0x1.3333333333334p-2},
    {"1.7976931348623157e308", DBL_MAX},
    {"1.7976931348623157E+308", DBL_MAX},
    {"5e-324", 0x1p-1074},
    {"4.9406564584124654e-324", 0x1p-1074},
    {"2.2250738585072014e-308", DBL_MIN},
    /* read as a subnormal, or for ever, by careless methods */
    {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
    {"2.2250738585072012e-308", DBL_MIN},
    {"2."
     "225073858507201136057409796709131975934819546351645648023426109724822222021076945516529523908"
     "135087914149158913"
     "039621106870086438694594645527657207407820621743379988141063267329253552286881372149012981122"
     "45145188984905722230"
     "728525513315575501591439747639798341180199932396254828901710708185069063066665599493827577257"
     "2015763062690663332"
     "647565300009245888316433037779791869612049497390377829704905051080609940730262937128958950003"
     "583799967207254304360"
     "284078895771796150945516748243471030702609144621572289880258182545180325707018860872113128079"
     "512233426288368622321"
     "503775666622503982534335974568884423900265498198385487948292206894721689831099698365846814022"
     "854243330660339850886"
     "445804001034933970427567186443383770486037861622771738545623065874679014086723327636718749999"
     "999999999999999999999"
     "999999999999999999999999999999999999999999999e-308",
     0x0.fffffffffffffp-1022},
    /* halves between integers at 2^53 */
    {"9007199254740991.0", 9007199254740991.0},
    {"9007199254740991.5", 9007199254740992.0},
    {"9007199254740992.0", 9007199254740992.0},
    {"9007199254740993.0", 9007199254740992.0},
    {"9007199254740993e0", 9007199254740992.0},
    {"9007199254740993.00000000000000000000000000000000000000000000000000001", 9007199254740994.0},
    {"9007199254740992.99999999999999999999999999999999999999999999999999999", 9007199254740992.0},
    {"9007199254740995.0", 9007199254740996.0},
    {"9007199254740994.9999999999999999999999999", 9007199254740994.0},
    {"4503599627370497.5", 4503599627370498.0},
    {"4503599627370496.5", 4503599627370496.0},
    {"4503599627370497.49999999999999999999", 4503599627370497.0},
    /* the largest, and half a unit above it */
    {"179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977"
     "587207096330286416692"
     "887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270"
     "069855571366959622842"
     "914819860834936475292719074168444365510704342711559699508093042880177904174497792.0",
     HUGE_VAL},
    {"179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977"
     "587207096330286416692"
     "887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270"
     "069855571366959622842"
     "914819860834936475292719074168444365510704342711559699508093042880177904174497791.999",
     DBL_MAX},
    {"1e309", HUGE_VAL},
    {"-1e309", -HUGE_VAL},
    {"1.8e308", HUGE_VAL},
    {"123456789012345678901234567890e300", HUGE_VAL},
    {"1e99999999999999999999999999999", HUGE_VAL},
    {"1e-99999999999999999999999999999", 0.0},
    {"-1e-400", -0.0},
    /* half of the smallest, a little more, a little less */
    {"2.4703282292062327208e-324", 0.0},
    {"2.4703282292062327209e-324", 0x1p-1074},
    {"2.47e-324", 0.0},
    {"2.48e-324", 0x1p-1074},
    {"7."
     "410984687618698162648531893023320585475897039214871466383785237510132609053131277979497545424"
     "5398856969484704316"
     "857659638998506553390969459816219401617281718945106978546710679176872575177347315553307795408"
     "549809608457500958111"
     "373034747658096871009590975442271004757307809711118935784838675653998783503015228055934046593"
     "739791790738723868299"
     "395818481660169122019456499931289798411362062484498678713572180352209017023903285791732520220"
     "528974020802906854021"
     "606612375549983402671300035812486479041385743401875520901590172592547146296175134159774938718"
     "574737870961645638908"
     "718119841271673056017045493004705269590165763776884908267986972573366521765567941072508764337"
     "560846003984904972149"
     "117463085539556354188641513168478436313080237596295773983001708984375e-324",
     0x1p-1073},
    /* 20 digits and more */
    {"18446744073709551615.0", 18446744073709551615.0},
    {"18446744073709551616.0", 18446744073709551616.0},
    {"18446744073709549568.0", 0x1.fffffffffffffp63},
    {"18446744073709550591.0", 0x1.fffffffffffffp63},
    {"18446744073709550592.0", 0x1p64},
    {"18446744073709550592.00000000000000000000000000000", 0x1p64},
    {"18446744073709550591.99999999999999999999999999999", 0x1.fffffffffffffp63},
    {"100000000000000000000.0", 1e20},
    {"99999999999999999999999.0", 1e23},
    {"0.000000000000000000000000000000000000000000000000000000000000000000001", 1e-69},
    {"0."
     "000000000000000000000000000000000000000000000000000000000000000000001234567890123456789012345"
     "67890",
     1.2345678901234568e-69},
    {"123456789012345678901234567890123456789012345678901234567890e-59", 1.2345678901234567},
    /* digits by words: every number of them around 8 and 16 */
    {"0.1234567", 0.1234567},
    {"0.12345678", 0.12345678},
    {"0.123456789", 0.123456789},
    {"0.123456789012345", 0.123456789012345},
    {"0.1234567890123456", 0.1234567890123456},
    {"0.12345678901234567", 0.12345678901234567},
    {"12345678.12345678", 12345678.12345678},
    {"123456789.123456789", 123456789.123456789},
    /* at both ends of what one multiplication or division does exactly */
    {"9007199254740992e22", 9007199254740992e22},
    {"9007199254740993e22", 9007199254740993e22},
    {"9007199254740992e-22", 9007199254740992e-22},
    {"1e22", 1e22},
    {"1e23", 1e23},
    {"1e-22", 1e-22},
    {"1e-23", 1e-23},
};

START_TEST(doubles_of_the_table_read_as_it_says)
{
    for (size_t i = 0; i < sizeof read_rows / sizeof read_rows[0]; i++) {
        check_reads(bsn_str_from(read_rows[i].text), read_rows[i].value);
    }
}
END_TEST

static void check_like_strtod(const char *text)
{
    check_reads(bsn_str_from(text), strtod(text, NULL));
}

START_TEST(every_power_of_ten_reads_as_strtod_has_it)
{
    char text[64];
    for (int exponent = -345; exponent <= 312; exponent++) {
        for (int digit = 1; digit <= 9; digit++) {
            snprintf(text, sizeof text, "%de%d", digit, exponent);
            check_like_strtod(text);
            snprintf(text, sizeof text, "%d.999999999999999999999e%d", digit, exponent);
            check_like_strtod(text);
        }
    }
}
END_TEST

START_TEST(every_power_of_two_reads_back)
{
    char text[1200];
    for (int exponent = -1074; exponent <= 1023; exponent++) {
        const double power = ldexp(1.0, exponent);
        for (int digits = 16; digits <= 24; digits++) {
            snprintf(text, sizeof text, "%.*e", digits, power);
            check_reads(bsn_str_from(text), power);
        }
        snprintf(text, sizeof text, "%.1080f", power); /* exact */
        check_reads(bsn_str_from(text), power);
    }
}
END_TEST

/* A text of a random kind: digits of a random double to random precision, or random digits with a point and an exponent. */
static void random_text(test_random *random, char *text, size_t size)
{
    const uint64_t a = random_of_any_size(random);
    const uint64_t b = random_of_any_size(random);
    const int precision = (int)(random_u64(random) % 30);
    const double value =
        double_from_bits(random_u64(random) & ~((uint64_t)1 << 62)); /* below 2, so finite */
    switch (random_u64(random) % 6) {
    case 0: snprintf(text, size, "%.*e", precision, value); break;
    case 1: snprintf(text, size, "%" PRIu64 "e%d", a, (int)(random_u64(random) % 700) - 360); break;
    case 2: snprintf(text, size, "%" PRIu64 ".%" PRIu64, a, b); break;
    case 3:
        snprintf(text, size, "-%" PRIu64 ".%019" PRIu64 "E+%d", a, b % 10000000000000000000u,
                 precision);
        break;
    case 4: snprintf(text, size, "%.*f", precision, (double)a / 1048576.0); break;
    default:
        snprintf(text, size, "0.%0*d%" PRIu64 "e-%d", precision + 1, 0, a, precision * 10);
        break;
    }
}

START_TEST(random_texts_read_as_strtod_has_them)
{
    test_random random = {8};
    char text[128];
    for (int i = 0; i < RANDOM_ROUNDS(3000000); i++) {
        random_text(&random, text, sizeof text);
        check_like_strtod(text);
    }
}
END_TEST

START_TEST(the_direction_in_which_the_machine_rounds_does_not_matter)
{
    static const int directions[] = {
        FE_TONEAREST,
#ifdef FE_UPWARD
        FE_UPWARD,
#endif
#ifdef FE_DOWNWARD
        FE_DOWNWARD,
#endif
#ifdef FE_TOWARDZERO
        FE_TOWARDZERO,
#endif
    };
    for (size_t i = 0; i < sizeof directions / sizeof directions[0]; i++) {
        uint64_t bits[3];
        double value = 0;
        size_t len = 0;
        char text[BSNI_DOUBLE_TEXT_MAX];
        ck_assert_int_eq(fesetround(directions[i]), 0);
        const bool read = bsni_double_from_text(BSN_STR("0.1"), &value) == BSN_OK;
        bits[0] = bits_of_double(value);
        len = bsni_double_to_text(value, text);
        const bool read2 = bsni_double_from_text(BSN_STR("-3.3e5"), &value) == BSN_OK;
        bits[1] = bits_of_double(value);
        const bool read3 = bsni_double_from_text(BSN_STR("7e-5"), &value) == BSN_OK;
        bits[2] = bits_of_double(value);
        fesetround(FE_TONEAREST);
        ck_assert(read && read2 && read3);
        ck_assert_uint_eq(bits[0], bits_of_double(0.1));
        ck_assert_uint_eq(bits[1], bits_of_double(-3.3e5));
        ck_assert_uint_eq(bits[2], bits_of_double(7e-5));
        ck_assert_uint_eq(len, 3);
        ck_assert_mem_eq(text, "0.1", 3);
    }
}
END_TEST

typedef struct kind_row {
    const char *text;
    bsni_number_kind kind;
    int64_t integer;
    double real;
} kind_row;

static const kind_row kind_rows[] = {
    {"0", BSNI_NUMBER_INT32, 0, 0},
    {"-0", BSNI_NUMBER_INT32, 0, 0},
    {"5", BSNI_NUMBER_INT32, 5, 0},
    {"-5", BSNI_NUMBER_INT32, -5, 0},
    {"12345678", BSNI_NUMBER_INT32, 12345678, 0},
    {"2147483647", BSNI_NUMBER_INT32, INT32_MAX, 0},
    {"2147483648", BSNI_NUMBER_INT64, 2147483648, 0},
    {"-2147483648", BSNI_NUMBER_INT32, INT32_MIN, 0},
    {"-2147483649", BSNI_NUMBER_INT64, -2147483649, 0},
    {"1356351330501", BSNI_NUMBER_INT64, 1356351330501, 0},
    {"9223372036854775807", BSNI_NUMBER_INT64, INT64_MAX, 0},
    {"9223372036854775808", BSNI_NUMBER_BEYOND, 0, 9223372036854775808.0},
    {"-9223372036854775808", BSNI_NUMBER_INT64, INT64_MIN, 0},
    {"-9223372036854775809", BSNI_NUMBER_BEYOND, 0, -9223372036854775808.0},
    {"9999999999999999999", BSNI_NUMBER_BEYOND, 0, 1e19},
    {"18446744073709551615", BSNI_NUMBER_BEYOND, 0, 18446744073709551616.0},
    {"18446744073709551616", BSNI_NUMBER_BEYOND, 0, 18446744073709551616.0},
    {"18446744073709551617", BSNI_NUMBER_BEYOND, 0, 18446744073709551616.0},
    {"36893488147419103233", BSNI_NUMBER_BEYOND, 0, 36893488147419103232.0}, /* 1 modulo 2^64 */
    {"1.0", BSNI_NUMBER_DOUBLE, 0, 1.0},
    {"-0.0", BSNI_NUMBER_DOUBLE, 0, -0.0},
    {"1e2", BSNI_NUMBER_DOUBLE, 0, 100.0},
    {"0e1", BSNI_NUMBER_DOUBLE, 0, 0.0},
    {"2147483648.0", BSNI_NUMBER_DOUBLE, 0, 2147483648.0},
};

START_TEST(numbers_have_the_kind_that_the_table_says)
{
    static const char *const tails[] = {"",  ",", "}", "]", " ",    "\n",   "x",
                                        "-", "+", "/", ":", "\x80", "\xFF", ", 123456789"};
    for (size_t i = 0; i < sizeof kind_rows / sizeof kind_rows[0]; i++) {
        const kind_row *row = &kind_rows[i];
        for (size_t j = 0; j < sizeof tails / sizeof tails[0]; j++) {
            char text[64];
            snprintf(text, sizeof text, "%s%s", row->text, tails[j]);
            bsni_number number;
            ck_assert_int_eq(bsni_number_take(bsn_str_from(text), &number), BSN_OK);
            EXPECT(number.kind == row->kind, "%s: kind %d", text, (int)number.kind);
            EXPECT(number.len == strlen(row->text), "%s: length %zu", text, number.len);
            if (row->kind == BSNI_NUMBER_INT32 || row->kind == BSNI_NUMBER_INT64) {
                ck_assert_int_eq(number.integer, row->integer);
            } else {
                ck_assert(bits_of_double(number.real) == bits_of_double(row->real));
            }
        }
    }
}
END_TEST

START_TEST(a_number_ends_before_what_cannot_belong_to_it)
{
    static const struct {
        const char *text;
        size_t len;
    } rows[] = {{"01", 1},
                {"00", 1},
                {"-01", 2},
                {"0x10", 1},
                {"1.5.5", 3},
                {"1e5.5", 3},
                {"1e5e5", 3},
                {"1 000", 1},
                {"1,5", 1},
                {"1.0f", 3},
                {"12e3+4", 4},
                {"1\0002", 1},
                {"123456789012345678901234567890x", 30},
                {"0.5-", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bsni_number number;
        ck_assert_int_eq(bsni_number_take(bsn_str_from(rows[i].text), &number), BSN_OK);
        EXPECT(number.len == rows[i].len, "%s: length %zu", rows[i].text, number.len);
    }
}
END_TEST

typedef struct wrong_row {
    const char *text;
    size_t offset; /* of the byte that is wrong or missing */
} wrong_row;

static const wrong_row wrong_rows[] = {
    {"", 0},    {"-", 1},   {"+", 0},    {"+1", 0},       {".", 0},         {".5", 0},
    {"-.5", 1}, {"1.", 2},  {"-1.", 3},  {"1.e5", 2},     {"1e", 2},        {"1e+", 3},
    {"1e-", 3}, {"1E", 2},  {"1ex", 2},  {"1e+-5", 3},    {"--1", 1},       {"-+1", 1},
    {"e5", 0},  {" 1", 0},  {"\t1", 0},  {"x", 0},        {"NaN", 0},       {"Infinity", 0},
    {"nan", 0}, {"inf", 0}, {"-inf", 1}, {"\xD9\xA1", 0}, /* a digit, but not of ASCII */
    {"1.x", 2}, {"-x", 1},  {"0.", 2},   {"0e", 2},       {"12345678.", 9}, {"123456789e", 10},
};

START_TEST(what_is_no_number_is_refused_where_it_goes_wrong)
{
    for (size_t i = 0; i < sizeof wrong_rows / sizeof wrong_rows[0]; i++) {
        const wrong_row *row = &wrong_rows[i];
        bsni_number number;
        EXPECT(bsni_number_take(bsn_str_from(row->text), &number) == BSN_E_SYNTAX, "%s", row->text);
        EXPECT(number.len == row->offset, "%s: offset %zu", row->text, number.len);
    }
    bsni_number number;
    const bsn_str nothing = {NULL, 0};
    ck_assert_int_eq(bsni_number_take(nothing, &number), BSN_E_SYNTAX);
    ck_assert_uint_eq(number.len, 0);
}
END_TEST

START_TEST(a_double_must_be_the_whole_text)
{
    static const char *const wrong[] = {
        "",     " 1",  "1 ",   "1.5x", "+1",   "1.",        ".5",       "0x1p3",     "1,5",
        "1e",   "nan", "NAN",  "-NaN", "NaN ", "infinity",  "Inf",      "+Infinity", "Infinit",
        "1e5 ", "01",  "1..5", "--1",  "1_0",  "Infinity ", "-Infinit", "-",         "NaNs"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double value = 7;
        EXPECT(bsni_double_from_text(bsn_str_from(wrong[i]), &value) == BSN_E_SYNTAX, "%s",
               wrong[i]);
        ck_assert(value == 7);
    }
    double value = 7;
    ck_assert_int_eq(bsni_double_from_text(BSN_STR("1\0"), &value), BSN_E_SYNTAX);
    ck_assert_int_eq(bsni_double_from_text((bsn_str){NULL, 0}, &value), BSN_E_SYNTAX);
    ck_assert_int_eq(bsni_double_from_text(BSN_STR("1e999"), &value), BSN_E_RANGE);
    ck_assert(value == 7);
}
END_TEST

START_TEST(names_of_doubles_are_read_as_written)
{
    double value = 0;
    ck_assert_int_eq(bsni_double_from_text(BSN_STR("Infinity"), &value), BSN_OK);
    ck_assert(isinf(value) && value > 0);
    ck_assert_int_eq(bsni_double_from_text(BSN_STR("-Infinity"), &value), BSN_OK);
    ck_assert(isinf(value) && value < 0);
    ck_assert_int_eq(bsni_double_from_text(BSN_STR("NaN"), &value), BSN_OK);
    ck_assert_uint_eq(bits_of_double(value), 0x7FF8000000000000u);
}
END_TEST

typedef struct integer_row {
    const char *text;
    bsn_status int32_status;
    bsn_status int64_status;
    int64_t value;
} integer_row;

static const integer_row integer_rows[] = {
    {"0", BSN_OK, BSN_OK, 0},
    {"-0", BSN_OK, BSN_OK, 0},
    {"42", BSN_OK, BSN_OK, 42},
    {"-2147483648", BSN_OK, BSN_OK, INT32_MIN},
    {"2147483647", BSN_OK, BSN_OK, INT32_MAX},
    {"2147483648", BSN_E_RANGE, BSN_OK, 2147483648},
    {"-2147483649", BSN_E_RANGE, BSN_OK, -2147483649},
    {"4294967296", BSN_E_RANGE, BSN_OK, 4294967296},
    {"9223372036854775807", BSN_E_RANGE, BSN_OK, INT64_MAX},
    {"-9223372036854775808", BSN_E_RANGE, BSN_OK, INT64_MIN},
    {"9223372036854775808", BSN_E_RANGE, BSN_E_RANGE, 0},
    {"-9223372036854775809", BSN_E_RANGE, BSN_E_RANGE, 0},
    {"18446744073709551616", BSN_E_RANGE, BSN_E_RANGE, 0},
    {"36893488147419103233", BSN_E_RANGE, BSN_E_RANGE, 0},
    {"", BSN_E_SYNTAX, BSN_E_SYNTAX, 0},
    {"-", BSN_E_SYNTAX, BSN_E_SYNTAX, 0},
    {"+1", BSN_E_SYNTAX, BSN_E_SYNTAX, 0},
    {"01", BSN_E_SYNTAX, BSN_E_SYNTAX, 0},
    {" 1", BSN_E_SYNTAX, BSN_E_SYNTAX, 0},
    {"1 ", BSN_E_SYNTAX, BSN_E_SYNTAX, 0},
    {"1.0", BSN_E_SYNTAX, BSN_E_SYNTAX, 0},
    {"1e0", BSN_E_SYNTAX, BSN_E_SYNTAX, 0},
    {"1x", BSN_E_SYNTAX, BSN_E_SYNTAX, 0},
    {"0x1", BSN_E_SYNTAX, BSN_E_SYNTAX, 0},
    {"99999999999999999999999999x", BSN_E_SYNTAX, BSN_E_SYNTAX, 0},
};

START_TEST(integers_are_the_whole_text_and_fit)
{
    for (size_t i = 0; i < sizeof integer_rows / sizeof integer_rows[0]; i++) {
        const integer_row *row = &integer_rows[i];
        int32_t narrow = 7;
        int64_t wide = 7;
        EXPECT(bsni_int32_from_text(bsn_str_from(row->text), &narrow) == row->int32_status, "%s",
               row->text);
        EXPECT(bsni_int64_from_text(bsn_str_from(row->text), &wide) == row->int64_status, "%s",
               row->text);
        ck_assert_int_eq(narrow, row->int32_status == BSN_OK ? row->value : 7);
        ck_assert_int_eq(wide, row->int64_status == BSN_OK ? row->value : 7);
        ck_assert_int_eq(plain_int32_from_text(bsn_str_from(row->text), &narrow),
                         row->int32_status);
        ck_assert_int_eq(plain_int64_from_text(bsn_str_from(row->text), &wide), row->int64_status);
    }
}
END_TEST

START_TEST(random_integers_come_back)
{
    test_random random = {9};
    for (int i = 0; i < RANDOM_ROUNDS(1000000); i++) {
        const uint64_t bits = random_of_any_size(&random);
        int64_t value, back = 0;
        memcpy(&value, &bits, sizeof value);
        char text[32];
        bsn_str span = {text, (size_t)snprintf(text, sizeof text, "%" PRId64, value)};
        EXPECT(bsni_int64_from_text(span, &back) == BSN_OK && back == value, "%s", text);
        bsni_number number;
        const bsni_number_kind kind =
            value == (int32_t)value ? BSNI_NUMBER_INT32 : BSNI_NUMBER_INT64;
        EXPECT(bsni_number_take(span, &number) == BSN_OK && number.integer == value &&
                   number.kind == kind,
               "%s", text);
    }
}
END_TEST

/* Every beginning of every text of the tables, at the edge of what may be read. */
START_TEST(nothing_is_read_past_the_end)
{
    guard_area area;
    guard_open(&area, 4096);
    for (size_t i = 0; i < sizeof read_rows / sizeof read_rows[0]; i++) {
        const size_t full = strlen(read_rows[i].text);
        for (size_t len = 0; len <= full; len++) {
            const char *at_end = (const char *)guard_at_end(&area, read_rows[i].text, len);
            bsni_number number;
            const bsn_str text = {at_end, len};
            const bsn_status status = bsni_number_take(text, &number);
            EXPECT(number.len <= len, "%s: length %zu of %zu", read_rows[i].text, number.len, len);
            double value = 0;
            const bsn_status whole = bsni_double_from_text(text, &value);
            EXPECT(number.len != len || whole == status, "%s: at %zu", read_rows[i].text, len);
        }
    }
    guard_close(&area);
}
END_TEST

Suite *number_read_suite(void)
{
    Suite *suite = suite_create("number_read");
    TCase *tests = tcase_create("number_read");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, doubles_of_the_table_read_as_it_says);
    tcase_add_test(tests, every_power_of_ten_reads_as_strtod_has_it);
    tcase_add_test(tests, every_power_of_two_reads_back);
    tcase_add_test(tests, random_texts_read_as_strtod_has_them);
    tcase_add_test(tests, the_direction_in_which_the_machine_rounds_does_not_matter);
    tcase_add_test(tests, numbers_have_the_kind_that_the_table_says);
    tcase_add_test(tests, a_number_ends_before_what_cannot_belong_to_it);
    tcase_add_test(tests, what_is_no_number_is_refused_where_it_goes_wrong);
    tcase_add_test(tests, a_double_must_be_the_whole_text);
    tcase_add_test(tests, names_of_doubles_are_read_as_written);
    tcase_add_test(tests, integers_are_the_whole_text_and_fit);
    tcase_add_test(tests, random_integers_come_back);
    tcase_add_test(tests, nothing_is_read_past_the_end);
    suite_add_tcase(suite, tests);
    return suite;
}
