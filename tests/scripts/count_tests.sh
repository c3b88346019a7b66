#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/scripts/count_tests.sh
#
# scripts/count-tests.awk on a log that holds each kind of outcome once: what it counts is what CI reports.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

found=$(awk -v preset=p -f scripts/count-tests.awk <<'LOG'
test 1
1: Running suite(s): sound
1: 100%: Checks: 7, Failures: 0, Errors: 0
1/9 Test #1: sound ...........................   Passed    0.04 sec
2: 80%: Checks: 10, Failures: 1, Errors: 1
2: a.c:1:F:tcase:name:0: broken
2/9 Test #2: broken ..........................***Failed    0.04 sec
3: skipped: first: no corpus
3: skipped: second: no corpus
3: 100%: Checks: 5, Failures: 0, Errors: 0
3/9 Test #3: partly_skipped ..................   Passed    0.04 sec
4: 100%: Checks: 3, Failures: 0, Errors: 0
4: ERROR: LeakSanitizer: detected memory leaks
4/9 Test #4: leaks_at_the_end ................***Failed    0.04 sec
5: AddressSanitizer: heap-buffer-overflow
5/9 Test #5: crashes .........................***Exception: SegFault  0.04 sec
6/9 Test #6: plain ...........................   Passed    0.00 sec
7/9 Test #7: plain_skipped ...................***Skipped   0.00 sec
8/9 Test #8: plain_broken ....................***Failed    0.00 sec
9: 100%: Checks: 2, Failures: 0, Errors: 0
9/9 Test #9: hangs ...........................***Timeout 300.00 sec
LOG
)
wanted='7 0 0 p:sound
8 2 0 p:broken
3 0 2 p:partly_skipped
3 1 0 p:leaks_at_the_end
0 1 0 p:crashes
1 0 0 p:plain
0 0 1 p:plain_skipped
0 1 0 p:plain_broken
2 1 0 p:hangs'
diff <(echo "$wanted") <(echo "$found")
