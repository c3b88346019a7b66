/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_bson_verdicts.c -- property: there is one verdict on any bytes, and one place, in every tier.
 *   - a walk that enters every container, by each way to step, finds what bsn_validate finds at BSN_LEVEL_STRUCTURE, and all
 *     ways see the same keys and values
 *   - printing in any form and shape finds what bsn_validate finds at BSN_LEVEL_UTF8 (at BSN_LEVEL_STRUCTURE where text that is
 *     not UTF-8 is replaced or escaped), and leaves no output behind on a fault; else it is sound JSON (but for the shell's),
 *     the same text in every tier, and when it leaves the output while it is still being printed
 *   - the path of the place where a fault is fits what it says of its own length
 *
 * The last byte of the input is the depth limit minus 1.
 */
#include "support.h"

#include "simd/dispatch.h"
#include "support/full_walk.h"
#include "support/json_text.h"

#include <bsonic/bsonic.h>

/* The ways to print. */
enum { PRINT_COUNT = 7 };
static const bsn_json_options prints[PRINT_COUNT] = {
    {.form = BSN_JSON_RELAXED},
    {.form = BSN_JSON_CANONICAL},
    {.form = BSN_JSON_SAFE},
    {.form = BSN_JSON_LEGACY, .indent = 1},
    {.form = BSN_JSON_SHELL, .indent = BSN_JSON_INDENT_TAB},
    {.form = BSN_JSON_RELAXED, .utf8 = BSN_JSON_UTF8_REPLACE},
    {.form = BSN_JSON_CANONICAL, .utf8 = BSN_JSON_UTF8_ESCAPE, .indent = 2},
};

/* What is found on the first tier, and must be on the others. */
typedef struct findings {
    bsn_error structure;
    bsn_error utf8;
    uint64_t sight; /* of the walk */
    bsn_buf texts[PRINT_COUNT];
} findings;

static bool same_error(const bsn_error *a, const bsn_error *b)
{
    return a->status == b->status && (a->status == BSN_OK || a->offset == b->offset);
}

static bsn_error validate(bsn_bytes bytes, bsn_level level, uint16_t depth_max)
{
    const bsn_validate_options options = {.level = level, .depth_max = depth_max};
    bsn_valid_doc valid = {.level = 0};
    bsn_error err = {0};
    const bsn_status status = bsn_validate(bytes, &options, &valid, &err);
    MUST(status == BSN_OK || err.status == status);
    MUST((status == BSN_OK) == (valid.level == level));
    MUST(status != BSN_OK || (valid.doc.ptr == bytes.ptr && valid.doc.len == bytes.len));
    err.status = status;
    return err;
}

/* A digest of what was seen, the same for every way. */
static uint64_t check_walks(bsn_bytes bytes, uint16_t depth_max, const bsn_error *wanted)
{
    uint64_t first = 0;
    bsn_doc doc;
    for (int way = 0; way < FULL_WALK_WAYS; way++) {
        bsn_error err = {0};
        err.status = full_walk_bytes(bytes, (full_walk_way)way, depth_max, &err);
        MUST(same_error(wanted, &err));
        if (bsn_doc_open(bytes, &doc, NULL) != BSN_OK) continue;
        uint64_t sight = 0;
        MUST(full_walk(doc, (full_walk_way)way, depth_max, &sight, NULL) == wanted->status);
        MUST(way == 0 || sight == first);
        first = sight;
    }
    return first;
}

static void print(bsn_bytes bytes, bsn_json_options options, const bsn_error *wanted, bsn_buf *buf)
{
    bsn_buf_init(buf, NULL);
    bsn_doc doc;
    if (bsn_doc_open(bytes, &doc, NULL) != BSN_OK) return;
    bsn_error err = {0};
    bsn_out out;
    bsn_out_init_buf(&out, buf);
    err.status = bsn_json_print(doc, &options, &out, &err);
    MUST(same_error(wanted, &err));
    MUST((err.status == BSN_OK) == (bsn_out_len(&out) != 0));
    bsn_out_free(&out);
}

/* Takes all that waits in the output to the end of a bsn_buf. */
static bsn_status drain(void *ctx, bsn_out *out, bsn_error *err)
{
    bsn_buf *text = ctx;
    bsn_iovec piece;
    (void)err;
    while (bsn_out_iovecs(out, &piece, 1) > 0) {
        const bsn_bytes bytes = {piece.ptr, piece.len};
        MUST(bsn_buf_append(text, bytes) == BSN_OK);
        bsn_out_sent(out, piece.len);
    }
    return BSN_OK;
}

/* The same text through little memory; of a fault nothing has been drained. */
static void check_drained(bsn_bytes bytes, bsn_json_options options, const bsn_error *wanted,
                          const bsn_buf *wanted_text)
{
    bsn_doc doc;
    if (bsn_doc_open(bytes, &doc, NULL) != BSN_OK) return;
    bsn_buf text;
    bsn_pool pool;
    bsn_out out;
    bsn_error err = {0};
    bsn_buf_init(&text, NULL);
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, BSN_POOL_SIZE_MIN);
    options.drain = drain;
    options.drain_ctx = &text;
    options.drain_min = 1;
    err.status = bsn_json_print(doc, &options, &out, &err);
    MUST(same_error(wanted, &err));
    MUST(err.status == BSN_OK || text.len == 0);
    MUST(drain(&text, &out, NULL) == BSN_OK);
    MUST(bsn_bytes_equal(bsn_buf_view(&text), bsn_buf_view(wanted_text)));
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    bsn_buf_free(&text);
}

/* The verdict on the way to print. */
static const bsn_error *wanted_of(const findings *found, size_t i)
{
    return prints[i].utf8 == BSN_JSON_UTF8_ERROR ? &found->utf8 : &found->structure;
}

static findings find(bsn_bytes bytes, uint16_t depth_max)
{
    findings found = {
        .structure = validate(bytes, BSN_LEVEL_STRUCTURE, depth_max),
        .utf8 = validate(bytes, BSN_LEVEL_UTF8, depth_max),
    };
    /* Text is looked at on the same way: it can only bring a fault forward. */
    MUST(found.structure.status == BSN_OK || found.utf8.status != BSN_OK);
    MUST(found.structure.status == BSN_OK || found.utf8.offset <= found.structure.offset);
    found.sight = check_walks(bytes, depth_max, &found.structure);
    for (size_t i = 0; i < PRINT_COUNT; i++) {
        const bsn_error *wanted = wanted_of(&found, i);
        bsn_json_options options = prints[i];
        options.depth_max = depth_max;
        print(bytes, options, wanted, &found.texts[i]);
        check_drained(bytes, options, wanted, &found.texts[i]);
    }
    return found;
}

static void check_same(const findings *a, const findings *b)
{
    MUST(same_error(&a->structure, &b->structure));
    MUST(same_error(&a->utf8, &b->utf8));
    MUST(a->sight == b->sight);
    for (size_t i = 0; i < PRINT_COUNT; i++) {
        MUST(bsn_bytes_equal(bsn_buf_view(&a->texts[i]), bsn_buf_view(&b->texts[i])));
    }
}

static void check_texts(const findings *found)
{
    for (size_t i = 0; i < PRINT_COUNT; i++) {
        if (prints[i].form == BSN_JSON_SHELL || wanted_of(found, i)->status != BSN_OK) continue;
        const bsn_str text = {(const char *)found->texts[i].ptr, found->texts[i].len};
        MUST(json_is_sound(text, NULL));
    }
}

static void check_path(bsn_bytes bytes, uint64_t offset, size_t room)
{
    char *part = malloc(room);
    MUST(part != NULL);
    const size_t len = bsn_path_at(bytes, (size_t)offset, part, room);
    char *whole = malloc(len + 1);
    MUST(whole != NULL);
    MUST(bsn_path_at(bytes, (size_t)offset, whole, len) == len);
    MUST(memcmp(part, whole, len < room ? len : room) == 0);
    MUST(bsn_path_at(bytes, (size_t)offset, NULL, 0) == len);
    MUST(bsn_path_at(bytes, bytes.len, NULL, 0) == 0);
    MUST(bsn_path_at(bytes, SIZE_MAX - (size_t)offset, NULL, 0) == 0);
    free(whole);
    free(part);
}

static void findings_free(findings *found)
{
    for (size_t i = 0; i < PRINT_COUNT; i++) bsn_buf_free(&found->texts[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input;
    if (!fuzz_input_open(&input, data, size, 1)) return 0;
    const uint16_t depth_max = (uint16_t)(input.options[0] % BSN_DEPTH_DEFAULT + 1);
    MUST(bsni_tier_force(bsni_tier_scalar.tier));
    findings plain = find(input.bytes, depth_max);
    check_texts(&plain);
    for (size_t i = 0; i < bsni_tier_count; i++) {
        if (!bsni_tiers[i].runs() || bsni_tiers[i].kernels == &bsni_tier_scalar) continue;
        MUST(bsni_tier_force(bsni_tiers[i].kernels->tier));
        findings found = find(input.bytes, depth_max);
        check_same(&plain, &found);
        check_path(input.bytes, found.utf8.offset, (size_t)input.options[0] + 1);
        check_path(input.bytes, found.structure.offset, (size_t)input.options[0] + 1);
        findings_free(&found);
    }
    findings_free(&plain);
    fuzz_input_close(&input);
    return 0;
}
