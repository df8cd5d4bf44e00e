// SPDX-License-Identifier: BSL-1.0
#include "program/held_program.hpp"

#include "exit_code.hpp"
#include "taking/release_lock.hpp"
#include "text/outcome.hpp"
#include "text/quietly.hpp"
#include "text/say.hpp"

#include <turnstile/error.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

#include <fmt/core.h>

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <exception>
#include <utility>
#include <variant>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

/// "3 s" or "0.2 s": rounded, so that a millisecond that has passed does not show.
std::string seconds_text(std::chrono::milliseconds left) {
    return fmt::format("{:g} s", std::round(static_cast<double>(left.count()) / 100) / 10);
}

} // namespace

held_program::held_program(guarded_program& program, held_lock lock, hold_options how)
    : program_(program), lock_(std::move(lock)), how_(std::move(how)) {}

asio::awaitable<held_result> held_program::run() {
    using namespace asio::experimental::awaitable_operators;
    keep_until_ = std::chrono::steady_clock::now() + how_.at_least;
    // If the lock is lost already, this deadline is in the past, and the guardian starts nothing.
    told_deadline_ = lock_.deadline();
    program_.kill_at(*told_deadline_);
    program_.start(how_.session, how_.token_counts ? lock_.fencing_token().str() : std::string());
    const auto first = co_await (outcome_of(follow_reports()) || outcome_of(follow_loss()) ||
                                 outcome_of(follow_deadline()) || outcome_of(follow_yield()));
    if (const auto failure = std::visit([](const auto& each) { return each; }, first)) {
        program_.end(); // before the lock goes with this object
        std::rethrow_exception(failure);
    }
    if (!lost_)
        co_await release();
    co_return result();
}

asio::awaitable<void> held_program::follow_reports() {
    using kind = guard_report::kind;
    for (;;) {
        const auto report = co_await program_.next_report();
        if (!report) {
            say(fmt::format("the process that guards the program {}, so the program was {}",
                            program_.end_of_guardian(), started_ ? "ended" : "not run"));
            start_error_ = start_error_ != 0 ? start_error_ : EOWNERDEAD;
            co_return;
        }
        switch (report->what) {
        case kind::started:
            started_ = true;
            break;
        case kind::not_started:
            on_not_started(report->value);
            break;
        case kind::stopped:
            say("the program waits for the terminal, and keeps the lock: bring it to the "
                "foreground");
            break;
        case kind::killed:
            killed_ = true;
            if (!kill_by_) // turnstile had not asked for the end
                mark_lost("turnstile or its program stood still until others could have it");
            break;
        case kind::ended:
            status_ = report->value;
            break;
        case kind::left:
            on_left_behind(report->value);
            break;
        case kind::kept:
            on_kept(report->value);
            break;
        case kind::line:
            --lines_;
            if (report->value != 0)
                say(fmt::format("cannot run the line of --on-yield: {}",
                                std::strerror(report->value)));
            break;
        case kind::empty:
            if (lines_ == 0 && !last_wait_)
                co_await keep_lock();
            if (lines_ == 0) // otherwise another `empty` follows, when the line has ended
                co_return;
        }
    }
}

void held_program::on_not_started(int error) {
    if (error == ECANCELED) {
        mark_lost("it was lost before the program was started");
        say(fmt::format("the lock {} is lost already: the program was not started", how_.path));
    } else {
        start_error_ = error;
        say(fmt::format("cannot run '{}': {}", how_.program, std::strerror(error)));
    }
}

// The lock is to be released, and nothing of the program may run without it.
void held_program::on_left_behind(int count) {
    if (kill_by_)
        return; // SIGTERM was sent already
    const auto left = ask_to_end(false);
    say(fmt::format("the program has ended, and left {} behind: SIGTERM now, SIGKILL {} later",
                    count == 1 ? "a process" : fmt::format("{} processes", count),
                    seconds_text(left)));
}

// A process that cannot be ended keeps the lock, if the lock is not lost.
void held_program::on_kept(int process) const {
    const auto which = process != 0
                           ? fmt::format("process {} of the program cannot be ended (is it "
                                         "another user's?)",
                                         process)
                           : std::string("the program has left processes that /proc does "
                                         "not show, and so cannot be ended");
    say(which + (lost_ ? ": without the lock " + how_.path + " it works beside others until its end"
                       : ": the lock " + how_.path + " is kept until its end"));
}

void held_program::run_line(const std::string& line, const std::vector<std::string>& environment) {
    if (program_.run_line(line, environment))
        ++lines_;
    else
        say(fmt::format("cannot run the line of --on-yield: {}", std::strerror(errno)));
}

asio::awaitable<void> held_program::follow_loss() {
    const auto [why] = co_await lock_.wait_lost(quietly);
    if (why == condition::lock_lost) {
        const auto left = ask_to_end(true);
        mark_lost(why.message(), loss_code(why));
        say(last_wait_
                ? fmt::format("the lock {} was lost after the program had ended, before the "
                              "time of --at-least was over\n({})",
                              how_.path, why.message())
                : fmt::format("the lock {} is lost: the program gets SIGTERM, and SIGKILL {} "
                              "later\n({})",
                              how_.path, seconds_text(left), why.message()));
        if (last_wait_)
            last_wait_->cancel();
    }
    co_await never();
}

asio::awaitable<void> held_program::follow_deadline() {
    for (bool late = false;;) {
        tell_deadline();
        // A lease is renewed each eighth of the timeout: this looks four times as often.
        co_await pause_for(std::max(how_.timeout / 32, std::chrono::milliseconds(5)));
        // After a pause of this process the guardian's report is still to be read: look twice.
        const bool was_late =
            std::exchange(late, lost_ && !killed_ && lease_clock::now() > *told_deadline_);
        if (was_late && late) {
            say("the process that guards the program stands still, so it is killed");
            program_.kill_guardian();
            co_await never();
        }
    }
}

asio::awaitable<void> held_program::follow_yield() {
    if (how_.on_yield && !was_asked_) {
        const auto [why, asked] = co_await lock_.wait_yield(quietly);
        was_asked_ = !why;
        if (!why)
            how_.on_yield(asked);
        else if (why != condition::lock_lost && why != asio::error::operation_aborted)
            say(fmt::format("requests to yield the lock {} are not heard\n({})", how_.path,
                            why.message()));
    }
    co_await never();
}

asio::awaitable<void> held_program::keep_lock() {
    if (lost_ || start_error_ != 0 || stopped_by_user_)
        co_return;
    last_wait_.emplace(co_await asio::this_coro::executor, keep_until_);
    co_await last_wait_->async_wait(quietly);
}

asio::awaitable<void> held_program::release() {
    const auto why = co_await release_lock(lock_, how_.path, how_.timeout, last_wait_);
    if (!why || start_error_ != 0)
        co_return;
    mark_lost(why.message(), loss_code(why));
    say(fmt::format("the lock {} was lost before it was released: others may have held it while "
                    "the program ran\n({})",
                    how_.path, why.message()));
}

void held_program::mark_lost(const std::string& reason, exit_code code) {
    if (lost_)
        return;
    lost_ = code;
    how_.on_lost(reason);
}

void held_program::on_signal(int number, bool from_terminal) {
    if (number == SIGTSTP) { // a program that stands still would lose the lock: wake the whole job
        ::kill(0, SIGCONT);
        return;
    }
    stopped_by_user_ = stopped_by_user_ || asks_to_end(number);
    if (last_wait_) {
        if (asks_to_end(number))
            last_wait_->cancel();
        return;
    }
    program_.signal(number, from_terminal);
    if (asks_to_end(number))
        program_.signal(SIGCONT, false); // a stopped program would not see the signal
}

std::chrono::milliseconds held_program::ask_to_end(bool all) {
    const auto now = lease_clock::now();
    kill_by_ = now + how_.grace;
    program_.ask_to_end(all);
    tell_deadline();
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(*told_deadline_ - now, lease_clock::duration::zero()));
}

// The guardian kills the program at the lock's deadline, or earlier when the grace is over
// (kill_by_). Once the servers have said that the lock is gone, the lock has no deadline, and the
// grace alone counts. Until ask_to_end() sets it, the guardian keeps the deadline that it knows.
void held_program::tell_deadline() {
    auto when = lock_.deadline();
    if (when == lease_clock::time_point()) {
        if (!kill_by_)
            return; // follow_loss will learn why
        when = *kill_by_;
    } else if (kill_by_) {
        when = std::min(when, *kill_by_);
    }
    if (when == told_deadline_)
        return;
    told_deadline_ = when;
    program_.kill_at(when);
}

held_result held_program::result() const {
    const auto own = [](exit_code code) { return held_result{.code = static_cast<int>(code)}; };
    if (start_error_ == EOWNERDEAD)
        return own(lost_.value_or(exit_code::failed));
    if (start_error_ != 0)
        return own(start_error_ == ENOENT ? exit_code::not_found : exit_code::not_executable);
    if (lost_ || !status_)
        return own(lost_.value_or(exit_code::lost));
    if (WIFSIGNALED(*status_))
        return {.code = signalled_by(WTERMSIG(*status_)), .signal = WTERMSIG(*status_)};
    return {.code = WEXITSTATUS(*status_)};
}

} // namespace turnstile::command
