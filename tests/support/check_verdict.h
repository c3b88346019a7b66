/* SPDX-License-Identifier: Apache-2.0
 *
 * check_verdict.h -- what walks and validation say of bytes, and the comparison of two such sayings.
 */
#ifndef TESTS_SUPPORT_CHECK_VERDICT_H
#define TESTS_SUPPORT_CHECK_VERDICT_H

#include "support/full_walk.h"
#include "support/oracle.h"

#include <bsonic/validate.h>

#include <check.h>

static inline verdict verdict_of(bsn_status status, const bsn_error *err)
{
    const verdict said = {status, status == BSN_OK ? 0 : (size_t)err->offset};
    return said;
}

static inline verdict verdict_of_walk(bsn_bytes bytes, full_walk_way way, size_t depth_max)
{
    bsn_error err = {.status = BSN_OK};
    const bsn_status status = full_walk_bytes(bytes, way, (uint16_t)depth_max, &err);
    if (status != err.status) ck_abort_msg("the status is not the error's");
    return verdict_of(status, &err);
}

static inline verdict verdict_of_validation(bsn_bytes bytes, bsn_level level, size_t depth_max)
{
    const bsn_validate_options options = {.level = level, .depth_max = (uint32_t)depth_max};
    bsn_error err = {.status = BSN_OK};
    const bsn_status status = bsn_validate(bytes, &options, NULL, &err);
    if (status != err.status) ck_abort_msg("the status is not the error's");
    return verdict_of(status, &err);
}

static inline bool verdict_equal(verdict a, verdict b)
{
    return a.status == b.status && a.offset == b.offset;
}

/* `what` and `who` tell which of many comparisons failed. */
static inline void check_verdict(verdict said, verdict expected, const char *what, const char *who)
{
    if (verdict_equal(said, expected)) return;
    ck_abort_msg("%s: %s says \"%s\" at %zu, not \"%s\" at %zu", what, who,
                 bsn_status_text(said.status), said.offset, bsn_status_text(expected.status),
                 expected.offset);
}

#endif
