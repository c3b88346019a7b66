/* SPDX-License-Identifier: Apache-2.0
 *
 * date.c -- the calendar, and its ISO 8601 text.
 *
 * Inside, years begin on the 1st of March, so that the leap day is the last one, and month m (0 March .. 11 February) begins
 * (153 * m + 2) / 5 days after that. 400 years have 146097 days.
 */
#include "json/date.h"

#include "base/debug.h"
#include "base/digit.h"
#include "json/digits.h"

#define MS_PER_DAY 86400000
#define DAYS_TO_1970 719468 /* from 0000-03-01 */
#define ERA_YEARS 400
#define ERA_DAYS 146097

/* ---- to text ---- */

/* The date `days` after 1970-01-01, 0 .. 2932896, as the number YYYYMMDD. Divisions by the fractional lengths of year and month
 * are products.
 *             [C. Neri, L. Schneider, "Euclidean affine functions and their application to calendar algorithms", 2022] */
static uint32_t date_number(uint32_t days)
{
    const uint32_t quarters = 4 * (days + DAYS_TO_1970) + 3;
    const uint32_t century = quarters / ERA_DAYS;
    const uint32_t in_century = quarters % ERA_DAYS | 3;
    const uint64_t years = (uint64_t)in_century * 2939745; /* 2^32 / 1461, rounded up */
    const uint32_t year = 100 * century + (uint32_t)(years >> 32);
    const uint32_t day_of_year = (uint32_t)years / 2939745 / 4;
    const uint32_t months =
        2141 * day_of_year + 197913; /* 2^16 / 30.6 a day, March being month 3 */
    const uint32_t month = months >> 16;
    const uint32_t day = (months & 0xFFFF) / 2141 + 1;
    const bool next_year = day_of_year >= 306; /* January, February */
    return (year + next_year) * 10000 + (next_year ? month - 12 : month) * 100 + day;
}

/* Text of eight digits as YYYY-MM-DD and hhmmss.. as hh:mm:ss, cut into words at 8 and 16. */
size_t bsni_date_to_text(int64_t ms, char text[BSNI_DATE_TEXT_MAX])
{
    BSN_ASSERT(bsni_date_has_text(ms));
    const uint32_t days = (uint32_t)(ms / MS_PER_DAY);
    const uint32_t of_day = (uint32_t)(ms % MS_PER_DAY);
    const uint32_t seconds = of_day / 1000;
    const uint32_t milliseconds = of_day % 1000;
    const uint32_t time = seconds / 3600 * 10000 + seconds / 60 % 60 * 100 + seconds % 60;
    const uint64_t date_text = bsni_digits_text(bsni_eight_digits(date_number(days)));
    const uint64_t time_text =
        bsni_digits_text(bsni_eight_digits(time)) >> 16; /* from its third digit on */

    bsni_store_text(text, (date_text & 0xFFFFFFFF) | (uint64_t)'-' << 32 |
                              (date_text >> 32 & 0xFFFF) << 40 | (uint64_t)'-' << 56);
    bsni_store_text(text + 8, date_text >> 48 | (uint64_t)'T' << 16 | (time_text & 0xFFFF) << 24 |
                                  (uint64_t)':' << 40 | time_text >> 16 << 48);
    const uint64_t rest = ':' | (time_text >> 32 & 0xFFFF) << 8;
    if (milliseconds == 0) {
        bsni_store_text(text + 16, rest | (uint64_t)'Z' << 24);
        return 20;
    }
    const uint64_t fraction = bsni_digits_text(bsni_eight_digits(milliseconds)) >> 40;
    bsni_store_text(text + 16, rest | (uint64_t)'.' << 24 | fraction << 32 | (uint64_t)'Z' << 56);
    return 24;
}

/* ---- from text ---- */

/* What stands in a text, each part within its digits but not yet checked against the calendar. */
typedef struct parts {
    int32_t year;
    int32_t month, day, hour, minute, second;
    int32_t milliseconds;
    int32_t offset_hour, offset_minute;
    bool offset_negative;
    bool digits_lost; /* a digit other than zero below the millisecond */
} parts;

typedef struct cursor {
    const char *p;
    const char *end;
} cursor;

/* Takes one character if it is c, or c in lower case. */
static bool take_char(cursor *in, char c)
{
    if (in->p == in->end || (*in->p != c && *in->p != (c | 0x20))) return false;
    in->p++;
    return true;
}

/* Takes exactly `count` digits. */
static bool take_number(cursor *in, ptrdiff_t count, int32_t *number)
{
    if (in->end - in->p < count) return false;
    int32_t sum = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        if (!bsni_is_digit(in->p[i])) return false;
        sum = sum * 10 + (in->p[i] - '0');
    }
    in->p += count;
    *number = sum;
    return true;
}

/* Takes + or - and says which. */
static bool take_sign(cursor *in, bool *negative)
{
    if (in->p == in->end || (*in->p != '+' && *in->p != '-')) return false;
    *negative = *in->p++ == '-';
    return true;
}

static bool take_year(cursor *in, int32_t *year)
{
    bool negative = false;
    if (!take_sign(in, &negative)) return take_number(in, 4, year);
    ptrdiff_t count = 0;
    while (count < 10 && count < in->end - in->p && bsni_is_digit(in->p[count])) count++;
    if (count < 4 || count > 9 || !take_number(in, count, year)) return false;
    if (negative && *year == 0) return false;
    if (negative) *year = -*year;
    return true;
}

/* The digits behind a point: at least one. */
static bool take_fraction(cursor *in, parts *date)
{
    const char *first = in->p;
    int32_t scale = 100;
    for (; in->p != in->end && bsni_is_digit(*in->p); in->p++, scale /= 10) {
        date->milliseconds += scale * (*in->p - '0');
        date->digits_lost = date->digits_lost || (scale == 0 && *in->p != '0');
    }
    return in->p != first;
}

static bool take_offset(cursor *in, bool legacy, parts *date)
{
    if (take_char(in, 'Z')) return true;
    if (!take_sign(in, &date->offset_negative) || !take_number(in, 2, &date->offset_hour))
        return false;
    if (!take_char(in, ':') && !legacy) return false;
    return take_number(in, 2, &date->offset_minute);
}

static bool take_date(cursor *in, bool legacy, parts *date)
{
    if (!take_year(in, &date->year) || !take_char(in, '-')) return false;
    if (!take_number(in, 2, &date->month) || !take_char(in, '-')) return false;
    if (!take_number(in, 2, &date->day) || !take_char(in, 'T')) return false;
    if (!take_number(in, 2, &date->hour) || !take_char(in, ':')) return false;
    if (!take_number(in, 2, &date->minute)) return false;
    if (take_char(in, ':')) {
        if (!take_number(in, 2, &date->second)) return false;
        if (take_char(in, '.') && !take_fraction(in, date)) return false;
    } else if (!legacy) {
        return false;
    }
    return take_offset(in, legacy, date) && in->p == in->end;
}

static int32_t days_in_month(int32_t year, int32_t month)
{
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

static bool is_on_calendar(const parts *date)
{
    if (date->month < 1 || date->month > 12 || date->day < 1) return false;
    if (date->day > days_in_month(date->year, date->month)) return false;
    if (date->hour > 23 || date->minute > 59 || date->second > 59) return false;
    return date->offset_hour <= 23 && date->offset_minute <= 59;
}

/* Days from 1970-01-01. Years of nine digits are counted from a multiple of 400 before them all, to divide what is positive. */
static int64_t days_from_1970(int32_t year, int32_t month, int32_t day)
{
    static const int64_t eras = 2500000;
    const bool before_march = month < 3;
    const int64_t years = year + eras * ERA_YEARS - before_march;
    const int64_t months = month - 3 + (before_march ? 12 : 0);
    const int64_t days =
        365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1;
    return days - eras * ERA_DAYS - DAYS_TO_1970;
}

/* days * MS_PER_DAY + ms, ms a day at most to both sides of a day. False if it does not fit. */
static bool join(int64_t days, int64_t ms, int64_t *sum)
{
    if (days >= 0) { /* so that both sides grow away from zero */
        days -= 1;
        ms += MS_PER_DAY;
    } else {
        days += 1;
        ms -= MS_PER_DAY;
    }
    if (days > INT64_MAX / MS_PER_DAY || days < INT64_MIN / MS_PER_DAY) return false;
    const int64_t whole = days * MS_PER_DAY;
    if (ms > 0 ? whole > INT64_MAX - ms : whole < INT64_MIN - ms) return false;
    *sum = whole + ms;
    return true;
}

bsn_status bsni_date_from_text(bsn_str text, unsigned flags, int64_t *ms)
{
    if (text.len == 0) return BSN_E_SYNTAX;
    cursor in = {text.ptr, text.ptr + text.len};
    parts date = {0};
    if (!take_date(&in, (flags & BSNI_DATE_LEGACY) != 0, &date)) return BSN_E_SYNTAX;
    if (!is_on_calendar(&date)) return BSN_E_RANGE;
    if (date.digits_lost && (flags & BSNI_DATE_FLOOR) == 0) return BSN_E_INEXACT;

    const int32_t minutes = date.hour * 60 + date.minute;
    const int32_t offset = date.offset_hour * 60 + date.offset_minute;
    const int64_t of_day = ((int64_t)minutes + (date.offset_negative ? offset : -offset)) * 60000 +
                           (int64_t)date.second * 1000 + date.milliseconds;
    const int64_t days = days_from_1970(date.year, date.month, date.day);
    return join(days, of_day, ms) ? BSN_OK : BSN_E_RANGE;
}
