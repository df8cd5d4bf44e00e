// SPDX-License-Identifier: BSL-1.0
// Who waits for whom: what one kind of lock decides, where its tickets' place is the same for all.
#pragma once

#include "protocol/queue/pending_deletes.hpp"
#include "protocol/queue/ticket.hpp"
#include "protocol/wire/message.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// The queue (the place) has the tickets and their nodes: enqueue, deletions, recovery, bytes. An
/// order decides for a ticket with a node whether it is first, and what it waits for otherwise. It
/// ends in lock_queue::on_first_in_line(), in a watch, or with the end of the acquire.
class queue_order {
public:
    virtual ~queue_order() = default;

    /// Whether a try of this kind is in vain, as a ticket of this session stands before it.
    virtual bool is_blocked(const ticket& newcomer) const = 0;
    /// The node was made. So many children stood under the path before it.
    virtual void on_enqueued(ticket& who, std::int32_t children) = 0;
    /// What the ticket waits for is not known, or not any more.
    virtual void search(ticket& who) = 0;
    /// As search, after a reconnect, which ended all watches.
    virtual void search_again(ticket& who) = 0;
    /// An event of a node that is not the ticket's own.
    virtual void on_watch(ticket& who, const std::string& node, watch_event event) = 0;
    /// The ticket waits for nothing any more: its watch counts no longer.
    virtual void forget(ticket& who) = 0;

    /// It holds the lock from here on.
    virtual void on_grant(ticket& who) = 0;
    /// How the release of a held ticket is told to those behind it.
    virtual delete_form form_of_release(const ticket& holder) const = 0;
    /// Those of this session that wait for this ticket with no watch at the server. Asked before
    /// the ticket leaves; then one of the three below is called, when the ticket stands in line no
    /// more.
    virtual std::vector<ticket*> heirs_of(const ticket& who) const = 0;
    virtual void on_release(ticket_kind released, const std::vector<ticket*>& heirs) = 0;
    /// It left without having owned the lock, or with the lock lost.
    virtual void on_leave(ticket& leaver, const std::vector<ticket*>& heirs) = 0;
    /// It holds the lock to read from here on, in the same place.
    virtual void on_downgrade(ticket& who, const std::vector<ticket*>& heirs) = 0;
    /// Another hand deleted it.
    virtual void on_vanish(const std::vector<ticket*>& heirs) = 0;
};

} // namespace turnstile::protocol
