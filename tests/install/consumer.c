/* SPDX-License-Identifier: Apache-2.0
 *
 * consumer.c -- the smallest program over an installed bsonic.
 */
#include <bsonic/base.h>
#include <bsonic/types.h>

#include <string.h>

int main(void)
{
    const bool named = strcmp(bsn_type_name(BSN_TYPE_OID), "objectId") == 0;
    const bool told_apart = bsn_status_text(BSN_OK) != bsn_status_text(BSN_E_UTF8);
    return named && told_apart ? 0 : 1;
}
