// SPDX-License-Identifier: BSL-1.0
// Several locks taken as one, on a real server: what is held.
#include "integration/multi/multi_stage.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

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

TEST_CASE("handles of several locks are released with the last") {
    multi_stage s;
    multi_lock both{s.our_first, s.our_second};
    auto lock = acquire_now(s, both);
    auto further = lock.share();
    CHECK(further.fencing_tokens() == lock.fencing_tokens());
    probe told;
    lock.wait_lost(told.make());
    release_now(s, lock);
    s.run_until([&] { return told.done(); });
    CHECK(told.code() == error::released);
    CHECK(further.is_held());
    CHECK(children_of(s.first).size() == 1);
    CHECK(children_of(s.second).size() == 1);
    release_now(s, further);
    s.check_free();
}

TEST_CASE("with_lock takes several locks") {
    multi_stage s;
    multi_lock both{s.our_first, s.our_second};
    std::size_t tokens = 0;
    s.run([&]() -> asio::awaitable<void> {
        co_await with_lock(both, [&](held_lock& lock) -> asio::awaitable<void> {
            tokens = lock.fencing_tokens().size();
            co_return;
        });
        co_await with_lock(both.acquire_for(10s), []() -> asio::awaitable<void> { co_return; });
    });
    CHECK(tokens == 2);
    s.check_free();
}
