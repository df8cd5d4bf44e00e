#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What scripts/check_includes.sh reports, and what it lets pass: in a small tree of its own, one planted file at a time.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir "$work/scripts"
cp "$root/scripts/check_includes.sh" "$work/scripts/"
git -C "$work" init -q

put() { # FILE TEXT
    mkdir -p "$work/$(dirname "$1")"
    printf '%s\n' "$2" >"$work/$1"
}
put src/protocol/time/instant.hpp '#include <chrono>'
put src/protocol/queue/lock_queue.hpp '#include "protocol/time/instant.hpp"'
put src/protocol/session/machine.hpp '#include "protocol/queue/lock_queue.hpp"'
put src/protocol/settings.hpp '#include "protocol/time/instant.hpp"'
put src/session/session_driver.hpp '#include "protocol/session/machine.hpp"'
put test/support/server.hpp '#include "protocol/time/instant.hpp"'
put test/chaos/run.hpp '#include "support/server.hpp"'
put test/chaos/lane.hpp '#include "run.hpp"'
put test/simulation/world.hpp '#include "model/tree.hpp"'
put test/promises/judge.hpp '#include "event.hpp"'
put test/promises/unit/judge_test.cpp '#include "support/server.hpp"'
put test/support/journal.hpp '#include "promises/judge.hpp"'
put test/model/tree.hpp '#include "protocol/time/instant.hpp"'
put test/unit/protocol/fixture.hpp '#include "support/server.hpp"'
put test/unit/protocol/queue/planted_test.cpp '#include "unit/protocol/fixture.hpp"'
put test/check/unit/parsers_test.cpp '#include "protocol/time/instant.hpp"'
put bench/target.hpp '#include "support/server.hpp"'
put bench/strategies/strategy_session.hpp '#include "zookeeper/client.hpp"'
put tools/turnstile/verbs/run.hpp '#include "options/wish.hpp"'
put tools/turnstile/options/wish.hpp '#include <string>'

output=""
status=0
check() {
    status=0
    output="$("$work/scripts/check_includes.sh" 2>&1)" || status=$?
}
fail() {
    printf 'FAILED: %s\n%s\n' "$1" "$output" >&2
    exit 1
}

check
((status == 0)) || fail "an orderly tree is refused"

# refused FILE TEXT REPORT: with such a file the check fails, and its one line says FILE:1: ... REPORT
refused() {
    put "$1" "$2"
    check
    ((status == 1)) || fail "$1 with '$2' passes"
    [[ "$output" == "$1:1: "*"$3"* && "$output" != *$'\n'* ]] || fail "$1 with '$2' is reported in other words"
    rm "$work/$1"
}
refused tools/turnstile/layer.hpp '#include "protocol/time/instant.hpp"' 'only what lies below tools/turnstile'
refused tools/turnstile/detail.hpp '#include <turnstile/detail/limit.hpp>' 'only what users may include'
refused src/protocol/time/up.hpp '#include "protocol/queue/lock_queue.hpp"' 'queue is above it'
refused src/protocol/queue/up.hpp '#include "protocol/session/machine.hpp"' 'session is above it'
refused src/protocol/time/out.hpp '#include "protocol/settings.hpp"' 'settings.hpp is above it'
refused src/protocol/queue/gone.hpp '#include "protocol/away.hpp"' 'no such module'
refused src/protocol/stray.hpp '#include <string>' 'no module'
refused src/protocol/attic/old.hpp '#include <string>' 'no module'
refused src/protocol/queue/io.hpp '#include <thread>' 'no threads and no I/O'
refused src/protocol/queue/layer.hpp '#include "session/session_driver.hpp"' 'only "protocol/"'
refused src/session/dots.hpp '#include "../protocol/queue/lock_queue.hpp"' 'write the path'
refused test/simulation/up.hpp '#include "unit/protocol/fixture.hpp"' 'simulation>unit is not among test_arrows'
refused test/model/up.hpp '#include "simulation/world.hpp"' 'model>simulation is not among test_arrows'
refused test/matrix/aside.hpp '#include "chaos/run.hpp"' 'matrix>chaos is not among test_arrows'
refused test/support/up.hpp '#include "chaos/run.hpp"' 'support>chaos is not among test_arrows'
refused test/promises/product.hpp '#include "protocol/time/instant.hpp"' 'test/promises includes'
refused test/promises/public.hpp '#include <turnstile/error.hpp>' 'test/promises includes'
refused test/promises/up.hpp '#include "support/server.hpp"' 'test/promises includes'
refused test/check/blind.hpp '#include "protocol/time/instant.hpp"' 'the checker includes'
refused bench/bridge.hpp '#include "zookeeper/client.hpp"' 'only bench/strategies'
refused bench/strategies/inside.hpp '#include "session/locks/lock_object.hpp"' 'only "zookeeper/" and "protocol/"'
refused bench/aside.hpp '#include "chaos/run.hpp"' 'bench>chaos is not among test_arrows'

for number in {1..26}; do
    put "src/session/crowd/$number.hpp" '#include <string>'
done
check
[[ "$output" == "src/session/crowd:1: 26 files: at most 25"* ]] || fail "26 files in one folder pass"
rm -r "$work/src/session/crowd"

check
((status == 0)) || fail "an orderly tree is refused after all"
echo "the directions of includes are held"
