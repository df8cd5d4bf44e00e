#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# soak.sh COMMAND [OPTION...]: builds what a long test needs and runs it. The last line of the standard output is one JSON
# object; all else goes to the standard error. Each command is a function below, soak_<command>. N, M: from 1 on; K: from 0 on.
#
#   chaos [--minutes M] [--seed K] [--only LOCK] [--settings SETTINGS] [--lose-one-in K] [--guard]
#         [--no-namespaces | --namespaces-if-allowed] [--keep FOLDER]
#       real servers, worker processes and a seeded schedule of faults on all of them, then the checker over what they wrote;
#       --only: with one kind of lock, which is mutex, shared, semaphore, single-node, guarded (counters that only the holder
#       writes), election (with observers) or multi (several as one);
#       --settings: how the servers are set, by a name of test/support/server_settings.hpp; in-turn: each of them, for --minutes
#       each; today: another one each day;
#       --lose-one-in: of so many watch events (200) one never comes; 0: all come;
#       --guard: a host guard ends the sessions of workers that are killed, and is killed and stopped itself;
#       the histories and logs of a run with violations are kept, here or at --keep;
#       a run in which the servers themselves lost data ends with 3, and says so ("the servers lost data by themselves")
#   survive [--leader-crashes K] [--rolling-restarts K] [--cuts K] [--holder-crashes K]
#       locks at the default session timeout while leaders are killed, servers restarted and connections cut for a moment (100,
#       20 and 120): none may be lost; and how long the next in line waits when the process that holds a lock is killed (48)
#   partition [--runs N] [--seed K] [--longest N] [--unstated]
#       a holder's server is parted from the others, or paused, at ticks of 200 ms to 2 s and session timeouts of 2 to 20 ticks:
#       the holder must be told its loss before the next has the lock; 100 runs, about an hour, and network namespaces
#   interop [--acquisitions N] [--leader-crashes K] [--seed K] [--peer NAME] [--settings SETTINGS]
#       the mutex on one path with the locks of Curator, Kazoo, ZooKeeper's Java recipe and go-zookeeper's names, one kind of
#       peer after the other, while leaders crash: 10,000 locks held by each side, 10 crashes
#   simulate [--seeds N] [--from K]
#       the protocol's machines against a modelled ensemble; turnstile-simulate --seed K shows what happened in one
#   truth [--seeds N] [--from K]
#       the modelled server against a real one; turnstile-truth --seed K shows what happened in one
#   planted [--part K/N] [--seeds N]
#       each planted bug of test/planted, or a part of them, one after the other in a copy of the tree: its finder must find it;
#       scripts/planted.py hunt NAME hunts one
#   matrix [--seed K] [--cell NAME] [--at-once N] [--slower N] [--list] [--verbose]
#       broken frames, lost events and deleted tickets with each kind of lock on three real servers; on a busy machine with session
#       timeouts that are so many times longer
#   fuzz [--seconds N]
#       what parses bytes or names from outside, under libFuzzer
#   sanitizers
#       all tests under AddressSanitizer with UndefinedBehaviorSanitizer, and under ThreadSanitizer
#   builds
#       what builds the library in ways that CI has no time for: clang 14 and 16 and libc++, each source alone, a consumer for each
#       way in, the Debian packages, the ABI, what a user's unit costs the compiler; and each row of the bench
#   sizes
#       a million names, 10,000 waiters through a reconnect, a storm on one budget;
#       about a quarter of an hour
#   attacks
#       registrations at a host guard by another user of this host, of 28 kinds, and how long hand-overs take meanwhile; needs root
#   silence
#       by how much releases, leaders and the command's verbs outlast their limits once the servers are away
#   all
#       all of the above, one after the other, which takes hours: a million seeds of the simulation, 10,000 of the comparison with a
#       real server, 30 minutes of chaos with all kinds of lock, and 30 with each of them alone
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="$root/build/release"

say() { printf 'soak: %s\n' "$*" >&2; }

stop() {
    say "$@"
    exit 2
}

usage() { sed -n '3,/^set /{s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }

# What each command takes: an option alone, or followed by what its value is (N, K, LOCK or anything else).
declare -A takes=(
    [chaos]="--minutes=N --seed=K --only=LOCK --settings=NAME --lose-one-in=K --keep=FOLDER --guard --no-namespaces --namespaces-if-allowed"
    [survive]="--leader-crashes=K --rolling-restarts=K --cuts=K --holder-crashes=K"
    [partition]="--runs=N --seed=K --longest=N --unstated"
    [interop]="--acquisitions=N --leader-crashes=K --seed=K --peer=NAME --settings=NAME"
    [simulate]="--seeds=N --from=K"
    [truth]="--seeds=N --from=K"
    [planted]="--part=K/N --seeds=N"
    [matrix]="--seed=K --cell=NAME --at-once=N --slower=N --list --verbose"
    [fuzz]="--seconds=N"
    [sanitizers]=""
    [builds]=""
    [sizes]=""
    [attacks]=""
    [silence]=""
    [all]=""
)

# check_arguments COMMAND [ARGUMENT...]: stops, before anything is built, at what the command does not take.
check_arguments() {
    local command="$1" option
    shift
    while (($# > 0)); do
        for option in ${takes[$command]} ""; do
            [[ "${option%%=*}" != "$1" ]] || break
        done
        [[ -n "$option" ]] || stop "$command does not take \"$1\", but ${takes[$command]:-nothing}"
        if [[ "$option" == *=* ]]; then
            (($# > 1)) && [[ -n "$2" && "$2" != --* ]] || stop "$command: $1 needs a value"
            case "${option#*=}" in
                N) [[ "$2" =~ ^[1-9][0-9]{0,14}$ ]] || stop "$command: $1 must be a whole number from 1 on, not \"$2\"" ;;
                LOCK) [[ "$2" =~ ^(mutex|shared|semaphore|single-node|guarded|election|multi)$ ]] || stop "$command: no kind of lock is called \"$2\"" ;;
                K) [[ "$2" =~ ^(0|[1-9][0-9]{0,14})$ ]] || stop "$command: $1 must be a whole number from 0 on, not \"$2\"" ;;
            esac
            shift
        fi
        shift
    done
}

# Arguments: the targets that the command needs.
build_targets() {
    {
        "$root/scripts/setup.sh"
        (cd "$root" && cmake --preset release)
        cmake --build "$build" -j "$(nproc)" --target "$@"
    } >&2
}

# The namespaces of a run that could not remove them itself, by its process id.
remove_namespaces() {
    local name
    for name in /run/netns/turnstile-chaos-"$1"-*; do
        [[ -e "$name" ]] && ip netns del "${name##*/}" || true
    done
}

# The names of the settings of servers.
settings_names() { sed -n '/server_settings_names{/,/};/p' "$root/test/support/server_settings.hpp" | grep -o '"[a-z-]*"' | tr -d '"'; }

# The last line: what each of the settings came to.
soak_chaos_in_turn() {
    local name lines=() failed=0
    for name in $(settings_names); do
        say "settings of the servers: $name"
        lines+=("$("$root/scripts/soak.sh" chaos "$@" --settings "$name" | tail -n 1)") || failed=$((failed + 1))
    done
    printf '{"settings": %d, "failed": %d, "runs": [%s]}\n' "${#lines[@]}" "$failed" "$(IFS=, && echo "${lines[*]}")"
    ((failed == 0))
}

soak_chaos() {
    local minutes=3 seed=1 keep= settings=usual folder status=0 run
    local options=() known
    while (($# > 0)); do
        case "$1" in
            --minutes) minutes="$2"; shift 2 ;;
            --seed) seed="$2"; shift 2 ;;
            --keep) keep="$2"; shift 2 ;;
            --settings) settings="$2"; shift 2 ;;
            *) options+=("$1"); shift ;;
        esac
    done
    if [[ "$settings" == in-turn ]]; then
        soak_chaos_in_turn --minutes "$minutes" --seed "$seed" "${options[@]}"
        return
    elif [[ "$settings" == today ]]; then
        mapfile -t known < <(settings_names)
        settings="${known[$(date +%s) / 86400 % ${#known[@]}]}"
    fi
    build_targets turnstile-chaos turnstile-chaos-worker turnstile-check

    local scratch
    scratch="$(mktemp -d)"
    chmod 755 "$scratch" # another user of the host comes to the guard's socket there
    folder="${keep:-$scratch/run}"
    "$build/test/chaos/turnstile-chaos" --minutes "$minutes" --seed "$seed" --folder "$folder" \
        --settings "$settings" "${options[@]}" >"$scratch/result" &
    run=$!
    # shellcheck disable=SC2064 # the values of now
    trap "kill -TERM $run 2>/dev/null || true; wait $run 2>/dev/null || true; remove_namespaces $run; rm -rf '$scratch'" EXIT
    wait "$run" || status=$?
    cat "$scratch/result" >&2
    ((status < 2)) || stop "the run itself failed"
    check_run "$folder" "$scratch/result" "$status" && return
    status=$?
    if [[ -z "$keep" ]]; then
        keep="$build/chaos-$settings-$seed-$(date +%s)"
        mv "$folder" "$keep"
        say "its histories and logs are kept in $keep"
    fi
    return "$status"
}

# check_run FOLDER RESULT STATUS: the checker's word on a run; its last line sums up what it and the schedule found.
check_run() {
    local checked=0
    "$build/test/check/turnstile-check" --json "$1" >"$2.checked" || checked=$?
    sed '$d' "$2.checked" >&2
    (($3 == 0)) || say "the run does not count: see above"
    tail -n 1 "$2.checked"
    if grep -q "the servers lost data by themselves" "$2.checked"; then
        return 3
    fi
    return $((checked != 0 || $3 != 0))
}

soak_survive() {
    build_targets turnstile-survive
    "$build/test/survive/turnstile-survive" "$@"
}

soak_partition() {
    build_targets turnstile-partition
    "$build/test/partition/turnstile-partition" "$@"
}

soak_interop() {
    "$root/scripts/setup_peers.sh" >&2
    build_targets turnstile-interop
    "$build/test/interop/turnstile-interop" "$@"
}

soak_simulate() {
    [[ " $* " == *" --seeds "* ]] || set -- --seeds 1000000 "$@"
    build_targets turnstile-simulate
    "$build/test/simulation/turnstile-simulate" "$@"
}

soak_truth() {
    build_targets turnstile-truth
    "$build/test/truth/turnstile-truth" "$@"
}

soak_planted() { "$root/scripts/planted.py" hunt "$@"; }

soak_matrix() {
    build_targets turnstile-fault-matrix
    "$build/test/matrix/turnstile-fault-matrix" "$@"
}

soak_fuzz() {
    local seconds=600
    (($# == 0)) || seconds="${*: -1}"
    "$root/scripts/setup.sh" clang libclang-rt-14-dev >&2
    "$root/test/fuzz/run.sh" "$seconds"
}

soak_sanitizers() {
    local preset prefix=() failed=0
    export ASAN_OPTIONS="detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1"
    export UBSAN_OPTIONS="print_stacktrace=1"
    export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1"
    "$root/scripts/setup.sh" clang-16 libclang-rt-16-dev >&2
    for preset in asan tsan; do
        # TSan does not start where the kernel spreads addresses widely.
        [[ "$preset" == asan ]] || ! setarch "$(uname -m)" -R true 2>/dev/null || prefix=(setarch "$(uname -m)" -R)
        {
            (cd "$root" && cmake --preset "$preset") &&
                "${prefix[@]}" cmake --build "$root/build/$preset" -j "$(nproc)" &&
                "${prefix[@]}" ctest --test-dir "$root/build/$preset" --output-on-failure --no-tests=error -j2
        } >&2 || failed=$((failed + 1))
    done
    printf '{"presets": 2, "failed": %d}\n' "$failed"
    ((failed == 0))
}

soak_silence() {
    local output failed=0 program
    build_targets turnstile-command-tests turnstile-integration-tests
    output="$(mktemp)"
    for program in "$build/test/command/turnstile-command-tests" "$build/test/turnstile-integration-tests"; do
        "$program" "[figures]" >>"$output" || failed=$((failed + 1))
    done
    cat "$output" >&2
    sed -n 's/^silence: //p' "$output" | paste -sd, | sed "s/.*/{\"figures\": [&], \"failed\": $failed}/"
    rm -f "$output"
    ((failed == 0))
}

# The last line sums up: how many parts there were, and which of them failed.
soak_builds() {
    local part failed=()
    local parts=(check_clang.sh "check_sources.py tools examples bench" ../test/install/run.sh ../test/install/packages.sh
        check_abi.sh compile_cost.sh ../test/bench/run.sh)
    {
        "$root/scripts/setup.sh" dpkg-dev file abigail-tools xz-utils
        "$root/scripts/setup_peers.sh"
        build_targets turnstile-bench
        for part in "${parts[@]}"; do
            say "$part"
            # shellcheck disable=SC2086
            "$root/scripts/"$part || failed+=("\"${part##*/}\"")
        done
    } >&2
    printf '{"builds": %d, "failed": %d, "failed_builds": [%s]}\n' "${#parts[@]}" "${#failed[@]}" \
        "$(IFS=, && echo "${failed[*]}")"
    ((${#failed[@]} == 0))
}

# The last line: what each size told of itself, and how many of them failed.
soak_sizes() {
    local output status=0
    build_targets turnstile-size-tests
    output="$(mktemp)"
    "$build/test/sizes/turnstile-size-tests" "[soak]" >"$output" || status=$?
    cat "$output" >&2
    sed -n 's/^figures: //p' "$output" | paste -sd, | sed "s/.*/{\"sizes\": [&], \"failed\": $status}/"
    rm -f "$output"
    return $((status != 0))
}

# The last line: how long hand-overs took under each attack, in milliseconds, and how many test cases failed.
soak_attacks() {
    local output status=0
    build_targets turnstile-command-tests
    output="$(mktemp)"
    "$build/test/command/turnstile-command-tests" "[soak]" >"$output" || status=$?
    cat "$output" >&2
    sed -n 's/^attack: //p' "$output" | paste -sd, | sed "s/.*/{\"attacks\": [&], \"failed\": $status}/"
    rm -f "$output"
    return $((status != 0))
}

# The last line sums up: how many parts there were, and which of them failed.
soak_all() {
    local part failed=()
    local parts=("planted" "fuzz" "sizes" "attacks" "silence" "matrix" "simulate --seeds 1000000" "truth --seeds 10000"
        "survive" "partition" "interop" "sanitizers" "builds" "chaos --minutes 30")
    for part in mutex shared semaphore single-node guarded election multi; do
        parts+=("chaos --minutes 30 --only $part")
    done
    for part in "${parts[@]}"; do
        say "$part"
        # shellcheck disable=SC2086
        "$root/scripts/soak.sh" $part || failed+=("\"$part\"")
    done
    printf '{"parts": %d, "failed": %d, "failed_parts": [%s]}\n' "${#parts[@]}" "${#failed[@]}" \
        "$(IFS=, && echo "${failed[*]}")"
    ((${#failed[@]} == 0))
}

main() {
    if [[ " $* " == *" --help "* ]]; then
        usage
        return
    fi
    if (($# == 0)); then
        usage >&2
        return 2
    fi
    local command="$1"
    shift
    [[ -n "$command" && -n "${takes[$command]+known}" ]] || stop "no command \"$command\"; --help tells which there are"
    check_arguments "$command" "$@"
    "soak_$command" "$@"
}

main "$@"
