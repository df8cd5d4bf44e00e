// SPDX-License-Identifier: BSL-1.0
// Several locks taken as one, on a real server: what is held.
#include "integration/multi/multi_stage.hpp"

static_assert(lockable<multi_lock>);
static_assert(std::convertible_to<single_node_mutex&, lock_view>);
static_assert(!std::constructible_from<multi_lock>);
static_assert(!std::constructible_from<multi_lock, session&>);

TEST_CASE("locks of each kind are held as one, and exclude whoever takes one alone") {
    multi_stage s;
    shared_mutex readers{s.here, fresh_path("multi")};
    single_node_mutex node{s.there, fresh_path("multi")};
    multi_lock all{node, readers.shared(), s.our_second, s.our_first};
    REQUIRE(all.size() == 4);
    auto lock = acquire_now(s, all);
    CHECK(children_of(node.path()).size() == 1);
    CHECK(result_of(s, [&](auto t) { s.their_first.try_acquire(std::move(t)); }) ==
          error::would_block);
    CHECK(result_of(s, [&](auto t) { s.their_second.try_acquire(std::move(t)); }) ==
          error::would_block);
    CHECK(result_of(s, [&](auto t) { readers.try_acquire(std::move(t)); }) == error::would_block);
    CHECK(result_of(s, [&](auto t) { readers.shared().try_acquire(std::move(t)); }) ==
          error_code{});
    const auto tokens = lock.fencing_tokens();
    REQUIRE(tokens.size() == 4);
    CHECK(lock.fencing_token() == tokens.front());
    CHECK(tokens[3] <= tokens[2]); // those of one transaction are equal
    CHECK(tokens[2] <= std::min(tokens[0], tokens[1]));
    CHECK(lock.deadline() > lease_clock::now());
    CHECK_FALSE(lock.is_at_risk());
    CHECK(result_of(s, [&](auto t) { lock.downgrade(std::move(t)); }) == error::not_exclusive);
    release_now(s, lock);
    CHECK_FALSE(lock.is_held());
    CHECK(lock.fencing_tokens().empty());
    s.check_free();
    s.run_until([&] { return s.is_empty(node.path()) && s.is_empty(readers.path()); });
    lock = acquire_now(s, all); // with the paths known
    CHECK(lock.fencing_tokens() > tokens);
}

TEST_CASE("a lock that is named twice in one session is refused") {
    multi_stage s;
    shared_mutex same{s.here, s.first};
    multi_lock twice{s.our_first, same.shared()};
    CHECK(result_of(s, [&](auto t) { twice.acquire(std::move(t)); }) == error::duplicate_lock);
    CHECK(result_of(s, [&](auto t) { twice.try_acquire(std::move(t)); }) == error::duplicate_lock);
    s.check_free();
}

TEST_CASE("several locks need one part at least") {
    CHECK_THROWS_AS(multi_lock(std::vector<lock_view>{}), std::invalid_argument);
}

TEST_CASE("paths that are missing are made, and go again where nobody stands there") {
    multi_stage s;
    mutex one{s.here, fresh_path("multi")};
    mutex two{s.there, fresh_path("multi")};
    multi_lock both{one, two};
    auto lock = acquire_now(s, both);
    CHECK(children_of(one.path()).size() == 1);
    CHECK(children_of(two.path()).size() == 1);
    release_now(s, lock);
    s.run_until([&] { return s.is_empty(one.path()) && s.is_empty(two.path()); });
}

TEST_CASE("who gives up in the middle leaves nothing") {
    multi_stage s;
    auto theirs = acquire_now(s, s.their_second);
    give_up(s, std::make_unique<multi_lock>(s.our_second, s.our_first), s.second,
            [&] { return children_of(s.first).size() == 1 && children_of(s.second).size() == 2; });
    SECTION("by a limit that is over") {
        multi_lock both{s.our_second, s.our_first};
        CHECK(result_of(s, [&](auto t) { both.acquire_for(-1s, std::move(t)); }) == error::timeout);
    }
    s.run_until([&] { return s.is_empty(s.first) && children_of(s.second).size() == 1; });
    CHECK(theirs.is_held());
    release_now(s, theirs);
    s.check_free();
}

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
    REQUIRE(end_of(s, result) == error_code{});
    CHECK(result.lock().is_held());
    result.lock() = {};
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
