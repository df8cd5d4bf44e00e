// SPDX-License-Identifier: BSL-1.0
// The kinds of fault of a chaos run, with their names. The lanes of the schedule count each one
// that happens (schedule_book), and judge() asks for all of them. test/README.md explains the
// words.
#pragma once

#include <array>
#include <cstddef>

namespace turnstile::chaos {

/// Each of them must happen at least once in a run of three minutes or more.
enum class fault_kind : std::size_t {
    cut,
    hold,
    black_hole,
    lag,
    leader_crash,
    rolling_restart,
    partition_follower_to_leader,
    partition_leader_to_follower,
    partition_of_follower,
    partition_leader_to_majority,
    partition_majority_to_leader,
    partition_of_leader,
    session_end,
    client_pause,
    server_pause,
    client_crash,
    cancel_storm,
    path_deletion,
    ticket_deletion, ///< of any ticket of a lock
    waiter_deletion, ///< of a ticket that waits
    lost_event,      ///< a notification that the proxy swallows
};

/// The names, in the order of the kinds. A pause counts if it is longer than the session timeout.
inline constexpr std::array fault_kind_names{"cut",
                                             "hold",
                                             "black hole",
                                             "lag",
                                             "leader crash",
                                             "rolling restart",
                                             "partition, follower to leader",
                                             "partition, leader to follower",
                                             "partition of a follower",
                                             "partition, leader to majority",
                                             "partition, majority to leader",
                                             "partition of the leader",
                                             "session end",
                                             "client pause",
                                             "server pause",
                                             "client crash",
                                             "cancel storm",
                                             "path deletion",
                                             "ticket deletion",
                                             "ticket deletion, waiting",
                                             "lost event"};

/// How often each kind happened.
using fault_tally = std::array<std::size_t, fault_kind_names.size()>;

[[nodiscard]] constexpr std::size_t index_of(fault_kind kind) {
    return static_cast<std::size_t>(kind);
}

[[nodiscard]] constexpr const char* name_of(fault_kind kind) {
    return fault_kind_names[index_of(kind)];
}

static_assert(index_of(fault_kind::lost_event) + 1 == fault_kind_names.size());

/// Whether the fault parts servers from each other, which takes network namespaces.
[[nodiscard]] constexpr bool parts_servers(fault_kind kind) {
    return kind >= fault_kind::partition_follower_to_leader &&
           kind <= fault_kind::partition_of_leader;
}

} // namespace turnstile::chaos
