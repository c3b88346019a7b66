/* SPDX-License-Identifier: Apache-2.0
 *
 * corpus.h -- the cases of the public BSON corpus as C tables. make_tables.py writes them into the build tree when the
 * library is built, from BSONIC_SPEC_DIR/bson-corpus; without that folder the tables are empty and corpus_present is false,
 * and tests say "skipped".
 *
 * What a codec must do with a valid case (cB, dB: canonical and degenerate BSON; cEJ, rEJ, dEJ: the texts):
 *     cB -> canonical = cEJ      cEJ -> BSON = cB unless lossy       rEJ -> BSON -> relaxed = rEJ
 *     cB -> relaxed = rEJ        dEJ -> BSON = cB unless lossy       dB -> canonical = cEJ
 * Texts are compared by value. What a case does not have is a span whose ptr is NULL.
 */
#ifndef TESTS_CORPUS_H
#define TESTS_CORPUS_H

#include <bsonic/base.h>

typedef struct corpus_valid {
    const char *file;        /* "double.json" */
    const char *description; /* of the case */
    const char *test_key;    /* the key whose value is of interest, or NULL: the whole document */
    uint8_t type;            /* what the file is about; 0 whole documents */
    bool deprecated;
    bool lossy;
    bsn_bytes canonical_bson;
    bsn_bytes degenerate_bson;
    bsn_bytes converted_bson; /* a deprecated type in its present form */
    bsn_str canonical_extjson;
    bsn_str relaxed_extjson;
    bsn_str degenerate_extjson;
    bsn_str converted_extjson;
} corpus_valid;

/* Bytes that must be refused. */
typedef struct corpus_decode_error {
    const char *file;
    const char *description;
    uint8_t type;
    bsn_bytes bson;
} corpus_decode_error;

/* Text that must be refused: Extended JSON where type is 0x00 or 0x05, a decimal128's text where it is 0x13. */
typedef struct corpus_parse_error {
    const char *file;
    const char *description;
    uint8_t type;
    bsn_str text;
} corpus_parse_error;

extern const bool corpus_present;

extern const corpus_valid corpus_valids[];
extern const size_t corpus_valid_count;

extern const corpus_decode_error corpus_decode_errors[];
extern const size_t corpus_decode_error_count;

extern const corpus_parse_error corpus_parse_errors[];
extern const size_t corpus_parse_error_count;

#endif
