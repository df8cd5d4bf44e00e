// SPDX-License-Identifier: BSL-1.0
// What happens to acquires and locks, for observers.
#pragma once

#include <turnstile/error.hpp>
#include <turnstile/fencing_token.hpp>

#include <cstdint>
#include <functional>
#include <string_view>

namespace turnstile {

/// An event of an acquire, or of the lock that it was granted. An acquire has `queued` each time
/// that it gets a place behind others, `moved_up` when fewer stand before it, then `granted` or
/// `failed`. The lock has `at_risk` and `out_of_danger` as often as this happens, then `lost` or
/// `released`, once for all handles that share it.
struct lock_event {
    enum class kind { queued, moved_up, granted, failed, at_risk, out_of_danger, lost, released };

    kind what;
    std::string_view path{}; ///< valid during the call
    /// The same in all events of an acquire and its lock; unique in the session.
    std::uint64_t acquire = 0;
    /// `queued`: the number of nodes under the lock path that stood before this acquire's own.
    /// `moved_up`: at least this many stand there now. It is checked eight times in each session
    /// timeout.
    std::uint32_t ahead = 0;
    /// Of `granted` and the later events.
    turnstile::fencing_token fencing_token{};
    /// Why the acquire `failed`, or the lock was `lost`.
    error_code reason{};
};

/// Called in the order of the events, as `logger::sink` is. It must not block and must not throw.
/// It may use the library.
using lock_observer = std::function<void(const lock_event&)>;

} // namespace turnstile
