#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# usage: build.sh PROGRAM
# What another build tool does: it asks pkg-config, which finds Turnstile in the system, or where PKG_CONFIG_PATH says. The
# program has another copy of the ZooKeeper C client beside it.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../consumer"
read -r -a cflags <<<"$(pkg-config --cflags turnstile)"
read -r -a libs <<<"$(pkg-config --libs turnstile)"
"${CXX:-c++}" -std=c++20 "${cflags[@]}" consumer.cpp other_client.cpp "${libs[@]}" -o "$1"
