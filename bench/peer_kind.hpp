// SPDX-License-Identifier: BSL-1.0
// The locks of others that `peers` measures, and their programs below bench/peers.
#pragma once

#include "support/peer_library.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::bench {

struct peer_kind {
    std::string name;                          // the strategy of its rows
    std::string program;                       // a main class, or a script in Python
    std::optional<test::peer_library> library; // none: etcd, which is a server of its own

    bool on_zookeeper() const { return library.has_value(); }
    bool in_java() const { return !program.ends_with(".py"); }
};

const std::vector<peer_kind>& peer_kinds();
std::vector<std::string> names_of_peers();

/// What is not installed; nothing if it can run.
std::optional<test::missing_part> missing_part_of(const peer_kind& kind);

/// How to start its program, apart from the arguments (bench/peers/README.md). What is in Java is
/// compiled into the folder; throws std::runtime_error with the compiler's words.
std::vector<std::string> command_of(const peer_kind& kind, const std::filesystem::path& classes);

} // namespace turnstile::bench
