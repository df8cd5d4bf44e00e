#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# usage: check_symbols.sh LIB [CLIENT_ARCHIVE]
# Checks that the ZooKeeper C client inside LIB (libturnstile.a or .so) is hidden: none of its symbols is exported, and
# none is left to be found elsewhere. A shared LIB exports what the public headers declare, and what Asio has once in a
# program (cmake/exports.map): nothing else. CLIENT_ARCHIVE is the libzookeeper_st.a whose symbols are meant; without it the
# compiler is asked for it.
set -euo pipefail

if (($# < 1 || $# > 2)); then
    sed -n '3p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
lib="$1"
client="${2:-$("${CXX:-c++}" -print-file-name=libzookeeper_st.a)}"
for file in "$lib" "$client"; do
    if [[ ! -r "$file" ]]; then
        printf 'check_symbols: cannot read %s\n' "$file" >&2
        exit 2
    fi
done

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
dynamic=()
case "$lib" in
*.so | *.so.*) dynamic=(-D) ;;
esac

# names NM_OPTION... FILE: symbol names without their versions, sorted
names() {
    nm --format=posix "$@" 2>/dev/null | awk 'NF >= 2 && !/:$/ { sub(/@.*/, "", $1); print $1 }' | LC_ALL=C sort -u
}

hidden="$(names --defined-only --extern-only "$client")"
exported="$(names "${dynamic[@]}" --defined-only --extern-only "$lib")"
wanted="$(names "${dynamic[@]}" --undefined-only "$lib")"
if ! grep -qx zookeeper_init <<<"$hidden"; then
    printf 'check_symbols: %s is not the ZooKeeper C client: it defines no zookeeper_init\n' "$client" >&2
    exit 2
fi

failed=0
report() {
    local what="$1" symbols="$2"
    if [[ -n "$symbols" ]]; then
        printf '%s: %s %d symbols of the C client, such as:\n' "$lib" "$what" "$(wc -l <<<"$symbols")"
        head -n 5 <<<"$symbols" | sed 's/^/    /'
        failed=1
    fi
}
report "exports" "$(LC_ALL=C comm -12 <(echo "$hidden") <(echo "$exported"))"
report "exports (by name)" "$(grep -E '^(zookeeper_|zoo_|ZOO_)' <<<"$exported" || true)"
report "does not contain" "$(LC_ALL=C comm -12 <(echo "$hidden") <(echo "$wanted"))"

# An archive keeps its local symbols, so there the client itself can be looked for as well.
if ((${#dynamic[@]} == 0)); then
    # No -q: it would stop reading, and nm's broken pipe would count as a failure.
    if ! nm --format=posix "$lib" 2>/dev/null | grep '^zookeeper_init t' >/dev/null; then
        printf '%s: contains no C client (no local zookeeper_init)\n' "$lib"
        failed=1
    fi
fi

# A shared library: each symbol is one of the public interface, or Asio's.
if ((${#dynamic[@]} > 0)); then
    shown="$(nm -D -C --defined-only "$lib" | sed -E 's/^[0-9a-f]+ //')"
    private="$(grep -E '^[A-Za-z] .*turnstile::(protocol|zookeeper)(::|$)' <<<"$shown" || true)"
    public='^[TW] turnstile::([a-z_0-9]+(\(|\[|::)|operator)'
    detail='^[TW] turnstile::detail::'
    # Of detail:: only what a public header marks, since its templates call that, and two that are for the test kit.
    marked="$(cat "$root"/include/turnstile/*.hpp "$root"/include/turnstile/detail/*.hpp | tr '\n' ' ' |
        grep -oP 'TURNSTILE_API[^;({]*?~?\b\K\w+(?=\()' | sort -u | paste -sd '|')"
    open_detail="^[TW] turnstile::detail::(stopped_clock::|set_backend\\(|([a-z_]+::)?~?($marked)\\()"
    asio='^u (guard variable for )?boost::asio::'
    other="$(grep -vE "$public|$asio" <<<"$shown" || true)
$(grep -E "$detail" <<<"$shown" | grep -vE "$open_detail" || true)"
    strangers="$(printf '%s\n%s\n' "$private" "$other" | sed '/^$/d' | LC_ALL=C sort -u)"
    if [[ -n "$strangers" ]]; then
        printf '%s: exports %d symbols that are not public, such as:\n' "$lib" "$(wc -l <<<"$strangers")"
        head -n 5 <<<"$strangers" | cut -c 1-200 | sed 's/^/    /'
        failed=1
    fi
    if ! grep -E '^T turnstile::session::session\(' <<<"$shown" >/dev/null; then
        printf '%s: does not export turnstile::session\n' "$lib"
        failed=1
    fi
fi

if ((failed)); then
    exit 1
fi
if ((${#dynamic[@]} > 0)); then
    printf '%s: the C client and what is not public are hidden\n' "$(basename "$lib")"
else
    printf '%s: the C client is hidden\n' "$(basename "$lib")"
fi
