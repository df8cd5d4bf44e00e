#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# usage: package.sh
# Builds the Debian packages into build/package/packages: libturnstile0.2, libturnstile-dev, turnstile-tools, turnstile-doc.
set -euo pipefail

if (($# > 0)); then
    sed -n '3p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! command -v dpkg-shlibdeps >/dev/null || ! command -v file >/dev/null; then
    echo "package.sh: dpkg-shlibdeps or file is missing: install the packages dpkg-dev and file" >&2
    exit 2
fi
umask 022
cmake --preset package >/dev/null
cmake --build build/package -j "${JOBS:-$(nproc)}"
rm -rf build/package/packages
(cd build/package && cpack -B packages >cpack.log 2>&1) || { cat build/package/cpack.log >&2; exit 1; }
rm -rf build/package/packages/_CPack_Packages
ls -l build/package/packages
