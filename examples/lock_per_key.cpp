// SPDX-License-Identifier: BSL-1.0
// A TCP server with a lock for each key. Each line of a client names a key. Over all replicas of
// the server, one works on a key at a time.
#include "serve_clients.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <turnstile.hpp>

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

asio::awaitable<void> work_on(std::string key) {
    std::cout << "begin " << key << std::endl;
    asio::steady_timer work{co_await asio::this_coro::executor, 20ms};
    co_await work.async_wait(asio::deferred);
    std::cout << "end " << key << std::endl;
}

asio::awaitable<std::string> handle(turnstile::session& session, std::string key) {
    turnstile::mutex lock{session, "/locks/keys/" + turnstile::lock_name(key)};
    try {
        co_await turnstile::with_lock(lock.acquire_for(30s), [&] { return work_on(key); });
        co_return "done: " + key + '\n';
    } catch (const boost::system::system_error& e) {
        co_return std::string("error: ") + e.what() + '\n';
    }
}

asio::awaitable<void> talk(turnstile::session& session, tcp::socket client) {
    std::string received;
    for (;;) {
        const auto [end, length] = co_await asio::async_read_until(
            client, asio::dynamic_buffer(received, 1000), '\n', asio::as_tuple(asio::deferred));
        if (end)
            co_return; // the client has gone, or its line is too long
        const auto answer = co_await handle(session, received.substr(0, length - 1));
        received.erase(0, length);
        co_await asio::async_write(client, asio::buffer(answer), asio::deferred);
    }
}

asio::awaitable<void> serve(turnstile::session& session, tcp::endpoint port) {
    co_await session.connect(turnstile::with_diagnostics()); // no server: better told now
    co_await serve_clients(port,
                           [&](tcp::socket client) { return talk(session, std::move(client)); });
}

int main(int argc, char** argv) try {
    turnstile::run_with_session(
        {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"},
        [=](turnstile::session& session) { return serve(session, own_port(argc, argv)); });
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
