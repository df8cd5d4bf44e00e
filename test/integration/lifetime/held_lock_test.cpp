// SPDX-License-Identifier: BSL-1.0
// held_lock: what it outlives, how it moves, and that it releases exactly once.
#include "integration/support/cancel_support.hpp"

#include "support/foreign_client.hpp"

static_assert(std::is_nothrow_move_constructible_v<held_lock>);
static_assert(std::is_nothrow_move_assignable_v<held_lock>);
static_assert(std::is_nothrow_default_constructible_v<held_lock>);
static_assert(!std::is_copy_constructible_v<held_lock>);
static_assert(!std::is_copy_assignable_v<held_lock>);

TEST_CASE("an empty lock holds nothing") {
    fixture f;
    held_lock nothing;
    CHECK_FALSE(nothing);
    CHECK_FALSE(nothing.is_held());
    CHECK(nothing.fencing_token() == fencing_token{});
    CHECK(nothing.deadline() == lease_clock::time_point{});
    CHECK_FALSE(nothing.get_executor());
    CHECK_FALSE(nothing.share());
    CHECK(result_of(f, [&](auto t) {
              nothing.release(asio::bind_executor(f.context, std::move(t)));
          }) == error::not_held);
    CHECK(result_of(f, [&](auto t) {
              nothing.wait_lost(asio::bind_executor(f.context, std::move(t)));
          }) == error::not_held);
}

TEST_CASE("a lock may outlive its mutex") {
    fixture f;
    const auto path = fresh_path("outlives-mutex");
    session s{f.context, options_for()};
    std::optional<mutex> lock{std::in_place, s, path};
    auto held = acquire_now(f, *lock);
    probe lost;
    held.wait_lost(lost.make());
    lock.reset();
    f.context.poll();
    CHECK(held.is_held());
    CHECK(lost.pending());
    CHECK(children_of(path).size() == 1);
    release_now(f, held);
    CHECK(children_of(path).empty());
}

TEST_CASE("a lock that outlives its session object is lost") {
    const bool told_before = GENERATE(true, false);
    fixture f;
    const auto path = fresh_path("outlives-session");
    std::optional<session> s{std::in_place, f.context, options_for()};
    std::optional<mutex> lock{std::in_place, *s, path};
    auto held = acquire_now(f, *lock);
    probe lost;
    if (told_before)
        held.wait_lost(lost.make());
    s.reset();
    CHECK(held); // still owned, and soon known to be lost
    if (!told_before)
        held.wait_lost(lost.make());
    CHECK(end_of(f, lost) == error::session_closed);
    CHECK(lost.code() == condition::lock_lost);
    CHECK_FALSE(held.is_held());
    CHECK(held.deadline() == lease_clock::time_point{});
    CHECK(held.fencing_token() > fencing_token{});
    f.run_until([&] { return children_of(path).empty(); });
    CHECK(result_of(f, [&](auto t) { held.release(std::move(t)); }) == condition::lock_lost);
    CHECK(result_of(f, [&](auto t) { lock->acquire(std::move(t)); }) == error::session_closed);
    f.run_out();
}

TEST_CASE("a lock moves, and only the last place owns it") {
    fixture f;
    const auto path = fresh_path("moves");
    session s{f.context, options_for()};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    const auto token = held.fencing_token();
    held_lock second{std::move(held)};
    CHECK_FALSE(held);
    CHECK_FALSE(held.is_held());
    CHECK(second.is_held());
    held = std::move(second);
    CHECK_FALSE(second);
    CHECK(held.fencing_token() == token);
    auto& same = held;
    held = std::move(same); // of no consequence
    CHECK(held.is_held());
    { const held_lock gone{std::move(second)}; }
    f.context.poll();
    CHECK(children_of(path).size() == 1);
    release_now(f, held);
}

TEST_CASE("assignment to a lock releases the one that it held") {
    fixture f;
    session s{f.context, options_for()};
    mutex first{s, fresh_path("assign")};
    mutex second{s, fresh_path("assign")};
    auto held = acquire_now(f, first);
    held = acquire_now(f, second);
    CHECK(held.is_held());
    f.run_until([&] { return children_of(first.path()).empty(); });
    CHECK(children_of(second.path()).size() == 1);
    held = held_lock{};
    f.run_until([&] { return children_of(second.path()).empty(); });
}

TEST_CASE("the loss of a lock is level-triggered and told to all who ask") {
    fixture f;
    const auto path = fresh_path("lost-level");
    session s{f.context, options_for()};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    probe first;
    probe second;
    held.wait_lost(first.make());
    held.wait_lost(second.make());
    delete_tickets(path);
    f.run_until([&] { return first.done() && second.done(); });
    CHECK(first.code() == error::ticket_deleted);
    CHECK(second.code() == error::ticket_deleted);
    CHECK_FALSE(held.is_held());
    for (int i = 0; i < 2; ++i)
        CHECK(result_of(f, [&](auto t) { held.wait_lost(std::move(t)); }) == error::ticket_deleted);
    CHECK(result_of(f, [&](auto t) { held.release(std::move(t)); }) == error::ticket_deleted);
    CHECK(result_of(f, [&](auto t) {
              held.wait_lost(asio::bind_executor(f.context, std::move(t)));
          }) == error::not_held);
    CHECK(first.calls() + second.calls() == 2);
    auto again = acquire_now(f, lock);
    CHECK(again.is_held());
}

TEST_CASE("the deadline lies ahead, by no more than the session timeout, and moves on") {
    fixture f;
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("deadline")};
    auto held = acquire_now(f, lock);
    const auto first = held.deadline();
    CHECK(first > lease_clock::now());
    CHECK(first <= lease_clock::now() + s.negotiated_timeout());
    f.run_until([&] { return held.deadline() > first; });
    CHECK(held.is_held());
}
