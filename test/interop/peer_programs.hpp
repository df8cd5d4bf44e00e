// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "peer_kind.hpp"

#include "support/pch.hpp"
#include "support/peer_library.hpp"
#include "support/temp_folder.hpp"

#include <utility>

namespace turnstile::interop {

using test::peer_library;

inline const std::filesystem::path sources{TURNSTILE_PEERS};

inline peer_library library_of(const peer_kind& kind) {
    if (!kind.in_java())
        return peer_library::kazoo;
    return kind.program == "RecipePeer" ? peer_library::zookeeper_recipe : peer_library::curator;
}

/// What the program is made of.
inline std::vector<std::filesystem::path> java_files(peer_library library) {
    auto result =
        library == peer_library::zookeeper_recipe
            ? std::vector{sources / "recipe/RecipePeer.java", sources / "recipe/RecipeLock.java"}
            : std::vector{sources / "curator/CuratorPeer.java",
                          sources / "curator/CuratorClient.java"};
    result.push_back(sources / "common/Peer.java");
    result.push_back(sources / "common/Program.java");
    return result;
}

/// The programs of test/interop/peers: what they need, and how they are started.
class peer_programs {
public:
    /// Why this kind cannot run here: a program or a package that is not installed.
    [[nodiscard]] static std::optional<std::string> missing(const peer_kind& kind) {
        const auto part = test::missing_part_of(library_of(kind));
        if (!part)
            return std::nullopt;
        return part->what + " (Debian's package " + part->package + ")";
    }

    /// Compiles it, where it is in Java. Throws std::runtime_error with the compiler's words.
    void prepare(const peer_kind& kind) {
        if (!kind.in_java() || compiled_.contains(kind.program))
            return;
        const auto library = library_of(kind);
        test::compile_java(library, java_files(library), classes_.path());
        compiled_.insert(kind.program);
    }

    /// How to start a contender, one that reads or one that writes, see peers/README.md.
    [[nodiscard]] std::vector<std::string>
    command_line(const peer_kind& kind, bool reads, const std::string& servers,
                 const std::string& path, std::chrono::milliseconds timeout,
                 const std::filesystem::path& counter) const {
        std::vector<std::string> result;
        if (kind.in_java()) {
            result = {"java",
                      "-Xmx128m",
                      "-XX:+UseSerialGC",
                      "-XX:TieredStopAtLevel=1",
                      "-XX:-UsePerfData",
                      "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                      "-Dorg.slf4j.simpleLogger.showDateTime=true",
                      "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
                      "-cp",
                      classes_.path().string() + ":" + test::class_path_of(library_of(kind)),
                      std::string{kind.program}};
        } else {
            result = {test::debian_python, (sources / kind.program).string()};
        }
        result.insert(result.end(), {std::string{reads ? kind.shared_lock : kind.lock}, servers,
                                     path, std::to_string(timeout.count()), counter.string()});
        return result;
    }

private:
    test::temp_folder classes_{"turnstile-peers-"};
    std::set<std::string_view> compiled_; ///< main classes
};

} // namespace turnstile::interop
