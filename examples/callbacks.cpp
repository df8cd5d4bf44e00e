// SPDX-License-Identifier: BSL-1.0
// A lock in a program of callbacks, in one of futures, and with_lock in both.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <turnstile.hpp>
#include <utility>

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// A client's connection, say. Its handlers run on its strand, and never at the same time.
class connection : public std::enable_shared_from_this<connection> {
public:
    connection(asio::io_context& context, turnstile::session& session)
        : strand_(asio::make_strand(context)),
          session_(session),
          orders_(session, "/locks/orders") {}
    void start() {
        // Without the strand, it would run on the session's executor, beside the other handlers.
        orders_.acquire(
            asio::bind_executor(strand_, [self = shared_from_this()](turnstile::error_code failed,
                                                                     turnstile::held_lock lock) {
                failed ? self->end(failed) : self->work(std::move(lock));
            }));
    }
    turnstile::error_code failure() const { return failure_; }

private:
    void work(turnstile::held_lock lock) {
        std::cout << "callback: token " << lock.fencing_token() << '\n';
        lock.release(asio::bind_executor(
            strand_, [self = shared_from_this()](turnstile::error_code why) { self->end(why); }));
    }
    void end(turnstile::error_code why) {
        failure_ = why;
        session_.close(asio::detached); // an open session keeps run() from returning
    }

    asio::strand<asio::io_context::executor_type> strand_;
    turnstile::session& session_;
    turnstile::mutex orders_;
    turnstile::error_code failure_;
};

void with_callbacks(const std::string& servers) {
    asio::io_context context; // two threads run it
    turnstile::session session{context, {.servers = servers, .unreachable_limit = 10s}};
    const auto client = std::make_shared<connection>(context, session);
    client->start();
    std::thread other{[&] { context.run(); }};
    context.run();
    other.join();
    if (client->failure())
        throw boost::system::system_error(client->failure(), "/locks/orders");
}

void with_work_in_a_coroutine(const std::string& servers) {
    asio::io_context context;
    turnstile::session session{context, {.servers = servers, .unreachable_limit = 10s}};
    turnstile::mutex orders{session, "/locks/orders"};
    asio::steady_timer timer{context, 1ms};
    std::exception_ptr failure;
    const auto work = [&]() -> asio::awaitable<void> {
        co_await timer.async_wait(asio::deferred); // any operation
    };
    asio::co_spawn(context, turnstile::with_lock(orders, work), [&](std::exception_ptr why) {
        failure = why;
        session.close(asio::detached);
    });
    context.run();
    if (failure)
        std::rethrow_exception(failure);
    std::cout << "with_lock: done\n";
}

void with_futures(const std::string& servers) {
    asio::thread_pool pool{1}; // it runs the session while this thread waits
    turnstile::session session{pool, {.servers = servers, .unreachable_limit = 10s}};
    turnstile::mutex orders{session, "/locks/orders"};
    auto lock = orders.acquire(asio::use_future).get(); // throws if it fails
    std::cout << "future: token " << lock.fencing_token() << '\n';
    lock.release(asio::use_future).get();
    session.close(asio::use_future).get();
}

int main(int argc, char** argv) try {
    const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
    with_callbacks(servers);
    with_work_in_a_coroutine(servers);
    with_futures(servers);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
