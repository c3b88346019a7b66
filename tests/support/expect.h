/* SPDX-License-Identifier: Apache-2.0
 *
 * expect.h -- an assertion for the inside of long loops. Check's own write a mark to a file each time they hold, which costs
 * more than what is tested.
 */
#ifndef TESTS_SUPPORT_EXPECT_H
#define TESTS_SUPPORT_EXPECT_H

#include <check.h>

/* Fails the running test, with a printf-like message, unless the condition holds. */
#define EXPECT(condition, ...)                       \
    do {                                             \
        if (!(condition)) ck_abort_msg(__VA_ARGS__); \
    } while (0)

#endif
