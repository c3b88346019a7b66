/* SPDX-License-Identifier: Apache-2.0
 *
 * skip.h -- how a test says that it could not run: one line that scripts/test counts. A skipped test is not a passed one.
 */
#ifndef TESTS_SUPPORT_SKIP_H
#define TESTS_SUPPORT_SKIP_H

/* Prints "skipped: <test>: <why>". The test returns right after:
 *     if (!corpus_present) { test_skip(__func__, "no corpus"); return; } */
void test_skip(const char *test, const char *why);

#endif
