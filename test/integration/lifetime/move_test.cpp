// SPDX-License-Identifier: BSL-1.0
// Sessions and mutexes that are moved and assigned to.
#include "integration/support/cancel_support.hpp"

static_assert(std::is_nothrow_move_constructible_v<session>);
static_assert(std::is_nothrow_move_assignable_v<session>);
static_assert(!std::is_copy_constructible_v<session>);
static_assert(std::is_nothrow_move_constructible_v<mutex>);
static_assert(std::is_nothrow_move_assignable_v<mutex>);
static_assert(!std::is_copy_constructible_v<mutex>);

TEST_CASE("a session that is moved goes on with everything") {
    fixture f;
    const auto path = fresh_path("session-moved");
    session s{f.context, options_for()};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    auto acquire = stand_in_line(f, lock, 2);
    const auto id = s.id();
    session moved{std::move(s)};
    CHECK(moved.id() == id);
    CHECK(held.is_held());
    release_now(f, held);
    f.run_until([&] { return acquire.done(); });
    CHECK(acquire.lock().is_held());
    mutex more{moved, fresh_path("session-moved")};
    auto other = acquire_now(f, more);
    CHECK(other.is_held());
}

TEST_CASE("assignment to a session ends the one that it was") {
    fixture f;
    const auto path = fresh_path("session-assigned");
    session s{f.context, options_for()};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    session other{f.context, options_for()};
    mutex theirs{other, path};
    auto next = stand_in_line(f, theirs, 2);
    s = std::move(other);
    CHECK(end_of(f, next) == error_code{});
    CHECK(next.lock().is_held());
    CHECK_FALSE(held.is_held());
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == error::session_closed);
    auto& same = s;
    s = std::move(same); // of no consequence
    CHECK(next.lock().is_held());
    release_now(f, next.lock());
    CHECK(result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
}

TEST_CASE("a mutex that is moved goes on with its acquires") {
    fixture f;
    const auto path = fresh_path("mutex-moved");
    session s{f.context, options_for()};
    std::optional<mutex> lock{std::in_place, s, path};
    auto held = acquire_now(f, *lock);
    probe acquire;
    lock->acquire(acquire.make());
    mutex moved{std::move(*lock)};
    lock.reset();
    mutex assigned{s, fresh_path("mutex-moved")};
    assigned = std::move(moved);
    auto& same = assigned;
    assigned = std::move(same); // of no consequence
    CHECK(assigned.path() == path);
    release_now(f, held);
    CHECK(end_of(f, acquire) == error_code{});
    CHECK(acquire.lock().is_held());
}
