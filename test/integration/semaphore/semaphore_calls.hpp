// SPDX-License-Identifier: BSL-1.0
// Operations on a semaphore, awaited.
#pragma once

#include "integration/support/cancel_support.hpp"

namespace turnstile::test {

/// What is acquired is released at once.
inline error_code try_now(fixture& f, semaphore& from, std::uint32_t count = 1) {
    return result_of(f, [&](auto token) { from.permits(count).try_acquire(std::move(token)); });
}
inline error_code set_now(fixture& f, semaphore& which, std::uint32_t limit) {
    return result_of(f, [&](auto token) { which.set_limit(limit, std::move(token)); });
}
inline error_code remove_now(fixture& f, semaphore& which) {
    return result_of(f, [&](auto token) { which.remove(std::move(token)); });
}

using told_limit = std::pair<error_code, std::uint32_t>;

inline told_limit limit_now(fixture& f, semaphore& which) {
    std::optional<told_limit> told;
    which.get_limit([&](error_code result, std::uint32_t limit) { told.emplace(result, limit); });
    f.run_until([&] { return told.has_value(); });
    return *told;
}
inline told_limit limit_of(std::uint32_t limit) { return {error_code{}, limit}; }
inline told_limit no_limit_told() { return {error::no_limit, 0}; }

} // namespace turnstile::test
