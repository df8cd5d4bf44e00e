#!/usr/bin/env bash
# Checks the format of every C++ file, tracked or new. With --fix: formats them.
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
echo "check_format: ${#files[@]} files in order"
