// SPDX-License-Identifier: BSL-1.0
// Tickets of several locks that are made in one transaction.
#pragma once

#include "protocol/queue/queue_registry.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace turnstile::protocol {

/// Collects acquires in the order of their locks, and makes their tickets at once. It keeps the
/// tickets that acquires one after the other would have: the owners up to the first ticket that
/// waits, and that one. It takes the others back. session_machine makes a batch for parts of a
/// multi_lock, fills it by join(), and sends it.
class ticket_batch {
public:
    ticket_batch(session_context& shared, queue_registry& queues)
        : context_(shared), queues_(queues) {}

    /// Adds an acquire. False: its lock is a semaphore or a single_node_mutex, or is not known to
    /// be free, or there is no room.
    bool join(ticket_id id, const acquire_request& what, std::optional<instant> end);
    bool empty() const { return members_.empty(); }
    /// Sends the transaction. This object is not used after that: a copy of it gets the answer.
    void send();

private:
    struct member {
        ticket_id id = 0;
        std::uint64_t epoch = 0; // of the ticket; another one: it has moved on meanwhile
    };

    void on_answer(const reply& answer) const;

    session_context& context_;
    queue_registry& queues_;
    std::vector<member> members_;
    std::vector<transaction_step> steps_;
    std::size_t bytes_ = 0; // of all steps
};

} // namespace turnstile::protocol
