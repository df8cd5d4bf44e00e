// SPDX-License-Identifier: BSL-1.0
// Small pieces of code that docs/cookbook.md and docs/operating.md show.
#include "exit_code.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <turnstile.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

turnstile::session_options with_times() {
    turnstile::session_options options;
    options.servers = "zk1:2181,zk2:2181,zk3:2181";
    options.timeout = 15s;           // a dead holder keeps its locks for so long
    options.connect_timeout = 10s;   // connect() gives up after so long without a server
    options.unreachable_limit = 30s; // an acquire does, too
    options.label = "billing";       // `list_participants()` shows it
    return options;
}

turnstile::session& session_of(std::deque<turnstile::session>& sessions, std::string_view path) {
    return sessions[std::hash<std::string_view>{}(path) % sessions.size()];
}

asio::awaitable<void> spread(std::string servers) {
    const auto executor = co_await asio::this_coro::executor;
    std::deque<turnstile::session> sessions;
    for (int i = 0; i < 3; ++i)
        sessions.emplace_back(executor, turnstile::session_options{.servers = servers});
    for (const std::string path : {"/jobs/a", "/jobs/b", "/jobs/c", "/jobs/d"}) {
        turnstile::mutex job{session_of(sessions, path), path};
        turnstile::mutex same{session_of(sessions, path), path};
        const auto lock = co_await job.acquire();
        if (co_await same.try_acquire())
            throw std::logic_error("one path has two holders");
    }
    for (auto& each : sessions)
        co_await each.close();
}

asio::awaitable<void> wait_at_most(turnstile::session& session) {
    turnstile::mutex job{session, "/jobs/report"};
    const auto held = co_await job.acquire();
    auto [code, lock] = co_await job.acquire_for(100ms, asio::as_tuple(asio::deferred));
    if (code == turnstile::error::timeout)
        std::cout << "somebody else has had it for all this time\n";
}

int in_hand = 0; // orders that were begun, and are not packed

asio::awaitable<void> pack(int order) {
    ++in_hand;
    asio::steady_timer effort{co_await asio::this_coro::executor, 10ms};
    co_await effort.async_wait(asio::deferred);
    std::cout << "packed " << order << std::endl;
    --in_hand;
}

asio::awaitable<void> pack_until_cancelled() {
    const auto executor = co_await asio::this_coro::executor;
    for (int order = 1;; ++order) // once cancelled, it begins no further one
        co_await asio::co_spawn(
            executor, pack(order),
            asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
}

asio::awaitable<void> pack_until_asked(turnstile::held_lock& lock) {
    const auto asked = std::make_shared<bool>(false); // the callback may outlive this coroutine
    const auto executor = co_await asio::this_coro::executor;
    lock.wait_yield(asio::bind_executor(
        executor, [asked](turnstile::error_code failed, const turnstile::yield_request& by) {
            if (failed) // the lock was lost, or released
                return;
            std::cout << by.host << " asks for the lock: " << by.reason << std::endl;
            *asked = true;
        }));
    for (int order = 1; !*asked; ++order)
        co_await pack(order);
}

asio::awaitable<void> finish_what_was_begun(turnstile::session& session) {
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer time{co_await asio::this_coro::executor, 15ms};
    co_await (pack_until_cancelled() || time.async_wait(asio::use_awaitable));
    if (in_hand != 0)
        throw std::logic_error("an order was given up");
    turnstile::mutex orders{session, "/locks/orders"};
    auto lock = co_await orders.acquire();
    const auto work = [&]() -> asio::awaitable<void> {
        co_await pack_until_asked(lock);
        co_await lock.release();
    };
    co_await (work() && orders.ask_to_yield("a new version", asio::use_awaitable));
}

} // namespace

int main(int argc, char** argv) {
    const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
    return exit_code_of(
        argc, argv,
        [&](turnstile::session& session) -> asio::awaitable<void> {
            co_await spread(servers);
            co_await wait_at_most(session);
            co_await finish_what_was_begun(session);
        },
        with_times());
}
