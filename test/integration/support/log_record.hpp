// SPDX-License-Identifier: BSL-1.0
// Keeps what a session says.
#pragma once

#include "support/pch.hpp"
#include <turnstile.hpp>

namespace turnstile::test {

/// Every message that its sink was given. Declare it before the session.
struct log_record {
    std::vector<std::pair<log_level, std::string>> lines;

    std::function<void(log_level, std::string_view)> sink() {
        return [this](log_level level, std::string_view text) { lines.emplace_back(level, text); };
    }
    [[nodiscard]] bool has(log_level what) const {
        return std::ranges::any_of(lines, [&](const auto& line) { return line.first == what; });
    }
    [[nodiscard]] bool mentions(std::string_view what) const {
        return std::ranges::any_of(
            lines, [&](const auto& line) { return line.second.find(what) != std::string::npos; });
    }
};

} // namespace turnstile::test
