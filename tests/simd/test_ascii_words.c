/* SPDX-License-Identifier: Apache-2.0
 *
 * test_ascii_words.c -- test_ascii.c again, with the inline part built for machines without short vectors.
 */
#ifndef BSNI_SHORT_WORDS
#define BSNI_SHORT_WORDS
#endif
#define ascii_suite ascii_words_suite
#include "simd/test_ascii.c"
