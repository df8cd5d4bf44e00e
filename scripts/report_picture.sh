#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# report_picture.sh [ROWS.json...]: the chart that README.md shows, as docs/hand_off_light.png and docs/hand_off_dark.png. It has
# Turnstile, the bare client, Curator, Kazoo and etcd. By default it is drawn of bench/baseline/hand_off.json. Uses the build
# tree of the `release` preset, or the program that BENCH names. Installs Chromium and its driver if they are missing.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
bench="${BENCH:-$root/build/release/bench/turnstile-bench}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

"$root/scripts/setup.sh" node-d3 chromium chromium-driver python3-selenium
python3 - "$work/rows.json" "${@:-$root/bench/baseline/hand_off.json}" <<'PYTHON'
import json
import sys

shown = ("turnstile", "bare-client", "curator", "kazoo", "etcd")
rows = [row for file in sys.argv[2:] for row in json.load(open(file)) if row["strategy"] in shown]
with open(sys.argv[1], "w") as output:
    json.dump(rows, output)
PYTHON
"$bench" report "$work/rows.json" --output "$work/index.html" >/dev/null
# Debian's own Python has Debian's selenium.
PYTHONPATH="$root/bench/report" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "$work/index.html" "$root/docs" <<'PYTHON'
import sys

from browser import Browser

with Browser() as browser:
    for scheme in ("light", "dark"):
        browser.show(sys.argv[1], 960, scheme, scale=2)
        picture = f"{sys.argv[2]}/hand_off_{scheme}.png"
        browser.picture("#hand-off", picture)
        print(picture)
PYTHON
