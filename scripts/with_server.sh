#!/usr/bin/env bash
# with_server.sh COMMAND...: starts a private ZooKeeper on a free loopback port in a temporary folder, runs the command
# with its address as the last argument, and stops the server. TURNSTILE_MAX_SESSION_TIMEOUT: the longest timeout that the
# server grants, in milliseconds.
set -euo pipefail

if [[ $# -eq 0 ]]; then
    echo "usage: with_server.sh COMMAND [ARGUMENT...]" >&2
    exit 2
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

answers() { # the server says in which mode it serves
    { exec 3<>"/dev/tcp/127.0.0.1/$1" && printf srvr >&3 && timeout 2 cat <&3; } 2>/dev/null | grep -q '^Mode:'
}

for _ in 1 2 3 4 5; do # the port may be taken between choice and use
    port=$((20000 + RANDOM % 12000))
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
        "$@" "127.0.0.1:$port"
        exit
    fi
done
echo "the server does not start:" >&2
cat "$folder/log" >&2
exit 1
