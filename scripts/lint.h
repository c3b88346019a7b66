/* SPDX-License-Identifier: Apache-2.0
 *
 * lint.h -- put in front of every file that scripts/lint looks at. clang's analyzer does not know that bsn_error_set, which it
 * sees only as a declaration, returns the status it is given, and would follow paths on which an error has been returned as
 * BSN_OK. Here it sees.
 */
#include <bsonic/base.h>

static inline bsn_status lint_error_set(bsn_error *err, bsn_status status, uint64_t offset, const char *detail)
{
    (void)bsn_error_set(err, status, offset, detail);
    return status;
}
#define bsn_error_set lint_error_set
