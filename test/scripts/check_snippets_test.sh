#!/usr/bin/env bash
# What scripts/check_snippets.py reports, and what it lets pass: in a small tree of its own, one mistake at a time.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{scripts,examples,docs,src}
cp "$root/scripts/check_snippets.py" "$work/scripts/"

put() { # FILE LINE...
    local file="$1"
    shift
    printf '%s\n' "$@" >"$work/$file"
}
put examples/quick_start.cpp 'int main() {' '    int a = 1;' '' '    return a - 1;' '}'
put src/a.cpp 'int a = 1;'
whole=('<!-- examples/quick_start.cpp, whole -->' '```cpp' 'int main() {' '    int a = 1;' '' '    return a - 1;' '}' '```')
put README.md '# A tree' '' "${whole[@]}"

output=""
status=0
check() {
    status=0
    output="$(python3 "$work/scripts/check_snippets.py" 2>&1)" || status=$?
}
fail() {
    printf 'FAILED: %s\n%s\n' "$1" "$output" >&2
    exit 1
}
passes() { # WHAT LINE...: a page with these lines
    local what="$1"
    shift
    put docs/page.md "$@"
    check
    ((status == 0)) || fail "$what is refused"
}
# refused WHAT PLACE REPORT LINE...: a page with these lines; its one complaint says PLACE: ... REPORT
refused() {
    local what="$1" place="$2" report="$3"
    shift 3
    put docs/page.md "$@"
    check
    ((status == 1)) || fail "$what passes"
    [[ "$output" == "$place: "*"$report"* && "$output" != *$'\n'* ]] || fail "$what is reported in other words"
}
named='<!-- examples/quick_start.cpp -->'

passes "a page without code" 'Text;' '' '    scripts/test.sh     # a command'
passes "a part of a program" "$named" '```cpp' 'int a = 1;' '' 'return a - 1;' '```'
passes "a part in a list" '- item' '' "  $named" '  ```cpp' '  int a = 1;' '  ```'
passes "what a program says" '```' 'b;' '```'
passes "another language with its source" "$named" '```text' 'int a = 1;' '```'
put docs/tutorial.md '```sh' 'a;' '```'
passes "a page that is followed step by step" 'Text;'

refused "a block without a source" docs/page.md:2 'no source' '' '```cpp' 'int a = 1;' '```'
refused "a source that is not on the line before" docs/page.md:3 'no source' "$named" '' '```cpp' 'int a = 1;' '```'
refused "a source that is not there" docs/page.md:2 'there is no file examples/b.cpp' \
    '<!-- examples/b.cpp -->' '```cpp' 'int a = 1;' '```'
refused "a source that no test runs" docs/page.md:2 'src/a.cpp is not run by a test' \
    '<!-- src/a.cpp -->' '```cpp' 'int a = 1;' '```'
refused "another line" docs/page.md:4 '("int b = 1;")' "$named" '```cpp' 'int main() {' '    int b = 1;' '```'
refused "a line that is left out" docs/page.md:4 '("return a - 1;")' "$named" '```cpp' 'int a = 1;' 'return a - 1;' '```'
refused "lines in another order" docs/page.md:3 'does not stand in' \
    "$named" '```cpp' 'return a - 1;' '' 'int a = 1;' '```'
refused "another indentation" docs/page.md:4 'does not stand in' "$named" '```cpp' 'int main() {' '  int a = 1;' '```'
refused "an empty block" docs/page.md:2 'empty' "$named" '```cpp' '```'
refused "a block without an end" docs/page.md:2 'no end' "$named" '```cpp' 'int a = 1;'
refused "another word for C++" docs/page.md:1 'write ```cpp' '```c++' 'int a = 1;' '```'
refused "C++ that is indented" docs/page.md:3 'indented C++' 'Text:' '' '    int a = 1;' '    return a - 1;'
refused "a part that should be the whole" docs/page.md:2 'not the whole of examples/quick_start.cpp' \
    '<!-- examples/quick_start.cpp, whole -->' '```cpp' 'int a = 1;' '```'
refused "another language without a source" docs/page.md:1 'no source' '```sh' 'a;' '```'
refused "another language with a false source" docs/page.md:3 'does not stand in' "$named" '```sql' 'SELECT 1' '```'

passes "the tree" 'Text'
put examples/quick_start.cpp '// SPDX-License-Identifier: BSL-1.0' 'int main() {' '    int a = 1;' '' '    return a - 1;' '}'
passes "the whole of a file but for the line of its licence" 'Text'
put README.md '# A tree' '' "$named" '```cpp' 'int a = 1;' '```'
check
[[ "$status" == 1 && "$output" == 'README.md:4: '*'must be a whole program'* ]] || fail "a README that shows a part passes"
echo "each snippet has to stand in its program"
