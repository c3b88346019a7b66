/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/iter.h -- the iterator's state and the common step of bsn_iter_next, inline. doc.h documents both.
 *
 *   ... | type | key bytes | 00 | value ... | type | ...        | 00 |
 *         ^cur before next       ^value      ^cur after           ^end
 *
 * The common step: at least 33 bytes are left before `end`, the key has at most 15 bytes, the value is of fixed size, a
 * string, a document, an array or a plain binary. Everything else, and every fault, goes to bsn_iter_next_slow, which
 * starts again from `cur`: one place that judges. The layout of bsn_iter is part of the ABI.
 */
#ifndef BSONIC_DETAIL_ITER_H
#define BSONIC_DETAIL_ITER_H

#include <bsonic/detail/le.h>
#include <bsonic/detail/word.h>
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

/* The full step: any key, any type, every fault. */
BSN_API bool bsn_iter_next_slow(bsn_iter *it);

static inline bool bsn_iter_next(bsn_iter *it)
{
    const uint8_t *element = it->cur;
    size_t left = (size_t)(it->end - element);
    uint64_t zeros;
    uint32_t key_len, n;
    const uint8_t *value;
    uint8_t step;

    if (BSN_UNLIKELY(left < 33)) return bsn_iter_next_slow(it);

    zeros = bsn_word_zeros(bsn_load_u64(element + 1));
    if (BSN_LIKELY(zeros != 0)) {
        key_len = bsn_word_first(zeros);
    } else {
        zeros = bsn_word_zeros(bsn_load_u64(element + 9));
        if (zeros == 0) return bsn_iter_next_slow(it);
        key_len = 8 + bsn_word_first(zeros);
    }
    value = element + 2 + key_len; /* at most 17 bytes in: 16 more are there */
    left -= 2 + (size_t)key_len;

    step = bsn_type_step(*element);
    if (BSN_LIKELY(step <= 16)) {
        it->cur = value + step;
    } else {
        /* `left` is what is really there, and below 2^31: so a negative length, and 0 - 1, are too large here. */
        n = bsn_load_u32(value);
        if (step == BSN_STEP_STRING) {
            if (n - 1 >= left - 4 || value[3 + (size_t)n] != 0) {
                return bsn_iter_next_slow(it);
            }
            it->cur = value + 4 + n;
        } else if (step == BSN_STEP_DOCUMENT) {
            if (n < BSN_DOC_SIZE_MIN || n > left || value[(size_t)n - 1] != 0) {
                return bsn_iter_next_slow(it);
            }
            it->cur = value + n;
        } else if (step == BSN_STEP_BOOLEAN) {
            if (*value > 1) return bsn_iter_next_slow(it);
            it->cur = value + 1;
        } else if (step == BSN_STEP_BINARY) {
            if (n > left - 5 || value[4] == BSN_SUBTYPE_OLD_BINARY) {
                return bsn_iter_next_slow(it);
            }
            it->cur = value + 5 + n;
        } else {
            return bsn_iter_next_slow(it);
        }
    }
    it->value = value;
    it->key_len = key_len;
    it->type = *element;
    return true;
}

#ifdef __cplusplus
}
#endif
#endif
