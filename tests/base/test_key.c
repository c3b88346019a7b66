/* SPDX-License-Identifier: Apache-2.0
 *
 * test_key.c -- the end of a key, wherever the readable bytes end.
 */
#include "suites.h"

#include "support/guard_page.h"

#include <bsonic/detail/key.h>

#include <string.h>

enum { ROOM_MAX = 100 };

START_TEST(end_is_found_or_left_to_bytes_near_the_end_of_the_room)
{
    static const uint8_t fills[] = {0x01, 0x80, 0xFF};
    guard_area area;
    guard_open(&area, ROOM_MAX);
    for (size_t room = 8; room <= ROOM_MAX; room++) {
        uint8_t *key = guard_at_end(&area, NULL, room);
        for (size_t len = 0; len < room; len++) {
            memset(key, fills[len % sizeof fills], room);
            key[len] = 0;
            const uint8_t *zero = bsn_key_end(key, room);
            const bool near_end = len >= 8 && room - len < BSN_KEY_STRIDE;
            if (zero != key + len && !(near_end && zero == NULL))
                ck_abort_msg("a key of %zu bytes among %zu", len, room);
        }
        memset(key, 0x01, room);
        ck_assert_ptr_null(bsn_key_end(key, room));
    }
    guard_close(&area);
}
END_TEST

START_TEST(first_of_two_zeros_ends_the_key)
{
    uint8_t key[40];
    for (size_t first = 0; first < sizeof key - 16; first++) {
        memset(key, 0x01, sizeof key);
        memset(key + first, 0, sizeof key - first);
        ck_assert_ptr_eq(bsn_key_end(key, sizeof key), key + first);
    }
}
END_TEST

Suite *key_suite(void)
{
    Suite *suite = suite_create("key");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, end_is_found_or_left_to_bytes_near_the_end_of_the_room);
    tcase_add_test(tcase, first_of_two_zeros_ends_the_key);
    suite_add_tcase(suite, tcase);
    return suite;
}
