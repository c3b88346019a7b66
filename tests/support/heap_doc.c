/* SPDX-License-Identifier: Apache-2.0
 *
 * heap_doc.c -- see build.h.
 */
#include "support/heap_doc.h"

#include <bsonic/detail/le.h>
#include <bsonic/types.h>

#include <check.h>

#include <stdlib.h>

static const char around_container[] = "\x03"
                                       "a\0";
static const char around_scope[] = "\x0F"
                                   "a\0"
                                   "TTTT"
                                   "\1\0\0\0"
                                   "\0";
enum { AROUND_CONTAINER = sizeof around_container - 1, AROUND_SCOPE = sizeof around_scope - 1 };

static heap_doc allocate(size_t len)
{
    const heap_doc doc = {malloc(len), len};
    ck_assert_ptr_nonnull(doc.ptr);
    return doc;
}

/* A document with room for `len` bytes of elements: its length and final 0x00 are set. */
static heap_doc frame(size_t len)
{
    const heap_doc doc = allocate(len + BSN_DOC_SIZE_MIN);
    bsn_store_u32(doc.ptr, (uint32_t)doc.len);
    doc.ptr[doc.len - 1] = 0;
    return doc;
}

heap_doc heap_doc_of(const void *elements, size_t len)
{
    const heap_doc doc = frame(len);
    if (len != 0) memcpy(doc.ptr + 4, elements, len);
    return doc;
}

size_t heap_doc_around_offset(uint8_t type)
{
    return 4 + (size_t)(type == BSN_TYPE_CODE_SCOPE ? AROUND_SCOPE : AROUND_CONTAINER);
}

heap_doc heap_doc_around(uint8_t type, heap_doc inner)
{
    const size_t offset = heap_doc_around_offset(type);
    const heap_doc doc = frame(offset - 4 + inner.len);
    memcpy(doc.ptr + 4, type == BSN_TYPE_CODE_SCOPE ? around_scope : around_container, offset - 4);
    doc.ptr[4] = type;
    if (type == BSN_TYPE_CODE_SCOPE) bsn_store_u32(doc.ptr + 7, (uint32_t)(9 + inner.len));
    memcpy(doc.ptr + offset, inner.ptr, inner.len);
    free(inner.ptr);
    return doc;
}

/* In one go, from the outside in: deep ones would be copied over and over. */
heap_doc heap_doc_nested(uint8_t type, size_t levels)
{
    const size_t head = heap_doc_around_offset(type);
    const heap_doc doc = frame((levels - 1) * (head + 1));
    uint8_t *at = doc.ptr;
    for (size_t level = 1; level <= levels; level++) {
        const size_t len = (levels - level) * (head + 1) + BSN_DOC_SIZE_MIN;
        bsn_store_u32(at, (uint32_t)len);
        at[len - 1] = 0;
        if (level == levels) break;
        memcpy(at + 4, type == BSN_TYPE_CODE_SCOPE ? around_scope : around_container, head - 4);
        at[4] = type;
        if (type == BSN_TYPE_CODE_SCOPE) bsn_store_u32(at + 7, (uint32_t)(len - head - 1 + 9));
        at += head;
    }
    return doc;
}
