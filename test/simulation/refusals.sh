#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# refusals.sh TURNSTILE-SIMULATE [uncaught]: what would prove nothing is refused or fails. With `uncaught` only this: a bug
# that no layer finds fails a hunt. That takes longest, for all layers are asked; CI runs it after its own hunt.
set -euo pipefail

simulate="$1"

# ends STATUS ARGUMENT...: any but 0 where STATUS is "badly"
ends() {
    local expected="$1" status=0
    shift
    "$simulate" "$@" >/dev/null 2>&1 || status=$?
    if [[ "$expected" == badly ]]; then
        ((status != 0))
    else
        ((status == expected))
    fi || {
        printf 'FAILED: turnstile-simulate %s ended with %d instead of %s\n' "$*" "$status" "$expected" >&2
        exit 1
    }
}

if [[ "${2:-}" == uncaught ]]; then
    ends 1 --mutants --until-caught --mutant fired_watch_inherited --seeds 1
    exit
fi

ends 0 --seeds 2 --from 7
ends badly --seeds 0
ends badly --mutants --seeds 0
ends badly --seeds 2 --most-failures 0
ends 1 --mutant no_owner_check --seeds 1
ends 2 --mutant no_such_bug

# hunts BUG LAYERS: --mutants of this bug alone tells these layers; one seed shows next to nothing.
hunts() {
    local said status=0
    said="$("$simulate" --mutants --mutant "$1" --seeds 1 2>/dev/null | tail -n 1)" || status=$?
    ((status == 0)) && [[ "$said" == *"\"caught_by\":[$2],"* ]] || {
        printf 'FAILED: --mutants of %s ended with %d, or not with [%s]: %s\n' "$1" "$status" "$2" "$said" >&2
        exit 1
    }
}
hunts no_owner_check '"unit"'
hunts grant_when_neighbour_is_missing '"simulation","unit"'
ends badly --until-caught --mutant no_owner_check
ends 0 --mutants --until-caught --mutant no_owner_check --seeds 1
