#include "server_view.hpp"

#include "four_letter_word.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace turnstile::test {

std::size_t watches_of(std::uint16_t port) {
    const auto text = four_letter_word(port, "wchs");
    constexpr std::string_view key = "Total watches:";
    const auto found = text.find(key);
    if (found == std::string::npos)
        throw std::runtime_error("wchs: " + text);
    return static_cast<std::size_t>(std::strtoul(text.c_str() + found + key.size(), nullptr, 10));
}

std::size_t watches_below(std::uint16_t port, const std::string& path) {
    std::istringstream answer{four_letter_word(port, "wchp")};
    std::size_t result = 0;
    bool meant = false;
    for (std::string line; std::getline(answer, line);) { // a path, and its watchers, indented
        if (line.starts_with('/'))
            meant = line.starts_with(path + "/");
        else if (meant && line.starts_with('\t'))
            ++result;
    }
    return result;
}

std::string word_on_session(std::uint16_t leader_port, std::int64_t id) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   static_cast<std::uint64_t>(id), 16)
                         .ptr;
    const auto name = "0x" + std::string(digits.data(), end);
    const auto text = four_letter_word(leader_port, "dump");
    if (!text.starts_with("SessionTracker"))
        throw std::runtime_error("dump: " + text);
    std::istringstream answer{text};
    std::string result;
    std::string heading;
    for (std::string line; std::getline(answer, line);) {
        if (line.find(name) != std::string::npos)
            result += heading + " / " + line + '\n';
        else if (!line.starts_with('\t') && !line.starts_with("0x"))
            heading = line;
    }
    return result;
}

} // namespace turnstile::test
