#!/usr/bin/env bash
# Sets up, builds the benchmark suite and the command `turnstile`, and runs the suite: the scenario that the arguments name,
# or its quick form. After a suite it makes the report, build/bench-report/index.html, of the file that --json names or of
# build/bench-report/rows.json.
# Only the suite itself writes to standard output.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
bench="$root/build/release/bench/turnstile-bench"

# Options alone, such as --json FILE, are for the quick form as well.
scenario=(suite --quick)
packages=(node-d3) # draws the report's charts
rows=
option=
for argument in "$@"; do
    case "$option:$argument" in
    --json:*) rows="$argument" ;;
    --server:*) ;; # an option's value
    *:--json=*) rows="${argument#--json=}" ;;
    *:suite) scenario=() ;;
    *:limit | *:uncontended | *:wakeup | *:-h | *:--help) scenario=() packages=() ;;
    esac
    option="$argument"
done

{
    "$root/scripts/setup.sh" "${packages[@]}"
    (cd "$root" && cmake --preset release)
    cmake --build "$root/build/release" --target turnstile-bench turnstile-command -j "$(nproc)"
} >&2

if ((${#packages[@]} == 0)); then
    exec "$bench" "$@"
fi
mkdir -p "$root/build/bench-report"
if [[ -z "$rows" ]]; then
    rows="$root/build/bench-report/rows.json"
    scenario+=(--json "$rows")
fi
"$bench" "${scenario[@]}" "$@"
"$bench" report "$rows" --output "$root/build/bench-report/index.html" >&2
