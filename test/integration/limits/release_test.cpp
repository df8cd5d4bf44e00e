// SPDX-License-Identifier: BSL-1.0
// How long releases, what releases in the end, and a close take where no server is there any more:
// rows of the table in docs/reliability.md. The figures are for soak.sh silence.
#include "integration/limits/stranded.hpp"

#include <csignal>

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

TEST_CASE("a release ends at the lease deadline, of each kind of lock") {
    stranded f{GENERATE(away::stopped, away::killed)};
    shared_mutex shared{f.s, "/locks/shared"};
    single_node_mutex single{f.s, "/locks/single"};
    semaphore permits{f.s, "/locks/permits", 5};
    mutex first{f.s, "/locks/first"};
    mutex second{f.s, "/locks/second"};
    multi_lock both{first, second};
    election reports{f.s, "/locks/reports"};
    std::vector<held_lock> held;
    f.run([&]() -> asio::awaitable<void> {
        held.push_back(co_await f.lock.acquire());
        held.push_back(co_await shared.shared().acquire());
        held.push_back(co_await single.acquire());
        held.push_back(co_await permits.permits(3).acquire());
        held.push_back(co_await both.acquire());
        held.push_back(co_await reports.campaign("value"));
    });
    f.strand();
    std::vector<ending> releases(held.size());
    for (std::size_t i = 0; i < held.size(); ++i)
        held[i].release(releases[i].note());
    for (auto& each : releases)
        f.run_until([&] { return each.is_over(); });
    CHECK(lease_clock::now() < f.deadline + 4 * stranded::slack);
    for (const auto& each : releases)
        CHECK(each.code == error::unreachable);
    CHECK(f.record.mentions("waits for a server, until the lease deadline at the latest: the "
                            "release of /locks/"));
    CHECK(f.record.mentions("no server has answered the release of /locks/single in time"));
}

TEST_CASE("with_lock of a coroutine that ended under the lock returns what that returned") {
    stranded f{GENERATE(away::stopped, away::killed)};
    const auto work = [&]() -> asio::awaitable<int> {
        f.strand();
        co_return 7;
    };
    int result = 0;
    const bool tries = GENERATE(false, true);
    f.run([&]() -> asio::awaitable<void> {
        if (tries)
            result = (co_await try_with_lock(f.lock, work)).value();
        else
            result = co_await with_lock(f.lock, work);
    });
    CHECK(result == 7);
    CHECK(lease_clock::now() < f.deadline + 4 * stranded::slack);
    CHECK(f.record.mentions("no server has answered the release of " + f.lock.path()));
}

TEST_CASE("with_lock of a coroutine that throws passes that on") {
    stranded f{away::killed};
    const auto work = [&]() -> asio::awaitable<void> {
        f.strand();
        throw std::runtime_error("of the work");
        co_return; // a coroutine
    };
    CHECK_THROWS_WITH(f.run([&]() -> asio::awaitable<void> { co_await with_lock(f.lock, work); }),
                      "of the work");
    CHECK(lease_clock::now() < f.deadline + 4 * stranded::slack);
}

TEST_CASE("run_exclusively ends at the lease deadline after a signal, and at once after a second "
          "one") {
    stranded f{GENERATE(away::stopped, away::killed)};
    const bool twice = GENERATE(false, true);
    const bool while_it_works = twice && GENERATE(false, true);
    bool told = false;
    const auto lead = [&]() -> asio::awaitable<void> {
        f.strand();
        if (while_it_works)
            std::raise(SIGUSR1);
        std::raise(SIGUSR1);
        const auto failed = co_await code_of(for_ever());
        told = failed == aborted;
    };
    exclusive_options how;
    how.stop_on = {SIGUSR1};
    bool over = false;
    f.spawn([&]() -> asio::awaitable<void> {
        co_await run_exclusively(f.lock, lead, how);
        over = true;
    });
    f.run_until([&] { return told; });
    CHECK_FALSE(over);
    if (twice && !while_it_works)
        std::raise(SIGUSR1);
    f.run_until([&] { return over; });
    if (!twice) {
        CHECK(lease_clock::now() < f.deadline + 4 * stranded::slack);
        CHECK(f.record.mentions("no server has answered the release of " + f.lock.path()));
        return;
    }
    CHECK(f.record.mentions("the release of " + f.lock.path() + " is not waited for any more"));
    ending close; // nor does it wait for what was left
    f.s.close(close.note());
    f.run_until([&] { return close.is_over(); });
    CHECK(lease_clock::now() < f.deadline - stranded::slack);
}

TEST_CASE("close ends at once without a connection, and soon with a server that is silent") {
    stranded f{GENERATE(away::stopped, away::killed)};
    const auto held = f.hold();
    f.strand();
    ending close;
    f.s.close(close.note());
    f.run_until([&] { return close.is_over(); });
    CHECK(close.code == error_code{});
    CHECK(lease_clock::now() < f.deadline - stranded::slack);
}

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
