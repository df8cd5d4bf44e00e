// SPDX-License-Identifier: BSL-1.0
// Durations on the command line: 500ms, 30s, 10m, 2h.
#pragma once

#include <CLI/App.hpp>

#include <chrono>
#include <string>

namespace turnstile::command {

/// Which durations an option takes.
struct duration_range {
    std::chrono::milliseconds least{0};
    // To the library a year is for ever. No sum of such durations overflows.
    std::chrono::milliseconds most = std::chrono::hours(365 * 24);
};

/// Reads a duration. Throws CLI::ValidationError, which names the option.
std::chrono::milliseconds duration_of(const std::string& option, const std::string& text,
                                      const duration_range& range);

/// Adds an option for a duration. `to` is a duration, or an optional one.
template <class To>
CLI::Option* add_duration(CLI::App& app, const std::string& name, To& to,
                          const std::string& description, duration_range range = {}) {
    return app
        .add_option_function<std::string>(
            name,
            [&to, name, range](const std::string& text) { to = duration_of(name, text, range); },
            description)
        ->type_name("DURATION");
}

/// Writes a duration as an option takes it, with the largest unit that fits: "10m", "1500ms".
std::string option_text(std::chrono::milliseconds span);

} // namespace turnstile::command
