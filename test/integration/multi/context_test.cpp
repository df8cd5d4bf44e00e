// SPDX-License-Identifier: BSL-1.0
// Several locks, and the execution contexts of their sessions.
#include "integration/multi/multi_stage.hpp"

namespace {

/// A lock on an execution context of its own, which goes with it.
struct far_away {
    bool polled() {
        context.restart();
        context.poll();
        return true;
    }
    boost::asio::io_context context;
    session s{context, options_for()};
    mutex lock{s, fresh_path("multi")};
};

} // namespace

TEST_CASE("what is done with several locks ends on the executor of the first one named") {
    multi_stage s;
    const auto mine = boost::asio::make_strand(s.context);
    const auto others = boost::asio::make_strand(s.context);
    session near{mine, options_for()};
    session far{others, options_for()};
    mutex near_first{near, s.first};
    mutex near_second{near, s.second};
    mutex far_first{far, s.first};
    mutex far_second{far, s.second};
    const bool as_ordered = GENERATE(true, false);
    multi_lock both =
        as_ordered ? multi_lock{near_first, far_second} : multi_lock{near_second, far_first};
    int there = 0;
    int done = 0;
    const auto end = [&] {
        ++done;
        there += mine.running_in_this_thread() ? 1 : 0;
    };
    held_lock lock;
    both.acquire([&](error_code, held_lock granted) {
        lock = std::move(granted);
        end();
    });
    s.run_until([&] { return done == 1; });
    REQUIRE(lock.is_held());
    lock.wait_lost([&](error_code) { end(); });
    lock.release([&](error_code) { end(); });
    s.run_until([&] { return done == 3; });
    CHECK(there == 3);
}

TEST_CASE("an execution context that goes takes the operations with it") {
    probe waits;
    probe lost;
    held_lock lock;
    const auto path = fresh_path("multi");
    const auto held_path = fresh_path("multi");
    {
        fixture f;
        session s{f.context, options_for()};
        session other{f.context, options_for()};
        mutex theirs{other, path};
        mutex ours{s, path};
        mutex free{s, held_path};
        auto held = acquire_now(f, theirs);
        multi_lock alone{free};
        lock = acquire_now(f, alone);
        lock.wait_lost(lost.make());
        mutex third{s, fresh_path("multi")};
        multi_lock both{ours, third};
        both.acquire(waits.make());
        f.run_until([&] { return children_of(path).size() == 2; });
        // The lock objects go first, so that their operations are cancelled, but nothing runs.
    }
    CHECK(waits.dropped());
    CHECK(lost.dropped());
    CHECK_FALSE(lock.is_held());
}

TEST_CASE("where the context of one part is gone, the others are released") {
    fixture f;
    session near{f.context, options_for()};
    mutex lock{near, fresh_path("multi")};
    auto far = std::make_unique<far_away>();
    const bool first_goes = GENERATE(true, false);
    std::optional<multi_lock> both;
    if (first_goes)
        both.emplace(far->lock, lock);
    else
        both.emplace(lock, far->lock);
    probe granted;
    both->acquire(granted.make());
    f.run_until([&] { return far->polled() && granted.done(); });
    REQUIRE(granted.code() == error_code{});
    auto held = std::move(granted.lock());
    both.reset();
    far.reset();
    CHECK_FALSE(held.is_held());
    REQUIRE(children_of(lock.path()).size() == 1);
    const auto check_end = [&](const probe& what, const error_code& as) {
        f.run_until([&] { return what.done() || what.dropped(); });
        CHECK(what.dropped() == first_goes);
        CHECK((first_goes || what.code() == as));
    };
    SECTION("in the background") { held = {}; }
    SECTION("after a wait, and with handlers, which cannot be called where the first one went") {
        for (const bool at_risk : {true, false}) {
            probe waits;
            if (at_risk)
                held.wait_at_risk(waits.make());
            else
                held.wait_lost(waits.make());
            check_end(waits, error::session_closed);
        }
        probe downgraded;
        held.downgrade(downgraded.make());
        check_end(downgraded, error::not_exclusive);
        probe released;
        held.release(released.make());
        check_end(released, error::session_closed);
    }
    f.run_until([&] { return children_of(lock.path()).empty(); });
}

TEST_CASE("an acquire ends where the context of a part is gone, and leaves nothing") {
    multi_stage s;
    auto far = std::make_unique<far_away>();
    s.create(far->lock.path()); // it comes last in the order
    multi_lock both{s.our_first, far->lock};
    const bool held_before = GENERATE(true, false);
    if (held_before) { // so that the keys are known
        probe granted;
        both.acquire(granted.make());
        s.run_until([&] { return far->polled() && granted.done(); });
        REQUIRE(granted.code() == error_code{});
        probe released;
        granted.lock().release(released.make());
        s.run_until([&] { return far->polled() && released.done(); });
    }
    far.reset();
    CHECK(result_of(s, [&](auto t) { both.acquire(std::move(t)); }) == error::session_closed);
    s.run_until([&] { return s.is_empty(s.first); });
}

TEST_CASE("what an acquire holds is released where the context goes on which it waits") {
    multi_stage s;
    auto far = std::make_unique<far_away>();
    s.create(far->lock.path());
    mutex theirs{s.there, far->lock.path()};
    const auto held = acquire_now(s, theirs);
    multi_lock both{s.our_first, far->lock};
    probe waits;
    both.acquire(waits.make());
    s.run_until([&] { return far->polled() && children_of(far->lock.path()).size() == 2; });
    REQUIRE(children_of(s.first).size() == 1);
    far.reset();
    CHECK(waits.dropped());
    s.run_until([&] { return s.is_empty(s.first); });
}
