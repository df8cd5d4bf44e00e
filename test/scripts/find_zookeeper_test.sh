#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What cmake says where libzookeeper_st.a is missing: what is there instead, and what to do. Nothing is compiled.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# In a script cmake knows no folder of the system: it finds what stands in "$work/lib" and "$work/include".
mkdir -p "$work/lib" "$work/include/zookeeper" "$work/empty"
touch "$work/include/zookeeper/zookeeper.h"
cat >"$work/find.cmake" <<'EOF'
set(CMAKE_FIND_LIBRARY_PREFIXES lib)
set(CMAKE_FIND_LIBRARY_SUFFIXES .so .a)
list(APPEND CMAKE_MODULE_PATH "${ROOT}/cmake")
find_package(ZooKeeper REQUIRED)
EOF
find_client() { # CMAKE_ARGUMENT...
    local said
    if said="$(cd "$work" && cmake "-DROOT=$root" "-DCMAKE_LIBRARY_PATH=$work/lib" "-DCMAKE_INCLUDE_PATH=$work/include" \
        "$@" -P find.cmake 2>&1)"; then
        echo "the client was found: $said" >&2
        exit 1
    fi
    tr -s ' \n' ' ' <<<"$said"
}
says() { # TEXT WHAT_WAS_SAID
    [[ "$2" == *"$1"* ]] || { printf 'not said: %s\nbut: %s\n' "$1" "$2" >&2; exit 1; }
}

said="$(find_client)"
says "The single-threaded C client of ZooKeeper is needed" "$said"
says "install the package libzookeeper-st-dev" "$said"
says "-DTURNSTILE_ZOOKEEPER_SOURCE_DIR=" "$said"

touch "$work/lib/libzookeeper_st.so"
said="$(find_client)"
says "$work/lib/libzookeeper_st.so is here, but it does not do" "$said"
says "its static form is needed" "$said"

said="$(find_client "-DTURNSTILE_ZOOKEEPER_SOURCE_DIR=$work/empty")"
says "$work/empty\", which has no sources of the ZooKeeper C client" "$said"
