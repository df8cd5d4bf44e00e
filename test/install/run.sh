#!/usr/bin/env bash
# Builds and runs a consumer in each way that a user can take the library in:
#   find_package      the installed static library, through its CMake package
#   pkg-config        the installed static library, through its .pc file, beside another copy of the C client
#   add_subdirectory  the sources in a folder, in a unity build
#   FetchContent      the sources as CMake fetches them (from a folder, without a network), as a shared library
#   the template      examples/template, with the installed library
# The Debian packages are the matter of packages.sh.
# Uses the `release` preset's build tree for the installed library; the rest goes to build/install.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
here="$root/test/install"
work="$root/build/install"
jobs="${JOBS:-$(nproc)}"
from_source=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 -DCMAKE_CXX_FLAGS=-O0)
if command -v ccache >/dev/null; then
    from_source+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi

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

echo "-- licences"
for name in LICENSE LICENSE-3rd-party.md; do
    cmp "$root/$name" "$work/prefix/share/doc/turnstile/$name"
done
for text in "Apache License" "Copyright 2009-2022 The Apache Software Foundation" "Christopher Clark"; do
    grep -qF "$text" "$work/prefix/share/doc/turnstile/LICENSE-3rd-party.md" ||
        { echo "the installed licences lack: $text" >&2; exit 1; }
done

# Conan itself cannot be run here: what its recipe exports, and the parts that it leaves out, must be enough for CMake.
echo "-- the Conan recipe's files"
recipe="$root/cmake/packages/conan/conanfile.py"
mkdir "$work/conan"
read -ra exported <<<"$(sed -n 's/^ *for part in ("CMakeLists.txt", \(.*\)):$/CMakeLists.txt \1/p' "$recipe" | tr -d '",' | sed 's,/\*,,g')"
read -ra left_out <<<"$(sed -n 's/^ *for part in ("TESTS", \(.*\)):$/TESTS \1/p' "$recipe" | tr -d '",')"
((${#exported[@]} > 3 && ${#left_out[@]} > 3))
off=("${left_out[@]/#/-DTURNSTILE_BUILD_}")
off=("${off[@]/%/=OFF}")
# shellcheck disable=SC2068  # LICENSE* is a pattern
(cd "$root" && cp -r ${exported[@]} "$work/conan/")
cmake -S "$work/conan" -B "$work/conan/build" -G Ninja "${off[@]}" >"$work/conan.log" 2>&1 ||
    { cat "$work/conan.log"; exit 1; }

echo "-- find_package"
consume find_package -DCMAKE_PREFIX_PATH="$work/prefix"

echo "-- pkg-config, beside another copy of the C client"
mkdir "$work/pkg_config"
PKG_CONFIG_PATH="$(dirname "$(find "$work/prefix" -name turnstile.pc)")" "$here/pkg_config/build.sh" \
    "$work/pkg_config/consumer"
"$work/pkg_config/consumer"

echo "-- the template"
cmake -S "$root/examples/template" -B "$work/template" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/template" -j "$jobs"
ctest --test-dir "$work/template" --output-on-failure --no-tests=error >"$work/template.log" ||
    { cat "$work/template.log"; exit 1; }

echo "-- add_subdirectory"
consume add_subdirectory "${from_source[@]}" -DTURNSTILE_SOURCE_DIR="$root"

echo "-- FetchContent, shared"
consume fetch_content "${from_source[@]}" -DFETCHCONTENT_SOURCE_DIR_TURNSTILE="$root" -DBUILD_SHARED_LIBS=ON
"$root/scripts/check_symbols.sh" "$(find "$work/fetch_content" -name libturnstile.so)"

echo "all consumers built and ran"
