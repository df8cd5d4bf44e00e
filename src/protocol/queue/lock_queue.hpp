// SPDX-License-Identifier: BSL-1.0
// The tickets of one session under one lock path: their nodes, from the enqueue to the deletion.
#pragma once

#include "protocol/acquire_request.hpp"
#include "protocol/names/request_mark.hpp"
#include "protocol/queue/lock_directory.hpp"
#include "protocol/queue/pending_deletes.hpp"
#include "protocol/queue/predecessor_order.hpp"
#include "protocol/queue/recovery.hpp"
#include "protocol/queue/ticket.hpp"
#include "protocol/queue/ticket_table.hpp"
#include "protocol/session_context.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// predecessor_order knows who waits for whom. lock_queue.cpp has enqueues, ends and connections,
/// lock_queue_grant.cpp the ticket that is first: grants, changes of its kind, batches.
class lock_queue {
public:
    /// Whose directory the path is: a lock of its own, which is made where it is missing, or a part
    /// of one that somebody else makes.
    enum class purpose { lock, part };

    lock_queue(session_context& shared, std::string path, ticket_table& table, purpose why,
               ticket_naming naming);
    lock_queue(const lock_queue&) = delete;
    lock_queue& operator=(const lock_queue&) = delete;

    const std::string& path() const { return path_; }
    const std::string& node_to_check() const { return path_; }
    ticket_naming naming() const { return naming_; }
    /// How many acquires came here, where nothing goes on.
    std::optional<std::uint64_t> resting() const {
        const bool rests = tickets_.empty() && leaving_.empty() && !leaving_.has_undeletable() &&
                           !recovery_.pending() && !directory_.is_busy();
        return rests ? std::optional{uses_} : std::nullopt;
    }
    std::size_t size() const { return tickets_.size(); }
    bool is_part() const { return purpose_ == purpose::part; }
    lock_directory& directory() { return directory_; }
    const lock_directory& directory() const { return directory_; }
    const pending_deletes& leaving() const { return leaving_; }
    /// The lock path was looked at by another.
    void path_found(const lock_directory& by);
    /// It was there at some time: to enqueue is to see whether it is.
    void path_believed(std::int64_t incarnation);
    /// The path has this incarnation, as its owner remembers. That may be old: where tickets stand,
    /// these prove more, and the next enqueue tells.
    void path_is(std::int64_t incarnation) {
        if (standing_.empty())
            directory_.found(incarnation);
    }

    /// To be entered next.
    ticket& add(ticket_id id);
    void enter(ticket& who);
    // In one transaction with tickets of other paths (ticket_batch). The ticket is not made a
    // second time: whatever comes in between, it is taken back.
    /// Whether it looks as if the lock were free, and the path were that one.
    bool may_enter_in_batch(std::int64_t wanted) const;
    void enter_in_batch(ticket& who, std::vector<transaction_step>& steps);
    /// Whether the ticket is an owner now.
    bool made_in_batch(ticket& who, const reply& answer, bool keeps);
    /// The transaction was refused for the sake of another.
    void not_made_in_batch(ticket& who);
    /// The ticket that one more reader may share; none where it needs one of its own.
    ticket* to_share(const acquire_request& what);
    /// Whether this session holds the lock in a way that keeps an acquire of that kind waiting.
    bool holds_against(ticket_kind kind) const;
    /// Ends all acquires of a ticket that is not granted; a held ticket is left alone.
    void cancel(ticket& who, failure why, zookeeper_code code = zookeeper_code::ok);
    /// Ends one, and leaves the ticket to the others that share it.
    void cancel(ticket& who, ticket_id caller, failure why);
    void release(ticket& who, ticket_id caller);
    /// A transaction that was to delete the node was not carried out.
    void stays(ticket& who);
    /// A transaction has deleted the node of the ticket that was first, with CHANGED.
    void leave_with_transaction(ticket& who);
    void retry_denied() { leaving_.retry_denied(); }
    void downgrade(ticket& who, ticket_id caller);
    /// `writer` is the id of the ticket that it then holds, and `request` marks that one's data.
    void upgrade(ticket& who, ticket_id caller, ticket_id writer, const request_mark& request);
    /// By its deadline or its limit. The ticket keeps its place for the margin.
    void lose(ticket& who, failure why);
    /// Lets waiters for the budget in, as far as the budget goes.
    void admit();
    /// Sends enqueues that waited for others to be answered, of all queues.
    static void place_next(ticket_table& table);

    /// The lock path was read: how many at least stand before each ticket.
    void learn_places(const reply& answer);

    // As lock_kind has them.
    void abandon_all();
    void on_connected();
    void on_disconnected();
    void stop_waiting_for_releases() { leaving_.stop_waiting(failure::unreachable); }
    void on_expired(failure releases = failure::none);
    void on_watch(ticket& who, const std::string& node, watch_event event);
    /// An external actor has deleted the node of a ticket. Where only a read shows it, the node is
    /// deleted all the same: an orphan would block the queue, and no name is used twice.
    enum class evidence { certain, read };
    void on_deleted_outside(ticket& who, evidence why = evidence::certain);
    void search_again(ticket& who) { order_.search_again(who); }
    /// Of a ticket that waits: whether it and its predecessor stand, and how far it is.
    void check_by_reads(ticket& who) { order_.check_by_reads(who); }
    /// Its predecessor is gone, and no event told that.
    void on_missed_event(ticket& who);
    using searches = std::deque<std::pair<ticket_id, std::uint64_t>>; // a ticket, and its epoch
    /// Tickets whose place has to be searched again on this connection.
    void collect_searches(searches& due) const;

    std::string path_of(const ticket& who) const { return who.name.under(path_); }

    // What the order asks for.
    /// Those with a node that are not leaving, by sequence.
    const standing_tickets& standing() const { return standing_; }
    /// Null where none of them has this name.
    ticket* find_standing(const ticket_name& name) const;
    /// No ticket stands before it: it is granted on a fresh lease, once this connection has shown
    /// it.
    void on_first_in_line(ticket& who);
    /// Ends an acquire that would have to wait and may not.
    bool may_not_wait(ticket& who);
    /// On children, for that hears the end of the node alone: a release, which sets the data, costs
    /// no event. Some servers keep that end back where others watch the data.
    void watch_own(ticket& who);
    /// How many children the path had when that was last told.
    std::int32_t children() const { return children_; }
    void has_children(std::size_t count) { children_ = static_cast<std::int32_t>(count); }
    /// No more than so many stand before it that it waits for.
    void is_behind(ticket& who, std::int32_t ahead);
    void meet_stray(const ticket_name& name, std::int64_t czxid) {
        recovery_.meet_stray(name, czxid);
    }
    /// These were seen to be gone, by an external actor.
    void remove_vanished(const std::function<bool(const ticket&)>& is_vanished, evidence why);
    /// The node of this name was deleted, be it a ticket of this session or of another.
    void on_ticket_gone(const ticket_name& name);
    /// The node is gone, or may not be deleted.
    void on_gone();

    // What recovery finds out.
    std::vector<ticket_id> tickets_in(ticket_phase phase) const;
    void learn_incarnation(std::int64_t incarnation); // of the lock path
    /// Tickets behind this one that hold the lock, unless both read.
    std::vector<ticket_name> holders_behind(const ticket_name& name) const;
    /// Whether a node is one of this session's tickets, or leaving.
    bool knows(const ticket_name& name) const;
    /// An unresolved create made this node, in a lock path that has this incarnation now.
    void adopt(ticket& who, const ticket_name& name, std::int64_t czxid, std::int64_t incarnation);
    /// An unresolved create made no node.
    void create_failed(ticket& who);
    /// Unless it is known.
    void delete_unknown(const ticket_name& name, std::int64_t czxid);

private:
    void place(ticket& who);
    void begin_create(ticket& who, std::int64_t incarnation);
    void place_unplaced();
    void on_created(ticket& who, const reply& answer);
    void on_enqueued(ticket& who, const reply& answer);
    void leave_wrong_incarnation(ticket& who);
    void settle(ticket& who, std::int64_t czxid, std::int32_t sequence);
    void restart(ticket& who); // the node is gone: enqueue anew
    void fail_unplaced(failure why, zookeeper_code code);
    std::string data_of(const ticket& who) const;

    void grant(ticket& who);
    void await_downgrade(ticket& who);
    void watch_own_later(ticket& who, duration delay);
    void forget_own_watch(ticket& who);
    watch_kind own_watch_kind() const {
        return context_.options.watches_own_data ? watch_kind::data : watch_kind::children;
    }

    void begin_downgrade();
    void send_downgrade(ticket& who);
    void ask_for_downgraded(ticket& who);
    void expect_late_downgrades();
    void on_downgrade(ticket& who, const reply& answer, bool in_doubt);
    void on_undowngraded(ticket& who, const reply& answer);
    void on_downgraded(ticket& who, const reply& answer);
    void be_reader(ticket& who, std::int64_t czxid);
    void end_downgrade(ticket& who, failure why, zookeeper_code code = zookeeper_code::ok);

    void ask_for_upgrade(ticket& who);
    void send_upgrade(ticket& who);
    void on_upgrade(ticket* who, ticket& writer, const reply& answer);
    void refuse_upgrade(ticket& who, const reply& answer);
    void be_writer(ticket& who, ticket& writer);
    void end_upgrade(ticket& who, failure why, zookeeper_code code = zookeeper_code::ok);
    void end_changes(ticket& who, failure why);

    bool has_writer_behind(const ticket& joined) const;
    void leave(ticket& who); // a plain deletion, and what it leaves to its neighbours
    void delete_ticket(ticket& who, delete_form form, ticket_id notify,
                       std::vector<ticket_name> next = {});
    void hand_over(ticket& who, const std::vector<ticket*>& successors);
    void tell_failed(ticket_id id, line_taker* taker, const std::vector<ticket_id>& callers,
                     failure why, zookeeper_code code);
    void end_hold(ticket& who, failure why);
    void erase(ticket& who);
    std::size_t cost_of_one() const;
    void take_bytes(ticket& who);
    void note_budget_wait();
    bool bytes_taken() const { return placed_ > 0 || !leaving_.empty(); }

    session_context& context_;
    ticket_table& table_;
    const std::string path_;
    const purpose purpose_;
    const ticket_naming naming_;
    lock_directory directory_;
    pending_deletes leaving_;
    recovery recovery_;
    predecessor_order order_;
    ticket_map tickets_;
    // Those with a node that are not leaving, all of one incarnation of the path.
    standing_tickets standing_;
    std::deque<ticket_id> waiting_for_budget_;
    std::int64_t looked_for_ = 0; // the incarnation for which all tickets were looked through last
    std::uint64_t uses_ = 0;
    std::size_t placed_ = 0;    // tickets that have taken bytes
    std::int32_t children_ = 0; // of the path, when that was last told
};

} // namespace turnstile::protocol
