/* SPDX-License-Identifier: Apache-2.0
 *
 * test_print_verdict.c -- printing and validation have one verdict: over documents that were damaged at random, both pass or
 * both fail, with one status at one offset; and what passes prints as JSON.
 */
#include "suites.h"

#include "corpus/corpus.h"
#include "support/expect.h"
#include "support/hex.h"
#include "support/json_text.h"
#include "support/print_text.h"
#include "support/random.h"

#include <bsonic/validate.h>

#include <string.h>

#if defined(BSONIC_ASSERT)
#define MUTANTS 20000
#else
#define MUTANTS 400000
#endif

#define LEN_MAX 2048

/* A document with every type. */
static const char everything[] =
    "a3010000075f69640056e1fc72e0c917e9c471416102636cc3a900180000006e61c3af766520227465787422200ae2"
    "82"
    "ac20f09f988000106900f9ffffff126c0000000000000100000164009a9999999999b93f03646f6300570000000261"
    "5f"
    "7261746865725f6c6f6e675f6b65795f6e616d65002c000000706c61696e2061736369692074657874206f66206d6f"
    "72"
    "65207468616e207369787465656e206279746573000300080000000a6e000000046172720035000000103000010000"
    "00"
    "013100000000000000044002320003000000c3bc000333000500000000043400050000000008350001000562696e00"
    "05"
    "0000000068656c6c6f056f6c640007000000020300000061626306750008660000097400c5d8d6cc3b0100000a7a00"
    "0b"
    "726500612e6200696d000c70000500000064622e630056e1fc72e0c917e9c47141610d630004000000783d31000e79"
    "00"
    "0400000073796d000f6373001b00000004000000662829000f00000002730003000000c3a900001174730001000000"
    "02"
    "000000136465630000000000000000000000000000004030ff6d696e007f6d61780000";

/* Bytes at which readers of types, lengths and UTF-8 change their minds. */
static const uint8_t edges[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x08, 0x0B, 0x0E,
                                0x0F, 0x10, 0x13, 0x14, 0x20, 0x22, 0x5C, 0x7F, 0x80,
                                0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF,
                                0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF};

/* One small damage behind the length field and before the final 00. */
static void damage(uint8_t *bytes, size_t len, test_random *random)
{
    if (len <= BSN_DOC_SIZE_MIN) return;
    const size_t at = 4 + random_below(random, (uint32_t)len - 5);
    const size_t other = 4 + random_below(random, (uint32_t)len - 5);
    const size_t left = len - 1 - (at > other ? at : other);
    switch (random_below(random, 6)) {
    case 0: bytes[at] = (uint8_t)random_below(random, 0x100); break;
    case 1:
    case 2: bytes[at] = edges[random_below(random, sizeof edges)]; break;
    case 3: bytes[at] = (uint8_t)(bytes[at] + random_below(random, 3) - 1); break;
    case 4: bytes[at] ^= (uint8_t)(1u << random_below(random, 8)); break;
    default: memmove(bytes + at, bytes + other, left < 8 ? left : random_below(random, 8)); break;
    }
}

typedef struct tally {
    size_t passed, failed, text_failed;
} tally;

static void check_verdict(bsn_bytes bytes, bsn_json_form form, tally *t)
{
    static const bsn_json_options forms[] = {{.form = BSN_JSON_RELAXED},
                                             {.form = BSN_JSON_CANONICAL}};
    bsn_error expected = {0}, err = {0};
    char shown[4 * LEN_MAX];
    const bsn_status status = bsn_validate(bytes, NULL, NULL, &expected);
    printed p = {.text = {"", 0}};
    bsn_doc doc;
    p.status = bsn_doc_open(bytes, &doc, &err);
    if (p.status == BSN_OK) {
        p = print_document(doc, &forms[form]);
        err = p.err;
    }
    EXPECT(p.status == status && err.offset == expected.offset,
           "print %s at %u, validate %s at %u: %s", bsn_status_text(p.status), (unsigned)err.offset,
           bsn_status_text(status), (unsigned)expected.offset,
           hex_print(bytes, shown, sizeof shown));
    EXPECT(status != BSN_OK || json_is_sound(p.text, NULL), "not JSON: %.*s", (int)p.text.len,
           p.text.ptr);
    t->passed += status == BSN_OK;
    t->failed += status != BSN_OK;
    t->text_failed += status == BSN_E_UTF8;
    printed_free(&p);
}

/* Half of them are damaged once, others more often. */
static void check_mutants(bsn_bytes sound, size_t count, test_random *random, tally *t)
{
    uint8_t bytes[LEN_MAX];
    if (sound.len > sizeof bytes) return;
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes, sound.ptr, sound.len);
        do {
            damage(bytes, sound.len, random);
        } while (random_below(random, 2) == 0);
        const bsn_bytes mutant = {bytes, sound.len};
        check_verdict(mutant, i % 2 == 0 ? BSN_JSON_RELAXED : BSN_JSON_CANONICAL, t);
    }
}

START_TEST(damaged_documents_have_one_verdict)
{
    tally t = {0};
    test_random random = {1};
    hex_bytes sound = hex_read(everything);
    check_verdict(hex_span(&sound), BSN_JSON_RELAXED, &t);
    ck_assert_uint_eq(t.passed, 1);
    check_mutants(hex_span(&sound), MUTANTS, &random, &t);
    ck_assert_uint_ge(t.passed, MUTANTS / 20);
    ck_assert_uint_ge(t.failed, MUTANTS / 3);
    ck_assert_uint_ge(t.text_failed, MUTANTS / 20);
    hex_free(&sound);
}
END_TEST

START_TEST(every_byte_of_a_document_set_to_every_edge_has_one_verdict)
{
    tally t = {0};
    hex_bytes sound = hex_read(everything);
    for (size_t at = 4; at < sound.len; at++) {
        const uint8_t kept = sound.ptr[at];
        for (size_t i = 0; i < sizeof edges; i++) {
            sound.ptr[at] = edges[i];
            check_verdict(hex_span(&sound), i % 2 == 0 ? BSN_JSON_RELAXED : BSN_JSON_CANONICAL, &t);
        }
        sound.ptr[at] = kept;
    }
    ck_assert_uint_ge(t.failed, sound.len * 10);
    hex_free(&sound);
}
END_TEST

/* Sound and unsound ones; without the corpus there is nothing to do here, and the tests above stand. */
START_TEST(damaged_documents_of_the_corpus_have_one_verdict)
{
    tally t = {0};
    test_random random = {2};
    const size_t count = MUTANTS / 1000;
    for (size_t i = 0; i < corpus_valid_count; i++)
        check_mutants(corpus_valids[i].canonical_bson, count, &random, &t);
    for (size_t i = 0; i < corpus_decode_error_count; i++) {
        check_verdict(corpus_decode_errors[i].bson, BSN_JSON_RELAXED, &t);
        check_mutants(corpus_decode_errors[i].bson, count, &random, &t);
    }
    if (corpus_present) ck_assert_uint_ge(t.passed + t.failed, 700 * count);
}
END_TEST

Suite *print_verdict_suite(void)
{
    Suite *suite = suite_create("print_verdict");
    TCase *tests = tcase_create("print_verdict");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, damaged_documents_have_one_verdict);
    tcase_add_test(tests, every_byte_of_a_document_set_to_every_edge_has_one_verdict);
    tcase_add_test(tests, damaged_documents_of_the_corpus_have_one_verdict);
    suite_add_tcase(suite, tests);
    return suite;
}
