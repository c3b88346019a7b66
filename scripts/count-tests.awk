# SPDX-License-Identifier: Apache-2.0
#
# count-tests.awk -- reads the log of `ctest --verbose`, prints "passed failed skipped preset:test" for each ctest test.
#
# A suite of Check counts by its own summary line; a test that printed "skipped: .." is skipped, not passed. Whatever
# has no summary line counts as one test. A suite whose process failed although no test of it did (a leak found at its
# end, a crash) has one failure more.

match($0, /^[0-9]+: [0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+/) {
    split($0, part, /[:,] */)
    number = part[1]
    checks[number] += part[4]
    failures[number] += part[6] + part[8]
    next
}
match($0, /^[0-9]+: skipped: /) {
    skips[substr($0, 1, index($0, ":") - 1)]++
    next
}
match($0, /Test +#[0-9]+: [^ ]+/) {
    split(substr($0, RSTART, RLENGTH), part, /[#: ]+/)
    number = part[2]
    name = part[3]
    ok = ($0 ~ / Passed /)
    whole_skipped = ($0 ~ /\*\*\*Skipped/)
    if (number in checks) {
        failed = failures[number]
        if (!ok && failed == 0) failed = 1
        skipped = skips[number] + 0
        passed = checks[number] - failures[number] - skipped
    } else {
        passed = ok
        skipped = whole_skipped
        failed = !ok && !whole_skipped
        if (ok && skips[number]) { passed = 0; skipped = 1 }
    }
    printf "%d %d %d %s:%s\n", passed, failed, skipped, preset, name
}
