#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Checks the direction of includes between the layers and a few other rules. Prints each violation as
# file:line: what, and exits with 1 if there was one.
#
#   include/turnstile   <turnstile/...>, Boost, standard
#   src/session         <turnstile/...>, "session/", "zookeeper/", "protocol/", Boost, standard
#   src/testing         the test kit for users: all of the above, and test/model
#   src/zookeeper       "zookeeper/", "protocol/", values, <zookeeper/zookeeper.h> (in .cpp), Boost, standard, system
#   tools               what lies below tools/turnstile, <turnstile/...> without <turnstile/detail/...>, other libraries, standard
#   src/protocol        "protocol/", values, standard; no clock is read, no thread, no I/O; its modules in the order below
#   values              public headers of types that hold no session, listed below: values, Boost.System, standard
#   test, bench         test/support and, below it, test/promises are below all; other folders of test/ only where an
#                       arrow below allows it
#   bench/strategies    "zookeeper/" and "protocol/" besides: other ways to wait for a lock go over the same bridge to
#                       the C client as Turnstile, so that only the way to wait differs; the rest of bench measures from
#                       outside
#   test/promises       "promises/", standard: what is promised is written down without what has to keep it
#   test/check          nothing of src/protocol: the checker may not share an error with what it judges
set -euo pipefail

# The modules of src/protocol, from the ground up, and the files that stand outside a module. A file includes its own module
# and what stands before that.
protocol_order='state_table.hpp time names settings.hpp lease wire acquire_request.hpp lock_kind.hpp listener.hpp session_context.hpp hold.hpp locks_by_path.hpp lock_registry.hpp queue single_node semaphore inspect election yield session multi'

# The public headers that all layers may include, as <turnstile/NAME.hpp>.
values='acl error lease_clock logger participant path_access sasl session_state tls'

# Which folder of test/ may include which other one; all of them, and bench, may include support and promises.
test_arrows='partition>chaos simulation>model sizes>integration truth>model'

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"

present() {
    local file
    while IFS= read -r -d '' file; do
        if [[ -f "$file" ]]; then printf '%s\n' "$file"; fi
    done < <(git ls-files -z -co --exclude-standard -- "$@")
}

mapfile -t sources < <(present '*.hpp' '*.cpp')
mapfile -t texts < <(present '*.hpp' '*.cpp' '*.sh' '*.cmake' '*.in' '*.json' '*.md' '*CMakeLists.txt' '.ci/*' \
    '.clang-format' '.gitignore' LICENSE)

failed=0

# A reader sees the parts of a layer from its folders.
most_files=25
while read -r count folder; do
    if ((count > most_files)); then
        echo "$folder:1: $count files: at most $most_files may lie in one folder here"
        failed=1
    fi
done < <(printf '%s\n' "${sources[@]}" | grep -E '^(src/session|tools/turnstile)/' | xargs -r -n 1 dirname | sort | uniq -c)

if ((${#sources[@]} > 0)); then
    awk -v protocol_order="$protocol_order" -v values="$values" -v test_arrows="$test_arrows" '
    function bad(what) {
        printf "%s:%d: %s\n", FILENAME, FNR, what
        failures++
    }
    function starts(text, prefix) { return index(text, prefix) == 1 }
    # The module of src/protocol, or the folder of test/, that a path below either begins with.
    function first(path) {
        sub(/\/.*$/, "", path)
        return path
    }
    function check_module(name, target) {
        target = first(substr(name, length("protocol/") + 1))
        if (!(target in height))
            bad("no such module of src/protocol: \"" name "\"")
        else if (module in height && height[target] > height[module])
            bad("src/protocol/" module " includes \"" name "\": " target " is above it (protocol_order, in this script)")
    }
    function check_test_folder(name, target) {
        target = first(name)
        if (FILENAME ~ /^test\/check\/[^\/]*$/ && starts(name, "protocol/"))
            bad("the checker includes \"" name "\": it judges the product, and has parsers of its own")
        if (folder == "bench" && target ~ /^(session|zookeeper|protocol)$/ &&
            (FILENAME !~ /^bench\/strategies\/[^\/]*$/ || target == "session"))
            bad("bench includes \"" name "\": only bench/strategies, and only \"zookeeper/\" and \"protocol/\"")
        if (!(("test/" name) in known) || target == folder || target == "support" || target == "promises") return
        if (!((folder ">" target) in allowed))
            bad("includes \"" name "\": " folder ">" target " is not among test_arrows, in this script")
    }
    # An include that a layer may not have. quoted: "x"; otherwise <x>.
    function check_include(quoted, name) {
        if (quoted && name ~ /(^|\/)\.\.?\//) {
            bad("includes \"" name "\": write the path from src, test or bench on")
            return
        }
        if (!quoted && name == "boost/asio.hpp" && (layer != "" ))
            bad("<boost/asio.hpp> takes in everything: include the parts that are used")
        if (starts(name, "zookeeper/") && !quoted && !may_use_client)
            bad("<" name "> belongs in src/zookeeper/*.cpp, test/support/*.cpp and the bare client of bench only")
        if (layer == "include") {
            if (quoted) bad("a public header includes \"" name "\": public headers include each other as <turnstile/...>")
            else if (name == "turnstile.hpp") bad("a public header includes the umbrella header")
            else if (starts(name, "session/") || starts(name, "protocol/"))
                bad("a public header includes a private one: <" name ">")
            else if ((substr(FILENAME, length("include/") + 1) in value) && name ~ /\// && !(name in value) &&
                     name != "turnstile/detail/export.hpp" && !starts(name, "boost/system/"))
                bad("a value includes <" name ">: only other values (in this script), Boost.System and the standard library")
        } else if (layer == "session") {
            if (quoted && !starts(name, "session/") && !starts(name, "zookeeper/") && !starts(name, "protocol/"))
                bad("src/session includes \"" name "\": only \"session/\", \"zookeeper/\", \"protocol/\" and <turnstile/...>")
        } else if (layer == "testing") {
            if (quoted && name !~ /^(testing|model|session|zookeeper|protocol)\//)
                bad("src/testing includes \"" name "\": only its own folder, layers below it, and \"model/\"")
        } else if (layer == "zookeeper") {
            if (quoted && !starts(name, "zookeeper/") && !starts(name, "protocol/"))
                bad("src/zookeeper includes \"" name "\": only \"zookeeper/\" and \"protocol/\"")
            if (!quoted && (starts(name, "turnstile/") || name == "turnstile.hpp") && !(name in value))
                bad("src/zookeeper includes <" name ">: public headers but the values (in this script) are above it")
        } else if (layer == "protocol") {
            if (quoted) {
                if (!starts(name, "protocol/")) bad("src/protocol includes \"" name "\": only \"protocol/\"")
                else check_module(name)
            } else if (name ~ /[\/.]/ && !(name in value))
                bad("src/protocol includes <" name ">: only the standard library, \"protocol/\", and the values (in this script)")
            else if (name in banned_in_protocol)
                bad("src/protocol includes <" name ">: no threads and no I/O on this layer")
        } else if (layer == "tools") {
            if (quoted && !(("tools/turnstile/" name) in known))
                bad("a tool includes \"" name "\": only what lies below tools/turnstile, and the public headers as <turnstile/...>")
            else if (starts(name, "turnstile/detail/"))
                bad("a tool includes <" name ">: only what users may include")
        } else if (layer == "test") {
            if (FILENAME ~ /^test\/promises\/[^\/]*$/ && name ~ (quoted ? "/" : "[/.]") && !starts(name, "promises/"))
                bad("test/promises includes " name ": only the standard library, and \"promises/\"")
            else if (quoted)
                check_test_folder(name)
        }
    }
    BEGIN {
        count = split("thread mutex shared_mutex condition_variable future semaphore latch barrier stop_token " \
                      "iostream fstream filesystem syncstream", list, " ")
        for (i = 1; i <= count; i++) banned_in_protocol[list[i]] = 1
        count = split(protocol_order, list, " ")
        for (i = 1; i <= count; i++) height[list[i]] = i
        count = split(values, list, " ")
        for (i = 1; i <= count; i++) value["turnstile/" list[i] ".hpp"] = 1
        count = split(test_arrows, list, " ")
        for (i = 1; i <= count; i++) allowed[list[i]] = 1
        for (i = 1; i < ARGC; i++) known[ARGV[i]] = 1
    }
    FNR == 1 {
        layer = ""
        if (FILENAME ~ /^include\/turnstile\//) layer = "include"
        else if (FILENAME ~ /^include\//) layer = "umbrella"
        else if (FILENAME ~ /^src\/session\//) layer = "session"
        else if (FILENAME ~ /^src\/zookeeper\//) layer = "zookeeper"
        else if (FILENAME ~ /^src\/testing\//) layer = "testing"
        else if (FILENAME ~ /^src\/protocol\//) {
            layer = "protocol"
            module = first(substr(FILENAME, length("src/protocol/") + 1))
            if (!(module in height)) bad("no module: name it in protocol_order, in this script, or move the file into one")
        }
        else if (FILENAME ~ /^src\//) bad("no layer: sources belong in src/protocol, src/zookeeper, src/session or src/testing")
        else if (FILENAME ~ /^tools\//) layer = "tools"
        else if (FILENAME ~ /^(test\/[^\/]+|bench)\//) {
            layer = "test"
            folder = FILENAME
            sub(/^test\//, "", folder)
            folder = first(folder)
        }
        may_use_client = FILENAME ~ /^src\/zookeeper\/[^\/]*\.cpp$/ || FILENAME ~ /^test\/support\/[^\/]*\.cpp$/ ||
                         FILENAME ~ /^bench\/(redirected\/)?bare[^\/]*\.[ch]pp$/
        justified = 0
    }
    {
        line = $0
        sub(/\r$/, "", line)
        justified_before = justified
        justified = line ~ /\/\/ justified:/
        if (line ~ /^[ \t]*#[ \t]*include[ \t]*[<"]/) {
            name = line
            sub(/^[ \t]*#[ \t]*include[ \t]*/, "", name)
            quoted = substr(name, 1, 1) == "\""
            name = substr(name, 2)
            sub(/[">].*$/, "", name)
            check_include(quoted, name)
            next
        }
        code = line
        if (code ~ /^[ \t]*(\*|\/\*)/) code = ""
        sub(/\/\/.*$/, "", code)
        # In test/ a fixture says the names that its tests use.
        if (FILENAME ~ /\.hpp$/ && FILENAME !~ /^test\// && code ~ /(^|[^A-Za-z0-9_])using[ \t]+namespace[ \t]/)
            bad("`using namespace` in a header")
        if (layer == "protocol" && code ~ /::[ \t]*now[ \t]*\(/)
            bad("src/protocol reads a clock: instants are handed in")
        if (FILENAME ~ /^src\/zookeeper\// && code ~ /zoo_aw/ && code !~ /, watcher, nullptr,/)
            bad("a watch with a context of its own: session events would cost the square of the watches")
        if (FILENAME ~ /^(src|include|test|tools)\// && code ~ /(^|[^A-Za-z0-9_])sleep_(for|until)([^A-Za-z0-9_]|$)/ &&
            !justified && !justified_before)
            bad("sleeps: wait for a condition, or say why not with `// justified: ...`")
    }
    END { exit failures > 0 }
    ' "${sources[@]}" || failed=1
fi

for file in "${texts[@]}"; do
    if [[ -s "$file" && -n "$(tail -c 1 "$file")" ]]; then
        printf '%s:%d: no newline at the end of the file\n' "$file" "$(($(wc -l <"$file") + 1))"
        failed=1
    fi
done

if ((failed)); then
    exit 1
fi
echo "check_includes: ${#sources[@]} sources in order"
