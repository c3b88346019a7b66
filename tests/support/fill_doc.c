/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_doc.c -- see fill_doc.h.
 */
#include "support/fill_doc.h"

#include "support/expect.h"

#include <bsonic/detail/le.h>

#include <stdlib.h>

void fill_open(fill_doc *b, size_t cap)
{
    b->ptr = malloc(cap);
    b->len = 0;
    b->cap = cap;
    EXPECT(b->ptr != NULL, "no memory");
}

void fill_bytes(fill_doc *b, const void *bytes, size_t len)
{
    EXPECT(len <= b->cap - b->len, "the storage is full");
    if (len != 0) memcpy(b->ptr + b->len, bytes, len);
    b->len += len;
}

void fill_i32(fill_doc *b, size_t value)
{
    uint8_t bytes[4];
    bsn_store_u32(bytes, (uint32_t)value);
    fill_bytes(b, bytes, sizeof bytes);
}

void fill_pattern(fill_doc *b, const char *pattern, size_t len)
{
    const size_t pattern_len = strlen(pattern);
    for (size_t i = 0; i < len; i++) fill_bytes(b, pattern + i % pattern_len, 1);
}

void fill_text(fill_doc *b, const char *head, size_t head_len, const char *pattern, size_t len)
{
    fill_bytes(b, head, head_len);
    fill_i32(b, len + 1);
    fill_pattern(b, pattern, len);
    fill_bytes(b, "", 1);
}

size_t fill_begin(fill_doc *b)
{
    const size_t start = b->len;
    fill_i32(b, 0);
    return start;
}

void fill_end(fill_doc *b, size_t start)
{
    fill_bytes(b, "", 1);
    bsn_store_u32(b->ptr + start, (uint32_t)(b->len - start));
}
