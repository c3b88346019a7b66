/* SPDX-License-Identifier: Apache-2.0
 *
 * status.c -- the texts of statuses, and the few functions on the types of base.h that are not inline.
 */
#include <bsonic/base.h>

#include <string.h>

/* A switch and not a table: the codes leave gaps for each layer to grow into, and the compiler then says which enumerator
 * has no text. */
const char *bsn_status_text(bsn_status status)
{
    switch (status) {
    case BSN_OK: return "no error";
    case BSN_E_NOMEM: return "out of memory";
    case BSN_E_SPACE: return "storage is full";
    case BSN_E_SIZE: return "too long for its length field";
    case BSN_E_LIMIT: return "a limit is passed";
    case BSN_E_STATE: return "call out of order";
    case BSN_E_SHORT: return "cut short";
    case BSN_E_LENGTH: return "length out of bounds";
    case BSN_E_TRAILING: return "bytes after the document";
    case BSN_E_TERMINATOR: return "terminator is not zero";
    case BSN_E_TYPE: return "unknown element type";
    case BSN_E_CSTRING: return "key or regex without an end";
    case BSN_E_BOOLEAN: return "boolean is neither 0 nor 1";
    case BSN_E_BINARY: return "inner length of old binary does not fit";
    case BSN_E_CODE_SCOPE: return "parts of code with scope do not add up";
    case BSN_E_UTF8: return "text is not UTF-8";
    case BSN_E_DEPTH: return "nested too deep";
    case BSN_E_NOT_FOUND: return "not found";
    case BSN_E_MISMATCH: return "another type than asked for";
    case BSN_E_RANGE: return "value out of range";
    case BSN_E_KEY_NUL: return "zero byte in a key or regex";
    case BSN_E_VALUE: return "value that its type cannot have";
    case BSN_E_SYNTAX: return "syntax error";
    case BSN_E_INEXACT: return "digits would be lost";
    case BSN_E_LOOKALIKE: return "document that reads back as something else";
    case BSN_E_PROTOCOL: return "message breaks the protocol";
    case BSN_E_CHECKSUM: return "checksum does not match";
    case BSN_E_COMPRESSED: return "compressed message is damaged";
    case BSN_E_IO: return "system call failed";
    case BSN_E_TIMEOUT: return "timed out";
    case BSN_E_CLOSED: return "connection closed by the peer";
    case BSN_E_RESOLVE: return "host name not resolved";
    case BSN_E_URI: return "not a connection string";
    case BSN_E_SERVER: return "server reports an error";
    case BSN_E_UNSUPPORTED: return "not supported";
    case BSN_E_CANCELLED: return "cancelled";
    }
    return "unknown status";
}

/* Appends as much of `part` as there is room for in front of the terminator. */
static size_t append_part(char text[BSN_ERROR_TEXT_MAX], size_t len, const char *part)
{
    const size_t room = BSN_ERROR_TEXT_MAX - 1 - len, wanted = strlen(part);
    const size_t taken = wanted < room ? wanted : room;
    memcpy(text + len, part, taken);
    text[len + taken] = '\0';
    return len + taken;
}

const char *bsn_error_text(const bsn_error *err, char text[BSN_ERROR_TEXT_MAX])
{
    size_t len = append_part(text, 0, bsn_status_text(err->status));
    if (err->detail == NULL) return text;
    len = append_part(text, len, ": ");
    append_part(text, len, err->detail);
    return text;
}

bsn_status bsn_error_set(bsn_error *err, bsn_status status, uint64_t offset, const char *detail)
{
    if (err != NULL) {
        const bsn_error filled = {.status = status, .offset = offset, .detail = detail};
        *err = filled;
    }
    return status;
}

/* memcmp must not see the NULL that an empty span may hold, even for a length of 0. */
static bool same_bytes(const void *a, size_t a_len, const void *b, size_t b_len)
{
    return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

bool bsn_str_equal(bsn_str a, bsn_str b)
{
    return same_bytes(a.ptr, a.len, b.ptr, b.len);
}

bool bsn_bytes_equal(bsn_bytes a, bsn_bytes b)
{
    return same_bytes(a.ptr, a.len, b.ptr, b.len);
}
