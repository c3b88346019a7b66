/* SPDX-License-Identifier: Apache-2.0
 *
 * test_store.c -- hopping over the documents of a file: places, counts, plans; damage at every kind of place; a file that changes.
 */
#include "suites.h"

#include "serve/fixture.h"

#include <bsonic/detail/le.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NUMBER_LEN 25 /* of a document of fixture_write_numbers */

typedef struct open_store {
    fixture f;
    serve_store store;
    serve_window window;
} open_store;

static void open_file(open_store *o, const char *name)
{
    bsn_error err;
    ck_assert_int_eq(
        serve_store_init(&o->store, fixture_path(&o->f, name), &o->f.counter.alloc, &err), BSN_OK);
    serve_window_init(&o->window, &o->f.counter.alloc);
}

static void open_numbers(open_store *o, int32_t count)
{
    fixture_open(&o->f);
    fixture_write_numbers(&o->f, "x.bson", count);
    open_file(o, "x.bson");
}

static void open_bytes(open_store *o, const void *bytes, size_t len)
{
    fixture_open(&o->f);
    fixture_write(&o->f, "x.bson", bytes, len);
    open_file(o, "x.bson");
}

static void close_store(open_store *o)
{
    serve_store_free(&o->store);
    serve_window_free(&o->window);
    fixture_close(&o->f);
}

/* ------------------------------------------------------------------ sound files */

START_TEST(every_document_is_sought_by_its_number)
{
    static const int32_t counts[] = {0, 1, 63, 64, 65, 128, 1000, 30000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const uint64_t count = (uint64_t)counts[i];
        open_store o;
        serve_place place;
        open_numbers(&o, counts[i]);
        for (uint64_t n = 0; n <= count + 2; n += count > 1000 ? 611 : 1) {
            const uint64_t wanted = n < count ? n : count;
            ck_assert_int_eq(serve_store_seek(&o.store, &o.window, n, &place, NULL), BSN_OK);
            ck_assert_uint_eq(place.number, wanted);
            ck_assert_uint_eq(place.offset, wanted * NUMBER_LEN);
        }
        uint64_t counted;
        ck_assert_int_eq(serve_store_count(&o.store, &o.window, &counted, NULL), BSN_OK);
        ck_assert_uint_eq(counted, count);
        close_store(&o);
    }
}
END_TEST

START_TEST(seeking_backwards_finds_the_same)
{
    open_store o;
    serve_place place;
    open_numbers(&o, 500);
    for (uint64_t n = 500; n-- > 0;) {
        ck_assert_int_eq(serve_store_seek(&o.store, &o.window, n, &place, NULL), BSN_OK);
        ck_assert_uint_eq(place.offset, n * NUMBER_LEN);
    }
    close_store(&o);
}
END_TEST

START_TEST(stepping_meets_every_document_and_the_end)
{
    open_store o;
    serve_place place = {0, 0};
    bsn_status status;
    size_t len, count = 0;
    open_numbers(&o, 200);
    while (serve_store_step(&o.store, &o.window, &place, &len, &status, NULL)) {
        ck_assert_uint_eq(len, NUMBER_LEN);
        count++;
        ck_assert_uint_eq(place.number, count);
    }
    ck_assert_int_eq(status, BSN_OK);
    ck_assert_uint_eq(count, 200);
    close_store(&o);
}
END_TEST

START_TEST(plan_takes_as_many_as_asked)
{
    static const uint64_t starts[] = {0, 1, 63, 64, 100, 999, 1000};
    static const uint64_t maxima[] = {0, 1, 63, 64, 65, 200, 1000, 5000, UINT64_MAX};
    open_store o;
    open_numbers(&o, 1000);
    for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++) {
        for (size_t m = 0; m < sizeof maxima / sizeof maxima[0]; m++) {
            const serve_place from = {starts[s], starts[s] * NUMBER_LEN};
            const uint64_t left = 1000 - starts[s];
            const uint64_t wanted = maxima[m] < left ? maxima[m] : left;
            serve_plan plan;
            ck_assert_int_eq(serve_store_plan(&o.store, &o.window, from, maxima[m], &plan, NULL),
                             BSN_OK);
            ck_assert_uint_eq(plan.count, wanted);
            ck_assert_uint_eq(plan.bytes, wanted * NUMBER_LEN);
            ck_assert_uint_eq(plan.end.number, starts[s] + wanted);
            ck_assert_uint_eq(plan.end.offset, (starts[s] + wanted) * NUMBER_LEN);
            ck_assert(plan.more == (wanted < left));
        }
    }
    close_store(&o);
}
END_TEST

/* A file of documents that are one binary each, of these sizes; sparse, so that large ones cost nothing. */
static void write_sizes(open_store *o, const size_t *sizes, size_t count)
{
    fixture_open(&o->f);
    fixture_write(&o->f, "x.bson", "", 0);
    FILE *file = fopen(fixture_path(&o->f, "x.bson"), "wb");
    ck_assert_ptr_nonnull(file);
    long offset = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t head[12] = {0, 0, 0, 0, 5, 'b', 0};
        bsn_store_i32(head, (int32_t)sizes[i]);
        bsn_store_i32(head + 7, (int32_t)sizes[i] - 13);
        ck_assert_int_eq(fseek(file, offset, SEEK_SET), 0);
        ck_assert_uint_eq(fwrite(head, 1, sizeof head, file), sizeof head);
        offset += (long)sizes[i];
        ck_assert_int_eq(fseek(file, offset - 1, SEEK_SET), 0);
        ck_assert_int_eq(fputc(0, file), 0);
    }
    ck_assert_int_eq(fclose(file), 0);
    open_file(o, "x.bson");
}

START_TEST(plan_holds_16_mib_or_one_document)
{
    static const size_t sizes[] = {16777216 + 16384, 100,     16777216, 6000000, 6000000,
                                   4777216,          1000000, 16777216, 13};
    static const uint64_t counts[] = {1, 1, 1, 3, 1, 1, 1};
    open_store o;
    serve_place at = {0, 0};
    write_sizes(&o, sizes, sizeof sizes / sizeof sizes[0]);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        serve_plan plan;
        ck_assert_int_eq(serve_store_plan(&o.store, &o.window, at, UINT64_MAX, &plan, NULL),
                         BSN_OK);
        ck_assert_uint_eq(plan.count, counts[i]);
        ck_assert(plan.count == 1 || plan.bytes <= SERVE_BATCH_BYTES);
        ck_assert(plan.more == (i + 1 < sizeof counts / sizeof counts[0]));
        at = plan.end;
    }
    ck_assert_uint_le(o.f.counter.bytes_out_max, 600000); /* large documents are hopped over */
    close_store(&o);
}
END_TEST

START_TEST(plan_of_many_small_documents_is_full)
{
    open_store o;
    serve_plan plan;
    const serve_place start = {0, 0};
    open_numbers(&o, 800000);
    ck_assert_int_eq(serve_store_plan(&o.store, &o.window, start, UINT64_MAX, &plan, NULL), BSN_OK);
    ck_assert_uint_eq(plan.count, SERVE_BATCH_BYTES / NUMBER_LEN);
    ck_assert(plan.more);
    close_store(&o);
}
END_TEST

/* ------------------------------------------------------------------ damage */

typedef struct damage_row {
    const char *name;
    size_t at; /* byte of document 100 that is changed */
    uint8_t value;
    bsn_status status;
    uint64_t offset; /* within the document */
} damage_row;

static const damage_row damage_rows[] = {
    {"length 0", 0, 0, BSN_E_LENGTH, 0},
    {"length 4", 0, 4, BSN_E_LENGTH, 0},
    {"negative length", 3, 0x80, BSN_E_LENGTH, 0},
    {"past the end of the file", 3, 0x01, BSN_E_SHORT, 0},
    {"last byte not 0", 24, 1, BSN_E_TERMINATOR, 24},
    {"one byte short", 0, 20, BSN_OK,
     0}, /* its own last byte is 0, but what follows is no document */
};

START_TEST(damage_ends_what_can_be_served)
{
    const damage_row *row = &damage_rows[_i];
    open_store o;
    serve_place place;
    bsn_error err;
    open_numbers(&o, 200);
    uint8_t bytes[200 * NUMBER_LEN];
    FILE *file = fopen(o.store.path, "r+b");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
    rewind(file);
    bytes[100 * NUMBER_LEN + row->at] = row->value;
    ck_assert_uint_eq(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    ck_assert_int_eq(fclose(file), 0);
    const uint64_t sound = row->status == BSN_OK ? 101 : 100;

    uint64_t count;
    const bsn_status status = serve_store_count(&o.store, &o.window, &count, &err);
    ck_assert_int_ne(status, BSN_OK);
    if (row->status != BSN_OK) {
        ck_assert_msg(status == row->status && err.offset == row->offset, "%s: %d at %u", row->name,
                      (int)status, (unsigned)err.offset);
    }
    ck_assert_int_eq(serve_store_damage(&o.store, &place, &err), status);
    ck_assert_uint_eq(place.number, sound);

    /* What lies before it is served all the same. */
    const serve_place start = {0, 0};
    serve_plan plan;
    ck_assert_int_eq(serve_store_plan(&o.store, &o.window, start, UINT64_MAX, &plan, NULL), BSN_OK);
    ck_assert_uint_eq(plan.count, sound);
    ck_assert(plan.more);
    ck_assert_int_eq(serve_store_plan(&o.store, &o.window, plan.end, 1, &plan, NULL), status);
    ck_assert_int_eq(serve_store_seek(&o.store, &o.window, sound, &place, NULL), BSN_OK);
    ck_assert_int_eq(serve_store_seek(&o.store, &o.window, sound + 1, &place, NULL), status);
    close_store(&o);
}
END_TEST

START_TEST(file_that_ends_in_a_document_is_short)
{
    static const uint8_t bytes[] = {5, 0, 0, 0, 0, 6, 0, 0, 0, 0};
    for (size_t len = 6; len <= sizeof bytes; len++) {
        open_store o;
        uint64_t count;
        bsn_error err;
        open_bytes(&o, bytes, len);
        ck_assert_int_eq(serve_store_count(&o.store, &o.window, &count, &err), BSN_E_SHORT);
        close_store(&o);
    }
}
END_TEST

START_TEST(document_that_no_message_carries_is_refused)
{
    const size_t sizes[] = {100, 16777216 + 16384 + 1};
    open_store o;
    uint64_t count;
    serve_place place;
    bsn_error err;
    write_sizes(&o, sizes, 2);
    ck_assert_int_eq(serve_store_count(&o.store, &o.window, &count, &err), BSN_E_LIMIT);
    ck_assert_int_eq(serve_store_damage(&o.store, &place, NULL), BSN_E_LIMIT);
    ck_assert_uint_eq(place.number, 1);
    close_store(&o);
}
END_TEST

/* ------------------------------------------------------------------ files that change */

START_TEST(file_cut_before_the_first_read_is_noticed)
{
    open_store o;
    uint64_t count;
    bsn_error err;
    open_numbers(&o, 10);
    ck_assert_int_eq(truncate(o.store.path, 100), 0);
    ck_assert_int_eq(serve_store_count(&o.store, &o.window, &count, &err), BSN_E_IO);
    ck_assert_ptr_nonnull(err.detail);
    close_store(&o);
}
END_TEST

START_TEST(file_cut_while_it_is_read_is_noticed)
{
    open_store o;
    serve_place place;
    bsn_error err;
    open_numbers(&o, 30000); /* more than a window */
    ck_assert_int_eq(serve_store_seek(&o.store, &o.window, 29999, &place, &err), BSN_OK);
    ck_assert_int_eq(truncate(o.store.path, 100), 0);
    ck_assert_int_eq(serve_store_seek(&o.store, &o.window, 100, &place, &err), BSN_E_IO);
    close_store(&o);
}
END_TEST

START_TEST(deadline_ends_reading_and_nothing_else)
{
    open_store o;
    uint64_t count;
    bsn_error err;
    open_numbers(&o, 30000);
    o.window.deadline_ns = 1;
    ck_assert_int_eq(serve_store_count(&o.store, &o.window, &count, &err), BSN_E_TIMEOUT);
    o.window.deadline_ns = 0;
    ck_assert_int_eq(serve_store_count(&o.store, &o.window, &count, &err), BSN_OK);
    ck_assert_uint_eq(count, 30000);
    close_store(&o);
}
END_TEST

START_TEST(file_that_is_not_there_or_no_file_is_refused)
{
    fixture f;
    serve_store store;
    bsn_error err = {.os_error = 0};
    fixture_open(&f);
    ck_assert_int_eq(serve_store_init(&store, fixture_path(&f, "none"), &f.counter.alloc, &err),
                     BSN_E_IO);
    ck_assert_int_ne(err.os_error, 0);
    serve_store_free(&store);
    ck_assert_int_eq(serve_store_init(&store, f.folder, &f.counter.alloc, &err), BSN_E_IO);
    ck_assert_ptr_nonnull(err.detail);
    serve_store_free(&store);
    fixture_close(&f);
}
END_TEST

START_TEST(file_that_vanished_before_the_first_read_is_an_error)
{
    open_store o;
    uint64_t count;
    bsn_error err = {.os_error = 0};
    open_numbers(&o, 10);
    ck_assert_int_eq(unlink(o.store.path), 0);
    ck_assert_int_eq(serve_store_count(&o.store, &o.window, &count, &err), BSN_E_IO);
    ck_assert_int_ne(err.os_error, 0);
    close_store(&o);
}
END_TEST

Suite *store_suite(void)
{
    Suite *suite = suite_create("store");
    TCase *sound = tcase_create("sound");
    tcase_set_timeout(sound, 60);
    tcase_add_test(sound, every_document_is_sought_by_its_number);
    tcase_add_test(sound, seeking_backwards_finds_the_same);
    tcase_add_test(sound, stepping_meets_every_document_and_the_end);
    tcase_add_test(sound, plan_takes_as_many_as_asked);
    tcase_add_test(sound, plan_holds_16_mib_or_one_document);
    tcase_add_test(sound, plan_of_many_small_documents_is_full);
    suite_add_tcase(suite, sound);
    TCase *damage = tcase_create("damage");
    tcase_add_loop_test(damage, damage_ends_what_can_be_served, 0,
                        (int)(sizeof damage_rows / sizeof damage_rows[0]));
    tcase_add_test(damage, file_that_ends_in_a_document_is_short);
    tcase_add_test(damage, document_that_no_message_carries_is_refused);
    tcase_add_test(damage, file_cut_before_the_first_read_is_noticed);
    tcase_add_test(damage, file_cut_while_it_is_read_is_noticed);
    tcase_add_test(damage, deadline_ends_reading_and_nothing_else);
    tcase_add_test(damage, file_that_is_not_there_or_no_file_is_refused);
    tcase_add_test(damage, file_that_vanished_before_the_first_read_is_an_error);
    suite_add_tcase(suite, damage);
    return suite;
}
