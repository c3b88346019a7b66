/* SPDX-License-Identifier: Apache-2.0
 *
 * partial.h -- less than a word: 0 to 7 bytes as the low end of a word, without reading a byte beside them and without a loop.
 */
#ifndef BSNI_PARTIAL_H
#define BSNI_PARTIAL_H

#include <bsonic/detail/le.h>

#include <stddef.h>
#include <stdint.h>

/* p[0..n) with the first byte lowest and zeros above, n < 8. Two loads overlap from 4 bytes on; below that the first, the middle
 * and the last byte are all there are. */
static inline uint64_t bsni_load_partial(const uint8_t *p, size_t n)
{
    if (n >= 4) return bsn_load_u32(p) | (uint64_t)bsn_load_u32(p + n - 4) << (8 * (n - 4));
    if (n == 0) return 0;
    return p[0] | (uint64_t)p[n / 2] << (8 * (n / 2)) | (uint64_t)p[n - 1] << (8 * (n - 1));
}

#endif
