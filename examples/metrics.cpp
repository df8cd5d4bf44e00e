// SPDX-License-Identifier: BSL-1.0
// A worker with an endpoint for Prometheus: GET /metrics.
#include "http_server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <tuple>
#include <turnstile.hpp>
#include <variant>

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;
using namespace std::chrono_literals;

asio::awaitable<http_response> answer(turnstile::session& session, const http_request& request) {
    if (request.target() != "/metrics")
        co_return http_text(http::status::not_found, "GET /metrics\n");
    using turnstile::metrics_format;
    const bool takes_open = request[http::field::accept].find("application/openmetrics-text") !=
                            boost::beast::string_view::npos;
    const auto format = takes_open ? metrics_format::openmetrics : metrics_format::prometheus;
    auto response =
        http_text(http::status::ok, turnstile::metrics_text({{.usage = session.usage()}}, format));
    response.set(http::field::content_type, std::string(turnstile::content_type(format)));
    co_return response;
}

asio::awaitable<void> work(turnstile::session& session) {
    turnstile::mutex orders{session, "/locks/orders"};
    asio::steady_timer pause{co_await asio::this_coro::executor};
    for (;;) {
        auto lock = co_await orders.acquire();
        co_await lock.release();
        pause.expires_after(100ms);
        co_await pause.async_wait(asio::deferred);
    }
}

asio::awaitable<void> serve(turnstile::session& session, asio::ip::tcp::endpoint port) {
    co_await session.connect(turnstile::with_diagnostics()); // no server: better told now
    const auto executor = co_await asio::this_coro::executor;
    const auto reply = [&](const http_request& request) { return answer(session, request); };
    const auto first =
        co_await (asio::co_spawn(executor, work(session), asio::as_tuple(asio::use_awaitable)) ||
                  serve_http(port, reply));
    if (first.index() == 0)
        std::rethrow_exception(std::get<0>(std::get<0>(first)));
}

int main(int argc, char** argv) try {
    turnstile::run_with_session(
        {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"},
        [=](turnstile::session& session) { return serve(session, own_port(argc, argv)); });
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
