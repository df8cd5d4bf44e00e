#!/usr/bin/env bash
# report_picture.sh [REPORT.html [PICTURE.png]]: the main chart of a report as the picture that README.md shows. By default
# the report that scripts/bench.sh made, and docs/hand_off.png. Installs Chromium and its driver if they are missing.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
report="${1:-$root/build/bench-report/index.html}"
picture="${2:-$root/docs/hand_off.png}"
if [[ ! -e "$report" ]]; then
    echo "report_picture: there is no $report; scripts/bench.sh makes one" >&2
    exit 1
fi
"$root/scripts/setup.sh" chromium chromium-driver python3-selenium
# Debian's own Python has Debian's selenium.
PYTHONPATH="$root/bench/report" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "$report" "$picture" <<'PYTHON'
import sys

from browser import Browser

with Browser() as browser:
    browser.show(sys.argv[1], 960, "light", scale=2)
    browser.picture("#hand-off", sys.argv[2])
PYTHON
echo "$picture"
