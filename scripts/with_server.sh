#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# with_server.sh [--port N] [COMMAND...]: starts a private ZooKeeper in a temporary folder, on the loopback, runs the command
# with its address as the last argument, and stops the server. Without a port it takes a free one. Without a command it
# says the address, and serves until it is interrupted. TURNSTILE_MAX_SESSION_TIMEOUT: the longest timeout that the server
# grants, in milliseconds.
set -euo pipefail

usage() {
    echo "usage: with_server.sh [--port N] [COMMAND [ARGUMENT...]]" >&2
    exit 2
}

wished=
if [[ "${1:-}" == --port ]]; then
    wished="${2:-}"
    if ! [[ "$wished" =~ ^[1-9][0-9]{0,4}$ ]]; then
        usage
    fi
    shift 2
elif [[ "${1:-}" == -* ]]; then
    usage
fi
folder="$(mktemp -d)"
server=
stop() {
    if [[ -n "$server" ]]; then
        kill -9 "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap stop EXIT

serve_until_interrupted() { # ADDRESS
    echo "ZooKeeper serves on $1; Ctrl+C ends it"
    wait "$server"
}

answers() { # the server says in which mode it serves
    { exec 3<>"/dev/tcp/127.0.0.1/$1" && printf srvr >&3 && timeout 2 cat <&3; } 2>/dev/null | grep -q '^Mode:'
}

if [[ -n "$wished" ]] && (exec 3<>"/dev/tcp/127.0.0.1/$wished") 2>/dev/null; then
    echo "with_server.sh: something listens on port $wished already: end it, or name another port" >&2
    exit 2
fi
for _ in 1 2 3 4 5; do # the port may be taken between choice and use
    port="${wished:-$((20000 + RANDOM % 12000))}"
    printf '%s\n' tickTime=500 "dataDir=$folder/data" "clientPort=$port" clientPortAddress=127.0.0.1 \
        "maxSessionTimeout=${TURNSTILE_MAX_SESSION_TIMEOUT:-60000}" admin.enableServer=false '4lw.commands.whitelist=*' >"$folder/zoo.cfg"
    java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Dzookeeper.forceSync=no \
        -Dorg.slf4j.simpleLogger.defaultLogLevel=warn \
        -cp /usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar \
        org.apache.zookeeper.server.quorum.QuorumPeerMain "$folder/zoo.cfg" >"$folder/log" 2>&1 &
    server=$!
    until answers "$port"; do
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    if kill -0 "$server" 2>/dev/null; then
        if (($# == 0)); then
            set -- serve_until_interrupted
        fi
        "$@" "127.0.0.1:$port"
        exit
    fi
    [[ -z "$wished" ]] || break
done
echo "the server does not start:" >&2
cat "$folder/log" >&2
exit 1
