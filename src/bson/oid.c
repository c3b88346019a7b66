/* SPDX-License-Identifier: Apache-2.0
 *
 * oid.c -- ObjectIds as text and back, and the time in them.
 */
#include <bsonic/types.h>

#include "simd/simd.h"

#include <bsonic/detail/le.h>

void bsn_oid_to_text(const bsn_oid *oid, char text[BSN_OID_TEXT_LEN])
{
    bsni_hex_encode(oid->bytes, sizeof oid->bytes, (uint8_t *)text);
}

bool bsn_oid_from_text(bsn_str text, bsn_oid *oid)
{
    bsn_oid read;
    if (text.len != BSN_OID_TEXT_LEN) return false;
    if (!bsni_hex_decode((const uint8_t *)text.ptr, sizeof read.bytes, read.bytes)) return false;
    *oid = read;
    return true;
}

uint32_t bsn_oid_seconds(const bsn_oid *oid)
{
    return bsn_swap32(bsn_load_u32(oid->bytes)); /* big-endian */
}
