/* SPDX-License-Identifier: Apache-2.0
 *
 * collect.h -- what a bsn_out holds, put together from its pieces.
 */
#ifndef TESTS_SUPPORT_COLLECT_H
#define TESTS_SUPPORT_COLLECT_H

#include <bsonic/mem.h>

#include <check.h>

#include <string.h>

/* Copies all unsent output to storage[0..size), which must be enough, and returns what was copied. Fails the running test when
 * a piece is empty, or when bsn_out_unsent says something else. */
static inline bsn_bytes collect(bsn_out *out, uint8_t *storage, size_t size)
{
    enum { PIECES_MAX = 4096 };
    static bsn_iovec iov[PIECES_MAX];
    bsn_bytes all = {storage, 0};
    const size_t count = bsn_out_iovecs(out, iov, PIECES_MAX);
    ck_assert_uint_lt(count, PIECES_MAX);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_gt(iov[i].len, 0);
        ck_assert_uint_le(iov[i].len, size - all.len);
        memcpy(storage + all.len, iov[i].ptr, iov[i].len);
        all.len += iov[i].len;
    }
    ck_assert_uint_eq(all.len, bsn_out_unsent(out));
    return all;
}

#endif
