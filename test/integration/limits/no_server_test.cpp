// SPDX-License-Identifier: BSL-1.0
// How long what is asked or waited for takes where no server is there any more: rows of the table
// in docs/reliability.md. Those of releases: release_test.cpp.
#include "integration/limits/stranded.hpp"

namespace {

/// Each operation of a kind, by name.
struct named {
    std::string name;
    std::function<void(ending&)> start;
};

} // namespace

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
        {"try_acquire", [&](ending& e) { other.try_acquire(e.note()); }},
        {"permits", [&](ending& e) { permits.permits(2).acquire(e.note()); }},
        {"participants", [&](ending& e) { other.list_participants(e.note()); }},
        {"list_participants_for",
         [&](ending& e) { other.list_participants_for(1s, 10, e.note()); }},
        {"evict", [&](ending& e) { other.evict(known, e.note()); }},
        {"ask_to_yield", [&](ending& e) { other.ask_to_yield("", e.note()); }},
        {"limit", [&](ending& e) { permits.get_limit(e.note()); }},
        {"set_limit", [&](ending& e) { permits.set_limit(6, e.note()); }},
        {"remove", [&](ending& e) { permits.remove(e.note()); }},
        {"leader", [&](ending& e) { reports.get_leader(e.note()); }},
        {"observe", [&](ending& e) { reports.observe({}, e.note()); }},
        {"children", [&](ending& e) { f.s.list_children("/", e.note()); }},
        {"read", [&](ending& e) { f.s.read("/locks", e.note()); }},
        {"access", [&](ending& e) { f.s.check_access("/locks", e.note()); }}};
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
         [&](ending& e) { writer.write_guarded(node_writes().create("/locks/x", ""), e.note()); }}};
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

TEST_CASE("run_with_session ends by its own limit where the server falls silent under it") {
    zookeeper_server server{{.max_session_timeout_ms = 60'000}};
    session_options options;
    options.servers = server.address();
    options.timeout = 60s; // the close alone would wait for a third of it
    options.log.level = log_level::none;
    lease_clock::time_point end_of_work;
    run_with_session(
        options,
        [&](session& own) -> asio::awaitable<void> {
            mutex lock{own, "/locks/silent"};
            const auto held = co_await lock.acquire();
            server.pause();
            end_of_work = lease_clock::now();
        },
        1s);
    CHECK(lease_clock::now() - end_of_work < 15s);
}
