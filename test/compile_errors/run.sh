#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# usage: run.sh COMPILER
# Each program of this folder must be refused by the compiler, with one error, which has the text of the program's line
# "expects". A text "of clang" is for clang alone.
set -euo pipefail

if (($# != 1)); then
    sed -n '3p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
compiler="$1"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
clang=no
if "$compiler" --version | grep -q clang; then
    clang=yes
fi
failed=0
for program in "$here"/*.cpp; do
    expected="$(grep -m 1 "^// expects" "$program")"
    if [[ "$expected" == "// expects of clang: "* && "$clang" == no ]]; then
        continue
    fi
    text="${expected#*: }"
    errors="$("$compiler" -std=c++20 -Wall -Werror -fsyntax-only -I"$here/../../include" "$program" 2>&1)" || true
    if [[ "$(grep -c 'error: ' <<<"$errors")" == 1 ]] && grep 'error: ' <<<"$errors" | grep -qF -- "$text"; then
        printf 'refused as it should be: %s\n' "$(basename "$program")"
    else
        printf '%s should be refused with one error, "%s". The compiler says:\n%s\n' "$(basename "$program")" "$text" "$errors"
        failed=1
    fi
done
exit "$failed"
