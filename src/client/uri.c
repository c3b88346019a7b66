/* SPDX-License-Identifier: Apache-2.0
 *
 * uri.c -- connection strings: split first, decode after.
 *
 *   mongodb://user:password@host:port,host/database?key=value&key=value
 *             └ up to the last @ ─┘└ hosts ───┘└ up to ? ┘└ options ──┘
 *             └ authority: up to the first / or ? ┘
 */
#include "client/percent.h"
#include "client/uri_parse.h"

#include "base/digit.h"

#include <bsonic/detail/len.h>
#include <bsonic/validate.h>

#include <arpa/inet.h>
#include <string.h>

#define PORT_DEFAULT 27017

static bsn_str between(const char *from, const char *to)
{
    const bsn_str part = {.ptr = from, .len = (size_t)(to - from)};
    return part;
}

/* The first `wanted` in the part, or its end. */
static const char *find(bsn_str part, char wanted)
{
    const char *found = part.len > 0 ? memchr(part.ptr, wanted, part.len) : NULL;
    return found != NULL ? found : part.ptr + part.len;
}

static const char *find_last(bsn_str part, char wanted)
{
    for (size_t i = part.len; i > 0; i--) {
        if (part.ptr[i - 1] == wanted) return part.ptr + i - 1;
    }
    return NULL;
}

/* Decodes %XX into the block. The result has a ptr even when it is empty. */
static bool decode(uri_parse *p, bsn_str raw, bsn_str *decoded)
{
    char *to = p->next;
    for (size_t i = 0; i < raw.len; i++) {
        if (raw.ptr[i] != '%') {
            *to++ = raw.ptr[i];
            continue;
        }
        const int value = bsni_percent_byte(raw, i);
        if (value < 0) return bsni_uri_fail(p, raw.ptr + i, "% without two hex digits");
        const unsigned char byte = (unsigned char)value;
        memcpy(to++, &byte, 1);
        i += 2;
    }
    *decoded = between(p->next, to);
    p->next = to;
    if (!bsn_utf8_valid(*decoded, NULL)) return bsni_uri_fail(p, raw.ptr, "not UTF-8");
    return true;
}

/* ------------------------------------------------------------------ user and password */

static bool take_credentials(uri_parse *p, bsn_str info)
{
    const char *at = find(info, '@');
    const char *colon = find(info, ':');
    const char *end = info.ptr + info.len;
    if (at != end) return bsni_uri_fail(p, at, "@ in user or password must be written %40");
    if (colon == info.ptr || info.len == 0) {
        return bsni_uri_fail(p, info.ptr, "user name is empty");
    }
    if (!decode(p, between(info.ptr, colon), &p->uri->username)) return false;
    if (colon == end) return true;
    const bsn_str password = between(colon + 1, end);
    const char *second = find(password, ':');
    if (second != end) return bsni_uri_fail(p, second, ": in a password must be written %3A");
    return decode(p, password, &p->uri->password);
}

/* ------------------------------------------------------------------ hosts */

static bool take_port(uri_parse *p, bsn_str digits, uint16_t *port)
{
    uint32_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (!bsni_is_digit(digits.ptr[i]) || value > UINT16_MAX) {
            return bsni_uri_fail(p, digits.ptr, "port is not a number from 1 to 65535");
        }
        value = value * 10 + (uint32_t)(digits.ptr[i] - '0');
    }
    if (value < 1 || value > UINT16_MAX) {
        return bsni_uri_fail(p, digits.ptr, "port is not a number from 1 to 65535");
    }
    *port = (uint16_t)value;
    return true;
}

/* True when libc reads the name as a numeric address of the family. */
static bool is_numeric(int family, bsn_str name)
{
    char text[INET6_ADDRSTRLEN];
    unsigned char address[sizeof(struct in6_addr)];
    if (name.len >= sizeof text) return false;
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    return inet_pton(family, text, address) == 1;
}

/* libc takes names as terminated text. */
static bool has_zero(bsn_str name)
{
    return find(name, '\0') != name.ptr + name.len;
}

/* [address], with a zone behind a % perhaps: the zone's name is the system's business. */
static bool take_ipv6(uri_parse *p, bsn_str inside, bsn_uri_host *host)
{
    if (!decode(p, inside, &host->name)) return false;
    if (has_zero(host->name)) return bsni_uri_fail(p, inside.ptr, "host name holds a zero byte");
    const bsn_str address = between(host->name.ptr, find(host->name, '%'));
    if (!is_numeric(AF_INET6, address)) {
        return bsni_uri_fail(p, inside.ptr, "not an IPv6 address between [ and ]");
    }
    host->kind = BSN_HOST_IPV6;
    return true;
}

static bool ends_in_sock(bsn_str path)
{
    static const char end[] = {'.', 's', 'o', 'c', 'k'};
    return path.len > sizeof end && memcmp(path.ptr + path.len - sizeof end, end, sizeof end) == 0;
}

static bool take_name(uri_parse *p, bsn_str raw, bsn_uri_host *host)
{
    if (raw.len == 0) return bsni_uri_fail(p, raw.ptr, "host name is empty");
    if (!decode(p, raw, &host->name)) return false;
    if (has_zero(host->name)) return bsni_uri_fail(p, raw.ptr, "host name holds a zero byte");
    host->kind = is_numeric(AF_INET, host->name) ? BSN_HOST_IPV4 : BSN_HOST_NAME;
    if (find(host->name, '/') == host->name.ptr + host->name.len) return true;
    if (!ends_in_sock(host->name)) return bsni_uri_fail(p, raw.ptr, "path does not end in .sock");
    if (host->port_given) return bsni_uri_fail(p, raw.ptr, "a Unix socket has no port");
    host->kind = BSN_HOST_UNIX;
    host->port = 0;
    return true;
}

static bool take_host(uri_parse *p, bsn_str raw)
{
    bsn_uri_host *host = &p->hosts[p->uri->host_count++];
    const bsn_uri_host fresh = {.port = PORT_DEFAULT};
    *host = fresh;
    const char *end = raw.ptr + raw.len;
    const bool bracket = raw.len > 0 && raw.ptr[0] == '[';
    const char *name_end = bracket ? find(raw, ']') : raw.ptr;
    if (bracket && name_end == end) return bsni_uri_fail(p, raw.ptr, "[ without ]");

    const bsn_str behind = between(bracket ? name_end + 1 : raw.ptr, end);
    const char *colon = find(behind, ':');
    if (colon != end) {
        const bsn_str port = between(colon + 1, end);
        host->port_given = true;
        if (!take_port(p, port, &host->port)) return false;
    }
    if (!bracket) return take_name(p, between(raw.ptr, colon), host);
    if (colon != behind.ptr)
        return bsni_uri_fail(p, behind.ptr, "something between ] and the port");
    return take_ipv6(p, between(raw.ptr + 1, name_end), host);
}

static bool take_hosts(uri_parse *p, bsn_str list)
{
    const char *end = list.ptr + list.len;
    for (;;) {
        const char *comma = find(list, ',');
        if (!take_host(p, between(list.ptr, comma))) return false;
        if (comma == end) return true;
        list = between(comma + 1, end);
    }
}

/* ------------------------------------------------------------------ database and options */

static bool take_database(uri_parse *p, bsn_str raw)
{
    if (raw.len == 0) return true;
    bsn_str name;
    if (!decode(p, raw, &name)) return false;
    for (size_t i = 0; i < name.len; i++) {
        if (memchr("/\\ \"$", name.ptr[i], 6) != NULL) { /* the literal's final zero too */
            return bsni_uri_fail(p, raw.ptr, "character that a database name cannot have");
        }
    }
    p->uri->database = name;
    return true;
}

static bool take_pair(uri_parse *p, bsn_str pair)
{
    const char *end = pair.ptr + pair.len;
    const char *equals = find(pair, '=');
    bsn_str key, value;
    if (equals == end) return bsni_uri_fail(p, pair.ptr, "option without =");
    if (equals == pair.ptr) return bsni_uri_fail(p, pair.ptr, "option without a name");
    const bsn_str raw = between(equals + 1, end);
    if (!decode(p, between(pair.ptr, equals), &key) || !decode(p, raw, &value)) return false;
    return bsni_uri_take_option(p, key, value, raw, pair.ptr);
}

static bool take_options(uri_parse *p, bsn_str list)
{
    const char *end = list.ptr + list.len;
    while (list.len > 0) {
        const char *ampersand = find(list, '&');
        if (!take_pair(p, between(list.ptr, ampersand))) return false;
        if (ampersand == end) break;
        list = between(ampersand + 1, end);
        if (list.len == 0) return bsni_uri_fail(p, ampersand, "& without an option behind it");
    }
    return true;
}

/* ------------------------------------------------------------------ all of it */

static bool take_scheme(uri_parse *p, bsn_str *rest)
{
    static const char plain[] = "mongodb://", srv[] = "mongodb+srv://";
    const bsn_str text = p->text;
    size_t len = sizeof plain - 1;
    if (text.len >= sizeof srv - 1 && memcmp(text.ptr, srv, sizeof srv - 1) == 0) {
        p->uri->srv = true;
        len = sizeof srv - 1;
    } else if (text.len < len || memcmp(text.ptr, plain, len) != 0) {
        return bsni_uri_fail(p, text.ptr, "does not begin with mongodb:// or mongodb+srv://");
    }
    *rest = between(text.ptr + len, text.ptr + text.len);
    return true;
}

static bool take_all(uri_parse *p)
{
    bsn_str rest;
    size_t sound;
    if (!bsn_utf8_valid(p->text, &sound)) return bsni_uri_fail(p, p->text.ptr + sound, "not UTF-8");
    if (!take_scheme(p, &rest)) return false;

    const char *end = rest.ptr + rest.len;
    const char *question = find(rest, '?');
    const char *slash = find(between(rest.ptr, question), '/');
    bsn_str authority = between(rest.ptr, slash);
    const char *at = find_last(authority, '@');
    if (at != NULL) {
        if (!take_credentials(p, between(authority.ptr, at))) return false;
        authority = between(at + 1, slash);
    }
    if (!take_hosts(p, authority)) return false;
    if (slash != question && !take_database(p, between(slash + 1, question))) return false;
    if (question != end && !take_options(p, between(question + 1, end))) return false;
    return bsni_uri_check_together(p);
}

static size_t count_of(bsn_str text, char wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) count += text.ptr[i] == wanted;
    return count;
}

/* One block for everything: as many hosts as there can be, as many options, and the text, which decoding does not make longer. */
static bool take_block(uri_parse *p)
{
    size_t hosts = 0, options = 0, size = 0;
    if (!bsn_len_mul(count_of(p->text, ',') + 1, sizeof *p->hosts, &hosts) ||
        !bsn_len_mul(count_of(p->text, '&') + 1, sizeof *p->options, &options) ||
        !bsn_len_add(hosts, options, &size) || !bsn_len_add(size, p->text.len + 1, &size)) {
        return false;
    }
    void *block = bsn_alloc_resize(p->uri->alloc, NULL, 0, size);
    if (block == NULL) return false;
    p->uri->block = block;
    p->uri->block_size = size;
    p->hosts = block;
    p->options = (bsn_uri_option *)(p->hosts + hosts / sizeof *p->hosts);
    p->next = (char *)(p->options + options / sizeof *p->options);
    p->uri->hosts = p->hosts;
    p->uri->options = p->options;
    return true;
}

_Static_assert(sizeof(bsn_uri_host) % _Alignof(bsn_uri_option) == 0, "options may follow hosts");

bsn_status bsn_uri_parse(bsn_str text, const bsn_alloc *alloc, bsn_uri_warning warn, void *warn_ctx,
                         bsn_uri *uri, bsn_error *err)
{
    const bsn_uri defaults = {.connect_timeout_ms = 10000, .server_selection_timeout_ms = 30000};
    bsn_error local;
    uri_parse p = {.text = text, .uri = uri, .warn = warn, .warn_ctx = warn_ctx};
    p.err = err != NULL ? err : &local;
    *uri = defaults;
    uri->alloc = alloc;
    if (!take_block(&p)) return bsn_error_set(p.err, BSN_E_NOMEM, 0, NULL);
    if (take_all(&p)) return BSN_OK;
    bsn_uri_free(uri);
    return p.err->status;
}

/* A password must not stay in memory that is given back; volatile, so that the stores are not dropped as useless. */
static void wipe(void *block, size_t size)
{
    volatile char *bytes = block;
    for (size_t i = 0; i < size; i++) bytes[i] = 0;
}

void bsn_uri_free(bsn_uri *uri)
{
    const bsn_uri empty = {0};
    if (uri->block != NULL) {
        wipe(uri->block, uri->block_size);
        bsn_alloc_resize(uri->alloc, uri->block, uri->block_size, 0);
    }
    *uri = empty;
}

bool bsn_uri_get(const bsn_uri *uri, bsn_str key, bsn_str *value)
{
    for (size_t i = uri->option_count; i > 0; i--) {
        if (!bsni_uri_same_name(uri->options[i - 1].key, key)) continue;
        *value = uri->options[i - 1].value;
        return true;
    }
    return false;
}
