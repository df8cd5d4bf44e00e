#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# run.sh [--few] [PROGRAM]: runs each scenario of the benchmark in small and checks the rows that it writes. No time is judged.
# --few: three scenarios, and what an acquire and release cost. Uses the build tree of the `release` preset without PROGRAM.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
few=""
if [[ "${1:-}" == --few ]]; then
    few="$1"
    shift
fi
bench="${1:-$root/build/release/bench/turnstile-bench}"
"$root/scripts/setup.sh" valgrind strace
# One server for most runs: to start one takes longer than what they measure.
if [[ -z "${TURNSTILE_BENCH_SERVER:-}" ]]; then
    # shellcheck disable=SC2016 # expanded by the inner shell
    exec "$root/scripts/with_server.sh" bash -c 'TURNSTILE_BENCH_SERVER="${@: -1}" exec "${@:1:$#-1}"' - "$0" ${few:+"$few"} "$bench"
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# check WHAT ARGUMENT...: measures on the common server, and checks that there are the rows that WHAT says
check() {
    check_private "$@" --server "$TURNSTILE_BENCH_SERVER"
}

# The same on private servers of its own.
check_private() { # WHAT ARGUMENT...
    local what="$1"
    shift
    echo "-- turnstile-bench $*"
    "$bench" "$@" --warm-up 5 --json "$work/rows.json" >"$work/table"
    "$root/test/bench/check_rows.py" "$work/rows.json" "$what"
    mv "$work/rows.json" "$work/last.json"
}

# Peers that are not installed are named, with the package; all others have to have rows.
check_peers() {
    local args=(peers --waiters 5 --sessions 2 --rounds 2 --hand-offs 10 --iterations 20) installed=() scenario name
    echo "-- turnstile-bench ${args[*]}"
    if ! "$bench" "${args[@]}" --warm-up 5 --json "$work/rows.json" >"$work/table" 2>"$work/error" ||
        grep -q "left out from" "$work/error"; then
        cat "$work/error"
        exit 1
    fi
    grep "left out" "$work/error" || true
    for scenario in uncontended/- wakeup/5; do
        for name in curator java-write-lock kazoo etcd; do
            grep -q "^turnstile-bench: $name: left out: there is no .* installs it$" "$work/error" ||
                installed+=("$name/$scenario")
        done
    done
    "$root/test/bench/check_rows.py" "$work/rows.json" "uncontended/-/1 wakeup/5/2" "${installed[*]}"
}

# compare_ends CODE ARGUMENT...: compares, and expects the exit code
compare_ends() {
    local expected="$1" code=0
    shift
    echo "-- turnstile-bench compare ${*//$work\//}"
    "$bench" compare "$@" >"$work/table" 2>"$work/error" || code=$?
    if ((code != expected)); then
        cat "$work/table" "$work/error"
        echo "the exit code is $code instead of $expected" >&2
        exit 1
    fi
}

check_cost() {
    check "cost/turnstile cost/bare-client cost/bare-client-redirected" cost --repeats 1
    # No more instructions, allocations and system calls than the last release. The spread is below half a percent; other
    # processors take other copies of the C library's functions.
    compare_ends 0 "$root/bench/baseline/0.2.0.json" "$work/last.json" --fail-on-worse --least-percent 3
}

if [[ -n "$few" ]]; then
    check "" bare-client --iterations 20
    check "uncontended/-/1 uncontended-acquire/-/1" uncontended --iterations 20
    check "wakeup/20/2" wakeup --hand-offs 60 --waiters 20 --sessions 2
    check_cost
    exit
fi

check "" bare-client --iterations 20
check "uncontended/-/1 uncontended-acquire/-/1" uncontended --iterations 20
check "uncontended/-/1 uncontended-acquire/-/1 uncontended/-/1 uncontended-acquire/-/1" uncontended --iterations 20 --runs 2
sed 's/"requests_per_acquire": .*,/"requests_per_acquire": 3.5,/' "$work/last.json" >"$work/worse.json"
compare_ends 0 "$work/last.json" "$work/last.json" --fail-on-worse
compare_ends 0 "$work/last.json" "$work/worse.json"
compare_ends 1 "$work/last.json" "$work/worse.json" --fail-on-worse
compare_ends 1 --base "$work/last.json" "$work/last.json" --new "$work/worse.json" "$work/worse.json" --fail-on-worse
compare_ends 0 "$work/worse.json" "$work/last.json" --fail-on-worse --json "$work/compared.json"
grep -q '"verdict": "fewer"' "$work/compared.json"
compare_ends 2 "$work/last.json" "$work/none.json"
grep -q 'cannot read .*none.json' "$work/error"
compare_ends 2 "$work/last.json" "$work/table"
compare_ends 2 "$work/last.json"

check "wakeup/20/2" wakeup --hand-offs 60 --waiters 20 --sessions 2
check_private "wakeup/5/1" wakeup --hand-offs 200 --waiters 5 --sessions 1 # shorter than the distance of two samples of the bare client
# The common server takes 60 connections.
check_private "wakeup/100/100" wakeup --hand-offs 100 --waiters 100 --sessions 100
check "memory uncontended/-/1 uncontended-acquire/-/1 throughput wakeup/10/10 wakeup/10/10/herd-exclusive \
wakeup/10/10/shared/herd-shared wakeup/10/10/herd-single-node wakeup/10/10/listing" \
    suite --quick --iterations 20 --longest 10
check "wakeup/20/2/rested" wakeup --cold --rest-ms 5 --hand-offs 60 --waiters 20 --sessions 2
check_private "wakeup/6/3" wakeup --ensemble 3 --hand-offs 60 --waiters 6 --sessions 3
check_private "uncontended/-/1 uncontended-acquire/-/1" uncontended --fsync --iterations 20
check "throughput" throughput --locks 20 --inflight 4 --iterations 400
if "$bench" throughput --locks 2 --inflight 4 >"$work/table" 2>"$work/error"; then
    echo "a throughput in which acquires wait for each other is measured" >&2
    exit 1
fi
grep -q 'take more locks' "$work/error"
check "memory" memory --waiters 500
check "storm" storm --waiters 200 --sessions 4
check "death death/turnstile-guard restart/turnstile-guard death/turnstile-run" death --iterations 1 --guarded 2
check "leaders" leaders --iterations 3
check "guarded" guarded --iterations 20
check "observe observe-proclaim" observe --observers 20 --sessions 2 --iterations 4
check "yield yield-asked yield-unused yield-awaited" yield --iterations 20
check_private "idle" idle --holders 10 --seconds 3
for lock in shared readers single-node; do
    check "uncontended/-/1/$lock uncontended-acquire/-/1/$lock" uncontended --iterations 20 --lock "$lock"
    check "wakeup/20/2/$lock" wakeup --hand-offs 60 --waiters 20 --sessions 2 --lock "$lock"
done
check "uncontended/-/1/semaphore-10 uncontended-acquire/-/1/semaphore-10" uncontended --iterations 20 --lock semaphore
check "wakeup/20/2/semaphore-3" wakeup --hand-offs 60 --waiters 20 --sessions 2 --lock semaphore --permits 3
check "uncontended/-/1/multi-5 uncontended-acquire/-/1/multi-5" uncontended --iterations 20 --lock multi --parts 5
check "wakeup/20/2/multi-10" wakeup --hand-offs 60 --waiters 20 --sessions 2 --lock multi
for strategy in herd-exclusive shared/herd-shared herd-single-node listing; do
    check "uncontended/-/1/$strategy uncontended-acquire/-/1/$strategy" uncontended --iterations 20 --strategy "${strategy#*/}"
    check "wakeup/20/2/$strategy" wakeup --hand-offs 60 --waiters 20 --sessions 2 --strategy "${strategy#*/}"
done
if "$bench" wakeup --waiters 1001 --strategy herd-exclusive >"$work/table" 2>"$work/error"; then
    echo "a herd of 1001 is measured" >&2
    exit 1
fi
grep -q 'at most 1000 waiters' "$work/error"
check_peers
check_cost

grep -q '"processor"' "$work/rows.about.json" # the last of them: `rows.json` was moved
"$root/test/bench/report/run.sh" "$bench"

echo "all scenarios write the rows that they should"
