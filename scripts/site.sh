#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# usage: site.sh
# Makes the site, build/site/index.html: the pages of docs/, and the reference from the comments of the public headers.
# Fails at any warning of Doxygen, and at any link that leads nowhere.
set -euo pipefail

if (($# > 0)); then
    sed -n '3p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
theme=/usr/share/doxygen-awesome-css
if ! command -v doxygen >/dev/null || [[ ! -d "$theme" ]]; then
    echo "site.sh: doxygen or its theme is missing: install the packages doxygen and doxygen-awesome-css" >&2
    exit 2
fi
rm -rf build/site build/site-parts
mkdir -p build/site build/site-parts
# Doxygen's own header, with the theme's switch between light and dark.
doxygen -w html build/site-parts/header.html build/site-parts/footer.html build/site-parts/style.css
sed -i 's#</head>#<script type="text/javascript" src="$relpath^doxygen-awesome-darkmode-toggle.js"></script>\n<script type="text/javascript">DoxygenAwesomeDarkModeToggle.init()</script>\n</head>#' \
    build/site-parts/header.html
doxygen docs/site/Doxyfile
scripts/check_site.py build/site
