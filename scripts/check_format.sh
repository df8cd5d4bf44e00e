#!/usr/bin/env bash
# Checks the format of every C++ file, tracked or new, and that each source, script and CMake file names its licence. With
# --fix: formats them, and adds the line of the licence.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"

mode=(--dry-run -Werror)
if [[ "${1:-}" == --fix ]]; then
    mode=(-i)
fi

# Releases of clang-format differ in what they make of the same rules; 14 is the one that counts.
tool="$(command -v clang-format-14 || command -v clang-format || true)"
if [[ -z "$tool" ]]; then
    echo "check_format: clang-format is not installed (Debian's package clang-format)" >&2
    exit 1
fi

mapfile -d '' -t candidates < <(git ls-files -z -co --exclude-standard -- '*.hpp' '*.cpp')
files=()
for file in "${candidates[@]}"; do
    [[ -f "$file" ]] && files+=("$file") # a deleted file stays listed until its removal is committed
done
if ((${#files[@]} == 0)); then
    echo "check_format: no C++ files"
    exit 0
fi
"$tool" --style=file "${mode[@]}" "${files[@]}"

licence='SPDX-License-Identifier: BSL-1.0'
mapfile -d '' -t owned < <(git ls-files -z -co --exclude-standard -- \
    '*.hpp' '*.cpp' '*.java' '*.js' '*.py' '*.sh' '*.cmake' '*CMakeLists.txt' .ci/run)
mapfile -t unnamed < <(grep -sL "$licence" "${owned[@]}")
for file in "${unnamed[@]}"; do
    [[ -f "$file" ]] || continue
    if [[ "${1:-}" != --fix ]]; then
        echo "$file:1: no line \"$licence\": scripts/check_format.sh --fix adds it" >&2
        failed=1
        continue
    fi
    comment='#'
    [[ "$file" == *.[hc]pp || "$file" == *.java || "$file" == *.js ]] && comment='//'
    line=1
    [[ "$(head -c 2 "$file")" == '#!' ]] && line=2 # below the line that names the interpreter
    if [[ -s "$file" ]]; then
        sed -i "${line}i $comment $licence" "$file"
    else
        echo "$comment $licence" >"$file"
    fi
done
[[ -z "${failed:-}" ]] || exit 1
echo "check_format: ${#files[@]} files in order"
