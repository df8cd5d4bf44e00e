#!/usr/bin/env bash
# The first C++ block of the README is examples/quick_start.cpp, to the letter.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
shown="$(awk '/^```cpp$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$root/README.md")"
if ! diff <(printf '%s\n' "$shown") "$root/examples/quick_start.cpp"; then
    echo "README.md does not show examples/quick_start.cpp: copy the file into its first cpp block" >&2
    exit 1
fi
echo "the README's example is examples/quick_start.cpp"
