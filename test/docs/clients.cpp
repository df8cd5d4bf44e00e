// SPDX-License-Identifier: BSL-1.0
// A leader whose clients are served to their end after the leadership. docs/cookbook.md shows a
// part.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <turnstile.hpp>
#include <utility>

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

asio::awaitable<void> serve(tcp::socket socket) {
    std::string question(6, '\0');
    co_await asio::async_read(socket, asio::buffer(question), asio::use_awaitable);
    co_await asio::async_write(socket, asio::buffer(question), asio::use_awaitable);
}

asio::awaitable<void> take_clients(asio::io_context& context, tcp::acceptor& acceptor) {
    for (;;) { // each client on the context, and not under the lock
        tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
        asio::co_spawn(context, serve(std::move(socket)), asio::detached);
        std::raise(SIGTERM);
    }
}

// Asks when another leads already.
asio::awaitable<void> be_a_client(std::string servers, tcp::endpoint where) {
    const auto executor = co_await asio::this_coro::executor;
    tcp::socket socket{executor};
    co_await socket.async_connect(where, asio::use_awaitable);
    turnstile::session other{executor, {.servers = std::move(servers)}};
    turnstile::mutex leadership{other, "/leaders/orders"};
    const auto lock = co_await leadership.acquire();
    std::cout << "another one leads" << std::endl;
    std::string text = "orders";
    co_await asio::async_write(socket, asio::buffer(text), asio::use_awaitable);
    co_await asio::async_read(socket, asio::buffer(text), asio::use_awaitable);
    std::cout << "served to the end: " << text << std::endl;
    co_await other.close();
}

} // namespace

int main(int argc, char** argv) try {
    const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
    asio::io_context context;
    turnstile::session session{context, {.servers = servers}};
    turnstile::mutex leadership{session, "/leaders/orders"};
    tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
    const auto lead = [&] {
        asio::co_spawn(context, be_a_client(servers, acceptor.local_endpoint()), asio::detached);
        return take_clients(context, acceptor);
    };
    turnstile::exclusive_options how;
    how.stop_on = {SIGINT, SIGTERM};
    std::exception_ptr failure;

    const auto end = [&](std::exception_ptr why) {
        failure = why;
        acceptor.close();
        session.close(asio::detached);
    };
    asio::co_spawn(context, turnstile::run_exclusively(leadership, lead, how), end);
    context.run(); // until the last client has gone
    if (failure)
        std::rethrow_exception(failure);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
