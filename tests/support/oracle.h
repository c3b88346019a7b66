/* SPDX-License-Identifier: Apache-2.0
 *
 * oracle.h -- the rules of bsn_iter_error (doc.h) and of the levels (validate.h) written a second time, sharing no line with the
 * library: every fault that an element has is noted down, and the one at the lowest offset is the verdict. Recursive, a byte
 * at a time: for tests.
 */
#ifndef TESTS_SUPPORT_ORACLE_H
#define TESTS_SUPPORT_ORACLE_H

#include <bsonic/base.h>

/* What bsn_validate must say of these bytes: a status, and with a fault its offset. */
typedef struct verdict {
    bsn_status status;
    size_t offset;
} verdict;

/* Exactly one document, at level structure or, with `utf8`, at that level. */
verdict oracle_judge(bsn_bytes bytes, bool utf8, size_t depth_max);

#endif
