// SPDX-License-Identifier: BSL-1.0
// The watches of tickets on their own nodes.
#pragma once

#include "protocol/queue/ticket.hpp"
#include "protocol/session_context.hpp"
#include "protocol/wire/watch_table.hpp"

namespace turnstile::protocol {

class lock_queue;
class ticket_table;

/// Watches the own node of each ticket that has one (Q14), by its children: that hears the end of
/// the node alone, and a release, which sets the data, costs no event. Some servers keep that end
/// back if others watch the data; then it watches the data. `ticket::watches_itself` has the state.
/// lock_queue owns this object, and hears of the end of a node.
/// (Rules: docs/internals/protocol/queue.md)
class own_watches {
public:
    own_watches(session_context& shared, ticket_table& table, lock_queue& queue)
        : context_(shared), table_(table), queue_(queue) {}

    void watch(ticket& who);
    void watch_later(ticket& who, duration delay);
    /// This session deletes the node, or the ticket gets another one.
    void forget(ticket& who);

private:
    watch_kind kind() const {
        return context_.options.watches_own_data ? watch_kind::data : watch_kind::children;
    }

    session_context& context_;
    ticket_table& table_;
    lock_queue& queue_;
};

} // namespace turnstile::protocol
