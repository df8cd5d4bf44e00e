// SPDX-License-Identifier: BSL-1.0
// What crosses the border between a program and the library, wherever that lies: error codes,
// exceptions, coroutines, executors. No server is needed.
#include <turnstile.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;

namespace {

void require(bool holds, const char* what) {
    if (!holds)
        throw std::runtime_error(what);
}

asio::awaitable<void> try_without_server(asio::io_context& context, turnstile::session& session) {
    turnstile::mutex mutex{session, "/locks/x"};
    bool thrown = false;
    try {
        auto lock = co_await mutex.acquire();
    } catch (const boost::system::system_error& e) {
        thrown = true;
        require(e.code() == turnstile::error::unreachable, "the code is another one");
        require(e.code().category() == turnstile::turnstile_category(), "there are two categories");
    }
    require(thrown, "an acquire without a server did not throw");
    // Asio's note of which thread runs what has to be one for the program and the library.
    require(context.get_executor().running_in_this_thread(), "resumed outside of the context");

    std::string told;
    try {
        auto lock = co_await mutex.acquire(turnstile::with_diagnostics(asio::use_awaitable));
    } catch (const turnstile::error_with_diagnostics& e) {
        told = e.what();
    }
    require(told.find("127.0.0.1:1") != std::string::npos, "the diagnostics lack the server");
    co_await session.close();
}

} // namespace

int main() try {
    bool refused = false;
    try {
        turnstile::session nowhere{turnstile::session::executor_type{}};
    } catch (const asio::execution::bad_executor&) {
        refused = true;
    }
    require(refused, "an empty executor was taken");
    require(turnstile::fencing_token::parse(turnstile::fencing_token(7).str()) ==
                turnstile::fencing_token(7),
            "a token is not what it was");

    asio::io_context context;
    turnstile::session session{
        context, {.servers = "127.0.0.1:1", .unreachable_limit = std::chrono::milliseconds(100)}};
    asio::co_spawn(context, try_without_server(context, session), [](std::exception_ptr e) {
        if (e)
            std::rethrow_exception(e);
    });
    context.run();
    std::cout << "turnstile " << TURNSTILE_VERSION_MAJOR << '.' << TURNSTILE_VERSION_MINOR << '.'
              << TURNSTILE_VERSION_PATCH << ": consumer ok\n";
} catch (const std::exception& e) {
    std::cerr << "consumer: " << e.what() << '\n';
    return 1;
}
