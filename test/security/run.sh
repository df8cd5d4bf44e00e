#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# run.sh PROGRAM [ARGUMENT...]: runs a program that takes a server's address as its last argument against the TLS port
# of a real ZooKeeper server, through stunnel with the configuration that docs/security.md shows (test/security/stunnel.conf),
# and shows what is refused. Exits with 77 and says why where a program that it needs is not installed.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
if [[ $# -eq 0 ]]; then
    echo "usage: run.sh PROGRAM [ARGUMENT...]" >&2
    exit 2
fi

shown="$(awk '/^```ini$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$here/../../docs/security.md")"
if ! diff <(printf '%s\n' "$shown") "$here/stunnel.conf"; then
    echo "FAILED: docs/security.md does not show test/security/stunnel.conf: copy the file into its ini block" >&2
    exit 1
fi

lacking=()
for tool in java openssl stunnel4; do
    command -v "$tool" >/dev/null || lacking+=("$tool")
done
jars=/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar
for jar in netty-codec netty-resolver; do # the rest is in the manifest of zookeeper.jar, these are not
    [[ -e "/usr/share/java/$jar.jar" ]] || lacking+=("$jar.jar")
    jars+=":/usr/share/java/$jar.jar"
done
if ((${#lacking[@]} > 0)); then
    echo "SKIPPED: not installed: ${lacking[*]} (Debian's packages stunnel4, openssl, libnetty-java)"
    exit 77
fi

folder="$(mktemp -d)"
started=()
stop() {
    for process in "${started[@]}"; do
        kill -9 "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap stop EXIT

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    tail -n 20 "$folder"/*.log >&2
    exit 1
}

# ---- certificates: an authority, a server of its own name, a client; and an authority that nobody trusts ---------------

authority() { # NAME
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
        -keyout "$folder/$1.key" -out "$folder/$1.pem"
}
certificate() { # NAME AUTHORITY HOST
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$3" \
        -keyout "$folder/$1.key" -out "$folder/$1.csr"
    openssl x509 -req -days 2 -in "$folder/$1.csr" -CA "$folder/$2.pem" -CAkey "$folder/$2.key" -CAcreateserial \
        -extfile <(printf 'subjectAltName=DNS:%s,IP:127.0.0.1\n' "$3") -out "$folder/$1.pem"
}
{
    authority ca
    authority other-ca
    certificate server ca zk1.example.org
    certificate client ca worker.example.org
    certificate stranger other-ca stranger.example.org
} >"$folder/openssl.log" 2>&1 || fail "openssl"
cat "$folder/server.key" "$folder/server.pem" >"$folder/server-store.pem"

# ---- the server: a TLS port and no other ------------------------------------------------------------------------------

mode_at() { # PORT: what `srvr` answers there
    { exec 3<>"/dev/tcp/127.0.0.1/$1" && printf srvr >&3 && timeout 5 cat <&3; } 2>/dev/null | grep -a '^Mode:' || true
}
says() { grep -q "$1" "$2" 2>/dev/null; }
await() { # SECONDS WHAT COMMAND...: until the command succeeds
    local end=$((SECONDS + $1)) what="$2"
    shift 2
    until "$@"; do
        ((SECONDS < end)) || fail "$what"
        sleep 0.1 # nothing tells but the file or the port itself
    done
}

in_use() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
port=
while [[ -z "$port" ]]; do
    port=$((20000 + RANDOM % 12000))
    for offset in 0 1 2 3 4 5; do # the server's, and the tunnels'
        if [[ -n "$port" ]] && in_use $((port + offset)); then port=; fi
    done
done
cat >"$folder/zoo.cfg" <<END
tickTime=500
dataDir=$folder/data
secureClientPort=$port
secureClientPortAddress=127.0.0.1
serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
ssl.keyStore.location=$folder/server-store.pem
ssl.keyStore.type=PEM
ssl.trustStore.location=$folder/ca.pem
ssl.trustStore.type=PEM
ssl.clientAuth=need
admin.enableServer=false
END
java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Dzookeeper.forceSync=no \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=info -cp "$jars" \
    org.apache.zookeeper.server.quorum.QuorumPeerMain "$folder/zoo.cfg" >"$folder/server.log" 2>&1 &
started+=($!)
await 30 "the server does not bind its TLS port" says "bound to port $port" "$folder/server.log"

# ---- stunnels, each with one thing other than the good one ------------------------------------------------------------

tunnel() { # NAME PORT SED_SCRIPT
    sed -e "s|127.0.0.1:21811|127.0.0.1:$2|" -e "s|zk1.example.org:2281|127.0.0.1:$port|" \
        -e "s|/etc/turnstile|$folder|" -e "$3" "$here/stunnel.conf" >"$folder/$1.conf"
    stunnel4 "$folder/$1.conf" >"$folder/$1.log" 2>&1 &
    started+=($!)
    await 10 "stunnel does not start ($1)" says "Configuration successful" "$folder/$1.log"
}
good=$((port + 1))
tunnel good "$good" ''
tunnel wrong-authority $((port + 2)) "s|^CAfile.*|CAfile = $folder/other-ca.pem|"
tunnel wrong-host $((port + 3)) 's|^checkHost.*|checkHost = zk2.example.org|'
tunnel stranger $((port + 4)) "s|/client\\.|/stranger.|"
tunnel no-certificate $((port + 5)) '/^cert /d;/^key /d'

passes_through() { [[ -n "$(mode_at "$1")" ]]; }
await 20 "nothing passes through the good tunnel" passes_through "$good"
echo "through the tunnel: $(mode_at "$good")"
for refused in 2:wrong-authority 3:wrong-host 4:stranger 5:no-certificate; do
    ! passes_through $((port + ${refused%%:*})) || fail "${refused#*:}: the tunnel lets through"
    echo "refused: ${refused#*:}"
done
says 'CERT: ' "$folder/wrong-authority.log" || fail "wrong-authority: refused for another reason"
says 'CERT: ' "$folder/wrong-host.log" || fail "wrong-host: refused for another reason"
! passes_through "$port" || fail "the TLS port answers in clear text"
echo "refused: clear text"

"$@" "127.0.0.1:$good"
