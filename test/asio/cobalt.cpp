// SPDX-License-Identifier: BSL-1.0
// The lock in coroutines of Boost.Cobalt, acquired and released at a real server.
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/cobalt/op.hpp>
#include <boost/cobalt/race.hpp>
#include <boost/cobalt/spawn.hpp>
#include <boost/cobalt/task.hpp>
#include <boost/cobalt/this_coro.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <turnstile.hpp>

namespace asio = boost::asio;
namespace cobalt = boost::cobalt;
using turnstile::held_lock;
using turnstile::mutex;

namespace {

void expect(bool holds, const char* what) {
    if (!holds)
        throw std::logic_error(what);
}

cobalt::task<void> work(mutex& lock) {
    held_lock held = co_await lock.acquire(cobalt::use_op);
    expect(held.is_held(), "not held");

    const held_lock beside = co_await lock.try_acquire(cobalt::use_op);
    expect(!beside, "a try beside a holder is no empty lock");

    // The one that completes first cancels the other.
    asio::steady_timer enough{co_await cobalt::this_coro::executor, std::chrono::milliseconds(1)};
    const auto first =
        co_await cobalt::race(lock.acquire(cobalt::use_op), enough.async_wait(cobalt::use_op));
    expect(first.index() == 1, "a wait beside a holder ended");

    co_await held.release(cobalt::use_op);
    auto again = co_await lock.acquire(); // the default, `deferred`
    co_await again.release();
}

} // namespace

int main(int argc, char** argv) try {
    expect(argc == 2, "usage: cobalt SERVER");
    asio::io_context context;
    turnstile::session session{context, {.servers = argv[1]}};
    mutex lock{session, "/locks/cobalt"};
    cobalt::spawn(context, work(lock), [&](std::exception_ptr failure) {
        session.close(asio::detached);
        if (failure)
            std::rethrow_exception(failure);
        std::cout << "cobalt\n";
    });
    context.run();
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
