/* SPDX-License-Identifier: Apache-2.0
 *
 * test_reader.c -- the bounded cursor: what is there is read, what is not moves nothing.
 */
#include "suites.h"

#include "base/reader.h"
#include "support/exact_copy.h"

static const uint8_t sample[] = {0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0x09};

static bsni_reader reader_over(const uint8_t *bytes, size_t len)
{
    const bsn_bytes span = {bytes, len};
    return bsni_reader_over(span);
}

START_TEST(fields_are_read_little_endian_and_passed)
{
    bsni_reader r = reader_over(sample, sizeof sample);
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    ck_assert(bsni_reader_i32(&r, &i32));
    ck_assert_int_eq(i32, -2);
    ck_assert_uint_eq(bsni_reader_left(&r), 5);
    ck_assert(bsni_reader_u32(&r, &u32));
    ck_assert_uint_eq(u32, 0x7FFFFFFF);
    ck_assert_uint_eq(bsni_reader_left(&r), 1);
    r = reader_over(sample, sizeof sample);
    ck_assert(bsni_reader_i64(&r, &i64));
    ck_assert_int_eq(i64, INT64_MAX - 1);
}
END_TEST

/* Each field against every number of bytes that is too few, in a block of that size. */
START_TEST(what_is_cut_short_moves_nothing)
{
    /* Volatile: a compiler that knows the block's size warns of the very read that is refused here. */
    for (volatile size_t shorter = 0; shorter < 8; shorter++) {
        const size_t len = shorter;
        uint8_t *block = exact_copy(sample, len);
        bsni_reader r = reader_over(block, len);
        int32_t i32 = 77;
        uint32_t u32 = 77;
        int64_t i64 = 77;
        bsn_bytes taken = {NULL, 77};
        ck_assert(!bsni_reader_i64(&r, &i64) && i64 == 77);
        if (len < 4) ck_assert(!bsni_reader_i32(&r, &i32) && !bsni_reader_u32(&r, &u32));
        ck_assert(i32 == 77 && u32 == 77);
        ck_assert(!bsni_reader_take(&r, len + 1, &taken) && taken.len == 77);
        ck_assert_ptr_eq(r.cur, block);
        ck_assert_uint_eq(bsni_reader_left(&r), len);
        free(block);
    }
}
END_TEST

START_TEST(a_length_that_no_address_could_hold_is_refused)
{
    bsni_reader r = reader_over(sample, sizeof sample);
    bsn_bytes taken = {NULL, 77};
    ck_assert(!bsni_reader_take(&r, SIZE_MAX, &taken));
    ck_assert(!bsni_reader_take(&r, SIZE_MAX / 2 + 1, &taken));
    ck_assert_uint_eq(taken.len, 77);
    ck_assert(bsni_reader_take(&r, sizeof sample, &taken));
    ck_assert_ptr_eq(taken.ptr, sample);
    ck_assert_uint_eq(taken.len, sizeof sample);
    ck_assert(bsni_reader_take(&r, 0, &taken));
    ck_assert(!bsni_reader_take(&r, 1, &taken));
}
END_TEST

START_TEST(nothing_can_be_read_without_a_pointer)
{
    bsni_reader r = reader_over(NULL, 0);
    bsn_bytes taken;
    ck_assert_uint_eq(bsni_reader_left(&r), 0);
    ck_assert(bsni_reader_take(&r, 0, &taken));
    ck_assert(!bsni_reader_take(&r, 1, &taken));
}
END_TEST

Suite *reader_suite(void)
{
    Suite *suite = suite_create("reader");
    TCase *tests = tcase_create("reader");
    tcase_add_test(tests, fields_are_read_little_endian_and_passed);
    tcase_add_test(tests, what_is_cut_short_moves_nothing);
    tcase_add_test(tests, a_length_that_no_address_could_hold_is_refused);
    tcase_add_test(tests, nothing_can_be_read_without_a_pointer);
    suite_add_tcase(suite, tests);
    return suite;
}
