/* SPDX-License-Identifier: Apache-2.0
 *
 * skip.c -- see skip.h.
 */
#include "support/skip.h"

#include <stdio.h>

/* Flushed at once: Check may run the test in a child process, whose line must not be lost or mixed. */
void test_skip(const char *test, const char *why)
{
    printf("skipped: %s: %s\n", test, why);
    fflush(stdout);
}
