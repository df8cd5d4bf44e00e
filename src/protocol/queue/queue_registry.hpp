// SPDX-License-Identifier: BSL-1.0
// The queues of a session, by lock path.
#pragma once

#include "protocol/locks_by_path.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// An idle queue keeps its path's incarnation, which saves a round trip. With a queue that is
/// forgotten its lock path is deleted, if this session made it and it is empty: the server would do
/// so by itself, but slower than names may come.
class queue_registry final : public locks_by_path<lock_queue> {
public:
    explicit queue_registry(session_context& shared) : locks_by_path(shared), table_(shared) {}

    /// Made at the first call, for good: a later one may ask for another naming in vain.
    lock_queue& at(const std::string& path, lock_queue::purpose why = lock_queue::purpose::lock,
                   ticket_naming naming = ticket_naming::lock) {
        return locks_by_path::at(path, table_, why, naming);
    }
    ticket_table& tickets() { return table_; }
    /// A ticket for an acquire, which ends it at its limit.
    ticket& make_ticket(ticket_id id, lock_queue& where, const acquire_request& what,
                        std::optional<instant> end);

    bool occupies(const acquire_request& what) const override;
    /// A lock path below another would be a child that is no contender: each search of the upper
    /// one would be a listing. A queue that is a part of a lock is asked for there.
    bool is_nested(const std::string& path) const override;

    void path_found(const acquire_request& what, const lock_directory& by) override;
    void acquire(ticket_id id, const acquire_request& what, std::optional<instant> end) override;
    bool cancel(watcher_id id, failure why) override;
    bool knows(ticket_id id) const override { return table_.of_caller(id) != nullptr; }
    bool share(ticket_id holder, ticket_id further) override;
    failure downgrade(ticket_id id) override;
    failure upgrade(ticket_id id, ticket_id writer) override;
    bool release(ticket_id id) override;
    bool lose(ticket_id id) override;
    std::vector<std::string> nodes_of(ticket_id id) const override;
    std::vector<transaction_step> proof_of(ticket_id caller) const override;
    bool is_next(ticket_id caller) const override;
    std::size_t sharers_of(const std::string& path, const std::string& node) const override;
    void for_each_waiting(const waiting_action& action) const override;
    bool empty() const override { return table_.empty(); }

    void search_again() override;
    void on_disconnected() override;
    bool on_watch(watcher_id watcher, watch_event event, const std::string& node) override;
    /// A waiting ticket whose event is lost would wait for ever, and all behind it. Events come
    /// before later answers on one connection: where a check does not find the predecessor of a
    /// ticket that still waits for it, the event was lost.
    bool on_missing(const std::string& node) override;
    /// Tickets that wait for another's are checked in turn, and so many that all come around within
    /// T: in a beat, each before its predecessor, as far as its size allows, and by reads beside
    /// it.
    void add_checks(std::vector<std::string>& nodes, bool by_reads);
    /// Each ticket waits, and far from the front.
    bool all_are_far() const;
    /// The lock path of a ticket that waits, in turn; empty: none does.
    std::string path_to_place();
    /// A path was read: it tells the places of its tickets.
    void on_place(const std::string& path, const reply& answer);
    std::optional<std::string> busy_node() const override;
    void end_input() override;

private:
    void join(ticket& who, ticket_id id, std::optional<instant> end);
    void search_next_batch();
    void end_wait(ticket_id id);
    void admit();
    duration rest() const override;
    bool retire(const std::string& path, lock_queue& idle) override;

    ticket_table table_;
    // After a reconnect no watch is armed, and every waiter has to search again. Ten thousand
    // searches at once would be answered late, and hold up beats and releases behind them.
    lock_queue::searches searches_;
    std::size_t retiring_ = 0; // requests that ask for the end of a path
    ticket_id last_checked_ = 0;
    std::size_t reads_due_ = 0; // in sixths of a ticket
    ticket_id last_placed_ = 0;
};

} // namespace turnstile::protocol
