#!/usr/bin/env bash
# Builds and runs the consumer in each way that a user can take the library in:
#   find_package  the installed static library, through its CMake package
#   pkg-config    the installed static library, through its .pc file, beside another copy of the C client
#   subdirectory  add_subdirectory, as a shared library, in a unity build
# Uses the `release` preset's build tree for the installed one; the rest goes to build/install.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$root/build/install"
consumer="$root/test/install/consumer"
jobs="$(nproc)"

rm -rf "$work"
mkdir -p "$work"

echo "-- installing to build/install/prefix"
(cd "$root" && cmake --preset release >"$work/configure.log") || { cat "$work/configure.log"; exit 1; }
cmake --build "$root/build/release" --target turnstile turnstile-command -j "$jobs"
cmake --install "$root/build/release" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix" # an installed tree can be moved

echo "-- command"
[[ "$("$work/prefix/bin/turnstile" --version)" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]

echo "-- licences"
for name in LICENSE LICENSE-3rd-party.md; do
    cmp "$root/$name" "$work/prefix/share/doc/turnstile/$name"
done
for text in "Apache License" "Copyright 2009-2022 The Apache Software Foundation" "Christopher Clark"; do
    grep -qF "$text" "$work/prefix/share/doc/turnstile/LICENSE-3rd-party.md" ||
        { echo "the installed licences lack: $text" >&2; exit 1; }
done

echo "-- find_package"
cmake -S "$consumer" -B "$work/find_package" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/find_package"
"$work/find_package/consumer"

echo "-- pkg-config, beside another copy of the C client"
pc_dir="$(dirname "$(find "$work/prefix" -name turnstile.pc)")"
read -r -a cflags <<<"$(PKG_CONFIG_PATH="$pc_dir" pkg-config --cflags turnstile)"
read -r -a libs <<<"$(PKG_CONFIG_PATH="$pc_dir" pkg-config --libs turnstile)"
"${CXX:-c++}" -std=c++20 "${cflags[@]}" "$consumer/main.cpp" "$consumer/other_client.cpp" "${libs[@]}" \
    -o "$work/pkg_config_consumer"
"$work/pkg_config_consumer"

echo "-- add_subdirectory, shared"
cmake -S "$consumer" -B "$work/subdirectory" -G Ninja \
    -DTURNSTILE_SOURCE_DIR="$root" -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_UNITY_BUILD=ON >/dev/null
cmake --build "$work/subdirectory" -j "$jobs"
"$work/subdirectory/consumer"
"$root/scripts/check_symbols.sh" "$work/subdirectory/turnstile/libturnstile.so"

echo "all consumers built and ran"
