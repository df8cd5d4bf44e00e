// SPDX-License-Identifier: BSL-1.0
// The code that docs/pitfalls.md and docs/trouble.md show, right and wrong, run against a server.
#include "exit_code.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <turnstile.hpp>
#include <utility>

// clang, unlike gcc 12, sees the dropped lock that is shown as a mistake.
#pragma GCC diagnostic ignored "-Wunused-result"

namespace asio = boost::asio;
using asio::awaitable;

namespace {

/// Keeps the largest token of each key, and refuses older ones. Each call suspends its caller.
class memory_store {
public:
    awaitable<void> touch(std::string key, turnstile::fencing_token token) {
        co_await leave();
        check(key, token);
    }
    awaitable<int> read(std::string key) {
        co_await leave();
        co_return entries_[key].value;
    }
    awaitable<void> write(std::string key, int value) {
        co_await leave();
        entries_[key].value = value;
    }
    awaitable<void> write(std::string key, int value, turnstile::fencing_token token) {
        co_await leave();
        check(key, token);
        entries_[key].value = value;
    }

private:
    struct entry {
        int value = 0;
        turnstile::fencing_token token;
    };
    static awaitable<void> leave() {
        const auto executor = co_await asio::this_coro::executor;
        co_await asio::post(executor, asio::use_awaitable);
    }
    void check(const std::string& key, const turnstile::fencing_token& token) {
        if (token < entries_[key].token)
            throw std::runtime_error("an older token");
        entries_[key].token = token;
    }
    std::map<std::string, entry> entries_;
};

int next(int value) { return value + 1; }

void expect(bool holds, const std::string& what) {
    if (!holds)
        throw std::logic_error("not so: " + what);
    std::cout << what << '\n';
}

awaitable<void> read_modify_write(turnstile::mutex& orders, memory_store& store, std::string key) {
    auto lock = co_await orders.acquire();
    // This registers the token: the store refuses older ones from here on.
    co_await store.touch(key, lock.fencing_token());
    auto value = co_await store.read(key);
    co_await store.write(key, next(value), lock.fencing_token());
    co_await lock.release();
}

awaitable<void> without_a_lock(memory_store& store, std::string key) {
    auto value = co_await store.read(key);
    // Another coroutine of this strand may have read and written since.
    co_await store.write(key, next(value));
}

awaitable<void> drop_and_keep(turnstile::mutex& orders) {
    co_await orders.acquire();             // wrong: the lock is released at the end of this line
    auto lock = co_await orders.acquire(); // right
    co_await lock.release();
}

awaitable<void> watch(const turnstile::held_lock& lock, bool& stepped_down) {
    const auto step_down = [&] { stepped_down = true; };
    const auto [reason] =
        co_await lock.wait_lost(boost::asio::as_tuple(boost::asio::use_awaitable));
    if (reason == turnstile::condition::lock_lost)
        step_down();
}

/// Computes for longer than a lease lasts, without a co_await.
int sum_up(const turnstile::held_lock& lock, turnstile::lease_clock::duration length) {
    int steps = 0;
    const auto end = turnstile::lease_clock::now() + length;
    for (; turnstile::lease_clock::now() < end; ++steps)
        if (!lock.is_held())
            throw std::runtime_error("the lock is lost");
    return steps;
}

awaitable<void> compute(turnstile::session& session) {
    turnstile::mutex orders{session, "/locks/orders"};
    const auto longer_than_a_lease = 2 * session.negotiated_timeout();
    int result = 0;
    boost::asio::thread_pool workers{1}; // the session's thread stays free for its beats
    co_await turnstile::with_lock(workers.get_executor(), orders,
                                  [&](turnstile::held_lock& lock) -> awaitable<void> {
                                      result = sum_up(lock, longer_than_a_lease);
                                      co_return;
                                  });
    expect(result > 0, "a long computation on a pool costs no lock");
    expect(session.usage().stalls == 0, "and delays no beat");
}

awaitable<void> compute_beside(turnstile::session_options options) {
    int result = 0;
    boost::asio::thread_pool beats{1}; // a thread for the session alone
    turnstile::session session{beats.get_executor(), options};
    turnstile::mutex orders{session, "/locks/orders"};
    auto lock = co_await orders.acquire(); // completes on this coroutine's thread
    const auto longer_than_a_lease = 2 * session.negotiated_timeout();
    result = sum_up(lock, longer_than_a_lease);
    co_await lock.release();
    expect(result > 0, "a long computation beside the session's thread costs no lock");
    expect(session.usage().stalls == 0, "and delays no beat either");
    co_await session.close();
}

awaitable<void> stop_at_loss(turnstile::held_lock watched, std::stop_source& work) {
    const auto [reason] =
        co_await watched.wait_lost(boost::asio::as_tuple(boost::asio::use_awaitable));
    if (reason == turnstile::condition::lock_lost)
        work.request_stop();
}

/// Ends when it is told to, or after this time.
awaitable<void> simulate(std::stop_token stop, turnstile::lease_clock::duration length) {
    const auto end = turnstile::lease_clock::now() + length;
    while (!stop.stop_requested() && turnstile::lease_clock::now() < end)
        continue;
    co_return;
}

awaitable<void> run_watched(turnstile::mutex& orders, std::stop_source& work,
                            turnstile::lease_clock::duration length) {
    using namespace boost::asio::experimental::awaitable_operators;
    boost::asio::thread_pool workers{1};
    auto lock = co_await orders.acquire();
    // Its stop token ends the computation: Asio is not to cancel it from this thread.
    constexpr boost::asio::cancellation_slot none;
    auto computation = boost::asio::co_spawn(
        workers, simulate(work.get_token(), length),
        boost::asio::bind_cancellation_slot(none, boost::asio::use_awaitable));
    co_await (std::move(computation) || stop_at_loss(lock.share(), work));
    if (!work.stop_requested())
        co_await lock.release();
}

/// As an operator does.
awaitable<void> evict_holder(turnstile::mutex& orders) {
    for (;;)
        for (const turnstile::participant& one : co_await orders.list_participants())
            if (one.holds)
                co_return co_await orders.evict(one, asio::use_awaitable);
}

awaitable<void> stop_what_computes(turnstile::session& session) {
    using namespace asio::experimental::awaitable_operators;
    turnstile::mutex orders{session, "/locks/orders"};
    std::stop_source whole;
    co_await run_watched(orders, whole, std::chrono::milliseconds{1});
    expect(!whole.stop_requested(), "what ends in time is not stopped");
    std::stop_source broken;
    co_await (run_watched(orders, broken, std::chrono::hours{1}) && evict_holder(orders));
    expect(broken.stop_requested(), "a computation is stopped where its lock is lost");
}

awaitable<void> show(turnstile::session& session) {
    using namespace asio::experimental::awaitable_operators;
    turnstile::mutex orders{session, "/locks/orders"};
    memory_store store;

    co_await (read_modify_write(orders, store, "a") && read_modify_write(orders, store, "a"));
    expect(co_await store.read("a") == 2, "under the lock no write is lost");
    co_await (without_a_lock(store, "b") && without_a_lock(store, "b"));
    expect(co_await store.read("b") == 1, "on a strand without a lock a write is lost");
    co_await drop_and_keep(orders);

    bool stepped_down = false;
    auto lock = co_await orders.acquire();
    co_await (watch(lock, stepped_down) && lock.release(asio::use_awaitable));
    expect(!stepped_down, "a release is no loss");
    co_await compute(session);
    co_await stop_what_computes(session);
    lock = co_await orders.acquire();
    co_await (watch(lock, stepped_down) && session.close(asio::use_awaitable));
    expect(stepped_down, "the end of the session is a loss");
}

/// A coroutine that throws before it closes the session: run() returns all the same.
void throw_before_the_close(const std::string& servers) {
    boost::asio::io_context context;
    turnstile::session session{context, {.servers = servers}};
    std::string told;
    const auto report = [&](std::exception_ptr failure) {
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& e) {
            told = e.what();
        }
    };
    const auto serve = [](turnstile::session& used) -> awaitable<void> {
        co_await used.connect();
        throw std::runtime_error("something else went wrong");
    };
    boost::asio::co_spawn(context, serve(session), [&](std::exception_ptr failure) {
        session.close(boost::asio::detached);
        if (failure)
            report(failure);
    });
    context.run();
    expect(told == "something else went wrong", "a coroutine that throws ends the program");
}

void compute_on_the_main_thread(const turnstile::session_options& options) {
    boost::asio::io_context context;
    boost::asio::co_spawn(context, compute_beside(options), [](std::exception_ptr failure) {
        if (failure)
            std::rethrow_exception(failure);
    });
    context.run();
}

} // namespace

int main(int argc, char** argv) try {
    turnstile::session_options options{.timeout = std::chrono::seconds{8}};
    const auto failed = exit_code_of(argc, argv, show, options);
    if (!failed && argc > 1) {
        options.servers = argv[1];
        compute_on_the_main_thread(options);
        throw_before_the_close(argv[1]);
    }
    return failed;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
