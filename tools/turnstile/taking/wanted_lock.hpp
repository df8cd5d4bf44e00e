// SPDX-License-Identifier: BSL-1.0
// The lock that a command acquires.
#pragma once

#include <turnstile/diagnostics.hpp>
#include <turnstile/election.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/lease_clock.hpp>
#include <turnstile/participant.hpp>
#include <turnstile/semaphore.hpp>
#include <turnstile/shared_mutex.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace turnstile::command {

/// Which lock to acquire, and how.
struct lock_wish {
    std::string path{};
    bool shared = false;
    std::optional<std::string> value{};               ///< a candidate's value; nothing: no election
    std::uint32_t permits = 0;                        ///< how many of a semaphore; 0: another lock
    bool no_wait = false;                             ///< it tries once, and does not wait
    std::optional<std::chrono::milliseconds> limit{}; ///< of the wait; nothing: none
    std::optional<std::chrono::milliseconds> at_most{}; ///< of the hold; nothing: none

    /// Whether it waits for nobody.
    bool is_try() const { return no_wait || limit == std::chrono::milliseconds::zero(); }
};

/// A lock of any kind, as the options of the command line name it. lock_taker owns it.
class wanted_lock {
public:
    wanted_lock(session& owner, const lock_wish& wish);

    /// Acquires the lock. The limit of the wait counts from `since` on. If it is over already, this
    /// tries once.
    boost::asio::awaitable<std::tuple<error_code, held_lock>>
    acquire(diagnostics& diag, lease_clock::time_point since);

    /// Returns the line, with the tickets' data of the first `most`. Empty if that fails or takes
    /// long.
    boost::asio::awaitable<std::vector<participant>> list_participants(std::size_t most);

private:
    const lock_wish wish_;
    shared_mutex line_; // its writers are a mutex, too
    semaphore permits_;
    election leaders_; // only one of the three is acquired
};

} // namespace turnstile::command
