/* SPDX-License-Identifier: Apache-2.0
 *
 * style.h -- what the forms of text differ in, as data: literals around values, and when a value is plain.
 *
 * A new form is a new table in style.c; the printer itself knows none of them, but for what a script says in its own way.
 */
#ifndef BSNI_STYLE_H
#define BSNI_STYLE_H

#include <bsonic/json.h>

/* The longest literal. All are copied whole, so that the copy is a few fixed moves. */
#define BSNI_LITERAL_MAX 39

typedef struct bsni_literal {
    char text[BSNI_LITERAL_MAX];
    uint8_t len;
} bsni_literal;

/* What stands before and after a value's own text. */
typedef struct bsni_wrap {
    bsni_literal open;
    bsni_literal close;
} bsni_wrap;

/* The same for a value of two parts. */
typedef struct bsni_wrap2 {
    bsni_literal open;
    bsni_literal middle;
    bsni_literal close;
} bsni_wrap2;

/* Which finite doubles are plain numbers. */
typedef enum bsni_plain_double { PLAIN_NONE, PLAIN_ALL, PLAIN_NO_INT32 } bsni_plain_double;

typedef struct bsni_style {
    bool
        is_script; /* binaries have their subtype in front, some regular expressions are literals */
    bool is_legacy; /* {"$regex","$options"} is a wrapper */
    bool plain_int32;
    uint8_t plain_double;
    int64_t plain_int64_least,
        plain_int64_greatest;                  /* the range in which int64 is a plain number */
    int64_t iso_date_least, iso_date_greatest; /* the range in which dates are ISO text */

    bsni_wrap int32, int64, real, decimal128; /* around numbers that are not plain */
    bsni_literal nan, infinity, minus_infinity;
    bsni_wrap iso_date, date;
    bsni_wrap oid, symbol, code;
    bsni_wrap2 binary;     /* base64, subtype; in a script the other way round */
    bsni_wrap2 regex;      /* pattern, options */
    bsni_wrap2 timestamp;  /* seconds, increment */
    bsni_wrap2 code_scope; /* code, the scope's document */
    bsni_wrap2 dbpointer;  /* namespace, oid */
    bsni_literal undefined, minkey, maxkey;
} bsni_style;

/* The table of a form. */
const bsni_style *bsni_style_of(bsn_json_form form);

#endif
