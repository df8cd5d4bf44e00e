#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What scripts/soak.sh takes, what it refuses before anything is built, and how it sums up. Nothing is built or run: what
# it calls are stand-ins that write down how they were called, and fail if their name stands in the file "failing".
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

stand_in() { # FILE below $work
    mkdir -p "$(dirname "$work/$1")"
    cat >"$work/$1" <<SCRIPT
#!/usr/bin/env bash
echo "${1##*/} \$*" >>"$work/calls"
[[ "\$*" != *--json* && "${1##*/}" != turnstile-size-tests ]] || echo "figures: {}"
[[ "${1##*/}" != turnstile-command-tests ]] || echo "attack: {}"
[[ "${1##*/}" != turnstile-chaos || "\$*" != *--folder* ]] || mkdir "\$(sed 's/.*--folder \([^ ]*\).*/\1/' <<<"\$*")"
! grep -qxF -- "${1##*/}" "$work/failing"
SCRIPT
    chmod +x "$work/$1"
}
mkdir "$work/scripts"
cp "$root/scripts/soak.sh" "$work/scripts"
for file in bin/cmake bin/ctest bin/ip scripts/setup{,_peers}.sh scripts/{check_{clang.sh,sources.py,abi.sh},compile_cost.sh,planted.py} test/fuzz/run.sh test/install/{run,packages}.sh test/bench/run.sh build/release/test/{chaos/turnstile-chaos,check/turnstile-check} \
    build/release/test/{survive/turnstile-survive,partition/turnstile-partition,interop/turnstile-interop,simulation/turnstile-simulate,truth/turnstile-truth} \
    build/release/test/{turnstile-integration-tests,matrix/turnstile-fault-matrix,sizes/turnstile-size-tests,command/turnstile-command-tests}; do
    stand_in "$file"
done

fail() {
    printf 'FAILED: %s: %s\n' "$case" "$1" >&2
    sed 's/^/    /' "$work/output" "$work/errors" "$work/calls" >&2
    exit 1
}

# soak STATUS [ARGUMENT...]: runs soak.sh, which should end with STATUS
soak() {
    local expected="$1" status=0
    shift
    case="soak.sh $*"
    : >"$work/calls"
    PATH="$work/bin:$PATH" "$work/scripts/soak.sh" "$@" >"$work/output" 2>"$work/errors" || status=$?
    [[ "$status" == "$expected" ]] || fail "it ended with $status instead of $expected"
}
says() { grep -qF -- "$1" "$work/errors" || fail "it does not say \"$1\""; }
calls() { grep -qxF -- "$1" "$work/calls" || fail "it does not call \"$1\""; }
refuses() { # SAYING ARGUMENT...
    soak 2 "${@:2}"
    says "$1"
    [[ ! -s "$work/calls" ]] || fail "it called something"
    [[ ! -s "$work/output" ]] || fail "it wrote to the standard output"
}
: >"$work/failing"

commands=(chaos survive partition interop simulate truth planted matrix fuzz sanitizers builds sizes attacks silence all)
for command in "${commands[@]}"; do
    refuses "$command does not take \"--nonsense\"" "$command" --nonsense
    refuses "$command does not take \"7\"" "$command" 7
    refuses "$command does not take \"\"" "$command" ""
done
for with_value in "chaos --keep" "chaos --only" "chaos --minutes" "chaos --seed" "fuzz --seconds" "matrix --cell" "planted --seeds" "planted --part" \
    "simulate --from" "survive --holder-crashes" "interop --peer" "truth --seeds"; do
    read -r command option <<<"$with_value"
    refuses "$command: $option needs a value" "$command" "$option"
    refuses "$command: $option needs a value" "$command" "$option" --verbose
done
for bad in 0 -1 x 1.5 08 " 1" 99999999999999999999; do
    refuses "must be a whole number from 1 on" chaos --seed 1 --minutes "$bad"
    refuses "must be a whole number from 1 on" fuzz --seconds "$bad"
    refuses "must be a whole number from 1 on" simulate --from 3 --seeds "$bad"
    [[ "$bad" == 0 ]] || refuses "must be a whole number from 0 on" survive --leader-crashes "$bad"
done
refuses "chaos: no kind of lock is called \"mutexes\"" chaos --only mutexes
refuses "no command \"nonsense\"" nonsense
refuses "no command \"\"" ""
refuses "soak.sh COMMAND [OPTION...]"

for asked in "--help" "chaos --help" "fuzz --seconds --help"; do
    # shellcheck disable=SC2086
    soak 0 $asked
    for command in "${commands[@]}"; do
        grep -q "^  $command\b" "$work/output" || fail "it does not tell of $command"
    done
done

soak 0 simulate
calls "turnstile-simulate --seeds 1000000"
soak 0 simulate --from 7
calls "turnstile-simulate --seeds 1000000 --from 7"
soak 0 simulate --from 7 --seeds 8
calls "turnstile-simulate --from 7 --seeds 8"
soak 0 planted --part 2/20
calls "planted.py hunt --part 2/20"
soak 0 fuzz --seconds 5
calls "setup.sh clang libclang-rt-14-dev"
calls "run.sh 5"
soak 0 builds
calls "check_sources.py tools examples bench"
last='{"builds": 7, "failed": 0, "failed_builds": []}'
[[ "$(tail -n 1 "$work/output")" == "$last" ]] || fail "its last line is not $last"
soak 0 survive --leader-crashes 0
calls "turnstile-survive --leader-crashes 0"
soak 0 interop --peer kazoo-lock
calls "setup_peers.sh "
calls "turnstile-interop --peer kazoo-lock"
soak 0 matrix --cell mutex/enqueue --slower 3 --verbose
calls "turnstile-fault-matrix --cell mutex/enqueue --slower 3 --verbose"

last_line_is() { [[ "$(tail -n 1 "$work/output")" == "$1" ]] || fail "its last line is not $1"; }
soak 0 all
last_line_is '{"parts": 21, "failed": 0, "failed_parts": []}'
calls "cmake --preset asan"
calls "turnstile-simulate --seeds 1000000"
printf '%s\n' ctest turnstile-truth turnstile-chaos >"$work/failing"
soak 1 all
chaos='"chaos --minutes 30"'
for lock in mutex shared semaphore single-node guarded election multi; do
    chaos+=",\"chaos --minutes 30 --only $lock\""
done
last_line_is "{\"parts\": 21, \"failed\": 10, \"failed_parts\": [\"truth --seeds 10000\",\"sanitizers\",$chaos]}"

# A run in which the servers lost data counts neither way.
cat >"$work/build/release/test/check/turnstile-check" <<'SCRIPT'
#!/usr/bin/env bash
echo "log: the servers lost data by themselves: server-3 lacks 76 transactions"
echo '{"violations":1}'
exit 1
SCRIPT
: >"$work/failing"
rm -rf "$work"/build/release/chaos-*
soak 3 chaos --seed 7
says "server-3 lacks 76 transactions"
last_line_is '{"violations":1}'
# What it wrote is kept.
kept=("$work"/build/release/chaos-usual-7-*)
[[ -d "${kept[0]}" ]] || fail "it kept nothing"
says "${kept[0]}"
soak 3 chaos --seed 8 --keep "$work/kept"
[[ -d "$work/kept" ]] || fail "it kept nothing in the folder that was asked for"

echo "scripts/soak.sh takes what it should"
