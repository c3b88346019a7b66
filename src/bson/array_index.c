/* SPDX-License-Identifier: Apache-2.0
 *
 * array_index.c -- see array_index.h.
 */
#include "bson/array_index.h"

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
