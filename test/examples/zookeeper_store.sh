#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# zookeeper_store.sh STORE PROGRAM ADDRESS: the program takes a lock twice, and tells its two tokens. The store refuses the
# older one. Exits with 77 and says why where Kazoo is not installed.
set -euo pipefail

python=/usr/bin/python3 # Debian's, which finds Debian's packages
if ! "$python" -c 'import kazoo' 2>/dev/null; then
    echo "SKIPPED: not installed: Kazoo (Debian's package python3-kazoo)"
    exit 77
fi
token() { "$1" "$2" | sed -n 's/^holding, token //p'; }
older="$(token "$2" "$3")"
newer="$(token "$2" "$3")"
printf '%s\n' "$older" "$newer"
said="$("$python" "$1" "$3" "$older" "$newer")"
printf '%s\n' "$said"
[[ "$said" == "first holder: read 0
second holder: read 0
first holder: order 4711 is refused
second holder: wrote 1" ]]
