#!/usr/bin/env bash
# Sets up, builds the benchmark suite and the command `turnstile`, and runs the suite: the scenario that the arguments name,
# or its quick form.
# Only the suite itself writes to standard output.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
{
    "$root/scripts/setup.sh"
    (cd "$root" && cmake --preset release)
    cmake --build "$root/build/release" --target turnstile-bench turnstile-command -j "$(nproc)"
} >&2

# Options alone, such as --json FILE, are for the quick form as well.
scenario=(suite --quick)
option=
for argument in "$@"; do
    case "$option:$argument" in
    --json:* | --server:*) ;; # an option's value
    *:limit | *:uncontended | *:wakeup | *:throughput | *:memory | *:suite | *:-h | *:--help) scenario=() ;;
    esac
    option="$argument"
done
exec "$root/build/release/bench/turnstile-bench" "${scenario[@]}" "$@"
