#!/usr/bin/env bash
# Runs each scenario of the benchmark in small and checks the rows that it writes. No time is judged.
# Uses the build tree of the `release` preset, or the program given as the argument.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
bench="${1:-$root/build/release/bench/turnstile-bench}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# check WHAT COMMAND...: runs the command with `--json FILE` behind it; WHAT says which rows are expected
check() {
    local what="$1"
    shift
    echo "-- ${*/#$bench/turnstile-bench}"
    "$@" --json "$work/rows.json" >"$work/table"
    cmake -DFILE="$work/rows.json" -DEXPECTED="$what" -P "$root/test/bench/check_rows.cmake"
    rm "$work/rows.json"
}

on_given_server() { # ARGUMENT...: the servers' address comes from with_server.sh
    "$root/scripts/with_server.sh" bash -c '"${@:1:$#-1}" --server "${@: -1}"' - "$bench" "$@"
}

check "" "$bench" limit --iterations 20
check "uncontended/-/1" "$bench" uncontended --iterations 20
check "wakeup/20/2" "$bench" wakeup --waiters 20 --sessions 2
check "wakeup/5/1" "$bench" wakeup --waiters 5 --sessions 1 # shorter than the distance of two samples of the limit
check "uncontended/-/1 wakeup/10/1 wakeup/10/10" "$bench" suite --iterations 20 --longest 10
check "wakeup/5/2" on_given_server wakeup --waiters 5 --sessions 2

echo "all scenarios write the rows that they should"
