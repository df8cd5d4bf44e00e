#include "stranger.hpp"

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

template <class Integer>
std::string big_endian(Integer value) {
    std::string bytes;
    for (int shift = static_cast<int>(sizeof(value)) * 8 - 8; shift >= 0; shift -= 8)
        bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xffU);
    return bytes;
}

} // namespace

stranger stranger::web_server() {
    return {.answer =
                "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nConnection: close\r\n",
            .tail = "\r\n<html><body><h1>400 Bad Request</h1></body></html>\r\n",
            .tail_after = 400ms};
}

stranger stranger::handshake(std::int64_t session_id, std::int32_t timeout_ms, bool read_only) {
    return {.answer = big_endian<std::int32_t>(37) + big_endian<std::int32_t>(0) +
                      big_endian(timeout_ms) + big_endian(session_id) +
                      big_endian<std::int32_t>(16) + std::string(16, 'x') +
                      (read_only ? '\1' : '\0')};
}

asio::awaitable<void> serve(stranger as, asio::ip::tcp::socket client) {
    co_await asio::async_write(client, asio::buffer(as.greeting), quietly);
    bool answered = false;
    std::array<char, 4096> bytes{};
    for (;;) {
        const auto [failure, count] = co_await client.async_read_some(asio::buffer(bytes), quietly);
        if (failure)
            co_return;
        if (as.echoes)
            co_await asio::async_write(client, asio::buffer(bytes, count), quietly);
        if (answered)
            continue;
        answered = true;
        co_await asio::async_write(client, asio::buffer(as.answer), quietly);
        asio::steady_timer later{client.get_executor(), as.tail_after};
        co_await later.async_wait(quietly);
        co_await asio::async_write(client, asio::buffer(as.tail), quietly);
    }
}

} // namespace turnstile::test
