#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# other_zookeeper.sh SUITE [CTEST_ARGUMENT...]: the integration tests against the ZooKeeper servers of another suite of Debian
# (trixie has 3.9, sid the newest), which come as jars alone, into build/zookeeper-SUITE. Client and compiler stay this system's. Needs
# apt, and a build of the release preset. newer_debian.sh has all of a suite. What a class path names is tested by itself, too:
# TURNSTILE_TEST_ZOOKEEPER=JARS ctest ...
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
suite="${1:?usage: other_zookeeper.sh SUITE [CTEST_ARGUMENT...]}"
shift
place="$root/build/zookeeper-$suite"

if [[ ! -d "$place/jars" ]]; then
    mkdir -p "$place"/{lists/partial,cache/archives/partial,unpacked}
    # Any of these files may be missing, which ends sed with a status of its own.
    uris="$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null || true)"
    mirror="$(grep -m 1 debian <<<"$uris")" || {
        echo "other_zookeeper.sh: no URI of Debian in /etc/apt/sources.list and /etc/apt/sources.list.d" >&2
        exit 1
    }
    keys="$(ls /usr/share/keyrings/debian-archive-keyring.*gpg | head -n 1)"
    echo "deb [signed-by=$keys] $mirror $suite main" >"$place/sources.list"
    of_suite=(-o "Dir::Etc::SourceList=$place/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$place/lists"
        -o "Dir::Cache=$place/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root)
    apt-get "${of_suite[@]}" update >&2
    (cd "$place/cache" && apt-get "${of_suite[@]}" download libzookeeper-java libslf4j-java)
    for package in "$place"/cache/*.deb; do
        dpkg-deb --extract "$package" "$place/unpacked"
    done
    mv "$place/unpacked/usr/share/java" "$place/jars"
fi

# The manifest of the server's jar names other jars by their places on this system: its own come first.
jars=("$place"/jars/zookeeper-jute-*.jar "$place"/jars/zookeeper-[0-9]*.jar "$place"/jars/slf4j-{api,simple}.jar /usr/share/java/netty-*.jar)
TURNSTILE_TEST_ZOOKEEPER="$(IFS=: && echo "${jars[*]}")"
export TURNSTILE_TEST_ZOOKEEPER
printf 'the servers are of %s\n' "$(basename "${jars[1]}" .jar)" >&2
[[ $# -gt 0 ]] || set -- -R '^integration/' -j 2
exec ctest --test-dir "$root/build/release" --output-on-failure --no-tests=error "$@"
