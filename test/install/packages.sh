#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# usage: packages.sh
# Builds the Debian packages, installs them by dpkg into a root of their own, and builds and runs consumers with what is
# there: the shared library, the static one, pkg-config, the command, and the template. Nothing of the system changes.
# Reads the tree of the `package` preset; the rest goes to build/packages.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
here="$root/test/install"
work="$root/build/packages"
sysroot="$work/root"

"$root/scripts/package.sh"
rm -rf "$work"
mkdir -p "$sysroot/var/lib/dpkg/info" "$sysroot/var/lib/dpkg/updates"
touch "$sysroot/var/lib/dpkg/status" "$sysroot/var/lib/dpkg/available"

echo "-- dpkg"
debs=("$root"/build/package/packages/*.deb)
((${#debs[@]} == 4))
# What the packages depend on is not in that root: only that they depend on the right things is checked, below. The
# scripts of a package run in the system (ldconfig), so they are kept out.
dpkg --root="$sysroot" --log=/dev/null --force-not-root --force-depends --force-script-chrootless --no-triggers \
    --unpack "${debs[@]}" >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; exit 1; }

depends_on() { # PACKAGE PATTERN
    local depends
    depends="$(dpkg-query --admindir="$sysroot/var/lib/dpkg" -W -f='${Depends}' "$1")"
    grep -qE "(^|, )$2" <<<"$depends" || { printf '%s lacks %s: %s\n' "$1" "$2" "$depends" >&2; exit 1; }
}
depends_on libturnstile0.2 'libc6 \(>= '
depends_on libturnstile0.2 'libstdc\+\+6 \(>= '
depends_on libturnstile-dev 'libturnstile0\.2 \(= '
depends_on libturnstile-dev 'libboost1\.81-dev \| libboost-dev \(>= 1\.81\)'
depends_on turnstile-tools 'libturnstile0\.2 \(= '
depends_on turnstile-tools 'libfmt9'
for package in libturnstile0.2 libturnstile-dev turnstile-tools turnstile-doc; do
    grep -q "Copyright 2009-2022 The Apache Software Foundation" "$sysroot/usr/share/doc/$package/copyright"
done

libs="$(dirname "$(find "$sysroot/usr" -name 'libturnstile.so.0.2')")"
export LD_LIBRARY_PATH="$libs"
needs_shared() { # PROGRAM: it is linked with the shared library, and that is found in the root
    local found
    found="$(ldd "$1")"
    grep -qF "libturnstile.so.0.2 => $libs/" <<<"$found" || { printf '%s\n' "$found" >&2; exit 1; }
}

echo "-- libturnstile0.2"
"$root/scripts/check_symbols.sh" "$libs/libturnstile.so"
"$root/scripts/check_symbols.sh" "$libs/libturnstile.a"

echo "-- find_package, shared"
consume() { # NAME CMAKE_ARGUMENT...
    cmake -S "$here/find_package" -B "$work/$1" -G Ninja -DCMAKE_PREFIX_PATH="$sysroot/usr" "${@:2}" >/dev/null
    cmake --build "$work/$1"
    "$work/$1/consumer"
}
consume shared
needs_shared "$work/shared/consumer"

echo "-- find_package, static"
consume static -DTURNSTILE_TARGET=turnstile::turnstile_static
if ldd "$work/static/consumer" | grep -F libturnstile; then
    echo "the static consumer needs the shared library" >&2
    exit 1
fi

echo "-- pkg-config, beside another copy of the C client"
mkdir "$work/pkg_config"
PKG_CONFIG_PATH="$libs/pkgconfig" "$here/pkg_config/build.sh" \
    "$work/pkg_config/consumer"
"$work/pkg_config/consumer"
needs_shared "$work/pkg_config/consumer"

echo "-- turnstile-tools"
needs_shared "$sysroot/usr/bin/turnstile"
"$sysroot/usr/bin/turnstile" --version
for each in '' $("$sysroot/usr/bin/turnstile" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/-\1/p'); do
    test -s "$sysroot/usr/share/man/man1/turnstile$each.1.gz"
done
grep -F "ExecStart=/usr/bin/turnstile guard --socket /run/turnstile/guard.sock --mode 0660" "$sysroot/usr/lib/systemd/system/turnstile-guard.service"
if ((EUID == 0)) && command -v systemd-sysusers systemd-tmpfiles >/dev/null; then
    mkdir -p "$sysroot/etc"
    systemd-sysusers --root="$sysroot" turnstile.conf
    systemd-tmpfiles --root="$sysroot" --create turnstile.conf
    made="$(stat -c '%a %i' "$sysroot/run/turnstile")"
    [[ "$made" == "755 "* && "$(stat -c %u "$sysroot/run/turnstile")" != 0 ]]
    systemd-tmpfiles --root="$sysroot" --create turnstile.conf
    [[ "$(stat -c '%a %i' "$sysroot/run/turnstile")" == "$made" ]] # containers have it mounted
fi
if grep -E "^(RuntimeDirectory|DynamicUser)=" "$sysroot/usr/lib/systemd/system/turnstile-guard.service"; then
    echo "the folder of the guard's socket is made anew at each start" >&2
    exit 1
fi

echo "-- turnstile-doc, with the template in it"
cmake -S "$sysroot/usr/share/doc/turnstile-doc/examples/template" -B "$work/template" -G Ninja \
    -DCMAKE_PREFIX_PATH="$sysroot/usr" >/dev/null
cmake --build "$work/template"
ctest --test-dir "$work/template" --output-on-failure --no-tests=error >"$work/template.log" ||
    { cat "$work/template.log"; exit 1; }

if command -v lintian >/dev/null; then
    echo "-- lintian"
    # A package that is not Debian's own closes no bug of Debian, and its maintainer has no address.
    lintian --allow-root --fail-on error --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog \
        --suppress-tags initial-upload-closes-no-bugs "${debs[@]}"
fi

echo "the packages were installed, and all consumers ran"
