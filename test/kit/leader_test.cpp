// SPDX-License-Identifier: BSL-1.0
// run_exclusively on the model: its lock is lost, its body fails, or it is told to stop. The cast:
// a leader for `orders` with the first session, and sometimes another program that waits behind it
// or holds before it. In the names of the tests "it" is run_exclusively, and the body its
// coroutine.
#include "kit_fixture.hpp"

#include <boost/asio/this_coro.hpp>

#include <csignal>

namespace {

const error_code aborted = asio::error::operation_aborted;

/// One call of run_exclusively on the model, and what came of it.
struct leader : kit_fixture {
    using body = std::function<asio::awaitable<void>(held_lock&)>;

    std::vector<std::string> journal{}; // what the body did
    held_lock* held_now = nullptr;      // the lock while lead() runs
    // A body may wait for this, until the test calls cancel().
    asio::steady_timer gate{context, asio::steady_timer::time_point::max()};
    asio::cancellation_signal stop{}; // cancels run_exclusively
    exclusive_options how{};
    std::vector<std::string> errors{}; // the texts of the exceptions that on_error got
    bool ended = false;                // run_exclusively has completed
    std::exception_ptr failure{};      // its exception, if any

    /// The usual body: leads until it is cancelled.
    asio::awaitable<void> lead(held_lock& lock) {
        held_now = &lock;
        journal.push_back("leads");
        asio::steady_timer never{co_await asio::this_coro::executor,
                                 asio::steady_timer::time_point::max()};
        const auto [code] = co_await never.async_wait(asio::as_tuple(asio::use_awaitable));
        journal.push_back("stops");
        held_now = nullptr;
        throw boost::system::system_error(code);
    }
    void start(body run) {
        asio::co_spawn(context, run_exclusively(orders, std::move(run), how),
                       asio::bind_cancellation_slot(stop.slot(), [this](std::exception_ptr thrown) {
                           ended = true;
                           failure = std::move(thrown);
                       }));
        servers.settle();
    }
    void start() {
        start([this](held_lock& lock) { return lead(lock); });
    }
    /// With on_error it goes on after errors.
    void note_errors() {
        how.shortest_backoff = 1ms;
        how.on_error = [this](std::exception_ptr error) { errors.push_back(text_of(error)); };
    }
    /// Runs the context in real time too, for signals.
    template <class Done>
    void run_until(Done done) {
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (!done()) {
            REQUIRE(std::chrono::steady_clock::now() < end);
            context.run_one_for(10ms);
            servers.settle();
        }
    }
    /// The code that was thrown; `fault` stands for an exception without one.
    static error_code code_of(const std::exception_ptr& thrown) {
        try {
            if (thrown)
                std::rethrow_exception(thrown);
        } catch (const boost::system::system_error& e) {
            return e.code();
        } catch (const std::exception&) {
            return asio::error::fault;
        }
        return {};
    }
    /// The text of the innermost exception, with "in a loss: " before it for each one around it.
    static std::string text_of(const std::exception_ptr& thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception& e) {
            try {
                std::rethrow_if_nested(e);
            } catch (...) {
                return "in a loss: " + text_of(std::current_exception());
            }
            return e.what();
        }
    }
    std::size_t tickets_in_line() { return servers.children("/locks/orders").size(); }
};

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("a leader goes with its context") {
    auto alive = std::make_shared<int>();
    const std::weak_ptr<int> seen = alive;
    std::optional<leader> f(std::in_place);
    SECTION("that waits for a signal, too") { f->how.stop_on = {SIGUSR1}; }
    SECTION("that does not") {}
    f->start([alive = std::exchange(alive, {}), &f](held_lock& lock) { return f->lead(lock); });
    REQUIRE(f->journal == texts{"leads"});
    f.reset();
    CHECK(seen.expired());
}

TEST_CASE("a leader that loses its lock stops, and leads again") {
    leader f;
    f.start();
    CHECK(f.journal == texts{"leads"});
    f.servers.delete_ticket(*f.held_now);
    CHECK(f.journal == texts{"leads", "stops", "leads"});
    f.servers.expire(f.first);
    CHECK(f.journal == texts{"leads", "stops", "leads", "stops", "leads"});
    CHECK_FALSE(f.ended);
}

TEST_CASE("a leader that loses its lock to another lines up behind it") {
    leader f;
    f.start();
    const auto other = f.servers.hand_over(*f.held_now);
    CHECK(f.journal == texts{"leads", "stops"});
    CHECK(f.tickets_in_line() == 2);
    f.servers.delete_node(other);
    CHECK(f.journal == texts{"leads", "stops", "leads"});
}

TEST_CASE("a body that returns ends it, after the release") {
    leader f;
    f.start([&](held_lock&) -> asio::awaitable<void> {
        f.journal.push_back("works");
        co_return;
    });
    CHECK(f.ended);
    CHECK_FALSE(f.failure);
    CHECK(f.tickets_in_line() == 0);
    CHECK(f.journal == texts{"works"});
}

TEST_CASE("a cancellation while it leads ends the body, then releases, then ends it") {
    leader f;
    f.start();
    f.stop.emit(asio::cancellation_type::terminal);
    f.servers.settle();
    CHECK(f.journal == texts{"leads", "stops"});
    CHECK(f.ended);
    CHECK(f.code_of(f.failure) == aborted);
    CHECK(f.tickets_in_line() == 0);
}

TEST_CASE("a cancellation while it waits ends it at once, and leaves no ticket") {
    leader f;
    const auto other = f.servers.stranger("/locks/orders");
    f.start();
    CHECK(f.tickets_in_line() == 2);
    f.stop.emit(asio::cancellation_type::terminal);
    f.servers.settle();
    CHECK(f.ended);
    CHECK(f.code_of(f.failure) == aborted);
    CHECK(f.journal.empty());
    CHECK(f.tickets_in_line() == 1);
}

TEST_CASE("a signal ends it in order, and without an error") {
    leader f;
    f.how.stop_on = {SIGUSR1, SIGUSR2};
    f.start();
    std::raise(SIGUSR2);
    f.run_until([&] { return f.ended; });
    CHECK_FALSE(f.failure);
    CHECK(f.journal == texts{"leads", "stops"});
    CHECK(f.tickets_in_line() == 0);
}

TEST_CASE("a signal while it waits ends it at once, and without an error") {
    leader f;
    f.how.stop_on = {SIGUSR1};
    const auto other = f.servers.stranger("/locks/orders");
    f.start();
    std::raise(SIGUSR1);
    f.run_until([&] { return f.ended; });
    CHECK_FALSE(f.failure);
    CHECK(f.tickets_in_line() == 1);
}

TEST_CASE("the lock is released only after a body that takes its time") {
    leader f;
    kit_fixture::outcome next;
    f.start([&](held_lock& lock) -> asio::awaitable<void> {
        co_await asio::co_spawn(f.context, f.lead(lock), asio::as_tuple(asio::use_awaitable));
        co_await asio::this_coro::reset_cancellation_state();
        co_await f.gate.async_wait(asio::as_tuple(asio::use_awaitable));
        f.journal.push_back(lock.is_held() ? "ends in order" : "ends without its lock");
        throw boost::system::system_error(aborted);
    });
    kit_fixture::acquire(f.same_orders, next);
    f.servers.settle();
    f.stop.emit(asio::cancellation_type::terminal);
    f.servers.settle();
    CHECK(f.journal == texts{"leads", "stops"});
    CHECK_FALSE(f.ended);
    CHECK_FALSE(next.code);
    SECTION("it ends") {
        f.gate.cancel();
        f.servers.settle();
        CHECK(f.journal.back() == "ends in order");
    }
    SECTION("it is told of a loss even then") {
        f.servers.expire(f.first);
        CHECK(f.journal.back() == "ends without its lock");
    }
    CHECK(f.ended);
    CHECK(f.code_of(f.failure) == aborted);
    CHECK(next.lock.is_held());
}

TEST_CASE("what the body throws ends it after the release, if there is no on_error") {
    leader f;
    f.start([](held_lock&) -> asio::awaitable<void> {
        throw std::runtime_error("the disk is full");
        co_return;
    });
    CHECK(f.ended);
    CHECK(f.text_of(f.failure) == "the disk is full");
    CHECK(f.tickets_in_line() == 0);
}

TEST_CASE("on_error gets what the body throws, and it leads again after a pause") {
    leader f;
    f.note_errors();
    int turns = 0;
    f.start([&](held_lock& lock) -> asio::awaitable<void> {
        if (++turns < 4)
            throw std::runtime_error("turn " + std::to_string(turns));
        co_await f.lead(lock);
    });
    CHECK(f.errors == texts{"turn 1"});
    // The three pauses are 1, 2 and 4 times the shortest one, less up to a half.
    f.servers.advance(f.how.shortest_backoff * 7);
    CHECK(f.held_now);
    CHECK(f.errors == texts{"turn 1", "turn 2", "turn 3"});
    CHECK_FALSE(f.ended);
}

TEST_CASE("in the pause after an error it has no ticket, and a cancellation ends it at once") {
    leader f;
    f.note_errors();
    f.how.shortest_backoff = f.how.longest_backoff = 1h;
    f.start([](held_lock&) -> asio::awaitable<void> {
        throw std::runtime_error("no");
        co_return;
    });
    CHECK(f.errors == texts{"no"});
    CHECK(f.tickets_in_line() == 0);
    CHECK_FALSE(f.ended);
    f.stop.emit(asio::cancellation_type::terminal);
    f.servers.settle();
    CHECK(f.code_of(f.failure) == aborted);
}

TEST_CASE("the pause after an error goes by the kit's time") {
    leader f;
    f.note_errors();
    f.how.shortest_backoff = f.how.longest_backoff = 1h;
    f.start([](held_lock&) -> asio::awaitable<void> {
        throw std::runtime_error("no");
        co_return;
    });
    f.servers.advance(30min - 1s); // a pause lasts a half of the hour at least
    CHECK(f.errors.size() == 1);
    f.servers.advance(30min + 1s); // and an hour at most
    CHECK(f.errors.size() == 2);
}

TEST_CASE("a seed fixes when things happen") {
    // When the leader tried again after each error, and was back after each end of its connection.
    const auto instants = [](std::uint64_t seed) {
        std::vector<lease_clock::duration> seen;
        boost::asio::io_context context;
        testing::ensemble servers(context, {.seed = seed});
        session on_it(context);
        mutex leadership(on_it, "/leaders/reports");
        const auto began = servers.now();
        exclusive_options how;
        how.on_error = [](std::exception_ptr) {};
        const auto lead = [&](held_lock&) -> asio::awaitable<void> {
            seen.push_back(servers.now() - began);
            throw std::runtime_error("no");
            co_return;
        };
        asio::co_spawn(context, run_exclusively(leadership, lead, how), asio::detached);
        servers.advance(1h);
        for (int cuts = 0; cuts < 5; ++cuts) {
            servers.cut_off(on_it, 5s);
            while (on_it.state() != session_state::connected)
                servers.advance(1ms);
            seen.push_back(servers.now() - began);
        }
        return seen;
    };
    const auto first_run = instants(1);
    CHECK(first_run.size() > 10);
    CHECK(instants(1) == first_run);
    CHECK(instants(2) != first_run);
}

TEST_CASE("operation_aborted of a body that nobody cancelled is an error") {
    leader f;
    f.note_errors();
    f.how.shortest_backoff = f.how.longest_backoff = 1h;
    f.start([](held_lock&) -> asio::awaitable<void> {
        throw boost::system::system_error(aborted, "its own timer");
        co_return;
    });
    REQUIRE(f.errors.size() == 1);
    CHECK(f.errors[0].starts_with("its own timer"));
    CHECK_FALSE(f.ended);
}

TEST_CASE("what on_error throws ends it") {
    leader f;
    f.how.on_error = [](std::exception_ptr) { throw std::logic_error("enough"); };
    f.start([](held_lock&) -> asio::awaitable<void> {
        throw std::runtime_error("no");
        co_return;
    });
    CHECK(f.ended);
    CHECK(f.text_of(f.failure) == "enough");
}

TEST_CASE("what a body throws at its cancellation is not lost") {
    leader f;
    const bool has_on_error = GENERATE(false, true);
    if (has_on_error)
        f.note_errors();
    f.how.shortest_backoff = f.how.longest_backoff = 1h; // no pause follows a loss
    int turns = 0;
    f.start([&](held_lock& lock) -> asio::awaitable<void> {
        ++turns;
        try {
            co_await f.lead(lock);
        } catch (const boost::system::system_error&) {
            throw std::runtime_error("could not save");
        }
    });
    SECTION("by a loss") {
        f.servers.delete_ticket(*f.held_now);
        CHECK(f.ended == !has_on_error);
        CHECK(turns == (has_on_error ? 2 : 1));
        CHECK((has_on_error ? f.errors.at(0) : f.text_of(f.failure)) ==
              "in a loss: could not save");
    }
    SECTION("by a cancellation") {
        f.stop.emit(asio::cancellation_type::terminal);
        f.servers.settle();
        CHECK(f.ended);
        CHECK((has_on_error ? f.errors.at(0) : f.text_of(f.failure)) == "could not save");
        CHECK((f.code_of(f.failure) == aborted) == has_on_error);
    }
}

TEST_CASE("an acquire that fails is tried again where that may help") {
    leader f;
    const bool has_on_error = GENERATE(false, true);
    if (has_on_error)
        f.note_errors();
    f.servers.stop_server();
    f.start();
    f.servers.advance(31s); // session_options::unreachable_limit is 30 s
    CHECK(f.errors.size() == (has_on_error ? 1 : 0));
    CHECK(f.ended == !has_on_error);
    if (!has_on_error) {
        CHECK(f.code_of(f.failure) == error::unreachable);
        return;
    }
    f.servers.start_server();
    f.servers.advance(10s);
    CHECK(f.held_now);
}

TEST_CASE("the loss that a body throws itself is no error of the body") {
    leader f;
    f.how.shortest_backoff = f.how.longest_backoff = 1h;
    int turns = 0;
    f.start([&](held_lock& lock) -> asio::awaitable<void> {
        ++turns;
        f.held_now = &lock;
        const auto [loss] = co_await lock.wait_lost(asio::as_tuple(asio::use_awaitable));
        throw boost::system::system_error(loss);
    });
    f.servers.delete_ticket(*f.held_now);
    CHECK(turns == 2);
    CHECK_FALSE(f.ended);
}

TEST_CASE("a session that is closed ends it, with on_error and without") {
    leader f;
    const bool has_on_error = GENERATE(false, true);
    if (has_on_error)
        f.note_errors();
    f.start();
    f.first.close([](error_code) {});
    f.servers.settle();
    CHECK(f.journal == texts{"leads", "stops"});
    CHECK(f.ended);
    CHECK(f.code_of(f.failure) == error::session_closed);
    CHECK(f.errors.empty());
}

TEST_CASE("a body may release early, and go on") {
    leader f;
    kit_fixture::outcome next;
    f.start([&](held_lock& lock) -> asio::awaitable<void> {
        co_await lock.release();
        co_await f.gate.async_wait(asio::as_tuple(asio::use_awaitable));
        f.journal.push_back("goes on");
    });
    kit_fixture::acquire(f.same_orders, next);
    f.servers.settle();
    CHECK(next.lock.is_held());
    CHECK_FALSE(f.ended);
    f.gate.cancel();
    f.servers.settle();
    CHECK(f.journal == texts{"goes on"});
    CHECK(f.ended);
    CHECK_FALSE(f.failure);
}

TEST_CASE("a leader that is asked to yield goes to the end of the line") {
    leader f;
    f.note_errors();
    kit_fixture::outcome next;
    SECTION("by default") {
        f.start();
        kit_fixture::acquire(f.same_orders, next);
        f.servers.settle();
        f.same_orders.ask_to_yield("a new version", [](error_code failed) { CHECK_FALSE(failed); });
        f.servers.settle();
        CHECK(f.journal == texts{"leads", "stops"});
        CHECK(next.lock.is_held());
        CHECK(f.tickets_in_line() == 2);
        next.lock = {};
        f.servers.settle();
        CHECK(f.journal == texts{"leads", "stops", "leads"}); // it was asked only once
    }
    SECTION("unless it does not yield") {
        f.how.yields = false;
        f.start();
        f.same_orders.ask_to_yield("a new version", [](error_code failed) { CHECK_FALSE(failed); });
        f.servers.settle();
        CHECK(f.journal == texts{"leads"});
    }
    SECTION("also where its body returns then") {
        f.start([&](held_lock& lock) -> asio::awaitable<void> {
            try {
                co_await f.lead(lock);
            } catch (const boost::system::system_error&) {
            }
        });
        f.same_orders.ask_to_yield("a new version", [](error_code failed) { CHECK_FALSE(failed); });
        f.servers.settle();
        CHECK(f.journal == texts{"leads", "stops", "leads"});
    }
    SECTION("and on_error gets what its body throws then") {
        int turns = 0;
        f.start([&](held_lock& lock) -> asio::awaitable<void> {
            const bool first = ++turns == 1;
            try {
                co_await f.lead(lock);
            } catch (const boost::system::system_error&) {
                if (!first)
                    throw;
            }
            throw std::runtime_error("could not save");
        });
        f.same_orders.ask_to_yield("a new version", [](error_code failed) { CHECK_FALSE(failed); });
        f.servers.settle();
        CHECK(f.errors == texts{"could not save"});
        f.servers.advance(f.how.shortest_backoff);
        CHECK(turns == 2);
    }
    CHECK_FALSE(f.ended);
}

namespace {

/// A lock of a user's own, whose holder cannot be asked to yield.
struct plain_held {
    held_lock inner{};

    template <class Token>
    auto wait_lost(Token&& token) const {
        return inner.wait_lost(std::forward<Token>(token));
    }
    template <class Token>
    auto release(Token&& token) {
        return inner.release(std::forward<Token>(token));
    }
    explicit operator bool() const { return static_cast<bool>(inner); }
};

struct plain_lock {
    mutex& inner;

    template <class Token>
    auto acquire(Token&& token) {
        return asio::async_initiate<Token, void(error_code, plain_held)>(
            [this](auto handler) {
                inner.acquire(
                    [kept = std::move(handler)](error_code failed, held_lock lock) mutable {
                        std::move(kept)(failed, plain_held{std::move(lock)});
                    });
            },
            token);
    }
};
static_assert(lockable<plain_lock>);

} // namespace

TEST_CASE("it takes a lock of a user's own type") {
    leader f;
    plain_lock own{f.orders};
    int ran = 0;
    asio::co_spawn(f.context,
                   run_exclusively(own,
                                   [&](plain_held&) -> asio::awaitable<void> {
                                       ++ran;
                                       co_return;
                                   }),
                   asio::detached);
    f.servers.settle();
    CHECK(ran == 1);
    CHECK(f.tickets_in_line() == 0);
}

TEST_CASE("an option that cannot work ends it at once, and is named") {
    leader f;
    std::string named;
    SECTION("a number that is no signal") {
        f.how.stop_on = {4711};
        named = "exclusive_options::stop_on: 4711 is no signal";
    }
    SECTION("no pause") {
        f.how.shortest_backoff = 0ms;
        named = "exclusive_options::shortest_backoff must be greater than zero";
    }
    SECTION("pauses that shrink") {
        f.how.longest_backoff = 99ms;
        named = "exclusive_options::longest_backoff must not be less";
    }
    f.start();
    CHECK(f.code_of(f.failure) == error::bad_options);
    CHECK(f.text_of(f.failure).find(named) != std::string::npos);
    CHECK(f.journal.empty());
}

TEST_CASE("it takes views, several locks as one, and functions without arguments") {
    leader f;
    shared_mutex catalogue{f.first, "/locks/catalogue"};
    multi_lock both{f.orders, catalogue};
    int ran = 0;
    const auto count = [&]() -> asio::awaitable<void> {
        ++ran;
        co_return;
    };
    asio::co_spawn(
        f.context,
        [&]() -> asio::awaitable<void> {
            co_await run_exclusively(catalogue.shared(), count);
            co_await run_exclusively(both, count);
            co_await f.first.close();
        },
        asio::detached);
    f.servers.settle();
    CHECK(ran == 2);
}
