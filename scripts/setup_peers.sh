#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# setup_peers.sh [PACKAGE...]: scripts/setup.sh with Debian's packages of the other libraries of locks, a compiler for the
# programs in Java, and those packages besides.
set -euo pipefail

packages=(libcurator-recipes-java libzookeeper-java python3-kazoo "$@")
command -v javac >/dev/null || packages+=(default-jdk-headless)
exec "$(dirname "${BASH_SOURCE[0]}")/setup.sh" "${packages[@]}"
