// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "survive_options.hpp"

#include "support/child_process.hpp"
#include "support/ensemble.hpp"
#include "support/foreign_client.hpp"
#include "support/pch.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <list>
#include <random>

namespace turnstile::survive {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using time_point = std::chrono::steady_clock::time_point;

inline constexpr int ok = 0;

/// One lock, the process that holds it, and the session next in line.
struct inheritance {
    std::string path;
    std::unique_ptr<test::child_process> holder;
    session heir;
    time_point kill_at = time_point::max();
    time_point killed = time_point::max();
    time_point granted = time_point::max();
};

inline asio::awaitable<void> inherit(inheritance& what) {
    mutex lock{what.heir, what.path};
    auto held = co_await lock.acquire(asio::use_awaitable);
    what.granted = std::chrono::steady_clock::now();
    co_await held.release(asio::use_awaitable);
    co_await what.heir.close(asio::use_awaitable);
}

/// Runs the context until so many tickets stand under each lock.
inline void await_tickets(asio::io_context& context, test::foreign_client& eyes,
                          const std::list<inheritance>& all, std::size_t tickets) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    for (const auto& one : all) {
        std::vector<std::string> names;
        while (eyes.children(one.path, &names) != ok || names.size() != tickets) {
            if (std::chrono::steady_clock::now() >= deadline)
                throw std::runtime_error{"nobody stands in line at " + one.path};
            names.clear();
            context.run_for(milliseconds{20});
        }
    }
}

/// The life of a process that is to be killed while it holds the lock: takes it, and keeps it.
inline boost::asio::awaitable<void> hold_until_killed(session& s, std::string path) {
    mutex lock{s, path};
    const auto held = co_await lock.acquire(asio::use_awaitable);
    asio::steady_timer never{s.get_executor(), time_point::max()};
    co_await never.async_wait(asio::use_awaitable);
}

/// Has so many processes of this program take a lock each, kills them at any moment, and returns
/// how long each of those who waited next in line was then still without the lock. On the main
/// thread. Throws std::runtime_error.
inline std::vector<std::chrono::nanoseconds> kill_holders(const survive_options& how,
                                                          const std::string& program,
                                                          const test::ensemble& servers,
                                                          std::size_t round, std::size_t count) {
    const auto connect = servers.connect_string();
    asio::io_context context{1};
    auto work = asio::make_work_guard(context);
    std::exception_ptr failure;
    std::list<inheritance> all;
    for (std::size_t i = 0; i < count; ++i) {
        const auto path = "/survive/inherited-" + std::to_string(round) + "-" + std::to_string(i);
        all.push_back({.path = path,
                       .holder = std::make_unique<test::child_process>(test::child_process::options{
                           .argv = {program, "--hold", path, "--servers", connect, "--timeout-ms",
                                    std::to_string(how.timeout.count()), "--tick-ms",
                                    std::to_string(how.tick.count())}}),
                       .heir = session{context, session_for(how, connect)}});
    }
    test::foreign_client eyes{servers.addresses().front()};
    await_tickets(context, eyes, all, 1);
    for (auto& one : all) {
        asio::co_spawn(context, inherit(one), [&failure](std::exception_ptr e) {
            if (e)
                failure = e;
        });
    }
    await_tickets(context, eyes, all, 2);

    // At any phase of the holders' beats and of the servers' ticks.
    std::mt19937_64 engine{round};
    for (auto& one : all) {
        one.kill_at = std::chrono::steady_clock::now() +
                      milliseconds{engine() % static_cast<std::uint64_t>(how.timeout.count())};
    }
    const auto deadline = std::chrono::steady_clock::now() + 4 * how.timeout + 10 * how.tick;
    work.reset();
    while (!context.stopped() && std::chrono::steady_clock::now() < deadline) {
        context.run_for(milliseconds{5});
        for (auto& one : all) {
            if (const auto now = std::chrono::steady_clock::now(); now >= one.kill_at) {
                one.kill_at = time_point::max();
                one.killed = now;
                one.holder->kill_and_wait();
            }
        }
    }
    if (failure)
        std::rethrow_exception(failure);
    std::vector<std::chrono::nanoseconds> result;
    for (const auto& one : all) {
        if (one.granted == time_point::max() || one.granted < one.killed)
            throw std::runtime_error{one.path + ": the lock did not go from the dead to the next"};
        result.push_back(one.granted - one.killed);
    }
    return result;
}

} // namespace turnstile::survive
