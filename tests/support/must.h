/* SPDX-License-Identifier: Apache-2.0
 *
 * must.h -- MUST(condition): an assertion for code that tests and fuzz targets share, so that it needs nothing of Check. A
 * false condition names its place on stderr and stops the program; Check then reports the test as an error.
 */
#ifndef TESTS_SUPPORT_MUST_H
#define TESTS_SUPPORT_MUST_H

#include <stdio.h>
#include <stdlib.h>

#define MUST(condition) ((condition) ? (void)0 : must_stop(__FILE__, __LINE__, #condition))

static inline _Noreturn void must_stop(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

#endif
