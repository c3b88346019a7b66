/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_validate.c -- structure and UTF-8 of whole documents; UTF-8 of long strings alone.
 *
 * libbson lets some damaged text and code with scope through: it is a measure of speed here, not of truth.
 */
#include "codec/rows.h"

#include <bson/bson.h>

#include <stdlib.h>

static uint64_t validate_ours(void *ctx)
{
    const bench_set *set = ctx;
    uint64_t sound = 0;
    for (size_t i = 0; i < set->count; i++)
        sound += bsn_validate(bsn_doc_bytes(set->docs[i]), NULL, NULL, NULL) == BSN_OK;
    return sound;
}

static uint64_t validate_libbson(void *ctx)
{
    const bench_set *set = ctx;
    uint64_t sound = 0;
    for (size_t i = 0; i < set->count; i++) {
        bson_t view;
        sound += bson_init_static(&view, set->docs[i].ptr, set->docs[i].len) &&
                 bson_validate(&view, BSON_VALIDATE_UTF8 | BSON_VALIDATE_UTF8_ALLOW_NULL, NULL);
    }
    return sound;
}

/* Both must find every document sound, not only as many as the other. */
static size_t check_sound(bench_set *set, size_t *bytes)
{
    if (validate_ours(set) != set->count || validate_libbson(set) != set->count)
        bench_fail(set, "a sound document was refused");
    *bytes = set->bytes.len;
    return set->elements;
}

const bench_job bench_validate = {
    .name = "validate", .prepare = check_sound, .ours = validate_ours, .theirs = validate_libbson};

/* ------------------------------------------------------------------ long strings */

typedef struct texts {
    size_t count;
    bsn_str all[];
} texts;

static bool is_ascii(bsn_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] > 0x7F) return false;
    }
    return true;
}

/* prepared: the set's strings, those of ASCII or the others. */
static size_t collect_texts(bench_set *set, bool ascii, size_t *bytes)
{
    texts *list = bench_alloc(1, sizeof *list + set->elements * sizeof(bsn_str));
    *bytes = 0;
    for (size_t i = 0; i < set->count; i++) {
        bsn_iter it;
        bsn_iter_init(&it, set->docs[i]);
        while (bsn_iter_next(&it)) {
            const bsn_value value = bsn_iter_value(&it);
            if (value.type != BSN_TYPE_STRING || is_ascii(value.as.str) != ascii) continue;
            list->all[list->count++] = value.as.str;
            *bytes += value.as.str.len;
        }
    }
    set->prepared = list;
    return list->count;
}

static size_t collect_ascii(bench_set *set, size_t *bytes)
{
    return collect_texts(set, true, bytes);
}

static size_t collect_other(bench_set *set, size_t *bytes)
{
    return collect_texts(set, false, bytes);
}

static void free_texts(bench_set *set)
{
    free(set->prepared);
}

static uint64_t utf8_ours(void *ctx)
{
    const texts *list = ((const bench_set *)ctx)->prepared;
    uint64_t sound = 0;
    for (size_t i = 0; i < list->count; i++) sound += bsn_utf8_valid(list->all[i], NULL);
    return sound == list->count ? sound : 0;
}

static uint64_t utf8_libbson(void *ctx)
{
    const texts *list = ((const bench_set *)ctx)->prepared;
    uint64_t sound = 0;
    for (size_t i = 0; i < list->count; i++)
        sound += bson_utf8_validate(list->all[i].ptr, list->all[i].len, true);
    return sound;
}

const bench_job bench_utf8_ascii = {.name = "utf8 ascii",
                                    .unit = "string",
                                    .prepare = collect_ascii,
                                    .release = free_texts,
                                    .ours = utf8_ours,
                                    .theirs = utf8_libbson,
                                    .whole = true};
const bench_job bench_utf8_other = {.name = "utf8 other",
                                    .unit = "string",
                                    .prepare = collect_other,
                                    .release = free_texts,
                                    .ours = utf8_ours,
                                    .theirs = utf8_libbson,
                                    .whole = true};
