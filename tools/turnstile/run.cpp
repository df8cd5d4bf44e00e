// SPDX-License-Identifier: BSL-1.0
#include "run.hpp"

#include "command_failure.hpp"
#include "denied_node.hpp"
#include "duration_option.hpp"
#include "guarded_program.hpp"
#include "held_program.hpp"
#include "holder_text.hpp"
#include "path_command.hpp"
#include "processes.hpp"
#include "say.hpp"
#include "signal_watch.hpp"
#include "surrounding_locks.hpp"
#include "unique_fd.hpp"
#include "waiting_line.hpp"
#include "wanted_program.hpp"

#include <turnstile/run_with_session.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::array forwarded_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

constexpr std::chrono::milliseconds default_timeout{15'000};
constexpr std::chrono::milliseconds default_grace{3'000};
constexpr std::chrono::hours for_ever{24 * 365};

// As many files as a run has open at a time, with a few to spare.
constexpr std::size_t files_needed = 16;

/// One lock, and one program under it.
class locked_run {
public:
    locked_run(const run_options& how, std::chrono::milliseconds grace, guarded_program& program,
               session& own)
        : how_(how),
          grace_(grace),
          program_(program),
          session_(own),
          wanted_(own, how.lock),
          signals_(own.get_executor(),
                   [this](int number, bool from_terminal) { on_signal(number, from_terminal); }) {
        for (const int each : forwarded_signals)
            signals_.add(each);
    }

    asio::awaitable<held_result> work() {
        co_await check_path(session_, how_.connection, how_.lock.path);
        diagnostics told;
        const auto [failed] = co_await session_.connect(with_diagnostics(
            told, asio::bind_cancellation_slot(stop_.slot(), asio::as_tuple(asio::use_awaitable))));
        if (stopped_by_)
            co_return stopped();
        if (failed)
            throw failure_of(failed, told, how_.connection, how_.lock.path);
        co_await warn_of_rights(session_, how_.connection, how_.lock.path, stop_.slot());
        if (stopped_by_)
            co_return stopped();
        auto [why, lock] = co_await acquire(told);
        if (stopped_by_)
            co_return stopped();
        const bool taken = !why && !lock;
        if (taken || why == error::timeout)
            co_return held_result{.code = co_await not_acquired(told)};
        if (why) {
            const auto node = co_await denied_node(session_, why, how_.lock.path);
            throw failure_of(why, told, how_.connection, node);
        }
        program_.session(session_.key());
        held_.emplace(program_, std::move(lock),
                      hold_options{.path = how_.lock.path,
                                   .program = how_.program.front(),
                                   .grace = grace_,
                                   .at_least = how_.at_least,
                                   .timeout = session_.negotiated_timeout(),
                                   .session = session_.id(),
                                   .token_counts = how_.lock.permits == 0});
        signals_.add(SIGTSTP);
        co_return co_await held_->run();
    }

private:
    asio::awaitable<std::tuple<error_code, held_lock>> acquire(diagnostics& told) {
        using namespace asio::experimental::awaitable_operators;
        waiting_line line(wanted_, session_, how_.lock.path, manner());
        auto first =
            co_await (wanted_.acquire(told, stop_.slot()) || line.keep() || follow_session());
        co_return std::move(std::get<0>(first));
    }

    /// Each session that the wait takes is the guardian's to end.
    asio::awaitable<void> follow_session() {
        auto known = session_.state();
        for (error_code failed; !failed;) {
            program_.session(session_.key());
            std::tie(failed, known) =
                co_await session_.wait_state_change(known, asio::as_tuple(asio::use_awaitable));
        }
    }

    waiting_line::manner manner() const {
        if (how_.quiet)
            return waiting_line::manner::silent;
        if (::isatty(STDERR_FILENO) == 1)
            return waiting_line::manner::live;
        return how_.connection.verbose ? waiting_line::manner::once : waiting_line::manner::silent;
    }

    asio::awaitable<int> not_acquired(const diagnostics& told) {
        if (session_.state() != session_state::connected)
            throw failure_of(error::unreachable, told, how_.connection, how_.lock.path);
        if (!how_.quiet) {
            auto line = co_await wanted_.participants(2);
            // Its own ticket may still be on its way out.
            std::erase_if(line, [id = session_.id()](const participant& each) {
                return each.session_id == id || each.known == participant::knowledge::gone;
            });
            const bool is_held = std::ranges::any_of(line, &participant::holds);
            say(fmt::format("not acquired: {} {}", how_.lock.path,
                            is_held ? "is " + holder_text(line) : "was not granted in that time"));
        }
        co_return static_cast<int>(exit_code::not_acquired);
    }

    void on_signal(int number, bool from_terminal) {
        if (held_)
            return held_->on_signal(number, from_terminal);
        stopped_by_ = number;
        stop_.emit(asio::cancellation_type::terminal);
    }

    held_result stopped() const {
        return {.code = signalled_by(*stopped_by_), .signal = *stopped_by_};
    }

    const run_options& how_;
    const std::chrono::milliseconds grace_;
    guarded_program& program_;
    session& session_;
    wanted_lock wanted_;
    signal_watch signals_;
    asio::cancellation_signal stop_{};
    std::optional<int> stopped_by_{};
    std::optional<held_program> held_{};
};

/// The loss of a lock is told `grace` before others can have it, which takes a margin below a
/// quarter of the session timeout.
session_options with_grace(const run_options& how, std::chrono::milliseconds grace,
                           pid_t guardian) {
    auto result = how.connection.for_session();
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
    result.label = how.label;
    // Where turnstile alone is killed, the guardian still has to end the program.
    result.guarded_processes = {guardian};
    if (!how.lock.no_wait) // the limit of the wait is --wait, whatever the servers do
        result.unreachable_limit = for_ever;
    return result;
}

/// Before others wait for us in vain.
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

void check_surroundings(const lock_wish& lock, const surrounding_lock& own) {
    if (!process_of(::getpid()))
        throw command_failure(exit_code::failed,
                              "there is no /proc here\n"
                              "turnstile finds the processes of the command there. Mount it.");
    if (lock.permits == 0 && !lock.no_wait && is_held_above(own))
        throw command_failure(
            exit_code::bad_usage,
            fmt::format("the lock {} is held by a turnstile around this one\n"
                        "This one would wait for itself. Leave it out here, or name another path.",
                        lock.path));
}

/// Ends this process as the signal would, so that a shell around it stops, too.
int end_by(int signal) {
    const rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    std::signal(signal, SIG_DFL);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, signal);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
    ::raise(signal);
    return signalled_by(signal); // the first process of a container
}

int locked(const run_options& how) {
    const surrounding_lock own{how.connection.servers, how.lock.path, how.lock.shared};
    check_surroundings(how.lock, own);
    check_files();
    check_program(how.program.front());
    std::signal(SIGCHLD, SIG_DFL); // the parent may have ignored it: no end would be told
    // The guardian is a copy of this process, and must have no thread and no secret.
    program_plan plan{.argv = how.program, .environment = {{"TURNSTILE_LOCK", how.lock.path}}};
    if (how.lock.permits == 0)
        plan.environment.emplace_back("TURNSTILE_HELD", held_with(own));
    guarded_program program(std::move(plan));
    // The program has its own: nobody may read what is said, nor may the terminal stop who says it.
    for (const int each : {SIGPIPE, SIGXFSZ, SIGTTIN, SIGTTOU})
        std::signal(each, SIG_IGN);
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

} // namespace

int run(const run_options& how) {
    auto wish = how;
    if (wish.lock.limit == std::chrono::milliseconds::zero())
        wish.lock.no_wait = true;
    if (how.lock.at_most && how.at_least > *how.lock.at_most)
        throw command_failure(exit_code::bad_usage,
                              fmt::format("--at-least {} is longer than --at-most {}\n"
                                          "Give a shorter --at-least, or a longer --at-most.",
                                          option_text(how.at_least),
                                          option_text(*how.lock.at_most)));
    return locked(wish);
}

} // namespace turnstile::command
