/* SPDX-License-Identifier: Apache-2.0
 *
 * lookup.c -- finding an element by its key or its path. The first match wins.
 */
#include <bsonic/doc.h>

#include "base/debug.h"
#include "base/digit.h"

#include <string.h>

/* Why a walk that found nothing ended. */
static bsn_status not_found(const bsn_iter *walk, bsn_error *err)
{
    const bsn_status status = bsn_iter_error(walk, err);
    if (status != BSN_OK) return status;
    return bsn_error_set(err, BSN_E_NOT_FOUND, (uint64_t)(walk->end - walk->base), NULL);
}

/* True when the len bytes at a and b are the same; read in words that may overlap, as keys are too short for a call. */
static inline bool same_bytes(const uint8_t *a, const uint8_t *b, size_t len)
{
    size_t i = 0;
    if (len < 8) {
        while (i < len && a[i] == b[i]) i++;
        return i == len;
    }
    for (; i < len - 8; i += 8) {
        if (bsn_load_u64(a + i) != bsn_load_u64(b + i)) return false;
    }
    return bsn_load_u64(a + len - 8) == bsn_load_u64(b + len - 8);
}

static inline bool is_key(const bsn_iter *it, bsn_str key)
{
    return it->key_len == key.len &&
           same_bytes(it->value - 1 - it->key_len, (const uint8_t *)key.ptr, key.len);
}

/* The first element from *walk on whose key is `key` goes to *it. False: there is none, and *walk is where it ended.
 *
 * The common steps are taken by a copy that no call ever sees, and of which only `cur` goes on from one to the next: so it stays in
 * registers, and there are enough of them. */
static inline bool find_from(bsn_iter *walk, bsn_str key, bsn_iter *it)
{
    bsn_iter step = *walk;
    for (;;) {
        while (BSN_LIKELY(step.cur != step.end && bsn_iter_next_common(&step))) {
            if (is_key(&step, key)) {
                *it = step;
                return true;
            }
        }
        walk->cur = step.cur;
        if (!bsn_iter_next(walk)) return false;
        if (is_key(walk, key)) {
            *it = *walk;
            return true;
        }
        step.cur = walk->cur;
    }
}

static bool find_key(bsn_iter *walk, bsn_str key)
{
    return find_from(walk, key, walk);
}

bsn_status bsn_find(bsn_doc doc, bsn_str key, bsn_iter *it, bsn_error *err)
{
    bsn_iter walk;
    bsn_iter_init(&walk, doc);
    return find_from(&walk, key, it) ? BSN_OK : not_found(&walk, err);
}

bsn_status bsn_find_value(bsn_doc doc, bsn_str key, bsn_value *value, bsn_error *err)
{
    bsn_iter it;
    const bsn_status status = bsn_find(doc, key, &it, err);
    if (status == BSN_OK) *value = bsn_iter_value(&it);
    return status;
}

/* A position in an array: digits without leading zeros. No document has more than 2^31 elements, so nine digits are enough. */
static bool step_index(bsn_str step, uint32_t *index)
{
    uint32_t sum = 0;
    if (step.len == 0 || step.len > 9 || (step.len > 1 && step.ptr[0] == '0')) return false;
    for (size_t i = 0; i < step.len; i++) {
        if (!bsni_is_digit(step.ptr[i])) return false;
        sum = sum * 10 + (uint32_t)(step.ptr[i] - '0');
    }
    *index = sum;
    return true;
}

static bool find_position(bsn_iter *walk, bsn_str step)
{
    uint32_t index;
    if (!step_index(step, &index)) return false;
    while (bsn_iter_next(walk)) {
        if (index-- == 0) return true;
    }
    return false;
}

static bool find_step(bsn_iter *walk, bool in_array, bsn_str step)
{
    return in_array ? find_position(walk, step) : find_key(walk, step);
}

/* Follows one step into the container that *walk stands on. */
static bool descend(bsn_iter *walk, bsn_str step, bsn_error *err, bsn_status *status)
{
    bsn_iter child;
    const bool in_array = bsn_iter_type(walk) == BSN_TYPE_ARRAY;
    if (!bsn_iter_enter(walk, &child)) {
        *status = not_found(walk, err); /* a scalar, or too deep */
        return false;
    }
    if (!find_step(&child, in_array, step)) {
        *status = not_found(&child, err);
        return false;
    }
    *walk = child;
    return true;
}

bsn_status bsn_find_steps(bsn_doc doc, const bsn_str *steps, size_t count, bsn_iter *it,
                          bsn_error *err)
{
    bsn_iter walk;
    bsn_status status = BSN_OK;
    BSN_ASSERT(count > 0);
    bsn_iter_init(&walk, doc);
    if (!find_key(&walk, steps[0])) return not_found(&walk, err);
    for (size_t i = 1; i < count; i++) {
        if (!descend(&walk, steps[i], err, &status)) return status;
    }
    *it = walk;
    return BSN_OK;
}

/* Cuts the step in front of the first dot off *path. False when it was the last. */
static bool take_step(bsn_str *path, bsn_str *step)
{
    const char *dot = path->len == 0 ? NULL : memchr(path->ptr, '.', path->len);
    *step = *path;
    if (dot == NULL) return false;
    step->len = (size_t)(dot - path->ptr);
    path->ptr = dot + 1;
    path->len -= step->len + 1;
    return true;
}

bsn_status bsn_find_path(bsn_doc doc, bsn_str path, bsn_iter *it, bsn_error *err)
{
    bsn_iter walk;
    bsn_str step;
    bsn_status status = BSN_OK;
    bsn_iter_init(&walk, doc);
    bool more = take_step(&path, &step);
    if (!find_key(&walk, step)) return not_found(&walk, err);
    while (more) {
        more = take_step(&path, &step);
        if (!descend(&walk, step, err, &status)) return status;
    }
    *it = walk;
    return BSN_OK;
}
