// SPDX-License-Identifier: BSL-1.0
// Durations on the command line: 500ms, 30s, 10m, 2h.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace turnstile::command {

/// Which durations an option takes.
struct duration_range {
    std::chrono::milliseconds least{0};
    // To the library a year is for ever, and it is far from an overflow.
    std::chrono::milliseconds most = std::chrono::hours(365 * 24);
};

/// Reads a duration. Throws CLI::ValidationError, which names the option.
std::chrono::milliseconds duration_of(const std::string& option, const std::string& text,
                                      const duration_range& range);

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::chrono::milliseconds& to,
                          const std::string& description, duration_range range = {});
CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::milliseconds>& to,
                          const std::string& description, duration_range range = {});

/// Writes a duration as an option takes it, with the largest unit that fits: "10m", "1500ms".
std::string option_text(std::chrono::milliseconds span);

} // namespace turnstile::command
