/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_doc.h -- documents with text and bytes of any length, put together byte by byte in storage of the caller's; lies are
 * allowed.
 *
 *   fill_doc b = {.ptr = storage, .cap = sizeof storage};
 *   const size_t start = fill_begin(&b);
 *   fill_text(&b, "\x02s", 3, "0123456789", 70);     type byte and key with its 0x00, then a string of 70 bytes
 *   fill_end(&b, start);
 */
#ifndef TESTS_SUPPORT_FILL_DOC_H
#define TESTS_SUPPORT_FILL_DOC_H

#include <bsonic/types.h>

typedef struct fill_doc {
    uint8_t *ptr;
    size_t len, cap;
} fill_doc;

/* Storage from the heap; free(b->ptr). The others fail the running test when the storage is full. */
void fill_open(fill_doc *b, size_t cap);

void fill_bytes(fill_doc *b, const void *bytes, size_t len);
void fill_i32(fill_doc *b, size_t value);

/* `len` bytes: `pattern` over and over, cut where it must be. */
void fill_pattern(fill_doc *b, const char *pattern, size_t len);

/* `head`, then a string of `len` bytes of the pattern. */
void fill_text(fill_doc *b, const char *head, size_t head_len, const char *pattern, size_t len);

/* A container: four bytes for its length, whose place fill_end takes to set it behind the final 0x00. */
size_t fill_begin(fill_doc *b);
void fill_end(fill_doc *b, size_t start);

static inline bsn_doc fill_view(const fill_doc *b)
{
    const bsn_doc doc = {b->ptr, b->len};
    return doc;
}

#endif
