// SPDX-License-Identifier: BSL-1.0
// Turns a caller's time limit, in any unit, into the library's.
#pragma once

#include <chrono>
#include <optional>

namespace turnstile::detail {

/// Returns nothing if there is no limit. A limit beyond a year counts as none: added to an instant
/// it would overflow. A limit that is not above zero, or is a NaN, becomes zero.
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

} // namespace turnstile::detail
