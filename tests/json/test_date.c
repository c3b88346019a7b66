/* SPDX-License-Identifier: Apache-2.0
 *
 * test_date.c -- dates as ISO 8601 text and back. The judge is a calendar that goes day by day.
 */
#include "suites.h"

#include "support/expect.h"
#include "support/guard_page.h"
#include "support/random.h"
#include "json/date.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MS_PER_DAY 86400000
#define GUARD 8

/* A day of the Gregorian calendar. */
typedef struct day {
    int year, month, day;
} day;

static int month_length(int year, int month)
{
    switch (month) {
    case 2: return year % 400 == 0 ? 29 : year % 100 == 0 ? 28 : year % 4 == 0 ? 29 : 28;
    case 4:
    case 6:
    case 9:
    case 11: return 30;
    default: return 31;
    }
}

static day next_day(day d)
{
    if (++d.day <= month_length(d.year, d.month)) return d;
    d.day = 1;
    if (++d.month <= 12) return d;
    d.month = 1;
    d.year++;
    return d;
}

static bsn_status read_date(const char *text, unsigned flags, int64_t *ms)
{
    return bsni_date_from_text(bsn_str_from(text), flags, ms);
}

/* Fails unless the date prints as `expected`, with nothing stored behind the stated room. */
static void check_prints(int64_t ms, const char *expected)
{
    char text[BSNI_DATE_TEXT_MAX + GUARD];
    memset(text, 0xA5, sizeof text);
    const size_t len = bsni_date_to_text(ms, text);
    EXPECT(len == strlen(expected) && memcmp(text, expected, len) == 0, "%" PRId64 ": %.*s, not %s",
           ms, (int)len, text, expected);
    for (size_t i = BSNI_DATE_TEXT_MAX; i < sizeof text; i++)
        EXPECT((uint8_t)text[i] == 0xA5, "stored past the room");
}

static void check_both_ways(int64_t ms, const char *text)
{
    int64_t read = -7;
    check_prints(ms, text);
    EXPECT(read_date(text, BSNI_DATE_STRICT, &read) == BSN_OK && read == ms, "%s: read as %" PRId64,
           text, read);
}

START_TEST(dates_of_the_table_print_and_read)
{
    static const struct {
        int64_t ms;
        const char *text;
    } rows[] = {
        {0, "1970-01-01T00:00:00Z"},
        {1, "1970-01-01T00:00:00.001Z"},
        {999, "1970-01-01T00:00:00.999Z"},
        {1000, "1970-01-01T00:00:01Z"},
        {86399999, "1970-01-01T23:59:59.999Z"},
        {951782399999, "2000-02-28T23:59:59.999Z"},
        {951782400000, "2000-02-29T00:00:00Z"},
        {951868800000, "2000-03-01T00:00:00Z"},
        {1356351330501, "2012-12-24T12:15:30.501Z"},
        {1356351330001, "2012-12-24T12:15:30.001Z"},
        {1356351330010, "2012-12-24T12:15:30.010Z"},
        {1356351330100, "2012-12-24T12:15:30.100Z"},
        {1356351330000, "2012-12-24T12:15:30Z"},
        {2147483647000, "2038-01-19T03:14:07Z"},
        {4107542399000, "2100-02-28T23:59:59Z"},
        {4107542400000, "2100-03-01T00:00:00Z"},
        {253402300799999, "9999-12-31T23:59:59.999Z"},
        {253402300799000, "9999-12-31T23:59:59Z"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_both_ways(rows[i].ms, rows[i].text);
}
END_TEST

START_TEST(only_the_years_1970_to_9999_have_a_text)
{
    ck_assert(bsni_date_has_text(0));
    ck_assert(bsni_date_has_text(253402300799999));
    ck_assert(!bsni_date_has_text(253402300800000));
    ck_assert(!bsni_date_has_text(-1));
    ck_assert(!bsni_date_has_text(INT64_MIN));
    ck_assert(!bsni_date_has_text(INT64_MAX));
}
END_TEST

START_TEST(every_day_from_1970_to_9999_prints_and_reads)
{
    static const int times[] = {0, 1, 43200000, 86399999};
    day d = {1970, 1, 1};
    for (int64_t days = 0; d.year < 10000; days++, d = next_day(d)) {
        if (RANDOM_ROUNDS(50) != 50 && days % 7 != 0 && d.day > 1 && d.day < 28) continue;
        const int ms = times[days % 4];
        char text[64];
        int len = snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d", d.year, d.month,
                           d.day, ms / 3600000, ms / 60000 % 60, ms / 1000 % 60);
        snprintf(text + len, sizeof text - (size_t)len, ms % 1000 == 0 ? "Z" : ".%03dZ", ms % 1000);
        check_both_ways(days * MS_PER_DAY + ms, text);
    }
}
END_TEST

START_TEST(every_second_of_a_day_prints_and_reads)
{
    for (int second = 0; second < 86400; second++) {
        char text[64];
        const int ms = second % 1000;
        int len = snprintf(text, sizeof text, "2024-02-29T%02d:%02d:%02d", second / 3600,
                           second / 60 % 60, second % 60);
        snprintf(text + len, sizeof text - (size_t)len, ms == 0 ? "Z" : ".%03dZ", ms);
        check_both_ways(1709164800000 + (int64_t)second * 1000 + ms, text);
    }
}
END_TEST

/* The year -2000 begins five times 400 years before the year 0, which begins 719528 days before 1970. */
START_TEST(every_day_before_1970_reads)
{
    day d = {-2000, 1, 1};
    for (int64_t days = -719528 - 5 * 146097; days < 0; days++, d = next_day(d)) {
        if (RANDOM_ROUNDS(50) != 50 && d.day > 1 && d.day < 28) continue;
        char text[64];
        int64_t ms = 7;
        if (d.year >= 0) {
            snprintf(text, sizeof text, "%04d-%02d-%02dT23:59:59.999Z", d.year, d.month, d.day);
        } else {
            snprintf(text, sizeof text, "-%04d-%02d-%02dT23:59:59.999Z", -d.year, d.month, d.day);
        }
        EXPECT(read_date(text, BSNI_DATE_STRICT, &ms) == BSN_OK &&
                   ms == (days + 1) * MS_PER_DAY - 1,
               "%s: %" PRId64, text, ms);
    }
}
END_TEST

typedef struct read_row {
    const char *text;
    int64_t ms;
} read_row;

static const read_row read_rows[] = {
    {"1969-12-31T23:59:59.999Z", -1},
    {"1969-12-31T23:59:59Z", -1000},
    {"1960-12-24T12:15:30.499Z", -284643869501},
    {"0000-03-01T00:00:00Z", -719468 * (int64_t)MS_PER_DAY},
    {"0001-01-01T00:00:00Z", -62135596800000},
    {"0000-01-01T00:00:00Z", -62167219200000},
    {"0000-02-29T00:00:00Z", -62162121600000},
    {"-0001-12-31T23:59:59.999Z", -62167219200001},
    {"+0000-01-01T00:00:00Z", -62167219200000},
    {"+2012-12-24T12:15:30.501Z", 1356351330501},
    {"+002012-12-24T12:15:30.501Z", 1356351330501},
    {"+10000-01-01T00:00:00Z", 253402300800000},
    {"+010000-01-01T00:00:00.000Z", 253402300800000},
    {"-000001-01-01T00:00:00Z", -62198755200000},
    /* the ends of int64 */
    {"+292278994-08-17T07:12:55.807Z", INT64_MAX},
    {"-292275055-05-16T16:47:04.192Z", INT64_MIN},
    {"+292278994-08-17T08:12:55.807+01:00", INT64_MAX},
    {"+292278994-08-16T07:13:55.807-23:59", INT64_MAX},
    {"-292275055-05-16T15:47:04.192-01:00", INT64_MIN},
    {"-292275055-05-17T16:46:04.192+23:59", INT64_MIN},
    /* offsets */
    {"2012-12-24T12:15:30.501+00:00", 1356351330501},
    {"2012-12-24T12:15:30.501-00:00", 1356351330501},
    {"2012-12-24T13:15:30.501+01:00", 1356351330501},
    {"2012-12-24T06:45:30.501-05:30", 1356351330501},
    {"2012-12-25T12:14:30.501+23:59", 1356351330501},
    {"2012-12-23T12:16:30.501-23:59", 1356351330501},
    {"1970-01-01T00:00:00+00:01", -60000},
    {"1969-12-31T23:59:00-00:01", 0},
    /* fractions of other lengths, lower case */
    {"2012-12-24T12:15:30.5Z", 1356351330500},
    {"2012-12-24T12:15:30.50Z", 1356351330500},
    {"2012-12-24T12:15:30.501000Z", 1356351330501},
    {"2012-12-24T12:15:30.501000000000000000000000000000000000Z", 1356351330501},
    {"2012-12-24T12:15:30.0Z", 1356351330000},
    {"2012-12-24t12:15:30.501z", 1356351330501},
};

START_TEST(texts_of_the_table_read_as_it_says)
{
    for (size_t i = 0; i < sizeof read_rows / sizeof read_rows[0]; i++) {
        int64_t ms = 7;
        const bsn_status status = read_date(read_rows[i].text, BSNI_DATE_STRICT, &ms);
        ck_assert_msg(status == BSN_OK, "%s: %s", read_rows[i].text, bsn_status_text(status));
        ck_assert_msg(ms == read_rows[i].ms, "%s: %" PRId64, read_rows[i].text, ms);
    }
}
END_TEST

typedef struct wrong_row {
    const char *text;
    bsn_status status;
} wrong_row;

static const wrong_row wrong_rows[] = {
    {"", BSN_E_SYNTAX},
    {"Z", BSN_E_SYNTAX},
    {"2012", BSN_E_SYNTAX},
    {"2012-12-24", BSN_E_SYNTAX},
    {"2012-12-24T", BSN_E_SYNTAX},
    {"2012-12-24T12:15Z", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30.Z", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30,501Z", BSN_E_SYNTAX},
    {"2012-12-24 12:15:30Z", BSN_E_SYNTAX},
    {" 2012-12-24T12:15:30Z", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30Z ", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30 Z", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30ZZ", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30.501Z+01:00", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30+01", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30+0100", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30+01:0", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30+1:00", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30~01:00", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30+01:00:00", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30+-1:00", BSN_E_SYNTAX},
    {"2012-1-01T00:00:00Z", BSN_E_SYNTAX},
    {"2012-01-1T00:00:00Z", BSN_E_SYNTAX},
    {"2012-01-01T0:00:00Z", BSN_E_SYNTAX},
    {"212-12-24T12:15:30Z", BSN_E_SYNTAX},
    {"12012-12-24T12:15:30Z", BSN_E_SYNTAX},
    {"10000-01-01T00:00:00Z", BSN_E_SYNTAX},
    {"+123-12-24T12:15:30Z", BSN_E_SYNTAX},
    {"+1234567890-12-24T12:15:30Z", BSN_E_SYNTAX},
    {"-0000-01-01T00:00:00Z", BSN_E_SYNTAX},
    {"-000000-01-01T00:00:00Z", BSN_E_SYNTAX},
    {"--2012-12-24T12:15:30Z", BSN_E_SYNTAX},
    {"+-2012-12-24T12:15:30Z", BSN_E_SYNTAX},
    {"20121224T121530Z", BSN_E_SYNTAX},
    {"2012-W52-1T12:15:30Z", BSN_E_SYNTAX},
    {"2012-359T12:15:30Z", BSN_E_SYNTAX},
    {"2012-12-24T12:15:3xZ", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30.5.5Z", BSN_E_SYNTAX},
    {"1356351330501", BSN_E_SYNTAX},
    {"now", BSN_E_SYNTAX},
    {"2012-12-24T12:15:30.\xD9\xA1Z", BSN_E_SYNTAX}, /* a digit, but not of ASCII */
    /* not on the calendar, not on the clock */
    {"2012-00-24T12:15:30Z", BSN_E_RANGE},
    {"2012-13-24T12:15:30Z", BSN_E_RANGE},
    {"2012-99-24T12:15:30Z", BSN_E_RANGE},
    {"2012-12-00T12:15:30Z", BSN_E_RANGE},
    {"2012-12-32T12:15:30Z", BSN_E_RANGE},
    {"2012-11-31T12:15:30Z", BSN_E_RANGE},
    {"2012-02-30T12:15:30Z", BSN_E_RANGE},
    {"2013-02-29T12:15:30Z", BSN_E_RANGE},
    {"2100-02-29T12:15:30Z", BSN_E_RANGE},
    {"1900-02-29T12:15:30Z", BSN_E_RANGE},
    {"-0001-02-29T12:15:30Z", BSN_E_RANGE},
    {"2012-12-24T24:00:00Z", BSN_E_RANGE},
    {"2012-12-24T12:60:30Z", BSN_E_RANGE},
    {"2012-12-31T23:59:60Z", BSN_E_RANGE},
    {"2012-12-24T12:15:30+24:00", BSN_E_RANGE},
    {"2012-12-24T12:15:30-01:60", BSN_E_RANGE},
    {"2100-02-29T00:00:00.1234Z", BSN_E_RANGE},
    /* beyond int64 */
    {"+292278994-08-17T07:12:55.808Z", BSN_E_RANGE},
    {"-292275055-05-16T16:47:04.191Z", BSN_E_RANGE},
    {"+292278994-08-17T07:12:55.807-00:01", BSN_E_RANGE},
    {"-292275055-05-16T16:47:04.192+00:01", BSN_E_RANGE},
    {"+999999999-12-31T23:59:59.999Z", BSN_E_RANGE},
    {"-999999999-01-01T00:00:00Z", BSN_E_RANGE},
    /* digits below the millisecond */
    {"2012-12-24T12:15:30.5011Z", BSN_E_INEXACT},
    {"2012-12-24T12:15:30.0001Z", BSN_E_INEXACT},
    {"2012-12-24T12:15:30.5010000000000000000000000000000001Z", BSN_E_INEXACT},
    {"1969-12-31T23:59:59.9995Z", BSN_E_INEXACT},
};

START_TEST(what_is_no_date_is_refused)
{
    for (size_t i = 0; i < sizeof wrong_rows / sizeof wrong_rows[0]; i++) {
        int64_t ms = 7;
        const bsn_status status = read_date(wrong_rows[i].text, BSNI_DATE_STRICT, &ms);
        ck_assert_msg(status == wrong_rows[i].status, "%s: %s", wrong_rows[i].text,
                      bsn_status_text(status));
        ck_assert_int_eq(ms, 7);
    }
    int64_t ms = 7;
    ck_assert_int_eq(bsni_date_from_text((bsn_str){NULL, 0}, BSNI_DATE_STRICT, &ms), BSN_E_SYNTAX);
    ck_assert_int_eq(bsni_date_from_text(BSN_STR("2012-12-24T12:15:30Z\0"), BSNI_DATE_STRICT, &ms),
                     BSN_E_SYNTAX);
}
END_TEST

START_TEST(digits_below_the_millisecond_are_floored_on_request)
{
    static const read_row rows[] = {
        {"1969-12-31T23:59:59.9995Z", -1},
        {"1969-12-31T23:59:59.9999999999Z", -1},
        {"1969-12-31T23:59:59.0001Z", -1000},
        {"1970-01-01T00:00:00.0009Z", 0},
        {"2012-12-24T12:15:30.501999Z", 1356351330501},
        {"2012-12-24T12:15:30.501Z", 1356351330501},
        {"2012-12-24T12:15:30Z", 1356351330000},
        {"-292275055-05-16T16:47:04.1929Z", INT64_MIN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t ms = 7;
        ck_assert_int_eq(read_date(rows[i].text, BSNI_DATE_FLOOR, &ms), BSN_OK);
        ck_assert_msg(ms == rows[i].ms, "%s: %" PRId64, rows[i].text, ms);
    }
    int64_t ms = 7;
    ck_assert_int_eq(read_date("-292275055-05-16T16:47:04.1919Z", BSNI_DATE_FLOOR, &ms),
                     BSN_E_RANGE);
}
END_TEST

START_TEST(legacy_forms_are_read_on_request)
{
    static const read_row rows[] = {
        {"2012-12-24T12:15:30.501+0000", 1356351330501},
        {"2012-12-24T13:15:30.501+0100", 1356351330501},
        {"2012-12-24T06:45:30.501-0530", 1356351330501},
        {"2012-12-24T12:15Z", 1356351300000},
        {"2012-12-24T13:15+0100", 1356351300000},
        {"2012-12-24T13:15+01:00", 1356351300000},
        {"2012-12-24T12:15:30.501Z", 1356351330501},
    };
    static const char *const wrong[] = {
        "2012-12-24T12:15",    "2012-12-24T12:15.5Z",  "2012-12-24T12Z",           "2012-12-24",
        "2012-12-24T12:15+01", "2012-12-24T12:15+010", "2012-12-24T12:15:30+01000"};
    int64_t ms = 7;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ck_assert_msg(read_date(wrong[i], BSNI_DATE_LEGACY, &ms) == BSN_E_SYNTAX, "%s", wrong[i]);
        ck_assert_int_eq(ms, 7);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_msg(read_date(rows[i].text, BSNI_DATE_LEGACY, &ms) == BSN_OK, "%s", rows[i].text);
        ck_assert_msg(ms == rows[i].ms, "%s: %" PRId64, rows[i].text, ms);
    }
    ck_assert_int_eq(
        read_date("2012-12-24T13:15:30.5019+0100", BSNI_DATE_LEGACY | BSNI_DATE_FLOOR, &ms),
        BSN_OK);
    ck_assert_int_eq(ms, 1356351330501);
}
END_TEST

/* One byte exchanged, for every byte and every place: what is still read must be another date of the same form. */
START_TEST(a_wrong_byte_anywhere_is_noticed)
{
    static const char sound[] = "2012-10-24T12:15:30.501+01:00";
    for (size_t place = 0; place < sizeof sound - 1; place++) {
        for (int c = 0; c < 256; c++) {
            char text[sizeof sound];
            memcpy(text, sound, sizeof text);
            text[place] = (char)c;
            int64_t ms = 7;
            const bsn_status status =
                bsni_date_from_text((bsn_str){text, sizeof sound - 1}, BSNI_DATE_STRICT, &ms);
            const bool digit = sound[place] >= '0' && sound[place] <= '9';
            const bool digit_now = c >= '0' && c <= '9';
            const bool fits = text[place] == sound[place] || (digit && digit_now) ||
                              (place == 10 && c == 't') || (place == 23 && c == '-');
            EXPECT((status == BSN_E_SYNTAX) == !fits, "byte %02X at %zu: %s", (unsigned)c, place,
                   bsn_status_text(status));
        }
    }
}
END_TEST

START_TEST(nothing_is_read_past_the_end)
{
    guard_area area;
    guard_open(&area, 128);
    for (size_t i = 0; i < sizeof read_rows / sizeof read_rows[0]; i++) {
        const size_t full = strlen(read_rows[i].text);
        for (size_t len = 0; len <= full; len++) {
            int64_t ms = 7;
            const bsn_str text = {(const char *)guard_at_end(&area, read_rows[i].text, len), len};
            const bsn_status status = bsni_date_from_text(text, BSNI_DATE_LEGACY, &ms);
            EXPECT(len < full || status == BSN_OK, "%s", read_rows[i].text);
        }
    }
    guard_close(&area);
}
END_TEST

Suite *date_suite(void)
{
    Suite *suite = suite_create("date");
    TCase *tests = tcase_create("date");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, dates_of_the_table_print_and_read);
    tcase_add_test(tests, only_the_years_1970_to_9999_have_a_text);
    tcase_add_test(tests, every_day_from_1970_to_9999_prints_and_reads);
    tcase_add_test(tests, every_second_of_a_day_prints_and_reads);
    tcase_add_test(tests, every_day_before_1970_reads);
    tcase_add_test(tests, texts_of_the_table_read_as_it_says);
    tcase_add_test(tests, what_is_no_date_is_refused);
    tcase_add_test(tests, digits_below_the_millisecond_are_floored_on_request);
    tcase_add_test(tests, legacy_forms_are_read_on_request);
    tcase_add_test(tests, a_wrong_byte_anywhere_is_noticed);
    tcase_add_test(tests, nothing_is_read_past_the_end);
    suite_add_tcase(suite, tests);
    return suite;
}
