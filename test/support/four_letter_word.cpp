// SPDX-License-Identifier: BSL-1.0
#include "four_letter_word.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <sstream>
#include <system_error>

namespace turnstile::test {

namespace asio = boost::asio;

std::string four_letter_word(std::uint16_t port, std::string_view word,
                             std::chrono::milliseconds limit) {
    return four_letter_word("127.0.0.1", port, word, limit);
}

std::string four_letter_word(const std::string& host, std::uint16_t port, std::string_view word,
                             std::chrono::milliseconds limit) {
    asio::ip::tcp::iostream server;
    server.expires_after(limit);
    server.connect(host, std::to_string(port));
    std::ostringstream answer;
    if (server << word << std::flush)
        answer << server.rdbuf();
    const auto error = server.error();
    // The server closes hard after a complete answer.
    if (error == asio::error::eof || (error == asio::error::connection_reset && answer.tellp() > 0))
        return answer.str();
    throw std::system_error{error, "four letter word " + std::string{word}};
}

std::string server_mode(std::uint16_t port, std::chrono::milliseconds limit,
                        const std::string& host) {
    std::string answer;
    try {
        answer = four_letter_word(host, port, "srvr", limit);
    } catch (const std::system_error&) {
        return {};
    }
    constexpr std::string_view label = "Mode: ";
    const auto begin = answer.find(label);
    if (begin == std::string::npos)
        return {};
    const auto end = answer.find('\n', begin);
    return answer.substr(begin + label.size(), end - begin - label.size());
}

void reset_counters(std::uint16_t port) { (void)four_letter_word(port, "srst"); }

} // namespace turnstile::test
