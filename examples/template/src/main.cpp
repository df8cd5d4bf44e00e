// SPDX-License-Identifier: BSL-1.0
#include "work.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <exception>
#include <iostream>

int main() try {
    const char* servers = std::getenv("TURNSTILE_SERVERS");
    boost::asio::io_context context;
    turnstile::session session{context, {.servers = servers ? servers : "127.0.0.1:2181"}};
    turnstile::mutex lock{session, "/locks/orders"};
    boost::asio::co_spawn(context, work_under_lock(lock), [&](std::exception_ptr failure) {
        session.close(boost::asio::detached); // an open session keeps run() from returning
        if (failure)
            std::rethrow_exception(failure);
    });
    context.run();
} catch (const std::exception& e) {
    std::cerr << "orders: " << e.what() << '\n';
    return 1;
}
