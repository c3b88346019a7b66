/* SPDX-License-Identifier: Apache-2.0
 *
 * number.h -- numbers as text and back: integers, and doubles that come back as the same bits.
 *
 * Nothing here follows the locale, allocates, or depends on the direction in which the machine rounds.
 * The writers may store anywhere in their whole room, beyond the length they return too; what lies there is then undefined.
 */
#ifndef BSNI_NUMBER_H
#define BSNI_NUMBER_H

#include <bsonic/base.h>

/* Room for a double. The longest text has 24 bytes: -1.2345678901234567E-308. */
#define BSNI_DOUBLE_TEXT_MAX 32

/* Room for an integer. The longest text has 20 bytes: -9223372036854775808. */
#define BSNI_INTEGER_TEXT_MAX 32

/* Writes a finite double to text[0..len) and returns len: the fewest digits that read back as the same bits, and among those
 * the nearest. Always with a fraction or an exponent, so that it is never taken for an integer.
 *
 * Bytes    plain notation for zero and 0.0001 <= |value| < 10^16:  0.0  -0.0  1.0  0.0001  9007199254740993.0
 *          else d.dddE+x, the point only before a digit:           1E+16  5E-324  1.2345678921232E+18
 * Units    NaN and the infinities are the caller's: JSON has no words for them.
 */
size_t bsni_double_to_text(double value, char text[BSNI_DOUBLE_TEXT_MAX]);

/* Write an integer to text[0..len) and return len. */
size_t bsni_int64_to_text(int64_t value, char text[BSNI_INTEGER_TEXT_MAX]);
size_t bsni_uint64_to_text(uint64_t value, char text[BSNI_INTEGER_TEXT_MAX]);

/* What a JSON number becomes in BSON: see bsni_number_take. */
typedef enum bsni_number_kind {
    BSNI_NUMBER_INT32,  /* no point, no exponent, fits int32 */
    BSNI_NUMBER_INT64,  /* no point, no exponent, fits int64 but not int32 */
    BSNI_NUMBER_BEYOND, /* no point, no exponent, fits neither: a double by the specification */
    BSNI_NUMBER_DOUBLE  /* with a point or an exponent */
} bsni_number_kind;

typedef struct bsni_number {
    bsni_number_kind kind;
    size_t len;      /* bytes of the text that belong to the number */
    int64_t integer; /* BSNI_NUMBER_INT32, BSNI_NUMBER_INT64; -0 is 0 */
    double real;     /* BSNI_NUMBER_BEYOND, BSNI_NUMBER_DOUBLE: correctly rounded, ties to even */
} bsni_number;

/* Reads the JSON number at the front of `text`, which may run on: the number ends before the first byte that cannot belong
 * to it. When number->len == text.len, more text could make it another number.
 *
 * Bytes    -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?                                          [RFC 8259, 6]
 * Returns  BSN_OK with *number set.
 * Errors   BSN_E_SYNTAX  not a number: number->len is the offset of the byte that is wrong or missing; the rest is undefined
 *          BSN_E_RANGE   above the largest double once rounded: all is set, real is an infinity   e.g. 1e309
 * Cost     one pass, of any length; beyond 19 digits a second one when the first 19 do not decide.
 */
BSN_MUST_CHECK bsn_status bsni_number_take(bsn_str text, bsni_number *number);

/* Reads a double from the whole of `text`: a JSON number, `NaN`, `Infinity` or `-Infinity`, as $numberDouble holds it.
 * -0 is the negative zero here.
 *
 * Returns  BSN_OK with *value set; any other status leaves *value alone.
 * Errors   BSN_E_SYNTAX  anything else          e.g. "", "+1", ".5", "1.", "1 ", "inf"
 *          BSN_E_RANGE   above the largest double  e.g. "1e309"
 */
BSN_MUST_CHECK bsn_status bsni_double_from_text(bsn_str text, double *value);

/* Read an integer from the whole of `text`: -? (0 | [1-9][0-9]*), as $numberInt and $numberLong hold it.
 *
 * Returns  BSN_OK with *value set; any other status leaves *value alone.
 * Errors   BSN_E_SYNTAX  anything else         e.g. "", "+1", "01", "1.0", " 1"
 *          BSN_E_RANGE   does not fit the type  e.g. "2147483648"
 */
BSN_MUST_CHECK bsn_status bsni_int32_from_text(bsn_str text, int32_t *value);
BSN_MUST_CHECK bsn_status bsni_int64_from_text(bsn_str text, int64_t *value);

#endif
