// SPDX-License-Identifier: BSL-1.0
// Who leads an election.
#pragma once

#include <turnstile/fencing_token.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace turnstile {

/// The leader as one server showed it, which may be behind the others. Converts to false if nobody
/// leads.
struct leader_info {
    /// Not an aggregate: GCC 12 destroys one that is written into a `co_await` expression twice.
    leader_info() noexcept {} // NOLINT: see above

    /// The leader's token. It grows with each leadership.
    turnstile::fencing_token fencing_token{};
    /// The value of `campaign`, or of the last `proclaim`. Empty for tickets of another library.
    std::string value{};
    /// Where the process runs, and `session_options::label`. Empty for tickets of another library.
    std::string host{};
    std::string pid{};
    std::string label{};
    std::int64_t session_id = 0; ///< the leader's ZooKeeper session
    /// When this object saw the previous leader go, by the clock of this host. If it saw none, when
    /// the leader lined up, by the server's clock: the leader has led since then or later.
    std::chrono::system_clock::time_point since{};

    explicit operator bool() const { return session_id != 0; }
    /// Whether both are of one leadership, and show the same value.
    friend bool operator==(const leader_info& a, const leader_info& b) {
        return a.session_id == b.session_id && a.fencing_token == b.fencing_token &&
               a.value == b.value;
    }
};

} // namespace turnstile
