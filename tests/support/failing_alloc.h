/* SPDX-License-Identifier: Apache-2.0
 *
 * failing_alloc.h -- a bsn_alloc that refuses the Nth request for memory and every later one, over a counting_alloc.
 *
 * A test runs its work with the 1st, 2nd, .. request refused until it comes through untouched; each time the status must be
 * BSN_E_NOMEM, nothing may leak, and nothing may crash:
 *
 *   failing_alloc failing;
 *   failing_alloc_init(&failing);
 *   do {
 *       status = work(&failing.alloc);
 *       ck_assert_int_eq(status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
 *   } while (failing_alloc_again(&failing));     also fails the test if something leaked
 */
#ifndef TESTS_SUPPORT_FAILING_ALLOC_H
#define TESTS_SUPPORT_FAILING_ALLOC_H

#include "support/counting_alloc.h"

typedef struct failing_alloc {
    bsn_alloc alloc; /* what the code under test gets */
    counting_alloc counter;
    size_t fail_at;  /* the request that is refused first, from 1 */
    bool once;       /* and it alone: the later ones are granted */
    size_t requests; /* requests for memory in this round */
} failing_alloc;

/* The first round refuses the first request. */
void failing_alloc_init(failing_alloc *failing);

/* True when a request was refused in this round. */
bool failing_alloc_refused(const failing_alloc *failing);

/* Ends a round: fails the running test if a block is still out. True, with one request more allowed, if a request was refused;
 * false when the work came through. */
bool failing_alloc_again(failing_alloc *failing);

#endif
