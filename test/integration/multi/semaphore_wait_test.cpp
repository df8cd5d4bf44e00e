// SPDX-License-Identifier: BSL-1.0
// A semaphore as a part of several locks: who waits, what is held meanwhile, and how a wait ends.
#include "integration/multi/semaphore_stage.hpp"

#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

TEST_CASE("who gives up while it waits for leases leaves nothing") {
    semaphore_stage s;
    multi_lock both{s.our_rate.permits(2), s.our_first};
    auto theirs = acquire_now(s, s.their_rate);
    const auto waits = [&] { return s.line() == 1; };
    SECTION("by a cancellation of each type") {
        cancellable result;
        both.acquire(result.token());
        s.run_until(waits);
        result.cancel(GENERATE(every_cancellation_type()));
        s.run_until([&] { return result.done(); });
        CHECK(result.code() == aborted);
    }
    SECTION("by the time limit that all share") {
        diagnostics told;
        CHECK(result_of(s, [&](auto t) {
                  both.acquire_for(100ms, with_diagnostics(told, std::move(t)));
              }) == error::timeout);
        CHECK(told.path == s.rate);
    }
    SECTION("by a try") {
        diagnostics told;
        CHECK(result_of(s, [&](auto t) {
                  both.try_acquire(with_diagnostics(told, std::move(t)));
              }) == error::would_block);
        CHECK(told.path == s.rate);
    }
    SECTION("by a limit that sinks") {
        probe result;
        both.acquire(result.make());
        s.run_until(waits);
        CHECK(set_now(s, s.our_rate, 1) == error_code{});
        s.run_until([&] { return result.done(); });
        CHECK(result.code() == error::too_many);
        CHECK(set_now(s, s.our_rate, 2) == error_code{});
    }
    SECTION("by the end of the lock object") {
        auto going = std::make_unique<multi_lock>(s.our_first, s.our_rate.permits(2));
        probe result;
        going->acquire(result.make());
        s.run_until(waits);
        going.reset();
        s.run_until([&] { return result.done(); });
        CHECK(result.code() == aborted);
    }
    s.run_until([&] { return s.is_empty(s.first) && s.line() == 0 && s.leases() == 1; });
    CHECK(theirs.is_held());
    release_now(s, theirs);
    s.check_all_free();
}

TEST_CASE("who is cancelled in the turn of its grant has the leases or leaves nothing") {
    semaphore_stage s;
    multi_lock both{s.our_first, s.our_rate};
    for (int handlers = 1; handlers < 20; ++handlers) {
        cancellable waits;
        both.acquire(waits.token());
        for (int step = 0; step < handlers && !waits.done(); ++step)
            s.context.run_one_for(1s);
        waits.cancel();
        s.run_until([&] { return waits.done(); });
        CHECK(waits.calls() == 1);
        CHECK((waits.code() == aborted || waits.lock().is_held()));
        waits.lock() = {};
        s.run_until([&] { return s.leases() == 0 && s.line() == 0 && s.is_empty(s.first); });
    }
    s.check_all_free();
}

TEST_CASE("a semaphore that was made anew has its new place in the order") {
    semaphore_stage s;
    multi_lock both{s.our_third, s.our_rate};
    auto theirs = acquire_now(s, s.their_third);
    probe result;
    const auto stands_at_third = [&] { return children_of(s.third).size() == 2; };
    SECTION("between two acquires") {
        release_now(s, theirs);
        auto lock = acquire_now(s, both); // the semaphore first
        release_now(s, lock);
        theirs = acquire_now(s, s.their_third);
        CHECK(remove_now(s, s.their_rate) == error_code{});
        CHECK(set_now(s, s.their_rate, 2) == error_code{});
        both.acquire(result.make());
        s.run_until(stands_at_third);
    }
    SECTION("while it is waited for") {
        auto all = acquire_now(s, s.their_rate.permits(2));
        both.acquire(result.make());
        s.run_until([&] { return s.line() == 1; });
        const bool with_path = GENERATE(true, false);
        if (with_path)
            s.remove_all(s.rate);
        else
            for (const auto& part : children_of(s.rate))
                s.remove_all(s.rate + '/' + part);
        s.run_until(stands_at_third);
    }
    // It does not hold a lease while it waits for what comes before.
    s.run_until([&] { return s.leases() == 0 && s.line() == 0; });
    CHECK_FALSE(result.done());
    CHECK(try_now(s, s.their_rate, 2) == error_code{});
    release_now(s, theirs);
    s.run_until([&] { return result.done(); });
    REQUIRE(result.code() == error_code{});
    CHECK(s.leases() == 1);
    release_now(s, result.lock());
    s.check_all_free();
}
