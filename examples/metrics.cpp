// SPDX-License-Identifier: BSL-1.0
// A worker with an endpoint for Prometheus: GET /metrics.
#include "first_of.hpp"
#include "http_server.hpp"
#include "run_with_session.hpp"

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <string>
#include <turnstile.hpp>

namespace asio = boost::asio;
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
    co_await first_of(work(session), serve_http(port, [&](const http_request& request) {
                          return answer(session, request);
                      }));
    co_await session.close();
}

int main(int argc, char** argv) {
    return run_with_session(argc, argv, [=](turnstile::session& session) {
        return serve(session, own_port(argc, argv));
    });
}
