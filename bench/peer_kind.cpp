// SPDX-License-Identifier: BSL-1.0
#include "peer_kind.hpp"

namespace turnstile::bench {

namespace {

using test::peer_library;

const std::filesystem::path programs = std::filesystem::path(TURNSTILE_SOURCE) / "bench/peers";
// How a library connects is the same in the tests beside it.
const std::filesystem::path shared = std::filesystem::path(TURNSTILE_SOURCE) / "test/interop/peers";

std::vector<std::filesystem::path> java_files(peer_library library) {
    std::vector<std::filesystem::path> files{shared / "common/Program.java",
                                             programs / "common/Line.java"};
    if (library == peer_library::curator) {
        files.push_back(shared / "curator/CuratorClient.java");
        files.push_back(programs / "curator/CuratorLine.java");
    } else {
        files.push_back(shared / "recipe/RecipeLock.java");
        files.push_back(programs / "recipe/RecipeLine.java");
    }
    return files;
}

} // namespace

const std::vector<peer_kind>& peer_kinds() {
    static const std::vector<peer_kind> kinds{
        {"curator", "CuratorLine", peer_library::curator},
        {"java-write-lock", "RecipeLine", peer_library::zookeeper_recipe},
        {"kazoo", "kazoo/kazoo_line.py", peer_library::kazoo},
        {"etcd", "etcd/etcd_line.py", {}},
    };
    return kinds;
}

std::vector<std::string> names_of_peers() {
    std::vector<std::string> names;
    for (const auto& each : peer_kinds())
        names.push_back(each.name);
    return names;
}

std::optional<test::missing_part> missing_part_of(const peer_kind& kind) {
    if (kind.library)
        return test::missing_part_of(*kind.library);
    for (const auto* program : {"/usr/bin/etcd", test::debian_python})
        if (!std::filesystem::exists(program))
            return test::missing_part{program,
                                      program == test::debian_python ? "python3" : "etcd-server"};
    return {};
}

std::vector<std::string> command_of(const peer_kind& kind, const std::filesystem::path& classes) {
    if (!kind.in_java())
        return {test::debian_python, (programs / kind.program).string()};
    const auto library = kind.library.value();
    test::compile_java(library, java_files(library), classes);
    // As its users start it, apart from the log and from a file that only tools read.
    return {"java",
            "-XX:-UsePerfData",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-cp",
            classes.string() + ":" + test::class_path_of(library),
            kind.program};
}

} // namespace turnstile::bench
