/* SPDX-License-Identifier: Apache-2.0
 *
 * full_walk.h -- a walk over a whole document with iterators that enter every container, in the order of its bytes; every key
 * and value on the way is read to its last byte, so that a sanitizer or a guard page sees a view that is too long.
 */
#ifndef TESTS_SUPPORT_FULL_WALK_H
#define TESTS_SUPPORT_FULL_WALK_H

#include <bsonic/doc.h>

/* How to step: the inline step, or a function. */
typedef enum full_walk_way {
    FULL_WALK_INLINE,      /* bsn_iter_next */
    FULL_WALK_OUT_OF_LINE, /* bsn_iter_step */
    FULL_WALK_SLOW,        /* bsn_iter_next_slow for every element: no word is read */
    FULL_WALK_JUDGED,      /* bsni_iter_next_judged for every element: no short cut at all */
    FULL_WALK_WAYS
} full_walk_way;

/* BSN_OK, or the first fault with its place in *err (may be NULL). *digest (may be NULL) is a hash of everything seen, types,
 * keys, values and nesting: equal for equal sights. */
bsn_status full_walk(bsn_doc doc, full_walk_way way, uint16_t depth_max, uint64_t *digest,
                     bsn_error *err);

/* Opens the document first. */
bsn_status full_walk_bytes(bsn_bytes bytes, full_walk_way way, uint16_t depth_max, bsn_error *err);

#endif
