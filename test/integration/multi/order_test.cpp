// SPDX-License-Identifier: BSL-1.0
// The one order in which everybody takes several locks.
#include "integration/multi/multi_stage.hpp"

TEST_CASE("the order holds over two chroots, and one lock is known by two names") {
    multi_stage s;
    session below{s.context, options_for(shared_server().address() + "/locks")};
    const auto short_name = [](const std::string& path) { return path.substr(6); };
    mutex their_first{below, short_name(s.first)};
    mutex their_second{below, short_name(s.second)};
    SECTION("they do not wait for each other") {
        multi_lock ours{s.our_first, s.our_second};
        multi_lock theirs{their_second, their_first};
        int inside = 0;
        int entered = 0;
        const auto enter_often = [&](multi_lock& both) -> asio::awaitable<void> {
            for (int round = 0; round < 50; ++round) {
                auto lock = co_await both.acquire();
                ++entered;
                if (++inside != 1)
                    throw std::logic_error("two hold the locks");
                co_await asio::post(asio::use_awaitable);
                --inside;
                co_await lock.release();
            }
        };
        s.spawn([&] { return enter_often(ours); });
        s.spawn([&] { return enter_often(theirs); });
        s.run_spawned();
        CHECK(entered == 100);
    }
    SECTION("a lock named twice is refused") {
        multi_lock twice{s.our_second, s.our_first, their_second};
        diagnostics told;
        CHECK(result_of(s, [&](auto t) { twice.acquire(with_diagnostics(told, std::move(t))); }) ==
              error::duplicate_lock);
        CHECK(told.path == their_second.path());
    }
    s.check_free();
}

TEST_CASE("paths that one transaction has made are several locks all the same") {
    multi_stage s;
    auto by = acquire_now(s, s.our_first);
    const std::array paths{fresh_path("made"), fresh_path("together")};
    s.run([&]() -> asio::awaitable<void> {
        co_await by.write_guarded(node_writes().create(paths[0], "").create(paths[1], ""));
    });
    release_now(s, by);
    mutex one{s.here, paths[0]};
    mutex other{s.here, paths[1]};
    multi_lock both{other, one};
    auto lock = acquire_now(s, both);
    release_now(s, lock);
    session below{s.context, options_for(shared_server().address() + "/locks")};
    mutex again{below, paths[1].substr(6)};
    multi_lock twice{one, other, again};
    CHECK(result_of(s, [&](auto t) { twice.acquire(std::move(t)); }) == error::duplicate_lock);
}

TEST_CASE("a lock path that was made anew has its new place in the order") {
    multi_stage s;
    multi_lock both{s.our_first, s.our_second};
    auto lock = acquire_now(s, both);
    release_now(s, lock);
    s.run_until([&] { return s.is_empty(s.first); });
    s.remove(s.first);
    s.create(s.first); // younger than the other now
    auto theirs = acquire_now(s, s.their_second);
    probe result;
    both.acquire(result.make());
    s.run_until([&] { return children_of(s.second).size() == 2; });
    s.run_until([&] { return s.is_empty(s.first); }); // it does not stand there, and hold on to it
    auto free = acquire_now(s, s.their_first);
    release_now(s, free);
    release_now(s, theirs);
    CHECK(end_of(s, result) == error_code{});
    result.lock() = {};
    s.check_free();
}
