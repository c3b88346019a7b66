/* SPDX-License-Identifier: Apache-2.0
 *
 * validate.c -- one pass over a whole document, in the order of its bytes, on a stack of our own. Elements are passed by the
 * iterator's common step; what that does not take is judged by element.c.
 *
 * Going down into a container saves the end of the one around it; reaching a container's end, where its final 0x00 must
 * stand, takes that up again. So the stack holds one pointer a level, and the first fault met is the first in byte order.
 */
#include <bsonic/doc.h>
#include <bsonic/validate.h>

#include "bson/element.h"
#include "bson/validate.h"
#include "simd/ascii.h"
#include "simd/simd.h"

/* Pointers to the final bytes of the containers around the current one. */
typedef struct end_stack {
    const uint8_t **ends;
    size_t cap;
    const bsn_alloc *alloc; /* NULL: it cannot grow */
    const uint8_t *fixed[BSN_DEPTH_DEFAULT];
} end_stack;

/* What to check, and what was found. */
typedef struct walk {
    uint32_t depth_max;
    bool utf8;
    const uint8_t *fault;
} walk;

static void stack_init(end_stack *stack, const bsn_alloc *alloc)
{
    stack->ends = stack->fixed;
    stack->cap = BSN_DEPTH_DEFAULT;
    stack->alloc = alloc;
}

/* Sets the block on the heap, which stack->ends is once it is not `fixed`, to room for `cap` pointers. */
static void *resize_block(end_stack *stack, size_t cap)
{
    const bool on_heap = stack->ends != stack->fixed;
    void *block = on_heap ? (void *)stack->ends : NULL;
    const size_t old_len = on_heap ? stack->cap * sizeof *stack->ends : 0;
    return bsn_alloc_resize(stack->alloc, block, old_len, cap * sizeof *stack->ends);
}

static void stack_free(end_stack *stack)
{
    if (stack->ends != stack->fixed) resize_block(stack, 0);
}

/* Doubles the stack. What it takes is in proportion to the document, of which a level takes 8 bytes at least. */
static bsn_status stack_grow(end_stack *stack)
{
    if (stack->alloc == NULL) return BSN_E_DEPTH;
    const size_t cap = 2 * stack->cap; /* far from overflow: depths are below 2^16 */
    void *block = resize_block(stack, cap);
    if (block == NULL) return BSN_E_NOMEM;
    if (stack->ends == stack->fixed) memcpy(block, stack->fixed, sizeof stack->fixed);
    stack->ends = block;
    stack->cap = cap;
    return BSN_OK;
}

/* What the walk may read: the whole document. */
typedef struct bounds {
    const uint8_t *limit; /* one past its last byte */
    size_t size;
} bounds;

/* True when the text is ASCII and short, of less than `window` bytes. */
static inline bool is_short_ascii(const uint8_t *text, size_t len, size_t window, bounds doc)
{
    return len < window && BSN_LIKELY(doc.size >= window) &&
           BSN_LIKELY(bsni_ascii_short(text, len, window, doc.limit));
}

/* True when the text of the current element, which the common step took, is UTF-8. Keys have one length at one place of most
 * collections' documents, strings have any. */
static inline bool element_is_utf8(const bsn_iter *it, bounds doc)
{
    const size_t key_len = it->key_len;
    const uint8_t *key = it->value - 1 - key_len;
    if (!is_short_ascii(key, key_len, 32, doc) && !is_short_ascii(key, key_len, 64, doc) &&
        bsni_utf8(key, key_len) != key_len)
        return false;
    if (bsn_type_step(it->type) != BSN_STEP_STRING) return true;
    const uint8_t *text = it->value + 4;
    const size_t len = (size_t)(it->cur - text) - 1;
    return is_short_ascii(text, len, 64, doc) || bsni_utf8(text, len) == len;
}

/* Puts the walk before `at` in the container that ends at `end`. */
static inline void move_to(bsn_iter *it, const uint8_t *at, const uint8_t *end,
                           const uint8_t *limit)
{
    it->cur = at;
    it->end = end;
    it->beyond = (uint32_t)(limit - end);
}

/* Goes past the element at it->cur. *inner is the container that it holds, or NULL. What is not common, and every fault, is
 * left to the one place that judges. */
static inline bsn_status pass_element(walk *w, bsn_iter *it, bounds doc, const uint8_t **inner)
{
    const uint8_t *at = it->cur;
    *inner = NULL;
    if (BSN_LIKELY(bsn_iter_next_common(it)) &&
        (!w->utf8 || BSN_LIKELY(element_is_utf8(it, doc)))) {
        if (bsn_type_step(it->type) == BSN_STEP_DOCUMENT) *inner = it->value;
        return BSN_OK;
    }
    bsni_element element;
    const bsn_status status = bsni_element_read(at, it->end, w->utf8, &element);
    if (status != BSN_OK) {
        w->fault = element.fault;
        return status;
    }
    it->cur = element.next;
    *inner = element.container;
    return BSN_OK;
}

/* Walks the container at `container`, which is nested `depth` deep and whose last byte is `end`. */
static bsn_status walk_container(walk *w, end_stack *stack, const uint8_t *container,
                                 const uint8_t *end, uint32_t depth)
{
    const bounds doc = {end + 1, (size_t)(end + 1 - container)};
    const size_t count_max = w->depth_max - depth;
    size_t count = 0; /* of the ends on the stack */
    bsn_iter it = {.cur = container + 4, .end = end, .beyond = 1};
    for (;;) {
        if (it.cur == it.end) {
            if (*it.end != 0) {
                w->fault = it.end;
                return BSN_E_TERMINATOR;
            }
            if (count == 0) return BSN_OK;
            move_to(&it, it.end + 1, stack->ends[--count], doc.limit);
            continue;
        }
        const uint8_t *inner;
        bsn_status status = pass_element(w, &it, doc, &inner);
        if (status != BSN_OK) return status;
        if (inner == NULL) continue;
        if (BSN_UNLIKELY(count == stack->cap)) status = stack_grow(stack);
        if (BSN_UNLIKELY(count >= count_max)) status = BSN_E_DEPTH;
        if (BSN_UNLIKELY(status != BSN_OK)) {
            w->fault = inner;
            return status;
        }
        stack->ends[count++] = it.end;
        move_to(&it, inner + 4, it.cur - 1, doc.limit);
    }
}

bsn_status bsni_validate_unended(const uint8_t *container, const uint8_t *next, uint32_t depth,
                                 uint32_t depth_max, const uint8_t **at)
{
    walk w = {.depth_max = depth_max, .utf8 = false, .fault = container};
    end_stack stack;
    *at = container;
    if (depth > depth_max) return BSN_E_DEPTH;
    stack_init(&stack, NULL);
    const bsn_status status = walk_container(&w, &stack, container, next - 1, depth);
    *at = w.fault;
    return status;
}

/* The limit that holds: levels beyond the default one take memory. */
static uint32_t choose_depth_max(const bsn_validate_options *options)
{
    if (options == NULL || options->depth_max == 0) return BSN_DEPTH_DEFAULT;
    if (options->alloc == NULL && options->depth_max > BSN_DEPTH_DEFAULT) return BSN_DEPTH_DEFAULT;
    return options->depth_max <= UINT16_MAX ? options->depth_max : UINT16_MAX;
}

static bsn_status validate_inside(bsn_doc doc, bsn_level level, const bsn_validate_options *options,
                                  bsn_error *err)
{
    walk w = {
        .depth_max = choose_depth_max(options), .utf8 = level == BSN_LEVEL_UTF8, .fault = doc.ptr};
    end_stack stack;
    stack_init(&stack, options != NULL ? options->alloc : NULL);
    const bsn_status status = walk_container(&w, &stack, doc.ptr, doc.ptr + doc.len - 1, 1);
    stack_free(&stack);
    return status == BSN_OK ? BSN_OK
                            : bsn_error_set(err, status, (uint64_t)(w.fault - doc.ptr), NULL);
}

bsn_status bsn_validate(bsn_bytes bytes, const bsn_validate_options *options, bsn_valid_doc *valid,
                        bsn_error *err)
{
    const bsn_level level =
        options != NULL && options->level != 0 ? options->level : BSN_LEVEL_UTF8;
    bsn_doc doc;
    bsn_status status = bsn_doc_open(bytes, &doc, err);
    if (status == BSN_OK && level != BSN_LEVEL_FRAME)
        status = validate_inside(doc, level, options, err);
    if (status == BSN_OK && valid != NULL) {
        valid->doc = doc;
        valid->level = level;
    }
    return status;
}

bool bsn_utf8_valid(bsn_str text, size_t *valid_len)
{
    const size_t sound = bsni_utf8((const uint8_t *)text.ptr, text.len);
    if (valid_len != NULL) *valid_len = sound;
    return sound == text.len;
}
