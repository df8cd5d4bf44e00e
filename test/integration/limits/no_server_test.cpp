// SPDX-License-Identifier: BSL-1.0
// How long each operation takes where no server is there any more: docs/reliability.md has the
// table, and each of its rows a test here.
#include "integration/limits/stranded.hpp"

#include <csignal>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

/// Each operation of a kind, by name.
struct named {
    std::string name;
    std::function<void(ending&)> start;
};

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
    reports.resign(releases.back().note());
    for (std::size_t i = 0; i + 1 < held.size(); ++i)
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

TEST_CASE("what is asked or waited for ends by its own limit, or by that of the session") {
    stranded f{GENERATE(away::stopped, away::killed)};
    mutex other{f.s, "/locks/other"};
    semaphore permits{f.s, "/locks/permits", 5};
    election reports{f.s, "/locks/reports"};
    f.run([&]() -> asio::awaitable<void> { co_await f.s.connect(); });
    f.strand();
    const auto begun = lease_clock::now();
    const participant known{.node = "turn-5-lock-0000000001",
                            .known = participant::knowledge::answered};
    const std::vector<named> asked{
        {"acquire", [&](ending& e) { other.acquire(e.note()); }},
        {"acquire_for", [&](ending& e) { other.acquire_for(1s, e.note()); }},
        {"acquire_until", [&](ending& e) { other.acquire_until(begun + 1s, e.note()); }},
        {"try_acquire", [&](ending& e) { other.try_acquire(e.note()); }},
        {"permits", [&](ending& e) { permits.permits(2).acquire(e.note()); }},
        {"participants", [&](ending& e) { other.participants(e.note()); }},
        {"participants_for", [&](ending& e) { other.participants_for(1s, 10, e.note()); }},
        {"evict", [&](ending& e) { other.evict(known, e.note()); }},
        {"ask_to_yield", [&](ending& e) { other.ask_to_yield("", e.note()); }},
        {"limit", [&](ending& e) { permits.limit(e.note()); }},
        {"set_limit", [&](ending& e) { permits.set_limit(6, e.note()); }},
        {"remove", [&](ending& e) { permits.remove(e.note()); }},
        {"leader", [&](ending& e) { reports.leader(e.note()); }},
        {"observe", [&](ending& e) { reports.observe({}, e.note()); }},
        {"children", [&](ending& e) { f.s.children("/", e.note()); }},
        {"read", [&](ending& e) { f.s.read("/locks", e.note()); }},
        {"access", [&](ending& e) { f.s.access("/locks", e.note()); }}};
    std::vector<ending> ends(asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i)
        asked[i].start(ends[i]);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        f.run_until([&] { return ends[i].is_over(); });
        CAPTURE(asked[i].name, ends[i].code->message());
        CHECK((ends[i].code == error::unreachable || ends[i].code == error::timeout));
    }
    CHECK(lease_clock::now() <
          begun + stranded::unreachable + stranded::timeout / 2 + 4 * stranded::slack);
}

TEST_CASE("connect ends by its own limit, also where a session waits to be restored") {
    stranded f{GENERATE(away::stopped, away::killed)};
    const bool suspended = GENERATE(true, false);
    if (suspended)
        f.run([&]() -> asio::awaitable<void> { co_await f.s.connect(); });
    f.strand();
    if (suspended)
        f.run_until([&] { return f.s.state() == session_state::suspended; });
    ending connect;
    const auto begun = lease_clock::now();
    f.s.connect(connect.note());
    f.run_until([&] { return connect.is_over(); });
    CHECK(connect.code == error::connect_timeout);
    CHECK(lease_clock::now() >= begun + stranded::connecting);
    CHECK(lease_clock::now() < begun + stranded::connecting + 4 * stranded::slack);
}

TEST_CASE("what a holder waits for or changes ends with the loss at the latest") {
    stranded f{GENERATE(away::stopped, away::killed)};
    shared_mutex shared{f.s, "/locks/shared"};
    held_lock writer;
    held_lock reader;
    f.run([&]() -> asio::awaitable<void> {
        writer = co_await f.lock.acquire();
        reader = co_await shared.shared().acquire();
    });
    f.strand();
    const std::vector<named> asked{
        {"wait_lost", [&](ending& e) { writer.wait_lost(e.note()); }},
        {"wait_at_risk", [&](ending& e) { writer.wait_at_risk(e.note()); }},
        {"wait_yield", [&](ending& e) { writer.wait_yield(e.note()); }},
        {"downgrade", [&](ending& e) { writer.downgrade(e.note()); }},
        {"try_upgrade", [&](ending& e) { reader.try_upgrade(e.note()); }},
        {"guarded",
         [&](ending& e) { writer.guarded(node_writes().create("/locks/x", ""), e.note()); }}};
    std::vector<ending> ends(asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i)
        asked[i].start(ends[i]);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        CAPTURE(asked[i].name);
        f.run_until([&] { return ends[i].is_over(); });
    }
    CHECK(lease_clock::now() < f.deadline + 4 * stranded::slack);
    CHECK_FALSE(writer.is_held());
    f.run([&]() -> asio::awaitable<void> {
        const auto [why] = co_await writer.release(asio::as_tuple(asio::use_awaitable));
        const bool is_lost = why == condition::lock_lost;
        CHECK(is_lost);
    });
}
