/* SPDX-License-Identifier: Apache-2.0
 *
 * array_index.h -- the names of array items, "0", "1", .. one after another.
 *
 * Up to 8 digits the next index is kept as the text that is written, in one word ("41" is 0x3134 on every machine): adding 1 to a
 * text is an addition nine times out of ten, and a word written a moment ago is read back whole. From 10^8 on digit_count is 0 and
 * the index a number, turned into text for each item.
 */
#ifndef BSNI_ARRAY_INDEX_H
#define BSNI_ARRAY_INDEX_H

#include <bsonic/base.h>
#include <bsonic/detail/le.h>

/* What the index and digit_count of a new array are. */
enum { BSNI_INDEX_FIRST = '0', BSNI_INDEX_FIRST_DIGITS = 1 };

/* Digits of an index that is text, and the first that is not. */
enum { BSNI_INDEX_DIGITS_MAX = 8, BSNI_INDEX_LONG_FIRST = 100000000 };

#if defined(__GNUC__)
#define BSNI_INDEX_OUT_OF_LINE __attribute__((noinline, unused))
#else
#define BSNI_INDEX_OUT_OF_LINE
#endif

/* Room for the text of an index beyond 8 digits: with more than these the document would long be over 2^31 bytes. */
enum { BSNI_INDEX_TEXT_MAX = 10 };

/* The index after one of up to 8 digits that ends in 9. Here, and not inline: a compiler that sees it knows which registers it
 * leaves alone, and callers save none. */
BSNI_INDEX_OUT_OF_LINE static void bsni_index_carry(uint64_t *index, uint8_t *digit_count)
{
    uint8_t digits[BSNI_INDEX_DIGITS_MAX + 1];
    size_t i = *digit_count;
    bsn_store_u64(digits, *index);
    while (i > 0 && digits[i - 1] == '9') digits[--i] = '0';
    if (i > 0) {
        digits[i - 1]++;
    } else if (*digit_count < BSNI_INDEX_DIGITS_MAX) {
        digits[0] = '1';
        digits[(*digit_count)++] = '0';
    } else {
        *digit_count = 0;
        *index = BSNI_INDEX_LONG_FIRST;
        return;
    }
    *index = bsn_load_u64(digits);
}

/* The text of an index that is a number; returns its length. */
size_t bsni_index_text(uint64_t index, uint8_t text[BSNI_INDEX_TEXT_MAX]);

/* Writes an index of up to 8 digits and 0x00 to `to`, which has room for 9 bytes; returns what comes behind. */
static inline uint8_t *bsni_index_put(uint64_t index, uint8_t digit_count, uint8_t *to)
{
    bsn_store_u64(to, index);
    to[digit_count] = 0;
    return to + digit_count + 1;
}

/* Makes the next one of an index of up to 8 digits, unless that takes a carry: false. */
static inline bool bsni_index_next(uint64_t *index, uint8_t digit_count)
{
    const unsigned shift = 8 * (digit_count - 1u);
    if (BSN_UNLIKELY((*index >> shift & 0xFF) == '9')) return false;
    *index += (uint64_t)1 << shift;
    return true;
}

#endif
