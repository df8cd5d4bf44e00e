#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Makes a report of made-up rows and looks at it in Chromium, without a window: check_report.py says what has to be seen.
# Uses the build tree of the `release` preset, or the program given as the argument.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)"
here="$root/test/bench/report"
bench="$(realpath "${1:-$root/build/release/bench/turnstile-bench}")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1

# fails WITH ARGUMENT...: `report` ends with 1 and says this
fails() {
    local with="$1" code=0
    shift
    "$bench" report --output "$work/none/index.html" "$@" >"$work/said" 2>&1 || code=$?
    if ((code != 1)) || ! grep -q "$with" "$work/said" || [[ -e "$work/none/index.html" ]]; then
        echo "report $*: the exit code is $code instead of 1, or it does not say \"$with\", but:" >&2
        cat "$work/said" >&2
        exit 1
    fi
}

"$root/scripts/setup.sh" node-d3 chromium chromium-driver python3-selenium
"$here/made_rows.py" "$work"

fails 'cannot read .*none.json' "$work/none.json"
fails 'holds something else than rows' "$root/CMakePresets.json"
fails 'scripts/setup.sh node-d3' "$work/first.json" --d3 "$work/none.js"

cd "$work"
"$bench" report ./*.json --output all/index.html # the *.about.json among them
# Rows that no chart knows: a table, and no empty charts.
"$bench" report "$root/bench/baseline/0.2.0.json" --output cost/index.html
# Debian's own Python has Debian's selenium.
/usr/bin/python3 "$here/check_report.py" all/index.html first.json second.json -- cost/index.html "$root/bench/baseline/0.2.0.json"
echo "the report shows what the rows say"
