#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# usage: other_macros.sh COMPILER LIBRARY
# A program that makes a session asks the library for a constructor whose name says what it was compiled with. LIBRARY,
# libturnstile.a or .so, must have that name for the library's own macros, and for no others of those below.
set -euo pipefail

if (($# != 2)); then
    sed -n '3p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
compiler="$1"
library="$2"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
printf '%s\n' '#include <turnstile/session.hpp>' \
    'turnstile::session made(boost::asio::any_io_executor on) { return turnstile::session(std::move(on)); }' >"$work/program.cpp"

dynamic=()
case "$library" in
*.so | *.so.*) dynamic=(-D) ;;
esac
nm "${dynamic[@]}" --defined-only --format=posix "$library" 2>/dev/null | awk '{ print $1 }' >"$work/names"

# is_linked MACRO...: whether the library has the constructor that a program with these macros asks for
is_linked() {
    "$compiler" -std=c++20 "$@" -I"$here/../../include" -I"$work" -c -o "$work/program.o" "$work/program.cpp" || exit 1
    local wanted
    wanted="$(nm --undefined-only --format=posix "$work/program.o" | awk '$1 ~ /^_ZN9turnstile7sessionC1E/ { print $1 }')"
    [[ -n "$wanted" ]] || { echo "other_macros.sh: the program asks for no constructor" >&2; exit 1; }
    grep -qxF -- "$wanted" "$work/names"
}

if ! is_linked; then
    echo "the library's own macros should be linked" >&2
    exit 1
fi
failed=0
# A header of the user's for Asio's custom tracking, as Asio's own without any: it tracks nothing.
echo '#include <boost/asio/detail/handler_tracking.hpp>' | "$compiler" -std=c++20 -x c++ -E -dD - |
    grep -E 'define BOOST_ASIO_(ALSO_)?(INHERIT_TRACKED_HANDLER|HANDLER_)' >"$work/tracking.hpp"
macros=(-DBOOST_ASIO_{ENABLE_HANDLER_TRACKING,DISABLE_{THREADS,EPOLL,EVENTFD},NO_TYPEID,RECYCLING_ALLOCATOR_CACHE_SIZE=8}
    -DBOOST_ASIO_{DISABLE_{THREAD_KEYWORD_EXTENSION,SMALL_BLOCK_RECYCLING,STD_ATOMIC},ENABLE_BUFFER_DEBUGGING} -fno-rtti
    -D_GLIBCXX_DEBUG "-DBOOST_ASIO_CUSTOM_HANDLER_TRACKING=<tracking.hpp>")
if [[ -e /usr/include/liburing.h ]]; then
    macros+=(-DBOOST_ASIO_HAS_IO_URING)
else
    echo "not tried, for liburing is not installed: BOOST_ASIO_HAS_IO_URING"
fi
for macro in "${macros[@]}"; do
    if is_linked "$macro"; then
        printf '%s should not be linked\n' "$macro" >&2
        failed=1
    else
        printf 'refused as it should be: %s\n' "$macro"
    fi
done
exit "$failed"
