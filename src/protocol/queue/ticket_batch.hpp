// SPDX-License-Identifier: BSL-1.0
// Tickets of several locks that are made in one transaction.
#pragma once

#include "protocol/queue/queue_registry.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace turnstile::protocol {

/// In the order of their locks. Of the tickets those are kept that acquires one after the other
/// would have by now: the owners from the first on, and the first that waits. The others are taken
/// back.
class ticket_batch {
public:
    ticket_batch(session_context& shared, queue_registry& queues)
        : context_(shared), queues_(queues) {}

    /// Whether the acquire came in: its lock has a line and looks free, and there is room for it.
    bool join(ticket_id id, const acquire_request& what, std::optional<instant> end);
    bool empty() const { return members_.empty(); }
    void send();

private:
    struct member {
        ticket_id id = 0;
        std::uint64_t epoch = 0;
    };

    void on_answer(const reply& answer) const;

    session_context& context_;
    queue_registry& queues_;
    std::vector<member> members_;
    std::vector<transaction_step> steps_;
    std::size_t bytes_ = 0;
};

} // namespace turnstile::protocol
