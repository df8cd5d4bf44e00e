#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# setup.sh [PACKAGE...]: installs what building and testing need on Debian 12, those packages besides, and only what is
# missing. Removes nothing. On other systems it checks that everything is there and lists what is not.
set -euo pipefail

packages=(
    g++ cmake ninja-build ccache pkg-config
    libboost1.81-dev libboost-context1.81-dev libzookeeper-st-dev
    libssl-dev openssl
    libsasl2-dev libkrb5-dev libsasl2-modules libsasl2-modules-gssapi-mit
    libzookeeper-java libslf4j-java libnetty-java
    catch2 libcli11-dev nlohmann-json3-dev libfmt-dev libsqlite3-dev
    iproute2 tzdata
    "$@"
)

# package that we need : package that cannot be installed beside it
conflicts=(
    libboost1.81-dev:libboost1.74-dev
    libboost1.81-dev:bjam
    libboost1.81-dev:boost-build
    libzookeeper-st-dev:libzookeeper-mt-dev
)

say() { printf 'setup: %s\n' "$*" >&2; }

stop() {
    say "$@"
    exit 1
}

is_installed() {
    [[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

contains() {
    local wanted="$1" item
    shift
    for item in "$@"; do
        [[ "$item" == "$wanted" ]] && return 0
    done
    return 1
}

has_candidate() {
    local candidate
    candidate="$(apt-cache policy "$1" 2>/dev/null | awk '$1 == "Candidate:" { print $2 }')"
    [[ -n "$candidate" && "$candidate" != "(none)" ]]
}

install_on_debian_12() {
    local package pair ours theirs
    local missing=()
    for package in "${packages[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
    # Any Java runtime will do for the test servers.
    command -v java >/dev/null || missing+=(default-jre-headless)
    command -v python3 >/dev/null || missing+=(python3)

    if ((${#missing[@]} == 0)); then
        return 0
    fi

    local blocked=0
    for pair in "${conflicts[@]}"; do
        ours="${pair%%:*}"
        theirs="${pair#*:}"
        if contains "$ours" "${missing[@]}" && is_installed "$theirs"; then
            say "$theirs is installed and conflicts with $ours; remove it with \`apt-get remove $theirs\` and run again"
            blocked=1
        fi
    done
    if ((blocked)); then
        stop "stopped: nothing was installed or removed"
    fi

    local install=(apt-get install -y --no-remove --no-install-recommends "${missing[@]}")
    local as_root=()
    if [[ "$(id -u)" != 0 ]]; then
        if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
            as_root=(sudo)
        else
            say "packages are missing, and this is neither root nor is there a usable sudo. Run as root:"
            printf '    apt-get update && %s\n' "${install[*]}" >&2
            exit 1
        fi
    fi
    as_root+=(env DEBIAN_FRONTEND=noninteractive)

    local updated=0
    for package in "${missing[@]}"; do
        if ! has_candidate "$package"; then
            say "updating the package lists"
            "${as_root[@]}" apt-get update >&2 || stop "apt-get update failed; is the network there?"
            updated=1
            break
        fi
    done
    for package in "${missing[@]}"; do
        has_candidate "$package" || stop "apt knows no package $package; does its configuration list Debian 12's main section?"
    done

    say "installing ${missing[*]}"
    if ! "${as_root[@]}" "${install[@]}" >&2; then
        # Old lists name files that the mirror does not have any more.
        if ((updated)) || ! "${as_root[@]}" apt-get update >&2 || ! "${as_root[@]}" "${install[@]}" >&2; then
            say "apt could not install ${missing[*]} without removing something, or could not fetch them."
            stop "Its message above names the reason; nothing is removed by this script."
        fi
    fi
}

finds_header() {
    printf '#include <%s>\n' "$1" | "${CXX:-c++}" -std=c++20 -x c++ -E - >/dev/null 2>&1
}

check_on_other_system() {
    say "this is not Debian 12, so nothing is installed here. Needed are (Debian 12's names):"
    say "    ${packages[*]}, Python 3 and a Java runtime"

    local lacking=() tool jar
    for tool in "${CXX:-c++}" cmake ninja pkg-config java python3; do
        command -v "$tool" >/dev/null || lacking+=("the program $tool")
    done
    if command -v "${CXX:-c++}" >/dev/null; then
        finds_header boost/asio/any_completion_handler.hpp ||
            lacking+=("Boost 1.81 or later (boost/asio/any_completion_handler.hpp)")
        finds_header zookeeper/zookeeper.h || lacking+=("the ZooKeeper C client (zookeeper/zookeeper.h)")
        [[ -e "$("${CXX:-c++}" -print-file-name=libzookeeper_st.a)" ]] ||
            lacking+=("the static single-threaded ZooKeeper C client (libzookeeper_st.a)")
        finds_header catch2/catch.hpp || lacking+=("Catch2 version 2 (catch2/catch.hpp)")
        finds_header CLI/CLI.hpp || lacking+=("CLI11 (CLI/CLI.hpp)")
        finds_header nlohmann/json.hpp || lacking+=("nlohmann-json (nlohmann/json.hpp)")
        finds_header fmt/core.h || lacking+=("fmt (fmt/core.h)")
        finds_header sqlite3.h || lacking+=("SQLite 3 (sqlite3.h)")
    fi
    for jar in zookeeper.jar zookeeper-jute.jar slf4j-simple.jar; do
        [[ -e "/usr/share/java/$jar" ]] || lacking+=("ZooKeeper's server classes (/usr/share/java/$jar)")
    done
    if ((${#lacking[@]} > 0)); then
        say "not found:"
        for tool in "${lacking[@]}"; do
            say "    $tool"
        done
        exit 1
    fi
    say "all of it was found; going on"
}

os_release="${TURNSTILE_OS_RELEASE:-/etc/os-release}" # the tests give another
system_id=""
system_version=""
if [[ -r "$os_release" ]]; then
    # shellcheck disable=SC1090
    system_id="$(. "$os_release" && printf '%s' "${ID:-}")"
    # shellcheck disable=SC1090
    system_version="$(. "$os_release" && printf '%s' "${VERSION_ID:-}")"
fi

if [[ "$system_id" == debian && "$system_version" == 12 ]]; then
    install_on_debian_12
else
    check_on_other_system
fi
