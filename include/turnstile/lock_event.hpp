// SPDX-License-Identifier: BSL-1.0
// What happens to acquires and locks, for observers.
#pragma once

#include <turnstile/error.hpp>
#include <turnstile/fencing_token.hpp>

#include <cstdint>
#include <functional>
#include <string_view>

namespace turnstile {

/// Of one acquire: `queued` each time that it gets a place behind others, `moved_up` as fewer stand
/// before it, then `granted` or `failed`. Of the lock that was granted, once for all handles that
/// share it: `at_risk` and `out_of_danger` as often as that happens, then `lost` or `released`.
struct lock_event {
    enum class kind { queued, moved_up, granted, failed, at_risk, out_of_danger, lost, released };

    kind what;
    std::string_view path{}; ///< valid during the call
    /// The same in all events of an acquire and its lock; unique in the session.
    std::uint64_t acquire = 0;
    /// `queued`: how many nodes stood under the lock path before this acquire's own. `moved_up`:
    /// how many at least stand there now. It is looked at eight times in each session timeout.
    std::uint32_t ahead = 0;
    /// `granted`, and later.
    turnstile::fencing_token fencing_token{};
    /// `failed`, `lost`: why.
    error_code reason{};
};

/// Called as `logger::sink`, in the order of the events. It must not block and must not throw. It
/// may use the library.
using lock_observer = std::function<void(const lock_event&)>;

} // namespace turnstile
