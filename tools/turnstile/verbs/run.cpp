// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"

#include "command_failure.hpp"
#include "options/duration_option.hpp"
#include "program/guarded_program.hpp"
#include "program/held_program.hpp"
#include "program/processes.hpp"
#include "program/shell_line.hpp"
#include "program/signal_watch.hpp"
#include "program/surrounding_locks.hpp"
#include "program/unique_fd.hpp"
#include "program/wanted_program.hpp"
#include "taking/lock_taker.hpp"
#include "taking/once_mark.hpp"
#include "text/holder_text.hpp"
#include "text/human_text.hpp"
#include "text/outcome.hpp"
#include "text/printable.hpp"
#include "text/quietly.hpp"
#include "text/say.hpp"

#include <turnstile/run_with_session.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>

#include <fmt/core.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>
#include <variant>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::array forwarded_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

constexpr std::chrono::milliseconds default_timeout{15'000};
constexpr std::chrono::milliseconds default_grace{3'000};

// The longest text of a request to yield, in bytes. It goes into a variable of the environment, for
// which the kernel refuses 128 KiB.
constexpr std::size_t longest_variable = 4000;
// What a message shows of the request's reason, in columns.
constexpr std::size_t longest_shown = 200;

// A run has fewer files than this open at a time.
constexpr std::size_t files_needed = 16;

/// One `turnstile run`: takes one lock, sets the mark of --once-per, and runs one program under the
/// lock. Until the program is started (`held_`), a signal ends the wait for the lock, or for the
/// mark. From then on signals go to the program. The function run() makes one, which works on the
/// session's executor.
class locked_run {
public:
    locked_run(const run_options& how, std::chrono::milliseconds grace, guarded_program& program,
               session& own)
        : how_(how),
          grace_(grace),
          program_(program),
          on_lost_("--on-lost", how.on_lost),
          session_(own),
          // The guardian is sent each session that the wait uses, and ends it if need be.
          taker_(how, own, [this](const session_key& key) { program_.session(key); }),
          signals_(own.get_executor(),
                   [this](int number, bool from_terminal) { on_signal(number, from_terminal); }) {
        for (const int each : forwarded_signals)
            signals_.add(each);
    }

    /// Returns when the lock is released or lost, and the line of --on-lost has ended.
    asio::awaitable<held_result> work() {
        const auto result = co_await take_and_run();
        held_.reset();
        co_await on_lost_.wait();
        co_return result;
    }

private:
    /// Takes the lock, sets the mark, and runs the program.
    asio::awaitable<held_result> take_and_run() {
        using namespace asio::experimental::awaitable_operators;
        std::optional<std::variant<held_lock, int>> taken;
        const auto taking = [&]() -> asio::awaitable<void> {
            taken.emplace(co_await taker_.take());
        };
        // Only taking() ever ends: follow_guardian() stops it, and then waits for ever.
        const auto first = co_await (outcome_of(taking()) || follow_guardian());
        if (const auto failure = std::get<0>(first))
            std::rethrow_exception(failure);
        if (stopped_by_ != 0)
            co_return stopped_result();
        if (const auto* const code = std::get_if<int>(&*taken))
            co_return held_result{.code = *code};
        if (const auto ended = co_await before_start(std::get<held_lock>(*taken)))
            co_return *ended;
        if (stopped_by_ != 0) // a signal came after before_start() had ended its wait for one
            co_return stopped_result();
        hold_options under{.path = how_.lock.path,
                           .program = how_.program.front(),
                           .grace = grace_,
                           .at_least = how_.at_least,
                           .timeout = session_.negotiated_timeout(),
                           .session = session_.id(),
                           .token_counts = how_.lock.permits == 0,
                           .on_lost = [this](auto& why) { on_loss(why); }};
        if (!how_.on_yield.empty())
            under.on_yield = [this](auto& asked) { on_yield(asked); };
        held_.emplace(program_, std::get<held_lock>(std::move(*taken)), std::move(under));
        signals_.add(SIGTSTP);
        co_return co_await held_->run();
    }

    /// Stops the wait for the lock if the guardian ends. Until it is told to start the program, the
    /// guardian reports nothing, so next_report() returns only at the guardian's own end.
    asio::awaitable<void> follow_guardian() {
        co_await program_.next_report();
        say(fmt::format("the process that guards the program {}, so the program was not run",
                        program_.end_of_guardian()));
        taker_.stop(static_cast<int>(exit_code::failed));
        co_await never();
    }

    /// Sets the mark of --once-per, if given. Returns why the program may not start, or nothing.
    asio::awaitable<std::optional<held_result>> before_start(held_lock& lock) {
        using namespace asio::experimental::awaitable_operators;
        if (!how_.once_per)
            co_return std::nullopt;
        once_mark mark(how_.connection, session_, lock, how_.lock.path);
        std::optional<std::chrono::milliseconds> age;
        const auto setting = [&]() -> asio::awaitable<void> {
            age = co_await mark.set_again(how_.once_per);
        };
        // 0: set_again() has ended, by an exception or without (null); 1: the lock was lost; 2: a
        // signal came.
        const auto first = co_await (outcome_of(setting()) || lock.wait_lost(quietly) ||
                                     asked_to_end_.async_wait(quietly));
        if (first.index() == 2)
            co_return stopped_result();
        const auto* const setting_ended = std::get_if<0>(&first);
        // If the mark failed after a loss, the loss is the reason.
        if (setting_ended == nullptr || (*setting_ended && !lock.is_held())) {
            const auto [why] = co_await lock.wait_lost(quietly);
            on_loss(why.message());
            say(fmt::format("the lock {} was lost before the command was started\n({})",
                            how_.lock.path, why.message()));
            co_return held_result{.code = static_cast<int>(loss_code(why))};
        }
        if (*setting_ended)
            std::rethrow_exception(*setting_ended);
        if (!age)
            co_return std::nullopt;
        if (!how_.quiet)
            say(fmt::format("not run: the command of {} was started {} ago, and runs once per {}",
                            how_.lock.path, text_of(*age), how_.once_per.text()));
        co_return held_result{};
    }

    /// The result if a signal came before the program was started.
    held_result stopped_result() const {
        return {.code = signalled_by(stopped_by_), .signal = stopped_by_};
    }

    void on_signal(int number, bool from_terminal) {
        if (held_)
            return held_->on_signal(number, from_terminal);
        if (asks_to_end(number))
            on_lost_.stop();
        stopped_by_ = number;
        taker_.stop(signalled_by(number));
        asked_to_end_.cancel();
    }

    void on_loss(const std::string& why) {
        on_lost_.start({lock_variable(), "TURNSTILE_REASON=" + why});
    }

    std::string lock_variable() const { return "TURNSTILE_LOCK=" + how_.lock.path; }

    void on_yield(const yield_request& asked) {
        const bool ends = how_.on_yield == "end";
        const auto from =
            bytes_of(process_text(asked.host, asked.pid, asked.label), longest_variable);
        const auto reason = bytes_of(printable(asked.reason), longest_variable);
        say(fmt::format("{} asks for the lock {}{}{}", from, how_.lock.path,
                        ends ? ": the program gets SIGTERM" : "",
                        reason.empty() ? "" : "\n(" + begin_of(reason, longest_shown) + ')'));
        if (ends)
            held_->on_signal(SIGTERM, false); // this ends the time of --at-least as well
        else
            held_->run_line(how_.on_yield, {lock_variable(), "TURNSTILE_REASON=" + reason,
                                            "TURNSTILE_FROM=" + from,
                                            "TURNSTILE_PID=" + std::to_string(::getpid())});
    }

    const run_options& how_;
    const std::chrono::milliseconds grace_;
    guarded_program& program_;
    shell_line on_lost_;
    session& session_;
    lock_taker taker_;
    signal_watch signals_;
    // Never expires. A signal cancels it, and so ends the wait for it in before_start().
    asio::steady_timer asked_to_end_{session_.get_executor(),
                                     asio::steady_timer::time_point::max()};
    int stopped_by_ = 0; // the signal that came before the program was started; 0: none
    std::optional<held_program> held_{}; // from the start of the program to the end of the hold
};

/// The options of a session in which the program learns of a loss `grace` before others can have
/// the lock. So the session's margin is at least `grace`, and a margin has to be below a quarter of
/// the session timeout.
session_options with_grace(const run_options& how, std::chrono::milliseconds grace,
                           pid_t guardian) {
    auto result = how.for_session();
    const auto least = 4 * grace + std::chrono::seconds(1);
    if (how.connection.timeout && *how.connection.timeout < least && how.grace)
        throw command_failure(
            exit_code::bad_usage,
            fmt::format("--grace {} is too long for --timeout {}\n"
                        "When the lock is lost, the program must have ended before others get it. "
                        "Give at least --timeout {}, or a shorter --grace.",
                        option_text(grace), option_text(*how.connection.timeout),
                        option_text(least)));
    if (!how.connection.timeout)
        result.timeout = std::max(default_timeout, least);
    result.margin = std::max(grace, result.timeout / 16);
    // If turnstile alone is killed, the guardian still has to end the program.
    result.host_guard_processes = {guardian};
    return result;
}

/// Fails at once if there is no room for the open files that a run needs, and not when the lock is
/// held and others wait for it.
void check_files() {
    std::array<unique_fd, files_needed> some;
    for (auto& each : some) {
        each = unique_fd(::open("/", O_PATH | O_CLOEXEC));
        if (!each)
            throw command_failure(exit_code::failed,
                                  fmt::format("{}: turnstile needs {} at a time (see ulimit -n)",
                                              std::strerror(errno), files_needed));
    }
}

/// Fails if the guardian could not find the processes of the program.
void check_processes() {
    if (const auto wrong = wrong_with_proc(); !wrong.empty())
        throw command_failure(exit_code::failed,
                              wrong + "\nturnstile finds the processes of the command there. Mount "
                                      "it (unshare --mount-proc, say).");
}

} // namespace

int run(const run_options& how) {
    const surrounding_lock this_lock{how.connection.servers, how.lock.path, how.lock.shared};
    if (how.lock.at_most && how.at_least > *how.lock.at_most)
        throw command_failure(exit_code::bad_usage,
                              fmt::format("--at-least {} is longer than --at-most {}\n"
                                          "Give a shorter --at-least, or a longer --at-most.",
                                          option_text(how.at_least),
                                          option_text(*how.lock.at_most)));
    check_processes();
    check_not_within(how);
    check_files();
    check_program(how.program.front());
    std::signal(SIGCHLD, SIG_DFL); // the parent may have ignored it: no end would be reported
    // The guardian is forked off here: by now this process may have no thread, and no secret.
    program_plan plan{.argv = how.program, .environment = {{"TURNSTILE_LOCK", how.lock.path}}};
    if (how.lock.permits == 0)
        plan.environment.emplace_back("TURNSTILE_HELD", held_with(this_lock));
    guarded_program program(std::move(plan));
    ignore_output_signals(); // only in turnstile: the guardian was forked off before
    const auto grace =
        how.grace
            ? *how.grace
            : std::min(default_grace,
                       (how.connection.timeout ? *how.connection.timeout : default_timeout) / 5);
    held_result result;
    result.code = run_with_session(with_grace(how, grace, program.guardian_process()),
                                   [&](session& session) -> asio::awaitable<int> {
                                       locked_run one(how, grace, program, session);
                                       result = co_await one.work();
                                       co_return result.code;
                                   });
    program.end();
    return asks_to_end(result.signal) ? end_by(result.signal) : result.code;
}

} // namespace turnstile::command
