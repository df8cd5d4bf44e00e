#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# run.sh [--few]: builds and runs a consumer in each way that a user can take the library in:
#   find_package      the installed static library, through its CMake package
#   pkg-config        the installed static library, through its .pc file, beside another copy of the C client
#   the tutorial      docs/tutorial.md to the letter, with a clone of the last commit
#   add_subdirectory  the clone's sources in a folder
#   FetchContent      the clone as CMake fetches it (from a folder, without a network), as a shared library
#   the template      examples/template, with the clone's sources
# What takes the sources in compiles them as users do: each source alone, with no preset. The Debian packages, and the template
# with the installed library, are the matter of packages.sh.
# --few: the first three. The tutorial takes the library in as add_subdirectory does; the last two compile it once more.
# Uses the `release` preset's build tree for the installed library; the rest goes to build/install.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
here="$root/test/install"
work="$root/build/install"
jobs="${JOBS:-$(nproc)}"

rm -rf "$work"
mkdir -p "$work"

# consume WAY CMAKE_ARGUMENT...: configures test/install/WAY, builds and runs its consumer
consume() {
    local way="$1"
    shift
    cmake -S "$here/$way" -B "$work/$way" -G Ninja "$@" >"$work/$way.log" 2>&1 || { cat "$work/$way.log"; exit 1; }
    cmake --build "$work/$way" -j "$jobs" --target consumer
    "$work/$way/consumer"
}

echo "-- installing to build/install/prefix"
(cd "$root" && cmake --preset release >"$work/configure.log") || { cat "$work/configure.log"; exit 1; }
cmake --build "$root/build/release" --target turnstile turnstile_testing turnstile-command turnstile-command-texts -j "$jobs"
cmake --install "$root/build/release" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix" # an installed tree can be moved

echo "-- command"
version="$(sed -n 's/.*TURNSTILE_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)$/\2/p' \
    "$root/include/turnstile/version.hpp" | paste -sd.)"
[[ "$("$work/prefix/bin/turnstile" --version)" == "$version" ]]

test -s "$work/prefix/share/man/man1/turnstile-run.1"

echo "-- licences"
for name in LICENSE LICENSE-3rd-party.md; do
    cmp "$root/$name" "$work/prefix/share/doc/turnstile/$name"
done
for text in "Apache License" "Copyright 2009-2022 The Apache Software Foundation" "Christopher Clark"; do
    grep -qF "$text" "$work/prefix/share/doc/turnstile/LICENSE-3rd-party.md" ||
        { echo "the installed licences lack: $text" >&2; exit 1; }
done

echo "-- find_package"
consume find_package -DCMAKE_PREFIX_PATH="$work/prefix"

echo "-- pkg-config, beside another copy of the C client"
mkdir "$work/pkg_config"
PKG_CONFIG_PATH="$(dirname "$(find "$work/prefix" -name turnstile.pc)")" "$here/pkg_config/build.sh" \
    "$work/pkg_config/consumer"
"$work/pkg_config/consumer"

if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache # one compilation for all that follows
fi
echo "-- the tutorial"
"$root/test/docs/tutorial.py" "$work/tutorial"
sources="$work/tutorial/turnstile"

if [[ "${1:-}" == --few ]]; then
    echo "three consumers built and ran"
    exit
fi

echo "-- add_subdirectory"
consume add_subdirectory -DCMAKE_BUILD_TYPE=Release -DTURNSTILE_SOURCE_DIR="$sources"

echo "-- FetchContent, shared"
consume fetch_content -DCMAKE_BUILD_TYPE=Release -DFETCHCONTENT_SOURCE_DIR_TURNSTILE="$sources" -DBUILD_SHARED_LIBS=ON
"$root/scripts/check_symbols.sh" "$(find "$work/fetch_content" -name libturnstile.so)"

echo "-- the template"
cmake -S "$root/examples/template" -B "$work/template" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DFETCHCONTENT_SOURCE_DIR_TURNSTILE="$sources" >/dev/null
cmake --build "$work/template" -j "$jobs"
ctest --test-dir "$work/template" --output-on-failure --no-tests=error >"$work/template.log" ||
    { cat "$work/template.log"; exit 1; }

echo "all consumers built and ran"
