// SPDX-License-Identifier: BSL-1.0
// The elections that a session follows.
#pragma once

#include "protocol/election/leader_watch.hpp"
#include "session/pending_table.hpp"

#include <turnstile/error.hpp>
#include <turnstile/leader_info.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace turnstile::detail {

/// In the result `since` is the instant when the leader lined up.
inline leader_info to_public(const protocol::leader_watch::leader& from) {
    leader_info result;
    result.fencing_token = fencing_token(static_cast<std::uint64_t>(from.czxid));
    result.session_id = from.session;
    result.value = from.who.value;
    result.host = from.who.host;
    result.pid = from.who.process;
    result.label = from.who.label;
    result.since = std::chrono::system_clock::time_point{std::chrono::milliseconds{from.ctime}};
    return result;
}

/// For each election that observes: the leaders that it has seen, and the operations that wait for
/// the next one. session_queries owns it, and calls it on the session's strand.
class leader_table {
public:
    using operation = pending_operation<error_code, leader_info>;
    using group_id = std::uint64_t; // of the election object

    /// Whether await() was called for this election before, and end() was not.
    bool follows(group_id group) const { return seen_.contains(group); }
    /// Completes with a leader other than `known`, or at once if `known` is empty. From the first
    /// call on the session calls on_leader() with each leader of the election.
    void await(group_id group, const std::optional<leader_info>& known, operation_id id,
               operation&& waiting) {
        waiting_.add(id, {std::move(waiting), known}, group);
        complete_waiters(group);
    }
    void on_leader(group_id group, leader_info now) {
        auto& seen = seen_[group];
        if (!seen.empty())
            now.since = now.fencing_token == seen.back().fencing_token
                            ? seen.back().since
                            : std::chrono::system_clock::now();
        seen.push_back(std::move(now));
        if (seen.size() > most_seen)
            seen.pop_front();
        complete_waiters(group);
    }
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

    // This many leaders are kept for a caller that awaits the next one late.
    static constexpr std::size_t most_seen = 64;

    /// Completes the operations that do not know the last leader.
    void complete_waiters(group_id group) {
        const auto& seen = seen_[group];
        if (seen.empty())
            return;
        for (const auto id : waiting_.members(group)) {
            const auto known = waiting_.find(id)->known;
            auto next = known ? std::find(seen.rbegin(), seen.rend(), *known) : seen.rend();
            if (next == seen.rbegin())
                continue; // the caller knows the last one
            next = next == seen.rend() ? seen.rbegin() : std::prev(next);
            waiting_.complete(id, {}, leader_info(*next));
        }
    }

    std::map<group_id, std::deque<leader_info>> seen_; // the last of them leads
    pending_table<waiter, leader_info> waiting_;
};

} // namespace turnstile::detail
