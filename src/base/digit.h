/* SPDX-License-Identifier: Apache-2.0
 *
 * digit.h -- whether a character is a decimal digit, in every locale.
 */
#ifndef BSNI_DIGIT_H
#define BSNI_DIGIT_H

#include <stdbool.h>

static inline bool bsni_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

#endif
