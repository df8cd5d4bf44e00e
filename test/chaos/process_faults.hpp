// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "guard_process.hpp"
#include "run_clock.hpp"
#include "schedule_book.hpp"
#include "support/dice.hpp"
#include "worker_process.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace turnstile::chaos {

/// The lane of the schedule that owns the workers: stops, kills and restarts them, and has them
/// cancel what they wait for. All calls on one thread, which must outlive the object.
class process_faults {
public:
    process_faults(std::vector<worker_process::options> workers, schedule_book& book,
                   const run_clock& clock, std::chrono::milliseconds session_timeout,
                   test::dice draws, guard_process* guard);

    void run();

    /// Resumes workers that are paused, and starts those that were killed.
    void heal();

    /// Waits until each contender was served once more and its worker has ended. Returns how many
    /// contenders were not served within `limit`.
    std::size_t drain(std::chrono::seconds limit);

    /// After drain(): waits until the workers that observe have ended, and calls `meanwhile` again
    /// and again. After `limit` it tells the others to end.
    void drain_observers(std::chrono::seconds limit, const std::function<void()>& meanwhile);

private:
    using time_point = run_clock::clock::time_point;
    struct slot {
        std::unique_ptr<worker_process> process;
        time_point resume_at = time_point::max();
        time_point restart_at = time_point::max();
        bool long_pause = false; ///< the present pause is longer than the session timeout
    };

    void one_fault();
    void storm();
    void undo_due(time_point now);
    void notice_crashes();
    std::size_t end(worker_process& process, time_point deadline);

    std::vector<slot> slots_;
    schedule_book& book_;
    const run_clock& clock_;
    std::chrono::milliseconds session_timeout_;
    test::dice draws_;
    guard_process* guard_; ///< null: there is none
    unsigned turn_ = 0;
};

} // namespace turnstile::chaos
