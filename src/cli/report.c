/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c -- what people read: reasons, places, names made harmless, and the exit codes that go with them.
 */
#include "cli/command.h"

#include <bsonic/detail/le.h>
#include <bsonic/doc.h>
#include <bsonic/io.h>
#include <bsonic/validate.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int cli_exit_code(bsn_status status)
{
    switch (status) {
    case BSN_OK: return CLI_OK;
    case BSN_E_NOMEM:
    case BSN_E_SPACE:
    case BSN_E_SIZE:
    case BSN_E_LIMIT:
    case BSN_E_DEPTH: return CLI_LIMIT;
    case BSN_E_URI: return CLI_USAGE;
    case BSN_E_IO: return CLI_SYSTEM;
    case BSN_E_PROTOCOL:
    case BSN_E_CHECKSUM:
    case BSN_E_COMPRESSED:
    case BSN_E_TIMEOUT:
    case BSN_E_CLOSED:
    case BSN_E_RESOLVE:
    case BSN_E_SERVER:
    case BSN_E_UNSUPPORTED: return CLI_NETWORK;
    case BSN_E_STATE:
    case BSN_E_CANCELLED: return CLI_SYSTEM;
    default: return CLI_MALFORMED; /* everything that reading can find */
    }
}

void cli_say(const char *format, ...)
{
    va_list arguments;
    fputs("bsonic: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

int cli_usage_error(const cli_command *command, const char *format, ...)
{
    va_list arguments;
    fputs("bsonic: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry: bsonic %s%s--help\n", command != NULL ? command->name : "",
            command != NULL ? " " : "");
    return CLI_USAGE;
}

/* ------------------------------------------------------------------ escaping */

/* Bytes of the UTF-8 character at the front of text that may be shown; 0: none, it must be escaped. */
static size_t showable(bsn_str text)
{
    const unsigned char first = (unsigned char)text.ptr[0];
    if (first < 0x80) return first >= 0x20 && first != 0x7F && first != '\\';
    for (size_t len = 2; len <= 4 && len <= text.len; len++) {
        const bsn_str one = {.ptr = text.ptr, .len = len};
        if (!bsn_utf8_valid(one, NULL)) continue;
        /* U+0080..U+009F are control characters too: C2 80..C2 9F. */
        return first == 0xC2 && (unsigned char)text.ptr[1] < 0xA0 ? 0 : len;
    }
    return 0;
}

const char *cli_escape(bsn_str text, char to[CLI_ESCAPED_MAX])
{
    static const char hex[] = "0123456789ABCDEF";
    size_t used = 0;
    while (text.len > 0) {
        char shown[5];
        size_t taken = showable(text), len = taken;
        const unsigned char byte = (unsigned char)text.ptr[0];
        if (taken > 0) {
            memcpy(shown, text.ptr, taken);
        } else if (byte == '\n' || byte == '\t' || byte == '\\') {
            shown[0] = '\\';
            shown[1] = byte == '\n' ? 'n' : byte == '\t' ? 't' : '\\';
            taken = 1;
            len = 2;
        } else {
            shown[0] = '\\';
            shown[1] = 'x';
            shown[2] = hex[byte >> 4];
            shown[3] = hex[byte & 15];
            taken = 1;
            len = 4;
        }
        if (used + len + sizeof "..." > CLI_ESCAPED_MAX) {
            memcpy(to + used, "...", 3);
            used += 3;
            break;
        }
        memcpy(to + used, shown, len);
        used += len;
        text.ptr += taken;
        text.len -= taken;
    }
    to[used] = '\0';
    return to;
}

/* ------------------------------------------------------------------ what bytes look like */

/* A type, or the end of a document without elements, stands where the first type does. */
static bool has_type(bsn_bytes bytes)
{
    return bsn_type_known(bytes.ptr[4]) || (bytes.ptr[4] == 0 && bytes.ptr[0] == BSN_DOC_SIZE_MIN);
}

/* Where the length of a document below 16 MiB ends with 00, text has none. */
static bool is_bson(bsn_bytes bytes)
{
    return bytes.len >= BSN_DOC_SIZE_MIN && bytes.ptr[3] == 0 && has_type(bytes);
}

/* ------------------------------------------------------------------ failures */

/* The reason of an error: what, what exactly, and what the system says. */
static const char *reason_of(const bsn_error *err, char room[BSN_ERROR_TEXT_MAX])
{
    char system[BSN_OS_TEXT_MAX];
    if (err->os_error != 0) {
        snprintf(room, BSN_ERROR_TEXT_MAX, "%s%s%s", err->detail != NULL ? err->detail : "",
                 err->detail != NULL ? ": " : "", bsn_os_text(err->os_error, system));
        return room;
    }
    return bsn_error_text(err, room);
}

int cli_report(bsn_str name, const bsn_error *err)
{
    char escaped[CLI_ESCAPED_MAX], reason[BSN_ERROR_TEXT_MAX];
    cli_say("%s: %s", cli_escape(name, escaped), reason_of(err, reason));
    return cli_exit_code(err->status);
}

/* Bytes of the document by its elements: up to the 0x00 that ends them, if a next document may begin behind it. 0 when they do not
 * end so. */
static size_t length_by_elements(bsn_bytes bytes)
{
    const bsn_doc all = {.ptr = bytes.ptr, .len = bytes.len};
    bsn_iter it;
    bsn_error err = {0};
    bsn_iter_init(&it, all);
    while (bsn_iter_next(&it)) continue;
    if (bsn_iter_error(&it, &err) == BSN_OK) {
        return bytes.ptr[bytes.len - 1] == 0 ? bytes.len : 0;
    }
    if (err.status != BSN_E_TYPE || bytes.ptr[err.offset] != 0) return 0;
    const size_t len = (size_t)err.offset + 1;
    const bsn_bytes next = {.ptr = bytes.ptr + len, .len = bytes.len - len};
    return next.len < BSN_DOC_SIZE_MIN || is_bson(next) ? len : 0;
}

/* A damaged length of a document shows where the document ends, which may be far away: what is said of it if its elements end elsewhere,
 * or nothing. */
static const char *length_remark(const cli_place *place, const bsn_error *err, char *room,
                                 size_t size)
{
    room[0] = '\0';
    if (err->status != BSN_E_SHORT && err->status != BSN_E_LENGTH &&
        err->status != BSN_E_TERMINATOR && err->status != BSN_E_TYPE) {
        return room;
    }
    if (place->bytes.len < BSN_DOC_SIZE_MIN) return room;
    const int32_t said = bsn_load_i32(place->bytes.ptr);
    const size_t len = length_by_elements(place->bytes);
    if (len == 0 || (int64_t)len == said) return room;
    snprintf(room, size,
             " (its length at byte %" PRIu64 " is %" PRId32 ", its elements end after %zu)",
             place->offset, said, len);
    return room;
}

/* The dotted path of a byte of the document, fit for a message; empty for a byte of the document's own. */
static const char *path_of(const cli_place *place, uint64_t offset, char to[CLI_ESCAPED_MAX])
{
    char path[CLI_ESCAPED_MAX];
    const size_t len = bsn_path_at(place->bytes, (size_t)offset, path, sizeof path);
    const bsn_str text = {.ptr = path, .len = len < sizeof path ? len : sizeof path};
    return cli_escape(text, to);
}

/* Where no type is found the fault may lie in the element in front, whose length led there: its path. Empty when there is none: the byte in
 * front is of the length field around, so its path leads to this one. */
static const char *path_in_front(const cli_place *place, const bsn_error *err, const char *path,
                                 char to[CLI_ESCAPED_MAX])
{
    to[0] = '\0';
    if (err->status != BSN_E_TYPE || err->offset == 0) return to;
    path_of(place, err->offset - 1, to);
    const size_t len = strlen(to);
    if (strncmp(to, path, len) == 0 && (path[len] == '\0' || path[len] == '.')) to[0] = '\0';
    return to;
}

int cli_report_document(const cli_place *place, const bsn_error *err)
{
    char escaped[CLI_ESCAPED_MAX], reason[BSN_ERROR_TEXT_MAX], path[CLI_ESCAPED_MAX],
        front[CLI_ESCAPED_MAX], remark[128];
    path_of(place, err->offset, path);
    path_in_front(place, err, path, front);
    cli_say("%s: document %" PRIu64 " at byte %" PRIu64 ": %s%s%s%s%s%s%s%s",
            cli_escape(place->name, escaped), place->number, place->offset + err->offset,
            reason_of(err, reason), path[0] != '\0' ? " (path " : "", path,
            path[0] != '\0' ? ")" : "", front[0] != '\0' ? " (behind " : "", front,
            front[0] != '\0' ? ")" : "", length_remark(place, err, remark, sizeof remark));
    return cli_exit_code(err->status);
}

int cli_report_text(bsn_str name, uint64_t number, const bsn_error *err)
{
    char escaped[CLI_ESCAPED_MAX], reason[BSN_ERROR_TEXT_MAX];
    cli_say("%s: document %" PRIu64 " at line %" PRIu32 ", column %" PRIu32 " (byte %" PRIu64
            "): %s",
            cli_escape(name, escaped), number, err->line, err->column, err->offset,
            reason_of(err, reason));
    return cli_exit_code(err->status);
}

/* ------------------------------------------------------------------ frequent mistakes */

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* BSON begins with four bytes of length and a type. Where the fifth byte is printable, it is no type, whatever the length. */
static bool is_json_text(bsn_bytes bytes)
{
    static const uint8_t mark[] = {0xEF, 0xBB, 0xBF}; /* U+FEFF, which some editors put in front */
    size_t i = 0;
    if (bytes.len > 4 && (bytes.ptr[4] < 0x20 || bytes.ptr[4] >= 0x7F)) return false;
    if (bytes.len >= sizeof mark && memcmp(bytes.ptr, mark, sizeof mark) == 0) i = sizeof mark;
    while (i < bytes.len && is_blank(bytes.ptr[i])) i++;
    return i < bytes.len && (bytes.ptr[i] == '{' || bytes.ptr[i] == '[');
}

static bool begins(bsn_bytes bytes, const uint8_t *mark, size_t len)
{
    return bytes.len >= BSN_DOC_SIZE_MIN && memcmp(bytes.ptr, mark, len) == 0;
}

/* Dumps as mongodump packs them. The marks of an archive and of zstd are negative as a length; gzip's may be one, and is taken for one
 * when a type follows. No text begins so. */
static const char *packed_kind(bsn_bytes bytes, bool is_text)
{
    static const uint8_t gzip[] = {0x1F, 0x8B, 0x08}, zstd[] = {0x28, 0xB5, 0x2F, 0xFD};
    static const uint8_t archive[] = {0x6D, 0xE2, 0x99, 0x81};
    if (begins(bytes, gzip, sizeof gzip) && (is_text || !has_type(bytes))) {
        return "this is compressed by gzip: unpack it first (gzip -dc)";
    }
    if (begins(bytes, zstd, sizeof zstd)) {
        return "this is compressed by zstd: unpack it first (zstd -dc)";
    }
    if (begins(bytes, archive, sizeof archive)) {
        return "this is an archive of mongodump: dump without --archive";
    }
    return NULL;
}

const char *cli_other_kind(bsn_bytes front, bool is_text)
{
    if (is_text && is_bson(front)) {
        return "this looks like BSON, not JSON text (for decode, or push without --json)";
    }
    if (!is_text && is_json_text(front)) {
        return "this looks like JSON text, not BSON (for encode, or push --json)";
    }
    return packed_kind(front, is_text);
}

int cli_report_kind(bsn_str name, const char *kind)
{
    char escaped[CLI_ESCAPED_MAX];
    cli_say("%s: document 1 at byte 0: %s", cli_escape(name, escaped), kind);
    return CLI_MALFORMED;
}
