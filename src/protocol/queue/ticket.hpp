// SPDX-License-Identifier: BSL-1.0
// One acquire on its way through a queue: the caller's wish, and the node that stands for it.
#pragma once

#include "protocol/hold_limit.hpp"
#include "protocol/names/request_mark.hpp"
#include "protocol/names/ticket_id.hpp"
#include "protocol/names/ticket_name.hpp"
#include "protocol/queue/ticket_phase.hpp"
#include "protocol/time/instant.hpp"
#include "protocol/time/timers.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace turnstile::protocol {

class lock_queue;

/// Stands in a queue for something else than the queue's own lock.
/// A ticket with a taker is never granted: its taker hears when it is first, and takes it out of
/// the line itself. The acquire is the taker's, which tells its end.
class line_taker {
public:
    virtual ~line_taker() = default;

    /// So many nodes stood there before its own.
    virtual void on_queued(ticket_id place, std::int32_t ahead) = 0;
    /// No other stands before the ticket. Called again after a reconnect.
    virtual void on_first(ticket_id place) = 0;
    /// Its node is gone; the ticket is enqueued anew, unless its taker cancels it.
    virtual void on_place_lost(ticket_id place) = 0;
    /// The ticket has left the line, or never came to stand in it.
    virtual void on_line_failed(ticket_id place, failure why, zookeeper_code code) = 0;
};

/// The node that a waiting ticket watches.
struct predecessor {
    std::string path;
    std::int32_t sequence = 0;
    bool exclusive = true;
    bool trusted = false; // CHANGED of it means: the lock is yours
    bool armed = false;   // on the connection of the moment
};

/// What a ticket knows of the watch on its own node, on the connection of the moment.
enum class own_watch_state : std::uint8_t { none, asked, armed };

/// One of several acquires that share a ticket.
struct sharer {
    sharer(ticket_id the_id, instant the_start, timers& clock)
        : id(the_id), started(the_start), acquire_deadline(clock) {}

    const ticket_id id;
    const instant started;
    timer acquire_deadline;
};

/// What this session does with the node of a ticket: an answer will show what became of it.
enum class own_change : std::uint8_t {
    none,
    taking,               // a transaction that ends it was sent
    downgrade_sent,       // from writer to reader
    downgrade_unknown,    // whether it happened: asked on the next connection, or T/8 later
    downgrade_asked,      // under both names
    downgrade_still_there // and is there under the old one, which was asked first
};

/// How an acquire may come by its ticket.
struct ticket_options {
    std::int64_t incarnation = 0; // of the lock path; 0: any
    bool wait = true;             // false: try_acquire
    bool later_part = false;      // other parts of a multi_lock are held meanwhile
    bool in_batch = false;        // made together with others, and so never made again
};

/// Who waits to hear of a change; 0: none.
struct change_wishes {
    ticket_id downgrade_caller = 0;
    ticket_id upgrade_caller = 0;
    ticket_id writer = 0;   // the ticket by which it is to hold the lock to write
    request_mark request{}; // of that ticket
};

struct ticket {
    ticket(ticket_id the_id, lock_queue& the_queue, timers& clock)
        : id(the_id), where(the_queue), deadline(clock), own_watch(clock) {}

    // By size, so that there are no holes: a session may have ten thousand of them.
    const ticket_id id;
    lock_queue& where;
    request_mark request{};
    ticket_options options{};
    instant started{};
    timer deadline; // of the acquire; of a lost lock: its node goes then
    timer own_watch;
    instant late_downgrade_until{}; // a try whose answer was lost may be carried out till then
    /// Empty: the acquire that came with the ticket, alone.
    std::list<sharer> sharers;

    ticket_name name; // valid from `finding_predecessor` on; while creating, all but the sequence
    std::int64_t czxid = 0;
    std::optional<predecessor> before;
    std::optional<std::int32_t> neighbour_of;
    std::string value;                // that its data has: of a candidate in an election
    std::set<std::string> no_tickets; // children met on this search that turned out persistent
    change_wishes wishes{};
    line_taker* taker = nullptr; // it stands here for something else
    std::unique_ptr<hold_limit> limit;

    std::uint32_t epoch = 1;         // a reply that was asked for in an earlier epoch is stale
    std::uint32_t reader_search = 0; // the epoch of a search that asks for a reader, too
    std::int32_t floor = -1;         // highest sequence seen when the create was sent
    std::uint32_t joins = 0;         // readers that have come to share it so far
    std::uint32_t tries = 0;         // since it last stood in line
    std::uint32_t cost = 0;          // bytes taken from the budget
    std::int32_t ahead = 0;          // it waited for no more than so many, when last told

    failure why_lost = failure::none; // where it was
    tabled_state<ticket_phases> phase;
    own_change change = own_change::none;
    ticket_kind kind = ticket_kind::exclusive;
    bool abandoned = false;  // the caller is gone; only the node remains to be dealt with
    bool in_reserve = false; // its bytes are of those that are kept for locks that are free
    bool crowded = false;    // it met many others when it came
    own_watch_state watches_itself = own_watch_state::none;
    bool unseen = false; // it may be deleted, and no event of this connection would have shown it

    /// The callers that wait for the end of a change; each once.
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
    /// The node of a writer that becomes a reader may be a reader's by now.
    bool keeps_readers_out() const { return exclusive() && !is_downgrading(); }
    bool has_node() const { return phase >= ticket_phase::finding_predecessor; }
};

/// By their ids, in the order of arrival: ids grow with each acquire.
using ticket_map = std::map<ticket_id, ticket>;
/// By their sequences.
using standing_tickets = std::map<std::int32_t, ticket*>;

} // namespace turnstile::protocol
