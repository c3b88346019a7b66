/* SPDX-License-Identifier: Apache-2.0
 *
 * date.h -- milliseconds since 1970 as ISO 8601 text and back. Pure calendar arithmetic: no time zone data, no clock.
 */
#ifndef BSNI_DATE_H
#define BSNI_DATE_H

#include <bsonic/base.h>

/* The last millisecond of the year 9999. Dates from 0 to here have a text in relaxed Extended JSON. */
#define BSNI_DATE_TEXT_GREATEST INT64_C(253402300799999)

static inline bool bsni_date_has_text(int64_t ms)
{
    return ms >= 0 && ms <= BSNI_DATE_TEXT_GREATEST;
}

/* Room for a date; all of it may be stored to. The longest text has 24 bytes. */
#define BSNI_DATE_TEXT_MAX 24

/* Writes a date that bsni_date_has_text to text[0..len) and returns len: 2012-12-24T12:15:30.501Z, or 2012-12-24T12:15:30Z
 * when there are no milliseconds. */
size_t bsni_date_to_text(int64_t ms, char text[BSNI_DATE_TEXT_MAX]);

/* What bsni_date_from_text accepts beyond its form: any of these, or-ed. */
typedef enum bsni_date_flags {
    BSNI_DATE_STRICT = 0,
    BSNI_DATE_FLOOR =
        1, /* digits below the millisecond: the millisecond before, also before 1970 */
    BSNI_DATE_LEGACY = 2 /* no seconds; an offset without a colon */
} bsni_date_flags;

/* Reads a date from the whole of `text`.
 *
 * Bytes    YYYY-MM-DDThh:mm:ss[.f..](Z | (+|-)hh:mm)     T and Z in either case                          [RFC 3339, 5.6]
 *          The year has four digits, or a sign and four to nine (-0000 is none): the calendar is the Gregorian one, carried
 *          back before its introduction, with a year 0.                                           [ISO 8601, 4.1.2.4]
 * Returns  BSN_OK with *ms set; any other status leaves *ms alone.
 * Errors   BSN_E_SYNTAX   not of this form               e.g. "", "2012-12-24", "2012-12-24T12:15Z", "2012-1-1T00:00:00Z"
 *          BSN_E_RANGE    no such day or time, or beyond int64   e.g. 2100-02-29, 24:00:00, a second of 60, +999999999-01-01
 *          BSN_E_INEXACT  a digit other than zero below the millisecond, without BSNI_DATE_FLOOR      e.g. 00:00:00.0001Z
 */
BSN_MUST_CHECK bsn_status bsni_date_from_text(bsn_str text, unsigned flags, int64_t *ms);

#endif
