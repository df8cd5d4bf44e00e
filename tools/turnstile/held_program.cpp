#include "held_program.hpp"

#include "duration_option.hpp"
#include "exit_code.hpp"
#include "outcome.hpp"
#include "say.hpp"

#include <turnstile/error.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/core.h>

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <utility>
#include <variant>

namespace turnstile::command {

namespace asio = boost::asio;

held_program::held_program(guarded_program& program, held_lock lock, hold_options how)
    : program_(program), lock_(std::move(lock)), how_(std::move(how)) {}

asio::awaitable<int> held_program::run(std::chrono::milliseconds session_timeout) {
    using namespace asio::experimental::awaitable_operators;
    const auto begun = std::chrono::steady_clock::now();
    // Of one that is lost already the guardian is told the past.
    told_ = lock_.deadline();
    program_.kill_at(*told_);
    program_.start(how_.token_counts ? lock_.fencing_token().str() : std::string());
    // A lease is renewed each eighth of the timeout.
    const auto pace = std::max(session_timeout / 32, std::chrono::milliseconds(5));
    const auto first = co_await (outcome_of(follow_program()) || outcome_of(follow_loss()) ||
                                 outcome_of(follow_deadline(pace)));
    if (const auto failure = std::visit([](const auto& each) { return each; }, first)) {
        program_.end(); // while it still has the lock
        std::rethrow_exception(failure);
    }
    if (!lost_ && start_error_ == 0)
        co_await keep_lock(begun + how_.at_least);
    co_return result();
}

asio::awaitable<void> held_program::follow_program() {
    using kind = guard_report::kind;
    for (;;) {
        const auto report = co_await program_.next_report();
        if (!report) {
            say("the process that guards the program was killed, so the program was ended");
            start_error_ = start_error_ != 0 ? start_error_ : EOWNERDEAD;
            co_return;
        }
        switch (report->what) {
        case kind::started:
            break;
        case kind::not_started:
            on_not_started(report->value);
            break;
        case kind::killed:
            lost_ = lost_ || !status_;
            break;
        case kind::ended:
            status_ = report->value;
            break;
        case kind::left: // nothing of it may run without the lock
            if (!last_)
                end_group();
            break;
        case kind::empty:
            co_return;
        }
    }
}

void held_program::on_not_started(int error) {
    if (error == ECANCELED) {
        lost_ = true;
        say(fmt::format("the lock {} is lost already: the program was not started", how_.path));
    } else {
        start_error_ = error;
        say(fmt::format("cannot run '{}': {}", how_.program, std::strerror(error)));
    }
}

asio::awaitable<void> held_program::follow_loss() {
    const auto [why] = co_await lock_.lost(asio::as_tuple(asio::use_awaitable));
    if (why == condition::lock_lost && !status_) {
        lost_ = true;
        say(fmt::format("the lock {} is lost: the program gets SIGTERM, and SIGKILL {} later\n"
                        "({})",
                        how_.path, option_text(how_.grace), why.message()));
        end_group();
    }
    asio::steady_timer never(co_await asio::this_coro::executor,
                             asio::steady_timer::time_point::max());
    co_await never.async_wait(asio::use_awaitable);
}

asio::awaitable<void> held_program::follow_deadline(std::chrono::milliseconds pace) {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (;;) {
        tell_deadline();
        timer.expires_after(pace);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<void> held_program::keep_lock(std::chrono::steady_clock::time_point until) {
    using namespace asio::experimental::awaitable_operators;
    keeping_.emplace(co_await asio::this_coro::executor, until);
    const auto token = asio::as_tuple(asio::use_awaitable);
    co_await (keeping_->async_wait(token) || lock_.lost(token));
    if (std::chrono::steady_clock::now() < until && !lock_.is_held())
        say(fmt::format("the lock {} was lost after the program had ended, before the time of "
                        "--at-least was over",
                        how_.path));
}

void held_program::on_signal(int number) {
    if (keeping_)
        keeping_->cancel();
    else
        program_.signal(number);
}

void held_program::end_group() {
    last_ = lease_clock::now() + how_.grace;
    program_.signal(SIGTERM);
    program_.signal(SIGCONT); // who stands still would not hear it
    tell_deadline();
}

// Of a lock that is lost the guardian keeps the deadline that it knows, unless the servers say that
// the lock is gone: then nothing but the grace is left to wait for.
void held_program::tell_deadline() {
    auto when = lock_.deadline();
    if (when == lease_clock::time_point()) {
        if (!last_)
            return; // follow_loss will hear why
        when = *last_;
    } else if (last_) {
        when = std::min(when, *last_);
    }
    if (when == told_)
        return;
    told_ = when;
    program_.kill_at(when);
}

int held_program::result() const {
    if (start_error_ == EOWNERDEAD)
        return static_cast<int>(exit_code::failed);
    if (start_error_ != 0)
        return static_cast<int>(start_error_ == ENOENT ? exit_code::not_found
                                                       : exit_code::not_executable);
    if (lost_ || !status_)
        return static_cast<int>(exit_code::lost);
    return WIFSIGNALED(*status_) ? signalled_by(WTERMSIG(*status_)) : WEXITSTATUS(*status_);
}

} // namespace turnstile::command
