// SPDX-License-Identifier: BSL-1.0
#include "known_sessions.hpp"

#include "four_letter_words.hpp"
#include "server_address.hpp"

#include <charconv>
#include <chrono>
#include <sstream>
#include <string_view>

namespace turnstile::command {

namespace {

constexpr std::chrono::seconds answer_limit{1};

/// The leader lists all sessions by the time of their end, each after a tab, and then the nodes.
std::optional<std::set<std::int64_t>> sessions_in(const std::string& dump) {
    const auto begin = dump.find("Session Sets");
    const auto end = dump.find("ephemeral nodes dump", begin);
    if (begin == std::string::npos || end == std::string::npos)
        return std::nullopt;
    std::set<std::int64_t> result;
    std::istringstream in(dump.substr(begin, end - begin));
    for (std::string line; std::getline(in, line);) {
        const std::string_view mark = "\t0x";
        std::uint64_t id = 0;
        if (line.starts_with(mark) &&
            std::from_chars(line.data() + mark.size(), line.data() + line.size(), id, 16).ec ==
                std::errc())
            result.insert(static_cast<std::int64_t>(id));
    }
    return result;
}

} // namespace

boost::asio::awaitable<std::optional<std::set<std::int64_t>>> known_sessions(std::string servers) {
    for (const auto& each : addresses_of(servers).all)
        if (auto found = sessions_in((co_await ask_word(each, "dump", answer_limit)).text))
            co_return found;
    co_return std::nullopt;
}

} // namespace turnstile::command
