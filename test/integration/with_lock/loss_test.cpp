// SPDX-License-Identifier: BSL-1.0
// with_lock when the lock is lost.
#include "with_lock_stage.hpp"

namespace {

auto every_blow() {
    return Catch::Generators::values({blow::deleted, blow::expired, blow::closed, blow::silence});
}

error_code reason_of(blow how) {
    switch (how) {
    case blow::deleted:
        return error::ticket_deleted;
    case blow::expired:
        return error::session_expired;
    case blow::closed:
        return error::session_closed;
    case blow::silence:
        return error::lease_lost;
    }
    return {};
}

} // namespace

TEST_CASE("with_lock cancels the coroutine on a loss, awaits its end, and tells the reason") {
    const auto how = GENERATE(every_blow());
    with_lock_stage t;
    error_code code;
    gate end{t.context};
    bool told = false;
    bool ended = false;
    bool returned = false;
    t.spawn([&]() -> asio::awaitable<void> {
        code = co_await code_of(with_lock(t.lock, [&](held_lock& held) -> asio::awaitable<void> {
            t.inside = true;
            const auto first = co_await code_of(for_ever());
            CHECK(first == aborted);
            CHECK_FALSE(held.is_held());
            co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
            told = true;
            co_await end.pass();
            ended = true;
        }));
        CHECK(ended);
        returned = true;
    });
    t.run_until_inside();
    t.strike(how);
    t.run_until([&] { return told; });
    for (int i = 0; i < 100; ++i) // whoever did not await the end would be here by now
        t.context.poll_one();
    CHECK_FALSE(returned);
    end.open();
    t.run_spawned();
    CHECK(ended);
    CHECK(code == condition::lock_lost); // whatever the coroutine did in the end
    CHECK(code == reason_of(how));
}

TEST_CASE("with_lock tells the loss, and what a coroutine throws after it within") {
    const auto how = GENERATE(0, 1, 2, 3);
    with_lock_stage t;
    error_code code;
    std::string nested;
    t.spawn([&]() -> asio::awaitable<void> {
        try {
            co_await with_lock(t.lock, [&]() -> asio::awaitable<int> {
                t.inside = true;
                static_cast<void>(co_await code_of(for_ever()));
                if (how == 1)
                    throw std::runtime_error("lost in the loss");
                if (how == 2)
                    throw boost::system::system_error(asio::error::broken_pipe, "store");
                if (how == 3) // by which the loss itself ends it
                    throw boost::system::system_error(aborted);
                co_return 1;
            });
        } catch (const boost::system::system_error& loss) {
            code = loss.code();
            try {
                std::rethrow_if_nested(loss);
            } catch (const std::exception& thrown) {
                nested = thrown.what();
            }
        }
    });
    t.run_until_inside();
    t.strike(blow::deleted);
    t.run_spawned();
    CHECK(code == error::ticket_deleted);
    CHECK((nested == "lost in the loss") == (how == 1));
    CHECK(nested.starts_with("store") == (how == 2));
    CHECK(nested.empty() == (how == 0 || how == 3));
}

TEST_CASE("with_lock sends every type of cancellation on a loss") {
    with_lock_stage t;
    error_code code;
    t.spawn([&]() -> asio::awaitable<void> {
        code = co_await code_of(with_lock(t.lock, [&]() -> asio::awaitable<void> {
            // Nothing but a total cancellation gets through here.
            co_await asio::this_coro::reset_cancellation_state(
                [](asio::cancellation_type type) { return type & asio::cancellation_type::total; });
            t.inside = true;
            co_await for_ever();
        }));
    });
    t.run_until_inside();
    t.strike(blow::deleted);
    t.run_spawned();
    CHECK(code == error::ticket_deleted);
}

TEST_CASE("with_lock runs nothing under a lock that is over before its thread gets there") {
    fixture f;
    asio::io_context elsewhere; // the session's
    session s{elsewhere, quiet(shared_server().address())};
    turnstile::mutex lock{s, fresh_path("with-lock-late")};
    const auto run_elsewhere_until = [&](auto what) {
        const auto end = std::chrono::steady_clock::now() + fixture::default_limit;
        while (!what()) {
            REQUIRE(std::chrono::steady_clock::now() < end);
            elsewhere.restart();
            elsewhere.run_one_for(std::chrono::milliseconds{10});
        }
    };
    bool inside = false;
    std::optional<error_code> code;
    f.spawn([&]() -> asio::awaitable<void> {
        code = co_await code_of(with_lock(lock, [&]() -> asio::awaitable<void> {
            inside = true;
            co_return;
        }));
    });
    f.context.poll();
    run_elsewhere_until([&] { return lock.usage().granted == 1; });
    delete_tickets(lock.path());
    run_elsewhere_until([&] { return lock.usage().lost == 1; });
    // Only now this thread hears of the grant.
    f.run_until([&] {
        elsewhere.restart();
        elsewhere.poll();
        return code.has_value();
    });
    CHECK_FALSE(inside);
    CHECK(*code == error::ticket_deleted);
}
