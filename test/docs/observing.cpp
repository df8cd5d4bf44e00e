// SPDX-License-Identifier: BSL-1.0
// The code that docs/observing.md shows, run against a server, and against a port where none is.
#include "exit_code.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <iostream>
#include <string>
#include <string_view>
#include <turnstile.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

bool has_metrics(const turnstile::session& session, const turnstile::mutex& orders) {
    const std::string text =
        turnstile::metrics_text({{.usage = session.usage(),
                                  .labels = {{"service", "orders"}},
                                  .locks = {{orders.path(), orders.usage()}}}});
    return text.find("turnstile_lock_held{service=\"orders\",path=\"/locks/orders\"} ") !=
           std::string::npos;
}

asio::awaitable<void> with_a_code(turnstile::session& session) {
    turnstile::mutex orders{session, "/locks/orders"};
    turnstile::diagnostics diag;
    auto [code, lock] = co_await orders.acquire(
        turnstile::with_diagnostics(diag, asio::as_tuple(asio::use_awaitable)));
    if (code)
        std::cerr << code.message() << " (" << diag << ")\n";
    if (!has_metrics(session, orders))
        std::cerr << "the metrics are not there\n";
    co_await session.close();
}

asio::awaitable<void> take_and_release(turnstile::mutex& lock) {
    auto held = co_await lock.acquire();
    co_await held.release();
}

asio::awaitable<void> with_an_exception(turnstile::session& session) {
    using namespace asio::experimental::awaitable_operators;
    turnstile::mutex orders{session, "/locks/orders"};
    auto lock = co_await orders.acquire(turnstile::with_diagnostics());
    co_await (take_and_release(orders) && lock.release(asio::use_awaitable));
    co_await session.close();
}

turnstile::session_options observed() {
    turnstile::session_options options;
    options.observer = [](const turnstile::lock_event& event) {
        if (event.what == turnstile::lock_event::kind::queued)
            std::cout << event.path << ": " << event.ahead << " ahead\n";
    };
    options.log = {.level = turnstile::log_level::info,
                   .sink = [](turnstile::log_level level, std::string_view text) {
                       std::cout << "level " << static_cast<int>(level) << ' ' << text << '\n';
                   }};
    return options;
}

int without_a_server(asio::awaitable<void> (*work)(turnstile::session&)) {
    turnstile::session_options options;
    options.servers = "127.0.0.1:1";
    options.unreachable_limit = 500ms;
    options.log.level = turnstile::log_level::none;
    return exit_code_of(0, nullptr, work, options);
}

} // namespace

int main(int argc, char** argv) {
    const bool as_it_should = exit_code_of(argc, argv, with_a_code) == 0 &&
                              exit_code_of(argc, argv, with_an_exception, observed()) == 0 &&
                              without_a_server(with_a_code) == 0 &&
                              without_a_server(with_an_exception) == 1;
    std::cout << (as_it_should ? "as it should be\n" : "not as it should be\n");
}
