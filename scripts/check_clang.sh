#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# check_clang.sh [14|16|libc++]...: builds the library, the examples and the unit tests with these releases of clang, all warnings
# being errors and no header precompiled, and runs the tests. Then it tries the programs that a compiler must refuse. libc++: clang
# 16 with LLVM's standard library, which builds the library and the examples, and runs two of them. (The unit tests need
# std::jthread, which libc++ 16 does not have.) Without an argument: all three.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
(($# > 0)) || set -- 14 16 libc++

# Unpacked beside the build trees: as packages, releases of libc++ exclude each other.
unpack_libcxx() {
    local folder="$root/build/libc++-16"
    [[ ! -e "$folder/usr" ]] || return 0
    rm -rf "$folder.part"
    mkdir -p "$folder.part"
    (
        cd "$folder.part"
        apt-get download libc++-16-dev libc++abi-16-dev
        for package in *.deb; do
            dpkg-deb --extract "$package" .
        done
    )
    mv "$folder.part" "$folder"
}

for version in "$@"; do
    compiler="clang++-$version"
    preset="clang-$version"
    if [[ "$version" == libc++ ]]; then
        compiler=clang++-16
        preset=libc++
        unpack_libcxx
    fi
    "$root/scripts/setup.sh" "${compiler/++/}"
    (cd "$root" && cmake --preset "$preset")
    if [[ "$version" == libc++ ]]; then
        cmake --build "$root/build/$preset" -j "$(nproc)" --target turnstile-examples
        for example in callbacks cancel; do
            "$root/scripts/with_server.sh" "$root/build/$preset/examples/$example"
        done
        continue
    fi
    cmake --build "$root/build/$preset" -j "$(nproc)" --target turnstile-unit-tests turnstile-machine-tests turnstile-examples
    "$root/build/$preset/test/turnstile-unit-tests"
    "$root/build/$preset/test/turnstile-machine-tests"
    "$root/test/compile_errors/run.sh" "$compiler"
done
