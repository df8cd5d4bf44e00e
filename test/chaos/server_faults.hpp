// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "network.hpp"
#include "run_clock.hpp"
#include "schedule_book.hpp"
#include "support/dice.hpp"

#include "support/ensemble.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace turnstile::chaos {

/// The lane of the schedule that kills, pauses and parts servers. It makes one fault at a time, and
/// heals it before the next: an ensemble that never has a majority proves nothing. run_chaos() owns
/// it and runs it on the main thread, which made the ensemble.
class server_faults {
public:
    /// `net` is null if servers cannot be parted.
    server_faults(test::ensemble& servers, network* net, schedule_book& book,
                  const run_clock& clock, std::chrono::milliseconds session_timeout,
                  test::dice draws);

    /// Makes faults until the run's clock is over.
    void run();

    /// Undoes what may be left of a fault, and waits until all members serve.
    void heal();

private:
    // run() kills a leader when that is due, and carries out next_kind() otherwise. Each fault asks
    // who leads or follows then, and does nothing where no server says so.
    [[nodiscard]] bool is_leader_crash_due() const;
    void crash_leader();
    /// A kind that happened least so far.
    [[nodiscard]] fault_kind next_kind();
    void carry_out(fault_kind kind);
    void make_follower_lag();
    void make_rolling_restart();
    void pause_beyond_timeout();
    void part_follower(fault_kind kind);
    void part_leader(fault_kind kind);
    [[nodiscard]] std::optional<std::size_t> leader();
    [[nodiscard]] std::optional<std::size_t> follower(); ///< one of them
    void restart_dead();

    test::ensemble& servers_;
    network* network_; ///< null: servers cannot be parted
    schedule_book& book_;
    const run_clock& clock_;
    std::chrono::milliseconds session_timeout_;
    test::dice draws_;
};

} // namespace turnstile::chaos
