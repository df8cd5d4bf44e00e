#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# check_arm64.sh: builds the library and the example quick_start for arm64 by Debian's cross compiler, with the C client that
# Debian has for arm64, and runs the example under qemu against a server. Everything but the tools stays in build/arm64.
# For Debian 12 on another processor. It takes some minutes.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
work="$root/build/arm64"
"$root/scripts/setup.sh" g++-aarch64-linux-gnu qemu-user

# By package lists of its own: the system's know its own architecture only.
if [[ ! -e "$work/client/usr" ]]; then
    rm -rf "$work/client.part"
    mkdir -p "$work/client.part" "$work/apt/state/lists/partial" "$work/apt/cache/archives/partial"
    : >"$work/apt/status"
    apt=(apt-get -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$work/apt/state"
        -o Dir::State::status="$work/apt/status" -o Dir::Cache="$work/apt/cache")
    "${apt[@]}" update
    (
        cd "$work/client.part"
        "${apt[@]}" download libzookeeper-st-dev
        dpkg-deb --extract ./*.deb .
    )
    mkdir "$work/client.part/headers"
    ln -s /usr/include/boost "$work/client.part/headers/boost" # no other header of this system
    mv "$work/client.part" "$work/client"
fi

library="$(find "$work/client" -name libzookeeper_st.a)"
cmake -S "$root" --preset release -B "$work/build" \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
    -DBoost_INCLUDE_DIR="$work/client/headers" -DBoost_NO_BOOST_CMAKE=ON \
    -DZooKeeper_ST_LIBRARY="$library" -DZooKeeper_INCLUDE_DIR="$work/client/usr/include" \
    -DTURNSTILE_BUILD_TESTS=OFF -DTURNSTILE_BUILD_BENCH=OFF -DTURNSTILE_BUILD_TOOLS=OFF \
    -DTURNSTILE_TLS=OFF # OpenSSL is here for this processor alone
cmake --build "$work/build" -j "$(nproc)" --target example_quick_start
"$root/scripts/with_server.sh" qemu-aarch64 -L /usr/aarch64-linux-gnu "$work/build/examples/quick_start"
