#!/usr/bin/env bash
# Sets up, builds the benchmark suite and runs it: its quick form, or what the arguments say.
# Only the suite itself writes to standard output.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
{
    "$root/scripts/setup.sh"
    (cd "$root" && cmake --preset release)
    cmake --build "$root/build/release" --target turnstile-bench -j "$(nproc)"
} >&2

if (($# == 0)); then
    set -- suite --quick
fi
exec "$root/build/release/bench/turnstile-bench" "$@"
