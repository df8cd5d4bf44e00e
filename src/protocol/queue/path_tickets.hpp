// SPDX-License-Identifier: BSL-1.0
// The tickets of one session under one lock path, and which of them stand there.
#pragma once

#include "protocol/acquire_request.hpp"
#include "protocol/queue/ticket.hpp"
#include "protocol/session_context.hpp"
#include "protocol/wire/message.hpp"

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// A lock_queue owns it. It answers questions about the tickets, and asks the servers nothing.
///
/// A ticket stands once its node is known to be there, until it leaves: its deletion is sent, or
/// its node is gone. All that stand are of one incarnation of the path.
class path_tickets {
public:
    explicit path_tickets(session_context& shared) : context_(shared) {}

    /// Makes a ticket without a node.
    ticket& add(ticket_id id, lock_queue& owner);
    void erase(const ticket& who) { tickets_.erase(who.id); }
    bool empty() const { return tickets_.empty(); }
    // In the order of arrival.
    auto begin() { return tickets_.begin(); }
    auto end() { return tickets_.end(); }
    /// The ids of the tickets that are in this phase.
    std::vector<ticket_id> ids_in(ticket_phase phase) const;

    /// The tickets that stand, by sequence.
    const standing_tickets& standing() const { return standing_; }
    /// The ticket stands from now on. Of two tickets with one number the newer one stands.
    void stand(ticket& who) { standing_.insert_or_assign(who.name.sequence, &who); }
    void leave(const ticket& who) { standing_.erase(who.name.sequence); }
    void leave_all() { standing_.clear(); }
    /// The standing ticket of this name, or null.
    ticket* find(const ticket_name& name) const;
    /// Whether a standing ticket may have this name.
    bool may_have(const ticket_name& name) const;
    /// The tickets behind this name that hold the lock. Behind a reader's name no reader is listed.
    std::vector<ticket_name> holders_behind(const ticket_name& name) const;
    /// Whether this session holds the lock, and an acquire of this kind would have to wait for it.
    bool holds_against(ticket_kind kind) const;

    /// The ticket that one more reader may share (R1). Null: the reader needs its own.
    ticket* find_shareable(const acquire_request& what);

    using searches = std::deque<std::pair<ticket_id, std::uint64_t>>; // a ticket, and its epoch
    /// Adds the tickets whose predecessor has to be searched again on a new connection.
    void collect_searches(searches& due) const;

    /// How many children the lock path had when an answer last showed it.
    std::int32_t children() const { return children_; }
    void note_children(std::int32_t count) { children_ = count; }
    /// Counts the ticket as so far from the front, unless it already counts as nearer.
    void note_ahead(ticket& who, std::int32_t ahead);
    /// The lock path was read: reports to each ticket how many nodes at least stand before it
    /// (L3b). `is_known`: the tickets stand in the incarnation that was read.
    void learn_places(const node_stat& of_path, bool is_known);

private:
    /// Whether a writer of this session waits behind this ticket, or may do so.
    bool has_writer_behind(const ticket& joined) const;

    session_context& context_;
    ticket_map tickets_;
    standing_tickets standing_;
    std::int32_t children_ = 0; // see children()
};

} // namespace turnstile::protocol
