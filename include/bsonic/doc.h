/* SPDX-License-Identifier: Apache-2.0
 *
 * doc.h -- reading documents where they lie: open a frame, walk its elements, look one up. Nothing here allocates.
 *
 *   bsn_doc doc;
 *   bsn_error err;
 *   if (bsn_doc_open(bytes, &doc, &err) != BSN_OK) return report(&err);
 *   bsn_iter it;
 *   bsn_iter_init(&it, doc);
 *   while (bsn_iter_next(&it)) use(bsn_iter_key(&it), bsn_iter_value(&it));
 *   if (bsn_iter_error(&it, &err) != BSN_OK) return report(&err);
 *
 * Safety   Every length is checked on the way past, on hostile bytes too; no call reads outside the document.
 * Truth    An iterator that enters every container finds exactly the faults that bsn_validate finds at BSN_LEVEL_STRUCTURE
 *          (validate.h), at the same offset; text is not checked for UTF-8.
 * Memory   Documents, iterators and values are views: valid while the document's bytes live unchanged.
 */
#ifndef BSONIC_DOC_H
#define BSONIC_DOC_H

#include <bsonic/detail/iter.h>
#include <bsonic/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens exactly one document: the span must be the document, no more and no less. Checks the frame, not the elements.
 *
 * Bytes    int32 length (counts itself and the final 0x00), elements, 0x00.         [BSON 1.1, document]
 * Returns  BSN_OK with *doc set; any other status leaves *doc alone.
 * Errors   BSN_E_SHORT       fewer than 4 bytes, or fewer than the length says      offset 0    e.g. 06 00 00 00 00
 *          BSN_E_LENGTH      length under 5                                         offset 0    e.g. 04 00 00 00
 *          BSN_E_TERMINATOR  last byte is not 0x00                           offset of that byte e.g. 05 00 00 00 01
 *          BSN_E_TRAILING    bytes after the document                  offset of the first such e.g. 05 00 00 00 00 00
 *          The first that applies, in this order.
 * Memory   *doc borrows bytes.ptr.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_doc_open(bsn_bytes bytes, bsn_doc *doc, bsn_error *err);

/* Takes the document at the start of *src, and *src past it: for documents that lie back to back.
 *
 * Returns  BSN_OK with *doc set; any other status leaves *src and *doc alone. An empty *src is BSN_E_SHORT: ask src->len first.
 * Errors   as bsn_doc_open, without BSN_E_TRAILING. Offsets count from src->ptr.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_doc_take(bsn_bytes *src, bsn_doc *doc, bsn_error *err);

/* How many bytes the document at the start of `bytes` has, from its length field alone.
 *
 * Returns  BSN_OK with *len >= 5; it may be more than bytes.len.
 * Errors   BSN_E_SHORT   fewer than 4 bytes          BSN_E_LENGTH  below 5   e.g. 04 00 00 00
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_doc_peek_len(bsn_bytes bytes, size_t *len);

/* The document's bytes as a span. */
static inline bsn_bytes bsn_doc_bytes(bsn_doc doc)
{
    bsn_bytes bytes;
    bytes.ptr = doc.ptr;
    bytes.len = doc.len;
    return bytes;
}

/* True for a document without elements. */
static inline bool bsn_doc_is_empty(bsn_doc doc)
{
    return doc.len == BSN_DOC_SIZE_MIN;
}

/* ------------------------------------------------------------------ iterator */

/* Stands before the first element of a document. Nesting counts from 1 here, and bsn_iter_enter may go to
 * BSN_DEPTH_DEFAULT; bsn_iter_set_depth_max changes that (1..65535). */
static inline void bsn_iter_init(bsn_iter *it, bsn_doc doc)
{
    it->cur = doc.ptr + 4;
    it->end = doc.ptr + doc.len - 1;
    it->value = it->cur;
    it->base = doc.ptr;
    it->key_len = 0;
    it->type = BSN_TYPE_NONE;
    it->status = BSN_OK;
    it->depth = 1;
    it->depth_max = BSN_DEPTH_DEFAULT;
    it->beyond = 1;
}

static inline void bsn_iter_set_depth_max(bsn_iter *it, uint16_t depth_max)
{
    it->depth_max = depth_max;
}

/* bool bsn_iter_next(bsn_iter *it): goes to the next element. False at the end of the document and after a fault, then and
 * ever after; bsn_iter_error tells which of the two. In detail/iter.h, for inlining.
 *
 * Checks   the type byte, the key's and the value's terminators, every length against what encloses it, booleans, the inner
 *          length of binary subtype 02, the sums of code with scope; of embedded documents and arrays the frame. (Where the
 *          last byte of an embedded document is not 0x00 the fault reported is the first one inside it, in byte order, depth
 *          included; what is nested more than BSN_DEPTH_DEFAULT levels below it is BSN_E_DEPTH whatever the limit.)
 * Cost     4 to 8 ns an element (figures: bench/). The same step out of line, for callers who cannot inline: bsn_iter_step.
 */
BSN_API bool bsn_iter_step(bsn_iter *it);

/* bsn_iter_error and bsn_iter_enter out of line, for callers who cannot inline. */
BSN_API bsn_status bsn_iter_error_slow(const bsn_iter *it, bsn_error *err);
BSN_API BSN_MUST_CHECK bool bsn_iter_enter_slow(bsn_iter *it, bsn_iter *child);

/* BSN_OK while no fault was met; else the fault, and its place in *err (which may be NULL). The offset counts from the start
 * of the outermost document that the walk began with:
 *
 *   BSN_E_TYPE        the type byte                            BSN_E_LENGTH      the length field
 *   BSN_E_SHORT       the value that is cut short              BSN_E_CODE_SCOPE  its total length field
 *   BSN_E_CSTRING     the final 0x00 that the key or regex     BSN_E_BINARY      the inner length field; the outer one where
 *                     part runs into                                             it is below 4 and leaves no room for an inner
 *   BSN_E_TERMINATOR  the byte itself                          BSN_E_DEPTH       the container's length field
 *   BSN_E_BOOLEAN     the byte itself
 *
 * The first fault in byte order is the one reported. In detail, where that leaves a choice:
 *   - 0x00 where a type byte is expected is BSN_E_TYPE.
 *   - A length field that is cut short itself is BSN_E_SHORT. A binary without room for its subtype, a string without room for
 *     its 0x00, are BSN_E_LENGTH. A DBPointer whose string fits but whose ObjectId does not is BSN_E_SHORT, at the value.
 *   - Code with scope, in this order: its total (below 14, or too long) is BSN_E_LENGTH; its string's length (below 1, or
 *     leaving less than 5 bytes for the scope) is BSN_E_LENGTH at that field; a sum that is not the total is
 *     BSN_E_CODE_SCOPE; then the string's 0x00; then the scope, a container like others.
 *   - A container of bad length at a level that is too deep is BSN_E_LENGTH. Only who enters sees BSN_E_DEPTH.
 *   - In a container whose last byte is not 0x00 that byte is BSN_E_TERMINATOR, also when a key or regex part runs into it.
 */
static inline bsn_status bsn_iter_error(const bsn_iter *it, bsn_error *err)
{
    return it->status == BSN_OK ? BSN_OK : bsn_iter_error_slow(it, err);
}

/* The current element: after bsn_iter_next returned true. When there is none (before the first step, at the end, after a
 * fault) the type is BSN_TYPE_NONE and the key has no bytes; the other spans lie in the document and mean nothing. */
static inline bsn_type bsn_iter_type(const bsn_iter *it)
{
    return (bsn_type)it->type;
}

static inline bsn_str bsn_iter_key(const bsn_iter *it)
{
    bsn_str key;
    key.ptr = (const char *)it->value - 1 - it->key_len;
    key.len = it->key_len;
    return key;
}

/* The value's bytes as they stand in the document. */
static inline bsn_bytes bsn_iter_raw(const bsn_iter *it)
{
    bsn_bytes raw;
    raw.ptr = it->value;
    raw.len = (size_t)(it->cur - it->value);
    return raw;
}

/* The whole element's bytes: type byte, key, 0x00, value. */
static inline bsn_bytes bsn_iter_element(const bsn_iter *it)
{
    bsn_bytes element;
    element.ptr = it->value - 2 - it->key_len;
    element.len = (size_t)(it->cur - element.ptr);
    return element;
}

/* Bytes from the start of the outermost document to the current element's type byte. */
static inline size_t bsn_iter_offset(const bsn_iter *it)
{
    return (size_t)(it->value - 2 - it->key_len - it->base);
}

/* True when the current key is `key`. */
static inline bool bsn_iter_key_is(const bsn_iter *it, bsn_str key)
{
    return it->key_len == key.len && (key.len == 0 || memcmp(it->value - 1 - it->key_len, key.ptr, key.len) == 0);
}

/* The current value, decoded. Type BSN_TYPE_NONE when there is no current element. */
BSN_API bsn_value bsn_iter_value(const bsn_iter *it);

/* Puts *child before the first element of the current container (document, array, or a code's scope). Offsets of *child go on
 * counting from the outermost document.
 *
 * Returns  true; false when the current element is no container (nothing changes), or when the depth limit is reached: then
 *          *it has the error BSN_E_DEPTH, and ends.
 * child may not be it.
 */
static inline BSN_MUST_CHECK bool bsn_iter_enter(bsn_iter *it, bsn_iter *child)
{
    const bool plain = it->type == BSN_TYPE_DOCUMENT || it->type == BSN_TYPE_ARRAY;
    if (BSN_UNLIKELY(!plain || it->depth >= it->depth_max)) return bsn_iter_enter_slow(it, child);
    bsn_iter_put_inside(it, it->value, child);
    return true;
}

/* ------------------------------------------------------------------ lookup */

/* The first element with this key at the top level of the document.
 *
 * Returns  BSN_OK with *it standing on the element.
 * Errors   BSN_E_NOT_FOUND  no such key, at the document's final 0x00; any fault met on the way there, with its place in
 *          *err. What lies behind the element has not been looked at.
 * Cost     a walk to the element.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_find(bsn_doc doc, bsn_str key, bsn_iter *it, bsn_error *err);

/* The same, with the value at once. *value is untouched unless BSN_OK. */
BSN_API BSN_MUST_CHECK bsn_status bsn_find_value(bsn_doc doc, bsn_str key, bsn_value *value, bsn_error *err);

/* The element at a dotted path: "order.lines.0.total". Steps are separated by dots; each names a key of a document (code's scopes
 * too), or, in an array, a position: decimal digits without leading zeros, counted from 0, whatever the array's own keys say. A key
 * that holds a dot can only be reached by bsn_find_steps; empty steps ("a..b") are empty keys. Among equal keys the first counts,
 * and no other is tried.
 *
 * Returns  BSN_OK with *it standing on the element; its offsets count from the start of `doc`.
 * Errors   BSN_E_NOT_FOUND  a step leads nowhere; the offset is where the document that lacks it ends;  any fault met on the way.
 *          BSN_E_DEPTH      over BSN_DEPTH_DEFAULT documents deep.
 * Cost     a walk to the element, over each enclosing document only. Allocates nothing.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_find_path(bsn_doc doc, bsn_str path, bsn_iter *it, bsn_error *err);

/* The same by steps that stand alone, dots and all. count >= 1. */
BSN_API BSN_MUST_CHECK bsn_status bsn_find_steps(bsn_doc doc, const bsn_str *steps, size_t count, bsn_iter *it,
                                                 bsn_error *err);

/* The dotted path of the element that the byte at `offset` belongs to: keys, and the indexes of arrays as they stand in the
 * document. For messages: it works on damaged documents and on the front of one, as far as their lengths let it, so an offset that
 * bsn_validate or bsn_iter_error gave leads to the element at fault. A byte that belongs to no element (the length field, the
 * final 0x00) has the path of the document around it, the outermost the empty one. Keys are copied as they are, dots and all.
 *
 * Returns  the path's length in bytes, which may be more than path_size; path[0..path_size) has the front of it, no terminator.
 * Memory   allocates nothing; no recursion.       Cost  a walk to the offset.
 */
BSN_API size_t bsn_path_at(bsn_bytes document, size_t offset, char *path, size_t path_size);

#ifdef __cplusplus
}
#endif
#endif
