/* SPDX-License-Identifier: Apache-2.0
 *
 * test_out.c -- the sink of writers and printers, promise by promise. test_out_model.c makes random calls.
 */
#include "suites.h"
#include "support/collect.h"
#include "support/failing_alloc.h"

#include <string.h>

static bsn_bytes span(const void *ptr, size_t len)
{
    const bsn_bytes bytes = {ptr, len};
    return bytes;
}

static void check_text(bsn_out *out, const char *text)
{
    uint8_t bytes[256];
    const size_t len = collect(out, bytes, sizeof bytes).len;
    ck_assert_msg(len == strlen(text) && memcmp(bytes, text, len) == 0, "%.*s", (int)len,
                  (const char *)bytes);
}

/* ------------------------------------------------------------------ single promises */

START_TEST(new_output_holds_nothing_and_took_nothing)
{
    counting_alloc counter;
    bsn_pool pool;
    bsn_buf buf;
    bsn_out out;
    bsn_bytes view;
    bsn_iovec iov[1];
    counting_alloc_init(&counter);
    bsn_pool_init(&pool, &counter.alloc, SIZE_MAX);
    bsn_buf_init(&buf, &counter.alloc);
    for (int kind = 0; kind < 3; kind++) {
        if (kind == 0) bsn_out_init_pool(&out, &pool, 0);
        if (kind == 1) bsn_out_init_buf(&out, &buf);
        if (kind == 2) bsn_out_init_fixed(&out, NULL, 0);
        ck_assert_uint_eq(bsn_out_len(&out), 0);
        ck_assert_int_eq(bsn_out_status(&out), BSN_OK);
        ck_assert_uint_eq(bsn_out_unsent(&out), 0);
        ck_assert_uint_eq(bsn_out_iovecs(&out, iov, 1), 0);
        ck_assert(bsn_out_view(&out, &view));
        ck_assert_uint_eq(view.len, 0);
        bsn_out_append(&out, NULL, 0);
        bsn_out_append_ref(&out, span(NULL, 0));
        bsn_out_advance(&out, 0);
        bsn_out_sent(&out, 0);
        bsn_out_rollback(&out, bsn_out_get_mark(&out));
        bsn_out_clear(&out);
        ck_assert_uint_eq(bsn_out_len(&out), 0);
        bsn_out_free(&out);
    }
    ck_assert_uint_eq(counting_alloc_requests(&counter), 0);
}
END_TEST

START_TEST(fixed_storage_counts_on_and_says_the_size_needed)
{
    uint8_t storage[4] = {0};
    bsn_bytes view;
    bsn_out out;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_out_append(&out, "abc", 3);
    ck_assert_int_eq(bsn_out_status(&out), BSN_OK);
    bsn_out_append(&out, "defg", 4);
    bsn_out_append(&out, "h", 1);
    ck_assert_int_eq(bsn_out_status(&out), BSN_E_SPACE);
    ck_assert_uint_eq(bsn_out_len(&out), 8);
    ck_assert(!bsn_out_view(&out, &view));
    check_text(&out, "abcd"); /* what it holds */
}
END_TEST

START_TEST(storage_holds_what_was_reserved_and_used_once_the_output_is_freed)
{
    char storage[4] = "....";
    bsn_out out;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_out_reserve(&out, BSN_OUT_RESERVE_MAX)[0] = 'a'; /* more than there is, less than is used */
    bsn_out_advance(&out, 1);
    bsn_out_free(&out);
    ck_assert_mem_eq(storage, "a...", 4);
    ck_assert_uint_eq(bsn_out_len(&out), 0);
}
END_TEST

/* Lengths that lie about one_byte; volatile, since the compiler knows better. */
static const uint8_t one_byte[1];
static volatile size_t lie = (size_t)1 << 31;
static volatile size_t larger_lie = SIZE_MAX - 1;

START_TEST(bytes_without_storage_are_counted_and_not_read)
{
    bsn_out out;
    bsn_out_init_fixed(&out, NULL, 0);
    bsn_out_append(&out, one_byte, lie);
    bsn_out_append_ref(&out, span(one_byte, lie));
    ck_assert_uint_eq(bsn_out_len(&out), (uint64_t)1 << 32);
    ck_assert_int_eq(bsn_out_status(&out), BSN_E_SPACE);
}
END_TEST

START_TEST(a_length_beyond_64_bits_is_a_hard_error)
{
    uint8_t storage[2];
    bsn_out out;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    memcpy(bsn_out_reserve(&out, 10), "x", 1);
    bsn_out_advance(&out, 1);
    bsn_out_append(&out, one_byte, larger_lie);
    bsn_out_append(&out, one_byte, larger_lie);
    if (SIZE_MAX < UINT64_MAX) return; /* then it takes more calls than a test has */
    ck_assert_int_eq(bsn_out_status(&out), BSN_E_SIZE);
    ck_assert_uint_eq(storage[0], 'x');
    bsn_out_clear(&out);
    ck_assert_int_eq(bsn_out_status(&out), BSN_OK);
}
END_TEST

/* Callers may reserve more than they use: what counts is what they use. */
START_TEST(storage_of_the_exact_size_is_enough)
{
    for (size_t cap = 0; cap <= 8; cap++) {
        uint8_t storage[9];
        bsn_bytes view;
        bsn_out out;
        memset(storage, '#', sizeof storage);
        bsn_out_init_fixed(&out, storage, cap);
        for (char digit = '0'; digit < '7'; digit++) {
            memset(bsn_out_reserve(&out, 100), digit, 100);
            bsn_out_advance(&out, 1);
        }
        ck_assert_uint_eq(bsn_out_len(&out), 7);
        ck_assert_int_eq(bsn_out_status(&out), cap >= 7 ? BSN_OK : BSN_E_SPACE);
        ck_assert(bsn_out_view(&out, &view) == (cap >= 7));
        ck_assert_uint_eq(bsn_out_unsent(&out), cap < 7 ? cap : 7);
        char text[8] = "0123456";
        if (cap < 7) text[cap] = '\0';
        check_text(&out, text);
        ck_assert_uint_eq(storage[cap], '#');
    }
}
END_TEST

START_TEST(a_full_storage_is_not_full_after_a_rollback)
{
    uint8_t storage[5];
    bsn_out out;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_out_append(&out, "abc", 3);
    const bsn_out_mark fits = bsn_out_get_mark(&out);
    bsn_out_append(&out, "defgh", 5);
    const bsn_out_mark too_long = bsn_out_get_mark(&out);
    bsn_out_append(&out, "ijk", 3);
    bsn_out_rollback(&out, too_long);
    ck_assert_int_eq(bsn_out_status(&out), BSN_E_SPACE);
    ck_assert_uint_eq(bsn_out_len(&out), 8);
    bsn_out_rollback(&out, fits);
    ck_assert_int_eq(bsn_out_status(&out), BSN_OK);
    check_text(&out, "abc");
    bsn_out_append(&out, "12", 2);
    check_text(&out, "abc12");
}
END_TEST

START_TEST(a_slot_at_the_end_of_full_storage_is_patched_as_far_as_it_goes)
{
    for (size_t cap = 0; cap <= 6; cap++) {
        uint8_t storage[7];
        bsn_out out;
        memset(storage, '#', sizeof storage);
        bsn_out_init_fixed(&out, storage, cap);
        bsn_out_append(&out, "a", 1);
        const bsn_out_mark slot = bsn_out_slot_i32(&out);
        bsn_out_append(&out, "b", 1);
        bsn_out_patch_i32(&out, slot, 0x34333231);
        bsn_out_append(&out, "c", 1);
        bsn_out_patch_i32(&out, slot, 0x38373635);
        ck_assert_uint_eq(bsn_out_len(&out), 7);
        char text[8] = "a5678bc";
        text[cap] = '\0';
        check_text(&out, text);
        ck_assert_uint_eq(storage[cap], '#');
    }
}
END_TEST

START_TEST(a_buffer_is_appended_to_behind_what_it_had)
{
    bsn_buf buf = {0};
    bsn_out out;
    bsn_bytes view;
    ck_assert_int_eq(bsn_buf_append(&buf, span("old ", 4)), BSN_OK);
    bsn_out_init_buf(&out, &buf);
    bsn_out_append(&out, "new", 3);
    ck_assert(bsn_out_view(&out, &view));
    ck_assert_uint_eq(view.len, 3);
    ck_assert_mem_eq(view.ptr, "new", 3);
    ck_assert_uint_eq(buf.len, 7);
    bsn_out_clear(&out);
    ck_assert_uint_eq(buf.len, 4);
    bsn_out_append(&out, "er", 2);
    bsn_out_free(&out);
    ck_assert_uint_eq(buf.len, 6);
    ck_assert_mem_eq(buf.ptr, "old er", 6);
    bsn_out_append(&out, "!", 1); /* after free it is as init left it */
    bsn_out_free(&out);
    ck_assert_uint_eq(buf.len, 7);
    ck_assert_mem_eq(buf.ptr, "old er!", 7);
    bsn_buf_free(&buf);
}
END_TEST

START_TEST(pooled_output_is_contiguous_while_the_block_has_room)
{
    bsn_pool pool;
    bsn_out out;
    bsn_bytes view;
    bsn_iovec iov[3];
    uint8_t bytes[1024];
    memset(bytes, 'x', sizeof bytes);
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    bsn_out_append(&out, bytes, 1000);
    bsn_out_slot_i32(&out);
    bsn_out_append(&out, bytes, 20); /* to the last byte of the block */
    ck_assert(bsn_out_view(&out, &view));
    ck_assert_uint_eq(view.len, 1024);
    bsn_out_append(&out, "y", 1);
    ck_assert(!bsn_out_view(&out, &view));
    ck_assert_uint_eq(bsn_out_iovecs(&out, iov, 3), 2);
    ck_assert_uint_eq(iov[0].len, 1024);
    ck_assert_uint_eq(iov[1].len, 1);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}
END_TEST

START_TEST(a_slot_never_straddles_two_blocks)
{
    for (size_t filled = 1015; filled <= 1024; filled++) {
        uint8_t bytes[1024] = {0};
        bsn_pool pool;
        bsn_out out;
        bsn_iovec iov[3];
        bsn_pool_init(&pool, NULL, SIZE_MAX);
        bsn_out_init_pool(&out, &pool, 1024);
        bsn_out_append(&out, bytes, filled);
        const bsn_out_mark slot = bsn_out_slot_i32(&out);
        bsn_out_append(&out, bytes, 600);
        bsn_out_append(&out, bytes, 300); /* the first block is full now */
        bsn_out_patch_i32(&out, slot, 0x04030201);
        ck_assert_uint_eq(bsn_out_iovecs(&out, iov, 3), 2);
        const uint8_t *place = filled > 1020 ? iov[1].ptr : (const uint8_t *)iov[0].ptr + filled;
        ck_assert_mem_eq(place, "\1\2\3\4", 4);
        bsn_out_free(&out);
        bsn_pool_free(&pool);
    }
}
END_TEST

START_TEST(large_bytes_are_referenced_and_small_ones_copied)
{
    static uint8_t large[BSN_OUT_REF_MIN];
    bsn_pool pool;
    bsn_out out;
    bsn_iovec iov[5];
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 8192);
    bsn_out_append_ref(&out, span(large, sizeof large - 1));
    bsn_out_append_ref(&out, span(large, sizeof large));
    bsn_out_append(&out, "tail", 4);
    ck_assert_uint_eq(bsn_out_iovecs(&out, iov, 5), 3);
    ck_assert_uint_eq(iov[0].len, sizeof large - 1);
    ck_assert_ptr_ne(iov[0].ptr, large);
    ck_assert_ptr_eq(iov[1].ptr, large);
    ck_assert_ptr_eq(iov[2].ptr,
                     (const uint8_t *)iov[0].ptr + iov[0].len); /* goes on in the block */
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).takes, 1);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}
END_TEST

START_TEST(a_rollback_drops_blocks_and_references)
{
    static uint8_t large[BSN_OUT_REF_MIN];
    bsn_pool pool;
    bsn_out out;
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    bsn_out_append(&out, "kept", 4);
    const bsn_out_mark mark = bsn_out_get_mark(&out);
    for (int round = 0; round < 3; round++) {
        bsn_out_append_ref(&out, span(large, sizeof large));
        bsn_out_append_ref(&out, span(large, sizeof large));
        bsn_out_append(&out, large, 3000);
        bsn_out_append_ref(&out, span(large, sizeof large));
        ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_taken, 3 * 1024);
        ck_assert_uint_eq(bsn_out_len_since(&out, mark), 3 * sizeof large + 3000);
        bsn_out_rollback(&out, mark);
        ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_taken, 1024);
        check_text(&out, "kept");
    }
    bsn_out_append(&out, "!", 1);
    check_text(&out, "kept!");
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}
END_TEST

START_TEST(a_reference_before_any_block_can_be_rolled_back_and_sent)
{
    static uint8_t large[BSN_OUT_REF_MIN + 10];
    bsn_pool pool;
    bsn_out out;
    bsn_iovec iov[2];
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    const bsn_out_mark mark = bsn_out_get_mark(&out);
    bsn_out_append_ref(&out, span(large, sizeof large));
    bsn_out_rollback(&out, mark);
    ck_assert_uint_eq(bsn_out_iovecs(&out, iov, 2), 0);
    bsn_out_append_ref(&out, span(large, sizeof large));
    bsn_out_sent(&out, 10);
    ck_assert_uint_eq(bsn_out_iovecs(&out, iov, 2), 1);
    ck_assert_ptr_eq(iov[0].ptr, large + 10);
    bsn_out_sent(&out, sizeof large - 10);
    ck_assert_uint_eq(bsn_out_unsent(&out), 0);
    bsn_out_append(&out, "x", 1);
    check_text(&out, "x");
    ck_assert_uint_eq(bsn_out_len(&out), sizeof large + 1);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}
END_TEST

START_TEST(no_more_iovecs_are_filled_than_asked_for)
{
    bsn_pool pool;
    bsn_out out;
    bsn_iovec iov[8];
    uint8_t bytes[5 * 1024];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i % 251);
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    bsn_out_append(&out, bytes, sizeof bytes);
    ck_assert_uint_eq(bsn_out_iovecs(&out, iov, 0), 0);
    ck_assert_uint_eq(bsn_out_iovecs(&out, iov, 2), 2);
    ck_assert_uint_eq(bsn_out_iovecs(&out, iov, 8), 5);
    bsn_out_sent(&out, 1024 + 100); /* a partial write that ends inside a block */
    ck_assert_uint_eq(bsn_out_iovecs(&out, iov, 8), 4);
    ck_assert_uint_eq(iov[0].len, 924);
    ck_assert_mem_eq(iov[0].ptr, bytes + 1124, 924);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_taken, 4 * 1024); /* what is sent went back */
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}
END_TEST

/* One round of a stream: a document's worth of calls, then everything is sent in two writes. */
static void stream_round(bsn_out *out, const uint8_t *large, size_t large_len)
{
    for (int i = 0; i < 20; i++) {
        const bsn_out_mark slot = bsn_out_slot_i32(out);
        bsn_out_append(out, "0123456789", 10);
        const bsn_out_mark mark = bsn_out_get_mark(out);
        bsn_out_append(out, large, 700);
        if (i % 3 == 0) bsn_out_rollback(out, mark);
        if (i % 5 == 0) bsn_out_append_ref(out, span(large, large_len));
        bsn_out_patch_i32(out, slot, i);
    }
    bsn_out_sent(out, bsn_out_unsent(out) / 2);
    bsn_out_sent(out, bsn_out_unsent(out));
    ck_assert_uint_eq(bsn_out_unsent(out), 0);
}

START_TEST(a_stream_in_its_steady_state_allocates_nothing)
{
    static uint8_t large[BSN_OUT_REF_MIN];
    static uint8_t storage[200000];
    counting_alloc counter;
    bsn_pool pool;
    bsn_buf buf;
    bsn_out out;
    counting_alloc_init(&counter);
    bsn_pool_init(&pool, &counter.alloc, SIZE_MAX);
    bsn_buf_init(&buf, &counter.alloc);
    for (int kind = 0; kind < 3; kind++) {
        size_t requests = 0;
        if (kind == 0) bsn_out_init_pool(&out, &pool, 1024);
        if (kind == 1) bsn_out_init_buf(&out, &buf);
        if (kind == 2) bsn_out_init_fixed(&out, storage, sizeof storage);
        for (int round = 0; round < 50; round++) {
            stream_round(&out, large, sizeof large);
            if (round == 0) requests = counting_alloc_requests(&counter);
            ck_assert_uint_eq(counting_alloc_requests(&counter), requests);
        }
        ck_assert_int_eq(bsn_out_status(&out), BSN_OK);
        if (kind == 0) ck_assert_uint_le(bsn_pool_get_stats(&pool).bytes_taken, 1024);
        bsn_out_free(&out);
    }
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_taken, 0);
    bsn_buf_free(&buf);
    bsn_pool_free(&pool);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(clearing_keeps_one_block_and_starts_at_zero)
{
    bsn_pool pool;
    bsn_out out;
    uint8_t bytes[5000] = {0};
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    bsn_out_append(&out, bytes, sizeof bytes);
    bsn_out_sent(&out, 1500);
    bsn_out_clear(&out);
    ck_assert_uint_eq(bsn_out_len(&out), 0);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_taken, 1024);
    bsn_out_append(&out, "abc", 3);
    check_text(&out, "abc");
    ck_assert_uint_eq(bsn_out_len(&out), 3);
    bsn_out_free(&out);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_taken, 0);
    bsn_pool_free(&pool);
}
END_TEST

START_TEST(blocks_larger_than_a_pool_has_are_an_error_of_the_first_write)
{
    bsn_pool pool;
    bsn_out out;
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, BSN_POOL_SIZE_MAX + 1);
    ck_assert_int_eq(bsn_out_status(&out), BSN_OK);
    bsn_out_append(&out, "x", 1);
    ck_assert_int_eq(bsn_out_status(&out), BSN_E_SIZE);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}
END_TEST

/* ------------------------------------------------------------------ errors */

START_TEST(after_a_hard_error_calls_do_nothing_until_clear)
{
    static uint8_t large[BSN_OUT_REF_MIN];
    failing_alloc failing;
    bsn_pool pool;
    bsn_buf buf;
    bsn_out out;
    bsn_bytes view;
    for (int kind = 0; kind < 2; kind++) {
        failing_alloc_init(&failing);
        failing.fail_at = SIZE_MAX;
        bsn_pool_init(&pool, &failing.alloc, SIZE_MAX);
        bsn_buf_init(&buf, &failing.alloc);
        if (kind == 0) bsn_out_init_pool(&out, &pool, 1024);
        if (kind == 1) bsn_out_init_buf(&out, &buf);
        const bsn_out_mark slot = bsn_out_slot_i32(&out);
        const bsn_out_mark mark = bsn_out_get_mark(&out);
        bsn_out_append(&out, "good", 4);
        failing.fail_at = 0;
        bsn_out_append(&out, large, 3000); /* does not fit: nothing of it is written */
        ck_assert_int_eq(bsn_out_status(&out), BSN_E_NOMEM);
        ck_assert_uint_eq(bsn_out_len(&out), 8);
        for (int i = 0; i < 2000; i++) {
            memset(bsn_out_reserve(&out, BSN_OUT_RESERVE_MAX), 'x', BSN_OUT_RESERVE_MAX);
            bsn_out_advance(&out, (size_t)i % BSN_OUT_RESERVE_MAX);
            bsn_out_append(&out, "bad", 3);
            bsn_out_append(&out, large, 700);
            bsn_out_append_ref(&out, span(large, sizeof large));
            const bsn_out_mark lost = bsn_out_slot_i32(&out);
            bsn_out_patch_i32(&out, lost, 7);
        }
        ck_assert_uint_eq(bsn_out_len(&out), 8);
        ck_assert(!bsn_out_view(&out, &view));
        bsn_out_patch_i32(&out, slot, 0x34333231);
        check_text(&out, "1234good");
        bsn_out_rollback(&out, mark);
        ck_assert_int_eq(bsn_out_status(&out), BSN_E_NOMEM);
        check_text(&out, "1234");
        bsn_out_sent(&out, 1);
        check_text(&out, "234");
        bsn_out_sent(&out, 3);
        check_text(&out, "");
        failing.fail_at = SIZE_MAX;
        bsn_out_append(&out, "still bad", 9);
        check_text(&out, "");
        bsn_out_clear(&out);
        bsn_out_append(&out, "good again", 10);
        ck_assert_int_eq(bsn_out_status(&out), BSN_OK);
        check_text(&out, "good again");
        bsn_out_free(&out);
        bsn_buf_free(&buf);
        bsn_pool_free(&pool);
        counting_alloc_finish(&failing.counter);
    }
}
END_TEST

static void write_a_lot(bsn_out *out)
{
    static uint8_t large[BSN_OUT_REF_MIN];
    for (int i = 0; i < 12; i++) {
        const bsn_out_mark slot = bsn_out_slot_i32(out);
        bsn_out_append(out, large, 700);
        bsn_out_append_ref(out, span(large, sizeof large));
        memset(bsn_out_reserve(out, 300), 'x', 300);
        bsn_out_advance(out, 300);
        bsn_out_patch_i32(out, slot, i);
    }
}

START_TEST(a_refused_request_is_reported_and_leaks_nothing)
{
    for (int kind = 0; kind < 2; kind++) {
        failing_alloc failing;
        failing_alloc_init(&failing);
        do {
            bsn_pool pool;
            bsn_buf buf;
            bsn_out out;
            static uint8_t bytes[100000];
            bsn_pool_init(&pool, &failing.alloc, SIZE_MAX);
            bsn_buf_init(&buf, &failing.alloc);
            if (kind == 0) bsn_out_init_pool(&out, &pool, 1024);
            if (kind == 1) bsn_out_init_buf(&out, &buf);
            write_a_lot(&out);
            const bool refused = failing_alloc_refused(&failing);
            ck_assert_int_eq(bsn_out_status(&out), refused ? BSN_E_NOMEM : BSN_OK);
            ck_assert_uint_eq(collect(&out, bytes, sizeof bytes).len, bsn_out_len(&out));
            bsn_out_free(&out);
            bsn_buf_free(&buf);
            bsn_pool_free(&pool);
        } while (failing_alloc_again(&failing));
    }
}
END_TEST

Suite *out_suite(void)
{
    Suite *suite = suite_create("out");
    TCase *tests = tcase_create("promises");
    tcase_add_test(tests, new_output_holds_nothing_and_took_nothing);
    tcase_add_test(tests, fixed_storage_counts_on_and_says_the_size_needed);
    tcase_add_test(tests, storage_holds_what_was_reserved_and_used_once_the_output_is_freed);
    tcase_add_test(tests, bytes_without_storage_are_counted_and_not_read);
    tcase_add_test(tests, a_length_beyond_64_bits_is_a_hard_error);
    tcase_add_test(tests, storage_of_the_exact_size_is_enough);
    tcase_add_test(tests, a_full_storage_is_not_full_after_a_rollback);
    tcase_add_test(tests, a_slot_at_the_end_of_full_storage_is_patched_as_far_as_it_goes);
    tcase_add_test(tests, a_buffer_is_appended_to_behind_what_it_had);
    tcase_add_test(tests, pooled_output_is_contiguous_while_the_block_has_room);
    tcase_add_test(tests, a_slot_never_straddles_two_blocks);
    tcase_add_test(tests, large_bytes_are_referenced_and_small_ones_copied);
    tcase_add_test(tests, a_rollback_drops_blocks_and_references);
    tcase_add_test(tests, a_reference_before_any_block_can_be_rolled_back_and_sent);
    tcase_add_test(tests, no_more_iovecs_are_filled_than_asked_for);
    tcase_add_test(tests, a_stream_in_its_steady_state_allocates_nothing);
    tcase_add_test(tests, clearing_keeps_one_block_and_starts_at_zero);
    tcase_add_test(tests, blocks_larger_than_a_pool_has_are_an_error_of_the_first_write);
    suite_add_tcase(suite, tests);
    TCase *errors = tcase_create("errors");
    tcase_add_test(errors, after_a_hard_error_calls_do_nothing_until_clear);
    tcase_add_test(errors, a_refused_request_is_reported_and_leaks_nothing);
    suite_add_tcase(suite, errors);
    return suite;
}
