#!/usr/bin/env bash
# usage: package.sh
# Builds the Debian packages into build/package/packages: libturnstile0.2, libturnstile-dev, turnstile-tools, turnstile-doc.
set -euo pipefail

if (($# > 0)); then
    sed -n '2p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! command -v dpkg-shlibdeps >/dev/null; then
    echo "package.sh: dpkg-shlibdeps is missing: install the package dpkg-dev" >&2
    exit 2
fi
umask 022
cmake --preset package >/dev/null
cmake --build build/package -j "${JOBS:-$(nproc)}"
rm -rf build/package/packages
(cd build/package && cpack -B packages >cpack.log 2>&1) || { cat build/package/cpack.log >&2; exit 1; }
rm -rf build/package/packages/_CPack_Packages
ls -l build/package/packages
