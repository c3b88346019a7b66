/* SPDX-License-Identifier: Apache-2.0
 *
 * array_index.c -- the indexes that are no common case; see array_index.h.
 */
#include "bson/array_index.h"

enum { DIGITS_MAX = 8, LONG_ARRAY_FIRST = 100000000 }; /* the first index of 9 digits */

void bsni_index_carry(uint64_t *index, uint8_t *digit_count)
{
    uint8_t digits[DIGITS_MAX + 1];
    size_t i = *digit_count;
    bsn_store_u64(digits, *index);
    while (i > 0 && digits[i - 1] == '9') digits[--i] = '0';
    if (i > 0) {
        digits[i - 1]++;
    } else if (*digit_count < DIGITS_MAX) {
        digits[0] = '1';
        digits[(*digit_count)++] = '0';
    } else {
        *digit_count = 0;
        *index = LONG_ARRAY_FIRST;
        return;
    }
    *index = bsn_load_u64(digits);
}

size_t bsni_index_text(uint64_t index, uint8_t text[BSNI_INDEX_TEXT_MAX])
{
    uint8_t reversed[BSNI_INDEX_TEXT_MAX];
    size_t len = 0;
    do {
        reversed[len++] = (uint8_t)('0' + index % 10);
        index /= 10;
    } while (index != 0 && len < BSNI_INDEX_TEXT_MAX);
    for (size_t i = 0; i < len; i++) text[i] = reversed[len - 1 - i];
    return len;
}
