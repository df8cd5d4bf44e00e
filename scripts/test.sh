#!/usr/bin/env bash
# Sets up, builds and runs the unit and integration tests. Arguments are handed on to ctest:
#   scripts/test.sh -L unit          only the unit tests
#   scripts/test.sh -R fencing       only what has "fencing" in its name (integration tests: in their file's)
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
"$root/scripts/setup.sh"

(cd "$root" && cmake --preset test)
cmake --build "$root/build/test" -j "$(nproc)"
# The command, for whoever wants to use it at once: build/release/tools/turnstile/turnstile.
(cd "$root" && cmake --preset release)
cmake --build "$root/build/release" --target turnstile-command -j "$(nproc)"
# The tests wait more than they compute: two at a time use less than half of two processors.
ctest --test-dir "$root/build/test" --output-on-failure --no-tests=error -j3 "$@"
