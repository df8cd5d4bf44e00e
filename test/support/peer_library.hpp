// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// Other people's libraries of locks, whose locks stand beside ours in tests and in the benchmark.
enum class peer_library { curator, zookeeper_recipe, kazoo };

/// Debian's Python: another one does not see Debian's Kazoo.
inline constexpr const char* debian_python = "/usr/bin/python3";

/// Something that is not installed.
struct missing_part {
    std::string what;
    std::string package; ///< Debian's
};

/// What the programs that use the library need, and what is not here; empty: they can run.
[[nodiscard]] std::optional<missing_part> missing_part_of(peer_library library);

/// Of a library in Java: its jars and those that they need.
[[nodiscard]] std::string class_path_of(peer_library library);

/// Compiles programs in Java that use the library. Throws std::runtime_error with the compiler's
/// words.
void compile_java(peer_library library, const std::vector<std::filesystem::path>& sources,
                  const std::filesystem::path& classes);

} // namespace turnstile::test
