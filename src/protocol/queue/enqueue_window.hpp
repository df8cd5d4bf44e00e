// SPDX-License-Identifier: BSL-1.0
// Limits how many enqueues (creates of tickets) a session has under way at once.
#pragma once

#include "protocol/queue/ticket.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <utility>

namespace turnstile::protocol {

/// ticket_table has one for all queues of a session, and ticket_enqueues asks it. Each enqueue
/// under way takes some 800 bytes in this process, and delays the answers to later requests, such
/// as beats and releases. So the rest of a burst waits here, in the order of arrival.
class enqueue_window {
public:
    explicit enqueue_window(std::size_t most) : most_(most) {}

    /// Whether the ticket may be enqueued now. If not, it has to wait() for its turn.
    bool may_send(const ticket& who) const {
        return has_room() && (waiting_.empty() || turn_of(who) < *waiting_.begin());
    }
    void wait(const ticket& who) { waiting_.insert(turn_of(who)); }
    // An enqueue was sent, or was answered.
    void sent() { ++under_way_; }
    void answered() { --under_way_; }

    /// Takes out the ticket whose turn it is; nothing if none waits, or there is no room.
    std::optional<ticket_id> next() {
        if (waiting_.empty() || !has_room())
            return std::nullopt;
        const auto first = waiting_.begin()->second;
        waiting_.erase(waiting_.begin());
        return first;
    }
    /// The connection is lost: the queues enqueue their tickets on the next one.
    void clear() { waiting_.clear(); }

private:
    /// The ticket's start, and its id. Ids alone give no order: those of a semaphore's tickets are
    /// above all others.
    using turn = std::pair<instant, ticket_id>;

    static turn turn_of(const ticket& who) { return {who.started, who.id}; }
    bool has_room() const { return under_way_ < most_; }

    const std::size_t most_;
    std::size_t under_way_ = 0;
    std::set<turn> waiting_;
};

} // namespace turnstile::protocol
