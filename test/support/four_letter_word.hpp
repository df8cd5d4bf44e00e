// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace turnstile::test {

/// Sends a ZooKeeper administrative word ("srvr", "mntr", "wchs", ...) to the server on this
/// loopback port and returns all it answers. Throws std::system_error, also if the server is
/// silent for longer than `limit` altogether. The server counts it as a connection and a packet.
[[nodiscard]] std::string four_letter_word(std::uint16_t port, std::string_view word,
                                           std::chrono::milliseconds limit = std::chrono::seconds{
                                               5});

/// The same of a server anywhere. Looking its name up may take longer than `limit`.
[[nodiscard]] std::string four_letter_word(const std::string& host, std::uint16_t port,
                                           std::string_view word, std::chrono::milliseconds limit);

/// The word after "Mode: " in the answer to `srvr` (standalone, leader, follower, ...); empty if
/// the server does not answer or does not serve now.
[[nodiscard]] std::string server_mode(std::uint16_t port,
                                      std::chrono::milliseconds limit = std::chrono::seconds{1},
                                      const std::string& host = "127.0.0.1");

/// Zeroes the statistics behind `mntr` and `srvr`.
void reset_counters(std::uint16_t port);

} // namespace turnstile::test
