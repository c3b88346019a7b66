/* SPDX-License-Identifier: Apache-2.0
 *
 * number_check.h -- a text read as a double in every way there is, each held against what it should be.
 */
#ifndef TESTS_SUPPORT_NUMBER_CHECK_H
#define TESTS_SUPPORT_NUMBER_CHECK_H

#include "support/expect.h"
#include "support/number_plain.h"

#include <math.h>
#include <string.h>

static inline uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Fails unless `text` reads as `value`, in both builds; infinity stands for BSN_E_RANGE. */
static inline void check_reads(bsn_str text, double value)
{
    const bsn_status status = isinf(value) ? BSN_E_RANGE : BSN_OK;
    const uint64_t bits = bits_of_double(value);
    double read = value;
    double plain = value;
    EXPECT(bsni_double_from_text(text, &read) == status, "%.*s: status", (int)text.len, text.ptr);
    EXPECT(plain_double_from_text(text, &plain) == status, "%.*s: plain status", (int)text.len,
           text.ptr);
    EXPECT(bits_of_double(read) == bits, "%.*s: %a, not %a", (int)text.len, text.ptr, read, value);
    EXPECT(bits_of_double(plain) == bits, "%.*s: plain %a, not %a", (int)text.len, text.ptr, plain,
           value);

    bsni_number number;
    const bsn_status taken = bsni_number_take(text, &number);
    EXPECT(number.len == text.len, "%.*s: length %zu", (int)text.len, text.ptr, number.len);
    if (number.kind == BSNI_NUMBER_INT32 || number.kind == BSNI_NUMBER_INT64) return;
    EXPECT(taken == status && bits_of_double(number.real) == bits, "%.*s: taken as %a",
           (int)text.len, text.ptr, number.real);
}

#endif
