#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# leader.sh PROGRAM ADDRESS: three processes. The leader is killed, and another one takes over when the session of the dead
# one is over. The next leader gets SIGTERM, and the third one takes over at once.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

for _ in 1 2 3; do
    start leaders "$1" "$2"
done
leader() { sed -n 's/^\([0-9]*\) leads, .*/\1/p' "$folder/leaders.log" | tail -n 1; }
leads() { [[ -n "$(leader)" ]]; }
other_leads() { [[ "$(leader)" != "$1" ]]; }

await "a leader" leads
first="$(leader)"
await "its work" says leaders "^$first does the leader's work"
kill -9 "$first"
await "another leader" other_leads "$first"

second="$(leader)"
kill -TERM "$second"
started_at="$(date +%s%N)"
await "the third leader" other_leads "$second"
took=$((($(date +%s%N) - started_at) / 1000000))
ends_with 0 "$second"
says leaders "^$second steps down" || fail "it does not say that it steps down"

third="$(leader)"
kill -TERM "$third"
ends_with 0 "$third"
cat "$folder/leaders.log"
# The sessions last 8 s here: so much less shows that nobody waited for the end of one.
((took < 5000)) || fail "the leader that was told to end handed over after $took ms"
echo "handed over after $took ms"
