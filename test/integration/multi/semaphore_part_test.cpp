// SPDX-License-Identifier: BSL-1.0
// A semaphore as a part of several locks: what is held, and what is refused.
#include "integration/multi/semaphore_stage.hpp"

#include <concepts>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

static_assert(std::convertible_to<semaphore&, lock_view>);
static_assert(std::constructible_from<multi_lock, mutex&, lock_view>);

TEST_CASE("leases of a semaphore are a part beside a mutex, of one session or of two") {
    semaphore_stage s;
    const bool one_session = GENERATE(true, false);
    multi_lock both{s.our_first, (one_session ? s.our_rate : s.their_rate).permits(2)};
    auto lock = acquire_now(s, both);
    CHECK(s.leases() == 2);
    CHECK(children_of(s.first).size() == 1);
    CHECK(try_now(s, s.their_rate) == error::would_block);
    CHECK(result_of(s, [&](auto t) { s.their_first.try_acquire(std::move(t)); }) ==
          error::would_block);
    CHECK(lock.fencing_tokens().size() == 2);
    CHECK(lock.fencing_tokens()[0] < lock.fencing_tokens()[1]); // the older path comes first
    CHECK(result_of(s, [&](auto t) { lock.downgrade(std::move(t)); }) == error::not_exclusive);
    auto further = lock.share();
    release_now(s, lock);
    CHECK(s.leases() == 2);
    release_now(s, further);
    s.check_all_free();
    lock = acquire_now(s, both); // with the keys known
    CHECK(s.leases() == 2);
    release_now(s, lock);
    s.check_all_free();
}

TEST_CASE("one lease is the part that a semaphore is by itself, and no lease counts as one") {
    semaphore_stage s;
    multi_lock two{s.our_first, s.our_rate, semaphore{s.there, s.second}.permits(0)};
    CHECK(result_of(s, [&](auto t) { two.acquire(std::move(t)); }) == error::no_limit);
    semaphore other{s.there, s.second, 1};
    multi_lock all{s.our_first, s.our_rate, other.permits(0)};
    auto lock = acquire_now(s, all);
    CHECK(s.leases() == 1);
    CHECK(children_of(s.second + "/leases").size() == 1);
    release_now(s, lock);
    CHECK(remove_now(s, other) == error_code{});
    s.check_all_free();
}

TEST_CASE("a semaphore that is missing is made by the several locks that state its limit") {
    semaphore_stage s;
    semaphore missing{s.there, fresh_path("multi"), 2};
    multi_lock both{missing.permits(2), s.our_first};
    auto lock = acquire_now(s, both);
    CHECK(limit_now(s, missing) == limit_of(2));
    CHECK(children_of(missing.path() + "/leases").size() == 2);
    release_now(s, lock);
    CHECK(remove_now(s, missing) == error_code{});
    SECTION("also again, where it was removed meanwhile") {
        lock = acquire_now(s, both);
        CHECK(children_of(missing.path() + "/leases").size() == 2);
        release_now(s, lock);
    }
    s.check_all_free();
}

TEST_CASE("leases that there cannot be are refused, and the path is told") {
    semaphore_stage s;
    diagnostics told;
    const auto result_for = [&](multi_lock all) {
        return result_of(s, [&](auto t) { all.acquire(with_diagnostics(told, std::move(t))); });
    };
    SECTION("more than the limit") {
        CHECK(result_for(multi_lock{s.our_first, s.our_rate.permits(3)}) == error::too_many);
    }
    SECTION("more than a request can make") {
        CHECK(result_for(multi_lock{s.our_first, s.our_rate.permits(1001)}) ==
              error::request_too_large);
    }
    SECTION("by another limit") {
        CHECK(result_for(multi_lock{s.our_first, semaphore{s.there, s.rate, 3}}) ==
              error::limit_differs);
    }
    CHECK(told.path == s.rate);
    s.check_all_free();
}

TEST_CASE("a part states what its semaphore sets") {
    semaphore_stage s;
    multi_lock both{s.our_first, s.our_rate.permits(2)}; // the limit is 2
    CHECK(set_now(s, s.our_rate, 3) == error_code{});
    auto lock = acquire_now(s, both);
    release_now(s, lock);
    multi_lock later{s.our_first, s.our_rate.permits(3)};
    lock = acquire_now(s, later);
    release_now(s, lock);
    CHECK(set_now(s, s.their_rate, 2) == error_code{});
    CHECK(result_of(s, [&](auto t) { both.acquire(std::move(t)); }) == error::limit_differs);
    CHECK(set_now(s, s.our_rate, 2) == error_code{});
    s.check_all_free();
}

TEST_CASE("a semaphore that is named twice is refused, also over two sessions") {
    semaphore_stage s;
    const bool known = GENERATE(true, false);
    const bool one_session = GENERATE(true, false);
    if (known)
        CHECK(try_now(s, s.their_rate) == error_code{});
    multi_lock twice{s.our_rate, s.our_first, one_session ? s.our_rate : s.their_rate};
    CHECK(result_of(s, [&](auto t) { twice.acquire(std::move(t)); }) == error::duplicate_lock);
    CHECK(result_of(s, [&](auto t) { twice.try_acquire(std::move(t)); }) == error::duplicate_lock);
    s.check_all_free();
}

TEST_CASE("a lease that another hand deletes is a loss of all") {
    semaphore_stage s;
    multi_lock both{s.our_first, s.their_rate.permits(2)};
    auto lock = acquire_now(s, both);
    probe told;
    lock.wait_lost(told.make());
    s.remove(s.rate + "/leases/" + children_of(s.rate + "/leases").at(0));
    s.run_until([&] { return told.done(); });
    CHECK(told.code() == error::ticket_deleted);
    CHECK_FALSE(lock.is_held());
    CHECK(children_of(s.first).size() == 1); // in line until it is released
    CHECK(result_of(s, [&](auto t) { lock.release(std::move(t)); }) == error::ticket_deleted);
    s.check_all_free();
}
