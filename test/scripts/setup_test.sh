#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What scripts/setup.sh does on several systems, and what scripts/bench.sh hands on. Nothing is installed: the programs
# that ask or change the system are stand-ins that write down how they were called.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"

stand_in() { # NAME, its text on standard input
    { echo '#!/usr/bin/env bash' && cat; } >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
# dpkg-query -W -f=... PACKAGE: installed, if it stands in the file "installed"
stand_in dpkg-query <<<"grep -qxF -- \"\${@: -1}\" '$work/installed' && printf installed"
stand_in apt-cache <<<'printf "%s:\n  Candidate: 1.0\n" "${@: -1}"'
stand_in apt-get <<<"printf '%s\n' \"apt-get \$*\" >>'$work/calls'"
stand_in id <<<'echo 0'
stand_in java <<<'exit 0'
stand_in python3 <<<'exit 0'
printf 'ID=debian\nVERSION_ID="12"\n' >"$work/debian"
printf 'ID=fedora\nVERSION_ID=41\n' >"$work/fedora"

needed="g++ cmake ninja-build ccache pkg-config iproute2 libboost1.81-dev libboost-context1.81-dev libzookeeper-st-dev libzookeeper-java libslf4j-java
    libssl-dev openssl libnetty-java libsasl2-dev libkrb5-dev libsasl2-modules libsasl2-modules-gssapi-mit
    catch2 libcli11-dev nlohmann-json3-dev libfmt-dev libsqlite3-dev tzdata"

fail() {
    printf 'FAILED: %s: %s\n' "$case" "$1" >&2
    sed 's/^/    /' "$work/output" "$work/calls" >&2
    exit 1
}

# set_up SYSTEM STATUS [NAME=VALUE...]: runs setup.sh with the packages in `besides`, which should end with STATUS
besides=()
set_up() {
    local system="$1" expected="$2" status=0
    shift 2
    : >"$work/calls"
    env PATH="$work/bin:$PATH" TURNSTILE_OS_RELEASE="$work/$system" "$@" \
        "$root/scripts/setup.sh" "${besides[@]}" >"$work/output" 2>&1 || status=$?
    [[ "$status" == "$expected" ]] || fail "it ended with $status instead of $expected"
}
says() { grep -qF -- "$1" "$work/output" || fail "it does not say \"$1\""; }
calls_nothing() { [[ ! -s "$work/calls" ]] || fail "it called apt-get"; }
installed() { printf '%s\n' "$@" >"$work/installed"; }

case="everything is there"
# shellcheck disable=SC2086
installed $needed
set_up debian 0
calls_nothing

case="two packages are missing"
# shellcheck disable=SC2086
installed $needed
sed -i '/^catch2$/d; /^ccache$/d' "$work/installed"
set_up debian 0
[[ "$(cat "$work/calls")" == "apt-get install -y --no-remove --no-install-recommends ccache catch2" ]] ||
    fail "it should install just these two"

case="packages besides"
besides=(clang catch2)
# shellcheck disable=SC2086
installed $needed
set_up debian 0
[[ "$(cat "$work/calls")" == "apt-get install -y --no-remove --no-install-recommends clang" ]] ||
    fail "it should install just the one"
set_up fedora 0
says clang
besides=()

# package that stands in the way : the one that is missing
for pair in libzookeeper-mt-dev:libzookeeper-st-dev libboost1.74-dev:libboost1.81-dev bjam:libboost1.81-dev; do
    case="${pair%%:*} stands in the way"
    # shellcheck disable=SC2086
    installed $needed "${pair%%:*}"
    sed -i "/^${pair#*:}\$/d" "$work/installed"
    set_up debian 1
    says "${pair%%:*} is installed and conflicts with ${pair#*:}"
    calls_nothing
done

case="another Debian release is another system"
printf 'ID=debian\nVERSION_ID="13"\n' >"$work/debian13"
set_up debian13 0
says "this is not Debian 12"
calls_nothing

case="another system, where everything is there"
installed nothing
set_up fedora 0
for package in $needed; do
    says "$package"
done
says "Python 3 and a Java runtime"
says "all of it was found; going on"
calls_nothing

case="another system, without the headers"
stand_in no-headers <<<'exit 1'
set_up fedora 1 CXX=no-headers
says "not found:"
says "zookeeper/zookeeper.h"
says "catch2/catch.hpp"
calls_nothing

# bench.sh in a tree of its own, where set-up and build are stand-ins.
mkdir -p "$work/tree/scripts" "$work/tree/build/release/bench"
cp "$root/scripts/bench.sh" "$work/tree/scripts/"
for file in setup.sh setup_peers.sh; do
    printf '#!/bin/sh\n' >"$work/tree/scripts/$file"
    chmod +x "$work/tree/scripts/$file"
done
stand_in cmake <<<'exit 0'
stand_in ../tree/build/release/bench/turnstile-bench <<<'echo "$*"'

rows="$work/tree/build/bench-report/rows.json"
hands_on() { # EXPECTED ARGUMENT...
    local expected="$1"
    shift
    case="bench.sh $*"
    : >"$work/calls"
    PATH="$work/bin:$PATH" "$work/tree/scripts/bench.sh" "$@" >"$work/output" 2>"$work/error" || fail "it failed"
    [[ "$(cat "$work/output")" == "$expected" ]] || fail "should hand on \"$expected\""
}
# A suite has a report, of the file of rows that it wrote.
reports() { # ROWS EXPECTED ARGUMENT...
    hands_on "${@:2}"
    [[ "$(cat "$work/error")" == "report $1 --output $work/tree/build/bench-report/index.html" ]] ||
        fail "should make a report of $1"
}
reports "$rows" "suite --quick --json $rows"
reports rows.json "suite --quick --json rows.json" --json rows.json
reports suite "suite --quick --json suite" --json suite
reports "$rows" "suite --quick --json $rows --server zk1:2181" --server zk1:2181
reports limit "suite --quick --server=zk1:2181 --json=limit" --server=zk1:2181 --json=limit
reports "$rows" "--json $rows suite" suite
hands_on "--json rows.json wakeup --waiters 5" --json rows.json wakeup --waiters 5
hands_on "bare-client --iterations 5" bare-client --iterations 5
hands_on "--help" --help
reports "$rows" "peers --json $rows" --peers
reports "$rows" "peers --json $rows --waiters 5 --only kazoo" --peers --waiters 5 --only kazoo

echo "set-up and benchmark scripts do what they should"
