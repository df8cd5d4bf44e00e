#include "run.hpp"

#include "command_failure.hpp"
#include "denied_node.hpp"
#include "duration_option.hpp"
#include "guarded_program.hpp"
#include "held_program.hpp"
#include "holder_text.hpp"
#include "path_command.hpp"
#include "say.hpp"
#include "waiting_line.hpp"
#include "with_session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/core.h>

#include <array>
#include <csignal>
#include <optional>
#include <utility>
#include <variant>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::array forwarded_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

constexpr std::chrono::milliseconds default_timeout{15'000};
constexpr std::chrono::milliseconds default_grace{3'000};

bool is_ignored(int signal) {
    struct sigaction now {};
    return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

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
          signals_(own.get_executor()) {
        for (const int each : forwarded_signals)
            if (!is_ignored(each)) // as nohup does with SIGHUP
                signals_.add(each);
        await_signal();
    }

    asio::awaitable<int> work() {
        co_await check_path(session_, how_.connection, how_.lock.path);
        diagnostics told;
        const auto [failed] = co_await session_.connect(
            told, asio::bind_cancellation_slot(stop_.slot(), asio::as_tuple(asio::use_awaitable)));
        if (stopped_by_)
            co_return signalled_by(*stopped_by_);
        if (failed)
            throw failure_of(failed, told, how_.connection, how_.lock.path);
        auto [why, lock] = co_await acquire(told);
        if (stopped_by_)
            co_return signalled_by(*stopped_by_);
        if (why == error::would_block || why == error::timeout)
            co_return co_await not_acquired(told);
        if (why) {
            const auto node = co_await denied_node(session_, why, how_.lock.path);
            throw failure_of(why, told, how_.connection, node);
        }
        held_.emplace(program_, std::move(lock),
                      hold_options{.path = how_.lock.path,
                                   .program = how_.program.front(),
                                   .grace = grace_,
                                   .at_least = how_.at_least,
                                   .token_counts = how_.lock.leases == 0});
        const int result = co_await held_->run(session_.negotiated_timeout());
        held_.reset(); // releases
        signals_.cancel();
        co_return result;
    }

private:
    asio::awaitable<std::tuple<error_code, held_lock>> acquire(diagnostics& told) {
        using namespace asio::experimental::awaitable_operators;
        waiting_line line(wanted_, how_.lock.path);
        auto first = co_await (wanted_.acquire(told, stop_.slot()) || line.keep());
        co_return std::move(std::get<0>(first));
    }

    asio::awaitable<int> not_acquired(const diagnostics& told) {
        if (session_.state() != session_state::connected)
            throw failure_of(error::unreachable, told, how_.connection, how_.lock.path);
        if (!how_.quiet) {
            const auto line = co_await wanted_.participants(1);
            say(fmt::format("not acquired: {} is {}", how_.lock.path, holder_text(line)));
        }
        co_return static_cast<int>(exit_code::not_acquired);
    }

    void await_signal() {
        signals_.async_wait([this](const error_code& cancelled, int number) {
            if (cancelled)
                return;
            if (held_) {
                held_->on_signal(number);
            } else {
                stopped_by_ = number;
                stop_.emit(asio::cancellation_type::terminal);
            }
            await_signal();
        });
    }

    const run_options& how_;
    const std::chrono::milliseconds grace_;
    guarded_program& program_;
    session& session_;
    wanted_lock wanted_;
    asio::signal_set signals_;
    asio::cancellation_signal stop_{};
    std::optional<int> stopped_by_{};
    std::optional<held_program> held_{};
};

/// The loss of a lock is told `grace` before others can have it, which takes a margin below a
/// quarter of the session timeout.
session_options with_grace(const run_options& how, std::chrono::milliseconds grace) {
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
    return result;
}

} // namespace

int run(const run_options& how) {
    // First of all: the guardian is a copy of this process, and must have no thread and no secret.
    guarded_program program(how.program, how.lock.path);
    std::signal(SIGPIPE, SIG_IGN); // nobody may read what is said; the program has its own
    const auto grace =
        how.grace
            ? *how.grace
            : std::min(default_grace,
                       (how.connection.timeout ? *how.connection.timeout : default_timeout) / 5);
    return with_session(with_grace(how, grace), [&](session& own) -> asio::awaitable<int> {
        locked_run one(how, grace, program, own);
        co_return co_await one.work();
    });
}

} // namespace turnstile::command
