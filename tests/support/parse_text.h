/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_text.h -- Extended JSON as BSON in blocks of its own, at once or in pieces, for tests that compare bytes and errors.
 */
#ifndef TESTS_SUPPORT_PARSE_TEXT_H
#define TESTS_SUPPORT_PARSE_TEXT_H

#include <bsonic/json_parse.h>

/* What a parser made of a text. */
typedef struct parsed {
    bsn_status status;
    bsn_error err;
    uint64_t count; /* documents */
    bsn_buf buf;    /* owns the bytes */
    bsn_bytes bson; /* all documents; lives until parsed_free */
} parsed;

/* One document, by bsn_json_parse. The text is copied to a block of exactly its size first. */
parsed parse_document(bsn_str text, const bsn_json_parse_options *options);

/* A stream fed in pieces that end at `cuts` (rising offsets), each in a block of exactly its size that is freed when it is used up.
 * Documents are taken by bsn_json_parser_next and bsn_json_parser_next_into in turn. The parser is the caller's, and is
 * reset first. */
parsed parse_cut(bsn_json_parser *parser, bsn_str text, const size_t *cuts, size_t cut_count);

/* The same in pieces of `step` bytes. */
parsed parse_steps(bsn_json_parser *parser, bsn_str text, size_t step);

/* Fails the running test unless both are the same: status, place, detail, count and bytes. */
void check_same_parse(const parsed *a, const parsed *b, bsn_str text, const char *what);

void parsed_free(parsed *p);

#endif
