// A caller's time limit, in whatever unit, as the library counts it.
#pragma once

#include <turnstile/lease_clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
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

/// How long an operation may last, told before it starts.
class time_limit {
public:
    /// None, or a length from the start of the operation on.
    time_limit(std::optional<std::chrono::nanoseconds> length = {})
        : kind_(length ? kind::length : kind::none),
          value_(length.value_or(std::chrono::nanoseconds::zero())) {}
    /// An instant, whenever the operation starts.
    template <class Clock, class Duration>
    static time_limit until(std::chrono::time_point<Clock, Duration> end) {
        time_limit result;
        if (const auto left = limit_until(end)) {
            result.kind_ = kind::end;
            result.value_ = lease_clock::now().time_since_epoch() + *left;
        }
        return result;
    }

    /// For an operation that starts now.
    std::optional<std::chrono::nanoseconds> left() const {
        switch (kind_) {
        case kind::none:
            return std::nullopt;
        case kind::length:
            return value_;
        default:
            return std::max(value_ - lease_clock::now().time_since_epoch(),
                            std::chrono::nanoseconds::zero());
        }
    }

private:
    enum class kind : std::uint8_t { none, length, end };

    // Both are one number: each coroutine that waits in line keeps it.
    kind kind_;
    std::chrono::nanoseconds value_;
};

} // namespace turnstile::detail
