// SPDX-License-Identifier: BSL-1.0
#include "server_view.hpp"

#include "four_letter_word.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace turnstile::test {

namespace {

std::string name_of_session(std::int64_t id) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   static_cast<std::uint64_t>(id), 16)
                         .ptr;
    return "0x" + std::string(digits.data(), end);
}

// "Session Sets (2)/(5):" says that five sessions are alive, in two groups of one deadline each.
std::optional<std::size_t> sessions_counted(const std::string& line) {
    const auto between = line.find(")/(");
    if (!line.starts_with("Session Sets (") || between == std::string::npos)
        return std::nullopt;
    return std::strtoul(line.c_str() + between + 3, nullptr, 10);
}

/// The number behind that key in the answer to a four-letter word.
std::size_t number_in(std::uint16_t port, const std::string& word, std::string_view key) {
    const auto text = four_letter_word(port, word);
    const auto at = text.find(key);
    if (at == std::string::npos)
        throw std::runtime_error(word + ": " + text);
    return static_cast<std::size_t>(std::strtoul(text.c_str() + at + key.size(), nullptr, 10));
}

} // namespace

std::size_t watches_of(std::uint16_t port) { return number_in(port, "wchs", "Total watches:"); }

std::size_t all_watches_of(std::uint16_t port) {
    return number_in(port, "mntr", "zk_watch_count\t");
}

namespace {

/// Those of one session, by its name; empty: of all.
std::size_t watches_below(std::uint16_t port, const std::string& path, const std::string& whose) {
    std::istringstream answer{four_letter_word(port, "wchp")};
    std::size_t result = 0;
    bool is_below = false;
    for (std::string line; std::getline(answer, line);) // a path, and its watchers, indented
        if (line.starts_with('/'))
            is_below = line.starts_with(path + "/");
        else if (is_below && line.starts_with('\t') && (whose.empty() || line == '\t' + whose))
            ++result;
    return result;
}

} // namespace

std::size_t watches_below(std::uint16_t port, const std::string& path) {
    return watches_below(port, path, std::string{});
}

std::size_t watches_below(std::uint16_t port, const std::string& path, std::int64_t session) {
    return watches_below(port, path, name_of_session(session));
}

std::string word_on_session(std::uint16_t leader_port, std::int64_t id) {
    return word_on_session(four_letter_word(leader_port, "dump"), id);
}

std::string word_on_session(const std::string& dump, std::int64_t id) {
    if (!dump.starts_with("SessionTracker"))
        throw std::runtime_error("dump: " + dump);
    const auto name = name_of_session(id);
    std::istringstream answer{dump};
    std::string result;
    std::string heading;
    std::optional<std::size_t> alive;
    std::set<std::string> listed; // a session whose expiry was put off may stand there twice
    bool is_whole = false;        // the last part of the answer has begun
    for (std::string line; std::getline(answer, line);) {
        if (!alive)
            alive = sessions_counted(line);
        if (line.starts_with("\t0x") && !line.ends_with(':'))
            listed.insert(line);
        is_whole = is_whole || line.starts_with("Connections Sets (");
        if (line.find(name) != std::string::npos)
            result += heading + " / " + line + '\n';
        else if (!line.starts_with('\t') && !line.starts_with("0x"))
            heading = line;
    }
    if (result.empty() && (!alive || !is_whole))
        return "an answer that breaks off";
    if (result.empty() && listed.size() < *alive)
        return "a session that is counted is not listed";
    return result;
}

} // namespace turnstile::test
