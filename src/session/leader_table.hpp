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

/// `since` is when the leader lined up.
leader_info to_public(const protocol::leader_watch::leader& from);

/// The leaders that each object has seen since it began to observe, and who waits for the next one.
/// All members are called on the session's strand.
class leader_table {
public:
    using operation = pending_operation<error_code, leader_info>;
    using group_id = std::uint64_t; // the object's

    bool follows(group_id group) const { return seen_.contains(group); }
    /// Completes with the leader, where that is not the one `known`. With none known, at once. From
    /// the first time on its leaders are brought to on_leader().
    void await(group_id group, const std::optional<leader_info>& known, operation_id id,
               operation&& waiting);
    void on_leader(group_id group, leader_info now);
    bool cancel(operation_id id, const error_code& why) { return waiting_.complete(id, why, {}); }
    /// It is followed no more.
    void end(group_id group, const error_code& why) {
        seen_.erase(group);
        waiting_.complete_group(group, why);
    }
    auto take() { return waiting_.take(); }

private:
    struct waiter : operation {
        std::optional<leader_info> known;
    };

    void tell(group_id group);

    std::map<group_id, std::deque<leader_info>> seen_; // the last of them leads
    pending_table<waiter, leader_info> waiting_;
};

} // namespace turnstile::detail
