/* SPDX-License-Identifier: Apache-2.0
 *
 * base.h -- the words that every other header speaks: byte spans, text spans, statuses, errors, limits.
 *
 * Nothing here allocates, and nothing here has state. All types are plain values.
 */
#ifndef BSONIC_BASE_H
#define BSONIC_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(BSONIC_SHARED)
#ifdef BSONIC_BUILDING
#define BSN_API __declspec(dllexport)
#else
#define BSN_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define BSN_API __attribute__((visibility("default")))
#else
#define BSN_API
#endif

#if defined(__GNUC__)
#define BSN_MUST_CHECK __attribute__((warn_unused_result))
#define BSN_LIKELY(x) __builtin_expect(!!(x), 1)
#define BSN_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define BSN_MUST_CHECK
#define BSN_LIKELY(x) (x)
#define BSN_UNLIKELY(x) (x)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A borrowed span of bytes: `len` bytes at `ptr`. ptr may be NULL only when len is 0. */
typedef struct bsn_bytes {
    const uint8_t *ptr;
    size_t len;
} bsn_bytes;

/* A borrowed span of text: `len` bytes of UTF-8 (as far as it has been checked) at `ptr`.
 * It may hold U+0000, and nothing may be read at ptr[len]. */
typedef struct bsn_str {
    const char *ptr;
    size_t len;
} bsn_str;

/* Nesting that a reader, writer, printer or parser follows unless told otherwise. Depth counts nested BSON documents:
 * the outermost is 1; embedded documents, arrays and scopes add one each. */
#define BSN_DEPTH_DEFAULT 200

/* The largest document that BSON's int32 length can state, in bytes. */
#define BSN_DOC_SIZE_MAX INT32_MAX

/* The smallest document, in bytes: an int32 length and the final 0x00. */
#define BSN_DOC_SIZE_MIN 5

/* What went wrong. 0 is success; a code, once released, keeps its number.
 * Each BSON code is shown with the smallest input that causes it. */
typedef enum bsn_status {
    BSN_OK = 0,

    /* any layer */
    BSN_E_NOMEM = 1, /* the allocator refused */
    BSN_E_SPACE = 2, /* fixed storage is full; the exact size needed is known: see bsn_out_len */
    BSN_E_SIZE = 3,  /* a document, string or message would be longer than its length field can say */
    BSN_E_LIMIT = 4, /* a limit that the caller set (size, count) is passed */
    BSN_E_STATE = 5, /* calls out of order: an end without its begin, a value after the end */

    /* reading BSON */
    BSN_E_SHORT = 16,      /* fewer bytes than a length or a fixed-size value needs   06 00 00 00 00 */
    BSN_E_LENGTH = 17,     /* a length below its minimum or past what encloses it     04 00 00 00 */
    BSN_E_TRAILING = 18,   /* bytes after the document, where one was expected        05 00 00 00 00 00 */
    BSN_E_TERMINATOR = 19, /* a byte that must be 0x00 is not                         05 00 00 00 01 */
    BSN_E_TYPE = 20,       /* an element type that BSON does not have                 08 00 00 00 20 61 00 00 */
    BSN_E_CSTRING = 21,    /* a key or regex part runs into the document's final 0x00 07 00 00 00 0A 61 00 */
    BSN_E_BOOLEAN = 22,    /* a boolean other than 0 or 1                             09 00 00 00 08 61 00 02 00 */
    BSN_E_BINARY = 23,     /* subtype 02: its inner length is not the outer minus 4
                              0C 00 00 00 05 00 00 00 00 00 02 00 */
    BSN_E_CODE_SCOPE = 24, /* code with scope: total, string and scope do not add up
                              16 00 00 00 0F 61 00 0F 00 00 00 01 00 00 00 00 05 00 00 00 00 00 */
    BSN_E_UTF8 = 25,       /* text that is not UTF-8            0E 00 00 00 02 61 00 02 00 00 00 FF 00 00 */
    BSN_E_DEPTH = 26,      /* documents nested deeper than the limit */

    /* looking into BSON */
    BSN_E_NOT_FOUND = 32, /* no element at this key or path */
    BSN_E_MISMATCH = 33,  /* the element has another type than the one asked for */
    BSN_E_RANGE = 34,     /* the value does not fit the type asked for */

    /* writing BSON */
    BSN_E_KEY_NUL = 40, /* U+0000 in a key or a regex part */
    BSN_E_VALUE = 41,   /* a value that its type cannot have: an unsound raw value or document */

    /* text forms of values */
    BSN_E_SYNTAX = 48,    /* not the text form that was expected */
    BSN_E_INEXACT = 49,   /* decimal128: digits would be lost */
    BSN_E_LOOKALIKE = 50, /* a document that text cannot tell from a wrapper          {"a": {"$oid": 5}} */

    /* wire protocol */
    BSN_E_PROTOCOL = 64,   /* a message that breaks the protocol: bad header, flag, section, responseTo, count */
    BSN_E_CHECKSUM = 65,   /* the message's CRC-32C does not match */
    BSN_E_COMPRESSED = 66, /* OP_COMPRESSED: unknown compressor, wrong size, damaged bytes */

    /* files, network, servers (client library) */
    BSN_E_IO = 80,          /* a system call failed; bsn_error.os_error has errno */
    BSN_E_TIMEOUT = 81,     /* a deadline passed */
    BSN_E_CLOSED = 82,      /* the peer closed the connection */
    BSN_E_RESOLVE = 83,     /* a host name could not be resolved */
    BSN_E_URI = 84,         /* a connection string that is not one */
    BSN_E_SERVER = 85,      /* the server answered ok: 0, or with write errors */
    BSN_E_UNSUPPORTED = 86, /* well-formed, but not among the things this build or peer can do */
    BSN_E_CANCELLED = 87    /* the caller asked to stop */
} bsn_status;

/* Where and why something failed. Filled only on failure; needs no freeing; may be NULL wherever it is a parameter. */
typedef struct bsn_error {
    bsn_status status;
    uint32_t line;      /* text input: line from 1; 0 when the input is not text */
    uint32_t column;    /* text input: byte in that line from 1 */
    int os_error;       /* BSN_E_IO: errno, else 0 */
    uint64_t offset;    /* bytes from the start of the input: the outermost document, the text, the message */
    const char *detail; /* a static sentence that says more ("expected ':'"), or NULL */
} bsn_error;

/* The name of the vector code in use on this CPU, "v256vl", "v256", "v128" or "scalar": a static string. Chosen once, at the first
 * call that needs it; from any thread. */
BSN_API const char *bsn_tier(void);

/* A short English name for a status ("document cut short"): a static string, never NULL, for unknown codes too. */
BSN_API const char *bsn_status_text(bsn_status status);

/* Room for the text of an error. */
#define BSN_ERROR_TEXT_MAX 256

/* What went wrong, for people, terminated, in text[0..BSN_ERROR_TEXT_MAX): the status's text, and detail if there is one, "syntax
 * error: a key was expected"; cut if longer. Where it went wrong is the caller's to add: line and column when line is not 0,
 * else offset; and the system's words for os_error (bsn_os_text in io.h). Returns text. */
BSN_API const char *bsn_error_text(const bsn_error *err, char text[BSN_ERROR_TEXT_MAX]);

/* Fills *err (if it is not NULL) with a status and an offset, everything else zero; returns the status, so that it can
 * stand in a return statement. */
BSN_API bsn_status bsn_error_set(bsn_error *err, bsn_status status, uint64_t offset, const char *detail);

/* A span of text over a NUL-terminated string. */
static inline bsn_str bsn_str_from(const char *text)
{
    bsn_str str;
    size_t len = 0;
    while (text[len] != '\0') len++;
    str.ptr = text;
    str.len = len;
    return str;
}

/* A span of text over a string literal, its length known to the compiler: BSN_STR("ok"). */
#ifdef __cplusplus
#define BSN_STR(literal) (bsn_str{"" literal "", sizeof(literal) - 1})
#else
#define BSN_STR(literal) ((bsn_str){"" literal "", sizeof(literal) - 1})
#endif

/* True when two spans hold the same bytes. */
BSN_API bool bsn_str_equal(bsn_str a, bsn_str b);
BSN_API bool bsn_bytes_equal(bsn_bytes a, bsn_bytes b);

#ifdef __cplusplus
}
#endif
#endif
