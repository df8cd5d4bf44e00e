#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# wrong_input.sh PROGRAM... ADDRESS: each program ends with code 1 where what it was given is wrong, and says so in three lines
# at most, with the value that was wrong: a list of servers, a chroot, an HTTP server's port, a path with rights that refuse.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

address="${*: -1}"
programs=("${@:1:$#-1}")

start http python3 -u -m http.server --bind 127.0.0.1 0
await "the HTTP server" says http 'port [0-9]+'
http_port="$(grep -oE 'port [0-9]+' "$folder/http.log" | head -n 1 | grep -oE '[0-9]+')"

# Everybody may read there, and nothing else.
java -cp /usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar -Dorg.slf4j.simpleLogger.defaultLogLevel=error \
    org.apache.zookeeper.ZooKeeperMain -server "$address" create /closed closed world:anyone:r >"$folder/create.log" 2>&1 ||
    fail "no node with other rights"

# refuses WHAT SERVERS PATTERN
refuses() {
    local program name code
    for program in "${programs[@]}"; do
        name="$(basename "$program")-$1"
        code=0
        timeout 60 "$program" "$2" >"$folder/$name.log" 2>&1 </dev/null || code=$?
        printf '%s: code %s\n%s\n' "$name" "$code" "$(cat "$folder/$name.log")"
        ((code == 1)) || fail "$name ends with $code instead of 1"
        (($(grep -c . "$folder/$name.log") <= 3)) || fail "$name says more than three lines"
        says "$name" "$3" || fail "$name does not say: $3"
    done
}
refuses list 'foo:bar' '"foo:bar" is a bad server list: "foo:bar" has a port that is no number'
refuses empty-list '' '"" is a bad server list: it is empty'
refuses chroot "$address/nowhere" '/nowhere: the chroot of the server list does not exist: create that node first'
refuses http "127.0.0.1:$http_port" "127\.0\.0\.1:$http_port"
refuses rights "$address/closed" 'CREATE'
