#pragma once

#include <array>
#include <cstddef>

namespace turnstile::chaos {

/// What must happen in a run of some length, each at least once.
enum class fault_kind : std::size_t {
    cut,
    hold,
    black_hole,
    lag,
    leader_kill,
    rolling_restart,
    follower_cannot_reach_leader,
    leader_cannot_reach_follower,
    follower_parted,
    leader_cannot_reach_majority,
    majority_cannot_reach_leader,
    leader_parted,
    session_end,
    worker_pause,
    server_pause,
    worker_kill,
    cancel_storm,
    directory_deletion,
    ticket_deletion,
};

/// In the order of the kinds. The pauses are those beyond the session timeout.
inline constexpr std::array fault_kind_names{"cut",
                                             "hold",
                                             "black hole",
                                             "lag",
                                             "leader kill",
                                             "rolling restart",
                                             "follower cannot reach the leader",
                                             "leader cannot reach a follower",
                                             "follower parted from the leader",
                                             "leader cannot reach its majority",
                                             "majority cannot reach the leader",
                                             "leader parted from its majority",
                                             "session ended at the server",
                                             "pause of a worker",
                                             "pause of a server",
                                             "kill of a worker",
                                             "storm of cancellations",
                                             "deletion of a directory",
                                             "deletion of a ticket"};

/// How often each kind happened.
using fault_tally = std::array<std::size_t, fault_kind_names.size()>;

[[nodiscard]] constexpr std::size_t index_of(fault_kind kind) {
    return static_cast<std::size_t>(kind);
}

[[nodiscard]] constexpr const char* name_of(fault_kind kind) {
    return fault_kind_names[index_of(kind)];
}

static_assert(index_of(fault_kind::ticket_deletion) + 1 == fault_kind_names.size());

/// Of servers from each other, which takes network namespaces.
[[nodiscard]] constexpr bool parts_servers(fault_kind kind) {
    return kind >= fault_kind::follower_cannot_reach_leader && kind <= fault_kind::leader_parted;
}

} // namespace turnstile::chaos
