// SPDX-License-Identifier: BSL-1.0
// A ticket: an acquire on its way through a queue, and the node that stands for it.
#pragma once

#include "protocol/hold.hpp"
#include "protocol/names/request_mark.hpp"
#include "protocol/names/ticket_id.hpp"
#include "protocol/names/ticket_name.hpp"
#include "protocol/queue/own_change.hpp"
#include "protocol/queue/ticket_phase.hpp"
#include "protocol/time/instant.hpp"
#include "protocol/time/timers.hpp"
#include "protocol/wire/budget.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace turnstile::protocol {

class lock_queue;

/// The owner of tickets that do not wait for the queue's lock: a semaphore, whose tickets wait for
/// permits. The queue never grants such a ticket. It calls the taker when the ticket is the first,
/// and the taker takes the ticket out of the queue. The taker also reports the end of the acquire.
class line_taker {
public:
    virtual ~line_taker() = default;

    /// The ticket was enqueued behind this many nodes.
    virtual void on_queued(ticket_id ticket, std::int32_t ahead) = 0;
    /// No other ticket stands before this one. Called again after each reconnect.
    virtual void on_first(ticket_id ticket) = 0;
    /// Its node is gone; the ticket is enqueued anew, unless its taker cancels it.
    virtual void on_place_lost(ticket_id ticket) = 0;
    /// The ticket has left the line, or never came to stand in it.
    virtual void on_line_failed(ticket_id ticket, failure why, zookeeper_code code) = 0;
};

/// The node that a waiting ticket watches.
struct predecessor {
    std::string path;
    std::int32_t sequence = 0;
    bool exclusive = true;
    bool trusted = false; // CHANGED of its node hands the lock over to the ticket
    bool armed = false;   // the watch is set on this connection
};

/// The watch of a ticket on its own node, on this connection.
enum class own_watch_state : std::uint8_t { none, asked, armed };

/// One of several acquires that share a ticket.
struct sharer {
    sharer(ticket_id the_id, instant the_start, timers& clock)
        : id(the_id), started(the_start), acquire_deadline(clock) {}

    const ticket_id id;
    const instant started;
    timer acquire_deadline;
};

/// How the acquire wants its ticket to be made.
struct ticket_options {
    std::int64_t incarnation = 0; // of the lock path; 0: any
    bool wait = true;             // false: try_acquire
    bool later_part = false;      // earlier parts of its multi_lock are held
    bool in_batch = false;        // a transaction makes it with others: it is made only once
};

/// The callers that wait for the end of a change; 0: none.
struct change_wishes {
    ticket_id downgrade_caller = 0;
    ticket_id upgrade_caller = 0;
    ticket_id writer = 0; // the new exclusive ticket of an upgrade
    request_mark mark{};  // of that ticket
};

/// A lock_queue owns it, and changes its phase. Its hold says whether the lock was lost.
/// (Rules: docs/internals/protocol/queue.md)
struct ticket {
    ticket(ticket_id the_id, lock_queue& the_queue, session_context& shared)
        : id(the_id),
          where(the_queue),
          deadline(shared.clock),
          own_timer(shared.clock),
          lock(shared) {}

    // The members are in an order that leaves few holes: a session may have ten thousand tickets.
    const ticket_id id;
    lock_queue& where;
    request_mark mark{};
    ticket_options options{};
    instant started{};
    timer deadline;  // ends the acquire
    timer own_timer; // sets the watch on the own node; while a downgrade is open, which ignores
                     // that watch, it reads both names again, or ends the wait for the answer
    hold lock;
    claim bytes{};
    instant late_downgrade_until{}; // an unanswered downgrade may be carried out until then
    /// Empty: the acquire that came with the ticket, alone.
    std::list<sharer> sharers;

    ticket_name name; // valid from `finding_predecessor` on; while creating, all but the sequence
    std::int64_t czxid = 0;
    std::optional<predecessor> before;        // the node that it watches
    std::optional<std::int32_t> neighbour_of; // the ticket of this session that it waits for
    std::string value; // what a candidate in an election says; part of the node's data
    std::set<std::string> not_tickets; // children of the path that this search has met
    change_wishes wishes{};
    line_taker* taker = nullptr; // null: the ticket stands for the queue's own lock

    std::uint32_t epoch = 1;         // a reply that was asked for in an earlier epoch is stale
    std::uint32_t reader_search = 0; // the epoch of a search that asks for a reader, too
    std::int32_t floor = -1;         // highest sequence seen when the create was sent
    std::uint32_t joins = 0;         // readers that have come to share it so far
    std::uint32_t tries = 0;         // enqueues since it last stood in line
    std::int32_t ahead = 0;          // nodes before it, as last counted (note_ahead)

    tabled_state<ticket_phases> phase;
    tabled_state<own_changes> change;
    ticket_kind kind = ticket_kind::exclusive;
    bool abandoned = false; // its callers are gone, and its node is deleted once it is known
    bool crowded = false;   // the lock path had many children at its enqueue (R4)
    own_watch_state watches_itself = own_watch_state::none;
    bool unseen = false; // its node may be gone without an event: a read has to show it (Q10)

    /// Takes out the caller that waits for the end of an upgrade; 0: none.
    ticket_id end_upgrade() {
        wishes.writer = 0;
        return std::exchange(wishes.upgrade_caller, 0);
    }
    ticket_id end_downgrade() { return std::exchange(wishes.downgrade_caller, 0); }
    bool is_downgrading() const { return change > own_change::taking; }
    /// Whether its node may have this name.
    bool may_be(const ticket_name& other) const {
        return name == other || (is_downgrading() && name.as_downgraded() == other);
    }
    bool is_changing() const { return change != own_change::none; }
    bool exclusive() const { return kind == ticket_kind::exclusive; }
    /// False while a downgrade is under way: the node may be a reader's by now.
    bool keeps_readers_out() const { return exclusive() && !is_downgrading(); }
    bool has_node() const { return phase >= ticket_phase::finding_predecessor; }
};

/// By their ids, in the order of arrival: ids grow with each acquire.
using ticket_map = std::map<ticket_id, ticket>;
/// By their sequences.
using standing_tickets = std::map<std::int32_t, ticket*>;

} // namespace turnstile::protocol
