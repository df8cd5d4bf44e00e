// SPDX-License-Identifier: BSL-1.0
// A caller's time limit, in whatever unit, as the library counts it.
#pragma once

#include <turnstile/lease_clock.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace turnstile::detail {

/// Nothing where there is no limit. A limit beyond a year is none, and would overflow where it is
/// added to an instant. What is not above zero is over at once, and so is a NaN.
template <class Rep, class Period>
std::optional<std::chrono::nanoseconds> limit_of(std::chrono::duration<Rep, Period> limit) {
    constexpr double year = 365.0 * 24 * 3600;
    const double seconds = std::chrono::duration<double>(limit).count();
    if (seconds >= year)
        return std::nullopt;
    if (!(seconds > 0)) // false for a NaN, as each comparison with it
        return std::chrono::nanoseconds::zero();
    return std::chrono::ceil<std::chrono::nanoseconds>(limit);
}

/// What is left until an instant of any clock.
template <class Clock, class Duration>
std::optional<std::chrono::nanoseconds> limit_until(std::chrono::time_point<Clock, Duration> end) {
    const auto now = Clock::now();
    if (end <= now) // first, since the difference from the earliest instant overflows
        return std::chrono::nanoseconds::zero();
    return limit_of(end - now);
}

/// How long an operation may last, stated before it starts: a length from its start on, or until an
/// instant, whenever it starts.
class time_limit {
public:
    time_limit(std::optional<std::chrono::nanoseconds> length = {}) : length_(length) {}
    template <class Clock, class Duration>
    static time_limit until(std::chrono::time_point<Clock, Duration> end) {
        time_limit result(limit_until(end));
        if (result.length_)
            result.end_ = lease_clock::now() + *result.length_;
        return result;
    }

    /// For an operation that starts now; nothing where there is no limit.
    std::optional<std::chrono::nanoseconds> left() const {
        return end_ ? std::max(*end_ - lease_clock::now(), std::chrono::nanoseconds::zero())
                    : length_;
    }

private:
    std::optional<std::chrono::nanoseconds> length_;
    std::optional<lease_clock::time_point> end_{};
};

} // namespace turnstile::detail
