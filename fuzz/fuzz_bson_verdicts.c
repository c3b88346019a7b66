/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_bson_verdicts.c -- property: there is one verdict on any bytes, and one place.
 *   - a walk that enters every container, by each way to step, finds what bsn_validate finds at BSN_LEVEL_STRUCTURE
 *   - printing as Extended JSON finds what bsn_validate finds at BSN_LEVEL_UTF8, and leaves no output behind on a fault
 *
 * The last byte of the input is the depth limit minus 1.
 */
#include "support.h"

#include "support/full_walk.h"

#include <bsonic/bsonic.h>

static void check_same(bsn_status a, const bsn_error *a_err, bsn_status b, const bsn_error *b_err)
{
    MUST(a == b);
    MUST(a == BSN_OK || (a_err->status == a && b_err->status == b));
    MUST(a == BSN_OK || a_err->offset == b_err->offset);
}

static bsn_status validate(bsn_bytes bytes, bsn_level level, uint16_t depth_max, bsn_error *err)
{
    const bsn_validate_options options = {.level = level, .depth_max = depth_max};
    return bsn_validate(bytes, &options, NULL, err);
}

static void check_walks(bsn_bytes bytes, uint16_t depth_max)
{
    bsn_error wanted_err;
    const bsn_status wanted = validate(bytes, BSN_LEVEL_STRUCTURE, depth_max, &wanted_err);
    for (int way = 0; way < FULL_WALK_WAYS; way++) {
        bsn_error err;
        const bsn_status status = full_walk_bytes(bytes, (full_walk_way)way, depth_max, &err);
        check_same(wanted, &wanted_err, status, &err);
    }
}

static void check_print(bsn_bytes bytes, uint16_t depth_max, bsn_json_form form)
{
    bsn_doc doc;
    if (bsn_doc_open(bytes, &doc, NULL) != BSN_OK) return;
    bsn_error wanted_err;
    bsn_error err;
    const bsn_status wanted = validate(bytes, BSN_LEVEL_UTF8, depth_max, &wanted_err);
    const bsn_json_options options = {.form = form, .depth_max = depth_max};
    bsn_buf buf;
    bsn_buf_init(&buf, NULL);
    bsn_out out;
    bsn_out_init_buf(&out, &buf);
    const bsn_status status = bsn_json_print(doc, &options, &out, &err);
    check_same(wanted, &wanted_err, status, &err);
    MUST((status == BSN_OK) == (bsn_out_len(&out) != 0));
    bsn_out_free(&out);
    bsn_buf_free(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input;
    if (!fuzz_input_open(&input, data, size, 1)) return 0;
    const uint16_t depth_max = (uint16_t)(input.options[0] % BSN_DEPTH_DEFAULT + 1);
    check_walks(input.bytes, depth_max);
    check_print(input.bytes, depth_max, BSN_JSON_RELAXED);
    check_print(input.bytes, depth_max, BSN_JSON_CANONICAL);
    fuzz_input_close(&input);
    return 0;
}
