/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cursors.c -- ids, ends by idleness, and the limit.
 */
#include "suites.h"

#include "serve/cursors.h"
#include "support/counting_alloc.h"
#include "support/failing_alloc.h"

START_TEST(ids_are_positive_and_different)
{
    counting_alloc counter;
    serve_cursors cursors;
    static int64_t ids[500];
    counting_alloc_init(&counter);
    serve_cursors_init(&cursors, &counter.alloc);
    for (size_t i = 0; i < 500; i++) {
        const serve_cursor cursor = {.left = i, .idle_ms = 1000};
        ck_assert_int_eq(serve_cursors_add(&cursors, &cursor, &ids[i], NULL), BSN_OK);
        ck_assert_int_gt(ids[i], 0);
    }
    for (size_t i = 0; i < 500; i++) {
        const serve_cursor *found = serve_cursors_find(&cursors, ids[i]);
        ck_assert_ptr_nonnull(found);
        ck_assert_uint_eq(found->left, i);
    }
    ck_assert_ptr_null(serve_cursors_find(&cursors, 0));
    serve_cursors_free(&cursors);
    counting_alloc_finish(&counter);
}
END_TEST

static uint64_t *make_matches(const counting_alloc *counter)
{
    return bsn_alloc_resize(&counter->alloc, NULL, 0, 2 * sizeof(uint64_t));
}

START_TEST(idle_cursors_end_at_their_time)
{
    counting_alloc counter;
    serve_cursors cursors;
    int64_t quick, slow;
    counting_alloc_init(&counter);
    serve_cursors_init(&cursors, &counter.alloc);
    ck_assert_int_eq(serve_cursors_expire(&cursors, 1000000), -1);
    const serve_cursor one = {
        .idle_ms = 100, .used_ms = 5000, .matches = make_matches(&counter), .match_count = 2};
    const serve_cursor two = {.idle_ms = 300, .used_ms = 5000};
    ck_assert_int_eq(serve_cursors_add(&cursors, &one, &quick, NULL), BSN_OK);
    ck_assert_int_eq(serve_cursors_add(&cursors, &two, &slow, NULL), BSN_OK);
    ck_assert_int_eq(serve_cursors_expire(&cursors, 5000), 100);
    ck_assert_int_eq(serve_cursors_expire(&cursors, 5099), 1);
    ck_assert_ptr_nonnull(serve_cursors_find(&cursors, quick));
    ck_assert_int_eq(serve_cursors_expire(&cursors, 5100), 200);
    ck_assert_ptr_null(serve_cursors_find(&cursors, quick));
    serve_cursors_find(&cursors, slow)->used_ms = 5250;
    ck_assert_int_eq(serve_cursors_expire(&cursors, 5300), 250);
    ck_assert_int_eq(serve_cursors_expire(&cursors, 9000), -1);
    ck_assert_uint_eq(cursors.count, 0);
    serve_cursors_free(&cursors);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(longest_idle_makes_room_at_the_limit)
{
    serve_cursors cursors;
    int64_t oldest = 0, id;
    serve_cursors_init(&cursors, NULL);
    for (uint64_t i = 0; i < SERVE_CURSORS_MAX; i++) {
        const serve_cursor cursor = {.idle_ms = 1000, .used_ms = i == 1234 ? 1 : 100 + i};
        ck_assert_int_eq(serve_cursors_add(&cursors, &cursor, &id, NULL), BSN_OK);
        if (i == 1234) oldest = id;
    }
    const serve_cursor one_more = {.idle_ms = 1000, .used_ms = 9999};
    ck_assert_ptr_nonnull(serve_cursors_find(&cursors, oldest));
    ck_assert_int_eq(serve_cursors_add(&cursors, &one_more, &id, NULL), BSN_OK);
    ck_assert_uint_eq(cursors.count, SERVE_CURSORS_MAX);
    ck_assert_ptr_null(serve_cursors_find(&cursors, oldest));
    ck_assert_ptr_nonnull(serve_cursors_find(&cursors, id));
    serve_cursors_free(&cursors);
}
END_TEST

START_TEST(matches_of_all_cursors_are_bounded)
{
    serve_cursors cursors;
    counting_alloc counter;
    int64_t first = 0, id;
    counting_alloc_init(&counter);
    serve_cursors_init(&cursors, &counter.alloc);
    for (uint64_t i = 0; i < 9; i++) {
        serve_cursor cursor = {.idle_ms = 1000, .used_ms = i, .match_count = SERVE_MATCHES_MAX / 4};
        const size_t size = cursor.match_count * sizeof cursor.matches[0];
        cursor.matches = bsn_alloc_resize(&counter.alloc, NULL, 0, size);
        ck_assert_ptr_nonnull(cursor.matches);
        ck_assert_int_eq(serve_cursors_add(&cursors, &cursor, &id, NULL), BSN_OK);
        if (i == 0) first = id;
        ck_assert_uint_eq(cursors.count, i < 4 ? i + 1 : 4);
    }
    ck_assert_ptr_null(serve_cursors_find(&cursors, first));
    /* one that is larger than all may be stays alone */
    serve_cursor large = {.idle_ms = 1000, .used_ms = 9, .match_count = SERVE_MATCHES_MAX + 1};
    const size_t size = large.match_count * sizeof large.matches[0];
    large.matches = bsn_alloc_resize(&counter.alloc, NULL, 0, size);
    ck_assert_ptr_nonnull(large.matches);
    ck_assert_int_eq(serve_cursors_add(&cursors, &large, &id, NULL), BSN_OK);
    ck_assert_uint_eq(cursors.count, 1);
    const serve_cursor scan = {.idle_ms = 1000, .used_ms = 10};
    ck_assert_int_eq(serve_cursors_add(&cursors, &scan, &id, NULL), BSN_OK);
    ck_assert_uint_eq(cursors.count, 2);
    serve_cursors_free(&cursors);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(refused_memory_takes_nothing_over)
{
    failing_alloc failing;
    failing_alloc_init(&failing);
    do {
        serve_cursors cursors;
        int64_t id;
        bsn_status status = BSN_OK;
        serve_cursors_init(&cursors, &failing.alloc);
        for (size_t i = 0; i < 40 && status == BSN_OK; i++) {
            const serve_cursor cursor = {.idle_ms = 1};
            status = serve_cursors_add(&cursors, &cursor, &id, NULL);
            ck_assert_uint_eq(cursors.count, status == BSN_OK ? i + 1 : i);
        }
        ck_assert_int_eq(status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
        serve_cursors_free(&cursors);
    } while (failing_alloc_again(&failing));
}
END_TEST

Suite *cursors_suite(void)
{
    Suite *suite = suite_create("cursors");
    TCase *tests = tcase_create("cursors");
    tcase_add_test(tests, ids_are_positive_and_different);
    tcase_add_test(tests, idle_cursors_end_at_their_time);
    tcase_add_test(tests, longest_idle_makes_room_at_the_limit);
    tcase_add_test(tests, matches_of_all_cursors_are_bounded);
    tcase_add_test(tests, refused_memory_takes_nothing_over);
    suite_add_tcase(suite, tests);
    return suite;
}
