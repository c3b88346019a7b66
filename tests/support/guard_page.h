/* SPDX-License-Identifier: Apache-2.0
 *
 * guard_page.h -- memory between two pages that may not be touched, so that a read or write one byte outside stops the test.
 *
 *      | no access | room for len_max bytes, rounded up to pages | no access |
 *                  ^ guard_at_start                              ^ guard_at_end ends here
 *
 * One area serves a whole loop over lengths and positions: placing bytes is a copy, not a system call.
 */
#ifndef TESTS_SUPPORT_GUARD_PAGE_H
#define TESTS_SUPPORT_GUARD_PAGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct guard_area {
    uint8_t *map;   /* the first guard page */
    size_t map_len; /* all of it */
    uint8_t *room;  /* the first byte that may be touched */
    size_t room_len;
} guard_area;

/* Maps room for len_max bytes and more; fails the running test when the system refuses. */
void guard_open(guard_area *area, size_t len_max);
void guard_close(guard_area *area);

/* Copies bytes so that the last one stands right before the guard page; what stands in front of them is 0xA5.
 * With len 0 the result points at the guard page. bytes NULL leaves the room filled with 0xA5. */
uint8_t *guard_at_end(guard_area *area, const void *bytes, size_t len);

/* Copies bytes so that the first one stands right after the guard page; what stands behind them is 0xA5. */
uint8_t *guard_at_start(guard_area *area, const void *bytes, size_t len);

#endif
