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

/// The lane of the schedule that kills, stops and parts servers: one fault at a time, and the
/// ensemble whole again before the next, for a majority that is gone all the time proves nothing.
class server_faults {
public:
    /// `net` is null if servers cannot be parted. Runs on the thread that made the ensemble.
    server_faults(test::ensemble& servers, network* net, schedule_book& book,
                  const run_clock& clock, std::chrono::milliseconds session_timeout,
                  test::dice draws);

    void run();

    /// Undoes what may be left of a fault, and waits until all members serve.
    void heal();

private:
    void crash_leader();
    void rolling_restart();
    void lagging_follower();
    void part_follower(fault_kind kind);
    void part_leader(fault_kind kind);
    void pause_beyond_timeout();
    void carry_out(fault_kind kind);
    [[nodiscard]] fault_kind next_kind();
    [[nodiscard]] bool leader_kill_due() const;
    [[nodiscard]] std::optional<std::size_t> leader();
    [[nodiscard]] std::optional<std::size_t> follower();
    void restart_dead();

    test::ensemble& servers_;
    network* network_;
    schedule_book& book_;
    const run_clock& clock_;
    std::chrono::milliseconds session_timeout_;
    test::dice draws_;
};

} // namespace turnstile::chaos
