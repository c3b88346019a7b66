/* SPDX-License-Identifier: Apache-2.0
 *
 * test_print_drain.c -- text that leaves the output while its document is still being printed: the same text in little memory, and
 * nothing at all of a document at fault.
 */
#include "suites.h"

#include "support/counting_alloc.h"
#include "support/print_text.h"
#include "json/print_rows.h"

#include <stdlib.h>
#include <string.h>

/* What has been drained, and how. */
typedef struct drained {
    uint8_t *bytes;
    size_t len, cap;
    size_t calls;
    size_t calls_max; /* then it fails */
    size_t most;      /* bytes that waited at a call */
    bool half;        /* takes half of what waits, a byte at least */
} drained;

static void drained_open(drained *d, size_t cap)
{
    memset(d, 0, sizeof *d);
    d->bytes = malloc(cap);
    ck_assert_ptr_nonnull(d->bytes);
    d->cap = cap;
    d->calls_max = SIZE_MAX;
}

static void take(drained *d, bsn_out *out, uint64_t len)
{
    while (len > 0) {
        bsn_iovec piece;
        ck_assert_uint_eq(bsn_out_iovecs(out, &piece, 1), 1);
        if (piece.len > len) piece.len = (size_t)len;
        ck_assert_uint_le(piece.len, d->cap - d->len);
        memcpy(d->bytes + d->len, piece.ptr, piece.len);
        d->len += piece.len;
        len -= piece.len;
        bsn_out_sent(out, piece.len);
    }
}

static bsn_status drain(void *ctx, bsn_out *out, bsn_error *err)
{
    drained *d = ctx;
    const uint64_t waiting = bsn_out_unsent(out);
    if (d->calls == d->calls_max) return bsn_error_set(err, BSN_E_IO, 7, "no more");
    d->calls++;
    if (waiting > d->most) d->most = (size_t)waiting;
    take(d, out, d->half ? (waiting + 1) / 2 : waiting);
    return BSN_OK;
}

/* Prints with the rest drained at the end, which is the text but for what was in front of it. */
static bsn_status print_drained(bsn_doc doc, const bsn_json_options *options, bsn_out *out,
                                drained *d, bsn_error *err)
{
    const bsn_status status = bsn_json_print(doc, options, out, err);
    take(d, out, bsn_out_unsent(out));
    return status;
}

enum { POOL, BUFFER, FIXED, KINDS };

/* The text of everything, through output of every kind and size, with all or half of it taken each time. */
START_TEST(drained_text_is_the_text)
{
    static const size_t sizes[] = {1024, 2048, 4096, 65536};
    const size_t size = sizes[_i / (2 * KINDS)];
    const int kind = _i / 2 % KINDS;
    fill_doc b;
    const bsn_doc doc = build_everything(&b);
    printed expected = print_document(doc, NULL);
    drained d;
    uint8_t *storage = malloc(size);
    bsn_pool pool;
    bsn_buf buf;
    bsn_out out;
    drained_open(&d, expected.text.len + 2);
    d.half = _i % 2 == 1 && kind == POOL;
    ck_assert_ptr_nonnull(storage);
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_buf_init(&buf, NULL);
    switch (kind) {
    case POOL: bsn_out_init_pool(&out, &pool, size); break;
    case BUFFER: bsn_out_init_buf(&out, &buf); break;
    default: bsn_out_init_fixed(&out, storage, size); break;
    }
    const bsn_json_options options = {
        .drain = drain, .drain_ctx = &d, .drain_min = size - BSN_OUT_RESERVE_MAX};
    bsn_out_append(&out, "x\n", 2);
    ck_assert_int_eq(print_drained(doc, &options, &out, &d, NULL), BSN_OK);
    ck_assert_uint_ge(d.calls, expected.text.len / size / 3);
    ck_assert_uint_eq(d.len, expected.text.len + 2);
    ck_assert_mem_eq(d.bytes, "x\n", 2);
    ck_assert_mem_eq(d.bytes + 2, expected.text.ptr, expected.text.len);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    bsn_pool_free(&pool);
    free(storage);
    free(d.bytes);
    printed_free(&expected);
    free(b.ptr);
}
END_TEST

/* {"s": `len` controls, "b": true}; of the boolean's byte the caller may make a fault. */
static uint8_t *controls(size_t len, bsn_doc *doc)
{
    fill_doc b;
    fill_open(&b, len + 64);
    const size_t start = fill_begin(&b);
    fill_text(&b, "\x02s", 3, "\x01", len);
    fill_bytes(&b,
               "\x08"
               "b\0\1",
               4);
    fill_end(&b, start);
    *doc = fill_view(&b);
    return b.ptr;
}

START_TEST(text_six_times_as_long_takes_little_memory)
{
    const size_t len = 1 << 20, block = 4096;
    bsn_doc doc;
    uint8_t *bytes = controls(len, &doc);
    counting_alloc counter;
    drained d;
    bsn_pool pool;
    bsn_out out;
    counting_alloc_init(&counter);
    drained_open(&d, 6 * len + 64);
    bsn_pool_init(&pool, &counter.alloc, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, block);
    const bsn_json_options options = {.drain = drain, .drain_ctx = &d, .drain_min = 4 * block};
    ck_assert_int_eq(print_drained(doc, &options, &out, &d, NULL), BSN_OK);
    ck_assert_uint_eq(d.len, strlen("{\"s\":\"\",\"b\":true}") + 6 * len);
    ck_assert_uint_le(d.most, 5 * block);
    ck_assert_uint_le(counter.bytes_out_max, 8 * block);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    counting_alloc_finish(&counter);
    free(d.bytes);
    free(bytes);
}
END_TEST

START_TEST(of_a_document_at_fault_nothing_is_drained)
{
    bsn_doc doc;
    uint8_t *bytes = controls(100000, &doc);
    drained d;
    bsn_pool pool;
    bsn_out out;
    bsn_error err = {0};
    bytes[doc.len - 2] = 2; /* no boolean */
    drained_open(&d, 16);
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    const bsn_json_options options = {.drain = drain, .drain_ctx = &d, .drain_min = 2000};
    bsn_out_append(&out, "before", 6);
    ck_assert_int_eq(bsn_json_print(doc, &options, &out, &err), BSN_E_BOOLEAN);
    ck_assert_uint_eq(err.offset, doc.len - 2);
    ck_assert_uint_eq(d.calls, 0);
    ck_assert_uint_eq(bsn_out_unsent(&out), 6);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    free(d.bytes);
    free(bytes);
}
END_TEST

START_TEST(a_drain_that_fails_ends_the_printing)
{
    bsn_doc doc;
    uint8_t *bytes = controls(100000, &doc);
    for (size_t calls = 0; calls < 5; calls++) {
        drained d;
        bsn_pool pool;
        bsn_out out;
        bsn_error err = {0};
        drained_open(&d, 1 << 20);
        d.calls_max = calls;
        d.half = calls % 2 == 1;
        bsn_pool_init(&pool, NULL, SIZE_MAX);
        bsn_out_init_pool(&out, &pool, 1024);
        const bsn_json_options options = {.drain = drain, .drain_ctx = &d, .drain_min = 4000};
        bsn_out_append(&out, "before", 6);
        ck_assert_int_eq(bsn_json_print(doc, &options, &out, &err), BSN_E_IO);
        ck_assert_uint_eq(err.offset, 7);
        ck_assert_str_eq(err.detail, "no more");
        ck_assert_uint_eq(d.calls, calls);
        /* What had not been drained is taken back, but for what was there before. */
        ck_assert_uint_eq(bsn_out_unsent(&out), calls == 0 ? 6 : 0);
        ck_assert_int_eq(bsn_out_status(&out), BSN_OK);
        bsn_out_free(&out);
        bsn_pool_free(&pool);
        free(d.bytes);
    }
    free(bytes);
}
END_TEST

START_TEST(short_texts_are_left_to_the_caller)
{
    drained d;
    bsn_buf buf;
    bsn_out out;
    bsn_doc doc;
    uint8_t *bytes = controls(100, &doc);
    drained_open(&d, 1);
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    const bsn_json_options options = {.drain = drain, .drain_ctx = &d};
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(bsn_json_print(doc, &options, &out, NULL), BSN_OK);
    }
    ck_assert_uint_eq(d.calls, 0);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    free(d.bytes);
    free(bytes);
}
END_TEST

Suite *print_drain_suite(void)
{
    Suite *suite = suite_create("print_drain");
    TCase *tests = tcase_create("print_drain");
    tcase_add_loop_test(tests, drained_text_is_the_text, 0, 4 * 2 * KINDS);
    tcase_add_test(tests, text_six_times_as_long_takes_little_memory);
    tcase_add_test(tests, of_a_document_at_fault_nothing_is_drained);
    tcase_add_test(tests, a_drain_that_fails_ends_the_printing);
    tcase_add_test(tests, short_texts_are_left_to_the_caller);
    suite_add_tcase(suite, tests);
    return suite;
}
