/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/iter.h -- the iterator's state and the common step of bsn_iter_next, inline. doc.h documents both.
 *
 *   ... | type | key bytes | 00 | value ... | type | ...        | 00 |
 *         ^cur before next       ^value      ^cur after           ^end
 *
 * The common step: any key, found by whole words and vectors while the outermost document has that many bytes left; a value of fixed
 * size, a string, a document, an array or a plain binary, and nothing wrong with it. Everything else, and every fault, goes to
 * bsn_iter_next_slow, which starts again from `cur`: one place that judges. The layout of bsn_iter is part of the ABI.
 */
#ifndef BSONIC_DETAIL_ITER_H
#define BSONIC_DETAIL_ITER_H

#include <bsonic/detail/key.h>
#include <bsonic/detail/le.h>
#include <bsonic/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bsn_iter {
    /* private */
    const uint8_t *cur;   /* the next element's type byte */
    const uint8_t *end;   /* this document's final 0x00 */
    const uint8_t *value; /* the current value's first byte; after an error the byte it is about */
    const uint8_t *base;  /* first byte of the outermost document: offsets count from here */
    uint32_t key_len;
    uint8_t type;
    uint8_t status;
    uint16_t depth;     /* nesting of this document, the outermost is 1 */
    uint16_t depth_max; /* how deep bsn_iter_enter may go */
    /* Bytes from `end` to the end of the outermost document: there, so that words may reach into them. */
    uint32_t beyond;
} bsn_iter;

/* What it takes to step over a value: 0..16 is its size, the rest says how to find it. */
enum {
    BSN_STEP_STRING = 0x20,   /* int32 n, n bytes, the last of them 0x00 */
    BSN_STEP_DOCUMENT = 0x21, /* int32 n counts itself; ends in 0x00 */
    BSN_STEP_BINARY = 0x22,   /* int32 n, subtype, n bytes */
    BSN_STEP_BOOLEAN = 0x23,  /* one byte, 0 or 1 */
    BSN_STEP_OTHER = 0x24     /* regex, DBPointer, code with scope, MinKey, MaxKey, and bytes that are no type */
};

static inline uint8_t bsn_type_step(uint8_t type)
{
    /* clang-format off */
    static const uint8_t steps[32] = {
        /* 00 */ BSN_STEP_OTHER,    8,               BSN_STEP_STRING, BSN_STEP_DOCUMENT,
        /* 04 */ BSN_STEP_DOCUMENT, BSN_STEP_BINARY, 0,               12,
        /* 08 */ BSN_STEP_BOOLEAN,  8,               0,               BSN_STEP_OTHER,
        /* 0C */ BSN_STEP_OTHER,    BSN_STEP_STRING, BSN_STEP_STRING, BSN_STEP_OTHER,
        /* 10 */ 4,                 8,               8,               16,
        /* 14 */ BSN_STEP_OTHER,    BSN_STEP_OTHER,  BSN_STEP_OTHER,  BSN_STEP_OTHER,
        /* 18 */ BSN_STEP_OTHER,    BSN_STEP_OTHER,  BSN_STEP_OTHER,  BSN_STEP_OTHER,
        /* 1C */ BSN_STEP_OTHER,    BSN_STEP_OTHER,  BSN_STEP_OTHER,  BSN_STEP_OTHER,
    };
    /* clang-format on */
    return type < 32 ? steps[type] : (uint8_t)BSN_STEP_OTHER;
}

/* Puts *child before the first element of the container at `container`, which ends where the current element does. */
static inline void bsn_iter_put_inside(const bsn_iter *it, const uint8_t *container, bsn_iter *child)
{
    child->cur = container + 4;
    child->end = it->cur - 1;
    child->value = child->cur;
    child->base = it->base;
    child->key_len = 0;
    child->type = BSN_TYPE_NONE;
    child->status = BSN_OK;
    child->depth = (uint16_t)(it->depth + 1);
    child->depth_max = it->depth_max;
    child->beyond = it->beyond + (uint32_t)(it->end - child->end);
}

/* The full step: any key, any type, every fault. */
BSN_API bool bsn_iter_next_slow(bsn_iter *it);

/* Goes past the element at `at`, whose key ends with the 0x00 at `zero`, if its value is of a common type and sound; reads
 * nothing behind it->end. False, and nothing changes, if it is not, also when `zero` stands at or behind it->end. */
static inline bool bsn_iter_pass(bsn_iter *it, const uint8_t *at, const uint8_t *zero)
{
    const uint8_t *value = zero + 1;
    const ptrdiff_t left = it->end - value;
    const uint8_t step = bsn_type_step(*at);
    const uint8_t *next;

    if (BSN_LIKELY(step <= 16)) {
        if (BSN_UNLIKELY(left < (ptrdiff_t)step)) return false;
        next = value + step;
    } else {
        uint32_t n;
        if (BSN_UNLIKELY(left < 5)) return false; /* but for a boolean, the least there can be */
        n = bsn_load_u32(value);
        if (step == BSN_STEP_STRING) {
            if (BSN_UNLIKELY(n == 0 || (int64_t)n > (int64_t)left - 4)) return false;
            next = value + 4 + n;
            if (BSN_UNLIKELY(next[-1] != 0)) return false;
        } else if (step == BSN_STEP_DOCUMENT) {
            if (BSN_UNLIKELY(n < BSN_DOC_SIZE_MIN || (int64_t)n > (int64_t)left)) return false;
            next = value + n;
            if (BSN_UNLIKELY(next[-1] != 0)) return false;
        } else if (step == BSN_STEP_BOOLEAN) {
            next = value + 1;
            if (BSN_UNLIKELY(*value > 1)) return false;
        } else if (step == BSN_STEP_BINARY) {
            if (BSN_UNLIKELY(value[4] == BSN_SUBTYPE_OLD_BINARY)) return false;
            if (BSN_UNLIKELY((int64_t)n > (int64_t)left - 5)) return false;
            next = value + 5 + n;
        } else {
            return false;
        }
    }
    it->cur = next;
    it->value = value;
    it->key_len = (uint32_t)(zero - at - 1);
    it->type = *at;
    return true;
}

/* Asks for bytes that the walk is about to come to: each step waits for the one before, so what is not in the nearest cache costs
 * the whole way to it. What lies there, or whether anything does, does not matter. */
static inline void bsn_prefetch_ahead(const uint8_t *at)
{
#if defined(__GNUC__)
    /* Over an integer: behind the document there is nothing that a pointer may point to.
     * NOLINTNEXTLINE(performance-no-int-to-ptr) */
    __builtin_prefetch((const void *)((uintptr_t)at + 768));
#else
    (void)at;
#endif
}

/* The common step from `cur`, which is not the end. False, and nothing changes, where it takes the full one. */
static inline bool bsn_iter_next_common(bsn_iter *it)
{
    const uint8_t *at = it->cur;
    const size_t room = (size_t)(it->end - at) + it->beyond; /* bytes that may be read */
    const uint8_t *zero;
    bsn_prefetch_ahead(at);
    if (BSN_UNLIKELY(room < 9)) return false;
    zero = bsn_key_end(at + 1, room - 1);
    return BSN_LIKELY(zero != NULL) && bsn_iter_pass(it, at, zero);
}

static inline bool bsn_iter_next(bsn_iter *it)
{
    if (BSN_UNLIKELY(it->cur == it->end)) { /* the end, or a fault before: `status` knows */
        it->type = BSN_TYPE_NONE;
        it->key_len = 0;
        return false;
    }
    if (BSN_LIKELY(bsn_iter_next_common(it))) return true;
    return bsn_iter_next_slow(it);
}

#ifdef __cplusplus
}
#endif
#endif
