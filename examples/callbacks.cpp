// SPDX-License-Identifier: BSL-1.0
// A lock without coroutines: first with callbacks, then with futures.
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <turnstile.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

void with_callbacks(const std::string& servers) {
    asio::io_context context;
    turnstile::session session{context, {.servers = servers, .unreachable_limit = 10s}};
    turnstile::mutex orders{session, "/locks/orders"};
    turnstile::error_code failure;
    const auto end = [&](turnstile::error_code why) {
        failure = why;
        session.close(asio::detached); // an open session keeps run() from returning
    };
    orders.acquire([&](turnstile::error_code failed, turnstile::held_lock lock) {
        if (failed)
            return end(failed);
        std::cout << "callback: token " << lock.fencing_token() << '\n';
        lock.release(end);
    });
    context.run();
    if (failure)
        throw boost::system::system_error(failure, "/locks/orders");
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
    with_futures(servers);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
