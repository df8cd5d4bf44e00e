#include "four_letter_words.hpp"

#include "quietly.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>

#include <cstddef>
#include <string>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::size_t longest_answer = 1 << 20;

asio::awaitable<void> talk(const server_address& where, std::string_view word,
                           word_answer& answer) {
    const auto executor = co_await asio::this_coro::executor;
    asio::ip::tcp::resolver resolver(executor);
    const auto [unresolved, found] =
        co_await resolver.async_resolve(where.host, where.port, quietly);
    answer.failed = unresolved;
    if (unresolved)
        co_return;
    asio::ip::tcp::socket socket(executor);
    const auto [refused, reached] = co_await asio::async_connect(socket, found, quietly);
    answer.failed = refused;
    if (refused)
        co_return;
    boost::system::error_code ignored;
    answer.own_host = socket.local_endpoint(ignored).address().to_string();
    const auto server = socket.remote_endpoint(ignored);
    // Of this machine both families are one.
    answer.server = (server.address() == asio::ip::address_v6::loopback()
                         ? asio::ip::address_v4::loopback().to_string()
                         : server.address().to_string()) +
                    ' ' + std::to_string(server.port());
    co_await asio::async_write(socket, asio::buffer(word), quietly);
    co_await asio::async_read(socket, asio::dynamic_buffer(answer.text, longest_answer), quietly);
}

} // namespace

asio::awaitable<word_answer> ask_word(const server_address& where, std::string_view word,
                                      std::chrono::milliseconds limit) {
    using namespace asio::experimental::awaitable_operators;
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, limit);
    word_answer answer{.failed = asio::error::timed_out}; // until it is connected
    co_await (talk(where, word, answer) || timer.async_wait(quietly));
    if (answer.failed == asio::error::operation_aborted)
        answer.failed = asio::error::timed_out;
    co_return answer;
}

} // namespace turnstile::command
