// SPDX-License-Identifier: BSL-1.0
// A caller's time limit, in whatever unit, as the library counts it.
#pragma once

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

/// How long an operation may last from its start on; nothing where there is no limit.
class time_limit {
public:
    time_limit(std::optional<std::chrono::nanoseconds> length = {}) : length_(length) {}

    std::optional<std::chrono::nanoseconds> left() const { return length_; }

private:
    std::optional<std::chrono::nanoseconds> length_;
};

} // namespace turnstile::detail
