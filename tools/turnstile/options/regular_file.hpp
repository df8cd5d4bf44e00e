// SPDX-License-Identifier: BSL-1.0
// The check of a file that a session reads.
#pragma once

#include "command_failure.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace turnstile::command {

/// Throws command_failure if the file is not a regular one. A session reads the file anew for its
/// connections, and the read of a FIFO or a device could block. A missing file passes here: the
/// function that reads it says so.
inline void check_regular(const std::string& option, const std::string& file) {
    std::error_code failed;
    if (!file.empty() && std::filesystem::exists(file, failed) &&
        !std::filesystem::is_regular_file(file, failed))
        throw command_failure(exit_code::bad_usage,
                              fmt::format("{} '{}' is no regular file\n"
                                          "It is read at each connection: a FIFO, a device or "
                                          "the shell's <(...) cannot serve.",
                                          option, file));
}

} // namespace turnstile::command
