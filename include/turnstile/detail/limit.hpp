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

/// How long an operation may last, stated before it starts.
class time_limit {
public:
    /// None, or a length from the start of the operation on.
    time_limit(std::optional<std::chrono::nanoseconds> length = {})
        : value_(length.value_or(none)) {}
    /// An instant, whenever the operation starts.
    template <class Clock, class Duration>
    static time_limit until(std::chrono::time_point<Clock, Duration> end) {
        time_limit result;
        if (const auto left = limit_until(end))
            result.value_ = before_zero - (lease_clock::now().time_since_epoch() + *left);
        return result;
    }

    /// For an operation that starts now.
    std::optional<std::chrono::nanoseconds> left() const {
        if (value_ == none)
            return std::nullopt;
        if (value_ >= std::chrono::nanoseconds::zero())
            return value_;
        return std::max(before_zero - value_ - lease_clock::now().time_since_epoch(),
                        std::chrono::nanoseconds::zero());
    }

private:
    static constexpr auto none = std::chrono::nanoseconds::max();
    static constexpr std::chrono::nanoseconds before_zero{-1};

    // One word, since each coroutine that waits in line keeps it: no limit, a length, or an
    // instant, which is counted below zero.
    std::chrono::nanoseconds value_;
};

} // namespace turnstile::detail
