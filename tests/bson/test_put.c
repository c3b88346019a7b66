/* SPDX-License-Identifier: Apache-2.0
 *
 * test_put.c -- the inline appends against the functions of write.h, in every room there can be.
 */
#include "suites.h"

#include "support/expect.h"

#include <bsonic/put.h>

#include <string.h>

enum { FIELD_COUNT = 12, TEXT_MAX = 140, ROOM_MAX = 400 };

static const bsn_oid oid = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
static char text[TEXT_MAX];

static bsn_str text_of(size_t len)
{
    return (bsn_str){text, len};
}

/* One field of each type; strings of a length from each way of copying. */
static void put_field(bsn_writer *w, const bsn_key *key, size_t field, size_t len)
{
    switch (field) {
    case 0: bsn_put_null(w, key); break;
    case 1: bsn_put_boolean(w, key, true); break;
    case 2: bsn_put_int32(w, key, -2); break;
    case 3: bsn_put_int64(w, key, INT64_MIN + 3); break;
    case 4: bsn_put_date(w, key, -1); break;
    case 5: bsn_put_timestamp(w, key, (bsn_timestamp){.seconds = 7, .increment = 9}); break;
    case 6: bsn_put_double(w, key, -0.5); break;
    case 7: bsn_put_oid(w, key, &oid); break;
    case 8:
        bsn_put_decimal128(w, key, (bsn_decimal128){.high = 0x3040000000000000, .low = 1});
        break;
    case 9:
        bsn_put_begin_document(w, key);
        bsn_writer_end(w);
        break;
    case 10:
        bsn_put_begin_array(w, key);
        bsn_writer_end(w);
        break;
    default: bsn_put_string(w, key, text_of(len)); break;
    }
}

static void write_field(bsn_writer *w, bsn_str key, size_t field, size_t len)
{
    switch (field) {
    case 0: bsn_writer_null(w, key); break;
    case 1: bsn_writer_boolean(w, key, true); break;
    case 2: bsn_writer_int32(w, key, -2); break;
    case 3: bsn_writer_int64(w, key, INT64_MIN + 3); break;
    case 4: bsn_writer_date(w, key, -1); break;
    case 5: bsn_writer_timestamp(w, key, (bsn_timestamp){.seconds = 7, .increment = 9}); break;
    case 6: bsn_writer_double(w, key, -0.5); break;
    case 7: bsn_writer_oid(w, key, &oid); break;
    case 8:
        bsn_writer_decimal128(w, key, (bsn_decimal128){.high = 0x3040000000000000, .low = 1});
        break;
    case 9:
        bsn_writer_begin_document(w, key);
        bsn_writer_end(w);
        break;
    case 10:
        bsn_writer_begin_array(w, key);
        bsn_writer_end(w);
        break;
    default: bsn_writer_string(w, key, text_of(len)); break;
    }
}

typedef struct built {
    uint8_t bytes[ROOM_MAX];
    bsn_out out;
    bsn_writer writer;
} built;

/* A document, or what there is room for, with the field twice: at its top and in an array. */
static void build(built *b, size_t room, const bsn_key *handle, bsn_str key, size_t field,
                  size_t len)
{
    bsn_writer *w = &b->writer;
    memset(b->bytes, 0xEE, sizeof b->bytes);
    bsn_out_init_fixed(&b->out, b->bytes, room);
    bsn_writer_init(w, &b->out);
    bsn_writer_begin(w);
    for (int i = 0; i < 2; i++) {
        if (i == 1) bsn_writer_begin_array(w, BSN_STR("l"));
        if (handle != NULL) {
            put_field(w, handle, field, len);
        } else {
            write_field(w, key, field, len);
        }
        if (i == 1) bsn_writer_end(w);
    }
    bsn_writer_end(w);
}

static void compare(built *put, built *written, size_t room, bsn_str key, size_t field, size_t len)
{
    bsn_key handle;
    ck_assert_int_eq(bsn_key_make(key, &handle), BSN_OK);
    build(put, room, &handle, key, field, len);
    build(written, room, NULL, key, field, len);
    EXPECT(bsn_writer_status(&put->writer) == bsn_writer_status(&written->writer),
           "field %zu, room %zu: another status", field, room);
    EXPECT(bsn_out_len(&put->out) == bsn_out_len(&written->out),
           "field %zu, room %zu: another length", field, room);
    const size_t used =
        bsn_writer_status(&put->writer) == BSN_OK ? (size_t)bsn_out_len(&put->out) : 0;
    EXPECT(memcmp(put->bytes, written->bytes, used) == 0, "field %zu, room %zu: other bytes", field,
           room);
    for (size_t i = room; i < ROOM_MAX; i++)
        EXPECT(put->bytes[i] == 0xEE, "field %zu, room %zu: byte %zu written", field, room, i);
}

START_TEST(each_field_is_what_the_function_of_its_type_writes_in_every_room)
{
    static const size_t key_lens[] = {0, 1, 7, 8, 15, 16, 30, BSN_KEY_LEN_MAX};
    static const size_t text_lens[] = {0,  1,  3,  4,  7,   8,   15,      16,
                                       17, 33, 64, 65, 128, 129, TEXT_MAX};
    static built put, written;
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + i % 26);
    const bool is_string = _i >= 11;
    const size_t texts = is_string ? sizeof text_lens / sizeof text_lens[0] : 1;
    for (size_t k = 0; k < sizeof key_lens / sizeof key_lens[0]; k++) {
        for (size_t t = 0; t < texts; t++) {
            for (size_t room = 0; room <= ROOM_MAX; room += room < 100 ? 1 : 7)
                compare(&put, &written, room, text_of(key_lens[k]), (size_t)_i, text_lens[t]);
        }
    }
}
END_TEST

START_TEST(outside_of_a_document_and_after_an_error_nothing_is_put)
{
    static const bsn_key key = BSN_KEY("k");
    uint8_t bytes[100];
    bsn_out out;
    bsn_writer w;
    bsn_out_init_fixed(&out, bytes, sizeof bytes);
    bsn_writer_init(&w, &out);
    bsn_put_int32(&w, &key, 1);
    ck_assert_int_eq(bsn_writer_status(&w), BSN_E_STATE);
    bsn_writer_begin(&w);
    bsn_put_string(&w, &key, BSN_STR("text"));
    ck_assert_uint_eq(bsn_out_len(&out), 0);
}
END_TEST

START_TEST(keys_are_made_of_text_that_can_be_one)
{
    bsn_key key = BSN_KEY("before");
    ck_assert_int_eq(bsn_key_make((bsn_str){"a\0b", 3}, &key), BSN_E_KEY_NUL);
    ck_assert_int_eq(bsn_key_make(text_of(BSN_KEY_LEN_MAX + 1), &key), BSN_E_SIZE);
    ck_assert(bsn_str_equal(bsn_key_str(&key), BSN_STR("before")));
    ck_assert_int_eq(bsn_key_make((bsn_str){NULL, 0}, &key), BSN_OK);
    ck_assert_uint_eq(bsn_key_str(&key).len, 0);
}
END_TEST

START_TEST(literals_and_made_keys_are_the_same)
{
    static const bsn_key literal = BSN_KEY("0123456789012345678901234567890");
    bsn_key made;
    ck_assert_int_eq(bsn_key_make(BSN_STR("0123456789012345678901234567890"), &made), BSN_OK);
    ck_assert(bsn_str_equal(bsn_key_str(&literal), bsn_key_str(&made)));
    ck_assert_mem_eq(literal.text, made.text, sizeof made.text);
}
END_TEST

Suite *put_suite(void)
{
    Suite *suite = suite_create("put");
    TCase *tests = tcase_create("put");
    tcase_add_loop_test(tests, each_field_is_what_the_function_of_its_type_writes_in_every_room, 0,
                        FIELD_COUNT);
    tcase_add_test(tests, outside_of_a_document_and_after_an_error_nothing_is_put);
    tcase_add_test(tests, keys_are_made_of_text_that_can_be_one);
    tcase_add_test(tests, literals_and_made_keys_are_the_same);
    suite_add_tcase(suite, tests);
    return suite;
}
