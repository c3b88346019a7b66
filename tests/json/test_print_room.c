/* SPDX-License-Identifier: Apache-2.0
 *
 * test_print_room.c -- where text goes: blocks that end anywhere, fixed storage of every size, memory that is refused, nesting
 * at its limit, and text that is larger than any room.
 */
#include "suites.h"

#include "support/counting_alloc.h"
#include "support/expect.h"
#include "support/failing_alloc.h"
#include "support/fill_doc.h"
#include "support/hex.h"
#include "support/json_text.h"
#include "support/print_text.h"
#include "json/print_rows.h"

#include <bsonic/validate.h>

#include <stdlib.h>
#include <string.h>

/* ---- storage ---- */

START_TEST(pooled_output_is_what_buffered_output_is)
{
    static const size_t block_sizes[] = {1024, 2048, 4096, 65536};
    fill_doc b;
    const bsn_doc doc = build_everything(&b);
    for (size_t i = 0; i < 2 * sizeof block_sizes / sizeof block_sizes[0]; i++) {
        printed expected = print_document(doc, &forms[i % 2]);
        ck_assert_int_eq(expected.status, BSN_OK);
        ck_assert_msg(json_is_sound(expected.text, NULL), "not JSON");
        bsn_pool pool;
        bsn_out out;
        bsn_iovec iov[4096];
        bsn_pool_init(&pool, NULL, SIZE_MAX);
        bsn_out_init_pool(&out, &pool, block_sizes[i / 2]);
        ck_assert_int_eq(bsn_json_print(doc, &forms[i % 2], &out, NULL), BSN_OK);
        ck_assert_uint_eq(bsn_out_len(&out), expected.text.len);
        const size_t count = bsn_out_iovecs(&out, iov, sizeof iov / sizeof iov[0]);
        size_t offset = 0;
        for (size_t at = 0; at < count; at++) {
            ck_assert_uint_le(iov[at].len, expected.text.len - offset);
            ck_assert_mem_eq(iov[at].ptr, expected.text.ptr + offset, iov[at].len);
            offset += iov[at].len;
        }
        ck_assert_uint_eq(offset, expected.text.len);
        bsn_out_free(&out);
        bsn_pool_free(&pool);
        printed_free(&expected);
    }
    free(b.ptr);
}
END_TEST

#define FAR_DATE "\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"

/* Elements that meet the end of a block in different ways: texts that fit and that do not, and behind them the longest things
 * for which there must still be room; and many elements without any text. Returns false when there is no such one. */
static bool add_sweep_element(fill_doc *b, size_t which)
{
    switch (which) {
    case 0:
        fill_text(b, "\014p", 3, "\x01", 30);
        fill_bytes(b, "\x56\xE1\xFC\x72\xE0\xC9\x17\xE9\xC4\x71\x41\x61", 12);
        return true;
    case 1: fill_text(b, "\x02s", 3, "0123456789", 70); return true;
    case 2:
        fill_bytes(b, "\x09", 1);
        fill_pattern(b, "a key of forty bytes, neither long nor short", 40);
        fill_bytes(b, FAR_DATE, 9);
        return true;
    case 3:
        fill_bytes(b, "\x09", 1);
        fill_pattern(b, "\x01", 77);
        fill_bytes(b, FAR_DATE, 9);
        return true;
    case 4:
        fill_bytes(b, "\x05z", 3);
        fill_i32(b, 100);
        fill_bytes(b, "\x80", 1);
        fill_pattern(b, "\xFF\x10x", 100);
        return true;
    case 5:
        fill_bytes(b, "\x0Br\0", 3);
        fill_pattern(b, "\"", 60);
        fill_bytes(b, "\0xi\xC3\xA9x\0", 7);
        return true;
    case 6:
        fill_bytes(b, "\x0Bo\0", 3);
        fill_pattern(b, "\x01", 40);
        fill_bytes(b, "\0", 1);
        fill_pattern(b, "\x01", 100);
        fill_bytes(b, "", 1);
        return true;
    case 7:
        for (int i = 0; i < 30; i++) fill_bytes(b, "\x13n\0 one decimal128 ", 19);
        return true;
    case 8:
        for (int i = 0; i < 30; i++) fill_bytes(b, "\x12n\0-a long-", 11);
        return true;
    case 9:
        for (int i = 0; i < 60; i++) fill_bytes(b, "\x0An", 3);
        return true;
    case 10: fill_text(b, "\015c", 3, "\xF0\x9F\x98\x80", 300); return true;
    default: return false;
    }
}

/* One of them, and a text at the end. */
static bool build_sweep(fill_doc *b, size_t which)
{
    b->len = 0;
    const size_t start = fill_begin(b);
    if (!add_sweep_element(b, which)) return false;
    fill_text(b, "\016y", 3, "last", 4);
    fill_end(b, start);
    return true;
}

static void check_behind(bsn_doc doc, const bsn_json_options *options, size_t before,
                         const printed *expected)
{
    static const uint8_t filler[2048];
    uint8_t joined[1 << 13];
    bsn_iovec iov[64];
    bsn_pool pool;
    bsn_out out;
    bsn_error err = {0};
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    bsn_out_append(&out, filler, before);
    const bsn_status status = bsn_json_print(doc, options, &out, &err);
    EXPECT(status == expected->status && err.offset == expected->err.offset,
           "behind %zu bytes: %s at %u", before, bsn_status_text(status), (unsigned)err.offset);
    const size_t count = bsn_out_iovecs(&out, iov, 64);
    size_t len = 0;
    for (size_t at = 0; at < count; at++) {
        EXPECT(iov[at].len <= sizeof joined - len, "too much text");
        memcpy(joined + len, iov[at].ptr, iov[at].len);
        len += iov[at].len;
    }
    EXPECT(len == before + expected->text.len &&
               memcmp(joined + before, expected->text.ptr, expected->text.len) == 0,
           "behind %zu bytes: another text", before);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
}

/* Behind every number of bytes up to more than a block; sound, and with the last byte of the last text at fault. */
START_TEST(blocks_may_end_anywhere)
{
    uint8_t bytes[1024];
    fill_doc b = {.ptr = bytes, .cap = sizeof bytes};
    for (size_t which = 0; build_sweep(&b, which); which++) {
        const bsn_doc doc = fill_view(&b);
        for (size_t i = 0; i < 3; i++) {
            if (i == 2) b.ptr[b.len - 3] = 0xFF;
            printed expected = print_document(doc, &forms[i % 2]);
            ck_assert_int_eq(expected.status, i < 2 ? BSN_OK : BSN_E_UTF8);
            for (size_t before = 0; before < 1100; before++) {
                check_behind(doc, &forms[i % 2], before, &expected);
            }
            printed_free(&expected);
        }
    }
}
END_TEST

static void check_fixed(bsn_doc doc, const bsn_json_options *options, const printed *expected,
                        size_t cap)
{
    uint8_t *storage = malloc(cap);
    bsn_out out;
    bsn_error err = {0};
    EXPECT(storage != NULL || cap == 0, "no memory");
    bsn_out_init_fixed(&out, storage, cap);
    const bsn_status status = bsn_json_print(doc, options, &out, &err);
    const bool enough = cap >= expected->text.len;
    EXPECT(status == (enough ? BSN_OK : BSN_E_SPACE), "%zu bytes: %s", cap,
           bsn_status_text(status));
    EXPECT(bsn_out_status(&out) == status && err.status == status, "another status");
    EXPECT(bsn_out_len(&out) == expected->text.len, "%zu bytes: counted %u", cap,
           (unsigned)bsn_out_len(&out));
    bsn_iovec held = {NULL, 0};
    const size_t count = bsn_out_iovecs(&out, &held, 1), len = enough ? expected->text.len : cap;
    EXPECT(count == (len != 0) && held.len == len, "%zu bytes: holds %zu", cap, held.len);
    EXPECT(len == 0 || memcmp(held.ptr, expected->text.ptr, len) == 0, "%zu bytes: another text",
           cap);
    bsn_out_free(&out);
    free(storage);
}

START_TEST(fixed_storage_of_every_size_counts_exactly)
{
    for (size_t i = 0; i < 2 * text_row_count; i++) {
        hex_bytes bytes = hex_read(text_rows[i / 2].hex);
        const bsn_doc doc = {bytes.ptr, bytes.len};
        printed expected = print_document(doc, &forms[i % 2]);
        for (size_t cap = 0; cap <= expected.text.len + 2; cap++) {
            check_fixed(doc, &forms[i % 2], &expected, cap);
        }
        printed_free(&expected);
        hex_free(&bytes);
    }
}
END_TEST

START_TEST(fixed_storage_counts_large_documents_exactly)
{
    fill_doc b;
    const bsn_doc doc = build_everything(&b);
    printed expected = print_document(doc, NULL);
    for (size_t cap = 0; cap < expected.text.len; cap += 997)
        check_fixed(doc, NULL, &expected, cap);
    for (size_t less = 0; less <= 1100; less += 11)
        check_fixed(doc, NULL, &expected, expected.text.len - less);
    check_fixed(doc, NULL, &expected, expected.text.len - 1);
    check_fixed(doc, NULL, &expected, expected.text.len + 1);
    check_fixed(doc, NULL, &expected, expected.text.len + 600);
    printed_free(&expected);
    free(b.ptr);
}
END_TEST

START_TEST(documents_follow_one_another_in_one_output)
{
    hex_bytes bytes = hex_read("0c000000 106100 05000000 00");
    const bsn_doc doc = {bytes.ptr, bytes.len};
    bsn_buf buf;
    bsn_out out;
    bsn_bytes view;
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(bsn_json_print(doc, NULL, &out, NULL), BSN_OK);
        bsn_out_append(&out, "\n", 1);
    }
    ck_assert(bsn_out_view(&out, &view));
    ck_assert_uint_eq(view.len, 800);
    for (size_t i = 0; i < 100; i++) ck_assert_mem_eq(view.ptr + 8 * i, "{\"a\":5}\n", 8);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    hex_free(&bytes);
}
END_TEST

/* The fault stands last, behind more text than any room holds. */
START_TEST(a_fault_takes_back_all_of_the_document_and_nothing_else)
{
    fill_doc b;
    build_everything(&b);
    b.len--;
    fill_text(&b, "\x02z", 3, "\xFF", 1);
    fill_end(&b, 0);
    const bsn_doc doc = fill_view(&b);
    for (int kind = 0; kind < 3; kind++) {
        bsn_pool pool;
        bsn_buf buf;
        bsn_out out;
        bsn_bytes view;
        bsn_error err = {0};
        uint8_t storage[8];
        bsn_pool_init(&pool, NULL, SIZE_MAX);
        bsn_buf_init(&buf, NULL);
        if (kind == 0) bsn_out_init_pool(&out, &pool, 1024);
        if (kind == 1) bsn_out_init_buf(&out, &buf);
        if (kind == 2) bsn_out_init_fixed(&out, storage, sizeof storage);
        bsn_out_append(&out, "before", 6);
        ck_assert_int_eq(bsn_json_print(doc, NULL, &out, &err), BSN_E_UTF8);
        ck_assert_int_eq(err.status, BSN_E_UTF8);
        ck_assert_uint_eq(err.offset, doc.len - 3);
        ck_assert_int_eq(bsn_out_status(&out), BSN_OK);
        bsn_out_append(&out, "!", 1);
        ck_assert(bsn_out_view(&out, &view));
        ck_assert_uint_eq(view.len, 7);
        ck_assert_mem_eq(view.ptr, "before!", 7);
        bsn_out_free(&out);
        bsn_buf_free(&buf);
        bsn_pool_free(&pool);
    }
    free(b.ptr);
}
END_TEST

/* ---- depth ---- */

/* Arrays and documents by turns, nested `depth` deep. */
static bsn_doc build_nest(fill_doc *b, size_t depth)
{
    fill_open(b, depth * 8 + 16);
    size_t *starts = malloc(depth * sizeof *starts);
    ck_assert_ptr_nonnull(starts);
    for (size_t level = 0; level < depth; level++) {
        if (level != 0) fill_bytes(b, level % 2 == 0 ? "\0030" : "\004d", 3);
        starts[level] = fill_begin(b);
    }
    for (size_t level = depth; level-- > 0;) fill_end(b, starts[level]);
    free(starts);
    return fill_view(b);
}

static void check_nest(size_t depth, const bsn_json_options *options, bsn_status expected)
{
    fill_doc b;
    const bsn_doc doc = build_nest(&b, depth);
    const bsn_validate_options as = {.depth_max = options->depth_max, .alloc = options->alloc};
    bsn_error err = {0};
    const bsn_bytes bytes = bsn_doc_bytes(doc);
    ck_assert_int_eq(bsn_validate(bytes, &as, NULL, &err), expected);
    printed p = print_document(doc, options);
    ck_assert_int_eq(p.status, expected);
    if (expected == BSN_OK) {
        /* {"d":[ .. ]} : an object takes 6 bytes beside what is in it, an array 2; the innermost has no key. */
        const size_t arrays = depth / 2, objects = depth - arrays;
        ck_assert_uint_eq(p.text.len, 6 * objects + 2 * arrays - (depth % 2 == 1 ? 4 : 0));
        ck_assert_msg(json_is_sound(p.text, NULL), "not JSON at depth %zu", depth);
    } else {
        ck_assert_uint_eq(p.err.offset, err.offset);
    }
    printed_free(&p);
    free(b.ptr);
}

START_TEST(nesting_goes_to_the_limit_and_no_further)
{
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_json_options few = {.depth_max = 3}, one = {.depth_max = 1},
                           many = {.depth_max = 1000},
                           deep = {.depth_max = 65535, .alloc = &counter.alloc};
    const bsn_json_options by_default = {.form = BSN_JSON_CANONICAL};
    check_nest(1, &one, BSN_OK);
    check_nest(2, &one, BSN_E_DEPTH);
    check_nest(3, &few, BSN_OK);
    check_nest(4, &few, BSN_E_DEPTH);
    check_nest(200, &by_default, BSN_OK);
    check_nest(201, &by_default, BSN_E_DEPTH);
    check_nest(200, &many, BSN_OK);
    check_nest(201, &many, BSN_E_DEPTH); /* no memory was given for more */
    check_nest(200, &deep, BSN_OK);
    check_nest(201, &deep, BSN_OK);
    check_nest(202, &deep, BSN_OK);
    check_nest(3001, &deep, BSN_OK);
    check_nest(65535, &deep, BSN_OK);
    check_nest(65536, &deep, BSN_E_DEPTH);
    counting_alloc_finish(&counter);
}
END_TEST

/* ---- memory ---- */

START_TEST(memory_that_is_refused_for_nesting_is_an_error)
{
    fill_doc b;
    const bsn_doc doc = build_nest(&b, 2000);
    for (int i = 0; i < 8; i++) {
        failing_alloc failing;
        failing_alloc_init(&failing);
        failing.once = i % 2 == 1;
        const bsn_json_options options = {.depth_max = 5000,
                                          .alloc = &failing.alloc,
                                          .length_max = i / 2 % 2 == 1 ? 100 : 0,
                                          .reversible = i / 4 == 1};
        do {
            printed p = print_document(doc, &options);
            ck_assert_int_eq(p.status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
            printed_free(&p);
        } while (failing_alloc_again(&failing));
    }
    free(b.ptr);
}
END_TEST

/* Once with a buffer, once with a pool: what is printed must come out whole or not at all. */
static bsn_status print_with(bsn_doc doc, const bsn_alloc *alloc, bool pooled)
{
    bsn_pool pool;
    bsn_buf buf;
    bsn_out out;
    bsn_error err = {0};
    bsn_pool_init(&pool, alloc, SIZE_MAX);
    bsn_buf_init(&buf, alloc);
    if (pooled) {
        bsn_out_init_pool(&out, &pool, 16384);
    } else {
        bsn_out_init_buf(&out, &buf);
    }
    const bsn_status status = bsn_json_print(doc, NULL, &out, &err);
    ck_assert_int_eq(err.status, status);
    ck_assert_int_eq(bsn_out_status(&out), status);
    if (status != BSN_OK) ck_assert_uint_eq(bsn_out_len(&out), 0);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    bsn_pool_free(&pool);
    return status;
}

START_TEST(memory_that_is_refused_for_output_is_an_error)
{
    fill_doc b;
    const bsn_doc doc = build_everything(&b);
    for (int pooled = 0; pooled < 2; pooled++) {
        failing_alloc failing;
        failing_alloc_init(&failing);
        do {
            const bsn_status status = print_with(doc, &failing.alloc, pooled != 0);
            ck_assert_int_eq(status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
        } while (failing_alloc_again(&failing));
    }
    free(b.ptr);
}
END_TEST

START_TEST(a_warm_pool_asks_for_nothing)
{
    fill_doc b;
    const bsn_doc doc = build_everything(&b);
    counting_alloc counter;
    counting_alloc_init(&counter);
    bsn_pool pool;
    bsn_out out;
    bsn_pool_init(&pool, &counter.alloc, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 0);
    size_t warm = 0;
    for (int round = 0; round < 5; round++) {
        ck_assert_int_eq(bsn_json_print(doc, NULL, &out, NULL), BSN_OK);
        bsn_out_sent(&out, bsn_out_unsent(&out));
        if (round == 0) warm = counting_alloc_requests(&counter);
    }
    ck_assert_uint_eq(counting_alloc_requests(&counter), warm);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    counting_alloc_finish(&counter);
    free(b.ptr);
}
END_TEST

/* ---- size ---- */

/* Six bytes of text for one of BSON. The text is only counted: nothing may grow with it. */
START_TEST(a_huge_string_of_controls_streams)
{
#if defined(BSONIC_ASSERT)
    const size_t len = 8u << 20;
#else
    const size_t len = 400u << 20;
#endif
    const size_t front = 4 + 3 + 4;
    uint8_t *bytes = calloc(front + len + 2, 1);
    ck_assert_ptr_nonnull(bytes);
    bsn_store_u32(bytes, (uint32_t)(front + len + 2));
    memcpy(bytes + 4, "\x02s", 3);
    bsn_store_u32(bytes + 7, (uint32_t)len + 1);
    const bsn_doc doc = {bytes, front + len + 2};
    bsn_out out;
    bsn_out_init_fixed(&out, NULL, 0);
    ck_assert_int_eq(bsn_json_print(doc, NULL, &out, NULL), BSN_E_SPACE);
    ck_assert_uint_eq(bsn_out_len(&out), strlen("{\"s\":\"\"}") + 6 * (uint64_t)len);
    bsn_out_free(&out);
    free(bytes);
}
END_TEST

Suite *print_room_suite(void)
{
    Suite *suite = suite_create("print_room");
    TCase *tests = tcase_create("print_room");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, pooled_output_is_what_buffered_output_is);
    tcase_add_test(tests, blocks_may_end_anywhere);
    tcase_add_test(tests, fixed_storage_of_every_size_counts_exactly);
    tcase_add_test(tests, fixed_storage_counts_large_documents_exactly);
    tcase_add_test(tests, documents_follow_one_another_in_one_output);
    tcase_add_test(tests, a_fault_takes_back_all_of_the_document_and_nothing_else);
    tcase_add_test(tests, nesting_goes_to_the_limit_and_no_further);
    tcase_add_test(tests, memory_that_is_refused_for_nesting_is_an_error);
    tcase_add_test(tests, memory_that_is_refused_for_output_is_an_error);
    tcase_add_test(tests, a_warm_pool_asks_for_nothing);
    tcase_add_test(tests, a_huge_string_of_controls_streams);
    suite_add_tcase(suite, tests);
    return suite;
}
