/* SPDX-License-Identifier: Apache-2.0
 *
 * heap_doc.h -- documents put together byte by byte, sound or not, without the library's writer. All results are heap blocks of
 * exactly their size, for the caller to free.
 */
#ifndef TESTS_SUPPORT_HEAP_DOC_H
#define TESTS_SUPPORT_HEAP_DOC_H

#include <bsonic/base.h>

typedef struct heap_doc {
    uint8_t *ptr;
    size_t len;
} heap_doc;

/* A document of these elements: length, elements, 0x00. */
heap_doc heap_doc_of(const void *elements, size_t len);

/* A document whose one element, key "a", holds `inner`: as document (0x03), array (0x04), or scope of an empty code (0x0F).
 * inner is freed. */
heap_doc heap_doc_around(uint8_t type, heap_doc inner);

/* Where heap_doc_around puts inner: bytes in front of it. */
size_t heap_doc_around_offset(uint8_t type);

/* `levels` documents inside each other, the innermost empty: 1 is the empty document. */
heap_doc heap_doc_nested(uint8_t type, size_t levels);

static inline bsn_bytes heap_doc_span(heap_doc doc)
{
    const bsn_bytes span = {doc.ptr, doc.len};
    return span;
}

#endif
