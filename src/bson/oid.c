/* SPDX-License-Identifier: Apache-2.0
 *
 * oid.c -- ObjectIds: making them, as text and back, and the time in them.
 */
#include <bsonic/types.h>

#include "simd/simd.h"

#include <bsonic/detail/le.h>

#include <string.h>

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

void bsn_oid_source_init(bsn_oid_source *source, const uint8_t entropy[BSN_OID_ENTROPY_LEN])
{
    memcpy(source->random, entropy, sizeof source->random);
    source->counter = (uint32_t)entropy[5] << 16 | (uint32_t)entropy[6] << 8 | entropy[7];
}

void bsn_oid_make(bsn_oid_source *source, uint32_t seconds, bsn_oid *oid)
{
    const uint32_t count = source->counter;
    source->counter = (count + 1) & 0xFFFFFF;
    bsn_store_u32(oid->bytes, bsn_swap32(seconds));
    memcpy(oid->bytes + 4, source->random, sizeof source->random);
    oid->bytes[9] = (uint8_t)(count >> 16);
    oid->bytes[10] = (uint8_t)(count >> 8);
    oid->bytes[11] = (uint8_t)count;
}
