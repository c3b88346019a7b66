/* SPDX-License-Identifier: Apache-2.0
 *
 * key.c -- keys that are made once (put.h).
 */
#include <bsonic/put.h>

#include "simd/simd.h"

bsn_status bsn_key_make(bsn_str text, bsn_key *key)
{
    if (text.len > BSN_KEY_LEN_MAX) return BSN_E_SIZE;
    if (bsni_cstring((const uint8_t *)text.ptr, text.len) != text.len) return BSN_E_KEY_NUL;
    memset(key, 0, sizeof *key);
    if (text.len != 0) memcpy(key->text, text.ptr, text.len);
    key->len = (uint32_t)text.len;
    return BSN_OK;
}
