#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# http_orders.sh PROGRAM ADDRESS: two replicas of the server on one store, with requests for one order at the same time.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start one "$1" "$2" 0 "$folder/orders.db"
one=$!
start two "$1" "$2" 0 "$folder/orders.db"
two=$!
ports=("$(port_of one)" "$(port_of two)")

request() { # PORT METHOD TARGET
    exec 3<>"/dev/tcp/127.0.0.1/$1"
    printf '%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n' "$2" "$3" >&3
    cat <&3
}
post() { # PORT TARGET: a client that tries again when it is told so
    local answer="try again"
    until [[ "$answer" != *"try again"* ]]; do
        answer="$(request "$1" POST "$2")"
    done
    printf '%s\n' "$answer"
}
clients=()
for number in 0 1 2 3 4 5 6 7; do
    post "${ports[number % 2]}" /orders/4711 >"$folder/client$number" &
    clients+=("$!")
done
wait "${clients[@]}"
# Each of them is told another number: no piece is lost.
numbers="$(tail -q -n 1 "$folder"/client? | sort -n | tr '\n' ' ')"
[[ "$numbers" == "1 2 3 4 5 6 7 8 " ]] || fail "the answers are $numbers"

[[ "$(post "${ports[0]}" /orders/4712)" == "HTTP/1.1 200 "* ]] || fail "another order is refused"
says_status() { [[ "$(request "${ports[0]}" "$2" "$3")" == "HTTP/1.1 $1 "* ]] || fail "$2 $3 is not answered by $1"; }
says_status 404 POST /orders/a/b
says_status 404 POST /
says_status 405 GET /orders/4711

kill -TERM "$one" "$two"
ends_with 0 "$one"
ends_with 0 "$two"
echo "eight pieces by two replicas: $numbers"
