/* SPDX-License-Identifier: Apache-2.0
 *
 * deadline.h -- a timeout that several system calls share: the moment of the monotonic clock when it is over.
 */
#ifndef BSNI_DEADLINE_H
#define BSNI_DEADLINE_H

#include <bsonic/io.h>

/* The moment `timeout_ms` from now; 0, which means none, when it is negative. */
static inline uint64_t bsni_deadline_after(int32_t timeout_ms)
{
    if (timeout_ms < 0) return 0;
    return bsn_clock_monotonic_ns() + (uint64_t)timeout_ms * 1000000u;
}

/* Milliseconds that are left, as poll takes them; -1 when there is no deadline, 0 when it is over. */
static inline int32_t bsni_deadline_left_ms(uint64_t deadline_ns)
{
    if (deadline_ns == 0) return -1;
    const uint64_t now = bsn_clock_monotonic_ns();
    if (now >= deadline_ns) return 0;
    const uint64_t left = (deadline_ns - now + 999999) / 1000000; /* up: 0 would not wait at all */
    return left < INT32_MAX ? (int32_t)left : INT32_MAX;
}

#endif
