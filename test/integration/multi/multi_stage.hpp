// SPDX-License-Identifier: BSL-1.0
// Two sessions, and locks that are taken together.
#pragma once

#include "integration/support/cancel_support.hpp"
#include "support/foreign_client.hpp"

namespace turnstile::test {

/// `first` is the older lock path, so it comes first in everybody's order.
struct multi_stage : fixture {
    multi_stage() {
        for (auto* const each : {&here, &there})
            run([&]() -> boost::asio::awaitable<void> { co_await each->connect(); });
        foreign_client{shared_server().address()}.create("/locks"); // it may be there
        create(first);
        create(second);
    }

    // A foreign client at work.
    void create(const std::string& path) const {
        REQUIRE(foreign_client{shared_server().address()}.create(path) == 0);
    }
    void remove(const std::string& path) const {
        REQUIRE(foreign_client{shared_server().address()}.remove(path) == 0);
    }

    /// Whoever comes next finds both free, and nothing stays.
    void check_free() {
        check_nothing_left(*this, here, first);
        check_nothing_left(*this, here, second);
    }
    bool is_empty(const std::string& path) const { return children_of(path).empty(); }

    session here{context, options_for()};
    session there{context, options_for()};
    const std::string first = fresh_path("multi");
    const std::string second = fresh_path("multi");
    mutex our_first{here, first};
    mutex our_second{here, second};
    mutex their_first{there, first};
    mutex their_second{there, second};
};

/// Gives up an acquire of `both`, which would wait at `at`, in each of the ways to do so.
inline void give_up(multi_stage& s, std::unique_ptr<multi_lock> both, const std::string& at,
                    const fixture::predicate& waits) {
    using std::chrono_literals::operator""s;
    diagnostics told;
    const auto check_told = [&](auto start, error expected) {
        CHECK(result_of(s, [&](auto t) { start(with_diagnostics(told, std::move(t))); }) ==
              expected);
        CHECK(told.path == at);
    };
    SECTION("by a cancellation of each type, or by the end of the lock object") {
        using enum boost::asio::cancellation_type;
        const auto type = GENERATE(values({none, terminal, partial, total}));
        cancellable result;
        both->acquire(result.token());
        s.run_until(waits);
        if (type == none)
            both.reset();
        else
            result.cancel(type);
        CHECK(end_of(s, result) == aborted);
    }
    SECTION("by the time limit that all share") {
        check_told([&](auto t) { both->acquire_for(0.1s, std::move(t)); }, error::timeout);
    }
    SECTION("by a try") {
        check_told([&](auto t) { both->try_acquire(std::move(t)); }, error::would_block);
    }
}

} // namespace turnstile::test
