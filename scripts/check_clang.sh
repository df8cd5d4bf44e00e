#!/usr/bin/env bash
# check_clang.sh [VERSION...]: builds the library, the examples and the unit tests with these releases of clang, all warnings
# being errors and no header precompiled, and runs the tests. Then it tries the programs that a compiler must refuse. Without
# an argument: Debian 12's 14 and 16.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
(($# > 0)) || set -- 14 16

"$root/scripts/setup.sh" "${@/#/clang-}"
for version in "$@"; do
    (cd "$root" && cmake --preset "clang-$version")
    cmake --build "$root/build/clang-$version" -j "$(nproc)" --target turnstile-unit-tests turnstile-machine-tests turnstile-examples
    "$root/build/clang-$version/test/turnstile-unit-tests"
    "$root/build/clang-$version/test/turnstile-machine-tests"
    "$root/test/compile_errors/run.sh" "clang++-$version"
done
