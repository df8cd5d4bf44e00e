// SPDX-License-Identifier: BSL-1.0
// An HTTP server of which several replicas run. POST /orders/ID adds a piece to an order: one
// replica at a time works on an order, and the store refuses a replica that comes too late.
#include "http_server.hpp"
#include "order_store.hpp"

#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <turnstile.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> add_piece(order_store& store, std::string id, turnstile::held_lock& lock,
                                int& pieces) {
    const auto token = lock.fencing_token();
    const int wanted = store.read(id, token) + 1; // registers the token
    store.write(id, wanted, token);
    pieces = wanted;
    co_return;
}

asio::awaitable<http_response> answer(turnstile::session& session, order_store& store,
                                      const http_request& request) {
    constexpr std::string_view orders = "/orders/";
    const std::string target{request.target()};
    const auto id = target.starts_with(orders) ? target.substr(orders.size()) : std::string();
    if (!is_plain_name(id)) // a slash would name a lock of somebody else
        co_return http_text(http::status::not_found, "POST /orders/ID\n");
    if (request.method() != http::verb::post)
        co_return http_text(http::status::method_not_allowed, "POST /orders/ID\n");
    turnstile::mutex order{session, "/locks/orders/" + id};
    int pieces = 0; // until the store has taken one more
    try {
        co_await turnstile::with_lock(order.acquire_for(5s), [&](turnstile::held_lock& lock) {
            return add_piece(store, id, lock, pieces);
        });
    } catch (const std::exception& e) { // no lock, a lock that was lost, or a store that refuses
        std::cerr << "order " << id << ": " << e.what() << '\n';
    }
    if (pieces == 0)
        co_return http_text(http::status::service_unavailable, "try again\n");
    co_return http_text(http::status::ok, std::to_string(pieces) + '\n');
}

asio::awaitable<void> serve(turnstile::session& session, asio::ip::tcp::endpoint port,
                            std::string file) {
    co_await session.connect(turnstile::with_diagnostics()); // no server: better told now
    order_store store{file};
    co_await serve_http(
        port, [&](const http_request& request) { return answer(session, store, request); });
}

int main(int argc, char** argv) try {
    turnstile::run_with_session(
        {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}, [=](turnstile::session& session) {
            return serve(session, own_port(argc, argv), argc > 3 ? argv[3] : "orders.db");
        });
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
