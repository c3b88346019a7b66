/* SPDX-License-Identifier: Apache-2.0
 *
 * checksum.c -- CRC-32C a byte at a time, over a table that the preprocessor makes of eight constants.
 *
 * A CRC is linear over exclusive or, so the table's entry for a byte is the sum of the entries for its bits. The entry for 0x80
 * is the reflected polynomial itself; each lower bit's is the one before it, stepped once more through the division:
 * c even: c >> 1, c odd: (c >> 1) ^ 82F63B78.
 */
#include <bsonic/wire.h>

#define BIT(byte, bit, entry) ((((byte) >> (bit)) & 1) != 0 ? (entry) : 0u)
#define ENTRY(byte)                                                                      \
    (BIT(byte, 7, 0x82F63B78u) ^ BIT(byte, 6, 0x417B1DBCu) ^ BIT(byte, 5, 0x20BD8EDEu) ^ \
     BIT(byte, 4, 0x105EC76Fu) ^ BIT(byte, 3, 0x8AD958CFu) ^ BIT(byte, 2, 0xC79A971Fu) ^ \
     BIT(byte, 1, 0xE13B70F7u) ^ BIT(byte, 0, 0xF26B8303u))
#define ENTRIES_4(byte) ENTRY(byte), ENTRY((byte) + 1), ENTRY((byte) + 2), ENTRY((byte) + 3)
#define ENTRIES_16(byte) \
    ENTRIES_4(byte), ENTRIES_4((byte) + 4), ENTRIES_4((byte) + 8), ENTRIES_4((byte) + 12)
#define ENTRIES_64(byte) \
    ENTRIES_16(byte), ENTRIES_16((byte) + 16), ENTRIES_16((byte) + 32), ENTRIES_16((byte) + 48)

static const uint32_t table[256] = {ENTRIES_64(0), ENTRIES_64(64), ENTRIES_64(128),
                                    ENTRIES_64(192)};

uint32_t bsn_crc32c(uint32_t crc, bsn_bytes bytes)
{
    crc = ~crc;
    for (size_t i = 0; i < bytes.len; i++) crc = (crc >> 8) ^ table[(crc ^ bytes.ptr[i]) & 0xFF];
    return ~crc;
}
