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

/// The lane of the schedule that owns the workers. It pauses, kills and restarts them, and has them
/// cancel what they wait for. run_chaos() calls run(), heal(), drain() and drain_observers() in
/// this order, on one thread that outlives the object: a worker dies with the thread that started
/// it.
class process_faults {
public:
    process_faults(std::vector<worker_process::options> workers, schedule_book& book,
                   const run_clock& clock, std::chrono::milliseconds session_timeout,
                   test::dice draws, guard_process* guard);

    /// Makes faults until the run's clock is over.
    void run();

    /// Resumes workers that are paused, and starts those that were killed.
    void heal();

    /// Waits until each contender was served once more and its worker has ended. Returns how many
    /// contenders were not served within `limit`.
    std::size_t drain(std::chrono::seconds limit);

    /// Waits until the workers that observe have ended, and calls `meanwhile` again and again.
    /// After `limit` it asks the others to stop.
    void drain_observers(std::chrono::seconds limit, const std::function<void()>& meanwhile);

private:
    using time_point = run_clock::clock::time_point;
    /// One worker, and the fault that it has now.
    struct slot {
        std::unique_ptr<worker_process> process;
        time_point resume_at = time_point::max();  ///< max: it is not paused
        time_point restart_at = time_point::max(); ///< max: it was not killed
        bool long_pause = false; ///< the present pause is longer than the session timeout
    };

    /// Pauses or kills a worker.
    void harm_worker();
    /// Has a worker cancel all acquires under way.
    void storm_worker();
    /// Resumes and restarts the workers whose time has come.
    void undo_due(time_point now);
    /// Restarts workers that ended by themselves.
    void restart_crashed();
    /// Waits for the end of the worker, and asks it to stop at the deadline. Returns how many of
    /// its contenders were not served.
    std::size_t await_end(worker_process& process, time_point deadline);

    std::vector<slot> slots_;
    schedule_book& book_;
    const run_clock& clock_;
    std::chrono::milliseconds session_timeout_;
    test::dice draws_;
    guard_process* guard_; ///< null: there is none
    unsigned turn_ = 0;    ///< counts the faults: their kinds take turns
};

} // namespace turnstile::chaos
