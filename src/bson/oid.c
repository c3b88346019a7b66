/* SPDX-License-Identifier: Apache-2.0
 *
 * oid.c -- ObjectIds as text and back, and the time in them.
 */
#include <bsonic/types.h>

#include "base/hex.h"

#include <bsonic/detail/le.h>

#define WORD_BYTES 4
#define WORD_DIGITS 8
#define WORDS 3

void bsn_oid_to_text(const bsn_oid *oid, char text[BSN_OID_TEXT_LEN])
{
    for (size_t i = 0; i < WORDS; i++) {
        const uint32_t bytes = bsn_load_u32(oid->bytes + WORD_BYTES * i);
        bsn_store_u64((uint8_t *)text + WORD_DIGITS * i, bsni_hex_from_bytes(bytes));
    }
}

bool bsn_oid_from_text(bsn_str text, bsn_oid *oid)
{
    if (text.len != BSN_OID_TEXT_LEN) return false;
    bsn_oid read;
    for (size_t i = 0; i < WORDS; i++) {
        uint32_t bytes;
        const uint64_t digits = bsn_load_u64((const uint8_t *)text.ptr + WORD_DIGITS * i);
        if (!bsni_hex_to_bytes(digits, &bytes)) return false;
        bsn_store_u32(read.bytes + WORD_BYTES * i, bytes);
    }
    *oid = read;
    return true;
}

uint32_t bsn_oid_seconds(const bsn_oid *oid)
{
    return bsn_swap32(bsn_load_u32(oid->bytes)); /* big-endian */
}
