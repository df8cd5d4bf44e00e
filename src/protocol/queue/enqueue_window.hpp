// SPDX-License-Identifier: BSL-1.0
// Limits how many enqueues a session has under way at once.
#pragma once

#include "protocol/queue/ticket.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <utility>

namespace turnstile::protocol {

/// Each enqueue under way takes some 800 bytes in this process, and delays the answers to what is
/// sent after it, such as beats and releases. So the rest of a burst waits here. It goes in the
/// order of arrival.
class enqueue_window {
public:
    explicit enqueue_window(std::size_t most) : most_(most) {}

    /// Whether it is this ticket's turn. If not, the ticket has to stand in line for it.
    bool may_send(const ticket& who) const {
        return has_room() && (waiting_.empty() || turn_of(who) < *waiting_.begin());
    }
    void wait(const ticket& who) { waiting_.insert(turn_of(who)); }
    void sent() { ++under_way_; }
    void answered() { --under_way_; }

    /// Takes out the ticket whose turn it is.
    std::optional<ticket_id> next() {
        if (waiting_.empty() || !has_room())
            return std::nullopt;
        const auto first = waiting_.begin()->second;
        waiting_.erase(waiting_.begin());
        return first;
    }
    void clear() { waiting_.clear(); }

private:
    /// When it began, and its id: ids of one kind of ticket rise, but not those of all kinds.
    using turn = std::pair<instant, ticket_id>;

    static turn turn_of(const ticket& who) { return {who.started, who.id}; }
    bool has_room() const { return under_way_ < most_; }

    const std::size_t most_;
    std::size_t under_way_ = 0;
    std::set<turn> waiting_;
};

} // namespace turnstile::protocol
