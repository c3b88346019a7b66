/* SPDX-License-Identifier: Apache-2.0
 *
 * test_escape_words.c -- test_escape.c again, with the inline part built for machines without short vectors.
 */
#ifndef BSNI_SHORT_WORDS
#define BSNI_SHORT_WORDS
#endif
#define escape_suite escape_words_suite
#include "json/test_escape.c"
