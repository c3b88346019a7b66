/* SPDX-License-Identifier: Apache-2.0
 *
 * types.h -- the 21 element types of BSON, the small values some of them carry, and bsn_value, which can hold any.
 *
 * Sources: the BSON specification 1.1 for types and bytes; IEEE 754-2008 for decimal128.
 */
#ifndef BSONIC_TYPES_H
#define BSONIC_TYPES_H

#include <bsonic/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type byte of an element, as it stands in the document. */
typedef enum bsn_type {
    BSN_TYPE_NONE = 0x00, /* no element: before the first, after the last, after an error */
    BSN_TYPE_DOUBLE = 0x01,
    BSN_TYPE_STRING = 0x02,
    BSN_TYPE_DOCUMENT = 0x03,
    BSN_TYPE_ARRAY = 0x04,
    BSN_TYPE_BINARY = 0x05,
    BSN_TYPE_UNDEFINED = 0x06, /* deprecated */
    BSN_TYPE_OID = 0x07,
    BSN_TYPE_BOOLEAN = 0x08,
    BSN_TYPE_DATE = 0x09,
    BSN_TYPE_NULL = 0x0A,
    BSN_TYPE_REGEX = 0x0B,
    BSN_TYPE_DBPOINTER = 0x0C, /* deprecated */
    BSN_TYPE_CODE = 0x0D,
    BSN_TYPE_SYMBOL = 0x0E, /* deprecated */
    BSN_TYPE_CODE_SCOPE = 0x0F,
    BSN_TYPE_INT32 = 0x10,
    BSN_TYPE_TIMESTAMP = 0x11,
    BSN_TYPE_INT64 = 0x12,
    BSN_TYPE_DECIMAL128 = 0x13,
    BSN_TYPE_MAXKEY = 0x7F,
    BSN_TYPE_MINKEY = 0xFF
} bsn_type;

/* True for the 21 types above, false for BSN_TYPE_NONE and every other byte. */
BSN_API bool bsn_type_known(uint8_t type);

/* The server's name of a type, as $type takes it ("double", "objectId", "int", ..): static, "unknown" for other bytes. */
BSN_API const char *bsn_type_name(uint8_t type);

/* Binary subtypes that have a meaning here. Others are carried unchanged. */
typedef enum bsn_subtype {
    BSN_SUBTYPE_GENERIC = 0x00,
    BSN_SUBTYPE_FUNCTION = 0x01,
    BSN_SUBTYPE_OLD_BINARY = 0x02, /* carries an inner length; readers see only the bytes behind it */
    BSN_SUBTYPE_OLD_UUID = 0x03,
    BSN_SUBTYPE_UUID = 0x04,
    BSN_SUBTYPE_MD5 = 0x05,
    BSN_SUBTYPE_ENCRYPTED = 0x06,
    BSN_SUBTYPE_COLUMN = 0x07,
    BSN_SUBTYPE_SENSITIVE = 0x08,
    BSN_SUBTYPE_VECTOR = 0x09,
    BSN_SUBTYPE_USER = 0x80 /* 0x80..0xFF are the user's own */
} bsn_subtype;

/* An ObjectId: 4 bytes of seconds since 1970 (big-endian, unsigned), 5 random bytes, a 3-byte counter (big-endian). */
typedef struct bsn_oid {
    uint8_t bytes[12];
} bsn_oid;

/* Text form of an ObjectId: 24 lower-case hex digits, no terminator. */
#define BSN_OID_TEXT_LEN 24

/* Writes the 24 hex digits of *oid to text[0..24). */
BSN_API void bsn_oid_to_text(const bsn_oid *oid, char text[BSN_OID_TEXT_LEN]);

/* Reads exactly 24 hex digits of either case. False, and *oid untouched, for anything else. */
BSN_API BSN_MUST_CHECK bool bsn_oid_from_text(bsn_str text, bsn_oid *oid);

/* The seconds since 1970 in an ObjectId: unsigned, good until 2106. */
BSN_API uint32_t bsn_oid_seconds(const bsn_oid *oid);

/* Makes ObjectIds that no other source makes, as long as their entropy differs: one for each client, thread or process. A copy of
 * one (a forked process has it) makes the same ids: draw again. */
typedef struct bsn_oid_source {
    /* private */
    uint8_t random[5];
    uint32_t counter;
} bsn_oid_source;

/* Bytes of entropy that a source is made of: five to tell it from others, three for where its counter starts. */
#define BSN_OID_ENTROPY_LEN 8

/* Starts a source from bytes that nobody else has (bsn_entropy of the client library draws them from the system). */
BSN_API void bsn_oid_source_init(bsn_oid_source *source, const uint8_t entropy[BSN_OID_ENTROPY_LEN]);

/* The next ObjectId, made at `seconds` since 1970. Those of one second differ until there are more than 2^24 of them.
 *                                                                                          [ObjectID specification] */
BSN_API void bsn_oid_make(bsn_oid_source *source, uint32_t seconds, bsn_oid *oid);

/* A replication timestamp: both halves unsigned. On the wire the increment comes first. */
typedef struct bsn_timestamp {
    uint32_t seconds;
    uint32_t increment;
} bsn_timestamp;

/* A decimal128 in its binary-integer-coefficient form: 128 bits as two words. Any bits are legal. */
typedef struct bsn_decimal128 {
    uint64_t high; /* sign, exponent, the coefficient's upper bits */
    uint64_t low;
} bsn_decimal128;

/* Room for the longest text of a decimal128, without a terminator: sign, 34 digits, point, E, sign, 4 digits. */
#define BSN_DECIMAL128_TEXT_MAX 42

/* Writes a decimal128 as text ("1.20", "-0E+3", "Infinity", "NaN") to text[0..len) and returns len.
 *
 * Bytes    plain notation when the exponent is <= 0 and the adjusted exponent >= -6, else scientific with a signed
 *          exponent; a coefficient over 10^34 - 1 reads as zero, as IEEE 754-2008 3.5.2 has it; NaN has neither sign nor
 *          payload.                                                            [BSON Decimal128 specification, to string]
 * Memory   allocates nothing; no terminator is written.
 */
BSN_API size_t bsn_decimal128_to_text(bsn_decimal128 value, char text[BSN_DECIMAL128_TEXT_MAX]);

/* Reads a decimal128 from text; the whole span must match, and no digit may be lost.
 *
 * Bytes    [+-] digits with at most one point, [(e|E) [+-] digits]; or Infinity, Inf, NaN in any case, signed or not.
 * Returns  BSN_OK with *value set; any other status leaves *value alone.
 * Errors   BSN_E_SYNTAX   not a number       e.g. "", "1e", "Infi", " 1"
 *          BSN_E_INEXACT  a non-zero digit beyond the 34th, or below 10^-6176   e.g. "1E-6177"
 *          BSN_E_RANGE    above the largest value    e.g. "1E+6145"
 * Cost     one pass over the text, of any length. Nothing is allocated.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_decimal128_from_text(bsn_str text, bsn_decimal128 *value);

/* A document: `len` bytes at `ptr`, borrowed. Made by bsn_doc_open or bsn_doc_take (doc.h), by an iterator or a writer, so
 * its frame has been checked: len >= 5, the length field says len, the last byte is 0x00. */
typedef struct bsn_doc {
    const uint8_t *ptr;
    size_t len;
} bsn_doc;

/* A regular expression: both parts borrowed, neither holds U+0000. */
typedef struct bsn_regex {
    bsn_str pattern;
    bsn_str options;
} bsn_regex;

/* JavaScript code with its scope. */
typedef struct bsn_code_scope {
    bsn_str code;
    bsn_doc scope;
} bsn_code_scope;

/* The deprecated DBPointer: a namespace and an ObjectId. */
typedef struct bsn_dbpointer {
    bsn_str ns;
    bsn_oid oid;
} bsn_dbpointer;

/* Any value, as a tagged union: `type` says which member of `as` is set. Copied by value; text, bytes and documents in it
 * are borrowed from where it was read. */
typedef struct bsn_value {
    bsn_type type;
    uint8_t subtype; /* binary only */
    union {
        double f64;                /* BSN_TYPE_DOUBLE */
        bsn_str str;               /* BSN_TYPE_STRING, BSN_TYPE_CODE, BSN_TYPE_SYMBOL */
        bsn_doc doc;               /* BSN_TYPE_DOCUMENT, BSN_TYPE_ARRAY */
        bsn_bytes binary;          /* BSN_TYPE_BINARY; of subtype 02 only the bytes behind the inner length */
        bsn_oid oid;               /* BSN_TYPE_OID */
        bool boolean;              /* BSN_TYPE_BOOLEAN */
        int64_t date;              /* BSN_TYPE_DATE: milliseconds since 1970-01-01 UTC */
        bsn_regex regex;           /* BSN_TYPE_REGEX */
        bsn_dbpointer dbpointer;   /* BSN_TYPE_DBPOINTER */
        bsn_code_scope code_scope; /* BSN_TYPE_CODE_SCOPE */
        int32_t i32;               /* BSN_TYPE_INT32 */
        bsn_timestamp timestamp;   /* BSN_TYPE_TIMESTAMP */
        int64_t i64;               /* BSN_TYPE_INT64 */
        bsn_decimal128 decimal;    /* BSN_TYPE_DECIMAL128 */
    } as;                          /* undefined, null, MinKey, MaxKey: nothing */
} bsn_value;

#ifdef __cplusplus
}
#endif
#endif
