#!/usr/bin/env bash
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

for search in --explore --check-merges; do
    small=("$search" --sessions 1 --tickets 2 --faults 1)
    ends 0 "${small[@]}"
    ends 1 "${small[@]}" --most-states 20
    said="$("$simulate" "${small[@]}" --most-states 20 2>&1 >/dev/null || true)"
    [[ "$said" == *"not complete"* ]] || {
        printf 'FAILED: it does not say that the search is not complete, but: %s\n' "$said" >&2
        exit 1
    }
done
ends 0 --seeds 2 --from 7
ends badly --seeds 0
ends badly --mutants --seeds 0
ends badly --seeds 2 --most-failures 0
ends badly --explore --tickets 0
ends badly --explore --sessions 0
small=(--sessions 2 --tickets 2 --faults 0)
ends 0 --explore "${small[@]}" --single-node
ends 1 --explore "${small[@]}" --single-node --mutant holder_not_watched
ends 0 --explore "${small[@]}" --semaphore --limit 1 --makes-semaphore
ends 1 --explore "${small[@]}" --semaphore --mutant leases_not_watched
ends 0 --explore "${small[@]}" --multi
ends 1 --explore --sessions 2 --tickets 3 --faults 0 --multi --mutant multi_ordered_as_named
ends badly --explore "${small[@]}" --multi --semaphore
ends badly --explore "${small[@]}" --multi --readers
ends badly --explore "${small[@]}" --single-node --semaphore
ends badly --explore "${small[@]}" --single-node --readers
ends badly --explore "${small[@]}" --limit 2
ends badly --explore "${small[@]}" --semaphore --limit 0
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
hunts no_owner_check '"exploration","unit"'
hunts grant_when_neighbour_is_missing '"simulation","exploration","unit"'
ends badly --until-caught --mutant no_owner_check
ends 0 --mutants --until-caught --mutant no_owner_check --seeds 1
