/* SPDX-License-Identifier: Apache-2.0
 *
 * test_base64.c -- the kernels base64_enc and base64_dec: every tier and the reference, against the vectors of RFC 4648 and a coder
 * that goes bit by bit, touching nothing but input and output.
 */
#define VEC_BYTES 0
#include "suites.h"

#include "simd/k_base64.h"
#include "simd/simd.h"
#include "simd/tiers.h"
#include "support/expect.h"
#include "support/guard_page.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX 200
#define TEXT_MAX 268
#define PLACES_MAX 76

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Six bits at a time, zeros behind the end. */
static size_t encode_by_bits(const uint8_t *bytes, size_t len, char *text)
{
    size_t count = 0;
    for (size_t bit = 0; bit < 8 * len; bit += 6) {
        unsigned value = 0;
        for (size_t i = bit; i < bit + 6; i++) {
            const unsigned byte = i < 8 * len ? bytes[i / 8] : 0;
            value = value << 1 | (byte >> (7 - i % 8) & 1);
        }
        text[count++] = alphabet[value];
    }
    while (count % 4 != 0) text[count++] = '=';
    return count;
}

START_TEST(vectors_of_the_standard_hold_both_ways)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    static const struct {
        const char *bytes;
        const char *text;
    } rows[] = {{"", ""},
                {"f", "Zg=="},
                {"fo", "Zm8="},
                {"foo", "Zm9v"},
                {"foob", "Zm9vYg=="},
                {"fooba", "Zm9vYmE="},
                {"foobar", "Zm9vYmFy"},
                {"\xFF\xFF", "//8="},
                {"\xFB\xEF\xBE", "++++"},
                {"\x73\xFF\xD2\x64\x44\xB3\x4C\x69\x90\xE8\xE7\xD1\xDF\xC0\x35\xD4",
                 "c//SZESzTGmQ6OfR38A11A=="}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t text[TEXT_MAX], bytes[BYTES_MAX];
        size_t len = 7;
        const size_t expected = strlen(rows[i].bytes);
        kernels->base64_enc((const uint8_t *)rows[i].bytes, expected, text);
        ck_assert_uint_eq(bsni_base64_text_len(expected), strlen(rows[i].text));
        ck_assert_mem_eq(text, rows[i].text, strlen(rows[i].text));
        ck_assert(
            kernels->base64_dec((const uint8_t *)rows[i].text, strlen(rows[i].text), bytes, &len));
        ck_assert_uint_eq(len, expected);
        ck_assert_mem_eq(bytes, rows[i].bytes, len);
    }
}
END_TEST

START_TEST(reference_goes_as_the_bits_do)
{
    test_random random = {15};
    for (size_t len = 0; len <= BYTES_MAX; len++) {
        uint8_t bytes[BYTES_MAX], text[TEXT_MAX] = {0}, back[TEXT_MAX];
        char expected[TEXT_MAX];
        size_t back_len = 7;
        for (size_t i = 0; i < len; i++) bytes[i] = (uint8_t)random_u64(&random);
        const size_t text_len = encode_by_bits(bytes, len, expected);
        base64_enc_ref(bytes, len, text);
        ck_assert_mem_eq(text, expected, text_len);
        ck_assert(base64_dec_ref(text, text_len, back, &back_len));
        ck_assert_uint_eq(back_len, len);
        ck_assert_mem_eq(back, bytes, len);
    }
}
END_TEST

START_TEST(nothing_has_an_empty_text)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    size_t len = 7;
    kernels->base64_enc(NULL, 0, NULL);
    ck_assert(kernels->base64_dec(NULL, 0, NULL, &len));
    ck_assert_uint_eq(len, 0);
}
END_TEST

/* Every length, input and output at the edge of what may be touched, on both sides. */
START_TEST(bytes_of_every_length_come_back)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    guard_area in, out;
    guard_open(&in, 4096);
    guard_open(&out, 4096);
    test_random random = {16};
    for (size_t len = 0; len <= BYTES_MAX; len++) {
        uint8_t bytes[BYTES_MAX];
        char expected[TEXT_MAX];
        for (size_t i = 0; i < len; i++) bytes[i] = (uint8_t)random_u64(&random);
        const size_t text_len = encode_by_bits(bytes, len, expected);
        EXPECT(bsni_base64_text_len(len) == text_len, "length %zu", len);

        const uint8_t *input = guard_at_end(&in, bytes, len);
        uint8_t *text = guard_at_end(&out, NULL, text_len);
        kernels->base64_enc(input, len, text);
        EXPECT(memcmp(text, expected, text_len) == 0, "length %zu", len);
        input = guard_at_start(&in, bytes, len);
        text = guard_at_start(&out, NULL, text_len);
        kernels->base64_enc(input, len, text);
        EXPECT(memcmp(text, expected, text_len) == 0, "length %zu", len);

        const size_t room = bsni_base64_bytes_max(text_len);
        for (int at_end = 0; at_end < 2; at_end++) {
            const uint8_t *text_in = at_end ? guard_at_end(&in, expected, text_len)
                                            : guard_at_start(&in, expected, text_len);
            uint8_t *back =
                at_end ? guard_at_end(&out, NULL, room) : guard_at_start(&out, NULL, room);
            size_t back_len = 0;
            EXPECT(kernels->base64_dec(text_in, text_len, back, &back_len), "length %zu", len);
            EXPECT(back_len == len && memcmp(back, bytes, len) == 0, "length %zu", len);
        }
    }
    guard_close(&in);
    guard_close(&out);
}
END_TEST

START_TEST(texts_of_pieces_join)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    uint8_t bytes[BYTES_MAX], whole[TEXT_MAX], joined[TEXT_MAX];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 7);
    kernels->base64_enc(bytes, sizeof bytes, whole);
    for (size_t cut = 0; cut <= sizeof bytes; cut += 3) {
        kernels->base64_enc(bytes, cut, joined);
        kernels->base64_enc(bytes + cut, sizeof bytes - cut, joined + bsni_base64_text_len(cut));
        EXPECT(memcmp(whole, joined, bsni_base64_text_len(sizeof bytes)) == 0, "cut at %zu", cut);
    }
}
END_TEST

static bool is_sound(const bsn_kernels *kernels, const char *text, size_t len)
{
    uint8_t bytes[BYTES_MAX], by_reference[BYTES_MAX];
    char again[TEXT_MAX];
    size_t count = 777, count_by_reference = 777;
    const bool sound = kernels->base64_dec((const uint8_t *)text, len, bytes, &count);
    EXPECT(sound == base64_dec_ref((const uint8_t *)text, len, by_reference, &count_by_reference),
           "%.*s", (int)len, text);
    EXPECT(count == count_by_reference, "%.*s", (int)len, text);
    if (!sound) {
        EXPECT(count == 777, "the length changed though refused");
        return false;
    }
    /* Strictness is this: what is read is written the same. */
    EXPECT(encode_by_bits(bytes, count, again) == len && memcmp(again, text, len) == 0, "%.*s",
           (int)len, text);
    return true;
}

START_TEST(a_byte_that_is_none_of_the_alphabet_is_refused_wherever_it_stands)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    for (size_t len = 4; len <= PLACES_MAX; len += 4) {
        for (size_t place = 0; place < len; place++) {
            for (int c = 0; c < 256; c++) {
                char text[PLACES_MAX];
                memset(text, 'A', sizeof text);
                text[place] = (char)c;
                const bool padding = c == '=' && place == len - 1;
                const bool known = c != 0 && strchr(alphabet, c) != NULL;
                EXPECT(is_sound(kernels, text, len) == (known || padding),
                       "byte %02X at %zu of %zu", (unsigned)c, place, len);
            }
        }
    }
}
END_TEST

START_TEST(every_last_four_characters_are_read_or_refused)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    static const char some[] = "ABCDQgwz9+/=-_ \n";
    for (size_t before = 0; before <= 12; before += 4) {
        for (int i = 0; i < 65536; i++) {
            char text[16];
            memset(text, 'Q', sizeof text);
            for (int place = 0; place < 4; place++)
                text[before + (size_t)place] = some[i >> (4 * place) & 15];
            const char *last = text + before;
            const char *second = strchr(alphabet, last[1]);
            const char *third = strchr(alphabet, last[2]);
            const bool first_known = strchr(alphabet, last[0]) != NULL;
            bool sound =
                first_known && second != NULL && third != NULL && strchr(alphabet, last[3]) != NULL;
            if (last[3] == '=')
                sound =
                    first_known && second != NULL && third != NULL && (third - alphabet) % 4 == 0;
            if (last[2] == '=' && last[3] == '=')
                sound = first_known && second != NULL && (second - alphabet) % 16 == 0;
            EXPECT(is_sound(kernels, text, before + 4) == sound, "%.4s behind %zu", last, before);
        }
    }
}
END_TEST

START_TEST(lengths_that_are_no_multiple_of_four_are_refused)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    char text[64];
    memset(text, 'A', sizeof text);
    for (size_t len = 0; len <= sizeof text; len++)
        EXPECT(is_sound(kernels, text, len) == (len % 4 == 0), "length %zu", len);
}
END_TEST

START_TEST(large_blocks_come_back)
{
    const bsn_kernels *kernels = tier_kernels(_i);
    if (kernels == NULL) return;
    enum { LARGE = 3000001 };
    uint8_t *bytes = malloc(LARGE);
    uint8_t *text = malloc(bsni_base64_text_len(LARGE));
    uint8_t *back = malloc(bsni_base64_bytes_max(bsni_base64_text_len(LARGE)));
    ck_assert(bytes != NULL && text != NULL && back != NULL);
    test_random random = {17};
    for (size_t i = 0; i < LARGE; i++) bytes[i] = (uint8_t)random_u64(&random);
    kernels->base64_enc(bytes, LARGE, text);
    size_t len = 0;
    ck_assert(kernels->base64_dec(text, bsni_base64_text_len(LARGE), back, &len));
    ck_assert_uint_eq(len, LARGE);
    ck_assert(memcmp(bytes, back, LARGE) == 0);
    free(bytes);
    free(text);
    free(back);
}
END_TEST

Suite *base64_suite(void)
{
    Suite *suite = suite_create("base64");
    TCase *tests = tcase_create("base64");
    ADD_TIER_TEST(tests, vectors_of_the_standard_hold_both_ways);
    tcase_add_test(tests, reference_goes_as_the_bits_do);
    ADD_TIER_TEST(tests, nothing_has_an_empty_text);
    ADD_TIER_TEST(tests, bytes_of_every_length_come_back);
    ADD_TIER_TEST(tests, texts_of_pieces_join);
    ADD_TIER_TEST(tests, a_byte_that_is_none_of_the_alphabet_is_refused_wherever_it_stands);
    ADD_TIER_TEST(tests, every_last_four_characters_are_read_or_refused);
    ADD_TIER_TEST(tests, lengths_that_are_no_multiple_of_four_are_refused);
    ADD_TIER_TEST(tests, large_blocks_come_back);
    suite_add_tcase(suite, tests);
    return suite;
}
