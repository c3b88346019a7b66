/* SPDX-License-Identifier: Apache-2.0
 *
 * uri_options.c -- the options of connection strings: which there are, what their values look like, and which exclude each other.
 *
 * An option that is unknown, or whose value is not one, is warned about and left out; only what the specification calls an error
 * makes the string wrong.                                         [URI Options and Connection String specifications]
 */
#include "client/uri_parse.h"

#include "base/digit.h"

#include <stddef.h>
#include <string.h>

typedef enum option_kind {
    TEXT,    /* anything */
    BOOLEAN, /* true, false */
    INTEGER, /* min..max */
    CHOICE,  /* one of `words`, which are separated by blanks; in any case */
    CHOICES, /* some of them, separated by commas */
    PAIRS    /* name:value, separated by commas */
} option_kind;

typedef struct option_rule {
    const char *name;
    option_kind kind;
    int32_t min;
    int32_t max;
    const char *words;
    size_t member; /* offset in bsn_uri, by kind: bsn_str, bsn_tristate or int32_t; 0: none */
} option_rule;

#define NO_MEMBER 0
#define MEMBER(name) offsetof(bsn_uri, name)
#define ANY INT32_MAX

static const option_rule rules[] = {
    {"appName", TEXT, 0, 128, NULL, MEMBER(app_name)},
    {"authMechanism", TEXT, 0, ANY, NULL, MEMBER(auth_mechanism)},
    {"authMechanismProperties", PAIRS, 0, 0, NULL, NO_MEMBER},
    {"authSource", TEXT, 0, ANY, NULL, MEMBER(auth_source)},
    {"compressors", CHOICES, 0, 0, "snappy zlib zstd", NO_MEMBER},
    {"connectTimeoutMS", INTEGER, 0, ANY, NULL, MEMBER(connect_timeout_ms)},
    {"directConnection", BOOLEAN, 0, 0, NULL, MEMBER(direct_connection)},
    {"enableOverloadRetargeting", BOOLEAN, 0, 0, NULL, NO_MEMBER},
    {"heartbeatFrequencyMS", INTEGER, 0, ANY, NULL, NO_MEMBER},
    {"journal", BOOLEAN, 0, 0, NULL, NO_MEMBER},
    {"loadBalanced", BOOLEAN, 0, 0, NULL, MEMBER(load_balanced)},
    {"localThresholdMS", INTEGER, 0, ANY, NULL, NO_MEMBER},
    {"maxAdaptiveRetries", INTEGER, 0, ANY, NULL, NO_MEMBER},
    {"maxConnecting", INTEGER, 1, ANY, NULL, NO_MEMBER},
    {"maxIdleTimeMS", INTEGER, 0, ANY, NULL, NO_MEMBER},
    {"maxPoolSize", INTEGER, 0, ANY, NULL, NO_MEMBER},
    {"maxStalenessSeconds", INTEGER, -1, ANY, NULL, NO_MEMBER},
    {"minPoolSize", INTEGER, 0, ANY, NULL, NO_MEMBER},
    {"proxyHost", TEXT, 0, ANY, NULL, NO_MEMBER},
    {"proxyPassword", TEXT, 0, ANY, NULL, NO_MEMBER},
    {"proxyPort", INTEGER, 1, 65535, NULL, NO_MEMBER},
    {"proxyUsername", TEXT, 0, ANY, NULL, NO_MEMBER},
    {"readConcernLevel", TEXT, 0, ANY, NULL, NO_MEMBER},
    {"readPreference", CHOICE, 0, 0,
     "primary primaryPreferred secondary secondaryPreferred nearest", NO_MEMBER},
    {"readPreferenceTags", PAIRS, 0, 0, NULL, NO_MEMBER},
    {"replicaSet", TEXT, 0, ANY, NULL, MEMBER(replica_set)},
    {"retryReads", BOOLEAN, 0, 0, NULL, NO_MEMBER},
    {"retryWrites", BOOLEAN, 0, 0, NULL, NO_MEMBER},
    {"serverMonitoringMode", CHOICE, 0, 0, "auto stream poll", NO_MEMBER},
    {"serverSelectionTimeoutMS", INTEGER, 0, ANY, NULL, MEMBER(server_selection_timeout_ms)},
    {"serverSelectionTryOnce", BOOLEAN, 0, 0, NULL, NO_MEMBER},
    {"socketTimeoutMS", INTEGER, 0, ANY, NULL, MEMBER(socket_timeout_ms)},
    {"srvMaxHosts", INTEGER, 0, ANY, NULL, NO_MEMBER},
    {"srvServiceName", TEXT, 0, ANY, NULL, NO_MEMBER},
    {"ssl", BOOLEAN, 0, 0, NULL, MEMBER(tls)},
    {"timeoutMS", INTEGER, 0, ANY, NULL, MEMBER(timeout_ms)},
    {"tls", BOOLEAN, 0, 0, NULL, MEMBER(tls)},
    {"tlsAllowInvalidCertificates", BOOLEAN, 0, 0, NULL, NO_MEMBER},
    {"tlsAllowInvalidHostnames", BOOLEAN, 0, 0, NULL, NO_MEMBER},
    {"tlsCAFile", TEXT, 0, ANY, NULL, NO_MEMBER},
    {"tlsCertificateKeyFile", TEXT, 0, ANY, NULL, NO_MEMBER},
    {"tlsCertificateKeyFilePassword", TEXT, 0, ANY, NULL, NO_MEMBER},
    {"tlsDisableCertificateRevocationCheck", BOOLEAN, 0, 0, NULL, NO_MEMBER},
    {"tlsDisableOCSPEndpointCheck", BOOLEAN, 0, 0, NULL, NO_MEMBER},
    {"tlsInsecure", BOOLEAN, 0, 0, NULL, NO_MEMBER},
    {"w", TEXT, 0, ANY, NULL, NO_MEMBER},
    {"waitQueueTimeoutMS", INTEGER, 0, ANY, NULL, NO_MEMBER},
    {"wTimeoutMS", INTEGER, 0, ANY, NULL, NO_MEMBER},
    {"zlibCompressionLevel", INTEGER, -1, 9, NULL, NO_MEMBER},
};

_Static_assert(sizeof rules / sizeof rules[0] <= BSNI_URI_RULES_MAX, "a place for every rule");

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool bsni_uri_same_name(bsn_str a, bsn_str b)
{
    if (a.len != b.len) return false;
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i])) return false;
    }
    return true;
}

static const option_rule *rule_of(bsn_str key)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (bsni_uri_same_name(key, bsn_str_from(rules[i].name))) return &rules[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------ values */

/* True when one of the words, which are separated by blanks, is `word`. */
static bool is_among(const char *words, bsn_str word)
{
    while (*words != '\0') {
        const size_t len = strcspn(words, " ");
        const bsn_str one = {.ptr = words, .len = len};
        if (bsni_uri_same_name(one, word)) return true;
        words += len + (words[len] == ' ');
    }
    return false;
}

/* Cuts the part up to the next comma off the front of *list. */
static bsn_str take_item(bsn_str *list)
{
    const char *comma = list->len > 0 ? memchr(list->ptr, ',', list->len) : NULL;
    bsn_str item = *list;
    if (comma != NULL) item.len = (size_t)(comma - list->ptr);
    const size_t used = item.len + (comma != NULL);
    list->ptr += used;
    list->len -= used;
    return item;
}

bool bsni_uri_read_integer(bsn_str value, int32_t min, int32_t max, int32_t *number)
{
    const bool negative = value.len > 0 && value.ptr[0] == '-';
    int64_t sum = 0;
    if (value.len == (size_t)negative) return false;
    for (size_t i = negative; i < value.len; i++) {
        if (!bsni_is_digit(value.ptr[i])) return false;
        sum = sum * 10 + (value.ptr[i] - '0');
        if (sum > INT32_MAX) return false;
    }
    if (negative) sum = -sum;
    if (sum < min || sum > max) return false;
    *number = (int32_t)sum;
    return true;
}

bool bsni_uri_is_yes(bsn_str value)
{
    return is_among("true 1 yes y t", value);
}

/* The specification's two words; the old spellings are understood, and warned about. */
static bool take_boolean(const uri_parse *p, bsn_str key, bsn_str value, bsn_tristate *result)
{
    const bool yes = bsni_uri_is_yes(value), no = is_among("false 0 -1 no n f", value);
    if (!yes && !no) return false;
    *result = yes ? BSN_YES : BSN_NO;
    if (!is_among("true false", value)) {
        bsni_uri_warn(p, key, "this spelling is deprecated: write true or false");
    }
    return true;
}

/* Compressors: unknown ones are dropped by whoever uses the list; here they are told of. */
static bool check_choices(const uri_parse *p, bsn_str key, bsn_str value, const char *words)
{
    bool any = false;
    while (value.len > 0) {
        if (is_among(words, take_item(&value))) {
            any = true;
        } else {
            bsni_uri_warn(p, key, "a name in the list is unknown and ignored");
        }
    }
    return any;
}

/* Pairs are split at commas after decoding, so a value cannot hold one: an encoded comma has hardly the meaning its writer had in
 * mind. Empty is allowed: tags that match everything. */
static bool check_pairs(const uri_parse *p, bsn_str key, bsn_str value, bsn_str raw)
{
    for (size_t i = 0; i + 3 <= raw.len; i++) {
        if (memcmp(raw.ptr + i, "%2C", 3) == 0 || memcmp(raw.ptr + i, "%2c", 3) == 0) {
            bsni_uri_warn(p, key, "a comma in a value ends it, %2C too");
            return false;
        }
    }
    while (value.len > 0) {
        const bsn_str item = take_item(&value);
        if (item.len == 0 || memchr(item.ptr, ':', item.len) == NULL) {
            bsni_uri_warn(p, key, "not a list of name:value");
            return false;
        }
    }
    return true;
}

static bool check_text(bsn_str value, int32_t max)
{
    return value.len > 0 && value.len <= (size_t)max;
}

static void *member_of(const uri_parse *p, const option_rule *rule)
{
    return (char *)p->uri + rule->member;
}

/* Checks a value, and sets the option's member. False, and a warning was given, when it is not one. */
static bool take_value(uri_parse *p, const option_rule *rule, bsn_str key, bsn_str value,
                       bsn_str raw)
{
    bool sound = false;
    bsn_tristate truth = BSN_UNSET;
    int32_t number = 0;
    switch (rule->kind) {
    case TEXT: sound = check_text(value, rule->max); break;
    case BOOLEAN: sound = take_boolean(p, key, value, &truth); break;
    case INTEGER: sound = bsni_uri_read_integer(value, rule->min, rule->max, &number); break;
    case CHOICE: sound = is_among(rule->words, value); break;
    case CHOICES: return check_choices(p, key, value, rule->words);
    case PAIRS: return check_pairs(p, key, value, raw);
    }
    if (!sound) {
        bsni_uri_warn(p, key, "not a value of this option; it is ignored");
        return false;
    }
    if (rule->member == NO_MEMBER) return true;
    if (rule->kind == TEXT) *(bsn_str *)member_of(p, rule) = value;
    if (rule->kind == BOOLEAN) *(bsn_tristate *)member_of(p, rule) = truth;
    if (rule->kind == INTEGER) *(int32_t *)member_of(p, rule) = number;
    return true;
}

/* ------------------------------------------------------------------ one option */

static bool has(const uri_parse *p, const char *name)
{
    bsn_str value;
    return bsn_uri_get(p->uri, bsn_str_from(name), &value);
}

static bool is_list(const option_rule *rule)
{
    return strcmp(rule->name, "readPreferenceTags") == 0;
}

/* Repeated proxy options are errors, lists of tags are meant to be repeated, the rest is warned about. */
static bool check_repeated(uri_parse *p, const option_rule *rule, bsn_str key, const char *at)
{
    if (p->place[rule - rules] == 0 || is_list(rule)) return true;
    if (strncmp(rule->name, "proxy", 5) == 0) {
        return bsni_uri_fail(p, at, "proxy option twice");
    }
    bsni_uri_warn(p, key, "given more than once: the last one counts");
    return true;
}

/* Adds the option to the list; a repeated one takes the earlier one's place. */
static void keep(uri_parse *p, const option_rule *rule, bsn_str key, bsn_str value)
{
    const bsn_uri_option option = {.key = key, .value = value};
    size_t *place = &p->place[rule - rules];
    if (*place == 0 || is_list(rule)) *place = ++p->uri->option_count;
    p->options[*place - 1] = option;
}

bool bsni_uri_take_option(uri_parse *p, bsn_str key, bsn_str value, bsn_str raw, const char *at)
{
    const option_rule *rule = rule_of(key);
    if (rule == NULL) {
        bsni_uri_warn(p, key, "unknown option; it is ignored");
        return true;
    }
    if (value.len == 0 && strcmp(rule->name, "authSource") == 0) {
        return bsni_uri_fail(p, at, "authSource is empty");
    }
    if (!check_repeated(p, rule, key, at)) return false;
    const bsn_tristate tls_before = p->uri->tls;
    if (!take_value(p, rule, key, value, raw)) return true;
    if (rule->member == MEMBER(tls) && tls_before != BSN_UNSET && tls_before != p->uri->tls) {
        return bsni_uri_fail(p, at, "tls and ssl contradict each other");
    }
    keep(p, rule, key, value);
    return true;
}

/* ------------------------------------------------------------------ options together */

/* Pairs of options that exclude each other whatever their values. */
static const char *const excluded[][2] = {
    {"tlsInsecure", "tlsAllowInvalidCertificates"},
    {"tlsInsecure", "tlsAllowInvalidHostnames"},
    {"tlsInsecure", "tlsDisableOCSPEndpointCheck"},
    {"tlsInsecure", "tlsDisableCertificateRevocationCheck"},
    {"tlsAllowInvalidCertificates", "tlsDisableOCSPEndpointCheck"},
    {"tlsAllowInvalidCertificates", "tlsDisableCertificateRevocationCheck"},
    {"tlsDisableOCSPEndpointCheck", "tlsDisableCertificateRevocationCheck"},
};

static const char *fault_of_tls(const uri_parse *p)
{
    for (size_t i = 0; i < sizeof excluded / sizeof excluded[0]; i++) {
        if (has(p, excluded[i][0]) && has(p, excluded[i][1])) {
            return "TLS options that exclude each other";
        }
    }
    return NULL;
}

static const char *fault_of_topology(const bsn_uri *uri)
{
    const bool direct = uri->direct_connection == BSN_YES;
    const bool balanced = uri->load_balanced == BSN_YES;
    if (direct && uri->srv) return "directConnection=true with mongodb+srv";
    if (direct && uri->host_count > 1) return "directConnection=true with several hosts";
    if (balanced && uri->host_count > 1) return "loadBalanced=true with several hosts";
    if (balanced && uri->replica_set.ptr != NULL) return "loadBalanced=true with replicaSet";
    if (balanced && direct) return "loadBalanced=true with directConnection=true";
    return NULL;
}

static const char *fault_of_srv(const uri_parse *p)
{
    const bsn_uri *uri = p->uri;
    bsn_str hosts_max;
    const bool limited = bsn_uri_get(uri, BSN_STR("srvMaxHosts"), &hosts_max);
    if (!uri->srv) {
        if (limited) return "srvMaxHosts without mongodb+srv";
        return has(p, "srvServiceName") ? "srvServiceName without mongodb+srv" : NULL;
    }
    if (uri->host_count != 1) return "mongodb+srv takes one host";
    if (uri->hosts[0].port_given) return "mongodb+srv takes no port";
    if (uri->hosts[0].kind != BSN_HOST_NAME) return "mongodb+srv takes a host name";
    if (!limited || bsn_str_equal(hosts_max, BSN_STR("0"))) return NULL;
    if (uri->replica_set.ptr != NULL) return "srvMaxHosts with replicaSet";
    return uri->load_balanced == BSN_YES ? "srvMaxHosts with loadBalanced=true" : NULL;
}

static const char *fault_of_proxy(const uri_parse *p)
{
    const bool user = has(p, "proxyUsername"), password = has(p, "proxyPassword");
    if (!has(p, "proxyHost") && (user || password || has(p, "proxyPort"))) {
        return "proxy options without proxyHost";
    }
    return user != password ? "proxyUsername and proxyPassword need each other" : NULL;
}

static const char *fault_of_write_concern(const uri_parse *p)
{
    bsn_str w, journal;
    int32_t servers;
    if (!bsn_uri_get(p->uri, BSN_STR("w"), &w)) return NULL;
    if (!bsni_uri_read_integer(w, 0, INT32_MAX, &servers) || servers != 0) return NULL;
    if (!bsn_uri_get(p->uri, BSN_STR("journal"), &journal)) return NULL;
    return bsni_uri_is_yes(journal) ? "w=0 with journal=true" : NULL;
}

bool bsni_uri_check_together(uri_parse *p)
{
    const char *fault = fault_of_srv(p);
    if (fault == NULL) fault = fault_of_topology(p->uri);
    if (fault == NULL) fault = fault_of_tls(p);
    if (fault == NULL) fault = fault_of_proxy(p);
    if (fault == NULL) fault = fault_of_write_concern(p);
    return fault == NULL || bsni_uri_fail(p, p->text.ptr, fault);
}
