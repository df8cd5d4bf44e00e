# SPDX-License-Identifier: BSL-1.0
# What the tests of single examples share. Sourced by them.
set -euo pipefail

folder="$(mktemp -d)"
started=()
stop() {
    local process
    for process in "${started[@]}"; do
        kill -9 "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap stop EXIT

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    tail -n 30 "$folder"/*.log >&2 || true
    exit 1
}

# start LOG COMMAND...: in the background; its output goes to $folder/LOG.log, its process id is $! and in $started
start() {
    local log="$folder/$1.log"
    shift
    "$@" >>"$log" 2>&1 &
    started+=("$!")
}

# await WHAT COMMAND...: until the command succeeds, for a hundred seconds at most
await() {
    local what="$1" end=$((SECONDS + 100))
    shift
    until "$@"; do
        ((SECONDS < end)) || fail "not within 100 s: $what"
        sleep 0.05
    done
}

says() { grep -qE -- "$2" "$folder/$1.log" 2>/dev/null; } # LOG PATTERN

# ends_with CODE PROCESS
ends_with() {
    local code=0
    wait "$2" || code=$?
    ((code == $1)) || fail "the program ended with $code instead of $1"
}

# ports_of LOG: where its servers listen
ports_of() { sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' "$folder/$1.log"; }
port_of() { # LOG
    await "$1 listens" says "$1" '^listening on '
    ports_of "$1"
}
