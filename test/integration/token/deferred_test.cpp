// SPDX-License-Identifier: BSL-1.0
// Deferred operations that are started later, or never.
#include "integration/support/contract_probe.hpp"
#include "integration/support/fixture.hpp"

TEST_CASE("a deferred operation does nothing until it is called") {
    fixture f;
    session s{f.context, options_for()};
    const auto path = fresh_path("deferred-later");
    mutex lock{s, path};
    auto connect = s.connect();
    auto acquire = lock.acquire();
    f.context.poll();
    CHECK(s.state() == session_state::idle);

    probe connected;
    std::move(connect)(connected.make());
    f.run_until([&] { return connected.done(); });
    CHECK(children_of(path).empty());

    probe acquired;
    std::move(acquire)(acquired.make());
    f.run_until([&] { return acquired.done(); });
    CHECK(acquired.lock().is_held());

    auto lost = acquired.lock().wait_lost();
    acquired.lock() = held_lock{};
    probe told;
    std::move(lost)(told.make()); // after the release, by then
    CHECK(end_of(f, told) == error::released);
}

TEST_CASE("deferred operations that are never called leave nothing behind") {
    fixture f;
    const auto path = fresh_path("deferred-never");
    {
        session s{f.context, options_for()};
        mutex lock{s, path};
        auto connect = s.connect();
        auto close = s.close();
        auto wait = s.wait_state_change(session_state::idle);
        auto acquire = lock.acquire();
        auto attempt = lock.try_acquire();
        auto within = lock.acquire_for(std::chrono::seconds{1});
        f.context.poll();
        CHECK(s.state() == session_state::idle);
    }
    f.run_out();
    CHECK(children_of(path).empty());
}

TEST_CASE("a deferred release that is never called releases all the same") {
    fixture f;
    session s{f.context, options_for()};
    const auto path = fresh_path("deferred-release");
    mutex lock{s, path};
    f.run([&]() -> asio::awaitable<void> {
        auto held = co_await lock.acquire();
        { auto release = held.release(); }
        CHECK_FALSE(held);
        held = co_await lock.acquire();
        co_await held.release();
    });
    CHECK(children_of(path).empty());
}

TEST_CASE("a deferred operation may outlive the objects that made it") {
    fixture f;
    const auto path = fresh_path("deferred-outlives");
    std::optional<session> s{std::in_place, f.context, options_for()};
    std::optional<mutex> lock{std::in_place, *s, path};
    auto connect = s->connect();
    auto acquire = lock->acquire();
    lock.reset();
    s.reset();
    f.context.poll();

    probe connected;
    probe acquired;
    std::move(connect)(connected.make());
    std::move(acquire)(acquired.make());
    f.run_until([&] { return connected.done() && acquired.done(); });
    CHECK(connected.code() == error::session_closed);
    CHECK(acquired.code() == error::session_closed);
    f.run_out();
    CHECK(children_of(path).empty());
}
