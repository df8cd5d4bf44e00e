#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What run_file.sh makes of a program whose cases pass, fail, crash, hang or are not there. A stand-in plays the program.
set -euo pipefail

tests="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Its cases are "one", "two [b], c" and "three", and one of another file of that name; the second does what $ACT says.
cat >"$work/program" <<'PROGRAM'
#!/usr/bin/env bash
case "$*" in
*--list-test-names-only*)
    for name in one 'two [b], c' three; do printf '%s\t@../test/some/file_test.cpp:7\n' "$name"; done
    printf 'stranger\t@../test/other/file_test.cpp:7\n'
    exit 4 ;;
*--durations*)
    [[ "${@: -1}" == 'one,two \[b\]\, c,three' ]] || exit 99
    echo "0.001 s: one"
    case "$ACT" in
    fail) echo "0.001 s: two [b], c"; echo "0.001 s: three"; exit 1 ;;
    crash) kill -SEGV $$ ;;
    hang) sleep 30 ;;
    esac
    echo "0.001 s: two [b], c"; echo "0.001 s: three" ;;
*) echo "alone: $*"; [[ "$*" == three ]] ;;
esac
PROGRAM
chmod +x "$work/program"

# run ACT PASSES: how it ends, 0 or not
run() {
    local status=0
    act="$1"
    ACT="$act" "$tests/run_file.sh" "$work/program" "${file:-some/file_test.cpp}" 1 >"$work/output" 2>&1 || status=$?
    [[ "$((status == 0))" == "$2" ]] || fail "it ended with $status"
}
fail() {
    printf 'FAILED: %s: %s\n' "$act" "$1" >&2
    sed 's/^/    /' "$work/output" >&2
    exit 1
}
says() { grep -qxF -- "$1" "$work/output" || fail "it does not say \"$1\""; }
runs_none_alone() { ! grep -q '^alone:' "$work/output" || fail "it ran a case alone"; }

run pass 1
runs_none_alone
run fail 0
runs_none_alone
for how in crash hang; do
    run "$how" 0
    says 'alone: two \[b\]\, c'
    says '-- FAILED alone: two [b], c'
    says 'alone: three'
    ! grep -qF 'alone: one' "$work/output" || fail "it ran what had passed once more"
done

file=file_test.cpp run pass 0
says "no test cases of file_test.cpp in $work/program"
