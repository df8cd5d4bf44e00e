#!/usr/bin/env bash
# Sets up, builds the benchmark suite and the command `turnstile`, and runs the suite: the scenario that the arguments name,
# or its quick form. With --peers first: installs the other libraries of locks, and measures beside them (options as
# `turnstile-bench peers` takes them).
# Only the suite itself writes to standard output.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
scenario=(suite --quick)
setup=("$root/scripts/setup.sh")
if [[ "${1:-}" == --peers ]]; then
    shift
    scenario=(peers)
    setup=("$root/scripts/setup_peers.sh" etcd-server)
fi
{
    "${setup[@]}"
    (cd "$root" && cmake --preset release)
    cmake --build "$root/build/release" --target turnstile-bench turnstile-command -j "$(nproc)"
} >&2

# Options alone, such as --json FILE, are for the quick form as well.
option=
for argument in "$@"; do
    case "$option:$argument" in
    --json:* | --server:*) ;; # an option's value
    *:limit | *:uncontended | *:wakeup | *:peers | *:throughput | *:memory | *:storm | *:death | *:idle | *:suite | \
        *:-h | *:--help) scenario=() ;;
    esac
    option="$argument"
done
exec "$root/build/release/bench/turnstile-bench" "${scenario[@]}" "$@"
