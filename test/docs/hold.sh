#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# The section of docs/command-line.md that is under a lock; test/command/hold_test.cpp runs it.
coproc turnstile hold --no-wait /locks/deploy
hold=$!
exec {section}>/dev/fd/"${COPROC[1]}" {COPROC[1]}>&- && read -r token <&"${COPROC[0]}" ||
    { wait "$hold"; exit; } # it was not acquired
./migrate.sh "$token"       # under the lock, as all that follows
kill -0 "$hold" 2>/dev/null || { wait "$hold"; exit; } # it was lost: no further step
exec {section}>&-           # releases it
wait "$hold"                # 0, or 123 if the lock was lost meanwhile
