// SPDX-License-Identifier: BSL-1.0
// A job that every host starts at midnight, and one of them runs. The others see that it is taken,
// and leave.
#include <boost/asio/awaitable.hpp>
#include <exception>
#include <iostream>
#include <turnstile.hpp>

namespace asio = boost::asio;

asio::awaitable<void> run_once(turnstile::session& session) {
    turnstile::single_node_mutex job{session, "/jobs/nightly"};
    auto lock = co_await job.try_acquire(); // one round trip, whether it is free or not
    if (!lock) {
        std::cout << "another host runs the job\n";
    } else {
        std::cout << "running the job\n";
        const auto second = lock.share(); // a part of the job may keep a handle of its own
        co_await lock.release();
        std::cout << (second.is_held() ? "still held by its part\n" : "");
    }
}

int main(int argc, char** argv) try {
    turnstile::run_with_session({.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}, run_once);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
