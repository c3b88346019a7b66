/* SPDX-License-Identifier: Apache-2.0
 *
 * test_corpus.c -- the public BSON corpus: every sound document passes at every level, every unsound one is refused, by the
 * walk too unless only its text is at fault.
 */
#include "suites.h"

#include "corpus/corpus.h"
#include "support/exact_copy.h"
#include "support/full_walk.h"
#include "support/skip.h"

#include <bsonic/validate.h>

#include <string.h>

static const bsn_level levels[] = {BSN_LEVEL_FRAME, BSN_LEVEL_STRUCTURE, BSN_LEVEL_UTF8};

static bsn_status validate_at(bsn_bytes bytes, bsn_level level, bsn_error *err)
{
    const bsn_validate_options options = {.level = level};
    return bsn_validate(bytes, &options, NULL, err);
}

static void check_sound(const corpus_valid *row, bsn_bytes bytes)
{
    if (bytes.ptr == NULL) return;
    uint8_t *block = exact_copy(bytes.ptr, bytes.len);
    const bsn_bytes copy = {block, bytes.len};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        ck_assert_msg(validate_at(copy, levels[i], NULL) == BSN_OK, "%s: %s: refused at level %d",
                      row->file, row->description, (int)levels[i]);
    }
    for (int way = 0; way < FULL_WALK_WAYS; way++) {
        const bsn_status status =
            full_walk_bytes(copy, (full_walk_way)way, BSN_DEPTH_DEFAULT, NULL);
        ck_assert_msg(status == BSN_OK, "%s: %s: walk %d: %s", row->file, row->description, way,
                      bsn_status_text(status));
    }
    free(block);
}

START_TEST(sound_documents_pass_at_every_level)
{
    if (!corpus_present) {
        test_skip("sound_documents_pass_at_every_level", "no corpus");
        return;
    }
    ck_assert_uint_ge(corpus_valid_count, 700);
    for (size_t i = 0; i < corpus_valid_count; i++) {
        check_sound(&corpus_valids[i], corpus_valids[i].canonical_bson);
        check_sound(&corpus_valids[i], corpus_valids[i].degenerate_bson);
        check_sound(&corpus_valids[i], corpus_valids[i].converted_bson);
    }
}
END_TEST

/* Refused by validate(utf8) always; walk and validate(structure) agree in everything, and pass only what is at fault in its
 * text alone. Returns whether that was so. */
static bool check_unsound(const corpus_decode_error *row)
{
    uint8_t *block = exact_copy(row->bson.ptr, row->bson.len);
    const bsn_bytes copy = {block, row->bson.len};
    bsn_error full = {0}, structure = {0};
    const bsn_status full_status = validate_at(copy, BSN_LEVEL_UTF8, &full);
    const bsn_status structure_status = validate_at(copy, BSN_LEVEL_STRUCTURE, &structure);
    ck_assert_msg(full_status != BSN_OK, "%s: %s: accepted", row->file, row->description);
    ck_assert_msg(structure_status != BSN_OK || full_status == BSN_E_UTF8,
                  "%s: %s: structure accepted, but %s", row->file, row->description,
                  bsn_status_text(full_status));
    ck_assert_uint_lt(full.offset, copy.len == 0 ? 1 : copy.len);
    for (int way = 0; way < FULL_WALK_WAYS; way++) {
        bsn_error walk = {0};
        const bsn_status status =
            full_walk_bytes(copy, (full_walk_way)way, BSN_DEPTH_DEFAULT, &walk);
        ck_assert_msg(status == structure_status && walk.offset == structure.offset,
                      "%s: %s: walk %d: %s at %u, validate: %s at %u", row->file, row->description,
                      way, bsn_status_text(status), (unsigned)walk.offset,
                      bsn_status_text(structure_status), (unsigned)structure.offset);
    }
    free(block);
    return structure_status == BSN_OK;
}

START_TEST(unsound_documents_are_refused)
{
    if (!corpus_present) {
        test_skip("unsound_documents_are_refused", "no corpus");
        return;
    }
    size_t text_only = 0;
    ck_assert_uint_ge(corpus_decode_error_count, 70);
    for (size_t i = 0; i < corpus_decode_error_count; i++) {
        const corpus_decode_error *row = &corpus_decode_errors[i];
        if (!check_unsound(row)) continue;
        text_only++;
        ck_assert_msg(strstr(row->description, "UTF-8") != NULL, "%s: %s", row->file,
                      row->description);
    }
    ck_assert_uint_ge(text_only, 4);
}
END_TEST

Suite *corpus_suite(void)
{
    Suite *suite = suite_create("corpus");
    TCase *tests = tcase_create("corpus");
    tcase_add_test(tests, sound_documents_pass_at_every_level);
    tcase_add_test(tests, unsound_documents_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
