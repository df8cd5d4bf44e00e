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

/// The lane of the schedule that harms connections between workers and servers. It does so at any
/// frame, either to one connection or to all that a server has. It runs on a thread of its own.
class connection_faults {
public:
    using proxies = std::vector<std::unique_ptr<test::frame_proxy>>;

    /// One watch event in `lose_one_in` is lost; 0: none is.
    connection_faults(proxies& all, schedule_book& book, const run_clock& clock, test::dice draws,
                      int lose_one_in);

    void run();

    /// Lets everything pass again.
    void heal();

private:
    struct undo {
        run_clock::clock::time_point when;
        std::function<void()> what;
    };

    [[nodiscard]] bool behind() const;
    void one_fault();
    void at_a_frame(std::size_t proxy);
    void at_all(std::size_t proxy);
    void undo_later(std::chrono::milliseconds when, std::function<void()> what);
    void undo_due();
    void lose_events();

    proxies& proxies_;
    schedule_book& book_;
    const run_clock& clock_;
    test::dice draws_;
    int lose_one_in_;
    std::vector<test::rule_id> losses_; // by proxy: the rule that loses events
    std::vector<undo> undos_;
};

} // namespace turnstile::chaos
