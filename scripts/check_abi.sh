#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# usage: check_abi.sh [--new-baseline]
# Builds the shared library and compares its ABI with that of the first version of its SOVERSION, cmake/abi/<version>.abi.xz:
# a function that is gone or takes other types, or a public type with another layout. What is new is no fault.
# --new-baseline writes that file instead: once for each new SOVERSION.
set -euo pipefail

if (($# > 1)) || { (($# == 1)) && [[ "$1" != --new-baseline ]]; }; then
    sed -n '3p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! command -v abidw >/dev/null || ! command -v xz >/dev/null; then
    echo "check_abi.sh: abidw or xz is missing: install the packages abigail-tools and xz-utils" >&2
    exit 2
fi
cmake --preset package >/dev/null
cmake --build build/package -j "${JOBS:-$(nproc)}" --target turnstile

library="$(readlink -f build/package/libturnstile.so)"
soversion="$(readelf -d "$library" | sed -n 's/.*SONAME.*\[libturnstile\.so\.\([0-9.]*\)\].*/\1/p')"
baseline="cmake/abi/$soversion.abi.xz"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
abidw --headers-dir include --drop-private-types --exported-interfaces-only --suppressions cmake/abi/public.supp \
    --no-comp-dir-path --no-corpus-path --no-show-locs --out-file "$work/now.abi" "$library"

if (($# == 1)); then
    xz -9c "$work/now.abi" >"$baseline"
    ls -l "$baseline"
    exit 0
fi
if [[ ! -r "$baseline" ]]; then
    echo "check_abi.sh: $baseline is missing: a new SOVERSION needs one (--new-baseline)" >&2
    exit 2
fi

# comparable: the description on stdin without what a pointer to one of the library's own types points at. Whether
# libabigail knows that type depends on which of the library's files it reads first.
comparable() {
    sed "/<class-decl name='__shared_ptr&lt;turnstile::detail::/,/<\/class-decl>/{
        /<data-member .*layout-offset-in-bits='0'>/{ N; N; /name='_M_ptr'/d }
    }"
}
xz -dc "$baseline" | comparable >"$work/then-comparable.abi"
comparable <"$work/now.abi" >"$work/now-comparable.abi"
if ! abidiff --no-added-syms "$work/then-comparable.abi" "$work/now-comparable.abi"; then
    echo "the ABI is not that of $soversion: take the change back, or choose a new minor version (docs/internals/releasing.md)" >&2
    exit 1
fi
echo "the ABI is that of $soversion"
