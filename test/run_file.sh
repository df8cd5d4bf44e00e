#!/usr/bin/env bash
# run_file.sh PROGRAM FILE SECONDS: runs the test cases of one file (its name without .cpp) in one process, so that they
# share a server. Where that process ends early, the cases that it did not come to run each in a process of their own:
# no case is hidden behind one that crashed or hung.
set -euo pipefail

program="$1" file="$2" limit="$3"
output="$(mktemp)"
trap 'rm -f "$output" "$output.ended" "$output.names"' EXIT

status=0
timeout --kill-after=10 "$limit" "$program" --filenames-as-tags --warn NoTests --durations yes "[#$file]~[.]" |
    tee "$output" || status="${PIPESTATUS[0]}"
((status != 0)) || exit 0

# Catch2 tells how long a case took when the case has ended.
sed -n 's/^[0-9.]* s: //p' "$output" >"$output.ended"
"$program" --filenames-as-tags --list-test-names-only "[#$file]~[.]" >"$output.names" || true
while IFS= read -r name; do
    if ! grep -qxF -- "$name" "$output.ended"; then
        printf -- '-- not run, or not to its end; once more, alone: %s\n' "$name"
        spec="${name//\\/\\\\}"
        for mark in , '[' ']'; do
            spec="${spec//"$mark"/\\$mark}"
        done
        timeout --kill-after=10 "$limit" "$program" "$spec" || printf -- '-- FAILED alone: %s\n' "$name"
    fi
done <"$output.names"
exit "$status"
