// SPDX-License-Identifier: BSL-1.0
// The period in which `turnstile run --once-per` starts a command once.
#pragma once

#include <chrono>
#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace turnstile::command {

/// A duration, or an hour, a day or a week of the calendar. The options set it.
class once_period {
public:
    /// Adds the options --once-per and --zone.
    void add_to(CLI::App& app);
    /// Whether --once-per was given.
    explicit operator bool() const { return !text_.empty(); }

    /// Whether both instants lie in one period, so that the command is not started again. From a
    /// duration a sixteenth is taken off. `last` is not later than `now`.
    bool has_both(std::chrono::milliseconds last, std::chrono::milliseconds now) const;
    /// The period, as the option has it.
    const std::string& text() const { return text_; }

private:
    /// Names the hour, the day or the week of the calendar in which the instant lies.
    std::string key_of(std::chrono::milliseconds when) const;

    std::string text_{};
    std::chrono::milliseconds span_{}; // the duration, if format_ is null
    const char* format_ = nullptr;     // of strftime, for a period of the calendar
    std::string zone_{};               // the time zone; empty: the host's
};

} // namespace turnstile::command
