/* SPDX-License-Identifier: Apache-2.0
 *
 * uri.h -- connection strings, taken apart:
 *
 *   mongodb://user:password@host:27017,[::1]:27018/database?name=value&name=value
 *
 * The string is split first and percent-decoded after. Parsing knows more than the client can do: what it cannot (credentials,
 * TLS, SRV lookup, .. in this version) is refused when a client is opened, not here.    [Connection String specification]
 */
#ifndef BSONIC_URI_H
#define BSONIC_URI_H

#include <bsonic/mem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bsn_host_kind {
    BSN_HOST_NAME = 1,
    BSN_HOST_IPV4,
    BSN_HOST_IPV6, /* without its brackets */
    BSN_HOST_UNIX  /* the path of a socket; no port */
} bsn_host_kind;

typedef struct bsn_uri_host {
    bsn_host_kind kind;
    bsn_str name;  /* decoded */
    uint16_t port; /* 27017 when the string has none; 0 for a Unix socket */
    bool port_given;
} bsn_uri_host;

/* An option as it stands in the string, decoded, in order. Keys are compared without case: use bsn_uri_get. */
typedef struct bsn_uri_option {
    bsn_str key;
    bsn_str value;
} bsn_uri_option;

/* Yes, no, or not said. */
typedef enum bsn_tristate { BSN_UNSET = 0, BSN_NO, BSN_YES } bsn_tristate;

/* A connection string. All of its text lives in one block of its own; the members may be read until bsn_uri_free.
 * A bsn_str whose ptr is NULL was not given; given and empty has a ptr. */
typedef struct bsn_uri {
    bool srv; /* mongodb+srv */
    const bsn_uri_host *hosts;
    size_t host_count;
    bsn_str username;
    bsn_str password;
    bsn_str database;

    bsn_str app_name;
    bsn_str replica_set;
    bsn_str auth_source;
    bsn_str auth_mechanism;
    bsn_tristate tls;
    bsn_tristate direct_connection;
    bsn_tristate load_balanced;

    /* Times in milliseconds; 0: no limit. What stands here when the string says nothing: */
    int32_t connect_timeout_ms;          /* 10 000: until the connection is made and greeted */
    int32_t socket_timeout_ms;           /* 0: the longest silence while a reply is awaited */
    int32_t server_selection_timeout_ms; /* 30 000: how long hosts that cannot be reached are tried */
    int32_t timeout_ms;                  /* 0: an operation from begin to end */

    /* Every option of the string that is known, whether or not it has a member above; bad values are left out. */
    const bsn_uri_option *options;
    size_t option_count;

    /* private */
    void *block;
    size_t block_size;
    const bsn_alloc *alloc;
} bsn_uri;

/* What does not make a string wrong, but should be said: an unknown option, a value that is ignored, a deprecated spelling.
 * `key` borrows from the parse; `reason` is static. Values are never passed: they may be secrets. */
typedef void (*bsn_uri_warning)(void *ctx, bsn_str key, const char *reason);

/* Takes a connection string apart. `warn` may be NULL.
 *
 * Returns  BSN_OK with *uri set; any other status leaves nothing to free.
 * Errors   BSN_E_URI    not a connection string: offset in bytes of the place, detail says what is wrong there
 *          BSN_E_NOMEM
 * Memory   one allocation, a small multiple of text.len; nothing borrows from text.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_uri_parse(bsn_str text, const bsn_alloc *alloc, bsn_uri_warning warn,
                                                void *warn_ctx, bsn_uri *uri, bsn_error *err);

BSN_API void bsn_uri_free(bsn_uri *uri);

/* The value of an option, by its name in any case; false when the string does not have it. Of a repeated option the last. */
BSN_API bool bsn_uri_get(const bsn_uri *uri, bsn_str key, bsn_str *value);

#ifdef __cplusplus
}
#endif
#endif
