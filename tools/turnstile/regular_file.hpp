// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "command_failure.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace turnstile::command {

/// Of a file that is read at each connection, by the thread that keeps the lock: a FIFO or a device
/// could block it. Throws command_failure. One that is missing is told where it is read.
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
