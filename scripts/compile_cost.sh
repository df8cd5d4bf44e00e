#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# usage: compile_cost.sh [--lines | ROUNDS]
# What a user's unit with one co_await on a mutex costs the compiler, against the same unit with a timer of Asio in its
# place: the least of the user times of ROUNDS rounds (7), the units in turn. Fails above 1.1. Told besides: the cost
# against the least that Asio can be asked for. CXX and CXXFLAGS (-O0) are taken from the environment.
# --lines compares the lines that the compiler is given, which are the same on each machine, busy or not: CI's form.
set -euo pipefail

rounds="${1:-7}"
if (($# > 1)) || ! [[ "$rounds" =~ ^([1-9][0-9]*|--lines)$ ]]; then
    sed -n '3p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cxx="${CXX:-c++}"
read -r -a flags <<<"${CXXFLAGS:--O0}"
most=1.1
most_lines=0.95 # with Asio's timers it would be 1.07
units=(asio_timer asio_post turnstile)

if [[ "$rounds" == --lines ]]; then
    lines() { "$cxx" -std=c++20 "${flags[@]}" -I"$root/include" -E -P "$root/test/compile_cost/$1.cpp" | wc -l; }
    awk -v ours="$(lines turnstile)" -v timer="$(lines asio_timer)" -v most="$most_lines" 'BEGIN {
        printf "turnstile gives the compiler %d lines, %.2f times those of asio_timer (at most %s)\n", ours, ours / timer, most
        exit ours / timer > most }'
    exit
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# User time, and the least of it: what else the machine does can only add. The first round warms the caches, and is not
# counted.
TIMEFORMAT=%U
for ((round = 0; round <= rounds; round++)); do
    for unit in "${units[@]}"; do
        { time "$cxx" -std=c++20 "${flags[@]}" -I"$root/include" -c "$root/test/compile_cost/$unit.cpp" \
            -o "$work/$unit.o" 2>"$work/errors"; } 2>"$work/time" || { cat "$work/errors" >&2; exit 1; }
        ((round == 0)) || cat "$work/time" >>"$work/$unit.times"
    done
done

least() { sort -n "$work/$1.times" | head -n 1; }
for unit in "${units[@]}"; do
    printf '%-12s %.2f s\n' "$unit" "$(least "$unit")"
done
awk -v ours="$(least turnstile)" -v timer="$(least asio_timer)" -v bare="$(least asio_post)" -v most="$most" 'BEGIN {
    printf "turnstile costs %.2f times asio_timer (at most %s), %.2f times asio_post\n", ours / timer, most, ours / bare
    exit ours / timer > most }'
