// SPDX-License-Identifier: BSL-1.0
// Numbers on the command line.
#pragma once

#include <CLI/App.hpp>

#include <fmt/core.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace turnstile::command {

/// Lets an option take decimal digits alone. CLI11 would read 010 as 8 and 0x10 as 16, and pass
/// over a blank.
inline CLI::Option* takes_number(CLI::Option* option, std::uint32_t least, std::uint32_t most) {
    const CLI::Validator decimal(
        [least, most](std::string& text) {
            std::uint32_t number = 0;
            const char* const end = text.data() + text.size();
            const auto [rest, failed] = std::from_chars(text.data(), end, number);
            if (failed != std::errc() || rest != end || number < least || number > most)
                return fmt::format("'{}' is no number from {} to {} in decimal digits", text, least,
                                   most);
            text = std::to_string(number); // without zeros in front
            return std::string();
        },
        "");
    return option->transform(decimal);
}

} // namespace turnstile::command
