/* SPDX-License-Identifier: Apache-2.0
 *
 * uri_corpus.h -- the public cases of connection strings and their options as a C table. make_uri_tables.py writes it into the
 * build tree; without the folders it is empty, uri_corpus_present is false, and tests say "skipped".
 */
#ifndef TESTS_URI_CORPUS_H
#define TESTS_URI_CORPUS_H

#include <bsonic/uri.h>

typedef struct uri_corpus_host {
    bsn_host_kind kind;
    bsn_str name;
    uint16_t port; /* 0: none in the string */
} uri_corpus_host;

typedef struct uri_corpus_option {
    const char *key;
    const char *value; /* NULL: a list, only its presence is compared */
} uri_corpus_option;

typedef struct uri_corpus_case {
    const char *file;
    const char *description;
    bsn_str uri;
    bool valid;
    bool warning;
    size_t host_count; /* 0: not said */
    uri_corpus_host hosts[4];
    bsn_str username; /* ptr NULL: none; password, database alike */
    bsn_str password;
    bsn_str database;
    size_t option_count;
    uri_corpus_option options[12];
} uri_corpus_case;

extern const bool uri_corpus_present;
extern const uri_corpus_case uri_corpus_cases[];
extern const size_t uri_corpus_count;

#endif
