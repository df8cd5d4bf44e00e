#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Makes the reference of the public headers with Doxygen: build/reference/html/index.html. Fails at any warning.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! command -v doxygen >/dev/null; then
    echo "reference.sh: doxygen is missing: install the package doxygen" >&2
    exit 2
fi
rm -rf build/reference
mkdir -p build
doxygen docs/doxygen/Doxyfile
echo "the reference: build/reference/html/index.html"
