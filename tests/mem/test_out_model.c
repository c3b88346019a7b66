/* SPDX-License-Identifier: Apache-2.0
 *
 * test_out_model.c -- long random sequences of calls on a bsn_out of each kind, against a model that is nothing but an array of
 * all bytes and the number of those sent.
 */
#include "suites.h"
#include "support/collect.h"
#include "support/counting_alloc.h"
#include "support/random.h"

#include <string.h>

enum { KIND_POOLED, KIND_BUFFER, KIND_FIXED_LARGE, KIND_FIXED_SMALL, KIND_COUNT };
enum { MODEL_MAX = 1 << 20, PLACES = 16, FIXED_SMALL = 3000 };

typedef struct model {
    uint8_t bytes[MODEL_MAX]; /* all that was written since the last clear */
    size_t len;
    size_t sent;
    size_t origin; /* fixed: where the storage began to be filled last */
    bsn_out_mark marks[PLACES], slots[PLACES];
    size_t mark_places[PLACES], slot_places[PLACES];
    size_t mark_count, slot_count;
} model;

static model expected;
static uint8_t source[1 << 14]; /* what is appended, and what references point to */

static size_t room_end(int kind)
{
    if (kind == KIND_FIXED_SMALL) return expected.origin + FIXED_SMALL;
    return MODEL_MAX;
}

/* Places behind the end are gone. */
static void forget_places(void)
{
    while (expected.mark_count > 0 && expected.mark_places[expected.mark_count - 1] > expected.len)
        expected.mark_count--;
    while (expected.slot_count > 0 &&
           expected.slot_places[expected.slot_count - 1] + 4 > expected.len)
        expected.slot_count--;
}

static void forget_sent_places(void)
{
    size_t marks = 0, slots = 0;
    for (size_t i = 0; i < expected.mark_count; i++) {
        if (expected.mark_places[i] < expected.sent) continue;
        expected.marks[marks] = expected.marks[i];
        expected.mark_places[marks++] = expected.mark_places[i];
    }
    for (size_t i = 0; i < expected.slot_count; i++) {
        if (expected.slot_places[i] < expected.sent) continue;
        expected.slots[slots] = expected.slots[i];
        expected.slot_places[slots++] = expected.slot_places[i];
    }
    expected.mark_count = marks;
    expected.slot_count = slots;
}

static void expect(const uint8_t *bytes, size_t len)
{
    memcpy(expected.bytes + expected.len, bytes, len);
    expected.len += len;
}

static const uint8_t *random_source_bytes(test_random *random, size_t len)
{
    return source + random_size_below(random, sizeof source - len + 1);
}

static void step_append(bsn_out *out, test_random *random)
{
    const size_t len = random_size_below(random, random_one_in(random, 10) ? 5000 : 60);
    const uint8_t *bytes = random_source_bytes(random, len);
    bsn_out_append(out, bytes, len);
    expect(bytes, len);
}

static void step_reserve(bsn_out *out, test_random *random)
{
    const size_t reserved = random_size_below(random, BSN_OUT_RESERVE_MAX + 1);
    const size_t used = random_size_below(random, reserved + 1);
    const uint8_t *bytes = random_source_bytes(random, reserved);
    uint8_t *room = bsn_out_reserve(out, reserved);
    ck_assert_uint_ge(bsn_out_room(out), reserved);
    memcpy(room, bytes, reserved);
    bsn_out_advance(out, used);
    expect(bytes, used);
}

static void step_slot(bsn_out *out)
{
    static const uint8_t zeros[4];
    if (expected.slot_count == PLACES) return;
    expected.slot_places[expected.slot_count] = expected.len;
    expected.slots[expected.slot_count++] = bsn_out_slot_i32(out);
    expect(zeros, 4);
}

static void step_patch(bsn_out *out, test_random *random)
{
    if (expected.slot_count == 0) return;
    const size_t i = random_size_below(random, expected.slot_count);
    const int32_t value = (int32_t)random_size_below(random, INT32_MAX);
    bsn_out_patch_i32(out, expected.slots[i], value);
    bsn_store_i32(expected.bytes + expected.slot_places[i], value);
}

static void step_mark(const bsn_out *out)
{
    if (expected.mark_count == PLACES) return;
    expected.mark_places[expected.mark_count] = expected.len;
    expected.marks[expected.mark_count++] = bsn_out_get_mark(out);
}

static void step_rollback(bsn_out *out, test_random *random)
{
    if (expected.mark_count == 0) return;
    const size_t i = random_size_below(random, expected.mark_count);
    ck_assert_uint_eq(bsn_out_len_since(out, expected.marks[i]),
                      expected.len - expected.mark_places[i]);
    bsn_out_rollback(out, expected.marks[i]);
    expected.len = expected.mark_places[i];
    forget_places();
}

static void step_ref(bsn_out *out, test_random *random)
{
    const size_t len = BSN_OUT_REF_MIN - 5 + random_size_below(random, 3000);
    const uint8_t *bytes = random_source_bytes(random, len);
    const bsn_bytes referenced = {bytes, len};
    bsn_out_append_ref(out, referenced);
    expect(bytes, len);
}

static void step_sent(bsn_out *out, test_random *random)
{
    const size_t unsent = (size_t)bsn_out_unsent(out);
    const size_t len = random_one_in(random, 4) ? unsent : random_size_below(random, unsent + 1);
    bsn_out_sent(out, len);
    expected.sent += len;
    if (expected.sent == expected.len) expected.origin = expected.sent;
    forget_sent_places();
}

static void step_clear(bsn_out *out)
{
    bsn_out_clear(out);
    expected.len = 0;
    expected.sent = 0;
    expected.origin = 0;
    expected.mark_count = 0;
    expected.slot_count = 0;
}

static void check_all(bsn_out *out, int kind)
{
    static uint8_t bytes[MODEL_MAX];
    const size_t end = room_end(kind) < expected.len ? room_end(kind) : expected.len;
    const bool full = expected.len > room_end(kind);
    bsn_bytes view;
    ck_assert_int_eq(bsn_out_status(out), full ? BSN_E_SPACE : BSN_OK);
    ck_assert_uint_eq(bsn_out_len(out), expected.len);
    const size_t len = collect(out, bytes, sizeof bytes).len;
    ck_assert_uint_eq(len, end - expected.sent);
    ck_assert(len == 0 || memcmp(bytes, expected.bytes + expected.sent, len) == 0);
    if (bsn_out_view(out, &view)) {
        ck_assert(!full);
        ck_assert_uint_eq(view.len, len);
        ck_assert(len == 0 || memcmp(view.ptr, expected.bytes + expected.sent, len) == 0);
    } else {
        ck_assert(full || kind == KIND_POOLED);
    }
}

static void step(bsn_out *out, test_random *random)
{
    switch (random_size_below(random, 16)) {
    case 0:
    case 1:
    case 2: step_append(out, random); break;
    case 3:
    case 4:
    case 5: step_reserve(out, random); break;
    case 6:
    case 7: step_slot(out); break;
    case 8:
    case 9: step_patch(out, random); break;
    case 10: step_mark(out); break;
    case 11: step_rollback(out, random); break;
    case 12: step_ref(out, random); break;
    case 13:
    case 14: step_sent(out, random); break;
    default:
        if (random_one_in(random, 20)) step_clear(out);
        break;
    }
    if (expected.len > MODEL_MAX - 20000) step_clear(out);
}

static void run_model(int kind, uint64_t seed)
{
    static uint8_t storage[MODEL_MAX];
    test_random random = {seed};
    counting_alloc counter;
    bsn_pool pool;
    bsn_buf buf;
    bsn_out out;
    counting_alloc_init(&counter);
    bsn_pool_init(&pool, &counter.alloc, random_one_in(&random, 2) ? SIZE_MAX : 4096);
    bsn_buf_init(&buf, &counter.alloc);
    if (kind == KIND_POOLED)
        bsn_out_init_pool(&out, &pool, (size_t)1024 << random_size_below(&random, 3));
    if (kind == KIND_BUFFER) bsn_out_init_buf(&out, &buf);
    if (kind == KIND_FIXED_LARGE) bsn_out_init_fixed(&out, storage, sizeof storage);
    if (kind == KIND_FIXED_SMALL) bsn_out_init_fixed(&out, storage, FIXED_SMALL);
    expected.len = expected.sent = expected.origin = 0;
    expected.mark_count = expected.slot_count = 0;
    for (int i = 0; i < 1500; i++) {
        step(&out, &random);
        if (i % 8 == 0) check_all(&out, kind);
    }
    check_all(&out, kind);
    bsn_out_free(&out);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_taken, 0);
    bsn_buf_free(&buf);
    bsn_pool_free(&pool);
    counting_alloc_finish(&counter);
}

START_TEST(random_calls_do_what_the_model_does)
{
    for (size_t i = 0; i < sizeof source; i++) source[i] = (uint8_t)(i % 253);
    for (uint64_t seed = 1; seed <= 16; seed++) run_model(_i, seed);
}
END_TEST

Suite *out_model_suite(void)
{
    Suite *suite = suite_create("out_model");
    TCase *tests = tcase_create("out_model");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, random_calls_do_what_the_model_does, 0, KIND_COUNT);
    suite_add_tcase(suite, tests);
    return suite;
}
