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

/// The lane of the schedule that does what another program or an administrator could do: it deletes
/// tickets and whole lock paths, and ends sessions at the server. run() runs on a thread of its
/// own, and the other functions when that has ended.
class outside_hand {
public:
    outside_hand(std::vector<std::string> servers, lock_set locks, test::session_book& sessions,
                 schedule_book& book, const run_clock& clock, test::dice draws);

    void run();

    /// Leads all elections, once no other candidate is left, and writes down who leads.
    void lead();
    /// Keeps the session of the leader alive for this long.
    void go_on_leading(std::chrono::milliseconds duration);
    void resign() { leader_.reset(); }

    /// Writes the value of each counter into the history.
    void read_counters();

    /// Writes into the history which nodes are left under each lock. Returns how many in all.
    std::size_t list_what_is_left();

private:
    void one_act();
    /// Whether this kind has happened less often than it should have by now.
    [[nodiscard]] bool behind(fault_kind kind) const;
    void delete_ticket();
    void delete_writer();
    void delete_waiter();
    void delete_directory();
    void end_session();
    bool remove(const std::string& path, const char* how);
    /// The nodes of all who wait or hold there, relative to the lock path. Nothing if there is no
    /// such path.
    std::optional<std::vector<std::string>> nodes_of(const lock_choice& lock);
    std::vector<std::string> children_after_all(const std::string& node);
    test::foreign_client& client();
    test::foreign_client any_server(std::chrono::milliseconds limit);

    std::vector<std::string> servers_;
    lock_set locks_;
    test::session_book& sessions_;
    schedule_book& book_;
    const run_clock& clock_;
    test::dice draws_;
    std::optional<test::foreign_client> client_;
    std::optional<test::foreign_client> leader_; // leads all elections
};

} // namespace turnstile::chaos
