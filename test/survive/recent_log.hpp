// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/pch.hpp"
#include <turnstile.hpp>

namespace turnstile::survive {

/// The newest messages of one session, to be shown when it has lost a lock.
class recent_log {
public:
    using clock = std::chrono::steady_clock;

    void note(std::string_view text) {
        lines_.emplace_back(clock::now(), text);
        if (lines_.size() > most)
            lines_.pop_front();
    }

    /// With the age of each, in milliseconds.
    [[nodiscard]] std::string text(clock::time_point now) const {
        std::string result;
        for (const auto& [when, line] : lines_) {
            const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - when);
            result += "  -" + std::to_string(age.count()) + " ms: " + line + '\n';
        }
        return result;
    }

private:
    static constexpr std::size_t most = 40;

    std::deque<std::pair<clock::time_point, std::string>> lines_;
};

} // namespace turnstile::survive
