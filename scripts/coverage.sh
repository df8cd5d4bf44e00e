#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# coverage.sh [SEEDS]: what share of the branches of src/protocol is taken by the unit tests and so many seeds of the
# simulation (400), room by room and file by file (branch_coverage.py says what counts).
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
seeds="${1:-400}"
build="$root/build/coverage"
"$root/scripts/setup.sh"

(cd "$root" && cmake --preset debug -B "$build" -DCMAKE_UNITY_BUILD=ON -DTURNSTILE_BUILD_EXAMPLES=OFF \
    -DCMAKE_CXX_FLAGS_DEBUG="-O0 -g1 -D_GLIBCXX_ASSERTIONS --coverage -fprofile-update=atomic" >/dev/null)
cmake --build "$build" -j "$(nproc)" --target turnstile-machine-tests turnstile-simulate
find "$build" -name '*.gcda' -delete
"$build/test/turnstile-machine-tests" >/dev/null
"$build/test/simulation/turnstile-simulate" --seeds "$seeds" >/dev/null

"$root/scripts/branch_coverage.py" "$root" "$build"
