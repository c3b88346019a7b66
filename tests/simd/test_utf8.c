/* SPDX-License-Identifier: Apache-2.0
 *
 * test_utf8.c -- the reference of utf8 against the definition, every tier against the reference.
 */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#define VEC_BYTES 0
#include "suites.h"

#include "simd/k_utf8.h"
#include "simd/tiers.h"
#include "support/guard_page.h"
#include "support/random.h"

#include <string.h>
#include <sys/mman.h>

enum {
    LEN_MAX = 700,
    ABOVE_MAX = 64,
    SEQUENCE_MAX = 4
}; /* long enough for every loop of every tier */

/* The bytes at the borders of table 3-7. */
static const uint8_t edges[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED,
                                0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF};
static const size_t edge_count = sizeof edges;

/* The code point's bytes by the rule of the shortest form, whether or not it may be encoded; returns how many. */
static size_t encode(uint32_t point, uint8_t *out)
{
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    const size_t len = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    out[0] = (uint8_t)((0xF00u >> len & 0xF0u) | point);
    return len;
}

static bool is_scalar_value(uint32_t point)
{
    return point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
}

/* An oracle that shares no line with the kernel: decodes by arithmetic, then asks whether the shortest form of a code point
 * that may be encoded gives the same bytes. */
static size_t oracle_sequence(const uint8_t *p, size_t n)
{
    const size_t len = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (len > n) return 0;
    uint32_t point = len == 1 ? p[0] : p[0] & (0x7Fu >> len);
    for (size_t i = 1; i < len; i++) point = point << 6 | (p[i] & 0x3F);
    uint8_t shortest[SEQUENCE_MAX];
    const bool same = encode(point, shortest) == len && memcmp(p, shortest, len) == 0;
    return same && is_scalar_value(point) ? len : 0;
}

static size_t oracle(const uint8_t *p, size_t n)
{
    size_t i = 0;
    while (i < n) {
        const size_t len = oracle_sequence(p + i, n - i);
        if (len == 0) break;
        i += len;
    }
    return i;
}

static void check_is(const bsn_kernels *kernels, const uint8_t *p, size_t n, size_t expected)
{
    const size_t found = kernels->utf8(p, n);
    if (found != expected)
        ck_abort_msg("%s: %zu of %zu bytes are sound: found %zu", kernels->tier, expected, n,
                     found);
}

static void check_one(const bsn_kernels *kernels, const uint8_t *p, size_t n)
{
    check_is(kernels, p, n, utf8_ref(p, n));
}

START_TEST(reference_takes_exactly_the_scalar_values)
{
    uint8_t bytes[SEQUENCE_MAX];
    for (uint32_t point = 0; point < 0x200000; point++) {
        const size_t len = encode(point, bytes);
        const size_t expected = is_scalar_value(point) ? len : 0;
        if (utf8_ref(bytes, len) != expected) ck_abort_msg("U+%04X", (unsigned)point);
    }
}
END_TEST

/* First bytes from here on start a sequence or are no UTF-8; of those before, all that matters is whether they are ASCII. */
enum { FIRST_MIN = 0xBE };

START_TEST(reference_agrees_with_arithmetic_on_all_prefixes_of_three_bytes)
{
    static const uint8_t fourths[] = {0x00, 0x7F, 0x80, 0xBF, 0xC0};
    uint8_t bytes[SEQUENCE_MAX];
    for (uint32_t prefix = FIRST_MIN << 16; prefix < 0x1000000; prefix++) {
        bytes[0] = (uint8_t)(prefix >> 16);
        bytes[1] = (uint8_t)(prefix >> 8);
        bytes[2] = (uint8_t)prefix;
        bytes[3] = fourths[prefix % sizeof fourths];
        if (utf8_ref(bytes, 3) != oracle(bytes, 3)) ck_abort_msg("%06X", (unsigned)prefix);
        if (utf8_ref(bytes, 4) != oracle(bytes, 4))
            ck_abort_msg("%06X %02X", (unsigned)prefix, bytes[3]);
    }
}
END_TEST

START_TEST(reference_agrees_with_arithmetic_on_all_border_bytes)
{
    uint8_t bytes[SEQUENCE_MAX];
    for (size_t at = 0; at < edge_count * edge_count * edge_count * edge_count; at++) {
        size_t rest = at;
        for (size_t i = 0; i < SEQUENCE_MAX; i++) {
            bytes[i] = edges[rest % edge_count];
            rest /= edge_count;
        }
        if (utf8_ref(bytes, 4) != oracle(bytes, 4)) ck_abort_msg("row %zu", at);
    }
}
END_TEST

/* In the tiers the place within a block matters too: the prefixes stand within a word, at its end, and across two. */
START_TEST(all_prefixes_of_three_bytes_give_what_the_reference_gives)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    uint8_t bytes[40];
    memset(bytes, 'a', sizeof bytes);
    for (uint32_t prefix = FIRST_MIN << 16; prefix < 0x1000000; prefix++) {
        const size_t at = prefix % 7 + 4;
        uint8_t *p = bytes + at;
        p[0] = (uint8_t)(prefix >> 16);
        p[1] = (uint8_t)(prefix >> 8);
        p[2] = (uint8_t)prefix;
        p[3] = edges[prefix % edge_count];
        check_is(kernels, bytes, sizeof bytes, at + utf8_ref(p, sizeof bytes - at));
        memset(p, 'a', SEQUENCE_MAX);
    }
}
END_TEST

START_TEST(a_fault_is_found_at_every_position_beside_unmapped_pages)
{
    static const uint8_t faults[] = {0x80, 0xC3, 0xE2, 0xF0, 0xFF};
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    guard_area area;
    guard_open(&area, LEN_MAX + ABOVE_MAX);
    for (size_t n = 0; n <= LEN_MAX; n++) {
        uint8_t *p = guard_at_end(&area, NULL, n);
        memset(p, 'a', n);
        check_one(kernels, p, n);
        for (size_t i = 0; i < n; i++) {
            p[i] = faults[(n + i) % sizeof faults];
            check_is(kernels, p, n, i);
            p[i] = 'a';
        }
    }
    for (size_t above = 0; above < ABOVE_MAX; above++) {
        uint8_t *p = guard_at_start(&area, NULL, LEN_MAX + ABOVE_MAX) + above;
        for (size_t n = 0; n <= LEN_MAX; n++) check_one(kernels, p, n);
        memset(p, 'a', LEN_MAX);
        for (size_t n = 0; n <= LEN_MAX; n++) check_is(kernels, p, n, n);
    }
    guard_close(&area);
}
END_TEST

/* The start of a sequence that n cuts short is the fault, whatever lies behind n. */
START_TEST(a_sequence_cut_short_is_a_fault_at_its_start)
{
    static const char *const sequences[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    uint8_t bytes[LEN_MAX];
    for (size_t row = 0; row < sizeof sequences / sizeof sequences[0]; row++) {
        const size_t len = strlen(sequences[row]);
        for (size_t at = 0; at + len < LEN_MAX; at++) {
            memset(bytes, 'a', sizeof bytes);
            memcpy(bytes + at, sequences[row], len);
            for (size_t cut = 1; cut < len; cut++) check_is(kernels, bytes, at + cut, at);
            check_is(kernels, bytes, at + len, at + len);
            check_is(kernels, bytes, LEN_MAX, LEN_MAX);
        }
    }
}
END_TEST

/* Valid text of sequences of up to `longest` bytes, cut anywhere. */
static size_t random_text(test_random *random, uint32_t longest, uint8_t *out, size_t room)
{
    static const uint32_t below[] = {0x80, 0x800, 0x10000, 0x110000};
    size_t len = 0;
    while (len + SEQUENCE_MAX <= room) {
        const uint32_t point = random_below(random, below[random_below(random, longest)]);
        if (is_scalar_value(point)) len += encode(point, out + len);
    }
    return len - random_below(random, (uint32_t)len);
}

START_TEST(random_text_with_and_without_faults_gives_what_the_reference_gives)
{
    enum { ROUNDS = 20000 };
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    test_random random = {2};
    size_t unsound = 0;
    guard_area area;
    guard_open(&area, LEN_MAX);
    for (size_t round = 0; round < ROUNDS; round++) {
        uint8_t text[LEN_MAX];
        const size_t room = SEQUENCE_MAX + random_below(&random, LEN_MAX - SEQUENCE_MAX);
        const size_t n = random_text(&random, 1 + random_below(&random, 4), text, room);
        for (uint32_t faults = random_below(&random, 4); faults > 0; faults--) {
            text[random_below(&random, (uint32_t)n)] =
                edges[random_below(&random, (uint32_t)edge_count)];
        }
        const uint8_t *p = guard_at_end(&area, text, n);
        if (utf8_ref(p, n) != oracle(p, n)) ck_abort_msg("the reference differs from the oracle");
        check_one(kernels, p, n);
        unsound += utf8_ref(p, n) != n;
    }
    guard_close(&area);
    ck_assert_uint_ge(unsound, ROUNDS / 3);
    ck_assert_uint_le(unsound, ROUNDS - ROUNDS / 8);
}
END_TEST

/* Pages that were never written are all one page of zeros, so this takes no memory. */
START_TEST(text_longer_than_an_int_can_count_is_checked_to_its_end)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
#if SIZE_MAX > UINT32_MAX
    const size_t n = ((size_t)1 << 31) + 10;
    void *text = mmap(NULL, n, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (text == MAP_FAILED) {
        test_skip(__func__, "no address space for 2 GiB");
        return;
    }
    check_is(kernels, text, n, n);
    ck_assert_int_eq(munmap(text, n), 0);
#else
    test_skip(__func__, "a size cannot be that large here");
#endif
}
END_TEST

START_TEST(nothing_is_sound)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels != NULL) check_is(kernels, NULL, 0, 0);
}
END_TEST

Suite *utf8_suite(void)
{
    Suite *suite = suite_create("utf8");
    TCase *tests = tcase_create("utf8");
    tcase_add_test(tests, reference_takes_exactly_the_scalar_values);
    tcase_add_test(tests, reference_agrees_with_arithmetic_on_all_prefixes_of_three_bytes);
    tcase_add_test(tests, reference_agrees_with_arithmetic_on_all_border_bytes);
    ADD_TIER_TEST(tests, all_prefixes_of_three_bytes_give_what_the_reference_gives);
    ADD_TIER_TEST(tests, a_fault_is_found_at_every_position_beside_unmapped_pages);
    ADD_TIER_TEST(tests, a_sequence_cut_short_is_a_fault_at_its_start);
    ADD_TIER_TEST(tests, random_text_with_and_without_faults_gives_what_the_reference_gives);
    ADD_TIER_TEST(tests, text_longer_than_an_int_can_count_is_checked_to_its_end);
    ADD_TIER_TEST(tests, nothing_is_sound);
    tcase_set_timeout(tests, 120);
    suite_add_tcase(suite, tests);
    return suite;
}
