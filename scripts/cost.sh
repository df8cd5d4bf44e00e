#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# cost.sh [OPTION...]: counts the instructions, allocations and system calls of an uncontended acquire and release, by
# callgrind and strace, which it installs if they are missing. Options are those of `turnstile-bench cost`, such as
# --json FILE. Only the suite itself writes to standard output.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
{
    "$root/scripts/setup.sh" valgrind strace
    (cd "$root" && cmake --preset release)
    cmake --build "$root/build/release" --target turnstile-bench -j "$(nproc)"
} >&2

exec "$root/build/release/bench/turnstile-bench" cost "$@"
