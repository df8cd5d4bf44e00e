// SPDX-License-Identifier: BSL-1.0
#include "doctor/four_letter_words.hpp"

#include "program/unique_fd.hpp"
#include "text/quietly.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/connect_pipe.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/readable_pipe.hpp>
#ifdef TURNSTILE_COMMAND_TLS
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#endif
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/writable_pipe.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <thread>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

constexpr std::size_t longest_answer = 1 << 20;

struct looked_up {
    boost::system::error_code failed{};
    asio::ip::tcp::resolver::results_type endpoints{};
};

/// Looks up a name on a thread of its own. A look-up cannot be cancelled, and in Asio's own thread
/// it would hold up all others, and the end of the program. So nobody joins this thread, and it
/// owns all that it touches. Returns null if this coroutine was cancelled.
asio::awaitable<std::shared_ptr<const looked_up>> look_up(const server_address& where) {
    const auto executor = co_await asio::this_coro::executor;
    asio::readable_pipe end_seen(executor);
    asio::writable_pipe end(executor);
    asio::connect_pipe(end_seen, end);
    auto result = std::make_shared<looked_up>();
    std::thread([where, result, closed_at_its_end = unique_fd(end.release())] {
        asio::io_context unused;
        result->endpoints =
            asio::ip::tcp::resolver(unused).resolve(where.host, where.port, result->failed);
    }).detach();
    char none = 0;
    const auto [ended, count] = co_await end_seen.async_read_some(asio::buffer(&none, 1), quietly);
    co_return ended == asio::error::operation_aborted ? nullptr : result;
}

/// Sends the word, and reads the answer until the server closes the connection.
template <class Stream>
asio::awaitable<void> exchange(Stream& stream, std::string_view word, word_answer& answer) {
    co_await asio::async_write(stream, asio::buffer(word), quietly);
    co_await asio::async_read(stream, asio::dynamic_buffer(answer.text, longest_answer), quietly);
}

#ifdef TURNSTILE_COMMAND_TLS
int days_until(const ASN1_TIME* end) {
    int days = 0;
    int seconds = 0;
    ASN1_TIME_diff(&days, &seconds, nullptr, end);
    return days;
}
#endif

asio::awaitable<void> exchange_by_tls(asio::ip::tcp::socket& socket, const std::string& host,
                                      const tls_options& how, std::string_view word,
                                      word_answer& answer) {
#ifdef TURNSTILE_COMMAND_TLS
    const auto context = make_context(how); // as the session takes it, which says what is wrong
    // The session leaves the last dot out, too.
    const auto name = host.substr(0, host.size() - (host.ends_with('.') ? 1 : 0));
    asio::ssl::stream<asio::ip::tcp::socket&> stream(socket, *context);
    stream.set_verify_callback(
        asio::ssl::host_name_verification(how.server_name.empty() ? name : how.server_name));
    const auto [refused] = co_await stream.async_handshake(asio::ssl::stream_base::client, quietly);
    if (refused)
        co_return;
    const auto handle = stream.native_handle();
    answer.tls = SSL_get_version(handle);
    if (const auto* const certificate = SSL_get0_peer_certificate(handle))
        answer.days_left = days_until(X509_get0_notAfter(certificate));
    co_await exchange(stream, word, answer);
#else
    (void)socket, (void)host, (void)how, (void)word, (void)answer;
    co_return;
#endif
}

/// Fills in the answer. At each wait `failed` has what is to be said if the time is over then.
asio::awaitable<void> talk(const server_address& where, const std::optional<tls_options>& tls,
                           std::string_view word, word_answer& answer) {
    const auto executor = co_await asio::this_coro::executor;
    answer.failed = "its name was not looked up in time";
    const auto name = co_await look_up(where);
    if (!name)
        co_return;
    answer.failed = "its name cannot be looked up: " + name->failed.message();
    if (name->failed)
        co_return;
    answer.named = true;
    answer.failed = boost::system::error_code(asio::error::timed_out).message();
    asio::ip::tcp::socket socket(executor);
    const auto [refused, reached] = co_await asio::async_connect(socket, name->endpoints, quietly);
    if (refused != asio::error::operation_aborted)
        answer.failed = refused ? refused.message() : "";
    if (refused)
        co_return;
    boost::system::error_code ignored;
    answer.own_host = socket.local_endpoint(ignored).address().to_string();
    const auto server = socket.remote_endpoint(ignored);
    // The loopback addresses of IPv4 and IPv6 count as one server.
    answer.server = (server.address() == asio::ip::address_v6::loopback()
                         ? asio::ip::address_v4::loopback().to_string()
                         : server.address().to_string()) +
                    ' ' + std::to_string(server.port());
    if (tls)
        co_await exchange_by_tls(socket, where.host, *tls, word, answer);
    else
        co_await exchange(socket, word, answer);
}

} // namespace

asio::awaitable<word_answer> ask_word(const server_address& where,
                                      const std::optional<tls_options>& tls, std::string_view word,
                                      std::chrono::milliseconds limit) {
    using namespace asio::experimental::awaitable_operators;
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, limit);
    word_answer answer;
    co_await (talk(where, tls, word, answer) || timer.async_wait(quietly));
    co_return answer;
}

} // namespace turnstile::command
