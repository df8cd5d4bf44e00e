// SPDX-License-Identifier: BSL-1.0
// Who gives up an acquire of several locks leaves nothing.
#include "integration/multi/multi_stage.hpp"

#include <chrono>
#include <memory>

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

TEST_CASE("who gives up in the middle leaves nothing") {
    multi_stage s;
    multi_lock both{s.our_second, s.our_first};
    auto theirs = acquire_now(s, s.their_second);
    const auto waits_at_second = [&] {
        return children_of(s.first).size() == 1 && children_of(s.second).size() == 2;
    };
    SECTION("by a cancellation of each type") {
        cancellable waits;
        both.acquire(waits.token());
        s.run_until(waits_at_second);
        waits.cancel(GENERATE(every_cancellation_type()));
        s.run_until([&] { return waits.done(); });
        CHECK(waits.code() == aborted);
    }
    SECTION("by the time limit that all share") {
        diagnostics told;
        CHECK(result_of(s, [&](auto t) {
                  both.acquire_for(100ms, with_diagnostics(told, std::move(t)));
              }) == error::timeout);
        CHECK(told.path == s.second);
    }
    SECTION("by an instant that is over") {
        const auto over = std::chrono::steady_clock::now() - 1s;
        CHECK(result_of(s, [&](auto t) { both.acquire_until(over, std::move(t)); }) ==
              error::timeout);
    }
    SECTION("by a try") {
        diagnostics told;
        CHECK(result_of(s, [&](auto t) {
                  both.try_acquire(with_diagnostics(told, std::move(t)));
              }) == error::would_block);
        CHECK(told.path == s.second);
    }
    SECTION("by the end of the lock object") {
        auto going = std::make_unique<multi_lock>(s.our_first, s.our_second);
        probe result;
        going->acquire(result.make());
        s.run_until(waits_at_second);
        going.reset();
        s.run_until([&] { return result.done(); });
        CHECK(result.code() == aborted);
    }
    s.run_until([&] { return s.is_empty(s.first) && children_of(s.second).size() == 1; });
    CHECK(theirs.is_held());
    release_now(s, theirs);
    s.check_free();
}

TEST_CASE("who is cancelled in the turn of its grant has the locks or leaves nothing") {
    multi_stage s;
    multi_lock both{s.our_first, s.our_second};
    for (int handlers = 1; handlers < 12; ++handlers) {
        cancellable waits;
        both.acquire(waits.token());
        for (int step = 0; step < handlers && !waits.done(); ++step)
            s.context.run_one_for(1s);
        waits.cancel();
        s.run_until([&] { return waits.done(); });
        CHECK(waits.calls() == 1);
        CHECK((waits.code() == aborted || waits.lock().is_held()));
        waits.lock() = {};
        s.check_free();
    }
}
