// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "peer_kind.hpp"

#include "support/temp_folder.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::interop {

/// The programs of test/interop/peers: what they need, and how they are started.
class peer_programs {
public:
    /// Why this kind cannot run here: a program or a package that is not installed.
    [[nodiscard]] static std::optional<std::string> missing(const peer_kind& kind);

    /// Compiles it, where it is in Java. Throws std::runtime_error with the compiler's words.
    void prepare(const peer_kind& kind);

    /// How to start a contender, one that reads or one that writes, see peers/README.md.
    [[nodiscard]] std::vector<std::string> command_line(const peer_kind& kind, bool reads,
                                                        const std::string& servers,
                                                        const std::string& path,
                                                        std::chrono::milliseconds timeout,
                                                        const std::filesystem::path& counter) const;

private:
    test::temp_folder classes_{"turnstile-peers-"};
    std::set<std::string_view> compiled_; ///< main classes
};

} // namespace turnstile::interop
