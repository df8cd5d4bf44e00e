#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# usage: compile_cost.sh [ROUNDS]
# What a user's unit with one co_await on a mutex costs the compiler, against the same unit with a timer of Asio in its
# place: the median of the user times of ROUNDS rounds (5), the units in turn. Fails above 1.1. Told besides: the cost
# against the least that Asio can be asked for. CXX and CXXFLAGS (-O0) are taken from the environment.
set -euo pipefail

rounds="${1:-5}"
if (($# > 1)) || ! [[ "$rounds" =~ ^[1-9][0-9]*$ ]]; then
    sed -n '3p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cxx="${CXX:-c++}"
read -r -a flags <<<"${CXXFLAGS:--O0}"
most=1.1
units=(asio_timer asio_post turnstile)

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# User time: what else the machine does counts for little. The first round warms the caches, and is not counted.
TIMEFORMAT=%U
for ((round = 0; round <= rounds; round++)); do
    for unit in "${units[@]}"; do
        { time "$cxx" -std=c++20 "${flags[@]}" -I"$root/include" -c "$root/test/compile_cost/$unit.cpp" \
            -o "$work/$unit.o" 2>"$work/errors"; } 2>"$work/time" || { cat "$work/errors" >&2; exit 1; }
        ((round == 0)) || cat "$work/time" >>"$work/$unit.times"
    done
done

median() { sort -n "$work/$1.times" | awk '{ t[NR] = $1 } END { print (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) / 2 }'; }
for unit in "${units[@]}"; do
    printf '%-12s %.2f s\n' "$unit" "$(median "$unit")"
done
awk -v ours="$(median turnstile)" -v timer="$(median asio_timer)" -v least="$(median asio_post)" -v most="$most" 'BEGIN {
    printf "turnstile costs %.2f times asio_timer (at most %s), %.2f times asio_post\n", ours / timer, most, ours / least
    exit ours / timer > most }'
