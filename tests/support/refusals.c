/* SPDX-License-Identifier: Apache-2.0
 *
 * refusals.c -- see refusals.h.
 */
#include "support/refusals.h"

#include "support/failing_alloc.h"

#include <check.h>

static void try_all(const refusal_row *row, bool once)
{
    failing_alloc failing;
    size_t rounds = 0;
    failing_alloc_init(&failing);
    failing.once = once;
    do {
        const bsn_status status = row->work(&failing.alloc);
        const bool refused = failing_alloc_refused(&failing);
        const bool made_up_for = refused && row->copes && status == BSN_OK;
        const bsn_status wanted = refused && !made_up_for ? BSN_E_NOMEM : BSN_OK;
        ck_assert_msg(status == wanted, "%s, request %zu refused%s: %s", row->entries,
                      failing.fail_at, once ? " alone" : "", bsn_status_text(status));
        ck_assert_msg(failing.counter.blocks_out == 0, "%s, request %zu refused%s: %zu blocks left",
                      row->entries, failing.fail_at, once ? " alone" : "",
                      failing.counter.blocks_out);
        rounds++;
    } while (failing_alloc_again(&failing));
    ck_assert_msg(rounds > 1, "%s asks for no memory", row->entries);
}

void refusals_try(const refusal_row *row)
{
    try_all(row, false);
    try_all(row, true);
}
