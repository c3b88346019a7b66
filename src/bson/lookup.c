/* SPDX-License-Identifier: Apache-2.0
 *
 * lookup.c -- finding an element by its key. The first match wins.
 */
#include <bsonic/doc.h>

bsn_status bsn_find(bsn_doc doc, bsn_str key, bsn_iter *it, bsn_error *err)
{
    bsn_iter walk;
    bsn_iter_init(&walk, doc);
    while (bsn_iter_next(&walk)) {
        if (!bsn_iter_key_is(&walk, key)) continue;
        *it = walk;
        return BSN_OK;
    }
    const bsn_status status = bsn_iter_error(&walk, err);
    return status != BSN_OK ? status : bsn_error_set(err, BSN_E_NOT_FOUND, doc.len - 1, NULL);
}

bsn_status bsn_find_value(bsn_doc doc, bsn_str key, bsn_value *value, bsn_error *err)
{
    bsn_iter it;
    const bsn_status status = bsn_find(doc, key, &it, err);
    if (status == BSN_OK) *value = bsn_iter_value(&it);
    return status;
}
