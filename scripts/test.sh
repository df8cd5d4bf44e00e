#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Sets up, builds and runs the unit and integration tests. Arguments are handed on to ctest:
#   scripts/test.sh -L unit          only the unit tests
#   scripts/test.sh -R fencing       only what has "fencing" in its name (integration tests: in their file's)
# The command is built too: build/release/tools/turnstile/turnstile.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
"$root/scripts/setup.sh"

(cd "$root" && cmake --preset release)
cmake --build "$root/build/release" -j "$(nproc)"
# A test with a server takes a third of a processor: it waits more than it computes. Its server takes more at the start.
ctest --test-dir "$root/build/release" --output-on-failure --no-tests=error -j "$((2 * $(nproc)))" "$@"
