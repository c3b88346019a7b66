/* SPDX-License-Identifier: Apache-2.0
 *
 * test_uri.c -- connection strings: the public cases, and the places and reasons that our own errors give.
 */
#include "corpus/uri_corpus.h"
#include "suites.h"
#include "support/skip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Warnings as they come: how many, and the last one's reason. */
typedef struct warnings {
    int count;
    char key[64];
    char reason[128];
} warnings;

static void note_warning(void *ctx, bsn_str key, const char *reason)
{
    warnings *seen = ctx;
    seen->count++;
    snprintf(seen->key, sizeof seen->key, "%.*s", (int)key.len, key.ptr);
    snprintf(seen->reason, sizeof seen->reason, "%s", reason);
}

static bsn_status parse(const char *text, bsn_uri *uri, warnings *seen, bsn_error *err)
{
    const warnings none = {0};
    *seen = none;
    return bsn_uri_parse(bsn_str_from(text), NULL, note_warning, seen, uri, err);
}

/* ------------------------------------------------------------------ the public cases */

static void expect_text(const uri_corpus_case *row, const char *what, bsn_str found, bsn_str wanted)
{
    ck_assert_msg((found.ptr == NULL) == (wanted.ptr == NULL) && bsn_str_equal(found, wanted),
                  "%s: %s: %s is %.*s", row->file, row->description, what, (int)found.len,
                  found.ptr != NULL ? found.ptr : "");
}

static void expect_hosts(const uri_corpus_case *row, const bsn_uri *uri)
{
    if (row->host_count == 0) return;
    ck_assert_msg(uri->host_count == row->host_count, "%s: %zu hosts", row->description,
                  uri->host_count);
    for (size_t i = 0; i < row->host_count; i++) {
        const uri_corpus_host *wanted = &row->hosts[i];
        const bsn_uri_host *host = &uri->hosts[i];
        const uint16_t absent = wanted->kind == BSN_HOST_UNIX ? 0 : 27017;
        ck_assert_msg(host->kind == wanted->kind, "%s: host %zu has kind %d", row->description, i,
                      (int)host->kind);
        expect_text(row, "host", host->name, wanted->name);
        ck_assert_uint_eq(host->port, wanted->port != 0 ? wanted->port : absent);
        ck_assert_int_eq(host->port_given, wanted->port != 0);
    }
}

static void expect_options(const uri_corpus_case *row, const bsn_uri *uri)
{
    for (size_t i = 0; i < row->option_count; i++) {
        bsn_str value;
        ck_assert_msg(bsn_uri_get(uri, bsn_str_from(row->options[i].key), &value),
                      "%s: option %s is missing", row->description, row->options[i].key);
        if (row->options[i].value == NULL) continue;
        expect_text(row, row->options[i].key, value, bsn_str_from(row->options[i].value));
    }
}

static void expect_case(const uri_corpus_case *row)
{
    warnings seen = {0};
    bsn_uri uri;
    bsn_error err;
    /* Exactly its size, so that a sanitizer sees a read past it. */
    char *text = malloc(row->uri.len + (row->uri.len == 0));
    ck_assert_ptr_nonnull(text);
    memcpy(text, row->uri.ptr, row->uri.len);
    const bsn_str span = {.ptr = text, .len = row->uri.len};
    const bsn_status status = bsn_uri_parse(span, NULL, note_warning, &seen, &uri, &err);
    free(text);

    ck_assert_msg(status == (row->valid ? BSN_OK : BSN_E_URI), "%s: %s: %.*s: %s (%s)", row->file,
                  row->description, (int)row->uri.len, row->uri.ptr, bsn_status_text(status),
                  status != BSN_OK ? err.detail : "");
    if (status != BSN_OK) return;
    ck_assert_msg((seen.count > 0) == row->warning, "%s: %s: %d warnings: %s %s", row->file,
                  row->description, seen.count, seen.key, seen.reason);
    expect_hosts(row, &uri);
    if (row->host_count > 0) { /* else the case does not say */
        expect_text(row, "user", uri.username, row->username);
        expect_text(row, "password", uri.password, row->password);
    }
    if (row->username.ptr != NULL || row->database.ptr != NULL) {
        expect_text(row, "database", uri.database, row->database);
    }
    expect_options(row, &uri);
    bsn_uri_free(&uri);
}

START_TEST(public_cases_are_parsed_refused_and_warned_about_as_they_say)
{
    if (!uri_corpus_present) {
        test_skip(__func__, "no public connection strings");
        return;
    }
    for (size_t i = 0; i < uri_corpus_count; i++) expect_case(&uri_corpus_cases[i]);
    ck_assert_uint_ge(uri_corpus_count, 200);
}
END_TEST

/* ------------------------------------------------------------------ our own */

START_TEST(errors_tell_the_place_and_the_reason)
{
    static const struct {
        const char *text;
        uint64_t offset;
        const char *detail;
    } rows[] = {
        {"", 0, "does not begin"},
        {"http://localhost", 0, "does not begin"},
        {"mongodb:/", 0, "does not begin"},
        {"mongodb://", 10, "host name is empty"},
        {"mongodb://a,,b", 12, "host name is empty"},
        {"mongodb://a,", 12, "host name is empty"},
        {"mongodb://@localhost", 10, "user name is empty"},
        {"mongodb://:secret@localhost", 10, "user name is empty"},
        {"mongodb://u@@localhost", 11, "%40"},
        {"mongodb://u:p:q@localhost", 13, "%3A"},
        {"mongodb://u%4@localhost", 11, "hex"},
        {"mongodb://u%4g@localhost", 11, "hex"},
        {"mongodb://localhost:", 20, "port"},
        {"mongodb://localhost:4294967297", 20, "port"},
        {"mongodb://localhost:99999999999999999999", 20, "port"},
        {"mongodb://localhost:+1", 20, "port"},
        {"mongodb://[::1", 10, "without ]"},
        {"mongodb://[::1]x:1", 15, "between ]"},
        {"mongodb://[localhost]", 11, "IPv6"},
        {"mongodb://%2Ftmp%2Fx", 10, ".sock"},
        {"mongodb://%2Ftmp%2Fx.sock:1", 10, "no port"},
        {"mongodb://a%00b", 10, "zero"},
        {"mongodb://[fe80::1%25a%00b]", 11, "zero"},
        {"mongodb://a%FFb", 10, "UTF-8"},
        {"mongodb://a\xFF", 11, "UTF-8"},
        {"mongodb://a/b%20c", 12, "database name"},
        {"mongodb://a/b%00c", 12, "database name"},
        {"mongodb://a/b/c", 12, "database name"},
        {"mongodb://a/?x", 13, "without ="},
        {"mongodb://a/?=x", 13, "without a name"},
        {"mongodb://a/?w=1&", 16, "& without"},
        {"mongodb://a/?w=%", 15, "hex"},
        {"mongodb://a/?authSource=", 13, "authSource"},
        {"mongodb://a/?tls=true&ssl=false", 22, "contradict"},
        {"mongodb://a,b/?directConnection=true", 0, "directConnection"},
        {"mongodb+srv://127.0.0.1", 0, "host name"},
        {"mongodb://a/?w=0&journal=true", 0, "journal"},
        {"mongodb://a/?journal=true&w=00", 0, "journal"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        warnings seen;
        bsn_uri uri;
        bsn_error err;
        ck_assert_msg(parse(rows[i].text, &uri, &seen, &err) == BSN_E_URI, "%s", rows[i].text);
        ck_assert_msg(err.offset == rows[i].offset, "%s: offset %llu", rows[i].text,
                      (unsigned long long)err.offset);
        ck_assert_msg(strstr(err.detail, rows[i].detail) != NULL, "%s: %s", rows[i].text,
                      err.detail);
    }
}
END_TEST

START_TEST(timeouts_mean_what_the_header_says_whatever_stands_there)
{
    static const struct {
        const char *value;
        int32_t socket_timeout_ms; /* 0 is the default */
        int warned;
    } rows[] = {
        {"0", 0, 0},
        {"1500", 1500, 0},
        {"2147483647", 2147483647, 0},
        {"2147483648", 0, 1},
        {"99999999999", 0, 1},
        {"-1", 0, 1},
        {"abc", 0, 1},
        {"", 0, 1},
        {"-", 0, 1},
        {"1.5", 0, 1},
        {"0000000001500", 1500, 0},
        {"%31%30", 10, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[80];
        warnings seen;
        bsn_uri uri;
        bsn_error err;
        snprintf(text, sizeof text, "mongodb://a/?sockettimeoutms=%s", rows[i].value);
        ck_assert_int_eq(parse(text, &uri, &seen, &err), BSN_OK);
        ck_assert_msg(uri.socket_timeout_ms == rows[i].socket_timeout_ms, "%s: %d", text,
                      (int)uri.socket_timeout_ms);
        ck_assert_msg(seen.count == rows[i].warned, "%s: %d warnings", text, seen.count);
        bsn_uri_free(&uri);
    }
}
END_TEST

START_TEST(defaults_stand_where_the_string_says_nothing)
{
    warnings seen;
    bsn_uri uri;
    bsn_error err;
    ck_assert_int_eq(parse("mongodb://localhost", &uri, &seen, &err), BSN_OK);
    ck_assert_int_eq(uri.connect_timeout_ms, 10000);
    ck_assert_int_eq(uri.socket_timeout_ms, 0);
    ck_assert_int_eq(uri.server_selection_timeout_ms, 30000);
    ck_assert_int_eq(uri.timeout_ms, 0);
    ck_assert_int_eq(uri.tls, BSN_UNSET);
    ck_assert_ptr_null(uri.username.ptr);
    ck_assert_ptr_null(uri.database.ptr);
    ck_assert_uint_eq(uri.option_count, 0);
    bsn_uri_free(&uri);
    bsn_uri_free(&uri); /* twice is harmless */
}
END_TEST

START_TEST(repeated_options_keep_the_last_and_lists_of_tags_keep_all)
{
    warnings seen;
    bsn_uri uri;
    bsn_error err;
    bsn_str value;
    ck_assert_int_eq(parse("mongodb://a/?appname=x&w=1&APPNAME=y&readPreferenceTags=dc:a"
                           "&readPreferenceTags=",
                           &uri, &seen, &err),
                     BSN_OK);
    ck_assert_int_eq(seen.count, 1);
    ck_assert_str_eq(seen.key, "APPNAME");
    ck_assert(bsn_str_equal(uri.app_name, BSN_STR("y")));
    ck_assert(bsn_uri_get(&uri, BSN_STR("AppName"), &value));
    ck_assert(bsn_str_equal(value, BSN_STR("y")));
    ck_assert_uint_eq(uri.option_count, 4);
    ck_assert_uint_eq(uri.options[3].value.len, 0);
    ck_assert_ptr_nonnull(uri.options[3].value.ptr);
    ck_assert(!bsn_uri_get(&uri, BSN_STR("replicaSet"), &value));
    bsn_uri_free(&uri);
}
END_TEST

START_TEST(values_never_reach_a_warning)
{
    warnings seen;
    bsn_uri uri;
    bsn_error err;
    ck_assert_int_eq(parse("mongodb://a/?passwrd=s3cret&tls=s3cret", &uri, &seen, &err), BSN_OK);
    ck_assert_int_eq(seen.count, 2);
    ck_assert_ptr_null(strstr(seen.reason, "s3cret"));
    ck_assert_ptr_null(strstr(seen.key, "s3cret"));
    bsn_uri_free(&uri);
}
END_TEST

START_TEST(every_cut_of_a_string_is_safe)
{
    static const char text[] = "mongodb://us%40r:p%2Fw@h%C3%BCst:1,[::1]:2,%2Fs.sock/d%62?"
                               "appname=x&readPreferenceTags=a:b,c:d&tls=true&compressors=zlib,lz";
    for (size_t len = 0; len < sizeof text; len++) {
        bsn_uri uri;
        bsn_error err;
        char *cut = malloc(len + (len == 0));
        ck_assert_ptr_nonnull(cut);
        memcpy(cut, text, len);
        const bsn_str span = {.ptr = cut, .len = len};
        const bsn_status status = bsn_uri_parse(span, NULL, NULL, NULL, &uri, &err);
        free(cut);
        ck_assert(status == BSN_OK || (status == BSN_E_URI && err.offset <= len));
        if (status == BSN_OK) bsn_uri_free(&uri);
    }
}
END_TEST

Suite *uri_suite(void)
{
    Suite *suite = suite_create("uri");
    TCase *tcase = tcase_create("uri");
    tcase_add_test(tcase, public_cases_are_parsed_refused_and_warned_about_as_they_say);
    tcase_add_test(tcase, errors_tell_the_place_and_the_reason);
    tcase_add_test(tcase, timeouts_mean_what_the_header_says_whatever_stands_there);
    tcase_add_test(tcase, defaults_stand_where_the_string_says_nothing);
    tcase_add_test(tcase, repeated_options_keep_the_last_and_lists_of_tags_keep_all);
    tcase_add_test(tcase, values_never_reach_a_warning);
    tcase_add_test(tcase, every_cut_of_a_string_is_safe);
    suite_add_tcase(suite, tcase);
    return suite;
}
