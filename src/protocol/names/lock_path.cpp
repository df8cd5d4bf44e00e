// SPDX-License-Identifier: BSL-1.0
#include "protocol/names/lock_path.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace turnstile::protocol {

namespace {

// Whether PathUtils.validatePath of the server refuses a code point. It looks at UTF-16 units. It
// refuses surrogates, and so each code point that Java keeps as two of them. It also refuses the
// private characters that follow the surrogates.
bool is_refused_by_server(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0xd800 && c <= 0xf8ff) || c >= 0xfff0;
}

struct code_point {
    std::uint32_t value = 0;
    std::size_t length = 0; // in bytes; 0: it is malformed
};

// Decodes the first code point of a text that is not empty.
code_point first_code_point(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto first = byte(0);
    const auto lead = static_cast<std::size_t>(std::countl_one(first));
    if (lead == 0)
        return {first, 1};
    if (lead == 1 || lead > 4 || text.size() < lead)
        return {};
    std::uint32_t value = first & (0x7FU >> lead);
    for (std::size_t i = 1; i < lead; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return {};
        value = (value << 6) | (byte(i) & 0x3f);
    }
    constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
    return value < smallest[lead] || value > 0x10ffff ? code_point{} : code_point{value, lead};
}

// What is wrong with a part, in words; null if nothing is.
const char* fault_of_part(std::string_view part) {
    if (part.empty())
        return "a part of it is empty";
    if (part == "." || part == "..")
        return "a part of it is '.' or '..'";
    while (!part.empty()) {
        const auto [value, length] = first_code_point(part);
        if (length == 0)
            return "it is no UTF-8";
        if (is_refused_by_server(value))
            return value <= 0x9f ? "it has a control character"
                                 : "it has a character that servers refuse, such as an emoji";
        part.remove_prefix(length);
    }
    return nullptr;
}

} // namespace

const char* fault_of_lock_path(std::string_view path) {
    if (path.empty())
        return "it is empty";
    static_assert(longest_lock_path == 1024);
    if (path.size() > longest_lock_path)
        return "it is longer than 1024 bytes";
    if (path.front() != '/')
        return "it does not begin with a slash";
    if (path.size() == 1)
        return "it is the root";
    if (path.back() == '/')
        return "it ends with a slash";
    for (auto rest = path; !rest.empty();) {
        rest.remove_prefix(1);
        const auto part = rest.substr(0, rest.find('/'));
        if (const auto* const fault = fault_of_part(part))
            return fault;
        rest.remove_prefix(part.size());
    }
    return path == "/zookeeper" || path.starts_with("/zookeeper/")
               ? "/zookeeper is the servers' own"
               : nullptr;
}

bool is_valid_lock_path(std::string_view path) { return !fault_of_lock_path(path); }

bool is_valid_chroot(std::string_view path) { return path.empty() || is_valid_lock_path(path); }

std::vector<std::string> parents_of(std::string_view path) {
    std::vector<std::string> parents;
    for (auto slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
        parents.emplace_back(path.substr(0, slash));
    return parents;
}

} // namespace turnstile::protocol
