// SPDX-License-Identifier: BSL-1.0
#include "text/human_text.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <ctime>

namespace turnstile::command {

std::string text_of(std::chrono::milliseconds span) {
    const auto seconds = std::max<std::int64_t>(span.count() / 1000, 0);
    if (seconds < 60)
        return fmt::format("{} s", seconds);
    if (seconds < 3600)
        return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    if (seconds < 86'400)
        return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
    return fmt::format("{} d {} h", seconds / 86'400, seconds / 3600 % 24);
}

std::string text_of(std::chrono::system_clock::time_point when) {
    const auto then = fmt::localtime(std::chrono::system_clock::to_time_t(when));
    const auto now = fmt::localtime(std::time(nullptr));
    if (then.tm_year == now.tm_year && then.tm_yday == now.tm_yday)
        return fmt::format("{:%H:%M:%S}", then);
    return fmt::format("{:%Y-%m-%d %H:%M:%S}", then);
}

std::string utc_text(std::chrono::system_clock::time_point when) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(when)));
}

} // namespace turnstile::command
