// SPDX-License-Identifier: BSL-1.0
#include "process_faults.hpp"

#include <utility>

namespace turnstile::chaos {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

} // namespace

process_faults::process_faults(std::vector<worker_process::options> workers, schedule_book& book,
                               const run_clock& clock, milliseconds session_timeout,
                               test::dice draws, guard_process* guard)
    : book_{book}, clock_{clock}, session_timeout_{session_timeout}, draws_{draws}, guard_{guard} {
    for (auto& options : workers) {
        slots_.push_back({std::make_unique<worker_process>(std::move(options))});
        slots_.back().process->start();
    }
}

void process_faults::run() {
    auto next_fault = run_clock::clock::now() + seconds{2};
    auto next_storm = next_fault;
    while (clock_.wait(milliseconds{20})) {
        const auto now = run_clock::clock::now();
        undo_due(now);
        if (guard_)
            guard_->do_due(now);
        restart_crashed();
        if (now >= next_fault) {
            next_fault += draws_.between(4'000, 9'000);
            harm_worker();
        }
        if (now >= next_storm) {
            next_storm += draws_.between(300, 3'000);
            storm_worker();
        }
    }
}

void process_faults::harm_worker() {
    auto& victim = slots_[draws_.below(slots_.size())];
    auto& process = *victim.process;
    if (!process.running() || process.paused())
        return;
    const auto now = run_clock::clock::now();
    book_.process_fault();
    const auto turn = turn_++ % 3; // a kill, a short pause, a long one: draws could miss a kind
    if (turn == 0) {
        // With a guard another worker may get the lock before kill() returns. So the kill is
        // written down before it, while the worker is paused and cannot do anything any more.
        process.pause();
        book_.happened(fault_kind::client_crash);
        book_.kill(process.name());
        process.kill();
        victim.restart_at = now + draws_.between(0, 1'500);
        return;
    }
    victim.long_pause = turn == 2;
    const auto duration = victim.long_pause ? session_timeout_ + draws_.between(100, 2'500)
                                            : draws_.between(100, 1'500);
    book_.pause(process.name(), duration);
    process.pause();
    victim.resume_at = now + duration;
}

void process_faults::storm_worker() {
    auto& process = *slots_[draws_.below(slots_.size())].process;
    if (process.running() && !process.paused()) {
        book_.fault("cancel storm", process.name(), milliseconds{0});
        if (process.command("cancel-storm"))
            book_.happened(fault_kind::cancel_storm);
    }
}

void process_faults::undo_due(time_point now) {
    for (auto& s : slots_) {
        if (now >= s.resume_at) {
            s.resume_at = time_point::max();
            if (std::exchange(s.long_pause, false))
                book_.happened(fault_kind::client_pause);
            s.process->resume();
            book_.resume(s.process->name());
        }
        if (now >= s.restart_at) {
            s.restart_at = time_point::max();
            s.process->start();
            s.resume_at = time_point::max(); // the new one was not paused
        }
    }
}

void process_faults::restart_crashed() {
    for (auto& s : slots_) {
        if (s.restart_at == time_point::max() && !s.process->running()) {
            book_.remark(s.process->name() + " ended by itself: " + s.process->how_it_ended());
            book_.kill(s.process->name());
            s.process->start();
        }
    }
}

void process_faults::heal() {
    if (guard_)
        guard_->heal();
    const auto never = time_point::max();
    for (auto& s : slots_) {
        s.long_pause = false; // it ends early
        s.resume_at = s.resume_at == never ? never : time_point::min();
        s.restart_at = s.restart_at == never ? never : time_point::min();
    }
    undo_due(run_clock::clock::now());
}

std::size_t process_faults::drain(seconds limit) {
    restart_crashed();
    for (auto& s : slots_)
        (void)s.process->command("heal");
    const auto deadline = run_clock::clock::now() + limit;
    std::size_t not_served = 0;
    for (auto& s : slots_)
        if (!s.process->observes())
            not_served += await_end(*s.process, deadline);
    return not_served;
}

void process_faults::drain_observers(seconds limit, const std::function<void()>& meanwhile) {
    const auto deadline = run_clock::clock::now() + limit;
    for (auto& s : slots_) {
        if (!s.process->observes())
            continue;
        while (s.process->running() && run_clock::clock::now() < deadline)
            meanwhile();
        (void)await_end(*s.process, deadline);
    }
}

std::size_t process_faults::await_end(worker_process& process, time_point deadline) {
    const auto time_left = std::chrono::ceil<milliseconds>(deadline - run_clock::clock::now());
    if (!process.wait_for_end(std::max(time_left, milliseconds{0}))) {
        process.ask_to_stop(); // its exit code tells how many were not served
        (void)process.wait_for_end(seconds{10});
    }
    const auto not_served = process.not_served();
    if (!not_served)
        book_.remark(process.name() + " ended badly: " + process.how_it_ended());
    return not_served.value_or(1);
}

} // namespace turnstile::chaos
