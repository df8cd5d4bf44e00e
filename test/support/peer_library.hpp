// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// Other lock libraries: test/interop and the benchmark run programs that use them, beside this
/// one.
enum class peer_library { curator, zookeeper_recipe, kazoo };

/// Debian's Python: another one does not see Debian's Kazoo.
inline constexpr const char* debian_python = "/usr/bin/python3";

/// Something that a program needs, and that is not installed.
struct missing_part {
    std::string what;    ///< a file or a program
    std::string package; ///< the Debian package that has it
};

/// The first part that programs with this library lack. Nothing: they can run.
[[nodiscard]] std::optional<missing_part> missing_part_of(peer_library library);

/// The class path of a library in Java: its jars, and those that these need.
[[nodiscard]] std::string class_path_of(peer_library library);

/// Compiles Java programs that use the library, into the folder `classes`. Throws
/// std::runtime_error with what the compiler said.
void compile_java(peer_library library, const std::vector<std::filesystem::path>& sources,
                  const std::filesystem::path& classes);

} // namespace turnstile::test
