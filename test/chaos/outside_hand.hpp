// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock_choice.hpp"
#include "run_clock.hpp"
#include "schedule_book.hpp"
#include "support/dice.hpp"

#include "support/foreign_client.hpp"
#include "support/session_book.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::chaos {

/// The lane of the schedule that does what another program or an administrator could do. It deletes
/// tickets and lock paths, and ends sessions, straight at the servers. run_chaos() gives run() a
/// thread of its own, and calls the other functions after it: lead(), keep_leading() and resign()
/// while observers are left, and the rest when all workers have ended.
class outside_hand {
public:
    outside_hand(std::vector<std::string> servers, lock_set locks, test::session_book& sessions,
                 schedule_book& book, const run_clock& clock, test::dice draws);

    /// Acts again and again, until the run's clock is over.
    void run();

    /// Leads all elections, once no other candidate is left, and writes down who leads.
    void lead();
    /// Keeps the session of the leader alive for this long.
    void keep_leading(std::chrono::milliseconds duration);
    void resign() { leader_.reset(); }

    /// Writes the value of each counter into the history.
    void read_counters();

    /// Writes into the history which tickets and permits are left. Returns how many in all.
    std::size_t list_tickets_left();

private:
    // run() calls act(), which does one of the next four things, and then delete_writer() where a
    // lock is guarded. All deletions look with nodes_of() and delete with remove(), by client().
    void act();
    void delete_ticket();
    void delete_waiter();
    void delete_directory();
    void end_session();
    void delete_writer();
    /// Whether this kind has happened less often than it should have by now.
    [[nodiscard]] bool is_behind(fault_kind kind) const;
    /// Deletes the node and writes it into the history. Throws if no answer comes. `how` is
    /// "ticket", or "directory" for a whole lock path.
    bool remove(const std::string& path, const char* how);
    /// The nodes of all who wait or hold there, relative to the lock path. Nothing if there is no
    /// such path.
    std::optional<std::vector<std::string>> nodes_of(const lock_choice& lock);
    /// Lists what no worker changes any more; tries for 30 seconds.
    std::vector<std::string> list_at_the_end(const std::string& node);
    /// The client of the present acts; it connects anew where the last one was lost.
    test::foreign_client& client();
    test::foreign_client connect_to_any(std::chrono::milliseconds limit);

    std::vector<std::string> servers_;
    lock_set locks_;
    test::session_book& sessions_; // those that the proxies have seen: some of them are ended
    schedule_book& book_;
    const run_clock& clock_;
    test::dice draws_;
    std::optional<test::foreign_client> client_;
    std::optional<test::foreign_client> leader_; // leads all elections
};

} // namespace turnstile::chaos
