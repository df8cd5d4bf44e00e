// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace turnstile::test {

namespace asio = boost::asio;

/// Sends an administrative word of ZooKeeper ("srvr", "mntr", "wchs", ...) to the server and
/// returns the whole answer. Throws std::system_error, also if all that takes longer than `limit`.
/// (A look-up of the host's name may take longer.) The server counts a connection and a packet.
[[nodiscard]] inline std::string four_letter_word(const std::string& host, std::uint16_t port,
                                                  std::string_view word,
                                                  std::chrono::milliseconds limit) {
    asio::ip::tcp::iostream server;
    server.expires_after(limit);
    server.connect(host, std::to_string(port));
    std::ostringstream answer;
    if (server << word << std::flush)
        answer << server.rdbuf();
    const auto error = server.error();
    // The server may reset the connection after a complete answer.
    if (error == asio::error::eof || (error == asio::error::connection_reset && answer.tellp() > 0))
        return answer.str();
    throw std::system_error{error, "four letter word " + std::string{word}};
}

/// Sends the word to a server on this machine.
[[nodiscard]] inline std::string
four_letter_word(std::uint16_t port, std::string_view word,
                 std::chrono::milliseconds limit = std::chrono::seconds{5}) {
    return four_letter_word("127.0.0.1", port, word, limit);
}

/// The word after "Mode: " in the answer to `srvr` (standalone, leader, follower, ...); empty if
/// the server does not answer or does not serve now.
[[nodiscard]] inline std::string
server_mode(std::uint16_t port, std::chrono::milliseconds limit = std::chrono::seconds{1},
            const std::string& host = "127.0.0.1") {
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

/// Zeroes the statistics behind `mntr` and `srvr`.
inline void reset_counters(std::uint16_t port) { (void)four_letter_word(port, "srst"); }

} // namespace turnstile::test
