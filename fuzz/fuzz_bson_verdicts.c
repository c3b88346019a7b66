/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_bson_verdicts.c -- property: there is one verdict on any bytes, and one place.
 *   - a walk that enters every container, by each way to step, finds what bsn_validate finds at BSN_LEVEL_STRUCTURE
 *
 * The last byte of the input is the depth limit minus 1.
 */
#include "support.h"

#include "support/full_walk.h"

#include <bsonic/validate.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input;
    if (!fuzz_input_open(&input, data, size, 1)) return 0;
    const uint16_t depth_max = (uint16_t)(input.options[0] % BSN_DEPTH_DEFAULT + 1);
    check_walks(input.bytes, depth_max);
    fuzz_input_close(&input);
    return 0;
}
