/* SPDX-License-Identifier: Apache-2.0
 *
 * whole.h -- a double as an integer, when it is one.
 */
#ifndef BSNI_WHOLE_H
#define BSNI_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

/* False, and *whole untouched, for fractions, NaN, infinities, and what is beyond int64. */
static inline bool bsni_whole_double(double number, int64_t *whole)
{
    /* 2^63 is a double, and the first one too large; NaN fails both comparisons. */
    if (!(number >= -0x1p63 && number < 0x1p63)) return false;
    const int64_t cut = (int64_t)number;
    if ((double)cut != number) return false;
    *whole = cut;
    return true;
}

#endif
