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
constexpr std::int32_t does_not_know = -6; // UNIMPLEMENTED: of before there were managers

constexpr std::size_t of_number = 4;

std::string number(std::int32_t value) {
    const auto bits = static_cast<std::uint32_t>(value);
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8)
        text += static_cast<char>(bits >> static_cast<unsigned>(shift) & 0xffU);
    return text;
}

std::string frame(const std::string& text) {
    return number(static_cast<std::int32_t>(text.size())) + text;
}

std::optional<std::int32_t> number_at(std::string_view text, std::size_t at) {
    if (text.size() < of_number || at > text.size() - of_number)
        return std::nullopt;
    std::uint32_t bits = 0;
    for (const auto each : text.substr(at, of_number))
        bits = bits << 8U | static_cast<unsigned char>(each);
    return static_cast<std::int32_t>(bits);
}

} // namespace

std::string question_for_watch_manager() {
    const std::string none(8, '\0');
    const auto session = number(0) + none + number(10'000) + none + frame(none + none) + '\0';
    return frame(session) + frame(number(1) + number(add_watch) + frame("/") + number(0)) +
           frame(number(2) + number(close_session));
}

watch_manager watch_manager_in(std::string_view answer) {
    const auto of_session = number_at(answer, 0);
    if (!of_session || *of_session < 0)
        return watch_manager::unknown;
    const auto next = of_number + static_cast<std::size_t>(*of_session);
    const auto request = number_at(answer, next + of_number);
    const auto error = number_at(answer, next + 4 * of_number); // behind its transaction's number
    if (request != 1 || !error)
        return watch_manager::unknown;
    if (error == cannot_do)
        return watch_manager::optimized;
    return error == 0 || error == does_not_know ? watch_manager::usual : watch_manager::unknown;
}

} // namespace turnstile::command
