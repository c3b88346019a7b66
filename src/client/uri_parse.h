/* SPDX-License-Identifier: Apache-2.0
 *
 * uri_parse.h -- what uri.c (splitting) and uri_options.c (what the options mean) share, and how values are read.
 */
#ifndef BSNI_URI_PARSE_H
#define BSNI_URI_PARSE_H

#include <bsonic/uri.h>

/* Room for the table of options. */
#define BSNI_URI_RULES_MAX 64

/* A parse at work. All that it makes lies in uri->block: hosts, options, then text. */
typedef struct uri_parse {
    bsn_str text;
    bsn_uri *uri;
    bsn_uri_host *hosts;
    bsn_uri_option *options;
    size_t place[BSNI_URI_RULES_MAX]; /* by rule: 1 + where in options it stands; 0: not seen */
    char *next; /* where the next decoded text goes; decoding never makes text longer */
    bsn_uri_warning warn;
    void *warn_ctx;
    bsn_error *err;
} uri_parse;

/* Fails at a place of the text. False, so that it can stand in a return statement. */
static inline bool bsni_uri_fail(uri_parse *p, const char *at, const char *detail)
{
    bsn_error_set(p->err, BSN_E_URI, (uint64_t)(at - p->text.ptr), detail);
    return false;
}

static inline void bsni_uri_warn(const uri_parse *p, bsn_str key, const char *reason)
{
    if (p->warn != NULL) p->warn(p->warn_ctx, key, reason);
}

/* True when both are the same but for the case of ASCII letters. */
bool bsni_uri_same_name(bsn_str a, bsn_str b);

/* The whole of a value as a decimal number from min to max. False, and *number untouched, when it is none. */
bool bsni_uri_read_integer(bsn_str value, int32_t min, int32_t max, int32_t *number);

/* True for `true` in all its spellings, the deprecated ones too. */
bool bsni_uri_is_yes(bsn_str value);

/* Takes in one option: known and sound, it goes to uri->options, and to its member if it has one; else a warning.
 * `raw` is the value before decoding, `at` where the option begins. False only for what makes the whole string wrong. */
bool bsni_uri_take_option(uri_parse *p, bsn_str key, bsn_str value, bsn_str raw, const char *at);

/* Looks at what options, hosts and credentials say together. */
bool bsni_uri_check_together(uri_parse *p);

#endif
