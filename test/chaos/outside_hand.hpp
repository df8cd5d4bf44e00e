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

/// The lane of the schedule that does what another program or an administrator could: deletes
/// tickets and whole lock directories, and ends sessions at the server.
class outside_hand {
public:
    outside_hand(std::vector<std::string> servers, lock_set locks, test::session_book& sessions,
                 schedule_book& book, const run_clock& clock, test::dice draws);

    void run();

    /// Leads all elections, once nobody else stands there, and writes down who does.
    void lead();
    /// Goes on leading for so long.
    void go_on_leading(std::chrono::milliseconds duration);
    void resign() { leader_.reset(); }

    /// What stands in each counter now, into the history.
    void read_counters();

    /// What stands under each lock now, into the history; how many in all.
    std::size_t list_what_is_left();

private:
    void one_act();
    [[nodiscard]] bool behind(fault_kind kind) const;
    void delete_ticket();
    void delete_waiter();
    void delete_directory();
    void end_session();
    bool remove(const std::string& path, const char* how);
    /// Of those who stand or hold there: their nodes, relative to the lock path; empty if there is
    /// no such path.
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
    std::optional<test::foreign_client> leader_; // of all elections
};

} // namespace turnstile::chaos
