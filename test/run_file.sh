#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# run_file.sh PROGRAM FILE SECONDS: runs the test cases of one file (its path below test/) in one process, so that they
# share a server. Where that process ends early, the cases that it did not come to run each in a process of their own:
# no case is hidden behind one that crashed or hung.
set -euo pipefail

program="$1" file="$2" limit="$3"
output="$(mktemp)"
trap 'rm -f "$output" "$output.ended" "$output.names"' EXIT

# A case's name as Catch2 takes it on the command line.
as_argument() {
    local name="${1//\\/\\\\}" mark
    for mark in , '[' ']' '"'; do
        name="${name//"$mark"/\\$mark}"
    done
    printf '%s' "$name"
}

# Catch2 lists each case as "name<tab>@path:line". Its own way to choose by file knows no folders.
"$program" --list-test-names-only --verbosity high "~[.]" >"$output" || true # it returns their number
sed -n "s|\t@.*/test/${file//./\\.}:[0-9]*\$||p" "$output" >"$output.names"
[[ -s "$output.names" ]] || { echo "no test cases of $file in $program" >&2; exit 1; }

names=()
while IFS= read -r name; do
    names+=("$(as_argument "$name")")
done <"$output.names"
status=0
timeout --kill-after=10 "$limit" "$program" --warn NoTests --durations yes "$(IFS=, && echo "${names[*]}")" |
    tee "$output" || status="${PIPESTATUS[0]}"
((status != 0)) || exit 0

# Catch2 tells how long a case took when the case has ended.
sed -n 's/^[0-9.]* s: //p' "$output" >"$output.ended"
while IFS= read -r name; do
    if ! grep -qxF -- "$name" "$output.ended"; then
        printf -- '-- not run, or not to its end; once more, alone: %s\n' "$name"
        timeout --kill-after=10 "$limit" "$program" "$(as_argument "$name")" || printf -- '-- FAILED alone: %s\n' "$name"
    fi
done <"$output.names"
exit "$status"
