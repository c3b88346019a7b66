/* SPDX-License-Identifier: Apache-2.0
 *
 * guard_page.c -- see guard_page.h.
 */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */

#include "support/guard_page.h"

#include <check.h>

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILL = 0xA5, FILL_LEN = 64 };

void guard_open(guard_area *area, size_t len_max)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    area->room_len = (len_max / page + 1) * page;
    area->map_len = area->room_len + 2 * page;
    void *map = mmap(NULL, area->map_len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_msg(map != MAP_FAILED, "mmap of %zu bytes", area->map_len);
    area->map = map;
    area->room = area->map + page;
    ck_assert_int_eq(mprotect(area->room, area->room_len, PROT_READ | PROT_WRITE), 0);
    memset(area->room, FILL, area->room_len);
}

void guard_close(guard_area *area)
{
    ck_assert_int_eq(munmap(area->map, area->map_len), 0);
    memset(area, 0, sizeof *area);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

uint8_t *guard_at_end(guard_area *area, const void *bytes, size_t len)
{
    ck_assert_uint_le(len, area->room_len);
    uint8_t *at = area->room + area->room_len - len;
    const size_t before = smaller(FILL_LEN, (size_t)(at - area->room));
    memset(at - before, FILL, before);
    if (bytes == NULL) {
        memset(at, FILL, len);
    } else if (len != 0) {
        memcpy(at, bytes, len);
    }
    return at;
}

uint8_t *guard_at_start(guard_area *area, const void *bytes, size_t len)
{
    ck_assert_uint_le(len, area->room_len);
    memset(area->room + len, FILL, smaller(FILL_LEN, area->room_len - len));
    if (bytes == NULL) {
        memset(area->room, FILL, len);
    } else if (len != 0) {
        memcpy(area->room, bytes, len);
    }
    return area->room;
}
