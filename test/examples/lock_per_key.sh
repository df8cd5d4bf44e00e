#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# lock_per_key.sh PROGRAM ADDRESS: two replicas of the server, with clients that name the same keys at the same time.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Both write into one file, so that its lines are in the order in which they were written.
start servers "$1" "$2" 0
one=$!
start servers "$1" "$2" 0
two=$!
both_listen() { (($(grep -c '^listening' "$folder/servers.log") == 2)); }
await "both listen" both_listen
mapfile -t ports < <(ports_of servers)

# client PORT LINE...: sends all lines, and prints as many answers
client() {
    local port="$1" answer
    shift
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf '%s\n' "$@" >&3
    for _ in "$@"; do
        read -r answer <&3 || return 1
        printf '%s\n' "$answer"
    done
}
clients=()
for number in 0 1 2 3; do # both replicas have the key "alice"
    client "${ports[number % 2]}" alice "bob$number" alice >"$folder/client$number" &
    clients+=("$!")
done
for number in 0 1 2 3; do
    wait "${clients[number]}" || fail "client $number has no answer"
    [[ "$(cat "$folder/client$number")" == $'done: alice\ndone: bob'"$number"$'\ndone: alice' ]] ||
        fail "client $number has another answer: $(cat "$folder/client$number")"
done
(($(grep -c '^begin alice$' "$folder/servers.log") == 8)) || fail "some work is missing"
grep ' alice$' "$folder/servers.log" | paste -d ' ' - - | grep -vqx 'begin alice end alice' &&
    fail "two worked on one key at the same time"
[[ "$(client "${ports[0]}" a/b)" == "done: a/b" ]] || fail "a key with a slash is refused"

kill -TERM "$one" "$two"
ends_with 0 "$one"
ends_with 0 "$two"
echo "each client has its answers, and one at a time worked on a key"
