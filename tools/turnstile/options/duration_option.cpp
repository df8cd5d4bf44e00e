// SPDX-License-Identifier: BSL-1.0
#include "options/duration_option.hpp"

#include <CLI/App.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace turnstile::command {

namespace {

/// A unit of time, as an option takes it.
struct unit {
    std::string_view name;
    std::int64_t ms;
};

// From the largest to the smallest: option_text() takes the first that fits.
constexpr std::array units{unit{"d", 86'400'000}, unit{"h", 3'600'000}, unit{"m", 60'000},
                           unit{"s", 1'000}, unit{"ms", 1}};

} // namespace

std::chrono::milliseconds duration_of(const std::string& option, const std::string& text,
                                      const duration_range& range) {
    const auto wrong = [&](const std::string& why) {
        return CLI::ValidationError(option, '\'' + text + "' is " + why);
    };
    const char* const end = text.data() + text.size();
    std::int64_t number = 0;
    const auto [rest, failed] = std::from_chars(text.data(), end, number);
    const auto* const suffix = std::ranges::find(units, std::string_view(rest, end), &unit::name);
    if (failed == std::errc::invalid_argument || suffix == units.end())
        throw wrong("no duration: write 500ms, 30s, 10m, 2h or 1d");
    const bool negative = text.starts_with('-');
    if (!negative && (failed != std::errc() || number > range.most.count() / suffix->ms))
        throw wrong("too long: write " + option_text(range.most) + " at most");
    if (negative || number * suffix->ms < range.least.count())
        throw wrong("too short: write " + option_text(range.least) + " at least");
    return std::chrono::milliseconds(number * suffix->ms);
}

std::string option_text(std::chrono::milliseconds span) {
    const auto ms = span.count();
    for (const auto& each : units)
        if (ms >= each.ms && ms % each.ms == 0)
            return std::to_string(ms / each.ms) + std::string(each.name);
    return std::to_string(ms) + 's'; // 0
}

} // namespace turnstile::command
