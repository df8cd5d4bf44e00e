// SPDX-License-Identifier: BSL-1.0
// Limits how many enqueues a session has under way at once.
#pragma once

#include "protocol/queue/ticket.hpp"

#include <cstddef>
#include <optional>
#include <set>

namespace turnstile::protocol {

/// Each enqueue under way takes some 800 bytes in this process, and what is sent after it is
/// answered after it: beats and releases. So the rest of a burst waits here.
/// It goes in the order of arrival.
class enqueue_window {
public:
    explicit enqueue_window(std::size_t most) : most_(most) {}

    /// Whether it is this ticket's turn. If not, the ticket has to stand in line for it.
    bool may_send(ticket_id id) const {
        return has_room() && (waiting_.empty() || id < *waiting_.begin());
    }
    void wait(ticket_id id) { waiting_.insert(id); }
    void sent() { ++under_way_; }
    void answered() { --under_way_; }

    /// Takes out the ticket whose turn it is.
    std::optional<ticket_id> next() {
        if (waiting_.empty() || !has_room())
            return std::nullopt;
        const auto first = *waiting_.begin();
        waiting_.erase(waiting_.begin());
        return first;
    }
    void clear() { waiting_.clear(); }

private:
    bool has_room() const { return under_way_ < most_; }

    const std::size_t most_;
    std::size_t under_way_ = 0;
    std::set<ticket_id> waiting_;
};

} // namespace turnstile::protocol
