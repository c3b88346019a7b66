/* SPDX-License-Identifier: Apache-2.0
 *
 * path.c -- the dotted path of a byte, also in documents that are damaged or cut short.
 *
 * The walk believes a length only as far as it stays inside what encloses it; where one does not, the element is taken to reach
 * the end of that. So it finds its way to any fault that lies behind sound elements, which is where first faults are.
 */
#include <bsonic/detail/le.h>
#include <bsonic/doc.h>

#include <string.h>

/* The path as it grows: len counts on when there is no more room. */
typedef struct path_text {
    char *ptr;
    size_t size;
    size_t len;
} path_text;

static void append(path_text *path, const uint8_t *bytes, size_t len)
{
    if (path->len < path->size) {
        const size_t room = path->size - path->len;
        memcpy(path->ptr + path->len, bytes, len < room ? len : room);
    }
    path->len += len;
}

/* Bytes up to and with the first 0x00 of [from, end), or all of them. */
static size_t cstring_size(const uint8_t *from, const uint8_t *end)
{
    const uint8_t *zero = from < end ? memchr(from, 0, (size_t)(end - from)) : NULL;
    return zero != NULL ? (size_t)(zero - from) + 1 : (size_t)(end - from);
}

/* `extra` bytes and those that an int32 at the value's start counts; all that is left when it cannot be believed. */
static size_t counted_size(const uint8_t *value, size_t left, size_t extra)
{
    if (left < 4) return left;
    const int32_t count = bsn_load_i32(value);
    if (count < 0 || left < extra || (size_t)count > left - extra) return left;
    const size_t size = extra + (size_t)count;
    return size >= 4 ? size : left; /* not even the count itself */
}

/* How far a value reaches in the `left` bytes up to the end of what encloses it. */
static size_t value_size(uint8_t type, const uint8_t *value, size_t left)
{
    const uint8_t *end = value + left;
    size_t size;
    switch ((bsn_type)type) {
    case BSN_TYPE_BOOLEAN: size = 1; break;
    case BSN_TYPE_INT32: size = 4; break;
    case BSN_TYPE_DOUBLE:
    case BSN_TYPE_DATE:
    case BSN_TYPE_TIMESTAMP:
    case BSN_TYPE_INT64: size = 8; break;
    case BSN_TYPE_OID: size = 12; break;
    case BSN_TYPE_DECIMAL128: size = 16; break;
    case BSN_TYPE_UNDEFINED:
    case BSN_TYPE_NULL:
    case BSN_TYPE_MINKEY:
    case BSN_TYPE_MAXKEY: size = 0; break;
    case BSN_TYPE_STRING:
    case BSN_TYPE_CODE:
    case BSN_TYPE_SYMBOL: return counted_size(value, left, 4);
    case BSN_TYPE_BINARY: return counted_size(value, left, 5);
    case BSN_TYPE_DBPOINTER: return counted_size(value, left, 4 + 12);
    case BSN_TYPE_DOCUMENT:
    case BSN_TYPE_ARRAY:
    case BSN_TYPE_CODE_SCOPE: return counted_size(value, left, 0);
    case BSN_TYPE_REGEX:
        size = cstring_size(value, end);
        size += cstring_size(value + size, end);
        break;
    default: return left; /* no type: nobody knows where its value ends */
    }
    return size < left ? size : left;
}

/* Where the document inside a value begins; the value's end when it has none. */
static size_t inner_start(uint8_t type, const uint8_t *value, size_t size)
{
    if (type == BSN_TYPE_DOCUMENT || type == BSN_TYPE_ARRAY) return 0;
    if (type != BSN_TYPE_CODE_SCOPE || size < 8) return size;
    return 4 + counted_size(value + 4, size - 4, 4);
}

size_t bsn_path_at(bsn_bytes document, size_t offset, char *path, size_t path_size)
{
    path_text text = {.ptr = path, .size = path_size, .len = 0};
    if (document.len <= 4 || offset >= document.len) return 0;
    const uint8_t *const target = document.ptr + offset;
    const uint8_t *end = document.ptr + counted_size(document.ptr, document.len, 0);
    const uint8_t *cur = document.ptr + 4;
    /* Each round steps over one element or into one, so it ends. */
    while (cur < end && cur <= target && *cur != 0) {
        const uint8_t type = *cur;
        const size_t key_size = cstring_size(cur + 1, end);
        const uint8_t *value = cur + 1 + key_size;
        if (key_size == 0 || value[-1] != 0) break; /* the key has no end: it is no key */
        const size_t size = value_size(type, value, (size_t)(end - value));
        if (target >= value + size) {
            cur = value + size;
            continue;
        }
        if (text.len > 0) append(&text, (const uint8_t *)".", 1);
        append(&text, cur + 1, key_size - 1);
        const size_t inner = inner_start(type, value, size);
        if (size - inner <= 4 || target < value + inner + 4) break;
        cur = value + inner + 4;
        end = value + size;
    }
    return text.len;
}
