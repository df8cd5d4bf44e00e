// SPDX-License-Identifier: BSL-1.0
#include "stranger.hpp"

#include "jute.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace turnstile::test {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto quietly = asio::as_tuple(asio::use_awaitable);
// The C client probes what it takes for a read-only server with four letters and waits for an
// answer: whoever does not give one blocks it.
constexpr std::size_t longer_than_a_probe = 5;

} // namespace

stranger stranger::web_server() {
    return {.answer =
                "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nConnection: close\r\n",
            .answers_from = longer_than_a_probe,
            .tail = "\r\n<html><body><h1>400 Bad Request</h1></body></html>\r\n",
            .tail_after = 400ms};
}

stranger stranger::handshake(std::int64_t session_id, std::int32_t timeout_ms, bool read_only) {
    return {.answer = jute_int(37) + jute_int(0) + jute_int(timeout_ms) + jute_long(session_id) +
                      jute_int(16) + std::string(16, 'x') + (read_only ? '\1' : '\0'),
            .answers_from = longer_than_a_probe};
}

asio::awaitable<void> serve(stranger as, asio::ip::tcp::socket client) {
    co_await asio::async_write(client, asio::buffer(as.greeting), quietly);
    bool answered = false;
    std::size_t received = 0;
    std::array<char, 4096> bytes{};
    for (;;) {
        const auto [failure, count] = co_await client.async_read_some(asio::buffer(bytes), quietly);
        if (failure)
            co_return;
        if (as.echoes)
            co_await asio::async_write(client, asio::buffer(bytes, count), quietly);
        received += count;
        if (answered || received < as.answers_from)
            continue;
        answered = true;
        co_await asio::async_write(client, asio::buffer(as.answer), quietly);
        asio::steady_timer later{client.get_executor(), as.tail_after};
        co_await later.async_wait(quietly);
        co_await asio::async_write(client, asio::buffer(as.tail), quietly);
    }
}

} // namespace turnstile::test
