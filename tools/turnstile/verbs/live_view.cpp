// SPDX-License-Identifier: BSL-1.0
#include "verbs/live_view.hpp"

#include "command_failure.hpp"
#include "program/unique_fd.hpp"
#include "text/human_text.hpp"
#include "text/outcome.hpp"
#include "text/printable.hpp"
#include "text/quietly.hpp"
#include "text/say.hpp"

#include <turnstile/with_diagnostics.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>

#include <fmt/core.h>

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

/// Asks the server something again and again, and says when answers stop and when they are back.
/// Any answer will do, even a refusal.
asio::awaitable<void> report_outages(session& own, const connection_options& how) {
    using namespace asio::experimental::awaitable_operators;
    using clock = std::chrono::steady_clock;
    for (std::optional<clock::time_point> since;;) {
        const auto asked = clock::now();
        diagnostics diag;
        const auto first = co_await (own.list_children("/", with_diagnostics(diag, quietly)) ||
                                     pause_for(own.negotiated_timeout() / 6));
        const auto* const answer = std::get_if<0>(&first);
        const bool answers = answer != nullptr && std::get<0>(*answer) != error::unreachable;
        if (!answers && !since) {
            since = asked;
            const auto cause =
                diag.cause.empty() ? "" : fmt::format(" ({}: {})", diag.server, diag.cause);
            say(fmt::format("no ZooKeeper server answers at {}{}", printable(how.servers),
                            printable(cause)));
        } else if (answers && since) {
            say(fmt::format("a server answers again, after {}",
                            text_of(std::chrono::duration_cast<std::chrono::milliseconds>(
                                clock::now() - *since))));
            since.reset();
        }
        co_await pause_for(own.negotiated_timeout() / 8);
    }
}

} // namespace

asio::awaitable<void> end_of_reader() {
    // Asio would make the output non-blocking, even for other programs that share it. So Asio
    // watches an epoll instead, which watches the output.
    unique_fd watched(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event nothing{}; // epoll reports an error and the other side's end in any case
    if (::epoll_ctl(watched.get(), EPOLL_CTL_ADD, STDOUT_FILENO, &nothing) != 0)
        co_await never();
    asio::posix::stream_descriptor gone(co_await asio::this_coro::executor, watched.release());
    co_await gone.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
    ::raise(SIGPIPE);
    throw command_failure(exit_code::failed, std::string("write error: ") + std::strerror(EPIPE));
}

asio::awaitable<void> live_view(session& own, const connection_options& how,
                                asio::awaitable<void> work) {
    using namespace asio::experimental::awaitable_operators;
    asio::signal_set stop(own.get_executor(), SIGINT, SIGTERM);
    const auto signal = [&]() -> asio::awaitable<void> { co_await stop.async_wait(quietly); };
    const auto first =
        co_await (outcome_of(std::move(work)) || outcome_of(signal()) ||
                  outcome_of(end_of_reader()) || outcome_of(report_outages(own, how)));
    if (const auto failure = std::visit([](const auto& each) { return each; }, first))
        std::rethrow_exception(failure);
}

} // namespace turnstile::command
