#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# hand_over.sh PROGRAM ADDRESS: two processes. The leader gets SIGTERM, saves how far it came, and hands over. The next one
# goes on from there.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start first "$1" "$2" "$folder/progress"
first="$!"
await "the first leader" says first '^leads, goes on from 0$'
start second "$1" "$2" "$folder/progress"
second="$!"
await "some work" says first '^row 2$'
kill -TERM "$first"
ends_with 0 "$first"
saved="$(sed -n 's/^saved //p' "$folder/first.log")"
((saved >= 2)) || fail "the first leader has saved '$saved' rows"
await "the second leader" says second '^leads'
says second "^leads, goes on from $saved\$" || fail "the second leader does not go on from $saved"
kill -TERM "$second"
ends_with 0 "$second"
cat "$folder"/*.log
