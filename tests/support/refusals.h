/* SPDX-License-Identifier: Apache-2.0
 *
 * refusals.h -- every entry point that takes a bsn_alloc, with each of its requests for memory refused in turn. One table:
 *
 *   static bsn_status fill_a_buffer(const bsn_alloc *alloc);     goes through entry points once, and frees what it made
 *   static const refusal_row rows[] = {{"bsn_buf_append", fill_a_buffer}, ..};
 *   refusals_try(&rows[i]);
 *
 * Each row runs with the Nth request and all later ones refused, then with the Nth alone, for N = 1, 2, .. until the work comes
 * through without asking that often. The status must be BSN_E_NOMEM, nothing may leak; that the objects are as their headers say
 * (what was there stays there, or all of it is dead) the work itself asserts.
 */
#ifndef TESTS_SUPPORT_REFUSALS_H
#define TESTS_SUPPORT_REFUSALS_H

#include <bsonic/mem.h>

typedef struct refusal_row {
    const char *entries; /* that it goes through */
    bsn_status (*work)(const bsn_alloc *alloc);
    bool copes; /* some refusals may be made up for: BSN_OK with all that was asked for done */
} refusal_row;

/* Fails the running test with the row's name and N. */
void refusals_try(const refusal_row *row);

#endif
