// A test without a server: the work must end with an error, in time, and say which.
#include "work.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <exception>
#include <iostream>

int main() {
    boost::asio::io_context context;
    turnstile::session session{
        context, {.servers = "127.0.0.1:1", .unreachable_limit = std::chrono::milliseconds(100)}};
    turnstile::mutex lock{session, "/locks/orders"};
    std::exception_ptr failure;
    boost::asio::co_spawn(context, work_under_lock(lock), [&](std::exception_ptr e) {
        failure = e;
        session.close(boost::asio::detached);
    });
    context.run();
    try {
        if (failure)
            std::rethrow_exception(failure);
    } catch (const boost::system::system_error& e) {
        if (e.code() == turnstile::error::unreachable)
            return 0;
        std::cerr << "another error: " << e.what() << '\n';
    }
    std::cerr << "without a server the work went on\n";
    return 1;
}
