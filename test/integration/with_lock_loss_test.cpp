// with_lock when the lock is lost or the caller is cancelled.
#include "cancel_support.hpp"

#include "support/foreign_client.hpp"
#include "support/session_tap.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;
using namespace turnstile;
using namespace turnstile::test;

namespace {

enum class blow { deleted, expired, closed, silence };

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

session_options quiet(const std::string& address) {
    auto options = options_for(address);
    options.log.level = log_level::none; // the loss is expected
    return options;
}

struct stage : fixture {
    std::string path = fresh_path("with-lock-loss");
    session_tap tap{shared_server().port()};
    frame_proxy proxy{tap.port()};
    session s{context, quiet(proxy.address())};
    mutex lock{s, path};
    bool inside = false;

    void strike(blow how) {
        if (how == blow::expired) {
            expire_session(shared_server().address(), tap.credentials(s.id()));
        } else if (how == blow::closed) {
            s.close([](error_code) {});
        } else if (how == blow::silence) {
            proxy.partition(true);
        } else {
            foreign_client other{foreign_client::options{.address = shared_server().address(),
                                                         .digest = "turnstile:turnstile"}};
            REQUIRE(other.remove(path + '/' + children_of(path).at(0)) == 0);
        }
    }
    void run_until_inside() {
        run_until([this] { return inside; });
    }
};

/// What a coroutine waits for until the test opens it, before or after the wait began.
class gate {
public:
    explicit gate(asio::io_context& context)
        : timer_(context, asio::steady_timer::time_point::max()) {}
    void open() { timer_.expires_at(asio::steady_timer::time_point::min()); }
    asio::awaitable<void> pass() {
        co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    }

private:
    asio::steady_timer timer_;
};

asio::awaitable<void> for_ever() {
    asio::steady_timer never{co_await asio::this_coro::executor,
                             asio::steady_timer::time_point::max()};
    co_await never.async_wait(asio::use_awaitable);
}

template <class Awaitable>
asio::awaitable<error_code> code_of(Awaitable what) {
    try {
        co_await std::move(what);
        co_return error_code{};
    } catch (const boost::system::system_error& e) {
        co_return e.code();
    }
}

} // namespace

TEST_CASE("with_lock cancels the coroutine on a loss and tells the reason") {
    const auto how = GENERATE(every_blow());
    stage t;
    error_code code;
    bool cancelled = false;
    t.spawn([&]() -> asio::awaitable<void> {
        code = co_await code_of(with_lock(t.lock, [&]() -> asio::awaitable<void> {
            t.inside = true;
            try {
                co_await for_ever();
            } catch (const boost::system::system_error& e) {
                cancelled = e.code() == aborted;
                throw;
            }
        }));
    });
    t.run_until_inside();
    t.strike(how);
    t.run_spawned();
    CHECK(cancelled);
    CHECK(code == condition::lock_lost);
    CHECK(code == reason_of(how));
}

TEST_CASE("with_lock awaits the end of a coroutine that takes its time after a loss") {
    const auto how = GENERATE(every_blow());
    stage t;
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
}

TEST_CASE("with_lock tells the loss rather than what a coroutine returns or throws after it") {
    const bool throws = GENERATE(false, true);
    stage t;
    error_code code;
    t.spawn([&]() -> asio::awaitable<void> {
        code = co_await code_of(with_lock(t.lock, [&]() -> asio::awaitable<int> {
            t.inside = true;
            static_cast<void>(co_await code_of(for_ever()));
            if (throws)
                throw std::runtime_error("lost in the loss");
            co_return 1;
        }));
    });
    t.run_until_inside();
    t.strike(blow::deleted);
    t.run_spawned();
    CHECK(code == error::ticket_deleted);
}

TEST_CASE("with_lock sends every type of cancellation on a loss") {
    stage t;
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

TEST_CASE("with_lock can be used again after a loss") {
    stage t;
    error_code code;
    t.spawn([&]() -> asio::awaitable<void> {
        code = co_await code_of(with_lock(t.lock, [&]() -> asio::awaitable<void> {
            t.inside = true;
            co_await for_ever();
        }));
        const int value = co_await with_lock(t.lock, []() -> asio::awaitable<int> { co_return 3; });
        CHECK(value == 3);
    });
    t.run_until_inside();
    t.strike(blow::expired);
    t.run_spawned();
    CHECK(code == error::session_expired);
    t.run_until([&] { return children_of(t.path).empty(); });
}

TEST_CASE("with_lock cancelled from outside cancels the coroutine and releases") {
    stage t;
    session other{t.context, options_for()};
    mutex theirs{other, t.path};
    bool cancelled = false;
    gate other_side{t.context};
    t.spawn([&]() -> asio::awaitable<void> {
        const auto won = co_await (with_lock(t.lock,
                                             [&]() -> asio::awaitable<void> {
                                                 t.inside = true;
                                                 const auto code = co_await code_of(for_ever());
                                                 cancelled = code == aborted;
                                             }) ||
                                   other_side.pass());
        CHECK(won.index() == 1);
        auto held = co_await theirs.acquire();
        CHECK(held.is_held());
        co_await held.release();
    });
    t.run_until_inside();
    other_side.open();
    t.run_spawned();
    CHECK(cancelled);
    CHECK(children_of(t.path).empty());
}

TEST_CASE("with_lock cancelled from outside while it waits leaves no ticket") {
    stage t;
    session other{t.context, options_for()};
    mutex theirs{other, t.path};
    auto held = acquire_now(t, theirs);
    gate other_side{t.context};
    t.spawn([&]() -> asio::awaitable<void> {
        const auto won = co_await (with_lock(t.lock,
                                             []() -> asio::awaitable<void> {
                                                 FAIL("called");
                                                 co_return;
                                             }) ||
                                   other_side.pass());
        CHECK(won.index() == 1);
    });
    t.run_until([&] { return children_of(t.path).size() == 2; });
    other_side.open();
    t.run_spawned();
    t.run_until([&] { return children_of(t.path).size() == 1; });
    CHECK(held.is_held());
}

TEST_CASE("a caller of with_lock can still be cancelled afterwards") {
    stage t;
    gate other_side{t.context};
    bool over = false;
    t.spawn([&]() -> asio::awaitable<void> {
        const auto twice = [&]() -> asio::awaitable<void> {
            co_await with_lock(t.lock, []() -> asio::awaitable<void> { co_return; });
            over = true;
            co_await for_ever();
        };
        const auto won = co_await (twice() || other_side.pass());
        CHECK(won.index() == 1);
    });
    t.run_until([&] { return over; });
    other_side.open();
    t.run_spawned();
}

TEST_CASE("a caller of with_lock that had widened its cancellation keeps it so") {
    stage t;
    asio::cancellation_signal signal;
    bool reached = false;
    error_code code;
    asio::co_spawn(
        t.context,
        [&]() -> asio::awaitable<void> {
            co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
            co_await with_lock(t.lock, []() -> asio::awaitable<void> { co_return; });
            reached = true;
            code = co_await code_of(for_ever());
        },
        asio::bind_cancellation_slot(signal.slot(), [](std::exception_ptr) {}));
    t.run_until([&] { return reached; });
    signal.emit(asio::cancellation_type::total);
    t.run_until([&] { return code.failed(); });
    CHECK(code == aborted);
}
