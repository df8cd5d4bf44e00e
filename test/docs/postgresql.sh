#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# postgresql.sh: runs the statements of order_store.sql, which the cookbook names, on a PostgreSQL server of its own: the last
# holder writes between the next holder's read and its write, and is refused. Exits with 77 and says why where PostgreSQL is
# not installed.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
programs="$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)"
if [[ ! -x "$programs/initdb" ]] || ! command -v psql >/dev/null; then
    echo "SKIPPED: not installed: PostgreSQL (Debian's package postgresql)"
    exit 77
fi
as_user=() # the server refuses to run as root
if [[ "$(id -u)" == 0 ]]; then
    as_user=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi

folder="$(mktemp -d)"
server=
stop() {
    if [[ -n "$server" ]]; then
        kill -QUIT "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap stop EXIT
fail() {
    printf 'FAILED: %s\n' "$*" >&2
    tail -n 20 "$folder"/log "$folder"/output >&2 || true
    exit 1
}

chmod 755 "$folder"
mkdir "$folder/own"
[[ "$(id -u)" != 0 ]] || chown postgres:postgres "$folder/own"
cd "$folder/own"
"${as_user[@]}" env LC_ALL=C.UTF-8 "$programs/initdb" -D data -A trust -U tester --no-sync >"$folder/log" 2>&1 ||
    fail "initdb"
"${as_user[@]}" "$programs/postgres" -D data -c listen_addresses= -c "unix_socket_directories=$folder/own" -c fsync=off \
    >>"$folder/log" 2>&1 &
server=$!
ask() { psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$folder/own" -U tester -d postgres "$@"; }
until ask -c 'SELECT 1' >/dev/null 2>&1; do
    kill -0 "$server" 2>/dev/null || fail "the server does not start"
    sleep 0.05
done

old=0000000000000007-0000000000000000
new=000000000000000a-0000000000000000
{
    cat "$here/order_store.sql"
    printf '%s\n' '\echo first reads' "EXECUTE make ('4711');" "EXECUTE read ('4711', '$old');"
    printf '%s\n' '\echo second reads' "EXECUTE make ('4711');" "EXECUTE read ('4711', '$new');"
    printf '%s\n' '\echo first writes' "EXECUTE write ('4711', '$old', 1);" '\echo first reads again' "EXECUTE read ('4711', '$old');"
    printf '%s\n' '\echo second writes' "EXECUTE write ('4711', '$new', 1);" "EXECUTE write ('4711', '$new', 2);"
} >"$folder/race.sql"
ask -f "$folder/race.sql" >"$folder/output" 2>&1 || fail "psql"
expected="first reads
0
second reads
0
first writes
first reads again
second writes
1
2"
[[ "$(cat "$folder/output")" == "$expected" ]] || fail "the store answers something else"
echo "the late write is refused, and the late read, too"
