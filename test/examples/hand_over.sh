#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# hand_over.sh PROGRAM ADDRESS: three processes. The leader gets SIGTERM, saves how far it came, and hands over: the next one
# leads only then, and goes on from there. That one is killed, and the third one goes on from the same place.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

for _ in 1 2 3; do
    start leaders "$1" "$2" "$folder/progress"
done
leader() { sed -n 's/^\([0-9]*\) leads, .*/\1/p' "$folder/leaders.log" | tail -n 1; }
leads() { [[ -n "$(leader)" ]]; }
other_leads() { [[ "$(leader)" != "$1" ]]; }
place() { grep -nE -m 1 -- "$1" "$folder/leaders.log" | cut -d : -f 1; }

await "a leader" leads
first="$(leader)"
says leaders "^$first leads, goes on from 0$" || fail "the first leader goes on from elsewhere"
await "some work" says leaders '^row 2$'
kill -TERM "$first"
ends_with 0 "$first"
saved="$(sed -n 's/^saved //p' "$folder/leaders.log")"
((saved >= 2)) || fail "the first leader has saved '$saved' rows"
await "the second leader" other_leads "$first"
second="$(leader)"
says leaders "^$second leads, goes on from $saved\$" || fail "the second leader does not go on from $saved"
(($(place "^$second leads") > $(place '^saved '))) || fail "two lead at a time"

await "its work" says leaders "^row $((saved + 2))\$"
kill -9 "$second"
await "the third leader" other_leads "$second"
third="$(leader)"
says leaders "^$third leads, goes on from $saved\$" || fail "the third leader does not go on from $saved"
kill -TERM "$third"
ends_with 0 "$third"
cat "$folder/leaders.log"
