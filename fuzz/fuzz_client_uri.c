/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_client_uri.c -- property: any text is a connection string, with sound members that lie in its own block and hold no more
 * than the text did, or it is refused at a place inside the text. Outside of brackets a % stands in front of two hex digits.
 * Warnings name keys, never more than the text is long.
 *
 *     | text ... |
 */
#include "support.h"

#include <bsonic/uri.h>
#include <bsonic/validate.h>

static void expect_inside(const bsn_uri *uri, bsn_str text)
{
    const char *block = uri->block;
    if (text.ptr == NULL) return;
    MUST(text.ptr >= block && text.ptr + text.len <= block + uri->block_size);
    MUST(bsn_utf8_valid(text, NULL));
}

static void expect_sound(const bsn_uri *uri, size_t text_len)
{
    size_t sum = 0;
    MUST(uri->host_count >= 1);
    for (size_t i = 0; i < uri->host_count; i++) {
        const bsn_uri_host *host = &uri->hosts[i];
        expect_inside(uri, host->name);
        MUST(host->name.len >= 1 && memchr(host->name.ptr, 0, host->name.len) == NULL);
        MUST(host->kind >= BSN_HOST_NAME && host->kind <= BSN_HOST_UNIX);
        MUST((host->port == 0) == (host->kind == BSN_HOST_UNIX));
        sum += host->name.len;
    }
    for (size_t i = 0; i < uri->option_count; i++) {
        bsn_str value;
        expect_inside(uri, uri->options[i].key);
        expect_inside(uri, uri->options[i].value);
        MUST(bsn_uri_get(uri, uri->options[i].key, &value));
        sum += uri->options[i].key.len + uri->options[i].value.len;
    }
    expect_inside(uri, uri->username);
    expect_inside(uri, uri->password);
    expect_inside(uri, uri->database);
    MUST(sum + uri->username.len + uri->password.len + uri->database.len <= text_len);
    MUST(uri->connect_timeout_ms >= 0 && uri->socket_timeout_ms >= 0 && uri->timeout_ms >= 0);
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

static void expect_escapes(const char *text, size_t len)
{
    bool in_brackets = false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '[') in_brackets = true;
        if (text[i] == ']') in_brackets = false;
        if (text[i] != '%' || in_brackets) continue;
        MUST(len - i >= 3 && is_hex(text[i + 1]) && is_hex(text[i + 2]));
    }
}

static void expect_warning(void *ctx, bsn_str key, const char *reason)
{
    const size_t *text_len = ctx;
    MUST(key.len >= 1 && key.len <= *text_len && reason != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input;
    bsn_uri uri;
    bsn_error err = {0};
    if (!fuzz_input_open(&input, data, size, 0)) return 0;
    const bsn_str text = {.ptr = (const char *)input.bytes.ptr, .len = size};
    const bsn_status status = bsn_uri_parse(text, NULL, expect_warning, &size, &uri, &err);
    if (status == BSN_OK) expect_escapes(text.ptr, size);
    fuzz_input_close(&input); /* nothing borrows from the text */
    if (status == BSN_OK) {
        expect_sound(&uri, size);
        bsn_uri_free(&uri);
    } else {
        MUST(status == BSN_E_URI && err.status == status && err.offset <= size &&
             err.detail != NULL);
    }
    return 0;
}
