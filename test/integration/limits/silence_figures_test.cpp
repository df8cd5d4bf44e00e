// SPDX-License-Identifier: BSL-1.0
// How long each operation goes on once its servers are away: soak.sh silence.
#include "integration/limits/stranded.hpp"

#include <csignal>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds bar{100};

/// Writes a figure down.
std::chrono::milliseconds note(away how, const std::string& what, lease_clock::duration by) {
    const auto outlasts = std::chrono::duration_cast<std::chrono::milliseconds>(by);
    std::cout << "silence: {\"server\": \"" << (how == away::stopped ? "stopped" : "killed")
              << "\", \"case\": \"" << what << "\", \"outlasts_ms\": " << outlasts.count() << "}\n";
    return outlasts;
}

/// Its lease is as old as an idle holder's may be, so its deadline is none of a fresh grant.
void age(stranded& f) {
    boost::asio::steady_timer timer{f.context, 1200ms};
    f.run([&]() -> asio::awaitable<void> { co_await timer.async_wait(asio::use_awaitable); });
}

} // namespace

TEST_CASE("figures: by how much a release outlasts the lease deadline", "[.][figures]") {
    const auto how = GENERATE(away::stopped, away::killed);
    using acquire = std::function<asio::awaitable<held_lock>(stranded&)>;
    const std::vector<std::pair<std::string, acquire>> kinds{
        {"mutex",
         [](stranded& f) -> asio::awaitable<held_lock> { co_return co_await f.lock.acquire(); }},
        {"reader",
         [](stranded& f) -> asio::awaitable<held_lock> {
             shared_mutex lock{f.s, "/locks/shared"};
             co_return co_await lock.shared().acquire();
         }},
        {"single node",
         [](stranded& f) -> asio::awaitable<held_lock> {
             single_node_mutex lock{f.s, "/locks/single"};
             co_return co_await lock.acquire();
         }},
        {"permits",
         [](stranded& f) -> asio::awaitable<held_lock> {
             semaphore lock{f.s, "/locks/permits", 5};
             co_return co_await lock.permits(3).acquire();
         }},
        {"several locks",
         [](stranded& f) -> asio::awaitable<held_lock> {
             mutex one{f.s, "/locks/one"};
             mutex two{f.s, "/locks/two"};
             multi_lock both{one, two};
             co_return co_await both.acquire();
         }},
    };
    for (const auto& [name, take] : kinds) {
        stranded f{how};
        held_lock held;
        f.run([&]() -> asio::awaitable<void> { held = co_await take(f); });
        age(f);
        const auto deadline = held.deadline();
        f.strand();
        ending release;
        held.release(release.note());
        f.run_until([&] { return release.is_over(); });
        CHECK(release.code == error::unreachable);
        CHECK(note(how, "release of " + name, lease_clock::now() - deadline) <= bar);
    }
}

TEST_CASE("figures: by how much with_lock and a leader outlast the lease deadline, and a second "
          "signal",
          "[.][figures]") {
    const auto how = GENERATE(away::stopped, away::killed);
    lease_clock::time_point deadline;
    {
        stranded f{how};
        f.run([&]() -> asio::awaitable<void> {
            co_await with_lock(f.lock, [&](held_lock& held) -> asio::awaitable<void> {
                boost::asio::steady_timer timer{f.context, 1200ms};
                co_await timer.async_wait(asio::use_awaitable);
                deadline = held.deadline();
                f.strand();
            });
        });
        CHECK(note(how, "with_lock", lease_clock::now() - deadline) <= bar);
    }
    for (const bool twice : {false, true}) {
        stranded f{how};
        bool told = false;
        bool over = false;
        exclusive_options options;
        options.stop_on = {SIGTERM};
        const auto lead = [&](held_lock& held) -> asio::awaitable<void> {
            boost::asio::steady_timer timer{f.context, 1200ms};
            co_await timer.async_wait(asio::use_awaitable);
            deadline = held.deadline();
            f.strand();
            std::raise(SIGTERM);
            told = co_await code_of(for_ever()) == aborted;
        };
        f.spawn([&]() -> asio::awaitable<void> {
            co_await run_exclusively(f.lock, lead, options);
            over = true;
        });
        f.run_until([&] { return told; });
        if (twice) {
            deadline = lease_clock::now();
            std::raise(SIGTERM);
        }
        f.run_until([&] { return over; });
        const auto* const what = twice ? "second SIGTERM" : "leader after SIGTERM";
        CHECK(note(how, what, lease_clock::now() - deadline) <= bar);
    }
}
