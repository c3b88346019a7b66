/* SPDX-License-Identifier: Apache-2.0
 *
 * main_afl.c -- runs a fuzz target under AFL++ in persistent mode: one process takes input after input out of shared memory,
 * and is forked anew after ROUNDS of them. The fork happens when everything is loaded, so that a new process costs little.
 */
#include "support.h"

#include <unistd.h>

enum { ROUNDS = 10000 };

__AFL_FUZZ_INIT();

int main(void)
{
    __AFL_INIT();
    const uint8_t *const data = __AFL_FUZZ_TESTCASE_BUF; /* may not be asked for before the fork */
    while (__AFL_LOOP(ROUNDS)) {
        const size_t size = (size_t)__AFL_FUZZ_TESTCASE_LEN;
        (void)LLVMFuzzerTestOneInput(data, size);
    }
    return 0;
}
