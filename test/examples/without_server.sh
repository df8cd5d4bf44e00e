#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# without_server.sh PROGRAM...: each program ends with code 1 where there is no server, and says so in two lines at most, with
# the address. All of them run at once: each waits for a server for a while.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

processes=()
for program in "$@"; do
    start "$(basename "$program")" "$program" 127.0.0.1:1
    processes+=("$!")
done
for number in "${!processes[@]}"; do
    name="$(basename "${@:number + 1:1}")"
    code=0
    wait "${processes[number]}" || code=$?
    printf '%s: code %s\n%s\n' "$name" "$code" "$(cat "$folder/$name.log")"
    ((code == 1)) || fail "$name ends with $code instead of 1"
    (($(grep -c . "$folder/$name.log") <= 2)) || fail "$name says more than two lines"
    says "$name" '127\.0\.0\.1:1\b' || fail "$name does not name the server"
done
