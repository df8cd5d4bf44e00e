// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "run_clock.hpp"
#include "schedule_book.hpp"
#include "support/dice.hpp"

#include "support/frame_proxy.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace turnstile::chaos {

/// The lane of the schedule that harms connections between workers and servers, through the proxies
/// before the servers. A fault hits one connection at some frame, or all connections of a server.
/// run_chaos() owns it: run() has a thread of its own, and heal() is called when that has ended.
class connection_faults {
public:
    using proxies = std::vector<std::unique_ptr<test::frame_proxy>>;

    /// One watch event in `lose_one_in` is lost; 0: none.
    connection_faults(proxies& all, schedule_book& book, const run_clock& clock, test::dice draws,
                      int lose_one_in);

    /// Makes faults until the run's clock is over.
    void run();

    /// Lets everything pass again, and counts the events that were lost.
    void heal();

private:
    /// What ends a fault that lasts.
    struct undo {
        run_clock::clock::time_point due;
        std::function<void()> end_fault;
    };

    /// Has the proxies lose events from now on.
    void lose_events();
    void make_fault();
    /// Waits a moment for the frame. Without one there is no fault, and none is counted.
    void harm_at_a_frame(std::size_t proxy);
    void harm_all(std::size_t proxy);
    /// Whether there were fewer faults than a run needs by now.
    [[nodiscard]] bool is_behind() const;
    void undo_later(std::chrono::milliseconds delay, std::function<void()> end_fault);
    void undo_due();

    proxies& proxies_;
    schedule_book& book_;
    const run_clock& clock_;
    test::dice draws_;
    int lose_one_in_;
    std::vector<test::rule_id> loss_rules_; // one for each proxy, which loses events
    std::vector<undo> undos_;               // of faults that still last
};

} // namespace turnstile::chaos
