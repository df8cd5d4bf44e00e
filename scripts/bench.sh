#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Sets up, builds the benchmark suite and the command `turnstile`, and runs the suite: the scenario that the arguments name,
# or its quick form. With --peers first: installs the other libraries of locks, and measures beside them (options as
# `turnstile-bench peers` takes them). After a suite or the peers it makes the report, build/bench-report/index.html, of the
# file that --json names or of build/bench-report/rows.json.
# Only the suite itself writes to standard output.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
bench="$root/build/release/bench/turnstile-bench"

# Options alone, such as --json FILE, are for the quick form as well.
scenario=(suite --quick)
reported=yes
setup=("$root/scripts/setup.sh")
if [[ "${1:-}" == --peers ]]; then
    shift
    scenario=(peers)
    setup=("$root/scripts/setup_peers.sh" etcd-server)
fi
rows=
option=
for argument in "$@"; do
    case "$option:$argument" in
    --json:*) rows="$argument" ;;
    --server:*) ;; # an option's value
    *:--json=*) rows="${argument#--json=}" ;;
    *:suite | *:peers) scenario=() ;;
    *:bare-client | *:uncontended | *:wakeup | *:throughput | *:memory | *:storm | *:death | *:idle | *:-h | *:--help)
        scenario=() reported=
        ;;
    esac
    option="$argument"
done
if [[ -n "$reported" ]]; then
    setup+=(node-d3) # draws the report's charts
fi

{
    "${setup[@]}"
    (cd "$root" && cmake --preset release)
    cmake --build "$root/build/release" --target turnstile-bench turnstile-command -j "$(nproc)"
} >&2

if [[ -z "$reported" ]]; then
    exec "$bench" "$@"
fi
mkdir -p "$root/build/bench-report"
if [[ -z "$rows" ]]; then
    rows="$root/build/bench-report/rows.json"
    scenario+=(--json "$rows")
fi
"$bench" "${scenario[@]}" "$@"
"$bench" report "$rows" --output "$root/build/bench-report/index.html" >&2
