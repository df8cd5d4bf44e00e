// SPDX-License-Identifier: BSL-1.0
// A semaphore as a part of several locks: what is held, and what is refused.
#include "integration/multi/multi_stage.hpp"
#include "integration/semaphore/semaphore_calls.hpp"

#include <concepts>

namespace {

/// Two permits. `first` and `second` are older than the semaphore, and `third` is younger.
struct semaphore_stage : multi_stage {
    semaphore_stage() {
        REQUIRE(set_now(*this, our_rate, 2) == error_code{});
        create(third);
    }
    std::size_t permits() const { return children_of(rate + "/leases").size(); }
    std::size_t line() const { return children_of(rate + "/queue").size(); }
    /// A foreign client takes away all that is below a node, and the node.
    void remove_all(const std::string& node) const {
        for (const auto& child : children_of(node))
            remove_all(node + '/' + child);
        remove(node);
    }
    /// Nothing stays, and whoever comes next finds all of it free.
    void check_all_free() {
        for (auto* const each : {&our_rate, &their_rate}) {
            run_until([&] { return permits() == 0 && line() == 0; });
            CHECK(try_now(*this, *each, 2) == error_code{});
        }
        run_until([&] { return permits() == 0; });
        check_free();
        check_nothing_left(*this, here, third);
    }

    const std::string rate = fresh_path("multi");
    const std::string third = fresh_path("multi");
    semaphore our_rate{here, rate, 2};
    semaphore their_rate{there, rate}; // learns the limit from the server
    mutex our_third{here, third};
    mutex their_third{there, third};
};

} // namespace

static_assert(std::convertible_to<semaphore&, lock_view>);
static_assert(std::constructible_from<multi_lock, mutex&, lock_view>);

TEST_CASE("leases of a semaphore are a part beside a mutex, of one session or of two") {
    semaphore_stage s;
    const bool one_session = GENERATE(true, false);
    multi_lock both{s.our_first, (one_session ? s.our_rate : s.their_rate).permits(2)};
    auto lock = acquire_now(s, both);
    CHECK(s.permits() == 2);
    CHECK(children_of(s.first).size() == 1);
    CHECK(try_now(s, s.their_rate) == error::would_block);
    CHECK(result_of(s, [&](auto t) { s.their_first.try_acquire(std::move(t)); }) ==
          error::would_block);
    CHECK(lock.fencing_tokens().size() == 2);
    CHECK(lock.fencing_tokens()[0] < lock.fencing_tokens()[1]); // the older path comes first
    CHECK(result_of(s, [&](auto t) { lock.downgrade(std::move(t)); }) == error::not_exclusive);
    auto further = lock.share();
    release_now(s, lock);
    CHECK(s.permits() == 2);
    release_now(s, further);
    s.check_all_free();
    lock = acquire_now(s, both); // with the keys known
    CHECK(s.permits() == 2);
    release_now(s, lock);
    s.check_all_free();
}

TEST_CASE("one permit is the part that a semaphore is by itself, and no permit counts as one") {
    semaphore_stage s;
    multi_lock two{s.our_first, s.our_rate, semaphore{s.there, s.second}.permits(1)};
    CHECK(result_of(s, [&](auto t) { two.acquire(std::move(t)); }) == error::no_limit);
    semaphore other{s.there, s.second, 1};
    multi_lock all{s.our_first, s.our_rate, other.permits(1)};
    auto lock = acquire_now(s, all);
    CHECK(s.permits() == 1);
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

TEST_CASE("who gives up while it waits for permits leaves nothing") {
    semaphore_stage s;
    auto theirs = acquire_now(s, s.their_rate);
    const auto waits = [&] { return s.line() == 1; };
    give_up(s, std::make_unique<multi_lock>(s.our_rate.permits(2), s.our_first), s.rate, waits);
    SECTION("by a limit that sinks") {
        multi_lock both{s.our_rate.permits(2), s.our_first};
        probe result;
        both.acquire(result.make());
        s.run_until(waits);
        CHECK(set_now(s, s.our_rate, 1) == error_code{});
        CHECK(end_of(s, result) == error::too_many);
        CHECK(set_now(s, s.our_rate, 2) == error_code{});
    }
    s.run_until([&] { return s.is_empty(s.first) && s.line() == 0 && s.permits() == 1; });
    CHECK(theirs.is_held());
    release_now(s, theirs);
    s.check_all_free();
}

TEST_CASE("who is cancelled in the turn of its grant has the permits or leaves nothing") {
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
        s.run_until([&] { return s.permits() == 0 && s.line() == 0 && s.is_empty(s.first); });
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
    // It does not hold a permit while it waits for what comes before.
    s.run_until([&] { return s.permits() == 0 && s.line() == 0; });
    CHECK_FALSE(result.done());
    CHECK(try_now(s, s.their_rate, 2) == error_code{});
    release_now(s, theirs);
    REQUIRE(end_of(s, result) == error_code{});
    CHECK(s.permits() == 1);
    release_now(s, result.lock());
    s.check_all_free();
}
