// SPDX-License-Identifier: BSL-1.0
// Several locks, of which one is lost.
#include "integration/multi/multi_stage.hpp"

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("a part that is lost is a loss of all") {
    multi_stage s;
    multi_lock both{s.our_second, s.our_first};
    auto lock = acquire_now(s, both);
    probe told;
    probe at_risk;
    lock.wait_lost(told.make());
    lock.wait_at_risk(at_risk.make());
    s.remove(s.second + '/' + children_of(s.second).at(0));
    s.run_until([&] { return told.done() && at_risk.done(); });
    CHECK(told.code() == error::ticket_deleted);
    CHECK(at_risk.code() == error::ticket_deleted);
    CHECK_FALSE(lock.is_held());
    CHECK(lock.is_at_risk());
    CHECK(children_of(s.first).size() == 1); // in line until it is released
    CHECK(result_of(s, [&](auto t) { lock.wait_lost(std::move(t)); }) == error::ticket_deleted);
    CHECK(result_of(s, [&](auto t) { lock.release(std::move(t)); }) == error::ticket_deleted);
    s.check_free();
}

TEST_CASE("a part that is lost while another is waited for has the acquire begin again") {
    multi_stage s;
    multi_lock both{s.our_first, s.our_second};
    auto theirs = acquire_now(s, s.their_second);
    probe result;
    both.acquire(result.make());
    s.run_until([&] { return children_of(s.second).size() == 2; });
    const auto ours = children_of(s.first);
    REQUIRE(ours.size() == 1);
    s.remove(s.first + '/' + ours.front());
    auto next = acquire_now(s, s.their_first); // somebody else has it now
    s.run_until([&] { return s.here.usage().locks.lost == 1; });
    release_now(s, theirs);
    s.run_until([&] { return children_of(s.first).size() == 2; });
    CHECK_FALSE(result.done());
    release_now(s, next);
    s.run_until([&] { return result.done(); });
    REQUIRE(result.code() == error_code{});
    CHECK(result.lock().is_held());
    result.lock() = {};
    s.check_free();
}

TEST_CASE("a wait for a loss is cancelled, and the locks stay") {
    multi_stage s;
    multi_lock both{s.our_first, s.our_second};
    auto lock = acquire_now(s, both);
    cancellable waits;
    lock.wait_lost(waits.token());
    s.context.poll();
    waits.cancel(GENERATE(every_cancellation_type()));
    s.run_until([&] { return waits.done(); });
    CHECK(waits.code() == aborted);
    CHECK(lock.is_held());
    release_now(s, lock);
    s.check_free();
}

TEST_CASE("a session that is closed is told, whichever part it has") {
    multi_stage s;
    multi_lock both{s.our_first, s.their_second};
    auto lock = acquire_now(s, both);
    s.run([&]() -> asio::awaitable<void> { co_await s.there.close(); });
    s.run_until([&] { return !lock.is_held(); });
    CHECK(result_of(s, [&](auto t) { lock.wait_lost(std::move(t)); }) == error::session_closed);
    lock = {};
    CHECK(result_of(s, [&](auto t) { both.acquire(std::move(t)); }) == error::session_closed);
    s.run_until([&] { return s.is_empty(s.first) && s.is_empty(s.second); });
}
