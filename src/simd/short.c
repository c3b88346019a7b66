/* SPDX-License-Identifier: Apache-2.0
 *
 * short.c -- what short.h keeps in memory.
 */
#include "simd/short.h"

#define FOUR(byte) byte, byte, byte, byte
#define WIDE(byte)                                                                          \
    {                                                                                       \
        FOUR(byte), FOUR(byte), FOUR(byte), FOUR(byte), FOUR(byte), FOUR(byte), FOUR(byte), \
            FOUR(byte)                                                                      \
    }

const uint8_t bsni_short_rules[3][32] = {WIDE(0x02), WIDE(0x20), WIDE('\\')};
