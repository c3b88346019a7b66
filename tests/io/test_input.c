/* SPDX-License-Identifier: Apache-2.0
 *
 * test_input.c -- documents read in blocks: every split, every cut, every fault of reading, and what it costs.
 */
#include "io/os.h"
#include "suites.h"
#include "support/counting_alloc.h"

#include <bsonic/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file in memory that gives at most `step` bytes a read. */
typedef struct source {
    bsn_bytes bytes;
    size_t at;
    size_t step;
    size_t fail_at; /* reading there fails; SIZE_MAX: nowhere */
} source;

static bsn_status read_source(void *ctx, uint8_t *ptr, size_t cap, size_t *len, bsn_error *err)
{
    source *s = ctx;
    size_t give = s->bytes.len - s->at;
    ck_assert_uint_gt(cap, 0);
    if (s->at >= s->fail_at) {
        bsn_error_set(err, BSN_E_IO, 0, NULL);
        err->os_error = EIO;
        return BSN_E_IO;
    }
    if (give > s->step) give = s->step;
    if (give > cap) give = cap;
    if (give > 0) memcpy(ptr, s->bytes.ptr + s->at, give);
    s->at += give;
    *len = give;
    return BSN_OK;
}

static source source_of(const uint8_t *ptr, size_t len, size_t step)
{
    const source s = {.bytes = {.ptr = ptr, .len = len}, .step = step, .fail_at = SIZE_MAX};
    return s;
}

/* A document of `len` bytes: {"": binary}, filled with `fill`. len is 5, or at least 12. */
static void make_document(uint8_t *to, size_t len, uint8_t fill)
{
    memset(to, fill, len);
    bsn_store_i32(to, (int32_t)len);
    to[len - 1] = 0;
    if (len == 5) return;
    to[4] = 0x05;
    to[5] = 0;
    bsn_store_i32(to + 6, (int32_t)(len - 12));
    to[10] = 0;
}

/* Sizes around the smallest window of 1024 bytes, which the tests use. */
static const size_t sizes[] = {5, 12, 1024, 5, 1023, 1025, 5000, 13, 100, 2048, 5, 700, 700};
#define SIZE_COUNT (sizeof sizes / sizeof sizes[0])

typedef struct file {
    uint8_t *ptr;
    size_t len;
} file;

static file make_file(void)
{
    file f = {0};
    for (size_t i = 0; i < SIZE_COUNT; i++) f.len += sizes[i];
    f.ptr = malloc(f.len);
    ck_assert_ptr_nonnull(f.ptr);
    size_t at = 0;
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        make_document(f.ptr + at, sizes[i], (uint8_t)(i + 1));
        at += sizes[i];
    }
    return f;
}

static const bsn_input_options small_window = {.window_size = 1024};

static void open_source(bsn_input *in, source *s, const bsn_input_options *options)
{
    bsn_error err;
    ck_assert_int_eq(bsn_input_init(in, read_source, s, options, &err), BSN_OK);
}

START_TEST(documents_come_whole_whatever_the_reads_give)
{
    static const size_t steps[] = {1, 2, 3, 7, 64, 1023, 1024, 1025, 4096, SIZE_MAX};
    file f = make_file();
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        source s = source_of(f.ptr, f.len, steps[k]);
        bsn_input in;
        bsn_doc doc;
        uint64_t at = 0;
        size_t i = 0;
        open_source(&in, &s, &small_window);
        for (; bsn_input_next(&in, &doc); i++) {
            ck_assert_uint_lt(i, SIZE_COUNT);
            ck_assert_uint_eq(bsn_input_offset(&in), at);
            ck_assert_uint_eq(bsn_input_count(&in), i + 1);
            ck_assert_uint_eq(doc.len, sizes[i]);
            ck_assert_int_eq(memcmp(doc.ptr, f.ptr + at, doc.len), 0);
            at += doc.len;
        }
        ck_assert_uint_eq(i, SIZE_COUNT);
        ck_assert_int_eq(bsn_input_error(&in, NULL), BSN_OK);
        ck_assert_uint_eq(bsn_input_offset(&in), f.len);
        ck_assert(!bsn_input_next(&in, &doc)); /* and so it stays */
        bsn_input_free(&in);
    }
    free(f.ptr);
}
END_TEST

/* True for lengths within five bytes of a document's end, and for some between. */
static bool is_telling(size_t len)
{
    size_t end = 0;
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        end += sizes[i];
        if (len + 5 >= end && len <= end + 5) return true;
    }
    return len % 101 == 0;
}

START_TEST(a_file_cut_anywhere_gives_what_is_whole_and_says_where_it_ends)
{
    file f = make_file();
    for (size_t len = 0; len <= f.len; len++) {
        if (!is_telling(len)) continue;
        source s = source_of(f.ptr, len, 500);
        bsn_input in;
        bsn_doc doc;
        bsn_error err = {0};
        uint64_t whole = 0;
        size_t i = 0;
        while (i < SIZE_COUNT && whole + sizes[i] <= len) whole += sizes[i++];
        open_source(&in, &s, &small_window);
        uint64_t sum = 0;
        while (bsn_input_next(&in, &doc)) sum += doc.len;
        ck_assert_uint_eq(sum, whole);
        ck_assert_uint_eq(bsn_input_count(&in), i);
        ck_assert_uint_eq(bsn_input_offset(&in), whole);
        ck_assert_uint_eq(bsn_input_rest(&in).len, len - whole);
        ck_assert_int_eq(bsn_input_error(&in, &err), whole == len ? BSN_OK : BSN_E_SHORT);
        ck_assert_uint_eq(err.offset, 0);
        bsn_input_free(&in);
    }
    free(f.ptr);
}
END_TEST

START_TEST(a_damaged_frame_ends_the_input_at_its_document)
{
    static const struct {
        const char *bytes;
        size_t len;
        bsn_status status;
        uint64_t document; /* where the faulty one begins */
        uint64_t offset;   /* from there */
        uint64_t count;
    } rows[] = {
        {"\0\0\0\0\5\0\0\0\0", 9, BSN_E_LENGTH, 0, 0, 0},
        {"\5\0\0\0\0\4\0\0\0", 9, BSN_E_LENGTH, 5, 0, 1},
        {"\5\0\0\0\0\xFF\xFF\xFF\xFF", 9, BSN_E_LENGTH, 5, 0, 1},
        {"\5\0\0\0\1", 5, BSN_E_TERMINATOR, 0, 4, 0},
        {"\5\0\0\0\0\5\0\0\0\1", 10, BSN_E_TERMINATOR, 5, 4, 1},
        {"\5\0\0\0\0x", 6, BSN_E_SHORT, 5, 0, 1},
        {"\5\0\0\0", 4, BSN_E_SHORT, 0, 0, 0},
        {"\xFF\xFF\xFF\x7F\0", 5, BSN_E_SHORT, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        source s = source_of((const uint8_t *)rows[i].bytes, rows[i].len, 3);
        bsn_input in;
        bsn_doc doc;
        bsn_error err = {0};
        open_source(&in, &s, &small_window);
        while (bsn_input_next(&in, &doc)) {
        }
        ck_assert_int_eq(bsn_input_error(&in, &err), rows[i].status);
        ck_assert_int_eq(err.status, rows[i].status);
        ck_assert_uint_eq(err.offset, rows[i].offset);
        ck_assert_uint_eq(bsn_input_offset(&in), rows[i].document);
        ck_assert_uint_eq(bsn_input_count(&in), rows[i].count);
        bsn_input_free(&in);
    }
}
END_TEST

START_TEST(a_lying_length_costs_no_memory)
{
    static const uint8_t liar[100] = {0xFF, 0xFF, 0xFF, 0x7F, 0x05};
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_input_options options = {.window_size = 1024, .alloc = &counter.alloc};
    source s = source_of(liar, sizeof liar, SIZE_MAX);
    bsn_input in;
    bsn_doc doc;
    open_source(&in, &s, &options);
    ck_assert(!bsn_input_next(&in, &doc));
    ck_assert_int_eq(bsn_input_error(&in, NULL), BSN_E_SHORT);
    bsn_input_free(&in);
    ck_assert_uint_le(counter.bytes_out_max, 4096);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(a_long_document_costs_at_most_three_times_what_has_arrived)
{
    const size_t len = (size_t)1 << 20;
    uint8_t *bytes = malloc(len);
    ck_assert_ptr_nonnull(bytes);
    make_document(bytes, len, 'x');
    for (size_t there = 1024; there <= len; there *= 2) {
        counting_alloc counter;
        counting_alloc_init(&counter);
        const bsn_input_options options = {.window_size = 1024, .alloc = &counter.alloc};
        source s = source_of(bytes, there, SIZE_MAX);
        bsn_input in;
        bsn_doc doc;
        open_source(&in, &s, &options);
        ck_assert_int_eq(bsn_input_next(&in, &doc), there == len);
        bsn_input_free(&in);
        /* Twice that in the block, and the block before it while it is moved. */
        ck_assert_uint_le(counter.bytes_out_max, 3 * there + 2048);
        counting_alloc_finish(&counter);
    }
    free(bytes);
}
END_TEST

START_TEST(what_follows_a_long_document_is_read_into_the_small_window_again)
{
    uint8_t *bytes = malloc(100000 + 2000);
    ck_assert_ptr_nonnull(bytes);
    make_document(bytes, 100000, 'x');
    make_document(bytes + 100000, 2000, 'y');
    source s = source_of(bytes, 102000, SIZE_MAX);
    bsn_input in;
    bsn_doc doc;
    open_source(&in, &s, &small_window);
    ck_assert(bsn_input_next(&in, &doc));
    ck_assert_uint_eq(s.at, 100000); /* not a byte more than the document needs */
    ck_assert(!bsn_input_ready(&in));
    ck_assert(bsn_input_next(&in, &doc));
    ck_assert_uint_eq(doc.len, 2000);
    bsn_input_free(&in);
    free(bytes);
}
END_TEST

START_TEST(nothing_is_allocated_once_the_longest_document_was_seen)
{
    file f = make_file();
    counting_alloc counter;
    counting_alloc_init(&counter);
    const bsn_input_options options = {.window_size = 1024, .alloc = &counter.alloc};
    source s = source_of(f.ptr, f.len, 100);
    bsn_input in;
    bsn_doc doc;
    open_source(&in, &s, &options);
    for (size_t i = 0; i < 7; i++) ck_assert(bsn_input_next(&in, &doc)); /* 5000 is the longest */
    const size_t before = counting_alloc_requests(&counter);
    while (bsn_input_next(&in, &doc)) {
    }
    ck_assert_uint_eq(counting_alloc_requests(&counter), before);
    ck_assert_int_eq(bsn_input_error(&in, NULL), BSN_OK);
    bsn_input_free(&in);
    counting_alloc_finish(&counter);
    free(f.ptr);
}
END_TEST

START_TEST(a_limit_of_size_is_kept)
{
    file f = make_file();
    const bsn_input_options options = {.window_size = 1024, .document_max = 1024};
    source s = source_of(f.ptr, f.len, SIZE_MAX);
    bsn_input in;
    bsn_doc doc;
    open_source(&in, &s, &options);
    for (int i = 0; i < 5; i++) ck_assert(bsn_input_next(&in, &doc));
    ck_assert(!bsn_input_next(&in, &doc));
    ck_assert_int_eq(bsn_input_error(&in, NULL), BSN_E_LIMIT);
    bsn_input_free(&in);
    free(f.ptr);
}
END_TEST

START_TEST(a_read_that_fails_ends_the_input_with_its_reason)
{
    file f = make_file();
    source s = source_of(f.ptr, f.len, 100);
    s.fail_at = 1500;
    bsn_input in;
    bsn_doc doc;
    bsn_error err = {0};
    open_source(&in, &s, &small_window);
    while (bsn_input_next(&in, &doc)) {
    }
    ck_assert_int_eq(bsn_input_error(&in, &err), BSN_E_IO);
    ck_assert_int_eq(err.os_error, EIO);
    ck_assert_uint_eq(bsn_input_count(&in), 4); /* 5 + 12 + 1024 + 5 bytes were whole */
    bsn_input_free(&in);
    free(f.ptr);
}
END_TEST

START_TEST(looking_ahead_changes_nothing)
{
    file f = make_file();
    source s = source_of(f.ptr, f.len, 10);
    bsn_input in;
    bsn_doc doc;
    open_source(&in, &s, &small_window);
    ck_assert(!bsn_input_ready(&in));
    const bsn_bytes front = bsn_input_peek(&in);
    ck_assert_uint_eq(front.len, 10);
    ck_assert_int_eq(memcmp(front.ptr, f.ptr, 10), 0);
    ck_assert(bsn_input_ready(&in));
    ck_assert(bsn_input_next(&in, &doc));
    ck_assert_uint_eq(doc.len, 5);
    ck_assert_uint_eq(bsn_input_peek(&in).len, 5); /* of the second, which has 12 */
    ck_assert(!bsn_input_ready(&in));
    ck_assert(bsn_input_next(&in, &doc));
    ck_assert_uint_eq(doc.len, 12);
    while (bsn_input_next(&in, &doc)) {
    }
    ck_assert_uint_eq(bsn_input_peek(&in).len, 0);
    ck_assert(bsn_input_ready(&in));
    bsn_input_free(&in);
    free(f.ptr);
}
END_TEST

/* ------------------------------------------------------------------ files */

/* Everything comes once and in order, each piece with its place; what a look ahead has read is not lost. */
START_TEST(pieces_are_the_bytes_as_they_come)
{
    static const size_t steps[] = {1, 3, 1024, 1025, SIZE_MAX};
    file f = make_file();
    for (size_t k = 0; k < 2 * sizeof steps / sizeof steps[0]; k++) {
        source s = source_of(f.ptr, f.len, steps[k / 2]);
        bsn_input in;
        bsn_bytes piece;
        size_t at = 0;
        open_source(&in, &s, &small_window);
        if (k % 2 != 0) ck_assert_uint_ge(bsn_input_peek(&in).len, BSN_DOC_SIZE_MIN);
        while (bsn_input_next_piece(&in, &piece)) {
            ck_assert_uint_eq(bsn_input_offset(&in), at);
            ck_assert_uint_gt(piece.len, 0);
            ck_assert_uint_le(piece.len, f.len - at);
            ck_assert_int_eq(memcmp(piece.ptr, f.ptr + at, piece.len), 0);
            at += piece.len;
        }
        ck_assert_uint_eq(at, f.len);
        ck_assert_uint_eq(bsn_input_offset(&in), f.len);
        ck_assert_int_eq(bsn_input_error(&in, NULL), BSN_OK);
        ck_assert(!bsn_input_next_piece(&in, &piece));
        bsn_input_free(&in);
    }
    free(f.ptr);
}
END_TEST

START_TEST(pieces_and_documents_follow_each_other)
{
    file f = make_file();
    source s = source_of(f.ptr, f.len, sizes[0] + sizes[1]);
    bsn_input in;
    bsn_bytes piece;
    bsn_doc doc;
    open_source(&in, &s, &small_window);
    ck_assert(bsn_input_next(&in, &doc));
    ck_assert_uint_eq(doc.len, sizes[0]);
    ck_assert(bsn_input_next_piece(&in, &piece));
    ck_assert_uint_eq(piece.len, sizes[1]);
    ck_assert(!bsn_input_ready(&in));
    ck_assert(bsn_input_next(&in, &doc));
    ck_assert_uint_eq(doc.len, sizes[2]);
    bsn_input_free(&in);
    free(f.ptr);
}
END_TEST

START_TEST(pieces_end_at_a_read_that_fails)
{
    file f = make_file();
    source s = source_of(f.ptr, f.len, 100);
    bsn_input in;
    bsn_bytes piece;
    bsn_error err;
    s.fail_at = 100;
    open_source(&in, &s, &small_window);
    ck_assert(bsn_input_next_piece(&in, &piece));
    ck_assert_uint_eq(piece.len, 100);
    ck_assert(!bsn_input_next_piece(&in, &piece));
    ck_assert_int_eq(bsn_input_error(&in, &err), BSN_E_IO);
    ck_assert_int_eq(err.os_error, EIO);
    ck_assert(!bsn_input_next_piece(&in, &piece));
    bsn_input_free(&in);
    free(f.ptr);
}
END_TEST

START_TEST(files_are_read_and_what_is_none_is_told)
{
    bsn_input in;
    bsn_error err = {0};
    bsn_doc doc;
    ck_assert_int_eq(bsn_input_open(&in, "/nowhere/at/all", NULL, &err), BSN_E_IO);
    ck_assert_int_eq(err.os_error, ENOENT);
    ck_assert(!bsn_input_next(&in, &doc));
    bsn_input_free(&in);

    ck_assert_int_eq(bsn_input_open(&in, "/", NULL, &err), BSN_OK);
    ck_assert(!bsn_input_next(&in, &doc));
    ck_assert_int_eq(bsn_input_error(&in, &err), BSN_E_IO);
    ck_assert_int_eq(err.os_error, EISDIR);
    bsn_input_free(&in);

    ck_assert_int_eq(bsn_input_open(&in, "/dev/null", NULL, &err), BSN_OK);
    ck_assert(!bsn_input_next(&in, &doc));
    ck_assert_int_eq(bsn_input_error(&in, NULL), BSN_OK);
    bsn_input_free(&in);
}
END_TEST

/* System calls that are interrupted, say "not now", and then give a byte each. */
static int calls_made;

static ssize_t reluctant_read(int fd, void *ptr, size_t len)
{
    static const uint8_t document[] = {5, 0, 0, 0, 0};
    (void)fd;
    ck_assert_uint_gt(len, 0);
    const int call = calls_made++;
    if (call % 3 == 0) errno = EINTR;
    if (call % 3 == 1) errno = EAGAIN;
    if (call % 3 != 2) return -1;
    if (call / 3 >= 5) return 0;
    memcpy(ptr, document + call / 3, 1);
    return 1;
}

START_TEST(interrupted_and_reluctant_reads_are_made_again)
{
    const bsni_calls calls = {.read = reluctant_read, .close = close};
    bsn_input in;
    bsn_doc doc;
    bsn_error err;
    calls_made = 0;
    ck_assert_int_eq(bsn_input_open(&in, "/dev/null", NULL, &err), BSN_OK);
    in.calls = &calls;
    ck_assert(bsn_input_next(&in, &doc));
    ck_assert_uint_eq(doc.len, 5);
    ck_assert(!bsn_input_next(&in, &doc));
    ck_assert_int_eq(bsn_input_error(&in, NULL), BSN_OK);
    ck_assert_int_eq(calls_made, 18);
    bsn_input_free(&in);
}
END_TEST

/* Gives two empty documents a read, five times; then it fails, or is at its end. */
static int read_failure;

static ssize_t sparing_read(int fd, void *ptr, size_t len)
{
    static const uint8_t documents[] = {5, 0, 0, 0, 0, 5, 0, 0, 0, 0};
    (void)fd;
    ck_assert_uint_ge(len, sizeof documents);
    if (calls_made++ < 5) {
        memcpy(ptr, documents, sizeof documents);
        return sizeof documents;
    }
    errno = read_failure;
    return read_failure != 0 ? -1 : 0;
}

START_TEST(lingering_gathers_what_comes_and_loses_nothing_to_a_failure)
{
    static const int failures[] = {0, EIO};
    const bsni_calls calls = {.read = sparing_read, .close = close};
    for (uint32_t linger_ms = 0; linger_ms < 2; linger_ms++) {
        for (size_t i = 0; i < 2; i++) {
            const bsn_input_options options = {.linger_ms = linger_ms};
            bsn_input in;
            bsn_doc doc;
            bsn_error err = {0};
            size_t ready = 0, count = 0;
            calls_made = 0;
            read_failure = failures[i];
            ck_assert_int_eq(bsn_input_open(&in, "/dev/null", &options, &err),
                             BSN_OK); /* always readable */
            in.calls = &calls;
            while (bsn_input_next(&in, &doc)) {
                count++;
                ready += bsn_input_ready(&in);
            }
            ck_assert_uint_eq(count, 10);
            ck_assert_uint_eq(ready, linger_ms == 0 ? 5 : failures[i] == 0 ? 10 : 9);
            ck_assert_int_eq(bsn_input_error(&in, &err), failures[i] == 0 ? BSN_OK : BSN_E_IO);
            ck_assert_int_eq(err.os_error, failures[i]);
            bsn_input_free(&in);
        }
    }
}
END_TEST

START_TEST(lingering_ends_with_the_time_or_the_room)
{
    static uint8_t block[4096];
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    for (size_t i = 0; i + 5 <= sizeof block; i += 5) block[i] = 5;
    const bsn_input_options options = {.window_size = 1024, .linger_ms = 1};
    bsn_input in;
    bsn_doc doc;
    bsn_error err = {0};
    char path[32];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    ck_assert_int_eq(bsn_input_open(&in, path, &options, &err), BSN_OK);
    for (size_t round = 0; round < 2; round++) {
        const size_t given = round == 0 ? 100 : 2000;
        ck_assert_int_eq(write(ends[1], block, given), (ssize_t)given);
        for (size_t i = 0; i < given / 5; i++) ck_assert(bsn_input_next(&in, &doc));
    }
    ck_assert_uint_eq(bsn_input_reads(&in),
                      3); /* of 100 bytes, of the window's 1024, of the rest */
    close(ends[1]);
    ck_assert(!bsn_input_next(&in, &doc));
    ck_assert_int_eq(bsn_input_error(&in, NULL), BSN_OK);
    close(ends[0]);
    bsn_input_free(&in);
}
END_TEST

Suite *input_suite(void)
{
    Suite *suite = suite_create("input");
    TCase *tcase = tcase_create("input");
    tcase_add_test(tcase, documents_come_whole_whatever_the_reads_give);
    tcase_add_test(tcase, a_file_cut_anywhere_gives_what_is_whole_and_says_where_it_ends);
    tcase_add_test(tcase, a_damaged_frame_ends_the_input_at_its_document);
    tcase_add_test(tcase, a_lying_length_costs_no_memory);
    tcase_add_test(tcase, a_long_document_costs_at_most_three_times_what_has_arrived);
    tcase_add_test(tcase, what_follows_a_long_document_is_read_into_the_small_window_again);
    tcase_add_test(tcase, nothing_is_allocated_once_the_longest_document_was_seen);
    tcase_add_test(tcase, a_limit_of_size_is_kept);
    tcase_add_test(tcase, a_read_that_fails_ends_the_input_with_its_reason);
    tcase_add_test(tcase, looking_ahead_changes_nothing);
    tcase_add_test(tcase, pieces_are_the_bytes_as_they_come);
    tcase_add_test(tcase, pieces_and_documents_follow_each_other);
    tcase_add_test(tcase, pieces_end_at_a_read_that_fails);
    tcase_add_test(tcase, files_are_read_and_what_is_none_is_told);
    tcase_add_test(tcase, interrupted_and_reluctant_reads_are_made_again);
    tcase_add_test(tcase, lingering_gathers_what_comes_and_loses_nothing_to_a_failure);
    tcase_add_test(tcase, lingering_ends_with_the_time_or_the_room);
    suite_add_tcase(suite, tcase);
    return suite;
}
