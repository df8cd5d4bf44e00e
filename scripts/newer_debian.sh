#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# newer_debian.sh [--suite trixie|forky|sid] [--short] [CTEST_ARGUMENT...]: builds and tests in a newer Debian.
#   trixie   Debian 13 (the default): g++ 14, Boost 1.83, client and server of ZooKeeper 3.9
#   forky    Debian's testing, and sid its unstable: the newest g++ and Boost that it has, and Boost.Cobalt
# debootstrap unpacks it into build/debian-SUITE, once. Needs root, a network, 3 GB, and half an hour. --short: only what tells
# something of compilers and of Boost, in half of the time: each source alone, the library, the examples, the unit tests, the forms
# of Asio, and three groups of integration tests. Other arguments are handed on to ctest.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
suite=trixie
if [[ "${1:-}" == --suite ]]; then
    suite="${2:?--suite needs a value}"
    shift 2
fi
targets=()
groups=
tests=.
if [[ "${1:-}" == --short ]]; then
    targets=(--target turnstile-unit-tests turnstile-machine-tests turnstile-examples turnstile-asio-tests turnstile-integration-tests)
    groups="asio;token;trap"
    tests='^(unit|asio|integration|examples)/'
    shift
fi
debian="$root/build/debian-$suite"
packages=(
    g++ cmake ninja-build pkgconf git
    libboost-dev libboost-context-dev liburing-dev libzookeeper-st-dev libssl-dev
    libzookeeper-java libslf4j-java default-jre-headless
    libcli11-dev nlohmann-json3-dev libfmt-dev libsqlite3-dev
    python3 iproute2 procps openssl
)

stop() {
    printf 'newer_debian: %s\n' "$*" >&2
    exit 1
}

# inside FOLDER SCRIPT [ARGUMENT...]: in namespaces of its own, so that mounts and processes end with it
inside() {
    unshare --mount --pid --fork -- bash -euo pipefail -c '
        mount -t proc proc "$0/proc"
        mount --rbind /dev "$0/dev"
        mount -t tmpfs tmpfs "$0/tmp"
        exec chroot "$0" bash -euo pipefail -c "$@"' "$1" "$2" bash "${@:3}"
}

[[ "$(id -u)" == 0 ]] || stop "this needs root: debootstrap and chroot do"
command -v debootstrap >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends debootstrap

if [[ ! -d "$debian" ]]; then
    rm -rf "$debian.part"
    mkdir -p "$debian.part"
    debootstrap --variant=minbase "$suite" "$debian.part"
    # Newer Debians have Catch2 3 only. The header of Debian 12's Catch2 2 serves every compiler.
    (cd "$debian.part" && apt-get download catch2/bookworm)
    inside "$debian.part" '
        export DEBIAN_FRONTEND=noninteractive
        cobalt="$(apt-cache pkgnames | grep -x libboost-cobalt-dev || true)" # from Boost 1.84 on
        apt-get install -y --no-install-recommends "$@" $cobalt
        dpkg --install /catch2_2*.deb' "${packages[@]}"
    mv "$debian.part" "$debian"
fi

# What git knows of, as it stands in the work tree. The build tree stays, for the next time.
mkdir -p "$debian/turnstile"
find "$debian/turnstile" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
(cd "$root" && git ls-files -z | tar --create --null --files-from=- | tar --extract --directory="$debian/turnstile")

# shellcheck disable=SC2016  # expanded inside
inside "$debian" '
    cd /turnstile
    g++ --version | head -n 1
    dpkg-query -W libboost-dev libzookeeper-st-dev libzookeeper-java
    [[ -z "$1" ]] || scripts/check_sources.py
    cmake --preset release "-DTURNSTILE_TEST_GROUPS=$1"
    cmake --build build/release -j "$(nproc)" $3
    ctest --test-dir build/release --output-on-failure --no-tests=error -j4 -R "$2" "${@:4}"' \
    "$groups" "$tests" "${targets[*]}" "$@"
