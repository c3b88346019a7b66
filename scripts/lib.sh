# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# lib.sh -- what the scripts share. A script sources it first, from anywhere:
#
#     source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
#     help_if_asked "$@"
#
# Afterwards the working directory is the root of the project. The comment at the top of a script is its --help.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export CTEST_PARALLEL_LEVEL="${CTEST_PARALLEL_LEVEL:-$(nproc)}"

say() { printf '%s\n' "$*"; }
note() { printf '%s\n' "$*" >&2; }
fail() {
    note "$(basename "$0"): $*"
    exit 1
}
usage_error() {
    note "$(basename "$0"): $*"
    note "try: scripts/$(basename "$0") --help"
    exit 2
}

# Prints the script's own opening comment, without the SPDX line, if an argument asks for help.
help_if_asked() {
    local argument
    for argument in "$@"; do
        case "$argument" in
        --help | -h)
            awk 'NR == 1 || /SPDX/ { next } /^#/ { sub(/^# ?/, ""); if (!started && $0 == "") next; started = 1; print; next } { exit }' "$0"
            exit 0
            ;;
        esac
    done
}

# ------------------------------------------------------------------ what is part of the project

# C files and headers of ours, by folder; nothing that a build made.
c_files() {
    local folder
    for folder in "${@:-include src tests examples bench fuzz}"; do
        # shellcheck disable=SC2086
        find $folder -type f \( -name '*.c' -o -name '*.h' \) 2>/dev/null
    done | sort
}

# ------------------------------------------------------------------ building

build_preset() {
    local preset=$1 log="build/$1.log"
    mkdir -p build
    shift
    if ! { cmake --preset "$preset" "$@" && cmake --build --preset "$preset"; } >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        return 1
    fi
}

# ------------------------------------------------------------------ counting

# The tally is a file with lines "passed failed skipped name": scripts that call each other share it through BSONIC_TALLY. Each
# judges by the lines that came since it opened it.
tally_open() {
    if [[ -z ${BSONIC_TALLY:-} ]]; then
        BSONIC_TALLY=$(mktemp)
        trap 'rm -f "$BSONIC_TALLY"' EXIT
        export BSONIC_TALLY
    fi
    tally_from=$(wc -l <"$BSONIC_TALLY")
}
tally_add() { printf '%s %s %s %s\n' "$1" "$2" "$3" "$4" >>"$BSONIC_TALLY"; }
tally_line() {
    awk -v from="$tally_from" 'NR > from { passed += $1; failed += $2; skipped += $3 }
         END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }' "$BSONIC_TALLY"
}
tally_failed() { awk -v from="$tally_from" 'NR > from { failed += $2 } END { exit failed == 0 }' "$BSONIC_TALLY"; }

# Runs the tests of a preset and adds one line for each suite to the tally.
test_preset() {
    local preset=$1 log="build/$1.tests.log"
    shift
    ctest --preset "$preset" --verbose --no-tests=error "$@" >"$log" 2>&1 || true
    awk -v preset="$preset" -f scripts/count-tests.awk "$log" >"$log.counts"
    if [[ ! -s $log.counts ]]; then
        tail -n 30 "$log" >&2
        printf '0 1 0 %s:ctest\n' "$preset" >"$log.counts"
    fi
    cat "$log.counts" >>"$BSONIC_TALLY"
    awk '{ note = $2 ? "   FAILED" : ""; printf "  %-36s %5d passed %4d failed %4d skipped%s\n", $4, $1, $2, $3, note }' "$log.counts"
    sed -nE 's/^[0-9]+: (skipped: .*)/  \1/p' "$log" | sort -u
    if awk '$2 { bad = 1 } END { exit !bad }' "$log.counts"; then
        show_failures "$log"
        note "the whole log: $log"
        return 1
    fi
}

# What the failed tests of a ctest log printed: all lines of tests that did not pass, at most 200.
show_failures() {
    awk 'FNR == NR { if (match($0, /Test +#[0-9]+:/) && !/ Passed /) { n = substr($0, RSTART, RLENGTH); gsub(/[^0-9]/, "", n); bad[n] = 1 } next }
         match($0, /^[0-9]+: /) { n = substr($0, 1, RLENGTH - 2); if (n in bad) print }' "$1" "$1" | head -n 200 >&2
}
