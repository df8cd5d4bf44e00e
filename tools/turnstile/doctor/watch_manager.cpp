// SPDX-License-Identifier: BSL-1.0
#include "doctor/watch_manager.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace turnstile::command {

namespace {

// Numbers of zookeeper.jute and KeeperException.
constexpr std::int32_t add_watch = 106;
constexpr std::int32_t close_session = -11;
constexpr std::int32_t cannot_do = -5;     // MARSHALLINGERROR: the manager threw
constexpr std::int32_t does_not_know = -6; // UNIMPLEMENTED: a server older than these managers

constexpr std::size_t number_bytes = 4;

/// Writes a number as jute has it: four bytes, the highest first.
std::string number(std::int32_t value) {
    const auto bits = static_cast<std::uint32_t>(value);
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8)
        text += static_cast<char>(bits >> static_cast<unsigned>(shift) & 0xffU);
    return text;
}

/// Writes the text with its length in front, as requests and buffers are written.
std::string frame(const std::string& text) {
    return number(static_cast<std::int32_t>(text.size())) + text;
}

std::optional<std::int32_t> number_at(std::string_view text, std::size_t at) {
    if (text.size() < number_bytes || at > text.size() - number_bytes)
        return std::nullopt;
    std::uint32_t bits = 0;
    for (const auto each : text.substr(at, number_bytes))
        bits = bits << 8U | static_cast<unsigned char>(each);
    return static_cast<std::int32_t>(bits);
}

} // namespace

std::string question_for_watch_manager() {
    const std::string zero(8, '\0');
    // Protocol version, last zxid, timeout, session id, password, not read-only: a new session.
    const auto session = number(0) + zero + number(10'000) + zero + frame(zero + zero) + '\0';
    return frame(session) + frame(number(1) + number(add_watch) + frame("/") + number(0)) +
           frame(number(2) + number(close_session));
}

watch_manager watch_manager_in(std::string_view answer) {
    const auto session_length = number_at(answer, 0);
    if (!session_length || *session_length < 0)
        return watch_manager::unknown;
    // The reply to the watch: its length, the request's number, a transaction's number (8 bytes),
    // the error.
    const auto reply = number_bytes + static_cast<std::size_t>(*session_length);
    const auto request = number_at(answer, reply + number_bytes);
    const auto error = number_at(answer, reply + 4 * number_bytes);
    if (request != 1 || !error)
        return watch_manager::unknown;
    if (error == cannot_do)
        return watch_manager::optimized;
    return error == 0 || error == does_not_know ? watch_manager::usual : watch_manager::unknown;
}

} // namespace turnstile::command
