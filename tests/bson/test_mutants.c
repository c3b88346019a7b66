/* SPDX-License-Identifier: Apache-2.0
 *
 * test_mutants.c -- random documents, damaged at random: walk by every way of stepping, validation, and the oracle give one
 * status at one offset, and every way of stepping sees the same elements up to there.
 */
#include "suites.h"

#include "support/check_verdict.h"
#include "support/exact_copy.h"
#include "support/random.h"

#include <bsonic/detail/le.h>
#include <bsonic/types.h>

#include <stdio.h>
#include <string.h>

/* Hundreds of thousands in a release build; a debug build is for sanitizers and emulators, which are 20 times slower. */
#ifdef NDEBUG
enum { ROUNDS = 400000 };
#else
enum { ROUNDS = 20000 };
#endif

enum { DOC_MAX = 600, ELEMENT_MAX = 120, NESTING_MAX = 5, MUTATIONS_MAX = 3 };

/* ------------------------------------------------------------------ random documents */

typedef struct growing {
    uint8_t bytes[DOC_MAX];
    size_t len;
} growing;

static void put(growing *doc, const void *bytes, size_t len)
{
    if (len > DOC_MAX - doc->len) ck_abort_msg("a document of more than %d bytes", DOC_MAX);
    memcpy(doc->bytes + doc->len, bytes, len);
    doc->len += len;
}

static void put_u32(growing *doc, size_t x)
{
    uint8_t field[4];
    bsn_store_u32(field, (uint32_t)x);
    put(doc, field, sizeof field);
}

/* Mostly short, sometimes long: both sides of the inline step's limit. */
static void put_text(growing *doc, test_random *random)
{
    static const char text[] =
        "the key or text, in part \xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 not ASCII";
    const uint32_t longest = random_below(random, 4) == 0 ? sizeof text - 1 : 6;
    size_t len = random_below(random, longest + 1);
    while (len > 0 && ((uint8_t)text[len] & 0xC0) == 0x80) len--; /* whole characters */
    put(doc, text, len);
}

static void put_cstring(growing *doc, test_random *random)
{
    put_text(doc, random);
    put(doc, "", 1);
}

static void put_string(growing *doc, test_random *random)
{
    const size_t at = doc->len;
    put_u32(doc, 0);
    put_cstring(doc, random);
    bsn_store_u32(doc->bytes + at, (uint32_t)(doc->len - at - 4));
}

static void put_random(growing *doc, test_random *random, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const uint8_t byte = (uint8_t)random_u64(random);
        put(doc, &byte, 1);
    }
}

static void put_binary(growing *doc, test_random *random)
{
    const uint32_t len = random_below(random, 9);
    const bool old = random_below(random, 2) == 0;
    put_u32(doc, old ? len + 4 : len);
    put(doc, old ? "\2" : "\0", 1);
    if (old) put_u32(doc, len);
    put_random(doc, random, len);
}

static void put_element(growing *doc, test_random *random, uint8_t type)
{
    put(doc, &type, 1);
    put_cstring(doc, random);
    switch (type) {
    case BSN_TYPE_BOOLEAN: put(doc, random_below(random, 2) == 0 ? "\0" : "\1", 1); break;
    case BSN_TYPE_INT32: put_random(doc, random, 4); break;
    case BSN_TYPE_DOUBLE:
    case BSN_TYPE_DATE:
    case BSN_TYPE_TIMESTAMP:
    case BSN_TYPE_INT64: put_random(doc, random, 8); break;
    case BSN_TYPE_OID: put_random(doc, random, 12); break;
    case BSN_TYPE_DECIMAL128: put_random(doc, random, 16); break;
    case BSN_TYPE_STRING:
    case BSN_TYPE_CODE:
    case BSN_TYPE_SYMBOL: put_string(doc, random); break;
    case BSN_TYPE_BINARY: put_binary(doc, random); break;
    case BSN_TYPE_REGEX:
        put_cstring(doc, random);
        put_cstring(doc, random);
        break;
    case BSN_TYPE_DBPOINTER:
        put_string(doc, random);
        put_random(doc, random, 12);
        break;
    default: break; /* no value; containers are opened by the caller */
    }
}

/* A container that is open: where its length goes, and where the total of its code with scope. */
typedef struct open_container {
    size_t length_at;
    size_t total_at; /* 0: none */
} open_container;

static open_container open_one(growing *doc, test_random *random, uint8_t type)
{
    open_container opened = {0, 0};
    put_element(doc, random, type);
    if (type == BSN_TYPE_CODE_SCOPE) {
        opened.total_at = doc->len;
        put_u32(doc, 0);
        put_string(doc, random);
    }
    opened.length_at = doc->len;
    put_u32(doc, 0);
    return opened;
}

static void close_one(growing *doc, open_container opened)
{
    put(doc, "", 1);
    bsn_store_u32(doc->bytes + opened.length_at, (uint32_t)(doc->len - opened.length_at));
    if (opened.total_at != 0)
        bsn_store_u32(doc->bytes + opened.total_at, (uint32_t)(doc->len - opened.total_at));
}

static uint8_t random_type(test_random *random)
{
    const uint32_t type = 1 + random_below(random, 0x15);
    return (uint8_t)(type == 0x14 ? 0x7F : type == 0x15 ? 0xFF : type);
}

static void make_document(growing *doc, test_random *random)
{
    open_container stack[NESTING_MAX] = {{0, 0}};
    size_t depth = 1;
    const size_t room = 5 + random_below(random, DOC_MAX - ELEMENT_MAX - NESTING_MAX - 5);
    doc->len = 0;
    put_u32(doc, 0);
    while (doc->len < room) {
        const uint8_t type = random_type(random);
        const bool container = type == 0x03 || type == 0x04 || type == 0x0F;
        if (depth > 1 && random_below(random, 6) == 0) {
            close_one(doc, stack[--depth]);
        } else if (!container) {
            put_element(doc, random, type);
        } else if (depth < NESTING_MAX) {
            stack[depth++] = open_one(doc, random, type);
        }
    }
    while (depth > 0) close_one(doc, stack[--depth]);
}

/* ------------------------------------------------------------------ damage */

static const uint8_t edge_bytes[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x08,
                                     0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x13,
                                     0x14, 0x7F, 0x80, 0xC0, 0xED, 0xF4, 0xFF};

/* Lengths that are wrong by a little, or by everything, with `left` bytes behind the field. */
static uint32_t edge_length(test_random *random, size_t left)
{
    const uint32_t lengths[] = {0,
                                1,
                                4,
                                5,
                                13,
                                14,
                                (uint32_t)left,
                                (uint32_t)left - 1,
                                (uint32_t)left + 1,
                                UINT32_MAX,
                                INT32_MAX,
                                (uint32_t)INT32_MAX + 1};
    return lengths[random_below(random, sizeof lengths / sizeof lengths[0])];
}

/* The field at a random place that holds a small number, which may well be a length. */
static size_t length_field(const growing *doc, test_random *random)
{
    const size_t start = random_below(random, (uint32_t)doc->len - 3);
    for (size_t at = start; at + 4 <= doc->len; at++) {
        if (bsn_load_u32(doc->bytes + at) <= doc->len) return at;
    }
    return start;
}

static void remove_bytes(growing *doc, size_t at, size_t len)
{
    if (len > doc->len - at) len = doc->len - at;
    memmove(doc->bytes + at, doc->bytes + at + len, doc->len - at - len);
    doc->len -= len;
}

static void insert_byte(growing *doc, size_t at, uint8_t byte)
{
    if (doc->len == DOC_MAX) return;
    memmove(doc->bytes + at + 1, doc->bytes + at, doc->len - at);
    doc->bytes[at] = byte;
    doc->len++;
}

static void damage_once(growing *doc, test_random *random)
{
    const size_t at = random_below(random, (uint32_t)doc->len);
    const uint8_t edge = edge_bytes[random_below(random, sizeof edge_bytes)];
    const size_t field = length_field(doc, random);
    const uint32_t length = bsn_load_u32(doc->bytes + field);
    switch (random_below(random, 8)) {
    case 0: doc->bytes[at] = (uint8_t)random_u64(random); break;
    case 1: doc->bytes[at] = edge; break;
    case 2: doc->bytes[at] = (uint8_t)(doc->bytes[at] + random_below(random, 5) - 2); break;
    case 3: bsn_store_u32(doc->bytes + field, edge_length(random, doc->len - field)); break;
    case 4: bsn_store_u32(doc->bytes + field, length + random_below(random, 5) - 2); break;
    case 5: remove_bytes(doc, at, 1 + random_below(random, 3)); break;
    case 6: insert_byte(doc, at, edge); break;
    default: doc->len = at; break;
    }
}

/* Damages; mostly the outermost frame is mended, so that what is inside comes to be looked at. */
static void damage(growing *doc, test_random *random)
{
    for (uint32_t n = 1 + random_below(random, MUTATIONS_MAX); n > 0 && doc->len >= 5; n--)
        damage_once(doc, random);
    if (doc->len < 5 || random_below(random, 16) == 0) return;
    bsn_store_u32(doc->bytes, (uint32_t)doc->len);
    doc->bytes[doc->len - 1] = 0;
}

/* ------------------------------------------------------------------ comparison */

static void check_same(bsn_bytes bytes, size_t depth_max, const char *name, verdict *structure,
                       verdict *text)
{
    bsn_doc doc;
    *structure = oracle_judge(bytes, false, depth_max);
    *text = oracle_judge(bytes, true, depth_max);
    check_verdict(verdict_of_validation(bytes, BSN_LEVEL_STRUCTURE, depth_max), *structure, name,
                  "structure");
    check_verdict(verdict_of_validation(bytes, BSN_LEVEL_UTF8, depth_max), *text, name, "utf8");
    if (bsn_doc_open(bytes, &doc, NULL) != BSN_OK) return;
    uint64_t digests[FULL_WALK_WAYS];
    for (int way = 0; way < FULL_WALK_WAYS; way++) {
        bsn_error err;
        const bsn_status status =
            full_walk(doc, (full_walk_way)way, (uint16_t)depth_max, &digests[way], &err);
        check_verdict(verdict_of(status, &err), *structure, name, "the walk");
        if (digests[way] != digests[0]) ck_abort_msg("%s: another sight", name);
    }
}

START_TEST(sound_documents_are_sound_to_everyone)
{
    test_random random = {11};
    growing doc;
    for (size_t round = 0; round < ROUNDS / 20; round++) {
        char name[32];
        verdict structure, text;
        make_document(&doc, &random);
        snprintf(name, sizeof name, "document %zu", round);
        uint8_t *block = exact_copy(doc.bytes, doc.len);
        const bsn_bytes bytes = {block, doc.len};
        check_same(bytes, BSN_DEPTH_DEFAULT, name, &structure, &text);
        if (text.status != BSN_OK)
            ck_abort_msg("%s: %s at %zu", name, bsn_status_text(text.status), text.offset);
        free(block);
    }
}
END_TEST

START_TEST(damaged_documents_get_one_verdict_from_everyone)
{
    static const size_t limits[] = {
        1, 2, 3, BSN_DEPTH_DEFAULT, BSN_DEPTH_DEFAULT, BSN_DEPTH_DEFAULT};
    test_random random = {12};
    growing doc;
    size_t structure_faults = 0;
    size_t seen[BSN_E_DEPTH + 1] = {0};
    for (size_t round = 0; round < ROUNDS; round++) {
        char name[32];
        verdict structure, text;
        make_document(&doc, &random);
        damage(&doc, &random);
        snprintf(name, sizeof name, "mutant %zu", round);
        uint8_t *block = exact_copy(doc.bytes, doc.len);
        const bsn_bytes bytes = {block, doc.len};
        check_same(bytes, limits[random_below(&random, 6)], name, &structure, &text);
        structure_faults += structure.status != BSN_OK;
        seen[text.status]++;
        free(block);
    }
    ck_assert_uint_ge(structure_faults, ROUNDS / 2);
    ck_assert_uint_ge(seen[BSN_OK], ROUNDS / 50);
    for (int status = BSN_E_SHORT; status <= BSN_E_DEPTH; status++) {
        ck_assert_msg(status == BSN_E_TRAILING || seen[status] >= ROUNDS / 2000,
                      "%s: seen %zu times", bsn_status_text((bsn_status)status), seen[status]);
    }
}
END_TEST

Suite *mutants_suite(void)
{
    Suite *suite = suite_create("mutants");
    TCase *tests = tcase_create("mutants");
    tcase_add_test(tests, sound_documents_are_sound_to_everyone);
    tcase_add_test(tests, damaged_documents_get_one_verdict_from_everyone);
    tcase_set_timeout(tests, 240);
    suite_add_tcase(suite, tests);
    return suite;
}
