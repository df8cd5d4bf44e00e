// SPDX-License-Identifier: BSL-1.0
// The elections that a session follows.
#pragma once

#include "protocol/election/leader_watch.hpp"
#include "session/pending_table.hpp"

#include <turnstile/error.hpp>
#include <turnstile/leader_info.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace turnstile::detail {

/// In the result `since` is the instant when the leader lined up.
leader_info to_public(const protocol::leader_watch::leader& from);

/// For each election that observes: the leaders that it has seen, and the operations that wait for
/// the next one. session_impl owns it, and calls it on the session's strand.
class leader_table {
public:
    using operation = pending_operation<error_code, leader_info>;
    using group_id = std::uint64_t; // of the election object

    /// Whether await() was called for this election before, and end() was not.
    bool follows(group_id group) const { return seen_.contains(group); }
    /// Completes with a leader other than `known`, or at once if `known` is empty. From the first
    /// call on the session calls on_leader() with each leader of the election.
    void await(group_id group, const std::optional<leader_info>& known, operation_id id,
               operation&& waiting);
    void on_leader(group_id group, leader_info now);
    bool cancel(operation_id id, const error_code& why) { return waiting_.complete(id, why, {}); }
    /// The election is not followed any more: fails its operations.
    void end(group_id group, const error_code& why) {
        seen_.erase(group);
        waiting_.complete_group(group, why);
    }
    auto take() { return waiting_.take(); }

private:
    struct waiter : operation {
        std::optional<leader_info> known;
    };

    /// Completes the operations that do not know the last leader.
    void complete_waiters(group_id group);

    std::map<group_id, std::deque<leader_info>> seen_; // the last of them leads
    pending_table<waiter, leader_info> waiting_;
};

} // namespace turnstile::detail
